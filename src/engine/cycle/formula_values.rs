//! Values of formula names for a job, for `job_sort_formula` and fair share usage (rule 6.5).

use crate::cluster::{Evaluation, Formula, FormulaFault, JobId, ResourceId, Snapshot};
use crate::universe::Plan;

use super::fairshare::is_share_name;

/// Evaluates a formula for one job. Variables are passed as text and the result is kept in single precision, so small
/// differences in a large score are lost (rule 6.5). If it cannot be evaluated, the value is a fault, which counts as
/// 0.
// The loss of precision is the point.
pub(crate) fn formula_result(
    formula: &Formula,
    plan: &Plan,
    job: JobId,
    shares: &dyn Fn(&str) -> Option<f64>,
) -> Result<f64, FormulaFault> {
    let value = |name: &str| formula_value(plan, job, name, shares).map(|value| as_written(name, value));
    formula.evaluate(&value).map(|value| f64::from(value as f32))
}

/// Like [`formula_result`], with the value of every name and part.
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

/// Rounds a variable as it is printed for the formula: fair share values to six decimal places, amounts to four.
fn as_written(name: &str, value: f64) -> f64 {
    let digits = if is_share_name(name) { 6 } else { 4 };
    if value.fract() == 0.0 { value } else { format!("{value:.digits$}").parse().unwrap_or(value) }
}

/// A formula name that is not a fair share value.
#[derive(Debug, Clone, Copy)]
pub(crate) enum FormulaName {
    EligibleTime,
    JobPriority,
    QueuePriority,
    AccrueType,
    /// The amount that a job requests of a consumable resource.
    Resource(ResourceId),
}

impl FormulaName {
    /// Returns the meaning of a name, or `None` if it is not defined.
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

/// Returns the value of a special name or resource for one job; the caller supplies the fair share values (rule 6.5).
pub(crate) fn formula_value(
    plan: &Plan,
    job: JobId,
    name: &str,
    shares: &dyn Fn(&str) -> Option<f64>,
) -> Option<f64> {
    // Fair share names come first: they clash with no special name, and take precedence over resources of the same
    // name.
    shares(name).or_else(|| Some(FormulaName::of(&plan.snap, name)?.value(plan, job)))
}
