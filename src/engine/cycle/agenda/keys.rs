//! Sort keys, read for each job (rule 6.5).

use crate::cluster::{JobId, JobSortTerm};
use crate::universe::Ledger;

use super::Agenda;
use super::formula_faults::FormulaFaults;
use crate::cycle::fairshare::EntityId;
use crate::cycle::formula_values::formula_result;
use crate::cycle::job_order::JobKeys;

impl Agenda {
    pub(super) fn keys_of(
        &self,
        ledger: &Ledger,
        job: JobId,
        queried: u32,
        faults: &mut FormulaFaults,
    ) -> JobKeys {
        let of = self.plan.job(job);
        let rank = of.queue_rank.or(of.queued.map(|at| at.0)).unwrap_or(i64::MAX);
        let entity = self.entity(job);
        JobKeys {
            runnable: true,
            preempt_priority: ledger.levels[job].priority,
            preempted: None,
            formula: self.formula_value(job, entity, faults),
            entity,
            sort_values: self.sort_values(ledger, job, entity),
            queue_rank: rank,
            queried,
        }
    }

    fn entity(&self, job: JobId) -> Option<EntityId> {
        if !self.by_share {
            return None;
        }
        self.tree.entity_of(self.plan.job(job), &self.plan.snap.policy.fairshare.entity)
    }

    fn formula_value(&self, job: JobId, entity: Option<EntityId>, faults: &mut FormulaFaults) -> f64 {
        let Some(formula) = &self.settings.formula else { return 0.0 };
        let found = formula_result(formula, &self.plan, job, &|name| self.share_value(entity, name));
        found.unwrap_or_else(|fault| {
            faults.note(&self.plan, job, fault);
            0.0
        })
    }

    /// Returns the value of a fair share name of the formula for an entity; `None` for all other names.
    pub(super) fn share_value(&self, entity: Option<EntityId>, name: &str) -> Option<f64> {
        self.tree.value_named(entity?, name)
    }

    fn sort_values(&self, ledger: &Ledger, job: JobId, entity: Option<EntityId>) -> Vec<f64> {
        let of = self.plan.job(job);
        let value = |term: &JobSortTerm| match term {
            JobSortTerm::Priority => of.priority as f64,
            JobSortTerm::FairsharePercentage => entity.map_or(0.0, |entity| self.tree.percentage(entity)),
            JobSortTerm::PreemptPriority => ledger.levels[job].priority as f64,
            JobSortTerm::Resource(name) => self
                .plan
                .snap
                .catalogue
                .id(name)
                .and_then(|resource| of.requested.amount(resource))
                .map_or(0.0, |amount| amount.0),
        };
        self.plan.snap.policy.job_sort_key.get(self.plan.period).iter().map(|key| value(&key.term)).collect()
    }
}
