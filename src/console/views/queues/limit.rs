//! A limit in detail: whom it counts, which jobs it keeps waiting, when that changes, and how it is set.

use super::facts::LineFact;
use crate::views::{MAX_NAMED, ViewContext};
use crate::wording;
use qscope_engine::cluster::{
    Job, JobId, LimitEntry, LimitScope, Limits, Name, QueueId, ResourceType, short_id,
};
use qscope_engine::cycle::Verdict;
use qscope_engine::universe::{EventKind, LimitHit, Occupant, Reason, entity_of};
use qscope_explain::{Overdue, occupant_name, words};

/// A limit of a queue or of the server, for one of the entities it applies to.
#[derive(Debug, Clone)]
pub(super) struct Limit {
    pub(super) queue: Option<QueueId>,
    pub(super) entry: LimitEntry,
    pub(super) entity: Name,
}

/// The limit that a job hits, and the job.
pub(super) type LimitedJob<'w> = (&'w LimitHit, JobId);

/// The jobs that limits stop, without those that can never run.
pub(super) fn limited(cx: ViewContext<'_>) -> Vec<LimitedJob<'_>> {
    let run = cx.run();
    let stopped = run.outcomes().filter_map(|outcome| match &outcome.rejection.as_ref()?.reason {
        Reason::Limit(hit) => Some((&**hit, outcome)),
        _ => None,
    });
    stopped
        .filter(|(_, outcome)| run.verdict(outcome) != Verdict::Never)
        .map(|(hit, outcome)| (hit, outcome.job))
        .collect()
}

/// Maximum columns for names of jobs.
const NAMED: usize = 70;

impl Limit {
    fn limits<'w>(&self, cx: ViewContext<'w>) -> &'w Limits {
        let snap = cx.snapshot();
        self.queue.map_or(&snap.server.limits, |queue| &snap.queues[queue].limits)
    }

    fn kind(&self, cx: ViewContext<'_>) -> ResourceType {
        self.entry.resource.map_or(ResourceType::Long, |resource| cx.snapshot().catalogue.kind(resource))
    }

    /// Its attribute, such as `max_run_res_soft.ncpus`.
    fn attribute(&self, cx: ViewContext<'_>) -> String {
        let resource = self.entry.resource.map(|resource| cx.snapshot().catalogue.name(resource));
        let name = self.limits(cx).attribute(self.entry.scope, resource.map(|name| &**name));
        match (self.entry.soft, name.split_once('.')) {
            (false, _) => name,
            (true, None) => format!("{name}_soft"),
            (true, Some((head, resource))) => format!("{head}_soft.{resource}"),
        }
    }

    /// Its value, such as `[u:PBS_GENERIC=5]`, or just a number in the old style; `more` is added to the amount.
    fn value(&self, cx: ViewContext<'_>, more: f64) -> String {
        let amount = wording::amount(self.kind(cx), self.entry.amount.0 + more);
        if self.limits(cx).old_style {
            return amount;
        }
        let (letter, all) = match self.entry.scope {
            LimitScope::User => ('u', "PBS_GENERIC"),
            LimitScope::Group => ('g', "PBS_GENERIC"),
            LimitScope::Project => ('p', "PBS_GENERIC"),
            LimitScope::Overall => ('o', "PBS_ALL"),
        };
        format!("[{letter}:{}={amount}]", self.entry.entity.as_deref().unwrap_or(all))
    }

    /// The limit as the server prints it.
    pub(super) fn written(&self, cx: ViewContext<'_>) -> String {
        format!("{} = {}", self.attribute(cx), self.value(cx, 0.0))
    }

    /// The setting that raises it by one.
    pub(super) fn raised(&self, cx: ViewContext<'_>) -> String {
        let (attribute, value) = (self.attribute(cx), self.value(cx, 1.0));
        match self.queue {
            None => format!("server.{attribute}={value}"),
            Some(queue) => format!("queue.{}.{attribute}={value}", cx.snapshot().queues[queue].name),
        }
    }

    /// Whether a job counts towards it.
    fn counts(&self, cx: ViewContext<'_>, job: &Job) -> bool {
        let snap = cx.snapshot();
        self.queue.is_none_or(|queue| snap.queues[queue].name == job.queue)
            && entity_of(job, self.entry.scope) == self.entity
            && self
                .entry
                .resource
                .is_none_or(|id| job.requested.amount(id).is_some_and(|amount| amount.0 > 0.0))
    }

    /// Whether a job waits because of it.
    fn stops(&self, cx: ViewContext<'_>, hit: &LimitHit, job: JobId) -> bool {
        let snap = cx.snapshot();
        let resource = self.entry.resource.map(|resource| snap.catalogue.name(resource));
        hit.scope == self.entry.scope
            && hit.entity == self.entry.entity
            && hit.resource.as_ref() == resource
            && hit.queue.as_ref() == self.queue.map(|queue| &snap.queues[queue].name)
            && entity_of(&snap.jobs[job], self.entry.scope) == self.entity
    }

    /// The jobs that use it after the cycle: running jobs, and those that start in it.
    fn holders(&self, cx: ViewContext<'_>) -> Vec<(String, JobId)> {
        let snap = cx.snapshot();
        let runs = snap.jobs.enumerate().filter(|(_, job)| job.state.has_nodes() && self.counts(cx, job));
        let mut found: Vec<_> = runs.map(|(id, job)| (job.name.to_string(), id)).collect();
        let theirs = cx.run().starts().filter(|outcome| self.counts(cx, &snap.jobs[outcome.job]));
        found.extend(theirs.map(|outcome| (outcome.name(snap), outcome.job)));
        found
    }

    /// The filter for the jobs it applies to: by its queue and entity.
    pub(super) fn filter(&self, cx: ViewContext<'_>) -> String {
        let queue = self.queue.map(|queue| format!("queue=\"{}\"", cx.snapshot().queues[queue].name));
        let field = match self.entry.scope {
            LimitScope::User => Some("user"),
            LimitScope::Group => Some("group"),
            LimitScope::Project => Some("project"),
            LimitScope::Overall => None,
        };
        let entity = field.map(|field| format!("{field}=\"{}\"", self.entity));
        queue.into_iter().chain(entity).collect::<Vec<_>>().join(" ")
    }

    /// The jobs that wait because of it.
    fn waiting(&self, cx: ViewContext<'_>) -> Vec<(String, JobId)> {
        let name = |job| wording::waiting_name(cx.run(), job);
        self.stopped(cx, &limited(cx)).map(|job| (name(job), job)).collect()
    }

    /// The jobs that it stops, out of all those that limits stop.
    pub(super) fn stopped<'w>(
        &'w self,
        cx: ViewContext<'w>,
        limited: &'w [LimitedJob<'w>],
    ) -> impl Iterator<Item = JobId> + 'w {
        limited.iter().filter(move |(hit, job)| self.stops(cx, hit, *job)).map(|(_, job)| *job)
    }

    /// The first end of a job that counts towards it.
    fn next_end(&self, cx: ViewContext<'_>) -> Option<LineFact> {
        let (snap, end) = (cx.snapshot(), cx.run().end_at_server());
        let mut ends = end.timeline.iter().filter_map(|(key, event)| match event.occupant {
            Occupant::Job(job, _) if key.kind == EventKind::End && self.counts(cx, &snap.jobs[job]) => {
                Some((key.at, event.occupant, job))
            }
            _ => None,
        });
        let (at, occupant, job) = ends.next()?;
        let ends = match Overdue::of(cx.plan(), job) {
            Some(overdue) => format!("is {}", overdue.words(snap)),
            None => format!("ends at {}", words::moment(snap, at)),
        };
        let end = format!("{} {ends}", occupant_name(cx.plan(), occupant));
        Some(("next change", end, vec![job]))
    }

    /// The facts about it.
    pub(super) fn facts(&self, cx: ViewContext<'_>) -> Vec<LineFact> {
        let listed = |name: &'static str, jobs: &[(String, JobId)]| -> LineFact {
            let words = match jobs.is_empty() {
                true => "no job".to_owned(),
                false => wording::folded_within(jobs.iter().map(|(name, _)| short_id(name)), NAMED),
            };
            (name, words, jobs.iter().map(|(_, job)| *job).take(MAX_NAMED).collect())
        };
        let waiting = self.waiting(cx);
        let mut facts = vec![listed("used by", &self.holders(cx)), listed("keeps waiting", &waiting)];
        facts.extend(self.next_end(cx));
        facts.push(("set", self.written(cx), Vec::new()));
        if !waiting.is_empty() && !self.entry.soft {
            facts.push(("try", format!("= then {}: see what starts", self.raised(cx)), Vec::new()));
        }
        facts
    }
}
