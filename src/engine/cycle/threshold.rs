//! When waiting alone lets jobs pass `job_sort_formula_threshold`.

use super::agenda::{share_tree, uses_shares};
use super::exclusion::Exclusion;
use super::fairshare::is_share_name;
use super::formula_values::formula_result;
use super::{Eligibility, Run};
use crate::cluster::{Formula, JobId, Seconds, nearest_holding};

impl Run {
    /// Whether waiting alone may let a job pass the threshold that keeps it out of this cycle: the formula grows with
    /// eligible time.
    pub fn may_pass_threshold(&self) -> bool {
        let by_time = |formula: &Formula| formula.names().contains(&"eligible_time");
        self.plan.snap.server.eligible_time_enable
            && self.setup.formula.as_ref().is_some_and(by_time)
            && self.below_threshold().next().is_some()
    }

    fn below_threshold(&self) -> impl Iterator<Item = JobId> {
        let below = self.eligibility.enumerate().filter(|(_, eligibility)| {
            matches!(eligibility, Eligibility::Excluded(Exclusion::UnderThreshold { .. }))
        });
        below.map(|(job, _)| job)
    }

    /// Returns the first of `most` moments, `step` apart from now on, at which a job that the threshold keeps out of this
    /// cycle passes it because its eligible time has grown; `None` if none does. A value that grows and falls again may
    /// be missed.
    pub fn first_over_threshold(&self, step: Seconds, most: i64) -> Option<i64> {
        let snap = &self.plan.snap;
        let threshold = snap.scheduler.formula_threshold?;
        let formula = self.setup.formula.as_ref().filter(|_| most >= 1 && self.may_pass_threshold())?;
        let value = self.value_later(formula);
        let mut first = None;
        for job in self.below_threshold().filter(|job| snap.jobs[*job].waits_for_nodes()) {
            let last = first.map_or(most, |first: i64| first - 1);
            let passes = |moments: i64| value(job, Seconds(step.0.saturating_mul(moments))) > threshold;
            if last >= 1 && passes(last) {
                first = Some(nearest_holding(0, last, passes));
            }
        }
        first
    }

    /// Returns the value of the formula for a job that has waited longer.
    fn value_later<'a>(&'a self, formula: &'a Formula) -> impl Fn(JobId, Seconds) -> f64 + 'a {
        let plan = &self.plan;
        let by_share = formula.names().iter().any(|name| is_share_name(name));
        let tree = by_share.then(|| share_tree(plan, uses_shares(plan, &self.setup)));
        move |job, more| {
            let of = plan.job(job);
            let entity =
                tree.as_ref().and_then(|tree| tree.entity_of(of, &plan.snap.policy.fairshare.entity));
            let known = |name: &str| match (name, tree.as_ref().zip(entity)) {
                ("eligible_time", _) => Some(of.eligible_time.0.saturating_add(more.0) as f64),
                (name, Some((tree, entity))) => tree.value_named(entity, name),
                _ => None,
            };
            formula_result(formula, plan, job, &known).unwrap_or(0.0)
        }
    }
}
