//! One line of a log: `MM/DD/YYYY HH:MM:SS[.uuuuuu];EEEE;daemon;Class;object;text`, where EEEE are the event bits.

use jiff::civil::DateTime;

/// One line. The date may be missing, or be none.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct LogLine<'a> {
    pub(super) date: Option<DateTime>,
    pub(super) event: u32,
    pub(super) object: &'a str,
    pub(super) text: &'a str,
}

impl<'a> LogLine<'a> {
    /// Takes a line apart; none if it is not made so.
    pub(super) fn parse(line: &'a str) -> Option<Self> {
        let mut fields = line.splitn(6, ';');
        let date = date(fields.next()?);
        let event = u32::from_str_radix(fields.next()?, 16).ok()?;
        let (_daemon, _class) = (fields.next()?, fields.next()?);
        let (object, text) = (fields.next()?, fields.next()?);
        Some(Self { date, event, object, text })
    }
}

/// Reads `11/21/2026 01:57:26`, fractions of a second cut off.
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
        for odd in ["", "a;b", "11/21/2026 01:57:26;zz;d;Job;1;x", "11/21/2026 01:57:26;0040;d;Job;1"] {
            assert_eq!(LogLine::parse(odd), None, "{odd}");
        }
    }
}
