//! Lengths of time on the command line.

use std::time::Duration;

use qscope_engine::cluster::parse_duration;

/// Parses a length of time on the command line, in seconds.
pub(super) fn seconds(text: &str) -> Result<f64, String> {
    let length = parse_duration(text).filter(|length| *length <= 1e9);
    length.ok_or_else(|| format!("`{text}` is not a time such as 90s, 5m, 1h30m or 01:30:00"))
}

/// Parses a length of time as a `Duration`.
pub(super) fn span(text: &str) -> Result<Duration, String> {
    seconds(text).map(Duration::from_secs_f64)
}
