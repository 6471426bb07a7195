//! Names of buckets that would be cut to the same text: each ends in what distinguishes it.
//!
//! ```text
//! bw=2.25 scratch=…     2        bw=2.25 s… 100gb     2
//! bw=2.25 scratch=…     1        bw=2.25 s… 500gb     1
//! ```

use rustc_hash::FxHashMap;
use unicode_truncate::UnicodeTruncateStr;

use super::{BETWEEN, MAX_NAMED};
use crate::widgets::text::{truncate, width};

/// Minimum columns of the beginning of a name before its end.
const LEAST: usize = 8;

/// Shortens names to `columns` columns with the mark of a cut. Names that would be cut to the same text end in the
/// parts that the others lack, in the values of these parts, or in the node name given by `first`, whichever fits
/// first. All others stay unchanged.
pub(crate) fn cut_apart<'f>(
    names: &[String],
    first: impl Fn(usize) -> &'f str,
    (columns, mark): (usize, &str),
) -> Vec<String> {
    let mut shown = names.to_vec();
    if names.len() > MAX_NAMED {
        return shown;
    }
    let mut alike: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (at, name) in names.iter().enumerate().filter(|(_, name)| width(name) > columns) {
        let (kept, _) = name.unicode_truncate(columns.saturating_sub(width(mark)));
        alike.entry(kept).or_default().push(at);
    }
    for group in alike.values().filter(|group| group.len() > 1) {
        for at in group {
            let others = group.iter().filter(|other| *other != at).filter_map(|other| names.get(*other));
            let Some((name, shown)) = names.get(*at).zip(shown.get_mut(*at)) else { continue };
            let [parts, values] = own_parts(name, others.map(String::as_str).collect());
            let ends = [parts, values, first(*at).to_owned()];
            let room = |end: &String| columns.checked_sub(width(end) + 1).filter(|room| *room >= LEAST);
            let end = ends.iter().filter(|end| !end.is_empty()).find_map(|end| Some((end, room(end)?)));
            if let Some((end, room)) = end {
                *shown = format!("{} {end}", truncate(name, room, mark));
            }
        }
    }
    shown
}

/// The parts that distinguish a name from all others, and their values; empty if there are none.
fn own_parts(name: &str, mut others: Vec<&str>) -> [String; 2] {
    let mut own = Vec::new();
    for part in name.split(BETWEEN) {
        let before = others.len();
        others.retain(|other| other.split(BETWEEN).any(|theirs| theirs == part));
        if others.len() < before {
            own.push(part);
        }
    }
    if !others.is_empty() {
        return [String::new(), String::new()];
    }
    let values: Vec<&str> =
        own.iter().map(|part| part.split_once('=').map_or(*part, |(_, value)| value)).collect();
    // A number alone could be of any resource.
    let are_clear = values.iter().all(|value| value.chars().any(char::is_alphabetic));
    [own.join(BETWEEN), if are_clear { values.join(BETWEEN) } else { String::new() }]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apart(names: &[&str], columns: usize) -> Vec<String> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        cut_apart(&names, |at| ["n1", "n2", "n3"][at], (columns, "…"))
    }

    #[test]
    fn names_that_a_cut_makes_alike_end_in_what_sets_them_apart() {
        let long = ["queue=special mem=64gb bw=1 n=8", "queue=special mem=64gb bw=2 n=8"];
        assert_eq!(apart(&long, 20), ["queue=special … bw=1", "queue=special … bw=2"]);
        let names = ["bw=2.25 scratch=100gb n=8", "bw=2.25 scratch=500gb n=8", "bw=1 scratch=500gb n=8"];
        assert_eq!(apart(&names, 25), names, "there is room");
        let cut = apart(&names, 15);
        assert_eq!(
            cut,
            ["bw=2.25 … 100gb", "bw=2.25 … 500gb", names[2]],
            "the third one is cut to another text"
        );
        assert_eq!(apart(&names, 11)[..2], ["bw=2.25… n1", "bw=2.25… n2"]);
        assert_eq!(apart(&names, 9), names, "what would be left shows nothing");
    }

    #[test]
    fn a_name_without_a_part_of_its_own_ends_in_a_node() {
        let names = ["mem=64gb ncpus=16", "mem=64gb ncpus=16 gpu=1"];
        assert_eq!(apart(&names, 12), ["mem=64gb… n1", "mem=64gb… n2"]);
        assert_eq!(apart(&names, 14), ["mem=64gb n… n1", "mem=64g… gpu=1"]);
    }
}
