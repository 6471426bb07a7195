//! Classes of equal jobs: when one cannot run, the others get the same reason unexamined (rules 6.2, B5).

use std::fmt::Write as _;

use qscope_engine::cluster::{LimitScope, ResourceId, ResourceType};

use super::world::World;

impl World {
    /// Assigns every waiting job its class.
    pub(crate) fn classify(&mut self) {
        let mut seen: Vec<String> = Vec::new();
        for job in 0..self.jobs.len() {
            let text = self.class_text(job);
            let at = seen.iter().position(|have| *have == text).unwrap_or_else(|| {
                seen.push(text);
                seen.len() - 1
            });
            self.jobs[job].class = Some(at);
        }
    }

    fn class_text(&self, job: usize) -> String {
        let row = &self.jobs[job];
        let mut text = String::new();
        let ask = row.wish();
        for spec in &ask.specs {
            let on_line = spec.wants.iter().filter(|(id, _)| self.is_on_line(*id));
            let mut wants: Vec<String> = on_line.map(|(id, want)| format!("{id:?}{want:?}")).collect();
            wants.sort();
            let _ = write!(text, "{}{wants:?}", spec.count);
        }
        let _ =
            write!(text, "{:?}{:?}{:?}{:?}", ask.arrangement, ask.sharedness, ask.group, self.wide_text(job));
        let has = |scope| [Some(row.queue), None].into_iter().any(|place| self.has_limits_of(place, scope));
        for (scope, name) in [
            (LimitScope::User, &row.user),
            (LimitScope::Group, &row.group),
            (LimitScope::Project, &row.project),
        ] {
            let _ = write!(text, "|{}", if has(scope) { &**name } else { "" });
        }
        let _ = write!(
            text,
            "|{}",
            if self.queue_matters(row.queue) { &*self.queues[row.queue].name } else { "" }
        );
        text
    }

    /// Returns the job-wide requests, except for the soft walltime and what follows from the select;
    /// preemption targets only if they are used.
    fn wide_text(&self, job: usize) -> String {
        let Some(given) = self.snap().jobs.iter().find(|row| row.name == self.jobs[job].name) else {
            return String::new();
        };
        let mut out = vec![ResourceId::soft_walltime(), ResourceId::nodect()];
        if !self.snap().scheduler.preempt_targets_enable {
            out.push(ResourceId::preempt_targets());
        }
        let kind = |id| self.snap().catalogue.kind(id);
        let values =
            given.requested.iter().filter(|(id, _)| !out.contains(id) && kind(*id) != ResourceType::Boolean);
        values.map(|(id, value)| format!("{id:?}{value:?}")).collect()
    }

    fn queue_matters(&self, queue: usize) -> bool {
        let row = &self.queues[queue];
        !self.limits(Some(queue)).is_empty()
            || row.has_nodes
            || row.dedicated
            || row.prime
            || row.non_prime
            || !row.available.is_empty()
            || row.reservation.is_some()
    }
}
