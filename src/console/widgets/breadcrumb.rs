//! Shortening a breadcrumb that is too long (console.md 4, breadcrumb): its middle is left out.

/// All parts if they fit; else the first part, `middle`, and as many of the last parts as fit, but at least one. Fewer
/// than three parts are returned unchanged.
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
