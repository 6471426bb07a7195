//! Everything that a cycle fixes before it considers the first job.

use std::ops::Deref;
use std::sync::Arc;

use crate::cluster::{ByPeriod, Column, Epoch, Formula, JobId, Period, Policy, QueueId, Snapshot};
use crate::universe::Plan;

use super::class::{JobClasses, classify};
use super::job_lists::PickingPolicy;
use super::time_windows::{DedicatedTime, PrimeClock, QueueWindow, TimeWindows};

/// The fixed part of a cycle, apart from the plan.
#[derive(Clone, Debug)]
pub struct Setup {
    pub settings: Arc<CycleSettings>,
    pub classes: JobClasses,
}

impl Deref for Setup {
    type Target = CycleSettings;

    fn deref(&self) -> &CycleSettings {
        &self.settings
    }
}

/// What configuration fixes.
#[derive(Clone, Debug)]
pub struct CycleSettings {
    /// Prime and dedicated time.
    pub windows: TimeWindows,
    /// The time windows of each queue.
    pub queue_windows: Column<QueueId, QueueWindow>,
    /// How queues share the cycle.
    pub picking: PickingPolicy,
    /// `job_sort_formula`.
    pub formula: Option<Formula>,
    /// Strict ordering and backfilling in this period.
    pub order: OrderPolicy,
    /// Errors in configuration texts.
    pub faults: Vec<String>,
}

/// Strict ordering and backfilling.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OrderPolicy {
    /// Whether no job may overtake one that does not fit (`strict_ordering`).
    pub strict: bool,
    /// The older option `strict_fifo`.
    pub strict_fifo: bool,
    /// Whether backfilling is allowed at all.
    pub backfill: bool,
    /// Maximum number of top jobs of the server.
    pub depth: u32,
    /// Whether jobs are ordered by past usage (fair share).
    pub fair_share: bool,
}

/// Returns the prime and dedicated time of a snapshot.
pub fn windows_of(snap: &Snapshot) -> TimeWindows {
    TimeWindows {
        prime: PrimeClock::new(snap.holidays.as_ref(), snap.time_zone()),
        dedicated: DedicatedTime::new(&snap.dedicated_time),
    }
}

impl Setup {
    /// Derives the setup of a plan.
    pub fn new(plan: &Plan) -> Self {
        Self { settings: Arc::new(CycleSettings::with_prime_clock(plan, None)), classes: classify(plan) }
    }

    /// Returns the time windows of a job's queue.
    pub fn window(&self, plan: &Plan, job: JobId) -> Option<QueueWindow> {
        plan.queue_of(job).map(|queue| self.queue_windows[queue])
    }
}

impl CycleSettings {
    /// Reads the settings in force, and reuses a prime time clock of an earlier cycle.
    pub(super) fn with_prime_clock(plan: &Plan, known: Option<&PrimeClock>) -> Self {
        let snap = &plan.snap;
        let mut faults = Vec::new();
        let TimeWindows { prime, dedicated } = windows_of(snap);
        Self {
            windows: TimeWindows { prime: prime.reusing(known), dedicated },
            queue_windows: snap
                .queues
                .iter()
                .map(|queue| QueueWindow::of(&queue.name, &snap.policy))
                .collect(),
            picking: PickingPolicy::of(&snap.policy, plan.period),
            formula: read_formula(snap, &mut faults),
            order: OrderPolicy::of(snap, plan.period),
            faults,
        }
    }
}

/// Parses the formula of the scheduler object, or else of the server.
fn read_formula(snap: &Snapshot, faults: &mut Vec<String>) -> Option<Formula> {
    let text = snap.scheduler.job_sort_formula.as_ref().or(snap.server.job_sort_formula.as_ref())?;
    match Formula::parse(text) {
        Ok(formula) => Some(formula),
        Err(error) => {
            faults.push(format!("job_sort_formula counts 0 for every job: {error}"));
            None
        }
    }
}

impl OrderPolicy {
    /// Reads the options for a period (rule 6.8).
    pub fn of(snap: &Snapshot, period: Period) -> Self {
        let policy: &Policy = &snap.policy;
        let get = |option: &ByPeriod<bool>| *option.get(period);
        let server = snap.server.backfill_depth;
        let queue = snap.queues.iter().any(|queue| queue.backfill_depth.is_some_and(|depth| depth > 0));
        Self {
            strict: get(&policy.strict_ordering),
            strict_fifo: get(&policy.strict_fifo),
            backfill: (get(&policy.backfill) && server != Some(0)) || queue,
            depth: server.unwrap_or(1),
            fair_share: get(&policy.fair_share),
        }
    }
}

/// Returns the period at a moment.
pub(crate) fn period_at(snap: &Snapshot, at: Epoch) -> Period {
    PrimeClock::new(snap.holidays.as_ref(), snap.time_zone()).period_at_once(at)
}
