//! Turns the live scheduler's complaints in its own log into an alert.

use qscope_engine::cluster::Snapshot;
use qscope_explain::words::{count, moment};
use qscope_explain::{Alert, AlertItem, AlertKind};
use qscope_source::sched_log::{Alarm, AlarmKind, alarms_in, alarms_of_folder};

use super::opening::SchedLogLocation;

/// Maximum age of a complaint at the time of the dump, in seconds.
const AGE: i64 = 86_400;

/// Returns the complaints of the last day; `None` if there are none, or no log.
pub(super) fn of_log(log: &SchedLogLocation, snap: &Snapshot) -> Option<Alert> {
    // Whether there is a log, and why it cannot be read, is reported where it is compared.
    let found = match log {
        SchedLogLocation::Folder(folder) => alarms_of_folder(folder, &snap.zone),
        SchedLogLocation::Input(Some(log)) => alarms_in(log, &snap.zone),
        SchedLogLocation::BuiltIn | SchedLogLocation::Input(None) => return None,
    };
    of_alarms(&found.unwrap_or_default(), snap)
}

fn of_alarms(alarms: &[Alarm], snap: &Snapshot) -> Option<Alert> {
    let is_recent = |alarm: &&Alarm| alarm.at.is_none_or(|at| at.0.saturating_add(AGE) >= snap.now.0);
    let mut items = Vec::new();
    for kind in [AlarmKind::ServerSilent, AlarmKind::CycleTooLong, AlarmKind::Throttled] {
        let all: Vec<&Alarm> = alarms.iter().filter(is_recent).filter(|alarm| alarm.kind == kind).collect();
        let Some(last) = all.last() else { continue };
        let at = last.at.map(|at| format!(" at {}", moment(snap, at))).unwrap_or_default();
        let times = if all.len() > 1 {
            format!("; {} in a day", count(all.len(), "such line"))
        } else {
            String::new()
        };
        let sentence = format!("the scheduler's log{at}: {}{times}", last.text);
        let brief = match kind {
            AlarmKind::ServerSilent => "no answer of the server",
            AlarmKind::CycleTooLong => "a cycle longer than sched_cycle_length",
            AlarmKind::Throttled => "updates held back",
        };
        items.push(AlertItem {
            objects: Vec::new(),
            jobs: Vec::new(),
            effect: sentence.clone(),
            sentence,
            brief: format!("{brief}{at}"),
            finding: None,
        });
    }
    (!items.is_empty()).then_some(Alert { kind: AlertKind::SchedulerLog, items })
}

#[cfg(test)]
mod tests {
    use super::*;
    use qscope_engine::cluster::Epoch;

    #[test]
    fn the_last_complaint_of_each_kind_has_its_time_and_old_ones_are_left_out() {
        let snap = Snapshot::empty("t", Epoch(1_763_700_000));
        let alarm = |kind, ago: i64, text: &str| Alarm {
            kind,
            at: Some(Epoch(snap.now.0 - ago)),
            text: text.to_owned(),
        };
        let alarms = [
            alarm(AlarmKind::Throttled, 3 * AGE, "throttled"),
            alarm(AlarmKind::CycleTooLong, 7200, "cycle exceeded sched_cycle_length"),
            alarm(AlarmKind::CycleTooLong, 3600, "cycle exceeded sched_cycle_length"),
        ];
        let alert = of_alarms(&alarms, &snap).unwrap();
        let at = moment(&snap, Epoch(snap.now.0 - 3600));
        let sentences: Vec<&str> = alert.items.iter().map(|item| item.sentence.as_str()).collect();
        assert_eq!(
            sentences,
            [format!(
                "the scheduler's log at {at}: cycle exceeded sched_cycle_length; 2 such lines in a day"
            )]
        );
        assert_eq!(of_alarms(&alarms[..1], &snap), None);
    }
}
