//! A job and its outcome.

use std::borrow::Cow;

use super::value_fact;
use crate::query::{FieldColumn, FieldKind as K, FieldValue, QueryFields, QueryRecord};
use qscope_engine::cluster::{Catalogue, Epoch, Job, JobId, PlaceSharing, Seconds, short_id};
use qscope_engine::cycle::{DECIDING_RULES, Outcome, Run, Verdict};
use qscope_engine::placement::PathRule;
use qscope_engine::universe::{Bit, planned_end};
use qscope_explain::words::duration;
use qscope_explain::{AmountComparison, Overdue, Tier, WaitReason, left_of_array, waiting_name};

/// Outcome of a job that the cycle starts and the server refuses.
pub const REFUSED: &str = "refused";

type JobColumn = FieldColumn<for<'r, 'a> fn(&'r JobRecord<'a>) -> Option<FieldValue<'r>>>;

const COLUMNS: &[JobColumn] = &[
    JobColumn::new("user", K::Text, (8, 4), "its user", |row| Some(FieldValue::text(&*row.job().user))),
    JobColumn::new("queue", K::Text, (8, 5), "its queue", |row| Some(FieldValue::text(&*row.job().queue))),
    JobColumn::new("path", K::Text, (6, 5), "the path it entered: bucket, node or none", |row| {
        let path = row.outcome.and_then(Outcome::entered);
        Some(FieldValue::text(path.map_or("none", |path| path.word())))
    }),
    JobColumn::new(
        "verdict",
        K::Text,
        (14, 3),
        "what became of it; wait is the same as not_now, skip as skipped, runs as running",
        |row| match row.is_refused() {
            // It waits like other jobs.
            true => Some(FieldValue::texts([REFUSED, Verdict::NotNow.word()])),
            false => Some(FieldValue::text(row.verdict())),
        },
    )
    .one_of(&["run", "not_now", "refused", "never", "skipped", "running"])
    .with_value_aliases(&[("wait", "not_now"), ("skip", "skipped"), ("runs", "running")]),
    JobColumn::new("node", K::Text, (16, 8), "a node that it was given or runs on", |row| {
        Some(FieldValue::Texts(row.node_names(usize::MAX)))
    }),
    JobColumn::new(
        "job",
        K::Text,
        (10, 1),
        "its id, with or without the server; of a subjob also that of its array",
        |row| {
            let name = row.name();
            let short = short_id(&name).to_owned();
            // A subjob is found by the number of its array too.
            let array = short.split_once('[').map(|(array, _)| array.to_owned());
            Some(FieldValue::texts([short, name].into_iter().chain(array).chain(row.name_of_rest())))
        },
    ),
    JobColumn::new("set", K::Text, (16, 7), "the placement set that holds it", |row| {
        Some(FieldValue::text(&**row.outcome?.placed.as_ref()?.set.as_ref()?))
    }),
    JobColumn::new("reason", K::Text, (40, 3), "why it does not run", |row| {
        let name = row.known.map(|known| known.name.clone());
        let mut all: Vec<String> = name.into_iter().chain(row.reason()).collect();
        all.dedup();
        match all.len() {
            0 => None,
            1 => all.into_iter().next().map(FieldValue::text),
            _ => Some(FieldValue::texts(all)),
        }
    }),
    JobColumn::new("would", K::Text, (6, 9), "the path that it would use", |row| {
        Some(FieldValue::text(row.outcome?.would_use?.path.word()))
    }),
    JobColumn::new(
        "rule",
        K::Text,
        (17, 9),
        "the rule that stopped it, or for one that starts chose the path: qscope help rules",
        |row| Some(FieldValue::text(row.run.deciding_rule(row.outcome?)?.id)),
    )
    .one_of(DECIDING_RULES),
    JobColumn::new("path_rule", K::Text, (15, 9), "the rule that chose the path", |row| {
        Some(FieldValue::text(row.outcome?.would_use?.rule.id()))
    })
    .one_of(PathRule::IDS),
    JobColumn::new(
        "tier",
        K::Text,
        (14, 7),
        "the kind of cause: never, limit, order, short, fragmented, calendar, ...",
        |row| Some(FieldValue::text(row.tier()?.word())),
    ),
    JobColumn::new("stage", K::Text, (12, 9), "the check that it failed before any path", |row| {
        Some(FieldValue::text(row.outcome?.refused_at?.word()))
    }),
    JobColumn::new("group", K::Text, (8, 8), "its group", |row| Some(FieldValue::text(&*row.job().group))),
    JobColumn::new("project", K::Text, (8, 8), "its project", |row| {
        Some(FieldValue::text(&*row.job().project))
    }),
    JobColumn::new("account", K::Text, (8, 9), "its account", |row| {
        Some(FieldValue::text(&**row.job().account.as_ref()?))
    }),
    JobColumn::new("title", K::Text, (12, 8), "its name", |row| Some(FieldValue::text(&*row.job().title))),
    JobColumn::new("state", K::Text, (5, 8), "the letter that qstat shows", |row| {
        Some(FieldValue::text(row.job().state.letter().to_string()))
    })
    .one_of(&["Q", "R", "H", "W", "T", "E", "S", "U", "B", "X", "F", "M"]),
    JobColumn::new("order", K::Number, (5, 2), "its place in the order considered, from 1", |row| {
        Some(FieldValue::Number(f64::from(row.outcome?.order?)))
    }),
    JobColumn::new("priority", K::Number, (8, 8), "its priority", |row| {
        Some(FieldValue::Number(row.job().priority as f64))
    }),
    JobColumn::new("chunks", K::Number, (6, 7), "how many chunks it requests", |row| {
        Some(FieldValue::Number(row.job().select.as_ref()?.total_chunks() as f64))
    }),
    JobColumn::new("nodes", K::Number, (5, 6), "how many nodes it was given", |row| {
        Some(FieldValue::count(row.node_names(usize::MAX).len()))
    }),
    JobColumn::new("select", K::Text, (24, 8), "its select", |row| {
        Some(FieldValue::text(&*row.job().select.as_ref()?.text))
    }),
    JobColumn::new("excl", K::Flag, (4, 9), "whether it requests whole nodes", |row| {
        let shared = row.job().place.as_ref()?.sharedness;
        Some(FieldValue::Flag(matches!(shared, PlaceSharing::Excl | PlaceSharing::Exclhost)))
    }),
    JobColumn::new("array", K::Flag, (5, 9), "whether it is an array", |row| {
        Some(FieldValue::Flag(row.job().is_array()))
    }),
    JobColumn::new("top", K::Flag, (3, 7), "whether it became a top job", |row| {
        Some(FieldValue::Flag(row.outcome?.estimate.is_some()))
    }),
    JobColumn::new("start", K::Moment, (5, 6), "when it is expected to start, for top jobs", |row| {
        Some(FieldValue::Moment(row.outcome?.estimate.as_ref()?.start, row.run.plan.snap.now))
    }),
    JobColumn::new("preempts", K::Text, (10, 9), "a job that is preempted for it", |row| {
        let victims = row.outcome?.victims.iter();
        Some(FieldValue::texts(victims.map(|(job, _)| row.run.plan.job(*job).short_name())))
    }),
    JobColumn::new("examined", K::Number, (8, 9), "how many nodes were examined for it one by one", |row| {
        Some(FieldValue::Number(row.outcome?.examined.nodes as f64))
    }),
    JobColumn::new("walltime", K::Span, (8, 6), "its walltime", |row| {
        Some(FieldValue::Span(row.run.plan.requests[row.job].as_ref().ok()?.duration))
    }),
    JobColumn::new("ends", K::Moment, (5, 7), "when it ends by its walltime, if it runs", |row| {
        Some(FieldValue::Moment(row.ends()?, row.run.plan.snap.now))
    }),
    JobColumn::new("submitted", K::Moment, (5, 8), "when it was queued", |row| {
        Some(FieldValue::Moment(row.job().queued.or(row.job().created)?, row.run.plan.snap.now))
    }),
    JobColumn::new("age", K::Span, (8, 7), "how long it has been queued", |row| {
        Some(FieldValue::Span(row.run.plan.snap.now - row.job().queued.or(row.job().created)?))
    }),
];

