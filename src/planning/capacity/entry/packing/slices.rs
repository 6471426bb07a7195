//! The free amounts of each needed node, slice by slice, as runs of equal slices.

use serde::Serialize;

use crate::capacity::entry::write::PlainNumber;
use crate::capacity::{Packer, PackingNumber, TypeIx};

/// `[repeat, slices]`: the slices of a node, and the number of consecutive nodes that have the same.
pub(super) type NodeRun = (u64, Vec<SliceRun>);

/// `[length, memory, cores, disk]` that are free, followed by the number of consecutive equal slices where
/// there are several.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub(super) enum SliceRun {
    Once(PlainNumber, i64, PlainNumber, i64),
    Several(PlainNumber, i64, PlainNumber, i64, u64),
}

/// Returns the nodes of each type; none where a type has too many to count.
pub(super) fn reservations<N: PackingNumber>(packer: &Packer<N>) -> Option<Vec<Vec<NodeRun>>> {
    let mut all = Vec::new();
    for ((kind, _), count) in packer.types().zip(packer.counts()) {
        let nodes = 0..u32::try_from(count).ok()?;
        let runs = runs(nodes.map(|node| slices(packer, kind, node)));
        all.push(runs.into_iter().map(|(slices, repeat)| (repeat, slices)).collect());
    }
    Some(all)
}

fn slices<N: PackingNumber>(packer: &Packer<N>, type_ix: TypeIx, node: u32) -> Vec<SliceRun> {
    let free = packer.slices(type_ix, node).map(|(length, free)| {
        (PlainNumber(length.value()), free.memory, PlainNumber(free.cores.value()), free.disk)
    });
    let counted = runs(free).into_iter().map(|((length, memory, cores, disk), repeat)| match repeat {
        1 => SliceRun::Once(length, memory, cores, disk),
        _ => SliceRun::Several(length, memory, cores, disk, repeat),
    });
    counted.collect()
}

/// Merges consecutive equal items into one with their count.
fn runs<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<(T, u64)> {
    let mut runs: Vec<(T, u64)> = Vec::new();
    for item in items {
        match runs.last_mut() {
            Some((same, repeat)) if *same == item => *repeat += 1,
            _ => runs.push((item, 1)),
        }
    }
    runs
}
