//! Checks whether a queue and the server have room for one more job: `max_queued` and `queued_jobs_threshold`.

use qscope_engine::cluster::{
    Amount, Job, JobState, LimitEntry, LimitScope, Limits, Name, Queue, Snapshot, Value,
};

use qscope_engine::universe::entity_of;

use super::SubmitRefusal;

/// Returns a refusal for every limit on queued jobs that the job would exceed.
pub(super) fn over_queued_limits(snap: &Snapshot, queue: &Queue, job: &Job) -> Vec<SubmitRefusal> {
    let at_queue = format!("queue {}", queue.name);
    let places = [(&queue.queued, Some(&queue.name), &*at_queue), (&snap.server.queued, None, "the server")];
    let mut found = Vec::new();
    for (limits, within, place) in places {
        let question = QueuedLimitCheck { snap, job, within, place };
        found.extend(question.over(&limits.all, "max_queued", false));
        found.extend(question.over(&limits.waiting, "queued_jobs_threshold", true));
    }
    found
}

struct QueuedLimitCheck<'s> {
    snap: &'s Snapshot,
    job: &'s Job,
    /// The queue whose jobs count; `None` for all jobs of the server.
    within: Option<&'s Name>,
    place: &'s str,
}

impl QueuedLimitCheck<'_> {
    fn over(&self, limits: &Limits, attribute: &str, waiting: bool) -> Vec<SubmitRefusal> {
        let counts = |entry: &&LimitEntry| limits.is_for(entry, &entity_of(self.job, entry.scope));
        limits
            .entries
            .iter()
            .filter(counts)
            .filter_map(|entry| self.broken(entry, attribute, waiting))
            .collect()
    }

    fn broken(&self, entry: &LimitEntry, attribute: &str, waiting: bool) -> Option<SubmitRefusal> {
        let entity = entity_of(self.job, entry.scope);
        let is_like = |other: &&Job| {
            let over = other.state.is_over();
            !over
                && !other.is_subjob()
                && self.within.is_none_or(|queue| other.queue == *queue)
                && (!waiting || other.state == JobState::Queued)
                && entity_of(other, entry.scope) == entity
        };
        let amount = |job: &Job| {
            let each = entry.resource.map_or(Some(1.0), |id| job.requested.amount(id).map(|amount| amount.0));
            each.unwrap_or(0.0) * subjobs(job)
        };
        let have: f64 = self.snap.jobs.iter().filter(is_like).map(amount).sum();
        let more = amount(self.job);
        (more > 0.0 && have + more > entry.amount.0).then(|| self.refusal(entry, attribute, have, more))
    }

    fn refusal(&self, entry: &LimitEntry, attribute: &str, have: f64, more: f64) -> SubmitRefusal {
        let catalogue = &self.snap.catalogue;
        let (name, of) = match entry.resource {
            Some(id) => {
                (format!("{attribute}_res.{}", catalogue.name(id)), format!(" {}", catalogue.name(id)))
            }
            None => (attribute.to_owned(), if have == 1.0 { " job" } else { " jobs" }.to_owned()),
        };
        let show = |value: f64| match entry.resource {
            Some(id) => catalogue.show(id, &Value::Amount(Amount(value))),
            None => format!("{value:.0}"),
        };
        let whose = match entry.scope {
            LimitScope::Overall => "all users have".to_owned(),
            _ => format!("{} has", entity_of(self.job, entry.scope)),
        };
        let detail = format!(
            "{whose} {}{of} at {}, this one adds {}, and {name} allows {}",
            show(have),
            self.place,
            show(more),
            show(entry.amount.0)
        );
        SubmitRefusal { kind: "max_queued", message: "Maximum number of jobs already in queue", detail }
    }
}

/// Returns how many jobs a job counts as: an array counts each remaining subjob.
fn subjobs(job: &Job) -> f64 {
    job.array.as_ref().map_or(1.0, |array| array.remaining.len().max(1) as f64)
}
