//! The fair share tree as a cycle begins with it (rule 6.5).

use crate::cluster::{Column, Formula, FormulaFault, JobId, JobSortKey, JobSortTerm, Name};
use crate::universe::Plan;

use crate::cycle::fairshare::{FairshareTree, entity_of};
use crate::cycle::formula_values::formula_value;
use crate::cycle::setup::Setup;

/// Whether the order or a formula uses the share of a job's entity.
pub(super) fn uses_shares(plan: &Plan, setup: &Setup) -> bool {
    let by_share = |key: &JobSortKey| key.term == JobSortTerm::FairsharePercentage;
    let keys = plan.snap.policy.job_sort_key.get(plan.period);
    setup.order.fair_share || setup.formula.is_some() || keys.iter().any(by_share)
}

/// The fair share tree, decayed up to now; with the entity of every job in it that the scheduler reads, if their shares are
/// used.
pub(in crate::cycle) fn share_tree(plan: &Plan, by_share: bool) -> FairshareTree {
    let snap = &plan.snap;
    let policy = &snap.policy.fairshare;
    let (mut tree, _) = FairshareTree::new(&snap.share_groups, policy.unknown_shares);
    tree.record_usage(&snap.usage);
    if !by_share {
        return tree;
    }
    let read = snap.jobs.enumerate().filter(|(id, _)| plan.reads(*id));
    let names: Vec<Name> = read.filter_map(|(_, job)| entity_of(job, &policy.entity)).collect();
    tree.register(&names);
    tree.decay(snap.now, policy.decay_time, policy.decay_factor);
    tree
}

/// Which jobs' entities have used more than their share at the start; none where no share counts.
pub(in crate::cycle) fn over_shares(plan: &Plan) -> Column<JobId, bool> {
    if !*plan.snap.policy.fair_share.get(plan.period) {
        return Column::new();
    }
    let tree = share_tree(plan, true);
    let option = &plan.snap.policy.fairshare.entity;
    let over = |job| tree.entity_of(job, option).is_some_and(|id| tree.is_over_share(id));
    plan.snap.jobs.iter().map(over).collect()
}

/// What starts add to the usage of jobs' entities: `fairshare_usage_res` over what they request; none where that cannot be
/// read.
pub(in crate::cycle) fn usage_formula(plan: &Plan) -> Option<Formula> {
    Formula::parse(&plan.snap.policy.fairshare.usage_res).ok()
}

/// What a start, or a place among the top jobs, adds to the usage of a job's entity.
pub(in crate::cycle) fn charge_of(plan: &Plan, formula: Option<&Formula>, job: JobId) -> f64 {
    formula.and_then(|formula| charge(plan, formula, job).ok()).unwrap_or(0.0)
}

/// The same, or why the formula has no value for the job.
pub(in crate::cycle) fn charge(plan: &Plan, formula: &Formula, job: JobId) -> Result<f64, FormulaFault> {
    formula.evaluate(&|name| formula_value(plan, job, name, &|_| None))
}
