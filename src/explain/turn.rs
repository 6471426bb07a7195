//! A job at its turn: the state when the cycle reached the job, and the state at the start.

mod decision_step;

use std::cell::RefCell;
use std::sync::Arc;

use qscope_engine::cluster::{Epoch, Id, JobId, Place, Seconds};
use qscope_engine::cycle::{Debugger, Outcome, Run, Setup, StepIx};
use qscope_engine::placement::{PathChoice, PlacementPath, Probe, ProbeEvent, choose_path, nodes_for, place};
use qscope_engine::universe::{
    Allocation, EventKind, JobRequest, NodeSet, Occupant, Plan, Spec, State, TimedEvent,
};
use rustc_hash::FxHashMap;

use super::equal_specs::merge_equal_specs;
use super::standing_starts;
pub(crate) use decision_step::last_step;
use decision_step::outcome_of;
pub use decision_step::{decided, decided_with_array, first_decided, starting, turn_words};

/// A cycle played back job by job: provides the states at the turns of its jobs without copying them for each job.
#[derive(Debug)]
pub struct Playback {
    debugger: Debugger,
    start: Arc<State>,
    /// Copies for trials, created on first use; each trial is undone.
    scratch: RefCell<Option<Box<Debugger>>>,
    start_scratch: RefCell<Option<Box<State>>>,
}

impl Playback {
    /// Starts at the start of a cycle.
    pub fn new(run: &Arc<Run>) -> Self {
        let debugger = Debugger::new(run.clone());
        let start = Arc::new(debugger.snapshot_state());
        Self { debugger, start, scratch: RefCell::default(), start_scratch: RefCell::default() }
    }

    /// The cycle being debugged.
    pub fn run(&self) -> &Arc<Run> {
        self.debugger.run()
    }

    /// Returns the turn of a job.
    ///
    /// # Errors
    /// The playback itself, for jobs whose request cannot be read.
    #[expect(
        clippy::result_large_err,
        reason = "the playback comes back to where it was taken from, and is not boxed twice"
    )]
    pub fn turn_of(self, job: JobId) -> Result<JobTurn, Self> {
        let step = last_step(self.run(), job);
        self.turn_at(job, step, None)
    }

    /// Returns the turn of a job at a step, or at the end of the cycle. With `own`, it is about the outcome of that
    /// step only.
    #[expect(clippy::result_large_err, reason = "as in `turn_of`")]
    fn turn_at(mut self, job: JobId, step: Option<StepIx>, own: Option<StepIx>) -> Result<JobTurn, Self> {
        let run = self.run().clone();
        self.debugger.seek(step.map_or(usize::MAX, Id::ix));
        let state = self.debugger.state();
        let Ok(request) = run.plan.request(job, state.ledger.preempted[job]) else { return Err(self) };
        let request = merge_equal_specs(&state.capped(job, request)).into_owned();
        let chosen = outcome_of(&run, job, own).and_then(|outcome| outcome.would_use);
        let choice = chosen.unwrap_or_else(|| choose_path(&run.plan, job, &request, false));
        let list = nodes_open_to(state, job);
        Ok(JobTurn { job, start: self.start.clone(), request, choice, list, run, own, playback: self })
    }

    /// Runs a trial in the state at the current position.
    fn trial_at_position<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        let mut scratch = self.scratch.borrow_mut();
        let copy = scratch.get_or_insert_with(|| Box::new(self.debugger.clone()));
        copy.seek(self.debugger.position());
        copy.with_rollback(|state, _| work(state))
    }

    /// Runs a trial in the state at the start.
    fn trial_at_start<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        let mut scratch = self.start_scratch.borrow_mut();
        let state = scratch.get_or_insert_with(|| Box::new(State::clone(&self.start)));
        let trial = state.begin_trial();
        let result = work(state);
        state.end_trial(trial);
        result
    }
}

