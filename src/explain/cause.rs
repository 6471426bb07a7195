//! The causes that keep a job waiting: every one that applies, each found independently of what the scheduler hit
//! first.
//!
//! The comment in the dump is never used here. Each finder answers one question about the job as of its [`JobTurn`]; the
//! causes are then sorted by tier.

mod calendar;
pub(crate) mod limits;
mod never;
mod nodes;
mod order;
pub(crate) mod refused;
mod state;
pub(crate) mod undone;
mod whole;

pub use calendar::CalendarConflict;
pub(crate) use limits::counted;
pub use never::fits_idle;
pub(crate) use state::{depends_on_unknown_job, partition_elsewhere};

use std::sync::Arc;

use qscope_engine::cluster::{JobId, JobState, SettingLocation};
use qscope_engine::cycle::{Eligibility, IdleCluster, Outcome, Run, Verdict};

use qscope_exits::json::by_name;
use serde::Serialize;

use super::turn::last_step;
use super::{JobTurn, Tier, decided};
use refused::refused;
use undone::undone;

/// One cause that keeps a job waiting.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Cause {
    pub tier: Tier,
    /// The exact cause in machine-readable output: `held`, `queue-stopped`, `run-limit` and so on.
    pub kind: &'static str,
    /// Batch system names of the objects concerned: limits, queues, resources, sets, jobs, reservations, nodes.
    pub objects: Vec<String>,
    /// One plain sentence, numbers first.
    pub sentence: String,
    /// The sentence in a few words for a table, if it is long and compares no two numbers.
    #[serde(skip)]
    pub brief: Option<String>,
    /// The sentence without the job and the name of the reason, if it names the job.
    #[serde(skip)]
    pub beside: Option<String>,
    /// What explains its two numbers, in a few words: `21 others carry jobs 50 51`.
    #[serde(skip)]
    pub because: Option<String>,
    /// The unit of its two numbers, if its kind does not give it: `ncpus on one host`.
    #[serde(skip)]
    pub unit: Option<String>,
    /// What distinguishes it from other causes of its kind on a board, if that is more than its first object.
    #[serde(skip)]
    pub one_row: Option<String>,
    /// The entity and queue of a limit in a few words: `alice`, `g:carol special`.
    #[serde(skip)]
    pub whose: Option<String>,
    /// Settings that it rests on and that neither its sentence nor its objects name.
    #[serde(skip)]
    pub settings: Vec<String>,
    /// Lines of the scheduler's calendars that it rests on.
    #[serde(skip)]
    pub lines: Vec<SettingLocation>,
    /// The numbers compared, by name, as the batch system prints them.
    #[serde(serialize_with = "by_name")]
    pub numbers: Vec<(&'static str, String)>,
    /// Additional sentences.
    pub notes: Vec<String>,
}