/// Returns the columns of jobs.
pub fn job_fields(catalogue: &Catalogue) -> QueryFields {
    QueryFields::of(COLUMNS).with_resources(catalogue, "", "how much it asks for in all of")
}

/// A job of a cycle.
#[derive(Debug, Clone, Copy)]
pub struct JobRecord<'a> {
    run: &'a Run,
    job: JobId,
    outcome: Option<&'a Outcome>,
    /// Why it waits, if it was analysed.
    known: Option<&'a WaitReason>,
}

impl<'a> JobRecord<'a> {
    /// Creates a row for a job with its outcome.
    pub fn of(run: &'a Run, outcome: &'a Outcome) -> Self {
        Self { run, job: outcome.job, outcome: Some(outcome), known: None }
    }

    /// Creates a row for a running job.
    pub fn running(run: &'a Run, job: JobId) -> Self {
        Self { run, job, outcome: None, known: None }
    }

    /// Adds the reason found by an analysis, which the fields then include. Subjobs that start do not wait for what
    /// the rest of their array waits for.
    #[must_use]
    pub fn with_reason(self, known: Option<&'a WaitReason>) -> Self {
        let waits = self.outcome.is_some_and(|outcome| self.run.verdict(outcome) != Verdict::Run);
        Self { known: known.filter(|_| waits), ..self }
    }

