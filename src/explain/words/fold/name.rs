//! Splits a name into its number and the text before and after it, for folding.

use qscope_engine::cluster::split_number;

/// A name split for folding with others.
#[derive(Clone, Copy)]
pub(super) struct FoldedName<'a> {
    pub(super) stem: &'a str,
    /// Empty if the name has no number that others could continue.
    pub(super) number: &'a str,
    pub(super) suffix: &'a str,
    /// Whether the number is in brackets.
    pub(super) bracketed: bool,
}

impl<'a> FoldedName<'a> {
    /// Splits a name. Its number is the last one of the host, `cn021.hpc2`, because a number in the domain does not
    /// count hosts. For a subjob it is the index; for an address, or if the host has none as in `gpu.1`, the number
    /// at the end.
    pub(super) fn of(name: &'a str) -> Self {
        let host_end = name.bytes().position(|byte| byte == b'.').unwrap_or(name.len());
        let (host, domain) = name.split_at(host_end);
        if let Some((stem, index)) = indexed(host) {
            return Self { stem, number: index, suffix: domain, bracketed: true };
        }
        let is_digit = |byte: u8| byte.is_ascii_digit();
        let is_address = || name.bytes().all(|byte| byte == b'.' || is_digit(byte));
        let ends_with_it = name.bytes().last().is_some_and(is_digit);
        let end = match ends_with_it && (!host.bytes().any(is_digit) || is_address()) {
            true => name.len(),
            false => host.bytes().rposition(is_digit).map_or(0, |last| last + 1),
        };
        let (counted, suffix) = name.split_at_checked(end).unwrap_or((name, ""));
        let (stem, number) = split_number(counted);
        // A bare number is a name, because job ids are not folded into ranges. A name with a bracket after the number
        // is not split either.
        if stem.is_empty() || suffix.contains(['[', ']']) {
            return Self { stem: name, number: "", suffix: "", bracketed: false };
        }
        Self { stem, number, suffix, bracketed: false }
    }
}

/// Returns the array and the index of a subjob, `66[3]`.
fn indexed(host: &str) -> Option<(&str, &str)> {
    let (stem, index) = host.strip_suffix(']')?.rsplit_once('[')?;
    (!index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit())).then_some((stem, index))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_the_number_of_its_host_or_the_one_it_ends_with() {
        for (name, stem, number, suffix) in [
            ("gpu.1", "gpu.", "1", ""),
            ("10.0.0.12", "10.0.0.", "12", ""),
            ("rack1-n01.cl", "rack1-n", "01", ".cl"),
            ("rack1-n01.cl2", "rack1-n", "01", ".cl2"),
            ("n1-ib", "n", "1", "-ib"),
            ("66[3].head1", "66", "3", ".head1"),
            ("login", "login", "", ""),
            ("7", "7", "", ""),
            ("7.head", "7.head", "", ""),
        ] {
            let found = FoldedName::of(name);
            assert_eq!((found.stem, found.number, found.suffix), (stem, number, suffix), "{name}");
        }
    }
}