impl Cause {
    /// Creates a cause without objects, numbers or notes.
    pub fn new(tier: Tier, kind: &'static str, sentence: String) -> Self {
        Self {
            tier,
            kind,
            objects: Vec::new(),
            sentence,
            brief: None,
            beside: None,
            because: None,
            unit: None,
            one_row: None,
            whose: None,
            settings: Vec::new(),
            lines: Vec::new(),
            numbers: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Creates a cause whose sentence begins with the name of the job: `12 may not start before 03:57:00`.
    pub(super) fn of_job(tier: Tier, kind: &'static str, job: &str, predicate: String) -> Self {
        let sentence = format!("{job} {predicate}");
        Self { beside: Some(predicate), ..Self::new(tier, kind, sentence) }
    }

    /// Creates a cause that states what a job is: `12 is held`, with `held` for display next to the job.
    pub(super) fn of_job_that_is(tier: Tier, kind: &'static str, job: &str, what: String) -> Self {
        let sentence = format!("{job} is {what}");
        Self { beside: Some(what), ..Self::new(tier, kind, sentence) }
    }

    /// Creates a cause for a job that can never run: `0 of 8 nodes have color=red: 12 can never run`, with the first
    /// part for display next to the job and its verdict.
    pub(super) fn of_job_that_never_runs(kind: &'static str, job: &str, why: String) -> Self {
        let sentence = format!("{why}: {job} can never run");
        Self { beside: Some(why), ..Self::new(Tier::Never, kind, sentence) }
    }

    /// Whether it is the time of day: then no node and no limit matters until it has changed.
    pub(super) fn is_time_of_day(&self) -> bool {
        matches!(self.kind, "time-window" | "prime-boundary")
    }

    /// Returns its place among several causes, deepest first: by tier, except that the time of day holds all jobs of a
    /// queue, as a stopped queue does.
    fn depth(&self) -> u8 {
        if self.is_time_of_day() { Tier::Stopped } else { self.tier }.rank()
    }

    pub(super) fn with_objects(mut self, objects: impl IntoIterator<Item = String>) -> Self {
        for object in objects {
            if !object.is_empty() && !self.objects.contains(&object) {
                self.objects.push(object);
            }
        }
        self
    }

    pub(super) fn set_by(self, settings: impl IntoIterator<Item = String>) -> Self {
        Self { settings: settings.into_iter().collect(), ..self }
    }

    pub(super) fn made_at(self, lines: impl IntoIterator<Item = SettingLocation>) -> Self {
        Self { lines: lines.into_iter().collect(), ..self }
    }

    pub(super) fn with_short_sentence(self, brief: String) -> Self {
        Self { brief: Some(brief), ..self }
    }

    fn with_explanation(self, why: impl Into<Option<String>>) -> Self {
        Self { because: why.into(), ..self }
    }

    #[expect(clippy::needless_pass_by_value, reason = "numbers are made where they are passed")]
    fn number(mut self, name: &'static str, value: impl ToString) -> Self {
        self.numbers.push((name, value.to_string()));
        self
    }

    fn note(mut self, note: impl Into<Option<String>>) -> Self {
        self.notes.extend(note.into());
        self
    }
}

impl Tier {
    /// Returns the tier of what the scheduler hit first, or [`Never`](Self::Never) for a job that can never run;
    /// `None` for jobs that start. The actual causes are found by [`causes`].
    pub fn of(run: &Run, outcome: &Outcome) -> Option<Self> {
        Self::with_state(run, outcome, || state_cause(run, outcome.job).map(|cause| cause.tier))
    }
}

/// Whether a job runs, or starts in this cycle and keeps its nodes.
pub(super) fn starts(run: &Run, job: JobId) -> bool {
    run.plan.job(job).is_all_started()
        || decided(run, job).is_none_or(|outcome| run.verdict(outcome) == Verdict::Run)
}

/// Returns all causes that keep a job waiting, deepest first; empty for jobs that run or start in this cycle.
pub fn causes(run: &Arc<Run>, job: JobId) -> Vec<Cause> {
    if starts(run, job) || run.plan.job(job).state.is_over() {
        return Vec::new();
    }
    if let Some(undone) = refused(run, job).or_else(|| undone(run, job)) {
        return vec![undone];
    }
    if let Some(found) = of_its_array(run, job) {
        return found;
    }
    let Some(mut turn) = JobTurn::new(run, job) else {
        return state::causes(run, job);
    };
    causes_at(&mut turn)
}

/// Returns the deepest cause in the state of the job or its queue, the only kind of cause known without analysing its
/// turn. `None` for subjobs, which wait for the same as their array.
pub(super) fn state_cause(run: &Run, job: JobId) -> Option<Cause> {
    let is_out = matches!(run.eligibility[job], Eligibility::Excluded(_));
    let found = if is_out && !run.plan.job(job).is_subjob() { state::causes(run, job) } else { Vec::new() };
    found.into_iter().min_by_key(Cause::depth)
}

/// Returns the causes of a subjob's array, because the scheduler examines the array in its place; `None` for other
/// jobs, or if the array has no causes.
fn of_its_array(run: &Arc<Run>, job: JobId) -> Option<Vec<Cause>> {
    let snap = &run.plan.snap;
    if is_considered_alone(run, job) {
        return None;
    }
    let parent = snap.jobs[job].array.as_ref().and_then(|array| array.parent.as_ref())?;
    let array = snap.job_named(parent).filter(|array| *array != job)?;
    let mut found = causes(run, array);
    // Their sentences begin with the name of the array.
    found.iter_mut().for_each(|cause| cause.beside = None);
    let first = found.first_mut()?;
    let name = snap.jobs[job].short_name();
    first.notes.push(format!("{name} is a subjob: its array {parent} is considered for it"));
    if !first.objects.contains(&parent.to_string()) {
        first.objects.push(parent.to_string());
    }
    Some(found)
}

/// Whether a subjob is considered on its own: it is suspended, or this cycle preempts it and considers it again.
pub(super) fn is_considered_alone(run: &Run, job: JobId) -> bool {
    run.plan.job(job).state == JobState::Suspended || last_step(run, job).is_some()
}

/// Like [`causes`], for a job whose turn is already known.
pub(super) fn causes_at(turn: &mut JobTurn) -> Vec<Cause> {
    causes_with(turn, None)
}

/// Like [`causes_at`], with an existing idle cluster, for analysing many jobs.
pub(super) fn causes_with(turn: &mut JobTurn, idle: Option<&mut IdleCluster>) -> Vec<Cause> {
    if let Some(undone) = refused(&turn.run, turn.job).or_else(|| undone(&turn.run, turn.job)) {
        return vec![undone];
    }
    if turn.run.plan.job(turn.job).state.is_over() {
        return Vec::new();
    }
    let mut found = state::causes(&turn.run, turn.job);
    // Its nodes, limits and order are those of another scheduler.
    if partition_elsewhere(&turn.run, turn.job).is_some() {
        found.sort_by_key(Cause::depth);
        return found;
    }
    let before = found.len();
    let idle = never::cause(turn, idle);
    let possible = idle.is_none();
    found.extend(idle);
    found.extend(limits::causes(turn));
    found.extend(calendar::windows(turn));
    found.extend(order::stopped(turn));
    if possible {
        nodes::causes(turn, &mut found);
    }
    found.extend(order::not_considered(turn, &found));
    // For a subjob whose array started others, list what keeps it, not that its array represents it.
    if found.len() > before {
        found.retain(|cause| cause.kind != "subjob");
    }
    // A job that crosses dedicated time would not have started on the nodes that others took; windows come first.
    let is_overtaken = found.iter().any(|cause| cause.kind == "overtaken");
    let depth = |cause: &Cause| match cause.kind {
        "dedicated-time" if is_overtaken => Tier::Order.rank(),
        _ => cause.depth(),
    };
    // Stable: causes of one tier keep the order in which the scheduler checks them.
    found.sort_by_key(depth);
    found
}
