//! Parses sizes and durations as Torque and Moab write them.

/// Parses a size and returns it in kb: `8gb`, `8GB`, `4096mb`, `1024` bytes, `2gw` words of eight bytes.
pub(super) fn kilobytes(text: &str) -> Option<u64> {
    let text = text.trim().to_ascii_lowercase();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().ok()?;
    let (prefix, words) = match unit.strip_suffix(['b', 'w']) {
        Some(prefix) => (prefix, unit.ends_with('w')),
        None => (unit, false),
    };
    let shift = match prefix {
        "" => return Some(number.saturating_mul(if words { 8 } else { 1 }).div_ceil(1024)),
        "k" => 0,
        "m" => 10,
        "g" => 20,
        "t" => 30,
        "p" => 40,
        _ => return None,
    };
    number.checked_mul(1 << shift)?.checked_mul(if words { 8 } else { 1 })
}

/// Converts a duration `D:HH:MM:SS` to seconds; returns `None` for other forms, which PBS reads as written.
pub(super) fn length(text: &str) -> Option<String> {
    let parts: Option<Vec<u64>> = text.trim().split(':').map(|part| part.parse().ok()).collect();
    let parts = parts.filter(|parts| parts.len() == 4)?;
    let sizes = [86_400, 3600, 60, 1];
    let seconds =
        parts.iter().zip(sizes).try_fold(0_u64, |sum, (part, size)| sum.checked_add(part.checked_mul(size)?));
    seconds.map(|seconds| seconds.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_lengths() {
        assert_eq!(kilobytes("8GB"), Some(8 << 20));
        assert_eq!(kilobytes("4096mb"), Some(4 << 20));
        assert_eq!(kilobytes("1025"), Some(2));
        assert_eq!(kilobytes("2kw"), Some(16));
        assert_eq!(kilobytes("x"), None);
        assert_eq!(length("1:02:03:04"), Some("93784".to_owned()));
        assert_eq!((length("02:03:04"), length("600"), length("a:b:c:d")), (None, None, None));
    }
}
