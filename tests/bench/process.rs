//! The resources that a process uses, as counted by Linux.

/// Returns the resident memory of a process in megabytes, by its number or `self`.
pub(crate) fn resident(of: &str) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{of}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|number| number.parse::<f64>().ok()).unwrap_or(0.0) / 1024.0
}

/// Returns the processor time of a process or thread in seconds, by its number, `self` or `thread-self`.
pub(crate) fn processor_time(of: &str) -> f64 {
    let text = std::fs::read_to_string(format!("/proc/{of}/stat")).unwrap_or_default();
    // After the name, which may have spaces: state, ten numbers, then user and system time in hundredths of a
    // second.
    let rest = text.rsplit(')').next().unwrap_or_default();
    rest.split_whitespace().skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>()
        / 100.0
}
