//! A few nodes of the complex as the non-empty words of a bitmap: operations with whole bitmaps cost time in
//! proportion to these words only.

use crate::cluster::Id;

use crate::universe::nodes::node_set::{Bit, BitSet, NodeSet};

crate::id!(
    /// Position of a bit in the words of one [`SparseSet`], in ascending order of nodes.
    SparseIx
);

/// A set of nodes as pairs of word index in a bitmap of the complex, and word.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SparseSet {
    words: Box<[(u32, u64)]>,
}

impl SparseSet {
    pub fn of(nodes: &[Bit]) -> Self {
        let mut words: Vec<(u32, u64)> = Vec::new();
        let mut add = |bit: Bit| {
            let (index, mask) = (bit.0 / 64, 1 << (bit.0 % 64));
            match words.last_mut() {
                Some((last, word)) if *last == index => *word |= mask,
                _ => words.push((index, mask)),
            }
        };
        if nodes.is_sorted() {
            nodes.iter().copied().for_each(&mut add);
        } else {
            let mut sorted = nodes.to_vec();
            sorted.sort_unstable();
            sorted.into_iter().for_each(&mut add);
        }
        Self { words: words.into() }
    }

    /// Returns the words of a bitmap at the indices of this set's words.
    fn words_of<'s>(&'s self, set: &'s NodeSet) -> impl Iterator<Item = u64> + 's {
        let words = set.words();
        self.words.iter().map(move |(index, _)| words.get(*index as usize).copied().unwrap_or(0))
    }

    /// Returns the places of the nodes that are also in a bitmap.
    pub fn common(&self, set: &NodeSet) -> BitSet<SparseIx> {
        BitSet::from_words(self.words_of(set).zip(&self.words).map(|(word, (_, mine))| word & mine).collect())
    }

    /// Returns those of some places whose nodes are in a bitmap.
    pub fn among(&self, places: &BitSet<SparseIx>, set: &NodeSet) -> BitSet<SparseIx> {
        BitSet::from_words(self.words_of(set).zip(places.words()).map(|(word, mine)| word & mine).collect())
    }

    /// Returns the first of some places whose node is in a bitmap.
    pub fn first_among(&self, places: &BitSet<SparseIx>, set: &NodeSet) -> Option<SparseIx> {
        let both = self.words_of(set).zip(places.words()).map(|(word, mine)| word & mine);
        let (index, word) = both.enumerate().find(|(_, word)| *word != 0)?;
        Some(SparseIx::at(index * 64 + word.trailing_zeros() as usize))
    }

    /// Whether any node of the set is in a bitmap.
    pub fn intersects(&self, set: &NodeSet) -> bool {
        self.words_of(set).zip(&self.words).any(|(word, (_, mine))| word & mine != 0)
    }

    /// Whether a node is in the set.
    pub fn contains(&self, bit: Bit) -> bool {
        let found = self.words.binary_search_by_key(&(bit.0 / 64), |(index, _)| *index).ok();
        let word = found.and_then(|at| self.words.get(at));
        word.is_some_and(|(_, word)| word >> (bit.0 % 64) & 1 == 1)
    }

    /// Returns the node at a place.
    #[inline]
    pub fn bit(&self, place: SparseIx) -> Bit {
        let index = self.words.get(place.ix() / 64).map_or(0, |(index, _)| *index);
        Bit(index * 64 + place.0 % 64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn does_what_whole_bitmaps_do(
            mut mine in prop::collection::vec(0u32..500, 0..60),
            other in prop::collection::vec(0u32..500, 0..300),
        ) {
            mine.dedup();
            let nodes: Vec<Bit> = mine.iter().copied().map(Bit).collect();
            let (sparse, whole) = (SparseSet::of(&nodes), NodeSet::of(500, nodes.iter().copied()));
            let other = NodeSet::of(500, other.into_iter().map(Bit));
            let bits = |places: &BitSet<SparseIx>| places.iter().map(|at| sparse.bit(at)).collect::<Vec<_>>();
            let both = whole.common(&other).iter().collect::<Vec<_>>();
            prop_assert_eq!(bits(&sparse.common(&other)), both.clone());
            let all = sparse.common(&NodeSet::full(500));
            prop_assert_eq!(bits(&sparse.among(&all, &other)), both.clone());
            prop_assert!((0..500).map(Bit).all(|bit| sparse.contains(bit) == whole.contains(bit)));
            prop_assert_eq!(sparse.intersects(&other), whole.intersects(&other));
            let first = sparse.first_among(&all, &other).map(|at| sparse.bit(at));
            prop_assert_eq!(first, both.first().copied());
        }
    }
}
