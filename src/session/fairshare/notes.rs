//! Notes on what is unknown about the tree, and what prevents it from having an effect.

use qscope_engine::cluster::JobSortTerm;
use qscope_engine::cycle::Run;
use qscope_engine::cycle::fairshare::{FairshareTree, is_share_name};
use qscope_explain::words::count;

use super::jobs::EntityJobs;

/// Returns one clause each, the most important first.
pub(super) fn notes(run: &Run, tree: &FairshareTree, jobs: &EntityJobs) -> Vec<String> {
    [
        order(run),
        run.usage_fault.clone(),
        files(run, tree),
        unknown(run, tree, jobs),
        without_entity(run, jobs),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// Returns whether usage orders jobs, and what takes precedence.
fn order(run: &Run) -> Option<String> {
    let snap = &run.plan.snap;
    let formula = run.setup.formula.as_ref();
    let named = formula.is_some_and(|formula| formula.names().iter().any(|name| is_share_name(name)));
    let keys = snap.policy.job_sort_key.get(run.plan.period);
    let is_key = keys.iter().any(|key| key.term == JobSortTerm::FairsharePercentage);
    match (run.setup.order.fair_share, formula.is_some()) {
        (true, false) => None,
        (true, true) if named => {
            Some("job_sort_formula counts shares, and orders jobs before fair share".to_owned())
        }
        (true, true) => Some("job_sort_formula orders jobs before fair share".to_owned()),
        (false, _) if named => Some("fair_share is off: shares count in job_sort_formula alone".to_owned()),
        (false, _) if is_key => Some("fair_share is off: shares count in job_sort_key alone".to_owned()),
        (false, _) => Some("fair_share is off: the tree orders no job".to_owned()),
    }
}

/// Returns which files are missing.
fn files(run: &Run, tree: &FairshareTree) -> Option<String> {
    let snap = &run.plan.snap;
    let found = match (snap.share_groups.is_empty(), snap.usage.is_empty()) {
        (true, true) => "no resource_group and no usage: every entity is unknown, with usage 1",
        (true, false) => "no resource_group: every entity is unknown",
        (false, true) => "no usage file: every entity has usage 1",
        (false, false) if tree.decayed().is_none() => "time of the last decay unknown: usage is as read",
        (false, false) => return None,
    };
    Some(found.to_owned())
}

/// Returns the number of entities with jobs that the file does not name, and the effect.
fn unknown(run: &Run, tree: &FairshareTree, jobs: &EntityJobs) -> Option<String> {
    let below = tree.entities().iter().filter(|entity| entity.parent == Some(FairshareTree::UNKNOWN)).count();
    let policy = &run.plan.snap.policy.fairshare;
    let waiting = jobs.count(FairshareTree::UNKNOWN).waiting;
    let never = run.setup.order.fair_share && policy.enforce_no_shares && policy.unknown_shares <= 0.0;
    (below > 0 && never && waiting > 0).then(|| {
        let entities = if below == 1 { "entity" } else { "entities" };
        let jobs = count(waiting, "job");
        format!("unknown_shares is 0: {jobs} of {below} {entities} not in resource_group never run")
    })
}

fn without_entity(run: &Run, jobs: &EntityJobs) -> Option<String> {
    let option = &run.plan.snap.policy.fairshare.entity;
    (jobs.without > 0).then(|| format!("{} without {option}: no entity", count(jobs.without, "job")))
}
