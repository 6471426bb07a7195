//! What a process takes, as Linux counts it.

/// Megabytes in memory of a process: its number, or `self`.
pub(crate) fn resident(of: &str) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{of}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|number| number.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}

/// Seconds of processor time of a process or thread: its number, `self` or `thread-self`.
pub(crate) fn processor_time(of: &str) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{of}/stat")).unwrap_or_default();
    // Behind the name, which may have blanks: state, ten numbers, then user and system time in hundredths.
    let rest = text.rsplit(')').next().unwrap_or_default();
    rest.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>()
        / 100.0
}
