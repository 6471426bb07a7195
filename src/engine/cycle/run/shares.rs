//! The fair share tree at any step of a finished cycle.

use crate::cycle::Run;
use crate::cycle::agenda::{charge_of, share_tree, usage_formula};
use crate::cycle::fairshare::FairshareTree;

impl Run {
    /// Returns the fair share tree after the first `steps` steps: decayed up to now, with the entities of all jobs,
    /// and, if fair share orders the jobs, charged for the starts and top jobs among these steps (rules 1.11, 6.5).
    pub fn shares_after(&self, steps: usize) -> FairshareTree {
        let plan = &self.plan;
        let mut tree = share_tree(plan, true);
        if !self.setup.order.fair_share {
            return tree;
        }
        let (formula, option) = (usage_formula(plan), &plan.snap.policy.fairshare.entity);
        let outcomes = self.steps.iter().take(steps).map(|step| &step.outcome);
        for outcome in outcomes.filter(|outcome| outcome.placed.is_some() || outcome.estimate.is_some()) {
            if let Some(entity) = tree.entity_of(plan.job(outcome.job), option) {
                tree.charge(entity, charge_of(plan, formula.as_ref(), outcome.job));
            }
        }
        tree
    }
}
