//! A job at its turn: the universe as it stood when the cycle came to the job, and as it stood at the start.

mod decided;

use std::cell::RefCell;
use std::sync::Arc;

use qscope_engine::cluster::{Epoch, Id, JobId, Place, Seconds};
use qscope_engine::cycle::{Debugger, Outcome, Run, Setup, StepIx};
use qscope_engine::placement::{Event, Path, PathChoice, Probe, choose_path, nodes_for, place};
use qscope_engine::universe::{EventKind, JobRequest, NodeSet, Occupant, Plan, State, TimedEvent};
use rustc_hash::FxHashMap;

use super::kinds::in_kinds;
use super::standing_starts;
use decided::came_of;
pub(crate) use decided::last_step;
pub use decided::{decided, starting, turn_words};

/// A cycle played back job by job: the states that the turns of its jobs are examined in, none of them copied per job.
#[derive(Debug)]
pub struct Playback {
    debugger: Debugger,
    start: Arc<State>,
    /// Copies to try things out in, once something was: each trial is undone.
    scratch: RefCell<Option<Box<Debugger>>>,
    start_scratch: RefCell<Option<Box<State>>>,
}

impl Playback {
    /// At the start of a cycle.
    pub fn new(run: &Arc<Run>) -> Self {
        let debugger = Debugger::new(run.clone());
        let start = Arc::new(debugger.snapshot_state());
        Self { debugger, start, scratch: RefCell::default(), start_scratch: RefCell::default() }
    }

    /// The cycle.
    pub fn run(&self) -> &Arc<Run> {
        self.debugger.run()
    }

    /// The turn of a job.
    ///
    /// # Errors
    /// The playback itself, for jobs whose request cannot be read.
    #[expect(
        clippy::result_large_err,
        reason = "the playback comes back to where it was taken from, and is not boxed twice"
    )]
    pub fn turn_of(self, job: JobId) -> Result<Turn, Self> {
        let step = last_step(self.run(), job);
        self.turn_at(job, step, None)
    }

    /// The turn of a job at a step, or when the cycle is over; about what came of this step alone, if there is one.
    #[expect(clippy::result_large_err, reason = "as in `turn_of`")]
    fn turn_at(mut self, job: JobId, step: Option<StepIx>, own: Option<StepIx>) -> Result<Turn, Self> {
        let run = self.run().clone();
        self.debugger.seek(step.map_or(usize::MAX, Id::ix));
        let state = self.debugger.state();
        let Ok(request) = run.plan.request(job, state.ledger.preempted[job]) else { return Err(self) };
        let request = in_kinds(&state.capped(job, request)).into_owned();
        let chosen = came_of(&run, job, own).and_then(|outcome| outcome.would_use);
        let choice = chosen.unwrap_or_else(|| choose_path(&run.plan, job, &request, false));
        let list = nodes_open_to(state, job);
        Ok(Turn { job, start: self.start.clone(), request, choice, list, run, own, playback: self })
    }

    /// Tries something out in the state at the position.
    fn aside<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        let mut scratch = self.scratch.borrow_mut();
        let copy = scratch.get_or_insert_with(|| Box::new(self.debugger.clone()));
        copy.seek(self.debugger.position());
        copy.aside(|state, _| work(state))
    }

    /// Tries something out in the state at the start.
    fn aside_at_start<T>(&self, work: impl FnOnce(&mut State) -> T) -> T {
        let mut scratch = self.start_scratch.borrow_mut();
        let state = scratch.get_or_insert_with(|| Box::new(State::clone(&self.start)));
        let trial = state.begin_trial();
        let result = work(state);
        state.end_trial(trial);
        result
    }
}

/// The nodes that a job may use: in a reservation whose time has not come, those that it will have.
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

/// When a top job starts and ends, and where.
pub(crate) type PlannedTop = (Epoch, Epoch, TimedEvent);

/// A job and the two states that matter to it.
#[derive(Debug)]
pub struct Turn {
    /// The cycle.
    pub run: Arc<Run>,
    pub job: JobId,
    /// At the start of the cycle.
    pub start: Arc<State>,
    /// What it requests; of a select of very many parts the kinds of chunks.
    pub request: JobRequest,
    /// The path it takes.
    pub choice: PathChoice,
    /// The nodes that it may use at all: its queue's, its reservation's, or those it had.
    pub list: NodeSet,
    /// The step whose outcome it is about; else the job's last.
    own: Option<StepIx>,
    playback: Playback,
}

impl Turn {
    /// Goes back to the turn of a job; none for jobs whose request cannot be read.
    pub fn new(run: &Arc<Run>, job: JobId) -> Option<Self> {
        Playback::new(run).turn_of(job).ok()
    }

