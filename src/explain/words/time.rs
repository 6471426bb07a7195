//! Times and durations in words: complete for sentences, short for narrow places.

use qscope_engine::cluster::{Epoch, Seconds, Snapshot};

/// Formats a time in the cluster's zone, with its date if that is not today, and its distance from now.
pub fn moment(snap: &Snapshot, at: Epoch) -> String {
    let date = clock(snap, at);
    let away = at - snap.now;
    match away.0 {
        0 => format!("{date} (now)"),
        1.. => format!("{date} (in {})", duration(away)),
        _ => format!("{date} ({} ago)", duration(Seconds(away.0.saturating_neg()))),
    }
}

/// Formats the time since when something is so. A dump that was made later than the others may name one after now.
pub fn since_text(snap: &Snapshot, at: Epoch) -> String {
    match at - snap.now {
        ahead @ Seconds(1..) => format!("{} ({} after this moment)", clock(snap, at), duration(ahead)),
        _ => moment(snap, at),
    }
}

/// States how long a job requests to run, naming the resource; without one, what is assumed.
pub fn length_of(length: Seconds, resource: &str) -> String {
    if length >= Seconds::UNLIMITED {
        "no walltime given, so 5 years".to_owned()
    } else {
        format!("{} of {resource}", duration(length))
    }
}

/// Formats a duration as `41s`, `12m`, `3h` or `5d`, coarse enough not to change all the time.
pub fn span(seconds: Seconds) -> String {
    match seconds.0.max(0) {
        s @ ..=119 => format!("{s}s"),
        s @ ..=7199 => format!("{}m", s / 60),
        s @ ..=172_799 => format!("{}h", s / 3600),
        s => format!("{}d", s / 86_400),
    }
}

/// Returns after how many seconds the text of [`span`] changes.
pub fn span_changes_in(seconds: Seconds) -> u64 {
    let s = seconds.0.max(0).unsigned_abs();
    match s {
        0..=119 => 1,
        120..=7199 => 60 - s % 60,
        7200..=172_799 => 3600 - s % 3600,
        _ => 86_400 - s % 86_400,
    }
}

/// Formats a time for prose, `02:43:26` in the snapshot's zone; on another day as in tables, `11-22 02:43`.
pub fn clock(snap: &Snapshot, at: Epoch) -> String {
    on_the_clock(snap, at, "%H:%M:%S")
}

/// Formats a time for tables, `02:43`, preceded by the date if that is not the snapshot's.
pub fn time_of_day(snap: &Snapshot, at: Epoch) -> String {
    on_the_clock(snap, at, "%H:%M")
}

/// Formats a time of today with `today`, and one of another day in the form that prose and tables share.
fn on_the_clock(snap: &Snapshot, at: Epoch, today: &str) -> String {
    match (snap.date(at), snap.date(snap.now)) {
        (Some(there), Some(now)) if there.date() == now.date() => there.strftime(today).to_string(),
        (Some(there), Some(now)) if there.year() == now.year() => there.strftime("%m-%d %H:%M").to_string(),
        (Some(there), _) => there.strftime("%Y-%m-%d %H:%M").to_string(),
        (None, _) => at.0.to_string(),
    }
}

/// Returns the offset of the snapshot's zone from UTC at a time.
pub fn zone_offset(snap: &Snapshot, at: Epoch) -> Seconds {
    snap.date(at).map_or(Seconds(0), |at| Seconds(i64::from(at.offset().seconds())))
}

/// Whether a time so far ahead is the end of a job without a walltime, which is assumed to last five years.
pub fn is_without_walltime(ahead: Seconds) -> bool {
    ahead.0 > Seconds::UNLIMITED.0 / 2
}

/// Number of days from which a duration is given in years: what runs without an end is assumed to run for five.
const YEARS_FROM: i64 = 2 * 365;

/// Formats a duration for tables: `5s`, `9m54s` below ten minutes, `39m`, `1h00`, `1d04h`, `5 years`.
pub fn duration(length: Seconds) -> String {
    match length.0.max(0) {
        s @ ..=59 => format!("{s}s"),
        s @ ..=599 if s % 60 > 0 => format!("{}m{:02}s", s / 60, s % 60),
        s @ ..=3599 => format!("{}m", s / 60),
        s @ ..=86_399 => format!("{}h{:02}", s / 3600, s % 3600 / 60),
        s if s < YEARS_FROM * 86_400 => format!("{}d{:02}h", s / 86_400, s % 86_400 / 3600),
        s => format!("{} years", s / (365 * 86_400)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_before_all_time_is_still_named() {
        let snap = Snapshot::empty("", Epoch(1_763_700_000));
        for at in [i64::MIN, i64::MAX, 0] {
            let text = moment(&snap, Epoch(at));
            assert!(text.contains(if at == i64::MAX { "(in " } else { " ago)" }), "{text}");
        }
    }

    #[test]
    fn durations_are_as_short_as_tables_need() {
        let texts =
            [5, 594, 600, 2395, 3600, 5940, 100_800, 1825 * 86_400 + 5, -3].map(|s| duration(Seconds(s)));
        assert_eq!(texts, ["5s", "9m54s", "10m", "39m", "1h00", "1h39", "1d04h", "5 years", "0s"]);
    }

    #[test]
    fn times_of_other_days_have_their_day() {
        let mut snap = Snapshot::empty("x", Epoch(1_763_700_000));
        snap.zone = "+02".to_owned();
        assert_eq!(time_of_day(&snap, Epoch(1_763_700_000)), "06:40");
        assert_eq!(time_of_day(&snap, Epoch(1_763_800_000)), "11-22 10:26");
        assert_eq!(time_of_day(&snap, Epoch(1_863_800_000)), "2029-01-22 20:13");
        assert_eq!(zone_offset(&snap, snap.now), Seconds(7200));
    }

    #[test]
    fn moments_are_dates_and_distances() {
        let snap = Snapshot::empty("t", Epoch(1_763_700_000));
        assert_eq!(moment(&snap, Epoch(1_763_703_600)), "05:40:00 (in 1h00)");
        assert_eq!(moment(&snap, Epoch(1_763_699_940)), "04:39:00 (1m ago)");
        assert_eq!(since_text(&snap, Epoch(1_763_699_940)), "04:39:00 (1m ago)");
        assert_eq!(since_text(&snap, snap.now), "04:40:00 (now)");
        assert_eq!(since_text(&snap, Epoch(1_763_700_003)), "04:40:03 (3s after this moment)");
    }

    #[test]
    fn ages_grow_coarser_and_report_when_they_change() {
        for (s, text, changes) in
            [(-5, "0s", 1), (41, "41s", 1), (130, "2m", 50), (7300, "2h", 3500), (172_800, "2d", 86_400)]
        {
            assert_eq!((span(Seconds(s)), span_changes_in(Seconds(s))), (text.to_owned(), changes));
        }
    }

    #[test]
    fn moments_are_in_the_snapshots_zone_and_name_other_days() {
        use super::clock as moment;
        let mut snap = Snapshot::empty("x", Epoch(1_763_700_000));
        for (zone, today) in [("UTC", "04:40:00"), ("+02", "06:40:00"), ("Europe/Berlin", "05:40:00")] {
            snap.zone = zone.to_owned();
            assert_eq!(moment(&snap, snap.now), today);
        }
        assert_eq!(moment(&snap, Epoch(1_763_800_000)), "11-22 09:26");
        for days in [1, -1, 40, 400] {
            let at = Epoch(snap.now.0 + days * 86_400);
            assert_eq!(moment(&snap, at), time_of_day(&snap, at));
        }
    }
}
