//! The causes board: what keeps the whole queue waiting, cause by cause, with the jobs behind each.

mod survey;

use qscope_engine::cluster::{FirstMet, Job, JobId, ResourceId};
use qscope_engine::cycle::{Outcome, Run, Verdict};

use super::array_names::subjobs_started;
use super::cause::refused::REFUSED_BY_SERVER;
use super::tier::Tier;

pub use survey::{Explained, ReasonTally, Survey};

/// One cause and the jobs that wait for it.
#[derive(Clone, Debug, PartialEq)]
pub struct BoardRow {
    /// Whether its jobs were analysed; else this is what the scheduler hit first, and the kind of cause is a guess
    /// from that.
    pub analysed: bool,
    /// The kind of cause.
    pub tier: Tier,
    /// The reason in a table's words: `insufficient ncpus`.
    pub name: String,
    /// Which cause exactly.
    pub kind: &'static str,
    /// What it is about: the limit, the resource, the set; empty where each job waits for another one.
    pub object: String,
    /// One of its sentences.
    pub example: String,
    /// The same beside its job and the name of the reason.
    pub beside: String,
    /// The jobs, in the order considered.
    pub jobs: Vec<JobId>,
    /// The cpu time that they request, in hours.
    pub core_hours: f64,
    /// How many nodes could serve at least one of them.
    pub nodes: u64,
    /// How many of them can never run as the cluster is, also where something else is the deepest cause: a job that is
    /// held or whose queue is stopped stands under that.
    pub never: u64,
}

/// All causes, those that keep the most cpu time first; what was not analysed comes last.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Board {
    pub rows: Vec<BoardRow>,
    /// How many jobs wait.
    pub waiting: u64,
    /// The cpu time that they request, in hours.
    pub core_hours: f64,
    /// How many kinds of jobs wait: jobs of one kind are alike, so one of them speaks for all.
    pub kinds: u64,
    /// How many of these kinds were analysed.
    pub analysed: u64,
    /// How many jobs were classified only by what the scheduler hit first, because there are too many kinds.
    pub at_a_glance: u64,
    /// The cpu time that these request, in hours.
    pub hours_at_a_glance: f64,
}

impl BoardRow {
    /// That some of the jobs can never run, in words, where the row is about something else; none where all can.
    pub fn never_besides(&self) -> Option<String> {
        (self.tier != Tier::Never && self.never > 0).then(|| match (self.never, self.jobs.len()) {
            (1, 1) => "and it can never run".to_owned(),
            (all, jobs) if all == jobs as u64 => format!("and all {all} can never run"),
            (some, _) => format!("and {some} of them can never run"),
        })
    }

    /// Whether its jobs are starts that the server refuses.
    pub fn is_refused(&self) -> bool {
        self.kind == REFUSED_BY_SERVER
    }

    /// The cause as tables name it, or that it was not analysed.
    pub fn title(&self) -> &str {
        if self.analysed { &self.name } else { "by the first condition met" }
    }

    /// What the cause is about, unless its title has that.
    pub fn about(&self) -> &str {
        if self.title().contains(&self.object) { "" } else { &self.object }
    }
}

impl Board {
    /// That only a part was analysed, in words; none when all of it was.
    pub fn sample(&self) -> Option<String> {
        (self.analysed < self.kinds).then(|| {
            let share = (1.0 - self.hours_at_a_glance / self.core_hours.max(f64::MIN_POSITIVE)) * 100.0;
            format!(
                "analysed {} of {} job classes, {share:.0} % of the core-hours; {} by the first condition met",
                self.analysed,
                self.kinds,
                super::words::count(self.at_a_glance, "job")
            )
        })
    }
}

/// Counts the causes over the whole queue.
pub fn board(run: &std::sync::Arc<Run>) -> Board {
    let mut survey = Survey::new(run.clone());
    survey.go_on(&mut || true);
    survey.board()
}

/// What became in the end of every job that waits, each once, in the order considered. An array that starts some of its
/// subjobs is considered several times, and waits as one job when its last turn came to nothing; one of which all subjobs
/// have been started waits no more.
pub(super) fn waiting(run: &Run) -> Vec<&Outcome> {
    let starts = |outcome: &Outcome| outcome.verdict == Verdict::Run && !run.is_refused(outcome);
    let mut last: FirstMet<JobId, &Outcome> = FirstMet::default();
    for outcome in run.outcomes() {
        let last = last.of(outcome.job, || outcome);
        // Of an array the server may refuse one subjob and start the next: what it refuses waits.
        if !run.is_refused(last) || !starts(outcome) {
            *last = outcome;
        }
    }
    let mut last = last.into_all();
    last.retain(|outcome| {
        let job = run.plan.job(outcome.job);
        !starts(outcome) && !job.is_subjob() && !job.is_all_started()
    });
    last
}

/// How many jobs wait after a cycle.
pub fn waiting_jobs(run: &Run) -> usize {
    waiting(run).len()
}

/// The cpu time that a waiting job requests, in hours; of an array, for the subjobs that this cycle leaves.
pub fn waiting_core_hours(run: &Run, job: JobId) -> f64 {
    let of = run.plan.job(job);
    let all = of.array.as_ref().map_or(0, |array| array.remaining.len());
    let started = subjobs_started(run, job);
    if all == 0 || started == 0 {
        return core_hours(of);
    }
    core_hours(of) * all.saturating_sub(started) as f64 / all as f64
}

/// The cpu time that a job requests, in hours; of an array, for one subjob.
pub(super) fn hours_of_one(run: &Run, job: JobId) -> f64 {
    let of = run.plan.job(job);
    core_hours(of) / of.array.as_ref().map_or(1, |array| array.remaining.len().max(1)) as f64
}

/// The cpu time that a job requests, in hours, an array for all subjobs that remain; what has no walltime counts as
/// an hour.
pub fn core_hours(job: &Job) -> f64 {
    // Less than nothing is a fault of a dump.
    let amount = |id| job.requested.amount(id).map(|amount| amount.0.max(0.0));
    let cpus = amount(ResourceId::ncpus()).unwrap_or(1.0);
    let array = job.array.as_ref().map_or(1, |array| array.remaining.len().max(1));
    cpus * amount(ResourceId::walltime()).unwrap_or(3600.0) / 3600.0 * array as f64
}
