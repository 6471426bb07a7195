//! Other queues that would take a job.

use super::request::in_queue;
use crate::Turn;
use qscope_engine::cluster::{Admission, Job, Name, QueueKind, Snapshot};

/// How many other queues are tried: each takes a whole cycle.
const MAX_QUEUES: usize = 16;

/// Another queue that would take a job.
#[derive(Clone, Debug)]
pub struct QueueMove {
    /// Its name, and that of a routing queue where the job goes through one.
    pub queue: Name,
    /// What the dumps do not show of the admission; nothing where they do.
    pub condition: Option<String>,
    /// The job that it would be there.
    pub job: Job,
}

impl QueueMove {
    /// The change in words.
    pub(super) fn words(&self) -> String {
        let condition = self.condition.as_ref().map(|text| format!(" ({text})")).unwrap_or_default();
        format!("move it to queue {}{condition}", self.queue)
    }
}

/// The other queues of a search, and how far it has come with them.
#[derive(Debug, Default)]
pub(super) struct Queues {
    all: Vec<QueueMove>,
    /// How many of them were tried; none where the search never came to them.
    tried: Option<usize>,
    /// The one under trial.
    current: Option<Name>,
}

impl Queues {
    pub(super) fn new(all: Vec<QueueMove>) -> Self {
        Self { all, ..Self::default() }
    }

    /// Those that a job could be moved to; none for one that is suspended, which keeps its queue.
    pub(super) fn of(turn: &Turn) -> Self {
        let (snap, job) = (&turn.plan().snap, turn.plan().job(turn.job));
        if job.state.is_suspended() { Self::default() } else { Self::new(taking(snap, job)) }
    }

    /// Those that are tried.
    pub(super) fn allowed(&mut self) -> Vec<QueueMove> {
        self.tried.get_or_insert(0);
        self.all.iter().take(MAX_QUEUES).cloned().collect()
    }

    /// One of them is tried next.
    pub(super) fn begin(&mut self, queue: &Name) {
        self.current = Some(queue.clone());
    }

    /// So many of them are tried, and none is under trial.
    pub(super) fn passed(&mut self, count: usize) {
        (self.tried, self.current) = (self.tried.max(Some(count)), None);
    }

    pub(super) fn under_trial(&self) -> Option<Name> {
        self.current.clone()
    }

    /// How many were left out, where the search came to them or ran out of trials before.
    pub(super) fn not_tried(&self, is_cut: bool) -> usize {
        match self.tried {
            Some(tried) => self.all.len().saturating_sub(tried),
            None if is_cut => self.all.len(),
            None => 0,
        }
    }
}

/// The queues that are open and whose bounds the request keeps.
fn taking(snap: &Snapshot, job: &Job) -> Vec<QueueMove> {
    let own = snap.queue_named(&job.queue).map(|id| &snap.queues[id]);
    // What the own queue may have added to the select stays in it, where that is not known as it was written.
    let added = own.map(|own| job.perhaps_added(own)).unwrap_or_default();
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
