//! Ghost jobs: jobs that vnodes list although the job dump does not show them running.

use rustc_hash::FxHashMap;

use super::{InsertionOrderMap, JobState, Name, Node, NodeId, NodeState, Snapshot, array_id};

/// A job that vnodes list and that does not run according to the job dump.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GhostJob {
    /// Full id.
    pub job: Name,
    /// Vnodes that list it, in the order of the dump; never empty.
    pub nodes: Vec<NodeId>,
    pub kind: GhostKind,
}

/// Why a job that vnodes list may not be in the job dump as running.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GhostKind {
    /// Its array is in the dump: only `qstat -t` shows subjobs.
    Subjob,
    /// The dump lacks it: it has ended since, or is hidden from the user who made the dump.
    Unlisted,
    /// The dump lacks it, and the vnode is job-exclusive with nothing assigned: the name of an ended job that stays
    /// until the server restarts (quirks, "after a refused double start").
    Dead,
    /// The dump has it in a state in which jobs have no vnodes.
    NotRunning(JobState),
}

/// Returns every job that vnodes list and that does not run, in the order in which vnodes list them; none without a job
/// dump, which alone shows what runs.
pub fn ghosts(snapshot: &Snapshot) -> Vec<GhostJob> {
    ghosts_on(snapshot, snapshot.nodes.enumerate())
}

/// The same for the jobs that these vnodes list, in the order of the dump.
pub fn ghosts_on<'s>(
    snapshot: &'s Snapshot,
    nodes: impl Iterator<Item = (NodeId, &'s Node)>,
) -> Vec<GhostJob> {
    let known: FxHashMap<&str, JobState> = snapshot.jobs.iter().map(|job| (&*job.name, job.state)).collect();
    let mut found: InsertionOrderMap<&Name, GhostJob> = InsertionOrderMap::default();
    let has_jobs = !snapshot.lacks_jobs();
    let nodes = nodes.filter(|_| has_jobs);
    for (id, node) in nodes {
        for job in &node.jobs {
            let Some(kind) = kind_of(job, node, &known) else { continue };
            found.of(job, || GhostJob { job: job.clone(), nodes: Vec::new(), kind }).nodes.push(id);
        }
    }
    found.into_all()
}

fn kind_of(job: &str, node: &Node, known: &FxHashMap<&str, JobState>) -> Option<GhostKind> {
    use JobState as S;
    match known.get(job) {
        Some(S::Running | S::Exiting | S::Suspended | S::UserSuspended | S::Begun) => None,
        Some(state) => Some(GhostKind::NotRunning(*state)),
        None if array_id(job).is_some_and(|(parent, _)| known.contains_key(&*parent)) => {
            Some(GhostKind::Subjob)
        }
        None if is_abandoned(node) => Some(GhostKind::Dead),
        None => Some(GhostKind::Unlisted),
    }
}

/// Whether a vnode is job-exclusive and has nothing assigned.
pub fn is_abandoned(node: &Node) -> bool {
    let nothing = node.assigned.iter().all(|(_, value)| value.amount().is_none_or(|amount| amount.0 <= 0.0));
    node.states.has(NodeState::JobExclusive) && nothing
}

#[cfg(test)]
mod tests {
    use super::super::{Epoch, Job, NodeStates};
    use super::*;

    fn node(name: &str, jobs: &[&str]) -> Node {
        Node { name: name.into(), jobs: jobs.iter().map(|job| (*job).into()).collect(), ..Node::default() }
    }

    fn job(name: &str, state: JobState) -> Job {
        Job { name: name.into(), state, ..Job::default() }
    }

    #[test]
    fn what_nodes_list_and_does_not_run_is_a_ghost_of_some_kind() {
        let mut snap = Snapshot::empty("t", Epoch(0));
        snap.jobs =
            [job("1.s", JobState::Running), job("2.s", JobState::Queued), job("5[].s", JobState::Begun)]
                .into_iter()
                .collect();
        let mut dead = node("n3", &["4.s"]);
        dead.states = NodeStates::FREE.with(NodeState::JobExclusive);
        snap.nodes =
            [node("n1", &["1.s", "2.s", "3.s"]), node("n2", &["3.s", "5[7].s"]), dead].into_iter().collect();
        let found: Vec<_> = ghosts(&snap)
            .into_iter()
            .map(|ghost| (ghost.job.to_string(), ghost.nodes.len(), ghost.kind))
            .collect();
        assert_eq!(
            found,
            [
                ("2.s".to_owned(), 1, GhostKind::NotRunning(JobState::Queued)),
                ("3.s".to_owned(), 2, GhostKind::Unlisted),
                ("5[7].s".to_owned(), 1, GhostKind::Subjob),
                ("4.s".to_owned(), 1, GhostKind::Dead),
            ]
        );
    }
}
