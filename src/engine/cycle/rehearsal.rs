//! Repeats a step of a finished cycle and records the simulations inside it: the calendar's windows and the trials of
//! preemption.
//!
//! A recording has a focus, because keeping everything of every window would fill the memory. Windows and trials are
//! listed with their results; only the one in focus is recorded completely, or all of them without their states.

use crate::cluster::{Epoch, JobId};
use crate::placement::{Probe, ProbeEvent};
use crate::universe::{EventKey, JobRequest, PreemptMethod, Rejection, State, TimedEvent};

use super::outcome::Outcome;

/// Selects the simulation that is recorded completely.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum SimulationFocus {
    /// No simulation.
    #[default]
    Decision,
    /// A window of the calendar, by index from 0 (now).
    Window(usize),
    /// A trial of preemption, by index from 0.
    Trial(usize),
    /// All simulations and every other consideration of a job, without the states.
    Everything,
}

/// One window of the calendar: the events before it, and whether the job would fit then.
#[derive(Clone, Debug)]
pub struct CalendarWindow {
    /// The time of the window.
    pub at: Epoch,
    /// The events performed since the previous window.
    pub events: Vec<(EventKey, TimedEvent)>,
    /// Why the job does not fit; `None` if it does.
    pub rejection: Option<Rejection>,
}

/// One running job preempted in simulation.
#[derive(Clone, Debug)]
pub struct PreemptionTrial {
    /// The job.
    pub job: JobId,
    pub method: PreemptMethod,
    /// Why the waiting job still does not fit; `None` if it does.
    pub rejection: Option<Rejection>,
    /// The fate of the running job.
    pub fate: PreemptionOutcome,
}

/// The fate of a job that was preempted in simulation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PreemptionOutcome {
    /// It was restarted at once: without it, some job would rise above the waiting one.
    Escalates,
    /// It was restarted in the end because it was not needed.
    NotNeeded,
    /// It must be preempted.
    Preempted,
    /// The whole search failed.
    SearchFailed,
}

/// A job considered again, at its step or inside a simulation, with the state in which it was considered.
#[derive(Clone, Debug)]
pub struct Consideration {
    /// The outcome of the job there.
    pub outcome: Outcome,
    /// The recorded events.
    pub events: Vec<ProbeEvent>,
    /// The state in which the job was considered, with the sets made for it alone; without a journal.
    pub state: State,
}

/// One consideration after the main pass refused the job, either of the job itself or of one that might be preempted
/// for it.
#[derive(Clone, Debug)]
pub struct Reconsideration {
    /// The job.
    pub job: JobId,
    /// Its request at that point: its own chunks, or its previous nodes.
    pub request: JobRequest,
    /// The recorded events.
    pub events: Vec<ProbeEvent>,
}

/// The recorded simulations of one step.
#[derive(Clone, Debug, Default)]
pub struct SimulationRecord {
    /// The windows in order; empty if nothing was simulated.
    pub windows: Vec<CalendarWindow>,
    /// The trials in order.
    pub trials: Vec<PreemptionTrial>,
    /// The simulation in focus, if it was reached.
    pub focus_consideration: Option<Consideration>,
    /// Every consideration of a job in order, if the focus is [`SimulationFocus::Everything`].
    pub reconsidered: Vec<Reconsideration>,
    focus: SimulationFocus,
    pending: Vec<(EventKey, TimedEvent)>,
}

/// The rehearsal to record into, if any.
pub(super) type SimulationRecorder<'a> = Option<&'a mut SimulationRecord>;

impl SimulationRecord {
    /// Creates an empty recording with this focus.
    pub fn of(focus: SimulationFocus) -> Self {
        Self { focus, ..Self::default() }
    }

    /// Records that an event was performed.
    pub(super) fn performed(&mut self, key: EventKey, event: &TimedEvent) {
        self.pending.push((key, event.clone()));
    }

    pub(super) fn tried_window(&mut self, at: Epoch, rejection: Option<Rejection>) {
        let events = std::mem::take(&mut self.pending);
        self.windows.push(CalendarWindow { at, events, rejection });
    }

    /// Records that a running job was preempted and the waiting one considered.
    pub(super) fn tried_without(
        &mut self,
        job: JobId,
        method: PreemptMethod,
        fate: PreemptionOutcome,
        rejection: Option<Rejection>,
    ) {
        self.trials.push(PreemptionTrial { job, method, rejection, fate });
    }

    /// Records that the last trial made room and which jobs turned out to be needed.
    pub(super) fn needs(&mut self, needed: &[JobId]) {
        for trial in self.trials.iter_mut().filter(|trial| trial.fate == PreemptionOutcome::SearchFailed) {
            trial.fate = if needed.contains(&trial.job) {
                PreemptionOutcome::Preempted
            } else {
                PreemptionOutcome::NotNeeded
            };
        }
    }

    /// Whether the next window or trial is the one in focus.
    fn is_at_focus(&self) -> bool {
        match self.focus {
            SimulationFocus::Decision | SimulationFocus::Everything => false,
            SimulationFocus::Window(at) => at == self.windows.len(),
            SimulationFocus::Trial(at) => at == self.trials.len() && self.windows.is_empty(),
        }
    }
}

/// Considers a job inside a simulation; records it completely if it is in focus.
pub(super) fn considered(
    recording: SimulationRecorder<'_>,
    state: &mut State,
    job: JobId,
    consider: impl Fn(&mut State, &mut Probe) -> Outcome,
) -> Outcome {
    match recording {
        Some(recording) if recording.is_at_focus() => {
            let mut probe = Probe::on();
            let outcome = consider(state, &mut probe);
            // The job itself only adds sets made for it alone.
            let found = state.without_journal();
            recording.focus_consideration =
                Some(Consideration { outcome: outcome.clone(), events: probe.events, state: found });
            outcome
        }
        recording => reconsider(recording, state, job, consider),
    }
}

/// Considers a job, recording it if the focus is [`SimulationFocus::Everything`].
pub(super) fn reconsider<T>(
    recording: SimulationRecorder<'_>,
    state: &mut State,
    job: JobId,
    consider: impl Fn(&mut State, &mut Probe) -> T,
) -> T {
    let Some(recording) = recording.filter(|recording| recording.focus == SimulationFocus::Everything) else {
        return consider(state, &mut Probe::off());
    };
    let request = state.plan.request(job, state.ledger.preempted[job]).cloned();
    let mut probe = Probe::for_log();
    let came_of_it = consider(state, &mut probe);
    if let Ok(request) = request {
        recording.reconsidered.push(Reconsideration { job, request, events: probe.events });
    }
    came_of_it
}
