//! A higher priority for a job that the threshold of the formula holds back.

use std::ops::ControlFlow;

use qscope_engine::cluster::{Edit, Job};

use crate::remedy::RemedySearch;

use super::{edit, job};

/// The highest priority that PBS accepts.
const HIGHEST: i64 = *Job::PRIORITIES.end();

/// Tries the lowest priority with which the job starts, if the threshold holds it back and the formula uses the
/// priority.
pub(super) fn priority(search: &mut RemedySearch<'_>) -> ControlFlow<()> {
    let is_held_back = search.causes.iter().any(|cause| cause.kind == "under-threshold");
    let formula = search.turn.setup().formula.as_ref();
    let is_used = formula.is_some_and(|formula| formula.names().contains(&"job_priority"));
    let have = job(search).priority;
    if !is_held_back || !is_used || have >= HIGHEST {
        return ControlFlow::Continue(());
    }
    let with = |search: &RemedySearch<'_>, priority: i64| -> Vec<Edit> {
        edit(search, Job { priority, ..job(search).clone() })
    };
    let mut best = with(search, HIGHEST);
    let Some(mut tried) = search.tries(&best)? else { return ControlFlow::Continue(()) };
    let (mut fails, mut starts) = (have, HIGHEST);
    while starts.saturating_sub(fails) > 1 {
        let middle = fails.midpoint(starts);
        let edits = with(search, middle);
        match search.tries(&edits)? {
            Some(found) => (starts, tried, best) = (middle, found, edits),
            None => fails = middle,
        }
    }
    search.offer_tried(format!("Priority={starts} instead of {have} (qalter -p)"), &best, 35, &tried)
}
