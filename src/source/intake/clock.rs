//! Determines when the files of a tree were made, and the zone of their dates (sites 1.5).

use super::IntakeOutcome;
use super::entry::InputEntry;
use crate::archive::{DiagnosticTree, TreeFileRole};
use qscope_engine::cluster::Epoch;

/// Files modified more than this many seconds after the tree was begun have the time of unpacking.
const LATE: i64 = 3600;
/// Zones differ by multiples of a quarter of an hour, in seconds.
const QUARTER: i64 = 900;

/// Sets the time and zone of a tree, and replaces modification times that come from unpacking.
pub(super) fn of_tree(tree: &DiagnosticTree, entries: &mut [InputEntry], gathered: &mut IntakeOutcome) {
    let begun =
        entries.iter().find(|entry| entry.places(tree).contains(&TreeFileRole::CTime)).and_then(epoch_in);
    let times: Vec<Epoch> = entries.iter().filter_map(|entry| entry.modified).collect();
    let is_late = begun.is_some_and(|begun| times.iter().any(|at| at.0 - begun.0 > LATE));
    let is_one = times.len() > 1 && times.windows(2).all(|pair| pair.first() == pair.last());
    if begun.is_some() && (is_late || is_one) {
        entries.iter_mut().for_each(|entry| entry.modified = begun);
        gathered.moment = begun.map(|begun| (begun, "ctime of the archive".to_owned()));
    } else if gathered.moment.is_none() {
        gathered.moment = begun.map(|begun| (begun, "ctime of the archive".to_owned()));
    }
    if let (Some(begun), Some(named)) = (begun, tree.named_moment()) {
        gathered.zone = zone(named.saturating_sub(begun.0));
    }
}

/// Prefers the modification time of the jobs to the time the tree was begun, if it is later.
pub(super) fn of_jobs(entry: &InputEntry, gathered: &mut IntakeOutcome) {
    if let (Some(modified), Some((begun, source))) = (entry.modified, &mut gathered.moment)
        && modified > *begun
    {
        *begun = modified;
        *source = format!("time of {}", entry.display_name);
    }
}

fn epoch_in(entry: &InputEntry) -> Option<Epoch> {
    let text = std::str::from_utf8(&entry.head).ok()?;
    text.split_whitespace().next()?.split('.').next()?.parse().ok().filter(|at| *at > 0).map(Epoch)
}

/// Returns an offset in seconds as a zone, rounded to a quarter of an hour.
fn zone(ahead: i64) -> Option<String> {
    let offset = (ahead + QUARTER / 2).div_euclid(QUARTER) * QUARTER;
    let (sign, size) = if offset < 0 { ('-', -offset) } else { ('+', offset) };
    (size <= 14 * 3600).then(|| format!("{sign}{:02}:{:02}", size / 3600, size % 3600 / 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_zone_is_the_difference_of_two_clocks() {
        assert_eq!(zone(3600).as_deref(), Some("+01:00"));
        assert_eq!(zone(3590).as_deref(), Some("+01:00"));
        assert_eq!(zone(-12_600).as_deref(), Some("-03:30"));
        assert_eq!(zone(20_700).as_deref(), Some("+05:45"));
        assert_eq!(zone(-5).as_deref(), Some("+00:00"));
        assert_eq!(zone(80_000), None);
    }
}
