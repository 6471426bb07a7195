//! A job and what became of it.

use std::borrow::Cow;

use super::value_fact;
use crate::query::{Fact, FieldKind as K, Fields, Record};
use qscope_engine::cluster::{Catalogue, JobId, Sharedness, short_id};
use qscope_engine::cycle::{Eligibility, Outcome, Run, Verdict};
use qscope_engine::universe::Bit;
use qscope_explain::Tier;

/// The fields of jobs.
#[must_use]
pub fn job_fields(catalogue: &Catalogue) -> Fields {
    let own = Fields::new(&[
        ("user", K::Text, "its user"),
        ("queue", K::Text, "its queue"),
        ("path", K::Text, "the path it entered: bucket, node or none"),
        ("verdict", K::Text, "what became of it: run, not_now, never, skipped, running"),
        ("node", K::Text, "a node that it was given or runs on"),
        ("job", K::Text, "its id, with or without the server"),
        ("set", K::Text, "the placement set that holds it"),
        ("reason", K::Text, "why it does not run"),
        ("would", K::Text, "the path that it would use"),
        ("rule", K::Number, "the number of the test that chose the path"),
        ("tier", K::Text, "the kind of cause: never, limit, order, short, fragmented, calendar, ..."),
        ("stage", K::Text, "where it was turned away before any path"),
        ("group", K::Text, "its group"),
        ("project", K::Text, "its project"),
        ("title", K::Text, "its name"),
        ("state", K::Text, "the letter that qstat shows"),
        ("order", K::Number, "its place in the order considered, from 1"),
        ("priority", K::Number, "its priority"),
        ("chunks", K::Number, "how many chunks it wants"),
        ("nodes", K::Number, "how many nodes it was given"),
        ("select", K::Text, "its select"),
        ("excl", K::Flag, "whether it wants whole nodes"),
        ("array", K::Flag, "whether it is an array"),
        ("top", K::Flag, "whether it became a top job"),
        ("start", K::Moment, "when it is expected to start, for top jobs"),
        ("preempts", K::Text, "a job that is preempted for it"),
        ("examined", K::Number, "how many nodes were looked at for it"),
        ("walltime", K::Span, "how long it wants to run"),
        ("age", K::Span, "how long it has been queued"),
    ]);
    own.with_resources(catalogue, "", "how much it asks for in all of")
}

/// A job of a cycle.
#[derive(Debug, Clone, Copy)]
pub struct JobRecord<'a> {
    run: &'a Run,
    job: JobId,
    outcome: Option<&'a Outcome>,
}

impl<'a> JobRecord<'a> {
    /// A job by what became of it.
    #[must_use]
    pub fn of(run: &'a Run, outcome: &'a Outcome) -> Self {
        Self { run, job: outcome.job, outcome: Some(outcome) }
    }

    /// A job that runs already.
    #[must_use]
    pub fn running(run: &'a Run, job: JobId) -> Self {
        Self { run, job, outcome: None }
    }

    fn name(&self) -> String {
        match self.outcome {
            Some(outcome) => outcome.name(&self.run.plan.snap),
            None => self.run.plan.job(self.job).name.to_string(),
        }
    }

