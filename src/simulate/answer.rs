//! What the server does with the result of a cycle (days rule 5).

use std::collections::VecDeque;

use qscope_engine::cluster::{Epoch, JobState, Name, Seconds};
use qscope_engine::cycle::{Outcome, Run, Verdict, refused_steps};
use qscope_engine::placement::PlacementPath;
use qscope_engine::universe::PreemptMethod;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::result::CycleResult;
use crate::server::SimulatedServer;
use crate::server::placement::JobPlacement;
use crate::track::SimulatedJobId;

/// What a cycle requests of the server, independent of the cycle's own ids.
#[derive(Debug, Default)]
pub(crate) struct CycleDecisions {
    considered: usize,
    confirmed: Vec<(Name, Option<JobPlacement>)>,
    starts: Vec<JobStart>,
    preempted: FxHashMap<SimulatedJobId, VecDeque<PreemptMethod>>,
    /// Jobs to preempt that ran when the cycle began, in order.
    first: Vec<SimulatedJobId>,
    top: Vec<(SimulatedJobId, Epoch)>,
}

/// One job to start or resume.
#[derive(Debug)]
struct JobStart {
    job: SimulatedJobId,
    subjob: Option<u32>,
    placement: JobPlacement,
    path: Option<PlacementPath>,
    pset: Option<Name>,
    shrunk_to: Option<Seconds>,
    /// Whether a job ahead of it waited in the same cycle.
    is_ahead: bool,
    /// Whether the server refuses it.
    is_refused: bool,
}

/// The effects of applying a result.
#[derive(Debug, Default)]
pub(crate) struct CycleEffects {
    /// The cycle, if it started something.
    pub(crate) run: Option<CycleResult>,
    /// Number of starts that the server refused.
    pub(crate) refused: u64,
    /// Whether another cycle follows immediately (days rule 3).
    pub(crate) cycle_follows: bool,
}

impl CycleDecisions {
    /// Extracts the requests from a cycle that ran on the server's current state.
    pub(crate) fn of(run: &Run, server: &SimulatedServer) -> Self {
        let mut answer = Self::default();
        let plan = &run.plan;
        for tried in &run.confirmations {
            let Some(resv) = plan.snap.reservations.checked(tried.reservation) else { continue };
            let nodes = tried.result.as_ref().ok().map(|allocation| JobPlacement::of(plan, allocation));
            answer.confirmed.push((resv.name.clone(), nodes));
        }
        let mut considered: FxHashSet<SimulatedJobId> = FxHashSet::default();
        let (mut subjobs, mut has_waited) = (0, false);
        let refused = refused_steps(run);
        for (at, step) in run.steps.enumerate() {
            let outcome = &step.outcome;
            let Some(job) = server.track_of(outcome.job) else { continue };
            considered.insert(job);
            answer.note_preempted(server, outcome);
            if let Some(top) = outcome.estimate.as_ref().filter(|_| !server.tracks[job].is_array) {
                answer.top.push((job, top.start));
            }
            let Some(placed) = outcome.placed.as_ref().filter(|_| outcome.verdict == Verdict::Run) else {
                has_waited = true;
                continue;
            };
            subjobs += usize::from(outcome.subjob.is_some());
            answer.starts.push(JobStart {
                job,
                subjob: outcome.subjob,
                placement: JobPlacement::of(plan, &placed.allocation),
                path: outcome.path.or(outcome.by_preemption.then_some(PlacementPath::Node)),
                // The scheduler does not report it for subjobs.
                pset: run.set_of(outcome).filter(|_| outcome.subjob.is_none()),
                shrunk_to: outcome.shrunk_to,
                is_ahead: has_waited,
                is_refused: refused.contains(&at),
            });
        }
        answer.considered = considered.len() + subjobs;
        answer
    }

    fn note_preempted(&mut self, server: &SimulatedServer, outcome: &Outcome) {
        for (victim, method) in &outcome.victims {
            let Some(victim) = server.track_of(*victim) else { continue };
            let methods = self.preempted.entry(victim).or_default();
            let ran = server.tracks[victim].run.running_since.is_some();
            if ran && methods.is_empty() {
                self.first.push(victim);
            }
            methods.push_back(*method);
        }
    }

    /// Changes the server: reservations first, then preemptions of jobs that ran, then starts in order, each followed
    /// by preemptions of the same job in the same cycle.
    pub(crate) fn apply(mut self, server: &mut SimulatedServer) -> CycleEffects {
        let mut applied = CycleEffects::default();
        let now = server.now();
        for (name, nodes) in std::mem::take(&mut self.confirmed) {
            applied.cycle_follows = true;
            match nodes {
                Some(nodes) => server.confirm(&name, nodes.chunks),
                None => server.end_reservation(&name),
            }
        }
        for (job, start) in std::mem::take(&mut self.top) {
            server.tracks[job].result.estimated.get_or_insert((now, start));
        }
        for job in std::mem::take(&mut self.first) {
            applied.cycle_follows |= self.preempt_next(server, job);
        }
        let mut started: Vec<Name> = Vec::new();
        for start in std::mem::take(&mut self.starts) {
            let Some((job, name)) = begin(server, &start) else {
                applied.refused += 1;
                continue;
            };
            started.push(name);
            applied.cycle_follows |= server.settle_depends();
            applied.cycle_follows |= self.preempt_next(server, job);
        }
        if !started.is_empty() {
            applied.run = Some(CycleResult { at: now, considered: self.considered, started });
        }
        applied
    }

    /// Applies the next preemption that the cycle decided for a job, if any. Returns whether the job was deleted.
    fn preempt_next(&mut self, server: &mut SimulatedServer, job: SimulatedJobId) -> bool {
        let Some(method) = self.preempted.get_mut(&job).and_then(VecDeque::pop_front) else { return false };
        server.preempt(job, method)
    }
}

/// Starts one job or subjob; `None` if the server refuses it.
fn begin(server: &mut SimulatedServer, start: &JobStart) -> Option<(SimulatedJobId, Name)> {
    let job = match start.subjob {
        Some(index) => server.make_subjob(start.job, index)?,
        None => start.job,
    };
    let was_suspended = server.job(job).is_some_and(|job| job.state == JobState::Suspended);
    if start.is_refused || !server.start(job, &start.placement, start.shrunk_to) {
        server.tracks[job].result.refused += 1;
        if start.subjob.is_some() {
            server.give_index_back(job);
        }
        return None;
    }
    let result = &mut server.tracks[job].result;
    result.backfilled |= start.is_ahead && result.runs == 1;
    if !was_suspended {
        result.path = start.path;
        result.pset = start.pset.clone();
    }
    Some((job, result.name.clone()))
}
