//! The answer to a request: whether it is accepted, whether it starts now, otherwise when and why, and which smaller
//! request starts at once.

use qscope_engine::placement::PlacementPath;
use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;

use qscope_engine::cluster::{Edit, Epoch, JobId, JobState, Name, ResourceId, Snapshot, deduplicated};
use qscope_engine::cycle::Run;
use qscope_exits::json::by_name;
use qscope_explain::{
    ForecastSource, QueueMove, Remedy, RemedySearchEvent, forecast, own_changes, why, words,
};
use serde::Serialize;

use super::submit::ARRAY_NAME;
use super::{AcceptedRequest, SubmitRefusal, SubmitRequest, submit};
use crate::TrialRun;

/// How much is searched.
#[derive(Clone, Copy, Debug)]
pub struct RequestEffort {
    /// Maximum number of cycles run forward to find its start; 0 for no estimate.
    pub cycles: u32,
    /// Whether smaller requests are searched for.
    pub smaller: bool,
}

/// What would become of a request.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RequestAnswer {
    /// Whether the server would accept it.
    pub accepted: bool,
    /// Every reason why it would not.
    pub refusals: Vec<SubmitRefusal>,
    /// Queues that would accept it, if the requested one does not.
    pub other_queues: Vec<String>,
    /// The queue it would be in.
    pub queue: Option<String>,
    pub user: String,
    /// The select that the scheduler would read.
    pub select: Option<String>,
    pub place: Option<String>,
    /// The rest of `Resource_List`, as name and value.
    #[serde(serialize_with = "by_name")]
    pub resources: Vec<(String, String)>,
    /// What the server added to the request.
    pub added: Vec<String>,
    /// Conditions of the acceptance that no dump shows.
    pub doubts: Vec<String>,
    /// The scheduler's own verdict, as in `cycle`: `run`, `not_now`, `never` or `not_considered`; null if it is not
    /// accepted. Of an array, that of its first subjob.
    pub verdict: Option<&'static str>,
    /// What becomes of that verdict, in the same words, as in `cycle`.
    pub final_verdict: Option<&'static str>,
    /// The subjobs of an array.
    pub subjobs: Option<SubjobCounts>,
    /// Its place in the order considered.
    pub order: Option<u32>,
    /// The placement path: `bucket` or `node`.
    pub path: Option<&'static str>,
    pub exec_vnode: Option<String>,
    /// The vnodes it would get.
    pub nodes: Vec<String>,
    /// Why it does not start now, in one sentence; empty if it does.
    pub headline: String,
    /// The kind of the cause.
    pub tier: Option<&'static str>,
    /// What holds for every job, such as that scheduling is off.
    pub banners: Vec<String>,
    pub when: Option<RequestStart>,
    /// Jobs that would have started in this cycle and no longer do; of an array that still starts in part, the
    /// subjobs.
    pub delays: Vec<String>,
    /// Jobs that would be preempted for it; for an array, for any of its subjobs.
    pub preempts: Vec<String>,
    /// Other queues in which it would start at once; each is also in `smaller`, with its costs.
    pub starts_in: Vec<String>,
    /// Number of other queues that would accept it and were not tried.
    pub queues_not_tried: usize,
    /// Requests of the same user that would start at once, the smallest change first.
    pub smaller: Vec<Remedy>,
}

/// The subjobs of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct SubjobCounts {
    /// Number of subjobs.
    pub total: usize,
    /// Number of those that would start in this cycle.
    pub starting: usize,
}

/// When it would start, if not now.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RequestStart {
    /// In seconds since 1970; null if it would not start.
    pub start: Option<i64>,
    /// How it was found: `top_job`, `forecast`, `nothing` or `ended`.
    pub source: ForecastSource,
    pub words: String,
}

/// Tries a request: adds the job to the cluster of a cycle, and runs the cycle over that.
pub fn answer(run: &Run, request: &SubmitRequest, effort: RequestEffort) -> RequestAnswer {
    let snap = &run.plan.snap;
    match submit(snap, request) {
        Err(refusals) => RequestAnswer {
            other_queues: taken_by(snap, request).map(|(name, _)| name).collect(),
            queue: request.queue.clone().or(snap.server.default_queue.as_deref().map(str::to_owned)),
            user: request.user.clone(),
            refusals,
            ..RequestAnswer::default()
        },
        Ok(submission) => {
            let own = submission.job.queue.clone();
            accepted(run, submission, effort, &|| other_queues(snap, request, &own))
        }
    }
}

/// Returns the queues that accept the request unconditionally, except those of reservations, each with the job as it
/// would be there.
fn taken_by<'a>(
    snap: &'a Snapshot,
    request: &'a SubmitRequest,
) -> impl Iterator<Item = (String, AcceptedRequest)> + use<'a> {
    let reserved = |name: &str| snap.reservations.iter().any(|r| r.queue.as_deref() == Some(name));
    let names = snap.queues.iter().map(|queue| queue.name.to_string()).filter(move |name| !reserved(name));
    names.filter_map(|name| {
        let there = SubmitRequest { queue: Some(name.clone()), ..request.clone() };
        let submission = submit(snap, &there).ok().filter(|found| found.doubts.is_empty())?;
        Some((name, submission))
    })
}

/// Returns the started queues besides its own that would accept the request.
fn other_queues(snap: &Snapshot, request: &SubmitRequest, own: &Name) -> Vec<QueueMove> {
    let is_started = |name: &str| snap.queue_named(name).is_some_and(|id| snap.queues[id].started);
    let others = taken_by(snap, request)
        .filter(|(name, found)| **name != **own && found.job.queue != *own && is_started(&found.job.queue));
    let moved = |(name, found): (String, AcceptedRequest)| QueueMove {
        queue: name.into(),
        condition: None,
        job: found.job,
    };
    others.map(moved).collect()
}