/// Returns the nodes that a job may use; in a reservation that has not begun, those that it will have.
pub(crate) fn nodes_open_to(state: &State, job: JobId) -> NodeSet {
    let plan = &state.plan;
    let reservation = plan.reservation_of(job).map(|id| &plan.snap.reservations[id]);
    match reservation.filter(|reservation| !reservation.is_running()).and_then(|ahead| ahead.nodes.as_ref()) {
        Some(nodes) => {
            let bits = nodes.parts().filter_map(|part| plan.bit_named.get(&part.vnode).copied());
            NodeSet::of(plan.nodes.len(), bits)
        }
        None => nodes_for(state, Occupant::Job(job, None)),
    }
}

/// Start, end and nodes of a top job.
pub(crate) type PlannedTopJob = (Epoch, Epoch, TimedEvent);

/// A job with the two states that matter to it.
#[derive(Debug)]
pub struct JobTurn {
    pub run: Arc<Run>,
    pub job: JobId,
    /// The state at the start of the cycle.
    pub start: Arc<State>,
    /// Its request; for a select with very many chunk specs, reduced to kinds of chunks.
    pub request: JobRequest,
    /// The path it takes.
    pub choice: PathChoice,
    /// The nodes it may use at all: those of its queue or reservation, or its previous ones.
    pub list: NodeSet,
    /// The step whose outcome it is about; `None` for the job's last.
    own: Option<StepIx>,
    playback: Playback,
}

impl JobTurn {
    /// Returns to the turn of a job; `None` if its request cannot be read.
    pub fn new(run: &Arc<Run>, job: JobId) -> Option<Self> {
        Playback::new(run).turn_of(job).ok()
    }

    /// Returns the turn of an array at a step, about the outcome of that step.
    pub(super) fn at_step(run: &Arc<Run>, step: StepIx) -> Option<Self> {
        Playback::new(run).turn_at(run.steps[step].outcome.job, Some(step), Some(step)).ok()
    }

    /// Returns the playback, for the turn of another job.
    pub fn into_playback(self) -> Playback {
        self.playback
    }

    /// Number of steps before the turn; for jobs never considered, of all steps.
    pub(super) fn position(&self) -> usize {
        self.playback.debugger.position()
    }

    /// The state at the job's turn; for jobs never considered, at the end of the cycle.
    pub fn state(&self) -> &State {
        self.playback.debugger.state()
    }

    /// Returns the final outcome of the job or, for a turn at a given step, the outcome of that step.
    pub fn outcome(&self) -> Option<&Outcome> {
        outcome_of(&self.run, self.job, self.own)
    }

    /// The derived data of the snapshot.
    pub fn plan(&self) -> &Plan {
        &self.run.plan
    }

    /// The setup of the cycle.
    pub fn setup(&self) -> &Setup {
        &self.run.setup
    }

    /// Whether the job finds nodes now, ignoring limits and time windows.
    pub fn fits(&self) -> bool {
        self.would_fit(&self.request)
    }

    /// Whether it tries all nodes after its sets, so that no set restricts it.
    pub fn spans(&self) -> bool {
        let (job, path) = (self.job, self.choice.path);
        self.playback.trial_at_position(|state| {
            state.refresh_sets();
            let mut probe = Probe::on();
            let _failed_or_not = place(state, job, &self.request, path, &mut probe);
            probe.events.iter().any(|event| matches!(event, ProbeEvent::Spanning | ProbeEvent::FellThrough))
        })
    }

    /// Whether it would fit with this request.
    pub fn would_fit(&self, request: &JobRequest) -> bool {
        self.playback.trial_at_position(|state| fits_in(state, self.job, request, self.choice.path))
    }

    /// Whether it would fit if nothing were planned on any node.
    pub fn fits_unplanned(&self) -> bool {
        self.would_fit(&self.request.lasting(Seconds(1)))
    }

    /// Whether it would fit if nothing had started in this cycle.
    pub fn fits_at_start(&self) -> bool {
        self.playback.trial_at_start(|state| fits_in(state, self.job, &self.request, self.choice.path))
    }

