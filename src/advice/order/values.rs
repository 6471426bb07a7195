//! Formats keys and their values.

use qscope_engine::cluster::{Amount, Epoch, JobId, JobSortTerm, QueueId, Snapshot, SortDirection, Value};
use qscope_engine::cycle::fairshare::EntityId;
use qscope_engine::cycle::job_order::DecidingKey;
use qscope_engine::cycle::{Agenda, Precedence, Run};
use qscope_engine::universe::State;
use qscope_explain::words;

use super::OrderDecision;

/// The source of values: the agenda and the state at one pick.
pub(super) struct SortKeyValues<'a> {
    pub(super) run: &'a Run,
    pub(super) agenda: &'a Agenda,
    pub(super) state: &'a State,
}

pub(super) fn key_words(run: &Run, key: DecidingKey) -> String {
    match key {
        DecidingKey::Runnable => "can be considered".to_owned(),
        DecidingKey::PreemptPriority => "preemption level".to_owned(),
        DecidingKey::Preempted => "preempted at".to_owned(),
        DecidingKey::Formula => "job_sort_formula".to_owned(),
        DecidingKey::FairShare => "fair share (usage/share)".to_owned(),
        DecidingKey::SortKey(place) => format!("job_sort_key {}", sort_key(run, place)),
        DecidingKey::QueueRank => "queued at".to_owned(),
        DecidingKey::Queried => "place in the dump".to_owned(),
    }
}

/// Returns the name of a key in machine-readable output.
pub(super) fn key_word(key: DecidingKey) -> &'static str {
    match key {
        DecidingKey::Runnable => "runnable",
        DecidingKey::PreemptPriority => "preempt_priority",
        DecidingKey::Preempted => "preempted",
        DecidingKey::Formula => "formula",
        DecidingKey::FairShare => "fair_share",
        DecidingKey::SortKey(_) => "job_sort_key",
        DecidingKey::QueueRank => "queue_rank",
        DecidingKey::Queried => "dump_place",
    }
}

/// Formats a `job_sort_key` as it is written.
fn sort_key(run: &Run, place: usize) -> String {
    let keys = run.plan.snap.policy.job_sort_key.get(run.plan.period);
    let Some(key) = keys.get(place) else { return (place + 1).to_string() };
    let term = match &key.term {
        JobSortTerm::Priority => "job_priority",
        JobSortTerm::FairsharePercentage => "fairshare_perc",
        JobSortTerm::PreemptPriority => "preempt_priority",
        JobSortTerm::Resource(name) => name,
    };
    let direction = if key.direction == SortDirection::High { "HIGH" } else { "LOW" };
    format!("{term} {direction}")
}

