//! The node map: a cell for each vnode, with a letter, so that the colour alone means nothing.

use rustc_hash::FxHashSet;

use qscope_engine::cluster::{Node, NodeId};
use qscope_engine::cycle::Run;

/// How a vnode stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ReportedUse {
    /// A job of this cycle starts on it.
    Starts,
    Free,
    /// Jobs are on it, and there is room.
    Partly,
    Full,
    Offline,
    Down,
}

impl ReportedUse {
    pub(super) const ALL: [Self; 6] =
        [Self::Free, Self::Partly, Self::Full, Self::Starts, Self::Offline, Self::Down];

    /// The letter in its cell, the class of that, and what it stands for.
    fn shown(self) -> (char, &'static str, &'static str) {
        match self {
            Self::Starts => ('s', "s", "a job starts on it in this cycle"),
            Self::Free => ('.', "f", "free"),
            Self::Partly => ('p', "p", "jobs on it, and room"),
            Self::Full => ('x', "x", "full"),
            Self::Offline => ('o', "o", "offline"),
            Self::Down => ('d', "d", "down"),
        }
    }

    pub(super) fn letter(self) -> char {
        self.shown().0
    }

    pub(super) fn class(self) -> &'static str {
        self.shown().1
    }

    pub(super) fn word(self) -> &'static str {
        self.shown().2
    }
}

/// One vnode.
#[derive(Debug)]
pub(super) struct NodeCell {
    pub(super) name: String,
    pub(super) stands: ReportedUse,
    pub(super) jobs: usize,
}

pub(super) fn cells(run: &Run) -> Vec<NodeCell> {
    let placed = run.starts().filter_map(|outcome| outcome.placed.as_ref());
    let starts: FxHashSet<NodeId> =
        placed.flat_map(|placed| placed.allocation.nodes()).map(|bit| run.plan.nodes[bit].id).collect();
    let cell = |(id, node): (NodeId, &Node)| NodeCell {
        name: node.name.to_string(),
        stands: if starts.contains(&id) { ReportedUse::Starts } else { stands(node) },
        jobs: node.jobs.len(),
    };
    run.plan.snap.nodes.enumerate().map(cell).collect()
}

fn stands(node: &Node) -> ReportedUse {
    use qscope_engine::cluster::NodeState as S;
    if node.states.has(S::Offline) {
        return ReportedUse::Offline;
    }
    if node.states.is_unreachable() || node.states.is_gone() {
        return ReportedUse::Down;
    }
    let (used, has) = (node.assigned.cpus(), node.available.cpus());
    let exclusive =
        [S::JobExclusive, S::JobBusy, S::ResvExclusive].into_iter().any(|state| node.states.has(state));
    match (used, node.jobs.is_empty()) {
        _ if node.is_cpuless() => ReportedUse::Full,
        _ if exclusive || (used >= has && used > 0.0) => ReportedUse::Full,
        (used, true) if used <= 0.0 => ReportedUse::Free,
        _ => ReportedUse::Partly,
    }
}
