//! The window of all means in short form.

use super::policy::whole_seconds;
use super::{FarmError, FarmWindow};

/// Reads `FROM..TO`: times after the start of the whole (`1d..3d`), percentages of it (`50%..100%`), or epoch
/// seconds (`@1772440000..@1772526400`); an empty side is its start or end. The whole is the time of a log,
/// else from the first arrival to the last.
///
/// # Errors
/// The text is anything else, or the window is empty.
pub(super) fn parse(text: &str, whole: FarmWindow) -> Result<FarmWindow, FarmError> {
    let FarmWindow { from: first, to: last } = whole;
    let fail = |what: String| FarmError::Scenario { place: format!("--window {text}"), what };
    let wrong = || fail("expected FROM..TO as 1d..3d, 50%..100% or @EPOCH..@EPOCH".to_owned());
    let (from, to) = text.split_once("..").ok_or_else(wrong)?;
    let moment = |side: &str, otherwise: i64| -> Option<i64> {
        let side = side.trim();
        if side.is_empty() {
            return Some(otherwise);
        }
        if let Some(epoch) = side.strip_prefix('@') {
            return epoch.parse().ok();
        }
        if let Some(percent) = side.strip_suffix('%') {
            let percent: f64 = percent.parse().ok().filter(|percent| (0.0..=100.0).contains(percent))?;
            return Some(first + ((last - first) as f64 * percent / 100.0).round() as i64);
        }
        first.checked_add(whole_seconds(side)?)
    };
    let window =
        FarmWindow { from: moment(from, first).ok_or_else(wrong)?, to: moment(to, last).ok_or_else(wrong)? };
    if window.seconds() == 0 {
        return Err(fail(format!("is empty; the whole is from {first} to {last}")));
    }
    Ok(window)
}
