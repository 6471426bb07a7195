//! `job_sort_formula` (rule 6.5).

use qscope_engine::cluster::{Formula, ResourceType};

use super::world::World;

impl World {
    /// Computes the values of all jobs; returns false if there is no formula. An error counts as 0.
    pub(crate) fn evaluate_formula(&mut self) -> bool {
        let snap = self.snap();
        let text = snap.scheduler.job_sort_formula.clone().or_else(|| snap.server.job_sort_formula.clone());
        let Some(text) = text else { return false };
        let Ok(formula) = Formula::parse(&text) else { return true };
        for job in 0..self.jobs.len() {
            let value = formula.evaluate(&|name| self.formula_term(job, name)).unwrap_or(0.0);
            self.jobs[job].formula = value as f32;
        }
        true
    }

    /// Returns the value of a term, rounded as it is passed as text: six decimals for shares, four for
    /// amounts.
    fn formula_term(&self, job: usize, name: &str) -> Option<f64> {
        let row = &self.jobs[job];
        let rounded = |value: f64, digits: usize| format!("{value:.digits$}").parse::<f64>().ok();
        match name {
            "eligible_time" => Some(row.eligible_time as f64),
            "queue_priority" => Some(self.queues[row.queue].priority as f64),
            "job_priority" => Some(row.priority as f64),
            "accrue_type" => Some(row.accrue_type as f64),
            "fairshare_perc" | "fair_share_perc" => {
                rounded(f64::from(self.shares.rows[row.entity].percentage), 6)
            }
            "fairshare_tree_usage" => rounded(self.shares.tree_usage(row.entity), 6),
            "fairshare_factor" => rounded(self.shares.factor(row.entity), 6),
            name => {
                let id = self.snap().catalogue.id(name)?;
                let kind = self.snap().catalogue.kind(id);
                if !matches!(kind, ResourceType::Long | ResourceType::Size | ResourceType::Float) {
                    return None;
                }
                rounded(row.requested.get(&id).copied().unwrap_or(0.0), 4)
            }
        }
    }

    /// Adds to the usage of an entity when its job starts or is planned (rule 6.5).
    pub(crate) fn charge(&mut self, job: usize) {
        let Ok(formula) = Formula::parse(&self.snap().policy.fairshare.usage_res.clone()) else { return };
        let usage = formula.evaluate(&|name| {
            let id = self.snap().catalogue.id(name)?;
            Some(self.jobs[job].requested.get(&id).copied().unwrap_or(0.0))
        });
        self.shares.charge(self.jobs[job].entity, usage.unwrap_or(0.0));
    }
}
