//! Reads the file `holidays`: prime time by day of the week, and the days without it (rules 1.11, 6.7, 8.7).
//!
//! Lines are `YEAR n`; `weekday|monday|…|sunday START END`, where each of the times at which prime time begins and
//! ends is `HHMM`, `all` or `none`; and `DAY …` with the day of the year of a holiday.

use qscope_engine::cluster::did_you_mean;
use qscope_engine::cluster::{
    DayKind, DaySchedule, Diagnostic, FilePosition, Holidays, PeriodStart, Severity,
};

/// The contents of the file, with the line of each schedule and of each holiday.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HolidaysFile {
    pub holidays: Holidays,
    /// Numbers of the lines of its schedules of days, from 1.
    pub day_lines: Vec<usize>,
    /// Numbers of the lines of its holidays.
    pub holiday_lines: Vec<usize>,
}

/// Reads the whole file; bad lines are reported and left out.
pub fn read(text: &[u8], file: &str, out: &mut Vec<Diagnostic>) -> HolidaysFile {
    let text = String::from_utf8_lossy(text);
    let mut read = HolidaysFile::default();
    for (at, line) in text.lines().enumerate() {
        if let Err(message) = read_line(line.trim(), &mut read.holidays) {
            let spot = FilePosition::Line(at + 1);
            out.push(Diagnostic::new(Severity::Error, "holidays-line", file, spot, message));
        }
        // A line adds at most one schedule or holiday.
        read.day_lines.resize(read.holidays.days.len(), at + 1);
        read.holiday_lines.resize(read.holidays.holidays.len(), at + 1);
    }
    read
}

fn read_line(line: &str, holidays: &mut Holidays) -> Result<(), String> {
    let mut words = line.split_whitespace();
    let Some(first) = words.next() else { return Ok(()) };
    if first.starts_with(['#', '*']) || first.starts_with("HOLIDAYFILE_VERSION") {
        return Ok(());
    }
    if first.eq_ignore_ascii_case("year") {
        let year = words.next().unwrap_or_default();
        let year = year.parse().map_err(|_| format!("`{year}` is not a year; expected `YEAR 2026`"))?;
        holidays.year = Some(year);
        return Ok(());
    }
    if first.starts_with(|c: char| c.is_ascii_digit()) {
        holidays.holidays.push(day_of_year(first)?);
        return Ok(());
    }
    let days = day_kind(first)?;
    let mut side = |which| span(words.next().unwrap_or_default(), which);
    let (prime, non_prime) = (side("start")?, side("end")?);
    holidays.days.push(DaySchedule { days, prime, non_prime });
    Ok(())
}

fn day_kind(word: &str) -> Result<DayKind, String> {
    DayKind::named(word).ok_or_else(|| {
        let asked = did_you_mean::question(word, DayKind::NAMED.iter().map(|(name, _)| *name));
        format!("`{word}` is not weekday, a day's name, YEAR or a day of the year{asked}")
    })
}

/// Parses the number of a holiday, 1 = January 1st.
fn day_of_year(word: &str) -> Result<u32, String> {
    let day = word.parse().ok().filter(|day| (1..=366).contains(day));
    day.ok_or_else(|| format!("`{word}` is not a day of the year; expected 1 to 366"))
}

/// Parses one of the two times in a day's line.
fn span(word: &str, which: &str) -> Result<PeriodStart, String> {
    match word.to_ascii_lowercase().as_str() {
        "all" => return Ok(PeriodStart::All),
        "none" => return Ok(PeriodStart::None),
        _ => {}
    }
    let clock = word.parse::<u32>().ok().map(|n| (n / 100, n % 100));
    match clock {
        Some((hour, minute)) if hour < 24 && minute < 60 => Ok(PeriodStart::At(hour * 60 + minute)),
        _ => Err(format!("`{word}` is not the {which} of prime time; expected HHMM, all or none")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_years_and_holidays() {
        let mut reported = Vec::new();
        let text = "HOLIDAYFILE_VERSION1\n* comment\n# comment\nYEAR 2025\n\nweekday 0600 1730\n\
            saturday none all\nSunday all none\n1 Jan 1 New Year\n326 x y\n";
        let HolidaysFile { holidays: h, day_lines, holiday_lines } =
            read(text.as_bytes(), "holidays", &mut reported);
        assert_eq!(reported, []);
        assert_eq!((day_lines, holiday_lines), (vec![6, 7, 8], vec![9, 10]));
        assert_eq!(h.year, Some(2025));
        assert_eq!(h.holidays, [1, 326]);
        let day = |days, prime, non_prime| DaySchedule { days, prime, non_prime };
        assert_eq!(
            h.days,
            [
                day(DayKind::Weekday, PeriodStart::At(360), PeriodStart::At(1050)),
                day(DayKind::Day(6), PeriodStart::None, PeriodStart::All),
                day(DayKind::Day(0), PeriodStart::All, PeriodStart::None),
            ]
        );
    }

    #[test]
    fn an_empty_file_has_no_holidays() {
        let mut reported = Vec::new();
        assert_eq!(read(b"\n", "holidays", &mut reported), HolidaysFile::default());
        assert_eq!(reported, []);
    }

    #[test]
    fn bad_lines_are_named_and_left_out() {
        let mut reported = Vec::new();
        let text = "YEAR soon\nwekday 0600 1730\nmonday 0600\ntuesday 2460 1700\n400 x\nfriday 0900 1700\n";
        let h = read(text.as_bytes(), "holidays", &mut reported);
        assert_eq!((h.holidays.days.len(), h.day_lines), (1, vec![6]));
        let reported: Vec<String> = reported.iter().map(ToString::to_string).collect();
        assert_eq!(reported[0], "holidays:1: `soon` is not a year; expected `YEAR 2026`");
        assert!(reported[1].ends_with("did you mean `weekday`?"));
        assert_eq!(reported[2], "holidays:3: `` is not the end of prime time; expected HHMM, all or none");
        assert!(reported[3].contains("`2460` is not the start"));
        assert!(reported[4].contains("1 to 366"));
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_panic(text in "[a-z0-9YEAR \n]{0,60}") {
            read(text.as_bytes(), "holidays", &mut Vec::new());
        }
    }
}
