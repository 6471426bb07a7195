//! Finds changes that would move a job ahead of another; each is tried by running the cycle again.

use std::sync::Arc;

use qscope_engine::cluster::{
    Amount, Edit, Job, JobId, JobSortTerm, JobState, Name, QueueKind, ResourceId, Seconds, Value,
    nearest_holding,
};
use qscope_engine::cycle::Run;
use serde::Serialize;

use super::comparison::OrderComparison;

/// A change after which the job is considered before the other one.
#[derive(Clone, Debug, Serialize)]
pub struct OrderChange {
    pub change: String,
    /// Who can make it: `owner`, `operator`, or `time` if waiting does it.
    pub by: &'static str,
    /// The change as edits.
    #[serde(skip)]
    pub edits: Vec<Edit>,
}

/// The lowest and the highest priority that PBS accepts.
const PRIORITIES: [i64; 2] = [*Job::PRIORITIES.start(), *Job::PRIORITIES.end()];
/// The longest wait tried, in seconds.
const LONGEST_WAIT: i64 = 90 * 86_400;

/// Returns changes that move the second job of a pair ahead of the first, each proven by a cycle and the smallest of
/// its kind. `wanted` is called before each cycle; if it returns false, the search ends soon with what was found so
/// far.
pub fn moves_ahead(
    run: &Arc<Run>,
    comparison: &OrderComparison,
    wanted: &dyn Fn() -> bool,
) -> Vec<OrderChange> {
    let [other, job] = comparison.ids;
    let search = OrderChangeSearch { run, job, other, wanted };
    if job == other {
        return Vec::new();
    }
    // While a job is held, no key has it considered.
    if search.of().state == JobState::Held {
        return search.release().into_iter().collect();
    }
    let found = [search.priority(), search.waiting(), search.walltime(), search.queue(), search.exchange()];
    found.into_iter().flatten().collect()
}

struct OrderChangeSearch<'r> {
    run: &'r Arc<Run>,
    job: JobId,
    other: JobId,
    wanted: &'r dyn Fn() -> bool,
}

