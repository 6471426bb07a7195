//! The scheduler's complaints about its own operation, with their times.

use super::line::LogLine;
use crate::zone::Zone;
use qscope_engine::cluster::Epoch;

/// Maximum number of complaints kept of each kind, the newest.
const KEPT: usize = 20;

/// Kind of a complaint.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AlarmKind {
    /// The server did not answer.
    ServerSilent,
    /// A cycle was ended because of its length.
    CycleTooLong,
    /// Updates were throttled.
    Throttled,
}

/// A complaint in the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alarm {
    pub kind: AlarmKind,
    /// Time; `None` if the log shows no year.
    pub at: Option<Epoch>,
    /// Text of the scheduler.
    pub text: String,
}

/// Parts of texts, in lower case, that identify complaints.
const TEXTS: [(&str, AlarmKind); 4] = [
    ("statserver failed", AlarmKind::ServerSilent),
    ("exceeded sched_cycle_length", AlarmKind::CycleTooLong),
    ("throttl", AlarmKind::Throttled),
    ("statserver: failed", AlarmKind::ServerSilent),
];

/// Returns the newest complaints of each kind in a log, in its order. Dates are in the zone with this name.
pub fn alarms(bytes: &[u8], zone: &str) -> Vec<Alarm> {
    let zone = Zone::named(zone, "");
    let mut all: Vec<Alarm> = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n') {
        let text = String::from_utf8_lossy(line);
        let Some(line) = LogLine::parse(text.trim_end()) else { continue };
        let small = line.text.to_ascii_lowercase();
        let Some((_, kind)) = TEXTS.iter().find(|(part, _)| small.contains(part)) else { continue };
        let at = line.date.zip(zone.as_ref()).and_then(|(date, zone)| zone.epoch(date));
        all.push(Alarm { kind: *kind, at, text: line.text.to_owned() });
    }
    let mut left =
        [AlarmKind::ServerSilent, AlarmKind::CycleTooLong, AlarmKind::Throttled].map(|kind| (kind, KEPT));
    let mut kept: Vec<Alarm> = Vec::new();
    for alarm in all.into_iter().rev() {
        if let Some((_, room)) = left.iter_mut().find(|(kind, room)| *kind == alarm.kind && *room > 0) {
            *room -= 1;
            kept.push(alarm);
        }
    }
    kept.reverse();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_have_a_kind_and_a_time() {
        let log = "\
11/21/2026 01:57:26;0002;pbs_sched;Svr;x;pbs_statserver failed: Timeout (15010)
11/21/2026 01:57:27;0080;pbs_sched;Req;;Starting Scheduling Cycle
torn
11/21/2026 02:17:27;0080;pbs_sched;Req;;Leaving the scheduling cycle: Cycle duration of 1201 seconds has exceeded sched_cycle_length of 1200 seconds
Nov 21 02:18:00 head pbs_sched[311]: Req;;Throttling updates of attributes
";
        let all = alarms(log.as_bytes(), "UTC");
        let kinds: Vec<_> = all.iter().map(|alarm| (alarm.kind, alarm.at.map(|at| at.0))).collect();
        assert_eq!(
            kinds,
            [
                (AlarmKind::ServerSilent, Some(1_795_226_246)),
                (AlarmKind::CycleTooLong, Some(1_795_227_447)),
                (AlarmKind::Throttled, None)
            ]
        );
        let many = log.repeat(30);
        assert_eq!(alarms(many.as_bytes(), "UTC").len(), 3 * KEPT);
    }
}
