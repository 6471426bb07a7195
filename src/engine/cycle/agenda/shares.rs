//! The fair share tree at the start of a cycle (rule 6.5).

use crate::cluster::{Column, Formula, FormulaFault, JobId, JobSortKey, JobSortTerm, Name};
use crate::universe::Plan;

use crate::cycle::fairshare::{FairshareTree, entity_of};
use crate::cycle::formula_values::formula_value;
use crate::cycle::setup::CycleSettings;

/// Whether the job order or a formula uses the fair share values of entities.
pub(in crate::cycle) fn uses_shares(plan: &Plan, settings: &CycleSettings) -> bool {
    let by_share = |key: &JobSortKey| key.term == JobSortTerm::FairsharePercentage;
    let keys = plan.snap.policy.job_sort_key.get(plan.period);
    settings.order.fair_share || settings.formula.is_some() || keys.iter().any(by_share)
}

/// Builds the fair share tree. If `by_share`, it also registers the entity of every job that the scheduler reads and
/// decays usage up to now.
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

/// Returns for each job whether its entity has used more than its share at the start; empty without fair share.
pub(in crate::cycle) fn over_shares(plan: &Plan) -> Column<JobId, bool> {
    if !*plan.snap.policy.fair_share.get(plan.period) {
        return Column::new();
    }
    let tree = share_tree(plan, true);
    let option = &plan.snap.policy.fairshare.entity;
    let over = |job| tree.entity_of(job, option).is_some_and(|id| tree.is_over_share(id));
    plan.snap.jobs.iter().map(over).collect()
}

/// Returns the formula for the usage that a start adds to a job's entity: `fairshare_usage_res` over the requested
/// resources; `None` if it cannot be parsed.
pub(in crate::cycle) fn usage_formula(plan: &Plan) -> Option<Formula> {
    Formula::parse(&plan.snap.policy.fairshare.usage_res).ok()
}

/// Returns the usage that a start, or becoming a top job, adds to a job's entity; 0 if it has no value.
pub(in crate::cycle) fn charge_of(plan: &Plan, formula: Option<&Formula>, job: JobId) -> f64 {
    formula.and_then(|formula| charge(plan, formula, job).ok()).unwrap_or(0.0)
}

/// Like [`charge_of`], but returns the fault if the formula has no value for the job.
pub(in crate::cycle) fn charge(plan: &Plan, formula: &Formula, job: JobId) -> Result<f64, FormulaFault> {
    formula.evaluate(&|name| formula_value(plan, job, name, &|_| None))
}
