//! What nodes publish about the classes on them: which are present, and which keep others out.

use qscope_engine::cluster::{Column, number_of};
use qscope_engine::universe::BitSet;

use super::workload::{ClassNo, NodeNo};

/// Presence and holds of the classes that have a policy, as bitmaps over the nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct ClassBitmaps {
    /// For each class, the nodes where it runs.
    present: Column<ClassNo, BitSet<NodeNo>>,
    /// For each class, the nodes that it holds (rule R6).
    held: Column<ClassNo, BitSet<NodeNo>>,
    /// Nodes held by at least one class.
    any: BitSet<NodeNo>,
    /// Nodes held by several classes, which are closed to all.
    several: BitSet<NodeNo>,
}

impl ClassBitmaps {
    /// Creates the signs of empty nodes. Classes for which `packs` is false get no bitmaps.
    pub(super) fn new(nodes: usize, packs: &Column<ClassNo, bool>) -> Self {
        let sets: Column<ClassNo, BitSet<NodeNo>> =
            packs.iter().map(|packs| BitSet::new(if *packs { nodes } else { 0 })).collect();
        Self { present: sets.clone(), held: sets, any: BitSet::new(nodes), several: BitSet::new(nodes) }
    }

    /// Sets whether the class runs on the node.
    #[inline]
    pub(super) fn set_present(&mut self, class: ClassNo, node: NodeNo, present: bool) {
        self.present[class].put(node, present);
    }

    /// Lets the class hold the node.
    pub(super) fn hold(&mut self, class: ClassNo, node: NodeNo) {
        if !self.held[class].contains(node) {
            self.held[class].insert(node);
            if self.any.contains(node) {
                self.several.insert(node);
            }
            self.any.insert(node);
        }
    }

    /// Ends the hold of the class on the node. Returns whether it held it.
    pub(super) fn release(&mut self, class: ClassNo, node: NodeNo) -> bool {
        let held = self.held[class].contains(node);
        if held {
            self.held[class].remove(node);
            let others = self.held.iter().filter(|set| set.contains(node)).take(2).count();
            self.any.put(node, others > 0);
            self.several.put(node, others > 1);
        }
        held
    }

    #[inline]
    pub(super) fn is_present(&self, class: ClassNo, node: NodeNo) -> bool {
        self.present[class].contains(node)
    }

    pub(super) fn held_nodes(&self) -> u32 {
        number_of(self.any.count())
    }

    pub(super) fn held(&self) -> &BitSet<NodeNo> {
        &self.any
    }

    /// Returns the nodes where the class runs, as words of the bitmap.
    #[inline]
    pub(super) fn present_words(&self, class: ClassNo) -> &[u64] {
        self.present[class].words()
    }

    /// Returns one bitmap word of the nodes that no other class holds (rule R3, third part).
    #[inline]
    pub(super) fn open_word(&self, class: ClassNo, at: usize) -> u64 {
        let word = |set: &BitSet<NodeNo>| set.words().get(at).copied().unwrap_or(0);
        !word(&self.any) | (word(&self.held[class]) & !word(&self.several))
    }

    /// Returns whether no other class holds the node.
    #[inline]
    pub(super) fn is_open(&self, class: ClassNo, node: NodeNo) -> bool {
        !self.any.contains(node) || (self.held[class].contains(node) && !self.several.contains(node))
    }
}
