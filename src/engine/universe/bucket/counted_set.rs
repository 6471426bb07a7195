//! One bitmap of a bucket. Every job that matches the bucket reads it from its first node, so empty words are skipped
//! and the number of its nodes is kept.

use std::ops::Deref;

use crate::cluster::Id;

use crate::universe::nodes::node_set::{BitSet, BitSetIter};

crate::id!(
    /// Index of a word in a bitmap.
    WordIx
);

/// A set of ids that also keeps its size and which of its words are not zero.
#[derive(Clone)]
pub struct CountedSet<I> {
    ids: BitSet<I>,
    /// The words of `ids` that are not zero.
    filled: BitSet<WordIx>,
    count: u32,
}

impl<I> std::fmt::Debug for CountedSet<I> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.ids.fmt(f)
    }
}

impl<I> Deref for CountedSet<I> {
    type Target = BitSet<I>;

    fn deref(&self) -> &BitSet<I> {
        &self.ids
    }
}

impl<I: Id> CountedSet<I> {
    /// Returns the empty set of ids below `len`.
    pub fn new(len: usize) -> Self {
        Self { ids: BitSet::new(len), filled: BitSet::new(len.div_ceil(64)), count: 0 }
    }

    /// Returns the set of these ids.
    pub fn of(len: usize, ids: impl IntoIterator<Item = I>) -> Self {
        let mut set = Self::new(len);
        ids.into_iter().for_each(|id| set.put(id, true));
        set
    }

    /// Adds or removes `id`; ids past the length are ignored.
    pub fn put(&mut self, id: I, present: bool) {
        let Some((word, was)) = self.ids.put_in_word(id, present).filter(|(word, was)| word != was) else {
            return;
        };
        self.count = if present { self.count + 1 } else { self.count.saturating_sub(1) };
        if word == 0 || was == 0 {
            self.filled.put(WordIx::at(id.ix() / 64), word != 0);
        }
    }

    /// Removes all ids.
    pub fn clear(&mut self) {
        self.ids.clear();
        self.filled.clear();
        self.count = 0;
    }

    /// Returns the number of ids.
    pub fn count(&self) -> usize {
        self.count as usize
    }

    /// Returns all ids in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = I> + '_ {
        CountedSetIter { words: self.ids.words(), filled: self.filled.iter(), word: 0, base: 0 }.map(I::at)
    }
}

/// Iterator over the one bits of the words that are not zero.
struct CountedSetIter<'a> {
    words: &'a [u64],
    filled: BitSetIter<'a, WordIx>,
    word: u64,
    base: usize,
}

impl Iterator for CountedSetIter<'_> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.word == 0 {
            let at = self.filled.next()?.ix();
            self.word = *self.words.get(at)?;
            self.base = at * 64;
        }
        let bit = self.word.trailing_zeros() as usize;
        self.word &= self.word - 1;
        Some(self.base + bit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::universe::nodes::node_set::Bit;
    use proptest::prelude::*;

    proptest! {
        /// After any sequence of insertions and removals it reads as the plain set.
        #[test]
        fn it_is_its_set(len in 1..9000usize, moves in prop::collection::vec((0..9100u32, any::<bool>()), 0..200)) {
            let (mut counted, mut set) = (CountedSet::new(len), BitSet::new(len));
            for (id, present) in moves {
                // Many moves within few words, so that words become empty again.
                let id = Bit(if id % 3 == 0 { id } else { id % 130 });
                counted.put(id, present);
                set.put(id, present);
            }
            prop_assert_eq!(counted.iter().collect::<Vec<_>>(), set.iter().collect::<Vec<_>>());
            prop_assert_eq!(counted.count(), set.count());
            prop_assert_eq!(counted.is_empty(), set.is_empty());
            prop_assert_eq!(&*counted, &set);
            prop_assert_eq!(&*CountedSet::of(len, set.iter()), &set);
            counted.clear();
            prop_assert_eq!((counted.count(), counted.iter().next()), (0, None));
            prop_assert_eq!(&*counted, &BitSet::new(len));
        }
    }
}
