//! A way of several parts that is too long for its place (console.md 4, breadcrumb): its middle is left out.

/// The parts that fit: all, or the first, what stands for the middle, and as many of the last ones as there is room for,
/// but at least the last. Fewer than three parts have no middle.
pub(crate) fn without_middle<T: Clone>(parts: &[T], middle: &T, fits: impl Fn(&[T]) -> bool) -> Vec<T> {
    if parts.len() < 3 || fits(parts) {
        return parts.to_vec();
    }
    let short = |from: usize| -> Vec<T> {
        parts.iter().take(1).chain([middle]).chain(parts.iter().skip(from)).cloned().collect()
    };
    let fitting = (2..parts.len()).map(short).find(|parts| fits(parts));
    fitting.unwrap_or_else(|| short(parts.len() - 1))
}
