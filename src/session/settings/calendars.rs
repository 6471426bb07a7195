//! Lists the lines of the scheduler's calendars as settings: of `holidays` and `dedicated_time`.

use qscope_engine::cluster::{Epoch, Snapshot};

use super::{EffectiveSetting, SettingSource};

/// Returns the lines of the scheduler's calendars as settings: the schedules and holidays of `holidays`, and the periods
/// of `dedicated_time` that have not ended.
pub fn time_settings(snap: &Snapshot) -> Vec<EffectiveSetting> {
    let lines = &snap.time_lines;
    let row = |section: &'static str, (name, value): (String, String), line: Option<&usize>, doc| {
        let source = line.map_or(SettingSource::Read, |line| {
            SettingSource::Line(snap.file_of(section).to_owned(), vec![*line])
        });
        EffectiveSetting { section, name, value: Some(value), default: None, source, doc }
    };
    let holidays = snap.holidays.as_ref();
    let days = holidays.iter().flat_map(|file| &file.days).enumerate().map(|(at, day)| {
        let value = format!("prime {}, non-prime {}", day.prime.words(":"), day.non_prime.words(":"));
        let name = format!("holidays {}", day.days.name());
        row(
            "holidays",
            (name, value),
            lines.days.get(at),
            "when prime and non-prime time begin on these days",
        )
    });
    let dates = holidays.iter().flat_map(|file| &file.holidays).enumerate().map(|(at, day)| {
        let named = (format!("holidays day {day}"), "non-prime all day".to_owned());
        row("holidays", named, lines.holidays.get(at), "a holiday, by its day of the year")
    });
    let slots = snap.dedicated_time.iter().enumerate().filter(|(_, slot)| slot.to > snap.now);
    let slots = slots.map(|(at, slot)| {
        let named =
            (format!("dedicated_time {}", date(snap, slot.from)), format!("until {}", date(snap, slot.to)));
        row(
            "dedicated_time",
            named,
            lines.dedicated.get(at),
            "a period that only queues of dedicated_prefix may use",
        )
    });
    days.chain(dates).chain(slots).collect()
}

/// Formats a moment of the calendars, which may be in another year.
fn date(snap: &Snapshot, at: Epoch) -> String {
    snap.date(at).map_or_else(|| at.0.to_string(), |at| at.strftime("%Y-%m-%d %H:%M").to_string())
}
