//! Other queues that would accept a job.

use super::request::in_queue;
use crate::JobTurn;
use qscope_engine::cluster::{Admission, Job, Name, QueueKind, Snapshot};

/// Maximum number of other queues tried; each takes a whole cycle.
const MAX_QUEUES: usize = 16;

/// Another queue that would accept a job.
#[derive(Clone, Debug)]
pub struct QueueMove {
    /// Its name, with that of a routing queue if the job goes through one.
    pub queue: Name,
    /// A condition for the admission that the dumps do not show, if there is one.
    pub condition: Option<String>,
    /// The job as it would be in that queue.
    pub job: Job,
}

impl QueueMove {
    /// Describes the change.
    pub(super) fn words(&self) -> String {
        let condition = self.condition.as_ref().map(|text| format!(" ({text})")).unwrap_or_default();
        format!("move it to queue {}{condition}", self.queue)
    }
}

/// The other queues of a search, with its progress.
#[derive(Debug, Default)]
pub(super) struct QueueMoves {
    all: Vec<QueueMove>,
    /// Number of queues tried; `None` if the search has not reached them.
    tried: Option<usize>,
    /// The queue being tried.
    current: Option<Name>,
}

impl QueueMoves {
    pub(super) fn new(all: Vec<QueueMove>) -> Self {
        Self { all, ..Self::default() }
    }

    /// Returns the queues that a job could be moved to; empty for a job that has been started, which keeps its queue.
    pub(super) fn of(turn: &JobTurn) -> Self {
        let (snap, job) = (&turn.plan().snap, turn.plan().job(turn.job));
        let is_started = job.state.is_suspended() || job.state.has_nodes();
        if is_started { Self::default() } else { Self::new(accepting_queues(snap, job)) }
    }

    /// Returns the queues to try.
    pub(super) fn allowed(&mut self) -> Vec<QueueMove> {
        self.tried.get_or_insert(0);
        self.all.iter().take(MAX_QUEUES).cloned().collect()
    }

    /// Starts trying a queue.
    pub(super) fn begin(&mut self, queue: &Name) {
        self.current = Some(queue.clone());
    }

    /// Records that `count` queues were tried and none is being tried.
    pub(super) fn passed(&mut self, count: usize) {
        (self.tried, self.current) = (self.tried.max(Some(count)), None);
    }

    pub(super) fn under_trial(&self) -> Option<Name> {
        self.current.clone()
    }

    /// Returns how many were left out, if the search reached them or ran out of trials before.
    pub(super) fn not_tried(&self, is_cut: bool) -> usize {
        match self.tried {
            Some(tried) => self.all.len().saturating_sub(tried),
            None if is_cut => self.all.len(),
            None => 0,
        }
    }
}

/// Returns the open queues whose bounds the request meets.
fn accepting_queues(snap: &Snapshot, job: &Job) -> Vec<QueueMove> {
    let own = snap.queue_named(&job.queue).map(|id| &snap.queues[id]);
    // Chunk defaults that the current queue may have added stay in the select if the original text is not known.
    let added = own.map(|own| job.possibly_defaulted(own)).unwrap_or_default();
    let names = || added.iter().map(|name| &***name).collect::<Vec<_>>().join(", ");
    let kept = (!added.is_empty()).then(|| format!("with {} kept", names()));
    let reserved = |name: &Name| snap.reservations.iter().any(|r| r.queue.as_ref() == Some(name));
    let open = snap.queues.iter().filter(|queue| {
        queue.kind == QueueKind::Execution
            && queue.started
            && queue.enabled
            && queue.name != job.queue
            && queue.partition.as_ref().is_none_or(|partition| snap.scheduler.partitions.contains(partition))
            && !reserved(&queue.name)
    });
    let moves = open.filter_map(|queue| {
        let access = match queue.access.admits(&job.user, &job.group) {
            Admission::Open => None,
            Admission::Depends(list) => Some(format!("if its {list} allows")),
            Admission::Closed(_) => return None,
        };
        let moved = in_queue(snap, job, queue)?;
        let conditions: Vec<String> = access.into_iter().chain(kept.clone()).collect();
        let condition = (!conditions.is_empty()).then(|| conditions.join(", "));
        Some(QueueMove { queue: queue.name.clone(), condition, job: moved })
    });
    moves.collect()
}
