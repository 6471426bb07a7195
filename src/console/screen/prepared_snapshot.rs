//! What a screen needs of a snapshot and takes long to compute. The thread that read the snapshot prepares it; for a
//! snapshot from elsewhere it is computed on first use.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::{ChangedRows, KnownNames, QueueRows, Summary, changed_rows};
use crate::theme::Role;
use qscope_engine::cluster::run_both;
use qscope_engine::cycle::{Debugger, Run};
use qscope_engine::universe::NodeCounts;
use qscope_explain::{Alert, Schedule, schedule_after};
use qscope_session::Generation;
use qscope_session::agreement::Agreement;
use qscope_session::problems::problems;

/// Formats alerts as clauses of the alert line.
type ClauseFormatter = fn(&[Alert]) -> Vec<(Role, String)>;

/// A snapshot with what a screen needs of it.
#[derive(Debug, Clone)]
pub struct PreparedSnapshot {
    pub(crate) generation: Arc<Generation>,
    made: Arc<PreparedParts>,
}

#[derive(Debug, Default)]
struct PreparedParts {
    summary: OnceLock<Summary>,
    queue: OnceLock<QueueRows>,
    schedule: OnceLock<Arc<Schedule>>,
    problems: OnceLock<usize>,
    agreed: OnceLock<Option<AgreementSummary>>,
    alerts: OnceLock<Vec<(Role, String)>>,
    nodes: OnceLock<NodeCounts>,
    /// Two debuggers before the first step, for the first screen that asks.
    starts: Mutex<Option<[Debugger; 2]>>,
    names: OnceLock<KnownNames>,
    changed: OnceLock<SnapshotChanges>,
}

/// The agreement with the live scheduler in words; computing it goes through all jobs.
#[derive(Debug)]
pub(crate) struct AgreementSummary {
    pub(crate) differs: bool,
    pub(crate) has_evidence: bool,
    pub(crate) words: String,
    pub(crate) short: String,
}

/// What changed since the previous snapshot.
#[derive(Debug)]
struct SnapshotChanges {
    /// The address of the previous cycle, and the number of its snapshot.
    base: (usize, u64),
    rows: ChangedRows,
}

impl PreparedSnapshot {
    /// A snapshot with nothing prepared.
    pub(crate) fn of(generation: Arc<Generation>) -> Self {
        Self { generation, made: Arc::default() }
    }

    /// Prepares everything, with the changes since `base`.
    fn make(self, base: Option<&Generation>, clauses: ClauseFormatter) -> Self {
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
        let (start, ()) = run_both(self.generation.snapshot.nodes.len(), start, others);
        self.made.nodes.get_or_init(|| start.state().node_counts());
        *self.made.starts.lock().unwrap_or_else(PoisonError::into_inner) = Some([start.clone(), start]);
        if let Some(base) = base.filter(|base| base.run.is_held()) {
            let rows = changed_rows(&base.run, &self.generation.run);
            self.made.changed.get_or_init(|| SnapshotChanges { base: base_key(base), rows });
        }
        self
    }

    /// The counts for the header and the strip.
    pub(crate) fn summary(&self) -> &Summary {
        self.made.summary.get_or_init(|| Summary::of(&self.generation.run))
    }

    pub(crate) fn queue(&self) -> &QueueRows {
        self.made.queue.get_or_init(|| QueueRows::of(&self.generation.run))
    }

    /// What holds every node over time, after the cycle.
    pub(crate) fn schedule(&self) -> &Arc<Schedule> {
        self.made.schedule.get_or_init(|| Arc::new(schedule_after(&self.generation.run)))
    }

    /// Number of problems of the cluster, the data and the model, as in the view of problems.
    pub(crate) fn problem_count(&self) -> usize {
        *self.made.problems.get_or_init(|| problems(&self.generation).len())
    }

    /// How far the model agrees with the live scheduler, if that was compared.
    pub(crate) fn agreed(&self) -> Option<&AgreementSummary> {
        let agreed = |agreement: &Agreement| AgreementSummary {
            differs: agreement.differs(),
            has_evidence: agreement.has_evidence(),
            words: agreement.summary(),
            short: agreement.short_summary(),
        };
        self.made.agreed.get_or_init(|| self.generation.agreement.as_deref().map(agreed)).as_ref()
    }

    /// The alerts as clauses; `make` is only called the first time.
    pub(crate) fn alert_clauses(&self, make: ClauseFormatter) -> &[(Role, String)] {
        self.made.alerts.get_or_init(|| make(&self.generation.alerts))
    }

    /// The counts of nodes before the first step.
    pub(super) fn nodes(&self) -> NodeCounts {
        *self.made.nodes.get_or_init(|| self.debugger().state().node_counts())
    }

    /// Debuggers before the first step, one for the position and one for the selected job: the prepared ones, or else
    /// new ones.
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

    /// The names of all objects that have a page.
    pub(crate) fn names(&self) -> &KnownNames {
        self.made.names.get_or_init(|| KnownNames::of(&self.generation.run))
    }

    /// What changed since `base`; nothing if the dumps are inconsistent.
    pub(super) fn changed(&self, base: &Generation) -> ChangedRows {
        if self.generation.late_dump.is_some() {
            return ChangedRows::default();
        }
        // A dropped cycle has no address any more; it is identified by its number.
        let is_it = |made: &&SnapshotChanges| match base.run.is_held() {
            true => made.base == base_key(base),
            false => made.base.1 == base.number && base.what_if.is_none(),
        };
        match self.made.changed.get().filter(is_it) {
            Some(made) => made.rows.clone(),
            None => changed_rows(&base.run, &self.generation.run),
        }
    }
}

fn base_key(base: &Generation) -> (usize, u64) {
    let run: &Arc<Run> = &base.run;
    (Arc::as_ptr(run) as usize, base.number)
}

/// Prepares successive snapshots on the thread that read them.
#[derive(Debug, Default)]
pub(crate) struct SnapshotPreparer {
    /// The last snapshot with consistent dumps.
    last_consistent: Mutex<Option<Arc<Generation>>>,
}

impl SnapshotPreparer {
    /// Prepares everything that a screen needs of a snapshot.
    pub(crate) fn make(&self, generation: Arc<Generation>, clauses: ClauseFormatter) -> PreparedSnapshot {
        let mut before = self.last_consistent.lock().unwrap_or_else(PoisonError::into_inner);
        let base = before.take().filter(|base| base.number < generation.number);
        let ready = PreparedSnapshot::of(generation.clone()).make(base.as_deref(), clauses);
        *before = Some(base.filter(|_| generation.late_dump.is_some()).unwrap_or(generation));
        ready
    }
}
