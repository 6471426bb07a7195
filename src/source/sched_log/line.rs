//! Parses a line of a log: `MM/DD/YYYY HH:MM:SS[.uuuuuu];EEEE;daemon;Class;object;text`, where EEEE are the event
//! bits.
//!
//! Forwarders put a head before whole lines. Syslog's own form has neither event bits nor a daemon, and a year only
//! in its newer form (sites 2.7).

use jiff::civil::DateTime;

use crate::intake::kind::{daemon_head, syslog};

/// One line. The date may be missing or unreadable.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct LogLine<'a> {
    pub(super) date: Option<DateTime>,
    pub(super) event: u32,
    pub(super) object: &'a str,
    pub(super) text: &'a str,
}

impl<'a> LogLine<'a> {
    /// Parses a line; returns `None` if it does not have the form.
    pub(super) fn parse(line: &'a str) -> Option<Self> {
        let own = daemon_head(line).and_then(|at| line.get(at..));
        if own.is_none()
            && let Some((_, text)) = syslog(line)
        {
            return Self::of_syslog(line, text);
        }
        let mut fields = own.unwrap_or(line).splitn(6, ';');
        let date = date(fields.next()?);
        let event = u32::from_str_radix(fields.next()?, 16).ok()?;
        let (_daemon, _class) = (fields.next()?, fields.next()?);
        let (object, text) = (fields.next()?, fields.next()?);
        Some(Self { date, event, object, text })
    }
}

impl<'a> LogLine<'a> {
    /// Parses `Class;object;text` after the head of syslog.
    fn of_syslog(line: &str, text: &'a str) -> Option<Self> {
        let mut fields = text.splitn(3, ';');
        let (_class, object, text) = (fields.next()?, fields.next()?, fields.next()?);
        // `<134>1 2026-03-02T10:05:12+01:00 …`: the local time of the host that wrote it.
        let moment = line.split_whitespace().nth(1).filter(|_| line.starts_with('<'));
        let date = moment.and_then(|moment| DateTime::strptime("%Y-%m-%dT%H:%M:%S", moment.get(..19)?).ok());
        Some(Self { date, event: 0, object, text })
    }
}

/// Parses `11/21/2026 01:57:26`, ignoring fractions of a second.
fn date(text: &str) -> Option<DateTime> {
    let whole = text.split('.').next().unwrap_or(text);
    DateTime::strptime("%m/%d/%Y %H:%M:%S", whole).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_taken_apart() {
        let line = LogLine::parse("11/21/2026 01:57:26.5;0040;pbs_sched;Job;1.s;a;b").unwrap();
        assert_eq!((line.event, line.object, line.text), (0x40, "1.s", "a;b"));
        assert_eq!(line.date, Some(jiff::civil::datetime(2026, 11, 21, 1, 57, 26, 0)));
        assert_eq!(LogLine::parse("?;0400;d;Node;;x").unwrap().date, None);
        let whole = "11/21/2026 01:57:26;0040;pbs_sched;Job;1.s;Job run";
        let forwarded = format!("Nov 21 01:57:26 head fwd: {whole}");
        assert_eq!(LogLine::parse(&forwarded), LogLine::parse(whole));
        let old = LogLine::parse("Nov 21 01:57:26 head pbs_sched[311]: Job;1.s;Job run").unwrap();
        assert_eq!((old.date, old.event, old.object, old.text), (None, 0, "1.s", "Job run"));
        let new = "<134>1 2026-11-21T01:57:26+01:00 head pbs_sched 311 - - Req;;Starting Scheduling Cycle";
        let new = LogLine::parse(new).unwrap();
        assert_eq!(
            (new.date, new.text),
            (Some(jiff::civil::datetime(2026, 11, 21, 1, 57, 26, 0)), "Starting Scheduling Cycle")
        );
        for odd in ["", "a;b", "11/21/2026 01:57:26;zz;d;Job;1;x", "11/21/2026 01:57:26;0040;d;Job;1"] {
            assert_eq!(LogLine::parse(odd), None, "{odd}");
        }
    }
}