impl OrderChangeSearch<'_> {
    fn of(&self) -> &Job {
        self.run.plan.job(self.job)
    }

    /// Whether the job comes first in the cycle over an edited cluster.
    fn is_ahead(&self, edits: &[Edit]) -> bool {
        if !(self.wanted)() {
            return false;
        }
        let plan = &self.run.plan;
        let again = self.run.over(Arc::new(plan.snap.with(edits)));
        match (again.step_of(self.job), again.step_of(self.other)) {
            (Some(own), Some(other)) => own < other,
            _ => false,
        }
    }

    fn edited(&self, change: impl FnOnce(&mut Job)) -> Vec<Edit> {
        let mut job = self.of().clone();
        change(&mut job);
        vec![Edit::Job(self.job, Box::new(job))]
    }

    /// Whether a name occurs in the formula or in a sort key in force.
    fn counts(&self, in_formula: &str, is_key: impl Fn(&JobSortTerm) -> bool) -> bool {
        let plan = &self.run.plan;
        let formula = self.run.setup.formula.as_ref();
        let keys = plan.snap.policy.job_sort_key.get(plan.period);
        formula.is_some_and(|formula| formula.names().contains(&in_formula))
            || keys.iter().any(|key| is_key(&key.term))
    }

    /// Returns the value nearest to `from` that moves the job ahead, between `from` and `to`; `None` if `to` does
    /// not.
    fn nearest(&self, from: i64, to: i64, edits: impl Fn(i64) -> Vec<Edit>) -> Option<(i64, Vec<Edit>)> {
        if from == to {
            return None;
        }
        let is_ahead = |value| self.is_ahead(&edits(value));
        let value = is_ahead(to).then(|| nearest_holding(from, to, is_ahead))?;
        Some((value, edits(value)))
    }

    fn priority(&self) -> Option<OrderChange> {
        if !self.counts("job_priority", |term| *term == JobSortTerm::Priority) {
            return None;
        }
        let have = self.of().priority;
        let edits = |value| self.edited(|job| job.priority = value);
        let (value, edits) = PRIORITIES.into_iter().rev().find_map(|to| self.nearest(have, to, edits))?;
        Some(OrderChange {
            change: format!("Priority={value} instead of {have} (qalter -p)"),
            by: "owner",
            edits,
        })
    }

    /// The eligible time of all waiting jobs grows equally.
    fn waiting(&self) -> Option<OrderChange> {
        if !self.counts("eligible_time", |_| false) {
            return None;
        }
        let snap = &self.run.plan.snap;
        let edits = |minutes: i64| -> Vec<Edit> {
            let queued = snap.jobs.enumerate().filter(|(_, job)| job.state == JobState::Queued);
            let later = |(id, job): (JobId, &Job)| {
                let eligible_time = Seconds(job.eligible_time.0 + minutes * 60);
                Edit::Job(id, Box::new(Job { eligible_time, ..job.clone() }))
            };
            queued.map(later).collect()
        };
        let (minutes, edits) = self.nearest(0, LONGEST_WAIT / 60, edits)?;
        let change = format!("{} more of eligible time for both", Seconds(minutes * 60));
        Some(OrderChange { change, by: "time", edits })
    }

    /// Another walltime, if the order depends on it.
    fn walltime(&self) -> Option<OrderChange> {
        let is_key =
            |term: &JobSortTerm| matches!(term, JobSortTerm::Resource(name) if &**name == "walltime");
        if !self.counts("walltime", is_key) {
            return None;
        }
        let have = self.of().requested.amount(ResourceId::walltime())?.0 as i64;
        let edits = |minutes: i64| {
            let amount = Value::Amount(Amount((minutes * 60) as f64));
            self.edited(|job| job.requested.set(ResourceId::walltime(), amount))
        };
        let (minutes, edits) =
            [1, 100 * have / 60].into_iter().find_map(|to| self.nearest(have / 60, to, edits))?;
        let (new, old) = (Seconds(minutes * 60), Seconds(have));
        Some(OrderChange {
            change: format!("walltime={new} instead of {old} (qalter -l)"),
            by: "owner",
            edits,
        })
    }

    /// The release of all its holds.
    fn release(&self) -> Option<OrderChange> {
        let edits = self.edited(|job| {
            job.state = JobState::Queued;
            job.holds = Name::default();
        });
        let by = if self.of().holds.chars().all(|hold| hold == 'u') { "owner" } else { "operator" };
        let change = "release its holds (qrls)".to_owned();
        self.is_ahead(&edits).then_some(OrderChange { change, by, edits })
    }

    /// The queue of the other job, if it is a different one.
    fn queue(&self) -> Option<OrderChange> {
        let snap = &self.run.plan.snap;
        let name: Name = self.run.plan.job(self.other).queue.clone();
        let queue = &snap.queues[snap.queue_named(&name)?];
        let is_open = queue.kind == QueueKind::Execution && queue.started && queue.enabled;
        if name == self.of().queue || !is_open {
            return None;
        }
        let edits = self.edited(|job| job.queue = name.clone());
        self.is_ahead(&edits).then(|| OrderChange {
            change: format!("queue {name} (qmove)"),
            by: "owner",
            edits,
        })
    }

    /// The exchange of their places in the queue.
    fn exchange(&self) -> Option<OrderChange> {
        let (own, other) = (self.of(), self.run.plan.job(self.other));
        let mut edits = self.edited(|job| {
            job.queue_rank = other.queue_rank;
            job.queued = other.queued;
        });
        let exchanged = Job { queue_rank: own.queue_rank, queued: own.queued, ..other.clone() };
        edits.push(Edit::Job(self.other, Box::new(exchanged)));
        let change = format!("exchange their places (qorder {} {})", own.short_name(), other.short_name());
        self.is_ahead(&edits).then_some(OrderChange { change, by: "operator", edits })
    }
}
