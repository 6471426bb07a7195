//! What the names in formulas are worth for a job: `job_sort_formula`, and the usage of fair share (rule 6.5).

use crate::cluster::{Evaluation, Formula, JobId, ResourceId, Snapshot};
use crate::universe::Plan;

use super::fairshare::is_share_name;

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

/// A name of a formula that is none of shares.
#[derive(Debug, Clone, Copy)]
pub(crate) enum FormulaName {
    EligibleTime,
    JobPriority,
    QueuePriority,
    AccrueType,
    /// What a job requests of a consumable resource.
    Resource(ResourceId),
}

impl FormulaName {
    /// None where the name is not defined.
    pub(crate) fn of(snap: &Snapshot, name: &str) -> Option<Self> {
        Some(match name {
            "eligible_time" => Self::EligibleTime,
            "job_priority" => Self::JobPriority,
            "queue_priority" => Self::QueuePriority,
            "accrue_type" => Self::AccrueType,
            _ => {
                let resource = snap.catalogue.id(name)?;
                snap.catalogue.kind(resource).is_consumable().then_some(Self::Resource(resource))?
            }
        })
    }

    fn value(self, plan: &Plan, job: JobId) -> f64 {
        let of = plan.job(job);
        match self {
            Self::EligibleTime => of.eligible_time.0 as f64,
            Self::JobPriority => of.priority as f64,
            Self::QueuePriority => {
                plan.queue_of(job).map_or(0.0, |queue| plan.snap.queues[queue].priority as f64)
            }
            Self::AccrueType => f64::from(of.accrue_type.unwrap_or(0)),
            Self::Resource(resource) => of.requested.amount(resource).map_or(0.0, |amount| amount.0),
        }
    }
}

/// The value of a special name or resource in a formula for one job; the fair share names come from the
/// caller (rule 6.5).
pub(crate) fn formula_value(
    plan: &Plan,
    job: JobId,
    name: &str,
    shares: &dyn Fn(&str) -> Option<f64>,
) -> Option<f64> {
    // No name of shares is one of the scheduler's own; a resource of that name comes after it.
    shares(name).or_else(|| Some(FormulaName::of(&plan.snap, name)?.value(plan, job)))
}
