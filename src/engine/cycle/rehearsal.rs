//! A step of a finished cycle made once more, with a recording of the simulations inside it: the calendar's
//! windows and preemption's trials.
//!
//! A recording has a focus: to keep everything inside every window would fill the memory, so windows and trials are
//! listed with what came of them, and only the one in focus is recorded whole, or all of them without their universes.

use crate::cluster::{Epoch, JobId};
use crate::placement::{Event, Probe};
use crate::universe::{EventKey, JobRequest, PreemptMethod, Rejection, State, TimedEvent};

use super::outcome::Outcome;

/// Which simulation is recorded whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Focus {
    /// None of them.
    #[default]
    Decision,
    /// A window of the calendar, from 0 (now).
    Window(usize),
    /// A trial of preemption, from 0.
    Trial(usize),
    /// All of them, and every other consideration of a job; without the universes.
    Everything,
}

/// One window of the calendar: what happens before it, and whether the job would fit then.
#[derive(Clone, Debug)]
pub struct Window {
    /// The clock then.
    pub at: Epoch,
    /// What was performed since the window before.
    pub events: Vec<(EventKey, TimedEvent)>,
    /// Why the job does not fit; none if it does.
    pub rejection: Option<Rejection>,
}

/// One running job taken away in simulation.
#[derive(Clone, Debug)]
pub struct PreemptionTrial {
    /// The job.
    pub job: JobId,
    /// How.
    pub method: PreemptMethod,
    /// Why the waiting job still does not fit; none if it does.
    pub rejection: Option<Rejection>,
    /// What became of the running job.
    pub fate: Fate,
}

/// What became of a job that was taken away in simulation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It was put back at once: without it some job would rise above the waiting one.
    Escalates,
    /// It was put back in the end: it was not needed.
    Returned,
    /// It has to go.
    Kept,
    /// All of it came to nothing.
    InVain,
}

/// A job considered again, at its step or inside a simulation, with the universe that it found.
#[derive(Clone, Debug)]
pub struct Consideration {
    /// What became of the job there.
    pub outcome: Outcome,
    /// What was recorded.
    pub events: Vec<Event>,
    /// The universe as the job found it, with the sets made for it alone; without a journal.
    pub state: State,
}

/// One consideration of a job after the main pass had refused it, of it itself or of a job that is to make room.
#[derive(Clone, Debug)]
pub struct Reconsidered {
    /// The job.
    pub job: JobId,
    /// What it requested then: its own chunks, or the way back to nodes it had.
    pub request: JobRequest,
    /// What was recorded.
    pub events: Vec<Event>,
}

/// What was recorded of the simulations of one step.
#[derive(Clone, Debug, Default)]
pub struct Rehearsal {
    /// The windows in order; none if nothing was simulated.
    pub windows: Vec<Window>,
    /// The trials in order.
    pub trials: Vec<PreemptionTrial>,
    /// The simulation in focus.
    pub scene: Option<Consideration>,
    /// Every consideration of a job in order, if the focus is on everything.
    pub reconsidered: Vec<Reconsidered>,
    focus: Focus,
    pending: Vec<(EventKey, TimedEvent)>,
}

/// The recording of a rehearsal, if one is made.
pub(super) type Recording<'a> = Option<&'a mut Rehearsal>;

impl Rehearsal {
    /// One with this focus.
    pub fn of(focus: Focus) -> Self {
        Self { focus, ..Self::default() }
    }

    /// An event was performed.
    pub(super) fn performed(&mut self, key: EventKey, event: &TimedEvent) {
        self.pending.push((key, event.clone()));
    }

    pub(super) fn tried_window(&mut self, at: Epoch, rejection: Option<Rejection>) {
        let events = std::mem::take(&mut self.pending);
        self.windows.push(Window { at, events, rejection });
    }

    /// A running job was taken away and the waiting one considered.
    pub(super) fn tried_without(
        &mut self,
        job: JobId,
        method: PreemptMethod,
        fate: Fate,
        rejection: Option<Rejection>,
    ) {
        self.trials.push(PreemptionTrial { job, method, rejection, fate });
    }

    /// The last trial brought room, and these jobs turned out to be needed.
    pub(super) fn needs(&mut self, needed: &[JobId]) {
        for trial in self.trials.iter_mut().filter(|trial| trial.fate == Fate::InVain) {
            trial.fate = if needed.contains(&trial.job) { Fate::Kept } else { Fate::Returned };
        }
    }

    /// Whether the next window, or the next trial, is the one in focus.
    fn is_at_focus(&self) -> bool {
        match self.focus {
            Focus::Decision | Focus::Everything => false,
            Focus::Window(at) => at == self.windows.len(),
            Focus::Trial(at) => at == self.trials.len() && self.windows.is_empty(),
        }
    }
}

/// Considers a job inside a simulation; recorded whole if it is the one in focus.
pub(super) fn considered(
    recording: Recording<'_>,
    state: &mut State,
    job: JobId,
    consider: impl Fn(&mut State, &mut Probe) -> Outcome,
) -> Outcome {
    match recording {
        Some(recording) if recording.is_at_focus() => {
            let mut probe = Probe::on();
            let outcome = consider(state, &mut probe);
            // All that the job itself changed are sets made for it alone.
            let found = state.without_journal();
            recording.scene =
                Some(Consideration { outcome: outcome.clone(), events: probe.events, state: found });
            outcome
        }
        recording => reconsider(recording, state, job, consider),
    }
}

/// Examines a job, recorded if everything is.
pub(super) fn reconsider<T>(
    recording: Recording<'_>,
    state: &mut State,
    job: JobId,
    consider: impl Fn(&mut State, &mut Probe) -> T,
) -> T {
    let Some(recording) = recording.filter(|recording| recording.focus == Focus::Everything) else {
        return consider(state, &mut Probe::off());
    };
    let request = state.plan.request(job, state.ledger.preempted[job]).cloned();
    let mut probe = Probe::for_log();
    let came_of_it = consider(state, &mut probe);
    if let Ok(request) = request {
        recording.reconsidered.push(Reconsidered { job, request, events: probe.events });
    }
    came_of_it
}