    fn verdict(&self) -> &'static str {
        match self.outcome.map(|outcome| outcome.verdict) {
            None => "running",
            Some(Verdict::NotConsidered) => "skipped",
            Some(verdict) => verdict.word(),
        }
    }

    fn reason(&self) -> Option<String> {
        if let Eligibility::Out(_, words) = &self.run.standing[self.job] {
            return Some(words.clone());
        }
        let rejection = self.outcome?.rejection.as_ref()?;
        Some(rejection.comment(&self.run.plan.snap.catalogue))
    }

    fn node_names(&self) -> Vec<Cow<'a, str>> {
        let plan = &self.run.plan;
        if let Some(placed) = self.outcome.and_then(|outcome| outcome.placed.as_ref()) {
            return placed
                .allocation
                .nodes()
                .into_iter()
                .map(|bit: Bit| (&**plan.node_name(bit)).into())
                .collect();
        }
        let there =
            plan.job(self.job).exec_vnode.iter().flat_map(|placement| placement.chunks.iter().flatten());
        there.map(|part| (&*part.vnode).into()).collect()
    }

    fn of_decision(&self, field: &str) -> Option<Fact<'_>> {
        let outcome = self.outcome?;
        Some(match field {
            "set" => Fact::text(&**outcome.placed.as_ref()?.set.as_ref()?),
            "would" => Fact::text(outcome.would_use?.path.word()),
            "rule" => Fact::Number(f64::from(outcome.would_use?.rule.number())),
            "tier" => Fact::text(Tier::of(outcome)?.word()),
            "stage" => Fact::text(outcome.refused_at?.word()),
            "order" => Fact::Number(f64::from(outcome.order?)),
            "top" => Fact::Flag(outcome.estimate.is_some()),
            "start" => Fact::Moment(outcome.estimate.as_ref()?.start, self.run.plan.snap.now),
            "preempts" => {
                Fact::texts(outcome.victims.iter().map(|(job, _)| self.run.plan.job(*job).short_name()))
            }
            "examined" => Fact::Number(outcome.examined.nodes as f64),
            _ => return None,
        })
    }

    fn of_job(&self, field: &str) -> Option<Fact<'_>> {
        let plan = &self.run.plan;
        let job = plan.job(self.job);
        let request = plan.requests[self.job].as_ref().ok();
        Some(match field {
            "user" => Fact::text(&*job.user),
            "queue" => Fact::text(&*job.queue),
            "group" => Fact::text(&*job.group),
            "project" => Fact::text(&*job.project),
            "title" => Fact::text(&*job.title),
            "state" => Fact::text(job.state.letter().to_string()),
            "priority" => Fact::Number(job.priority as f64),
            "select" => Fact::text(&*job.select.as_ref()?.text),
            "chunks" => Fact::Number(job.select.as_ref()?.total_chunks() as f64),
            "excl" => {
                let shared = job.place.as_ref()?.sharedness;
                Fact::Flag(matches!(shared, Sharedness::Excl | Sharedness::Exclhost))
            }
            "array" => Fact::Flag(job.is_array()),
            "walltime" => Fact::Span(request?.duration),
            "age" => Fact::Span(plan.snap.now - job.queued.or(job.created)?),
            other => {
                let catalogue = &plan.snap.catalogue;
                let id = catalogue.id(other)?;
                return value_fact(catalogue.kind(id), job.requested.get(id)?);
            }
        })
    }
}

impl Record for JobRecord<'_> {
    fn fact(&self, field: &str) -> Option<Fact<'_>> {
        match field {
            "job" => {
                let name = self.name();
                let id = short_id(&name).to_owned();
                Some(Fact::texts([id, name]))
            }
            "path" => Some(Fact::text(self.outcome.and_then(|o| o.path).map_or("none", |path| path.word()))),
            "verdict" => Some(Fact::text(self.verdict())),
            "reason" => self.reason().map(Fact::text),
            "node" => Some(Fact::Texts(self.node_names())),
            "nodes" => Some(Fact::Number(self.node_names().len() as f64)),
            _ => self.of_decision(field).or_else(|| self.of_job(field)),
        }
    }

    /// Id, title, user, queue, path, verdict ("wait" for all that do not start), reason, set, and where it goes.
    fn words(&self) -> Cow<'_, str> {
        let job = self.run.plan.job(self.job);
        let path = self.outcome.and_then(|outcome| outcome.path).map_or("", |path| path.word());
        let verdict = match self.outcome.map(|outcome| outcome.verdict) {
            Some(Verdict::NotNow) => "not now not_now waits",
            Some(Verdict::Never) => "never waits",
            Some(Verdict::NotConsidered) => "skipped not considered waits",
            Some(Verdict::Run) => "run",
            None => "running",
        };
        let set = self.outcome.and_then(|o| o.placed.as_ref()).and_then(|p| p.set.as_deref()).unwrap_or("");
        let reason = self.reason().unwrap_or_default();
        let nodes = self.node_names();
        let nodes = nodes.iter().take(NODES_MOST).map(|name| &**name).collect::<Vec<_>>().join(" ");
        let name = self.name();
        format!("{name} {} {} {} {path} {verdict} {reason} {set} {nodes}", job.title, job.user, job.queue)
            .into()
    }
}

/// So many nodes of a job are among its words; `node:` looks at all of them.
const NODES_MOST: usize = 64;
