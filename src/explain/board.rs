//! The causes board: what keeps the whole queue waiting, cause by cause, with the jobs of each.

mod survey;

use qscope_engine::cluster::{InsertionOrderMap, Job, JobId, ResourceId};
use qscope_engine::cycle::{Outcome, Run};

use super::array_names::subjobs_started;
use super::cause::refused::REFUSED_BY_SERVER;
use super::tier::Tier;

pub use survey::{BoardBuilder, ExplainedJob, ReasonTally};

/// One cause and the jobs it keeps waiting.
#[derive(Clone, Debug, PartialEq)]
pub struct BoardRow {
    /// Whether its jobs were analysed. Otherwise this is the first condition the scheduler hit, and the tier is
    /// derived from that.
    pub analysed: bool,
    pub tier: Tier,
    /// The reason as tables name it: `insufficient ncpus`.
    pub name: String,
    /// The exact kind of cause.
    pub kind: &'static str,
    /// The object of the cause: the limit, the resource, the set; empty if it differs from job to job.
    pub object: String,
    /// The entity and queue of a limit: `alice`, `g:carol special`; empty for other causes.
    pub limit_owner: String,
    pub example: String,
    /// The sentence without the job and the name of the reason.
    pub short_sentence: String,
    /// The jobs, in the order considered.
    pub jobs: Vec<JobId>,
    /// The core-hours that they request.
    pub core_hours: f64,
    /// Number of nodes that could serve at least one of them.
    pub nodes: u64,
    /// Number of these jobs that can never run, even if the deepest cause is another one, such as a hold or a stopped
    /// queue.
    pub never: u64,
}

/// All causes, those with the most core-hours first; causes not analysed come last.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Board {
    pub rows: Vec<BoardRow>,
    pub waiting: u64,
    /// The core-hours that they request.
    pub core_hours: f64,
    /// Number of kinds of waiting jobs; the jobs of a kind are alike, so one is analysed for all.
    pub kinds: u64,
    pub analysed: u64,
    /// Number of jobs classified only by the first condition met, because there are too many kinds.
    pub jobs_by_first_condition: u64,
    /// The core-hours that these jobs request.
    pub hours_at_a_glance: f64,
}

impl BoardRow {
    /// States how many of the jobs can never run, for a row about another cause; `None` if all can run.
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

    /// Returns the cause as tables name it, or that it was not analysed.
    pub fn title(&self) -> &str {
        if self.analysed { &self.name } else { "by the first condition met" }
    }

    /// Returns the object of the cause, unless the title contains it.
    pub fn cause_object(&self) -> &str {
        if self.title().contains(&self.object) { "" } else { &self.object }
    }
}

impl Board {
    /// States that only a part was analysed; `None` if all was.
    pub fn sample(&self) -> Option<String> {
        (self.analysed < self.kinds).then(|| {
            let share = (1.0 - self.hours_at_a_glance / self.core_hours.max(f64::MIN_POSITIVE)) * 100.0;
            format!(
                "analysed {} of {} job classes, {share:.0} % of the core-hours; {} by the first condition met",
                self.analysed,
                self.kinds,
                super::words::count(self.jobs_by_first_condition, "job")
            )
        })
    }
}

/// Analyses the whole queue and counts the causes.
pub fn board(run: &std::sync::Arc<Run>) -> Board {
    let mut survey = BoardBuilder::new(run.clone());
    survey.analyse_groups(&mut || true);
    survey.board()
}

/// Returns the final outcome of every waiting job, each once, in the order considered. An array that starts some
/// subjobs is considered several times and counts as one waiting job if its last turn failed; one whose subjobs have
/// all been started no longer waits.
pub(super) fn waiting(run: &Run) -> Vec<&Outcome> {
    let mut last = last_outcomes(run);
    last.retain(|outcome| {
        let job = run.plan.job(outcome.job);
        !run.is_start(outcome) && !job.is_represented_by_array() && !job.is_all_started()
    });
    last
}

/// Returns the final outcome of every job, each once, in the order considered: for an array that is considered several
/// times, that of its last turn, or of a subjob that the server refuses.
pub fn last_outcomes(run: &Run) -> Vec<&Outcome> {
    let mut last: InsertionOrderMap<JobId, &Outcome> = InsertionOrderMap::default();
    for outcome in run.outcomes() {
        let last = last.of(outcome.job, || outcome);
        // The server may refuse one subjob of an array and start the next; the refused one keeps waiting.
        if !run.is_refused(last) || !run.is_start(outcome) {
            *last = outcome;
        }
    }
    last.into_all()
}

/// Returns the number of jobs that wait after a cycle.
pub fn waiting_jobs(run: &Run) -> usize {
    waiting(run).len()
}

/// Returns the core-hours that a waiting job requests; for an array, those of the subjobs that this cycle leaves.
pub fn waiting_core_hours(run: &Run, job: JobId) -> f64 {
    let of = run.plan.job(job);
    let all = of.array.as_ref().map_or(0, |array| array.remaining.len());
    let started = subjobs_started(run, job);
    if all == 0 || started == 0 {
        return core_hours(of);
    }
    core_hours(of) * all.saturating_sub(started) as f64 / all as f64
}

/// Returns the core-hours that a job requests; for an array, those of one subjob.
pub(super) fn hours_of_one(run: &Run, job: JobId) -> f64 {
    let of = run.plan.job(job);
    core_hours(of) / of.array.as_ref().map_or(1, |array| array.remaining.len().max(1)) as f64
}

/// Returns the core-hours that a job requests; for an array, those of all remaining subjobs. Without a walltime, one
/// hour is assumed.
pub fn core_hours(job: &Job) -> f64 {
    // A negative amount is an error in the dump.
    let amount = |id| job.requested.amount(id).map(|amount| amount.0.max(0.0));
    let cpus = amount(ResourceId::ncpus()).unwrap_or(1.0);
    let array = job.array.as_ref().map_or(1, |array| array.remaining.len().max(1));
    cpus * amount(ResourceId::walltime()).unwrap_or(3600.0) / 3600.0 * array as f64
}
