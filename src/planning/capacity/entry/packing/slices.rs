//! What is free on each node that the packing needs, slice by slice, equal ones as one.

use serde::Serialize;

use crate::capacity::entry::write::Plain;
use crate::capacity::{Measure, Packer, TypeIx};

/// `[repeat, slices]`: nodes of a type whose slices are equal, and how many follow each other.
pub(super) type NodeRun = (u64, Vec<SliceRun>);

/// `[length, memory, cores, disk]` that are free, with how many equal ones follow each other behind it where
/// there are several.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub(super) enum SliceRun {
    Once(Plain, i64, Plain, i64),
    Several(Plain, i64, Plain, i64, u64),
}

/// For each type its nodes; none where a type has more than can be counted.
pub(super) fn reservations<N: Measure>(packer: &Packer<N>) -> Option<Vec<Vec<NodeRun>>> {
    let mut all = Vec::new();
    for ((kind, _), count) in packer.types().zip(packer.counts()) {
        let nodes = 0..u32::try_from(count).ok()?;
        let runs = runs(nodes.map(|node| slices(packer, kind, node)));
        all.push(runs.into_iter().map(|(slices, repeat)| (repeat, slices)).collect());
    }
    Some(all)
}

fn slices<N: Measure>(packer: &Packer<N>, kind: TypeIx, node: u32) -> Vec<SliceRun> {
    let free = packer
        .slices(kind, node)
        .map(|(length, free)| (Plain(length.value()), free.memory, Plain(free.cores.value()), free.disk));
    let counted = runs(free).into_iter().map(|((length, memory, cores, disk), repeat)| match repeat {
        1 => SliceRun::Once(length, memory, cores, disk),
        _ => SliceRun::Several(length, memory, cores, disk, repeat),
    });
    counted.collect()
}

/// Equal items that follow each other as one, with how many there are.
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
