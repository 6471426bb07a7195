//! The families of changes to try.

mod amounts;
mod nodes;
mod nodes_back;
mod shape;
mod site;
mod threshold;

use std::ops::ControlFlow;

use qscope_engine::cluster::{Edit, Job};

use super::RemedySearch;

/// Tries all families.
pub(super) fn try_all_families(search: &mut RemedySearch<'_>) -> ControlFlow<()> {
    if keeps_request(search) {
        return try_suspended_changes(search);
    }
    shape::reordered(search)?;
    amounts::shorter_walltime(search)?;
    amounts::fewer_chunks(search)?;
    amounts::smaller_chunks(search)?;
    shape::other_places(search)?;
    shape::dropped(search)?;
    site::other_queues(search)?;
    amounts::shorter_soft_walltime(search)?;
    nodes_back::nodes_back(search)?;
    nodes::try_more_nodes(search)?;
    site::spanning(search)?;
    site::order(search)?;
    site::qrun(search)
}

/// Whether the job has been started, so that its nodes, chunks and queue stay: it is suspended, or runs until the
/// cycle preempts it.
fn keeps_request(search: &RemedySearch<'_>) -> bool {
    let state = job(search).state;
    state.is_suspended() || state.has_nodes()
}

/// Tries changes that keep the nodes, chunks and queue of a job that has been started.
fn try_suspended_changes(search: &mut RemedySearch<'_>) -> ControlFlow<()> {
    amounts::shorter_walltime(search)?;
    amounts::shorter_soft_walltime(search)?;
    nodes_back::nodes_back(search)?;
    site::order(search)
}

/// Tries another order of the chunks, another arrangement, or one resource less.
pub(super) fn of_another_shape(search: &mut RemedySearch<'_>) -> ControlFlow<()> {
    if keeps_request(search) {
        return ControlFlow::Continue(());
    }
    shape::reordered(search)?;
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
    if keeps_request(search) {
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
