//! The window skip: finds the first node that may still take a job.
//!
//! A job can only begin in a slice that starts by the target time, and only where there is room for as long
//! as it runs. So for each node and each of a few durations the largest amounts are kept that are free for
//! that long from the start of such a slice, and a tree has their maximum over ranges of nodes: a node whose
//! window is too small is never walked. The test is necessary, not sufficient; a node that passes it is
//! walked by the rules, so the answer is the same as without.

use super::{PackingAmounts, PackingNumber};

/// The durations for which windows are kept, as fractions of the slice of the node type; the first is 0.
const PARTS: [f64; LEVELS] = [0.0, 1.0 / 64.0, 1.0 / 32.0, 1.0 / 16.0, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0];
/// Number of these durations.
pub(super) const LEVELS: usize = 10;

/// The largest free amounts of one node for each duration.
pub(super) type NodeWindow<N> = [PackingAmounts<N>; LEVELS];

/// The windows of the nodes of one type, in order of creation.
#[derive(Clone, Debug)]
pub(super) struct NodeWindows<N> {
    durations: [N; LEVELS],
    levels: [MaxTree<N>; LEVELS],
}

impl<N: PackingNumber> NodeWindows<N> {
    /// Creates the windows of a type with this slice, without nodes.
    pub(super) fn new(slice: N) -> Self {
        let durations = PARTS.map(|part| N::of(slice.value() * part));
        Self { durations, levels: std::array::from_fn(|_| MaxTree::new()) }
    }

    /// Returns the durations, ascending.
    pub(super) fn durations(&self) -> &[N; LEVELS] {
        &self.durations
    }

    /// Adds a new node, whose window is closed until it is [`set`](Self::set).
    pub(super) fn push(&mut self) {
        self.levels.iter_mut().for_each(|tree| tree.push(PackingAmounts::closed()));
    }

    pub(super) fn set(&mut self, node: usize, window: &NodeWindow<N>) {
        for (tree, room) in self.levels.iter_mut().zip(window) {
            tree.set(node, *room);
        }
    }

    /// Returns the first node from `from` on that may have these amounts free for this long.
    pub(super) fn first(&self, from: usize, need: &PackingAmounts<N>, wall: N) -> Option<usize> {
        let mut chosen = None;
        for (tree, duration) in self.levels.iter().zip(&self.durations) {
            // Sums of doubles are grouped differently here than in the walk; the slack covers the difference.
            if chosen.is_none() || duration.with_slack() <= wall {
                chosen = Some(tree);
            }
        }
        chosen?.first(from, need)
    }
}

/// A complete binary tree: the root at 1, the children of `i` at `2i` and `2i + 1`.
#[derive(Clone, Debug)]
struct MaxTree<N> {
    tree: Vec<PackingAmounts<N>>,
    /// Capacity in leaves, a power of two.
    leaves: usize,
    /// Number of leaves in use.
    len: usize,
}

impl<N: PackingNumber> MaxTree<N> {
    fn new() -> Self {
        Self { tree: vec![PackingAmounts::closed(); 2], leaves: 1, len: 0 }
    }

    fn push(&mut self, room: PackingAmounts<N>) {
        if self.len == self.leaves {
            self.grow();
        }
        self.len += 1;
        self.set(self.len - 1, room);
    }

    fn set(&mut self, node: usize, room: PackingAmounts<N>) {
        let mut at = self.leaves + node;
        match self.tree.get_mut(at) {
            Some(leaf) if *leaf != room => *leaf = room,
            _ => return,
        }
        while at > 1 {
            at /= 2;
            let both = self.at(2 * at).largest(&self.at(2 * at + 1));
            match self.tree.get_mut(at) {
                // The ancestors of an unchanged node do not change.
                Some(have) if *have == both => break,
                Some(have) => *have = both,
                None => break,
            }
        }
    }

    fn first(&self, from: usize, need: &PackingAmounts<N>) -> Option<usize> {
        if from >= self.len {
            return None;
        }
        let mut at = self.leaves + from;
        loop {
            if need.fits(&self.at(at)) {
                if at >= self.leaves {
                    return Some(at - self.leaves);
                }
                at *= 2;
                continue;
            }
            // Go to the next subtree: up while this is a right child, then one to the right.
            while at % 2 == 1 {
                at /= 2;
            }
            if at == 0 {
                return None;
            }
            at += 1;
        }
    }

    fn at(&self, position: usize) -> PackingAmounts<N> {
        self.tree.get(position).copied().unwrap_or_else(PackingAmounts::closed)
    }

    fn grow(&mut self) {
        let old: Vec<_> = self.tree.drain(..).skip(self.leaves).take(self.len).collect();
        self.leaves *= 2;
        self.tree = vec![PackingAmounts::closed(); self.leaves];
        self.tree.extend(old);
        self.tree.resize(2 * self.leaves, PackingAmounts::closed());
        for at in (1..self.leaves).rev() {
            let both = self.at(2 * at).largest(&self.at(2 * at + 1));
            if let Some(have) = self.tree.get_mut(at) {
                *have = both;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_first_that_has_enough_from_anywhere() {
        let mut tree: MaxTree<f64> = MaxTree::new();
        let memory = [3, 9, 1, 7, 7, 0, 8];
        let room = |memory| PackingAmounts { memory, cores: 0.0, disk: 0, gpus: 0 };
        for m in memory {
            tree.push(room(m));
        }
        for from in 0..=memory.len() {
            for need in 0..11 {
                let literal = (from..memory.len()).find(|ix| memory[*ix] >= need);
                assert_eq!(tree.first(from, &room(need)), literal, "{need} from {from}");
            }
        }
        tree.set(1, room(2));
        assert_eq!(tree.first(0, &room(8)), Some(6));
    }
}
