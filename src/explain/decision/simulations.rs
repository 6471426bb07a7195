//! The simulations inside a decision: windows of the calendar and trials of preemption.

use crate::words::count;
use qscope_engine::cluster::{Epoch, short_id};
use qscope_engine::cycle::{CalendarWindow, PreemptionOutcome, PreemptionTrial};
use qscope_engine::universe::{EventKey, EventKind, TimedEvent};

use super::stages::reason;
use super::{DecisionLevel, DecisionPoint, DecisionRow, DecisionTraceRef};

/// Maximum number of events listed for a window.
const EVENTS_MOST: usize = 6;

/// Returns the windows, with the events performed before each and the reason why the job does not fit then.
pub(super) fn windows(scene: DecisionTraceRef<'_>) -> DecisionLevel {
    let Some(rehearsal) = scene.rehearsal else { return DecisionLevel::default() };
    let frame = |(at, window): (usize, &CalendarWindow)| {
        let why = window.rejection.as_ref().map(|why| reason(scene, why));
        let events = events(scene, &window.events);
        let text = match why {
            Some(why) => format!("{events}; then {why}"),
            None => format!("{events}; then it fits"),
        };
        let label = if at == 0 { "now".to_owned() } else { moment(scene, window.at) };
        let numbers = vec![window.events.len().to_string()];
        DecisionRow::new(DecisionPoint::Window(at), Some(window.rejection.is_none()), label, text)
            .with(numbers)
    };
    DecisionLevel { headings: &["events"], frames: rehearsal.windows.iter().enumerate().map(frame).collect() }
}

fn events(scene: DecisionTraceRef<'_>, events: &[(EventKey, TimedEvent)]) -> String {
    if events.is_empty() {
        return "no event".to_owned();
    }
    let plan = &scene.run.plan;
    let word = |(key, event): &(EventKey, TimedEvent)| {
        let who = short_id(plan.occupant_name(event.occupant));
        let verb = match key.kind {
            EventKind::End => "ends",
            EventKind::Run => "starts",
        };
        format!("{who} {verb} ({})", count(event.allocation.nodes().len(), "node"))
    };
    let mut words: Vec<String> = events.iter().take(EVENTS_MOST).map(word).collect();
    if events.len() > EVENTS_MOST {
        words.push(format!("and {} more", events.len() - EVENTS_MOST));
    }
    words.join(", ")
}

/// Returns the trials, with the fate of each running job.
pub(super) fn trials(scene: DecisionTraceRef<'_>) -> DecisionLevel {
    let Some(rehearsal) = scene.rehearsal else { return DecisionLevel::default() };
    let frame = |(at, trial): (usize, &PreemptionTrial)| {
        let job = scene.run.plan.job(trial.job).short_name();
        let how = trial.method.word();
        let then = match (&trial.rejection, trial.fate) {
            (_, PreemptionOutcome::Escalates) => "put back: some job would rise above this one".to_owned(),
            (Some(why), _) => format!("still {}", reason(scene, why)),
            (None, _) => "now the job fits".to_owned(),
        };
        let fate = match trial.fate {
            PreemptionOutcome::Preempted => "; preempted in the end",
            PreemptionOutcome::NotNeeded => "; not needed in the end, put back",
            PreemptionOutcome::SearchFailed => "; no start gained",
            PreemptionOutcome::Escalates => "",
        };
        let what = if trial.fate == PreemptionOutcome::Escalates {
            DecisionPoint::Fact
        } else {
            DecisionPoint::Trial(at)
        };
        DecisionRow::new(
            what,
            Some(trial.fate == PreemptionOutcome::Preempted),
            format!("without {job}"),
            format!("{how}: {then}{fate}"),
        )
    };
    DecisionLevel::plain(rehearsal.trials.iter().enumerate().map(frame).collect())
}

/// Returns a moment as time relative to the snapshot's now.
pub(super) fn moment(trace: DecisionTraceRef<'_>, at: Epoch) -> String {
    let span = at - trace.run.plan.snap.now;
    if span.0 < 0 { format!("{span}") } else { format!("+{span}") }
}