    /// Returns the top jobs that this cycle planned before the job's turn, each with start, end and nodes.
    pub(crate) fn planned_since_start(&self) -> Vec<PlannedTopJob> {
        let state = self.state();
        if !state.timeline.has_runs() {
            return Vec::new();
        }
        let is_new = |occupant: Occupant| match occupant {
            Occupant::Job(job, _) => state.ledger.top_jobs[job] && !self.start.ledger.top_jobs[job],
            Occupant::Reservation(_) => false,
        };
        let of = |kind| {
            state.timeline.iter().filter(move |(key, event)| key.kind == kind && is_new(event.occupant))
        };
        let ends: FxHashMap<Occupant, Epoch> =
            of(EventKind::End).map(|(key, event)| (event.occupant, key.at)).collect();
        of(EventKind::Run)
            .filter_map(|(key, event)| Some((key.at, *ends.get(&event.occupant)?, event.clone())))
            .collect()
    }

    /// Runs a trial in the state as it would be if no other job had started in this cycle, with these plans.
    pub(crate) fn trial_without_starts<T>(
        &self,
        planned: &[PlannedTopJob],
        work: impl FnOnce(&mut State) -> T,
    ) -> T {
        self.playback.trial_at_start(|state| {
            self.begin_alone(state, planned);
            work(state)
        })
    }

    /// Whether it fits in a state with this request; the state is left unchanged.
    pub(crate) fn fits_in_state(&self, state: &mut State, request: &JobRequest) -> bool {
        let trial = state.begin_trial();
        let fits = fits_in(state, self.job, request, self.choice.path);
        state.end_trial(trial);
        fits
    }

    /// Changes the start state to one in which only the job's own subjobs have started, with these plans.
    fn begin_alone(&self, state: &mut State, planned: &[PlannedTopJob]) {
        let plan = self.plan();
        let is_array = plan.job(self.job).is_array();
        let until = if is_array { self.position() } else { 0 };
        let own = standing_starts(&self.run, until).filter(|step| step.outcome.job == self.job);
        for outcome in own.map(|step| &step.outcome) {
            if let Some(placed) = &outcome.placed {
                let occupant = Occupant::Job(outcome.job, outcome.subjob);
                let end = state.now + self.request.duration;
                state.start(occupant, plan.sharedness(occupant), &placed.allocation, end);
            }
        }
        for (at, end, event) in planned {
            state.make_top(event.occupant, *at, *end, &event.allocation);
        }
    }

    /// Whether it would fit with this request if placement sets did not matter.
    pub(crate) fn would_fit_without_sets(&self, request: &JobRequest) -> bool {
        let place = Place { group: None, ..request.place.clone() };
        let request = JobRequest { place, ..request.clone() };
        let fits = |state: &mut State| fits_in(state, self.job, &request, self.choice.path);
        self.playback.trial_at_position(|state| state.without_pools(fits))
    }

    /// Returns how many chunks of one of its chunk specs the cycle would place alone, if nothing were planned on any
    /// node.
    pub(crate) fn placeable_chunks(&self, spec: &Spec) -> u32 {
        let unplanned = self.request.lasting(Seconds(1));
        let is_placed = |count: u32| {
            let specs = Arc::from([Spec { count, ..spec.clone() }]);
            self.would_fit(&JobRequest { specs, ..unplanned.clone() })
        };
        let (mut held, mut too_many) = (0, spec.count.saturating_add(1));
        while held + 1 < too_many {
            let middle = held + (too_many - held) / 2;
            if is_placed(middle) { held = middle } else { too_many = middle }
        }
        held
    }

    /// Reads the state as the jobs of its reservation see it, or unchanged without a reservation.
    pub fn seen<T>(&mut self, read: impl FnOnce(&State) -> T) -> T {
        match self.state().reservation_of(Occupant::Job(self.job, None)) {
            Some(inside) => self
                .playback
                .debugger
                .with_rollback(|state, _| state.in_reservation(inside, |state| read(state))),
            None => read(self.state()),
        }
    }
}

/// Whether a job fits in a state; may leave changes in the state.
pub(super) fn fits_in(state: &mut State, job: JobId, request: &JobRequest, path: PlacementPath) -> bool {
    placed_in(state, job, request, path).is_some()
}

/// Returns the nodes that a job finds in a state; may leave changes in the state.
pub(super) fn placed_in(
    state: &mut State,
    job: JobId,
    request: &JobRequest,
    path: PlacementPath,
) -> Option<Arc<Allocation>> {
    state.refresh_sets();
    place(state, job, request, path, &mut Probe::off()).result.ok().map(|placed| placed.allocation)
}