fn accepted(
    run: &Run,
    submission: AcceptedRequest,
    effort: RequestEffort,
    queues: &(dyn Fn() -> Vec<QueueMove> + Sync),
) -> RequestAnswer {
    let AcceptedRequest { job, added, doubts } = submission;
    let id = TrialRun::added(run);
    // The server releases it once its dependency is met, which is neither a matter of its request nor of nodes.
    let depends = job.depend.is_some() && job.state == JobState::Held;
    let trial = TrialRun::of(run, &[Edit::NewJob(Box::new(job))]);
    let mut found = decided(&trial.run, id);
    found.added = added;
    found.doubts = doubts;
    found.delays = trial.difference.delayed().map(str::to_owned).collect();
    if found.starts() || depends {
        return found;
    }
    let run = &trial.run;
    // The two searches are independent.
    let (when, changes) = thread::scope(|scope| {
        let changes =
            effort.smaller.then(|| scope.spawn(|| own_changes(run, id, queues(), &mut always_continue)));
        let when = (effort.cycles > 0).then(|| request_start(run, id, effort.cycles)).flatten();
        let changes = changes.map(|found| found.join().unwrap_or_else(|panic| resume_unwind(panic)));
        (when, changes.unwrap_or_default())
    });
    let to_queue = |remedy: &Remedy| remedy.to_queue.as_ref().map(ToString::to_string);
    found.when = when;
    found.starts_in = changes.working.iter().filter_map(to_queue).collect();
    found.queues_not_tried = changes.queues_not_tried;
    found.smaller = changes.working;
    found
}

fn always_continue(_: RemedySearchEvent<'_>) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Returns what the cycle with the job decides about it.
fn decided(run: &Arc<Run>, id: JobId) -> RequestAnswer {
    let plan = &run.plan;
    let (snap, job) = (&plan.snap, plan.job(id));
    let why = why(run, id);
    // An array has another turn after each subjob that starts; its first turn counts.
    let turns = || run.steps.iter().map(|step| &step.outcome).filter(|outcome| outcome.job == id);
    let subjobs = job.array.as_ref().map(|array| SubjobCounts {
        total: array.remaining.len(),
        starting: turns().filter(|outcome| run.is_start(outcome)).count(),
    });
    let outcome = subjobs.and_then(|_| turns().next()).or(why.outcome.as_ref());
    let placed = outcome.filter(|outcome| run.is_start(outcome)).and_then(|outcome| outcome.placed.as_ref());
    let starts = placed.is_some();
    let hidden = [ResourceId::nodect()];
    let listed = job.requested.iter().filter(|(id, _)| !hidden.contains(id));
    RequestAnswer {
        accepted: true,
        queue: Some(job.queue.to_string()),
        user: job.user.to_string(),
        select: job.select.as_ref().map(|select| select.text.to_string()),
        place: job.place.as_ref().map(ToString::to_string),
        resources: listed
            .map(|(id, value)| (snap.catalogue.name(id).to_string(), snap.catalogue.show(id, value)))
            .collect(),
        subjobs,
        verdict: outcome.map(|outcome| outcome.verdict.word()),
        final_verdict: outcome.map(|outcome| run.verdict(outcome).word()),
        order: outcome.and_then(|outcome| outcome.order),
        path: outcome.and_then(|outcome| outcome.path).map(PlacementPath::word),
        exec_vnode: placed.map(|placed| placed.allocation.exec_vnode(plan)),
        nodes: placed
            .map(|placed| {
                placed.allocation.nodes().iter().map(|bit| plan.node_name(*bit).to_string()).collect()
            })
            .unwrap_or_default(),
        // A cycle can preempt a job more than once.
        preempts: deduplicated(turns().flat_map(|outcome| &outcome.victims).map(|(job, _)| *job))
            .into_iter()
            .map(|job| plan.job(job).name.to_string())
            .collect(),
        tier: why.tier().filter(|_| !starts).map(qscope_explain::Tier::word),
        // What is about the array as a whole does not name it like a subjob.
        headline: if starts { String::new() } else { why.headline.replace(ARRAY_NAME, "the new array") },
        banners: why.banners,
        ..RequestAnswer::default()
    }
}

fn request_start(run: &Arc<Run>, id: JobId, most: u32) -> Option<RequestStart> {
    let found = forecast(run, id, &mut |progress| progress.up_to(most))?;
    let snap = &run.plan.snap;
    let moment_text = |start: Option<Epoch>| start.map(|at| words::moment(snap, at)).unwrap_or_default();
    let words = match found.source {
        ForecastSource::Now => return None,
        ForecastSource::TopJob => format!("{}, planned as a top job", moment_text(found.start)),
        ForecastSource::Forecast => format!("{}, by running the cycle forward", moment_text(found.start)),
        ForecastSource::Nothing => "not even when everything has ended that runs".to_owned(),
        ForecastSource::Ended => {
            format!("not before {}: the cycle was run forward as far as that", moment_text(Some(found.until)))
        }
    };
    Some(RequestStart { start: found.start.map(|at| at.0), source: found.source, words })
}

impl RequestAnswer {
    /// Whether it would start in this cycle.
    pub fn starts(&self) -> bool {
        self.final_verdict == Some("run")
    }

    /// Returns the requested walltime, as users write it.
    #[must_use]
    pub fn walltime(&self) -> Option<&str> {
        self.resources.iter().find(|(name, _)| name == "walltime").map(|(_, value)| &**value)
    }
}
