//! The families of changes to try.

mod amounts;
mod nodes;
mod shape;
mod site;
mod threshold;

use std::ops::ControlFlow;

use qscope_engine::cluster::{Edit, Job};

use super::RemedySearch;

/// Tries all families.
pub(super) fn try_all_families(search: &mut RemedySearch<'_>) -> ControlFlow<()> {
    if job(search).state.is_suspended() {
        return try_suspended_changes(search);
    }
    amounts::shorter_walltime(search)?;
    amounts::fewer_chunks(search)?;
    amounts::smaller_chunks(search)?;
    shape::other_places(search)?;
    shape::dropped(search)?;
    site::other_queues(search)?;
    amounts::shorter_soft_walltime(search)?;
    site::nodes_back(search)?;
    nodes::try_more_nodes(search)?;
    site::spanning(search)?;
    site::order(search)?;
    site::qrun(search)
}

/// Tries changes that keep the nodes, chunks and queue of a job, as a suspended job must.
fn try_suspended_changes(search: &mut RemedySearch<'_>) -> ControlFlow<()> {
    amounts::shorter_walltime(search)?;
    amounts::shorter_soft_walltime(search)?;
    site::nodes_back(search)?;
    site::order(search)
}

/// Tries another arrangement, or one resource less.
pub(super) fn of_another_shape(search: &mut RemedySearch<'_>) -> ControlFlow<()> {
    if job(search).state.is_suspended() {
        return ControlFlow::Continue(());
    }
    shape::other_places(search)?;
    shape::dropped(search)
}

/// Tries nodes with more of a resource than any existing node.
pub(super) fn of_larger_nodes(search: &mut RemedySearch<'_>) -> ControlFlow<()> {
    nodes::larger(search)
}

/// Tries what a user can change alone.
pub(super) fn try_user_changes(search: &mut RemedySearch<'_>) -> ControlFlow<()> {
    threshold::priority(search)?;
    amounts::shorter_walltime(search)?;
    if job(search).state.is_suspended() {
        return ControlFlow::Continue(());
    }
    amounts::fewer_chunks(search)?;
    amounts::smaller_chunks(search)?;
    site::other_queues(search)
}

fn job<'s>(search: &'s RemedySearch<'_>) -> &'s Job {
    search.turn.run.plan.job(search.turn.job)
}

fn edit(search: &RemedySearch<'_>, job: Job) -> Vec<Edit> {
    vec![Edit::Job(search.turn.job, Box::new(job))]
}

fn percent(part: i64, whole: i64) -> u32 {
    u32::try_from((part.saturating_mul(100) / whole.max(1)).clamp(0, 100)).unwrap_or(100)
}
