//! Reads the time to which a what-if moves the clock.

use jiff::civil::{DateTime, Time};
use jiff::{Timestamp, ToSpan};

use crate::setting::SettingError;
use crate::setting::key::ParsedSetting;
use crate::zone::Zone;
use qscope_engine::cluster::{Epoch, Seconds, Snapshot, parse_duration};

/// Reads `+2h`, the next occurrence of a time of day, a date with time in the cluster's zone, or seconds since 1970.
///
/// # Errors
/// If the value is none of these, or in the past.
pub(super) fn read(setting: &ParsedSetting<'_>, snap: &Snapshot) -> Result<Epoch, SettingError> {
    let zone = Zone::named(&snap.zone, &snap.zone_source).unwrap_or_else(Zone::local);
    let Some(at) = moment(setting.value, snap.now, &zone) else {
        let expected = "expected +2h, 14:30, 2026-11-21T14:30 or seconds since 1970";
        return Err(
            setting.error_at_part(setting.value, format!("`{}` is no moment; {expected}", setting.value))
        );
    };
    if at < snap.now {
        let now = crate::zone::civil_time(snap.now, &snap.zone);
        return Err(
            setting.error_at_part(setting.value, format!("the clock moves forward only; it is {now}"))
        );
    }
    if at.0.saturating_sub(snap.now.0) > FURTHEST {
        return Err(setting.error_at_part(setting.value, "the clock moves by 30 years at most"));
    }
    Ok(at)
}

/// 30 years, in seconds.
const FURTHEST: i64 = 30 * 366 * 86_400;

fn moment(text: &str, now: Epoch, zone: &Zone) -> Option<Epoch> {
    if let Some(span) = text.strip_prefix('+') {
        return parse_duration(span).filter(|span| *span < 1e9).map(|span| now + Seconds(span as i64));
    }
    if let Ok(seconds) = text.parse() {
        return Some(Epoch(seconds));
    }
    let forms = ["%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"];
    if let Some(date) = forms.iter().find_map(|form| DateTime::strptime(form, text).ok()) {
        return zone.epoch(date);
    }
    let clock = ["%H:%M:%S", "%H:%M"].iter().find_map(|form| Time::strptime(form, text).ok())?;
    let today = Timestamp::from_second(now.0).ok()?.to_zoned(zone.time_zone().clone()).date();
    let at = zone.epoch(today.to_datetime(clock))?;
    if at >= now { Some(at) } else { zone.epoch(today.checked_add(1.day()).ok()?.to_datetime(clock)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_read_in_the_forms_people_write() {
        let zone = Zone::named("+01:00", "given").unwrap();
        // Sat Nov 21 03:08:34 2026 in that zone.
        let now = Epoch(1_795_226_914);
        let found = |text: &str| moment(text, now, &zone).map(|at| at.0 - now.0);
        assert_eq!(found("+1h30m"), Some(5_400));
        assert_eq!(found("1795226915"), Some(1));
        assert_eq!(found("2026-11-21T04:08:34"), Some(3_600));
        assert_eq!(found("03:09"), Some(26));
        assert_eq!(found("03:08"), Some(86_400 - 34));
        assert_eq!(found("soon"), None);
    }
}
