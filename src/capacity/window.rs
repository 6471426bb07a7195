//! The window skip: which node is the first that might still take a job.
//!
//! A job can only begin in a slice that starts by the target time and that it fits. So for each node the
//! largest free amounts over those slices are kept, and the largest of these over ranges of nodes in a
//! tree: a node whose window is too small is never walked. The test is necessary, not sufficient; what
//! passes it is walked by the rules, so the answer is the same as without.

use super::measure::Measure;
use super::room::Room;

/// The largest free amounts in the windows of the nodes of one type, in the order of their creation.
#[derive(Clone, Debug)]
pub(super) struct Windows<N> {
    /// A complete binary tree: the root at 1, the children of `i` at `2i` and `2i + 1`.
    tree: Vec<Room<N>>,
    /// How many leaves there is space for, a power of two.
    leaves: usize,
    /// How many are in use.
    len: usize,
}

impl<N: Measure> Windows<N> {
    pub(super) fn new() -> Self {
        Self { tree: vec![Room::closed(); 2], leaves: 1, len: 0 }
    }

    /// Adds the window of a new node.
    pub(super) fn push(&mut self, window: Room<N>) {
        if self.len == self.leaves {
            self.grow();
        }
        self.len += 1;
        self.set(self.len - 1, window);
    }

    /// Changes the window of a node.
    pub(super) fn set(&mut self, node: usize, window: Room<N>) {
        let mut at = self.leaves + node;
        if let Some(leaf) = self.tree.get_mut(at) {
            *leaf = window;
        }
        while at > 1 {
            at /= 2;
            let both = self.at(2 * at).largest(&self.at(2 * at + 1));
            match self.tree.get_mut(at) {
                // Above an unchanged node nothing changes.
                Some(have) if *have == both => break,
                Some(have) => *have = both,
                None => break,
            }
        }
    }

    /// The first node from `from` on whose window has this much of everything.
    pub(super) fn first(&self, from: usize, need: &Room<N>) -> Option<usize> {
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
            // On to the next subtree: up while we are a right child, then one to the right.
            while at % 2 == 1 {
                at /= 2;
            }
            if at == 0 {
                return None;
            }
            at += 1;
        }
    }

    fn at(&self, position: usize) -> Room<N> {
        self.tree.get(position).copied().unwrap_or_else(Room::closed)
    }

    fn grow(&mut self) {
        let old: Vec<_> = self.tree.drain(..).skip(self.leaves).take(self.len).collect();
        self.leaves *= 2;
        self.tree = vec![Room::closed(); self.leaves];
        self.tree.extend(old);
        self.tree.resize(2 * self.leaves, Room::closed());
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
        let mut windows: Windows<f64> = Windows::new();
        let memory = [3, 9, 1, 7, 7, 0, 8];
        let room = |memory| Room { memory, cores: 0.0, disk: 0, gpus: 0 };
        for m in memory {
            windows.push(room(m));
        }
        for from in 0..=memory.len() {
            for need in 0..11 {
                let literal = (from..memory.len()).find(|ix| memory[*ix] >= need);
                assert_eq!(windows.first(from, &room(need)), literal, "{need} from {from}");
            }
        }
        windows.set(1, room(2));
        assert_eq!(windows.first(0, &room(8)), Some(6));
    }
}