    /// Returns the tier of the reason that tables show for a waiting job: as analysed if that is known, otherwise by
    /// the first condition that the scheduler met.
    pub fn tier(&self) -> Option<Tier> {
        let of_outcome = || WaitReason::tier_at_a_glance(self.run, self.outcome?);
        self.known.map(|known| known.tier).or_else(of_outcome)
    }

    pub fn job(&self) -> &'a Job {
        self.run.plan.job(self.job)
    }

    fn name(&self) -> String {
        match self.outcome {
            Some(outcome) => outcome.name(&self.run.plan.snap),
            None => self.job().name.to_string(),
        }
    }

    /// Whether this is what the cycle leaves of an array.
    fn is_rest_of_array(&self) -> bool {
        let waits = self.outcome.is_some_and(|outcome| outcome.subjob.is_none() && outcome.placed.is_none());
        waits && self.job().is_array()
    }

    /// Returns the name that tables show for what is left of an array: `67[2-5]`.
    fn name_of_rest(&self) -> Option<String> {
        self.is_rest_of_array().then(|| waiting_name(self.run, self.job))
    }

    /// Returns the number of jobs of this size that the row stands for: of an array, its remaining subjobs.
    fn copies(&self) -> f64 {
        if self.is_rest_of_array() { left_of_array(self.run, self.job).len().max(1) as f64 } else { 1.0 }
    }

    /// Whether the server refuses the start that the cycle decided.
    fn is_refused(&self) -> bool {
        self.outcome.is_some_and(|outcome| self.run.is_refused(outcome))
    }

    fn verdict(&self) -> &'static str {
        match self.outcome.map(|outcome| self.run.verdict(outcome)) {
            None => "running",
            Some(Verdict::NotConsidered) => "skipped",
            Some(verdict) => verdict.word(),
        }
    }

    fn reason(&self) -> Option<String> {
        self.run.excluded(self.job).or_else(|| {
            let rejection = self.outcome?.rejection.as_ref()?;
            Some(rejection.comment(&self.run.plan.snap.catalogue))
        })
    }

    /// Returns when a running job ends on the timeline: by its walltime, or past its soft walltime by its extension;
    /// for an overdue job, when its walltime ended.
    pub fn ends(&self) -> Option<Epoch> {
        let plan = &self.run.plan;
        self.job().started.filter(|_| self.outcome.is_none())?;
        let request = plan.requests[self.job].as_ref().ok()?;
        let overdue = Overdue::of(plan, self.job).map(|overdue| overdue.since);
        let end = overdue.or_else(|| planned_end(plan, self.job));
        end.filter(|_| request.duration < Seconds::UNLIMITED)
    }

    /// Returns its progress as two numbers of one unit: for a running job, the time used and its walltime; for a
    /// waiting job, what was left and what it needed, if the refusal compared two amounts.
    pub fn measure(&self) -> Option<AmountComparison> {
        let Some(outcome) = self.outcome else {
            let (started, ends) = (self.job().started?, self.ends()?);
            let (used, length) = (self.run.plan.snap.now - started, ends - started);
            let text = format!("{} of {}", duration(used), duration(length));
            let (available, requested) = (used.0 as f64, length.0 as f64);
            return Some(AmountComparison { available, requested, beside: String::new(), text });
        };
        WaitReason::at_a_glance(self.run, outcome)?.measure
    }

    /// Returns at most `most` nodes.
    fn node_names(&self, most: usize) -> Vec<Cow<'a, str>> {
        let plan = &self.run.plan;
        // The server gives none to a job whose start it refuses.
        let started = self.outcome.filter(|outcome| !self.run.is_refused(outcome));
        if let Some(placed) = started.and_then(|outcome| outcome.placed.as_ref()) {
            return placed
                .allocation
                .nodes()
                .into_iter()
                .take(most)
                .map(|bit: Bit| (&**plan.node_name(bit)).into())
                .collect();
        }
        let there = self.job().exec_vnode.iter().flat_map(|placement| placement.chunks.iter().flatten());
        there.take(most).map(|part| (&*part.vnode).into()).collect()
    }
}

