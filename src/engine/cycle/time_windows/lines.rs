//! The lines of `holidays` and `dedicated_time` that make a period.

use crate::cluster::{DedicatedSlot, Epoch, SettingLocation, Snapshot, deduplicated};

use super::TimeWindows;

/// Returns the line of a period of dedicated time; `None` if it was not read from a file.
pub fn dedicated_line(snap: &Snapshot, slot: DedicatedSlot) -> Option<SettingLocation> {
    let at = snap.dedicated_time.iter().position(|one| *one == slot)?;
    let line = *snap.time_lines.dedicated.get(at)?;
    let file = snap.file_of("dedicated_time").to_owned();
    Some(SettingLocation { name: "dedicated_time".to_owned(), file, line })
}

impl TimeWindows {
    /// Returns the lines of `holidays` that decide between prime and non-prime time on the day of a moment: that of
    /// the holiday, or all of its day of the week.
    pub fn prime_lines(&self, snap: &Snapshot, at: Epoch) -> Vec<SettingLocation> {
        let Some((weekday, day)) = self.prime.day_numbers(at) else { return Vec::new() };
        let Some(file) = &snap.holidays else { return Vec::new() };
        let place = |name: String, line: usize| {
            let file = snap.file_of("holidays").to_owned();
            SettingLocation { name, file, line }
        };
        let lines = &snap.time_lines;
        let holidays = file.holidays.iter().zip(&lines.holidays).filter(|(one, _)| **one == day);
        let found: Vec<SettingLocation> =
            holidays.map(|(one, line)| place(format!("holiday {one}"), *line)).collect();
        if !found.is_empty() {
            return found;
        }
        let days = file.days.iter().zip(&lines.days).filter(|(one, _)| one.days.includes(weekday));
        days.map(|(one, line)| place(one.days.name().to_owned(), *line)).collect()
    }

    /// Returns the lines of `holidays` that make the current period, and those that end it.
    pub fn period_lines(&self, snap: &Snapshot, at: Epoch) -> Vec<SettingLocation> {
        let next = self.prime.next_change(at).map(|next| self.prime_lines(snap, next));
        deduplicated(self.prime_lines(snap, at).into_iter().chain(next.into_iter().flatten()))
    }
}
