//! What one cycle fixes before it considers the first job.

use crate::cluster::{
    ByPeriod, Column, Epoch, Evaluation, Formula, JobId, Period, Policy, QueueId, Snapshot,
};
use crate::universe::Plan;

use super::class::{Classes, classify};
use super::fairshare::is_share_name;
use super::job_lists::Picking;
use super::time_windows::{DedicatedTime, PrimeClock, QueueWindow, TimeWindows};

/// The fixed part of a cycle besides the plan.
#[derive(Clone, Debug)]
pub struct Setup {
    pub classes: Classes,
    /// Prime and dedicated time.
    pub windows: TimeWindows,
    /// Which windows each queue is for.
    pub queue_windows: Column<QueueId, QueueWindow>,
    /// How queues share the cycle.
    pub picking: Picking,
    /// `job_sort_formula`.
    pub formula: Option<Formula>,
    /// What strict ordering and backfilling prescribe in this period.
    pub order: OrderPolicy,
    /// What was wrong with a text of the configuration.
    pub faults: Vec<String>,
}

/// Strict ordering and backfilling.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OrderPolicy {
    /// Whether no job may overtake one that does not fit.
    pub strict: bool,
    /// The former name of that.
    pub strict_fifo: bool,
    /// Whether anything may be backfilled at all.
    pub backfill: bool,
    /// How many top jobs the server may have.
    pub depth: u32,
    /// Whether jobs are ordered by past usage.
    pub fair_share: bool,
}

/// When jobs may run at all: prime and dedicated time of a snapshot.
pub fn windows_of(snap: &Snapshot) -> TimeWindows {
    TimeWindows {
        prime: PrimeClock::new(snap.holidays.as_ref(), snap.time_zone()),
        dedicated: DedicatedTime::new(&snap.dedicated_time),
    }
}

impl Setup {
    /// Fixes everything for a plan.
    pub fn new(plan: &Plan) -> Self {
        Self::knowing(plan, None)
    }

    /// The same with a clock of prime time from a cycle before.
    pub(super) fn knowing(plan: &Plan, known: Option<&PrimeClock>) -> Self {
        let snap = &plan.snap;
        let mut faults = Vec::new();
        let TimeWindows { prime, dedicated } = windows_of(snap);
        Self {
            classes: classify(plan),
            windows: TimeWindows { prime: prime.knowing(known), dedicated },
            queue_windows: snap
                .queues
                .iter()
                .map(|queue| QueueWindow::of(&queue.name, &snap.policy))
                .collect(),
            picking: Picking::of(&snap.policy, plan.period),
            formula: read_formula(snap, &mut faults),
            order: OrderPolicy::of(snap, plan.period),
            faults,
        }
    }

    /// The windows of a job's queue.
    pub fn window(&self, plan: &Plan, job: JobId) -> Option<QueueWindow> {
        plan.queue_of(job).map(|queue| self.queue_windows[queue])
    }
}

/// The formula of the scheduler object, else of the server.
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
    /// What the options prescribe in a period (rule 6.8).
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

/// The period in force at a moment.
pub(crate) fn period_at(snap: &Snapshot, at: Epoch) -> Period {
    PrimeClock::new(snap.holidays.as_ref(), snap.time_zone()).period_at_once(at)
}

/// A formula for one job: variables are handed over as text, and the result is kept in single precision, so that small
/// differences beside a large score are lost (rule 6.5). A fault where it cannot be evaluated, which counts 0.
// The loss of precision is the point.
pub(crate) fn formula_terms(
    formula: &Formula,
    plan: &Plan,
    job: JobId,
    shares: &dyn Fn(&str) -> Option<f64>,
) -> Evaluation {
    let value = |name: &str| formula_value(plan, job, name, shares).map(|value| as_written(name, value));
    let mut found = formula.evaluate_terms(&value);
    found.value = found.value.map(|value| f64::from(value as f32));
    found
}

/// A variable as it is written for the formula: shares to six digits behind the point, amounts to four.
fn as_written(name: &str, value: f64) -> f64 {
    let digits = if is_share_name(name) { 6 } else { 4 };
    if value.fract() == 0.0 { value } else { format!("{value:.digits$}").parse().unwrap_or(value) }
}

/// Whether a name has a value in a formula that names no shares.
pub(crate) fn is_formula_name(snap: &Snapshot, name: &str) -> bool {
    let own = ["eligible_time", "job_priority", "queue_priority", "accrue_type"];
    own.contains(&name) || snap.catalogue.id(name).is_some_and(|id| snap.catalogue.kind(id).is_consumable())
}

/// The value of a special name or resource in a formula for one job; the fair share names come from the
/// caller (rule 6.5).
pub(crate) fn formula_value(
    plan: &Plan,
    job: JobId,
    name: &str,
    shares: &dyn Fn(&str) -> Option<f64>,
) -> Option<f64> {
    let snap = &plan.snap;
    let of = plan.job(job);
    match name {
        "eligible_time" => return Some(of.eligible_time.0 as f64),
        "job_priority" => return Some(of.priority as f64),
        "queue_priority" => {
            return Some(plan.queue_of(job).map_or(0.0, |queue| snap.queues[queue].priority as f64));
        }
        "accrue_type" => return Some(f64::from(of.accrue_type.unwrap_or(0))),
        _ => {}
    }
    if let Some(value) = shares(name) {
        return Some(value);
    }
    let resource = snap.catalogue.id(name)?;
    snap.catalogue.kind(resource).is_consumable().then(|| of.requested.amount(resource).map_or(0.0, |a| a.0))
}
