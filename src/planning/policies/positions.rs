//! The positions of nodes in a row.

use qscope_engine::cluster::{Snapshot, split_number};

/// Where positions come from (rule 1.6).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Positions {
    /// The site's slots.
    Slot,
    /// The number at the end of the name.
    Name,
    /// The place in the dump.
    Dump,
}

/// Slots where the site has any; else the numbers that names end in, if each has its own; else the order of
/// the dump.
pub(super) fn positions(snap: &Snapshot, has_slots: bool) -> Positions {
    if has_slots {
        return Positions::Slot;
    }
    let names = snap.nodes.iter().map(|node| trailing_number(&node.name));
    let Some(mut numbers) = names.collect::<Option<Vec<i64>>>() else { return Positions::Dump };
    let count = numbers.len();
    numbers.sort_unstable();
    numbers.dedup();
    if numbers.len() == count { Positions::Name } else { Positions::Dump }
}

/// The number that a name ends in.
pub(super) fn trailing_number(name: &str) -> Option<i64> {
    split_number(name).1.parse().ok()
}