    /// The turn of an array at a step, for what came of that.
    pub(super) fn at_step(run: &Arc<Run>, step: StepIx) -> Option<Self> {
        Playback::new(run).turn_at(run.steps[step].outcome.job, Some(step), Some(step)).ok()
    }

    /// The playback, for the turn of another job.
    pub fn into_playback(self) -> Playback {
        self.playback
    }

    /// How many steps of the cycle came before it; for jobs never considered, all.
    pub(super) fn position(&self) -> usize {
        self.playback.debugger.position()
    }

    /// When it was its turn; for jobs never considered, at the end of the cycle.
    pub fn state(&self) -> &State {
        self.playback.debugger.state()
    }

    /// What the cycle decided about the job in the end; at a step of its own, what came of that.
    pub fn outcome(&self) -> Option<&Outcome> {
        came_of(&self.run, self.job, self.own)
    }

    /// What was derived once.
    pub fn plan(&self) -> &Plan {
        &self.run.plan
    }

    /// What the cycle fixed.
    pub fn setup(&self) -> &Setup {
        &self.run.setup
    }

    /// Whether its nodes are there now, limits and times of day aside.
    pub fn fits(&self) -> bool {
        self.would_fit(&self.request)
    }

    /// Whether it tries all nodes after its sets, so that no set restricts it.
    pub fn spans(&self) -> bool {
        let (job, path) = (self.job, self.choice.path);
        self.playback.aside(|state| {
            state.refresh_sets();
            let mut probe = Probe::on();
            let _failed_or_not = place(state, job, &self.request, path, &mut probe);
            probe.events.iter().any(|event| matches!(event, Event::Spanning | Event::FellThrough))
        })
    }

    /// The same, if it requested this.
    pub fn would_fit(&self, request: &JobRequest) -> bool {
        self.playback.aside(|state| fits_in(state, self.job, request, self.choice.path))
    }

    /// The same, if nothing were planned on any node.
    pub fn fits_unplanned(&self) -> bool {
        self.would_fit(&self.request.lasting(Seconds(1)))
    }

    /// The same, if nothing had started in this cycle.
    pub fn fits_at_start(&self) -> bool {
        self.playback.aside_at_start(|state| fits_in(state, self.job, &self.request, self.choice.path))
    }

    /// The top jobs that this cycle planned before it was the job's turn: when each starts and ends, and where.
    pub(crate) fn planned_since_start(&self) -> Vec<PlannedTop> {
        let state = self.state();
        if !state.timeline.has_runs() {
            return Vec::new();
        }
        let is_new = |occupant: Occupant| match occupant {
            Occupant::Job(job, _) => state.ledger.top[job] && !self.start.ledger.top[job],
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

    /// Tries something out in the state as it would be if no other job had started in this cycle, and these were planned.
    pub(crate) fn alone<T>(&self, planned: &[PlannedTop], work: impl FnOnce(&mut State) -> T) -> T {
        self.playback.aside_at_start(|state| {
            self.begin_alone(state, planned);
            work(state)
        })
    }

    /// Whether it finds its nodes in a state with this request; the state stays as it is.
    pub(crate) fn fits_aside(&self, state: &mut State, request: &JobRequest) -> bool {
        let trial = state.begin_trial();
        let fits = fits_in(state, self.job, request, self.choice.path);
        state.end_trial(trial);
        fits
    }

    /// Brings the state at the start to where no other job has started: the job's own subjobs did, and these are planned.
    fn begin_alone(&self, state: &mut State, planned: &[PlannedTop]) {
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

    /// Whether it would fit if placement sets did not matter.
    pub fn fits_without_sets(&self) -> bool {
        let place = Place { group: None, ..self.request.place.clone() };
        let request = JobRequest { place, ..self.request.lasting(Seconds(1)) };
        let fits = |state: &mut State| fits_in(state, self.job, &request, self.choice.path);
        self.playback.aside(|state| state.without_pools(fits))
    }

    /// The state as the jobs of its reservation see it, or as it is.
    pub fn seen<T>(&mut self, read: impl FnOnce(&State) -> T) -> T {
        match self.state().inside_of(Occupant::Job(self.job, None)) {
            Some(inside) => {
                self.playback.debugger.aside(|state, _| state.within(inside, |state| read(state)))
            }
            None => read(self.state()),
        }
    }
}

/// Whether a job finds its nodes in a state, which it may leave its traces in.
pub(super) fn fits_in(state: &mut State, job: JobId, request: &JobRequest, path: Path) -> bool {
    state.refresh_sets();
    place(state, job, request, path, &mut Probe::off()).result.is_ok()
}
