//! What a screen needs of a snapshot and takes its time to make. The thread that read the snapshot makes it; of a snapshot
//! that came another way it is made when it is asked for.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::{ChangedRows, KnownNames, QueueRows, Summary, changed_rows};
use crate::theme::Role;
use qscope_engine::cluster::both;
use qscope_engine::cycle::{Debugger, Run};
use qscope_engine::universe::NodeCounts;
use qscope_explain::{Alert, Schedule, schedule_after};
use qscope_session::Generation;
use qscope_session::agreement::Agreement;
use qscope_session::problems::problems;

/// Puts alerts into the clauses of the first line.
type Clauses = fn(&[Alert]) -> Vec<(Role, String)>;

/// A snapshot with what a screen needs of it.
#[derive(Debug, Clone)]
pub struct Ready {
    pub(crate) generation: Arc<Generation>,
    made: Arc<Made>,
}

#[derive(Debug, Default)]
struct Made {
    summary: OnceLock<Summary>,
    queue: OnceLock<QueueRows>,
    schedule: OnceLock<Arc<Schedule>>,
    problems: OnceLock<usize>,
    agreed: OnceLock<Option<Agreed>>,
    alerts: OnceLock<Vec<(Role, String)>>,
    nodes: OnceLock<NodeCounts>,
    /// Two before the first step, for the first screen that asks.
    starts: Mutex<Option<[Debugger; 2]>>,
    names: OnceLock<KnownNames>,
    changed: OnceLock<Changed>,
}

/// The agreement with the live scheduler in words: it is counted over all jobs.
#[derive(Debug)]
pub(crate) struct Agreed {
    pub(crate) differs: bool,
    pub(crate) has_evidence: bool,
    pub(crate) words: String,
    pub(crate) short: String,
}

/// What is not as in the snapshot before.
#[derive(Debug)]
struct Changed {
    /// The cycle before, by its place in memory, and the number of its snapshot.
    base: (usize, u64),
    rows: ChangedRows,
}

impl Ready {
    /// A snapshot of which nothing is made yet.
    pub(crate) fn of(generation: Arc<Generation>) -> Self {
        Self { generation, made: Arc::default() }
    }

    /// Makes everything, with the marks against another snapshot.
    fn make(self, base: Option<&Generation>, clauses: Clauses) -> Self {
        let start = || self.debugger();
        let others = || {
            self.summary();
            self.queue();
            self.schedule();
            self.problem_count();
            self.agreed();
            self.alert_clauses(clauses);
            self.names();
        };
        let (start, ()) = both(self.generation.snapshot.nodes.len(), start, others);
        self.made.nodes.get_or_init(|| start.state().node_counts());
        *self.made.starts.lock().unwrap_or_else(PoisonError::into_inner) = Some([start.clone(), start]);
        if let Some(base) = base.filter(|base| base.run.is_held()) {
            let rows = changed_rows(&base.run, &self.generation.run);
            self.made.changed.get_or_init(|| Changed { base: named(base), rows });
        }
        self
    }

    /// What the header and the position bar count.
    pub(crate) fn summary(&self) -> &Summary {
        self.made.summary.get_or_init(|| Summary::of(&self.generation.run))
    }

    /// The lines of the queue.
    pub(crate) fn queue(&self) -> &QueueRows {
        self.made.queue.get_or_init(|| QueueRows::of(&self.generation.run))
    }

    /// What holds every node from when to when, when the cycle is over.
    pub(crate) fn schedule(&self) -> &Arc<Schedule> {
        self.made.schedule.get_or_init(|| Arc::new(schedule_after(&self.generation.run)))
    }

    /// How many problems of the cluster, the data and the model there are: as many as their view lists.
    pub(crate) fn problem_count(&self) -> usize {
        *self.made.problems.get_or_init(|| problems(&self.generation).len())
    }

    /// How the model agrees with the live scheduler, where that was compared.
    pub(crate) fn agreed(&self) -> Option<&Agreed> {
        let agreed = |agreement: &Agreement| Agreed {
            differs: agreement.differs(),
            has_evidence: agreement.has_evidence(),
            words: agreement.summary(),
            short: agreement.short_summary(),
        };
        self.made.agreed.get_or_init(|| self.generation.agreement.as_deref().map(agreed)).as_ref()
    }

    /// The alerts in clauses, as they are made for the first line of clauses.
    pub(crate) fn alert_clauses(&self, make: Clauses) -> &[(Role, String)] {
        self.made.alerts.get_or_init(|| make(&self.generation.alerts))
    }

    /// The nodes before the first step.
    pub(super) fn nodes(&self) -> NodeCounts {
        *self.made.nodes.get_or_init(|| self.debugger().state().node_counts())
    }

    /// Debuggers before the first step, one for the position and one for the selected job: those that were made, or others.
    pub(super) fn starts(&self) -> [Debugger; 2] {
        let made = self.made.starts.lock().unwrap_or_else(PoisonError::into_inner).take();
        made.unwrap_or_else(|| {
            let start = self.debugger();
            [start.clone(), start]
        })
    }

    fn debugger(&self) -> Debugger {
        Debugger::new(Arc::clone(&self.generation.run))
    }

    /// The names of all that has a page.
    pub(crate) fn names(&self) -> &KnownNames {
        self.made.names.get_or_init(|| KnownNames::of(&self.generation.run))
    }

    /// What is not as in `base`; nothing where the dumps do not belong together.
    pub(super) fn changed(&self, base: &Generation) -> ChangedRows {
        if self.generation.half.is_some() {
            return ChangedRows::default();
        }
        // A cycle that was given up has no place in memory any more; its number stands for it.
        let is_it = |made: &&Changed| match base.run.is_held() {
            true => made.base == named(base),
            false => made.base.1 == base.number && base.what_if.is_none(),
        };
        match self.made.changed.get().filter(is_it) {
            Some(made) => made.rows.clone(),
            None => changed_rows(&base.run, &self.generation.run),
        }
    }
}

fn named(base: &Generation) -> (usize, u64) {
    let run: &Arc<Run> = &base.run;
    (Arc::as_ptr(run) as usize, base.number)
}

/// Makes one snapshot after the other ready on the thread that read it.
#[derive(Debug, Default)]
pub(crate) struct MakeReady {
    /// The last snapshot whose dumps belong together.
    before: Mutex<Option<Arc<Generation>>>,
}

impl MakeReady {
    /// The snapshot with everything that a screen needs of it.
    pub(crate) fn make(&self, generation: Arc<Generation>, clauses: Clauses) -> Ready {
        let mut before = self.before.lock().unwrap_or_else(PoisonError::into_inner);
        let base = before.take().filter(|base| base.number < generation.number);
        let ready = Ready::of(generation.clone()).make(base.as_deref(), clauses);
        *before = Some(base.filter(|_| generation.half.is_some()).unwrap_or(generation));
        ready
    }
}