impl QueryRecord for JobRecord<'_> {
    fn fact(&self, field: &str) -> Option<FieldValue<'_>> {
        if let Some(column) = FieldColumn::named(COLUMNS, field) {
            return (column.value)(self);
        }
        let catalogue = &self.run.plan.snap.catalogue;
        let id = catalogue.id(field)?;
        let fact = value_fact(catalogue.kind(id), self.job().requested.get(id)?)?;
        // Only amounts on nodes add up; a time limit is that of each subjob.
        Some(match fact {
            FieldValue::Number(amount) if catalogue.def(id).flags.summed => {
                FieldValue::Number(amount * self.copies())
            }
            FieldValue::Size(amount) if catalogue.def(id).flags.summed => {
                FieldValue::Size(amount * self.copies())
            }
            other => other,
        })
    }

    /// Searches id, title, user, queue, path, verdict ("wait" for all that do not start), reason, also the analysed
    /// one if known, set, and nodes.
    fn any_text(&self, holds: &dyn Fn(&str) -> bool) -> bool {
        let job = self.job();
        let path = self.outcome.and_then(Outcome::entered).map_or("", |path| path.word());
        let verdict = match self.outcome.map(|outcome| self.run.verdict(outcome)) {
            Some(Verdict::NotNow) if self.is_refused() => "refused not now not_now waits",
            Some(Verdict::NotNow) => "not now not_now waits",
            Some(Verdict::Never) => "never waits",
            Some(Verdict::NotConsidered) => "skipped not considered waits",
            Some(Verdict::Run) => "run",
            None => "running",
        };
        let set = self.outcome.and_then(|o| o.placed.as_ref()).and_then(|p| p.set.as_deref()).unwrap_or("");
        let reason = self.reason().unwrap_or_default();
        let name = self.outcome.map_or((&*job.name).into(), |outcome| outcome.name_in(&self.run.plan.snap));
        let known = self.known.map_or("", |known| &*known.name);
        let rest = self.name_of_rest().unwrap_or_default();
        let parts = [&*name, &*rest, &job.title, &job.user, &job.queue, path, verdict, &reason, known, set];
        parts.into_iter().any(holds) || self.node_names(MAX_NODES).iter().any(|node| holds(node))
    }
}

/// Maximum number of nodes of a job that bare words are searched in; `node:` searches all of them.
const MAX_NODES: usize = 64;
