//! Nodes grouped by load: one bitmap per size and load, searched from the least loaded on.

use std::cmp::Ordering;

use qscope_engine::cluster::{Column, Id};
use qscope_engine::universe::BitSet;

use super::workload::{FarmNode, NodeNo};

/// Nodes of one size with equally many slots in use.
#[derive(Clone, Debug)]
struct LoadGroup {
    nodes: BitSet<NodeNo>,
    /// Number of nodes.
    count: u32,
    /// Free slots of each node.
    free: u32,
    /// Whether the previous group has the same load, on nodes of another size.
    continues: bool,
}

/// All nodes by exact load: 1 of 4 slots is as loaded as 2 of 8 (rule R4).
#[derive(Clone, Debug)]
pub(super) struct LoadIndex {
    /// The groups by ascending load.
    groups: Vec<LoadGroup>,
    /// For each size, the index in `groups` for 0, 1, 2… slots in use.
    at: Vec<Vec<usize>>,
    /// For each node, the index of its size in `at`.
    size: Column<NodeNo, usize>,
}

/// Direction of the search over the loads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LoadDirection {
    LeastLoaded,
    Fullest,
}

impl LoadIndex {
    /// Creates the groups with all nodes empty.
    pub(super) fn new(nodes: &Column<NodeNo, FarmNode>) -> Self {
        let mut sizes: Vec<u32> = nodes.iter().map(|node| node.slots).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let mut loads: Vec<(u32, u32)> =
            sizes.iter().flat_map(|size| (0..=*size).map(move |used| (used, *size))).collect();
        loads.sort_by(|a, b| by_load(*a, *b).then(a.1.cmp(&b.1)));
        let mut at: Vec<Vec<usize>> = sizes.iter().map(|_| Vec::new()).collect();
        let mut groups: Vec<LoadGroup> = Vec::with_capacity(loads.len());
        let mut before = None;
        for load in loads {
            let continues = before.is_some_and(|before| by_load(before, load) == Ordering::Equal);
            before = Some(load);
            let (used, size) = load;
            if let Some(places) = sizes.binary_search(&size).ok().and_then(|size| at.get_mut(size)) {
                places.push(groups.len());
            }
            let nodes = BitSet::new(nodes.len());
            groups.push(LoadGroup { nodes, count: 0, free: size - used, continues });
        }
        let size = nodes.iter().map(|node| sizes.binary_search(&node.slots).unwrap_or(0)).collect();
        let mut levels = Self { groups, at, size };
        for node in nodes.ids() {
            levels.put(node, 0, true);
        }
        levels
    }

    /// Moves a node to the group of its new number of slots in use.
    #[inline]
    pub(super) fn change(&mut self, node: NodeNo, from: u32, to: u32) {
        self.put(node, from, false);
        self.put(node, to, true);
    }

    fn place(&self, node: NodeNo, used: u32) -> Option<usize> {
        self.at.get(self.size[node])?.get(used as usize).copied()
    }

    #[inline]
    fn put(&mut self, node: NodeNo, used: u32, present: bool) {
        let place = self.place(node, used);
        if let Some(group) = place.and_then(|place| self.groups.get_mut(place)) {
            group.nodes.put(node, present);
            group.count = if present { group.count + 1 } else { group.count - 1 };
        }
    }

    /// Returns the rank of a node's load: equal loads have equal ranks.
    pub(super) fn load_rank(&self, node: NodeNo, used: u32) -> usize {
        let mut rank = self.place(node, used).unwrap_or(usize::MAX);
        while self.groups.get(rank).is_some_and(|group| group.continues) {
            rank -= 1;
        }
        rank
    }

    /// Returns the largest number of free slots on any node.
    pub(super) fn most_free(&self) -> u32 {
        self.groups.iter().filter(|group| group.count > 0).map(|group| group.free).max().unwrap_or(0)
    }

    /// Returns the first node, by load and then by index, with `need` free slots that is in `mask` (by words)
    /// and accepted.
    #[inline]
    pub(super) fn find(
        &self,
        walk: LoadDirection,
        need: u32,
        mask: impl Fn(usize) -> u64,
        accept: impl Fn(NodeNo) -> bool,
    ) -> Option<NodeNo> {
        let mut levels = self.groups.chunk_by(|_, next| next.continues);
        loop {
            let level = match walk {
                LoadDirection::LeastLoaded => levels.next(),
                LoadDirection::Fullest => levels.next_back(),
            }?;
            let found = match level {
                [one] if one.count == 0 || one.free < need => None,
                [one] => first_of(one.nodes.words(), &mask, &accept),
                several => first_of_several(several, need, &mask, &accept),
            };
            if found.is_some() {
                return found;
            }
        }
    }
}

/// Compares `a.0/a.1` with `b.0/b.1` in whole numbers. A node without slots counts as empty.
fn by_load(a: (u32, u32), b: (u32, u32)) -> Ordering {
    let cross = |used: u32, size: u32| u64::from(used) * u64::from(size.max(1));
    cross(a.0, b.1).cmp(&cross(b.0, a.1))
}

#[inline]
fn first_of(words: &[u64], mask: &impl Fn(usize) -> u64, accept: &impl Fn(NodeNo) -> bool) -> Option<NodeNo> {
    for (at, word) in words.iter().enumerate() {
        if *word != 0
            && let Some(node) = first_in(at, *word & mask(at), accept)
        {
            return Some(node);
        }
    }
    None
}

fn first_of_several(
    groups: &[LoadGroup],
    need: u32,
    mask: &impl Fn(usize) -> u64,
    accept: &impl Fn(NodeNo) -> bool,
) -> Option<NodeNo> {
    let words = groups.first().map_or(0, |group| group.nodes.words().len());
    for at in 0..words {
        let fitting = groups.iter().filter(|group| group.count > 0 && group.free >= need);
        let word = fitting.filter_map(|group| group.nodes.words().get(at)).fold(0, |all, word| all | word);
        if word != 0
            && let Some(node) = first_in(at, word & mask(at), accept)
        {
            return Some(node);
        }
    }
    None
}

#[inline]
fn first_in(at: usize, mut word: u64, accept: &impl Fn(NodeNo) -> bool) -> Option<NodeNo> {
    while word != 0 {
        let node = NodeNo::at(at * 64 + word.trailing_zeros() as usize);
        if accept(node) {
            return Some(node);
        }
        word &= word - 1;
    }
    None
}