impl SortKeyValues<'_> {
    fn snap(&self) -> &Snapshot {
        &self.run.plan.snap
    }

    pub(super) fn decision(&self, precedence: Precedence, first: JobId, second: JobId) -> OrderDecision {
        let (by, key, values) = match precedence {
            Precedence::SameJob => ("same_job", "next subjob of the array".to_owned(), None),
            Precedence::NotReady => ("not_ready", "only it was ready".to_owned(), None),
            Precedence::ListPosition => ("listed", "place in its list".to_owned(), None),
            Precedence::Reservation => {
                let name = |job| self.reservation(job);
                ("reservation", "running reservations first".to_owned(), Some((name(first), name(second))))
            }
            Precedence::BeforeQueues => {
                let name = |job| self.ahead(job).to_owned();
                ("ahead", "ahead of all queues".to_owned(), Some((name(first), name(second))))
            }
            Precedence::QueuePriority => {
                let name = |job| self.queue(job, true);
                ("queue_priority", "queue Priority".to_owned(), Some((name(first), name(second))))
            }
            Precedence::QueueListed => {
                let name = |job| self.queue(job, false);
                ("queue_listed", "order of the queues".to_owned(), Some((name(first), name(second))))
            }
            Precedence::QueueTurn => {
                let name = |job| self.queue(job, false);
                ("turn", "turn of the queues".to_owned(), Some((name(first), name(second))))
            }
            Precedence::Key(key) => {
                let values = self.values(key, first, second);
                (key_word(key), key_words(self.run, key), Some(values))
            }
        };
        let (first, second) = values.unwrap_or_default();
        OrderDecision { by, key, first, second, precedence }
    }

    /// Returns the value of a key for two jobs, formatted so that different values read differently.
    pub(super) fn values(&self, key: DecidingKey, first: JobId, second: JobId) -> (String, String) {
        let keys = |job| self.agenda.keys(job);
        let both = |value: &dyn Fn(JobId) -> String| (value(first), value(second));
        match key {
            DecidingKey::Runnable => both(&|job| yes_or_no(keys(job).runnable).to_owned()),
            DecidingKey::PreemptPriority => both(&|job| self.level(job)),
            DecidingKey::Preempted => both(&|job| self.clock(keys(job).preempted)),
            DecidingKey::Formula => both(&|job| single(keys(job).formula)),
            DecidingKey::FairShare => self.shares(first, second),
            DecidingKey::SortKey(place) => both(&|job| self.sort_value(place, job)),
            DecidingKey::QueueRank => self.queued(first, second),
            DecidingKey::Queried => both(&|job| (keys(job).queried + 1).to_string()),
        }
    }

    /// Formats when two jobs were queued: as clock times, to the microsecond if both ranks fall in that second; as
    /// ranks if the clock times are equal.
    fn queued(&self, first: JobId, second: JobId) -> (String, String) {
        const MICROS: i64 = 1_000_000;
        let times = [first, second].map(|job| self.clock(self.snap().jobs[job].queued));
        let ranks = [first, second].map(|job| self.agenda.keys(job).queue_rank);
        // A rank in another second is not a time: a job that was moved keeps the time of its submission.
        let jobs = [first, second];
        let is_of_its_second =
            |(job, rank): (JobId, i64)| self.snap().jobs[job].queued.is_some_and(|at| at.0 == rank / MICROS);
        let are_times = jobs.into_iter().zip(ranks).all(is_of_its_second);
        let [own, other] = if are_times {
            let [x, y] = ranks.map(|rank| rank % MICROS);
            [format!("{}.{x:06}", times[0]), format!("{}.{y:06}", times[1])]
        } else if times[0] != times[1] {
            times
        } else {
            ranks.map(|rank| rank.to_string())
        };
        (own, other)
    }

    /// Formats the preemption level of a job, with its entry of `preempt_prio`.
    fn level(&self, job: JobId) -> String {
        let priority = self.agenda.keys(job).preempt_priority;
        let place = self.state.ledger.levels.checked(job).and_then(|level| level.place);
        let entry = place.and_then(|place| self.snap().scheduler.preempt_prio.split(',').nth(place as usize));
        match entry.map(str::trim) {
            Some(entry) => format!("{priority} ({entry})"),
            None => priority.to_string(),
        }
    }

    fn clock(&self, at: Option<Epoch>) -> String {
        at.map_or_else(|| "-".to_owned(), |at| words::clock(self.snap(), at))
    }

    fn sort_value(&self, place: usize, job: JobId) -> String {
        let value = self.agenda.keys(job).sort_values.get(place).copied().unwrap_or_default();
        let snap = self.snap();
        let key = snap.policy.job_sort_key.get(self.run.plan.period).get(place);
        let Some(JobSortTerm::Resource(name)) = key.map(|key| &key.term) else { return value.to_string() };
        match snap.catalogue.id(name) {
            Some(id) => snap.catalogue.show(id, &Value::Amount(Amount(value))),
            None => value.to_string(),
        }
    }

    /// Formats the two entities where the paths of two jobs part in the tree, each with its usage divided by its
    /// share.
    fn shares(&self, first: JobId, second: JobId) -> (String, String) {
        let tree = self.agenda.shares();
        let path =
            |job: JobId| self.agenda.keys(job).entity.map(|entity| tree.path(entity)).unwrap_or_default();
        let (left, right) = (path(first), path(second));
        let show = |entity: EntityId| {
            let burden = tree.burden(entity);
            format!(
                "{} {}",
                tree.entities()[entity].name,
                if burden.is_finite() { rounded(burden) } else { "no share".to_owned() }
            )
        };
        let fork = left.iter().zip(&right).find(|(x, y)| x != y);
        match fork.or_else(|| left.last().zip(right.last())) {
            Some((x, y)) => (show(*x), show(*y)),
            None => ("-".to_owned(), "-".to_owned()),
        }
    }

    pub(super) fn reservation(&self, job: JobId) -> String {
        let plan = &self.run.plan;
        plan.reservation_of(job)
            .map_or_else(|| "-".to_owned(), |id| plan.snap.reservations[id].name.to_string())
    }

    pub(super) fn ahead(&self, job: JobId) -> &'static str {
        use qscope_engine::universe::LevelBits;
        if self.agenda.is_preempted(job) {
            "preempted"
        } else if self.state.ledger.levels[job].bits.has(LevelBits::EXPRESS) {
            "express"
        } else {
            "-"
        }
    }

    pub(super) fn queue(&self, job: JobId, with_priority: bool) -> String {
        let plan = &self.run.plan;
        let show = |id: QueueId| {
            let queue = &plan.snap.queues[id];
            if with_priority { format!("{} {}", queue.priority, queue.name) } else { queue.name.to_string() }
        };
        plan.queue_of(job).map_or_else(|| "-".to_owned(), show)
    }
}

/// Formats a value kept in single precision with as few digits as identify it.
// The value was in single precision before.
pub(super) fn single(value: f64) -> String {
    (value as f32).to_string()
}

fn yes_or_no(holds: bool) -> &'static str {
    if holds { "yes" } else { "no" }
}

/// Formats a number in at most about eight characters.
pub(super) fn rounded(value: f64) -> String {
    if value.abs() >= 100.0 || value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.4}") }
}
