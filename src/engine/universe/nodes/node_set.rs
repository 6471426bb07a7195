//! Sets of small ids as bitmaps: `bitvec` storage, arithmetic on its 64-bit words.
//!
//! bitvec's own operators work bit by bit across partial words and are tens of times slower than the same operation
//! on the underlying words; the tests below use them as the oracle.

mod iter;
mod storage;

use std::marker::PhantomData;

use crate::cluster::Id;

pub use iter::{BitSetIter, ones};
use storage::BitStorage;

crate::id!(
    /// A node's position in the scheduler's node order: its bit in every bitmap of the cycle.
    Bit
);
crate::id!(
    /// A node's position within one placement set: its bit in the bitmaps of that set.
    Slot
);

/// A set of nodes of the whole complex.
pub type NodeSet = BitSet<Bit>;

/// A set of ids below a fixed length. Bits past the length are always zero.
#[derive(PartialEq, Eq)]
pub struct BitSet<I> {
    bits: BitStorage,
    len: usize,
    ids: PhantomData<fn(I)>,
}

impl<I> Clone for BitSet<I> {
    fn clone(&self) -> Self {
        Self { bits: self.bits.clone(), len: self.len, ids: PhantomData }
    }
}

impl<I> Default for BitSet<I> {
    fn default() -> Self {
        Self { bits: BitStorage::of(Vec::new()), len: 0, ids: PhantomData }
    }
}

impl<I> std::fmt::Debug for BitSet<I> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let words = self.bits.as_slice().iter().enumerate();
        let ones = words.flat_map(|(at, word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| at * 64 + bit)
        });
        f.debug_set().entries(ones).finish()
    }
}

impl<I: Id> BitSet<I> {
    /// Returns the empty set of ids below `len`.
    pub fn new(len: usize) -> Self {
        let bits = if (1..=64).contains(&len) {
            BitStorage::Word(0)
        } else {
            BitStorage::of(vec![0; len.div_ceil(64)])
        };
        Self { bits, len, ids: PhantomData }
    }

    /// Returns the set of all ids below `len`.
    pub fn full(len: usize) -> Self {
        let mut set = Self::new(len);
        set.words_mut().fill(u64::MAX);
        set.mask_tail();
        set
    }

    /// Returns the set of these ids.
    pub fn of(len: usize, ids: impl IntoIterator<Item = I>) -> Self {
        let mut set = Self::new(len);
        for id in ids {
            set.insert(id);
        }
        set
    }

    /// Returns the set with these words; its length is their number of bits.
    pub fn from_words(words: Vec<u64>) -> Self {
        Self { len: words.len() * 64, bits: BitStorage::of(words), ids: PhantomData }
    }

    /// Keeps the invariant that bits past the length are zero.
    fn mask_tail(&mut self) {
        let used = self.len % 64;
        if used != 0
            && let Some(last) = self.words_mut().last_mut()
        {
            *last &= (1 << used) - 1;
        }
    }

    /// Returns the length: one more than the largest id that fits.
    pub fn capacity(&self) -> usize {
        self.len
    }

    /// Returns the words, lowest ids first.
    #[inline]
    pub fn words(&self) -> &[u64] {
        self.bits.as_slice()
    }

    #[inline]
    fn words_mut(&mut self) -> &mut [u64] {
        self.bits.as_mut_slice()
    }

    /// Whether `id` is in the set; false for ids past the length.
    #[inline]
    pub fn contains(&self, id: I) -> bool {
        self.words().get(id.ix() / 64).is_some_and(|word| word >> (id.ix() % 64) & 1 == 1)
    }

    /// Adds `id`; ids past the length are ignored.
    #[inline]
    pub fn insert(&mut self, id: I) {
        self.put(id, true);
    }

    /// Removes `id`.
    #[inline]
    pub fn remove(&mut self, id: I) {
        self.put(id, false);
    }

    /// Adds or removes `id`.
    #[inline]
    pub fn put(&mut self, id: I, present: bool) {
        self.put_in_word(id, present);
    }

    /// The same; returns the word that holds `id` after and before, or `None` if `id` is past the length.
    #[inline]
    pub fn put_in_word(&mut self, id: I, present: bool) -> Option<(u64, u64)> {
        if id.ix() >= self.len {
            return None;
        }
        let word = self.words_mut().get_mut(id.ix() / 64)?;
        let (was, mask) = (*word, 1u64 << (id.ix() % 64));
        *word = if present { was | mask } else { was & !mask };
        Some((*word, was))
    }

    /// Returns the number of ids in the set.
    pub fn count(&self) -> usize {
        self.words().iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.words().iter().all(|word| *word == 0)
    }

    /// Removes all ids.
    pub fn clear(&mut self) {
        self.words_mut().fill(0);
    }

    /// Applies `op` word by word; missing words of `other` count as zero.
    fn zip_with(&mut self, other: &Self, op: impl Fn(u64, u64) -> u64) {
        let tail = other.words().len();
        for (mine, theirs) in self.words_mut().iter_mut().zip(other.words()) {
            *mine = op(*mine, *theirs);
        }
        for mine in self.words_mut().iter_mut().skip(tail) {
            *mine = op(*mine, 0);
        }
        self.mask_tail();
    }

    /// Keeps only the ids that are also in `other`.
    pub fn intersect(&mut self, other: &Self) {
        self.zip_with(other, |a, b| a & b);
    }

    /// Adds the ids of `other`.
    pub fn unite(&mut self, other: &Self) {
        self.zip_with(other, |a, b| a | b);
    }

    /// Removes the ids of `other`.
    pub fn subtract(&mut self, other: &Self) {
        self.zip_with(other, |a, b| a & !b);
    }

    /// Returns the ids that are in both sets, as a set of this set's length.
    pub fn common(&self, other: &Self) -> Self {
        let mut both = self.clone();
        both.intersect(other);
        both
    }

    /// Returns the number of ids that are in both sets.
    pub fn count_common(&self, other: &Self) -> usize {
        self.words().iter().zip(other.words()).map(|(a, b)| (a & b).count_ones() as usize).sum()
    }

    /// Whether the sets share an id.
    pub fn intersects(&self, other: &Self) -> bool {
        self.words().iter().zip(other.words()).any(|(a, b)| a & b != 0)
    }

    /// Returns the first id at or after `from`.
    pub fn next_from(&self, from: usize) -> Option<I> {
        let mut index = from / 64;
        let mut word = self.words().get(index)? & (u64::MAX << (from % 64));
        loop {
            if word != 0 {
                return Some(I::at(index * 64 + word.trailing_zeros() as usize));
            }
            index += 1;
            word = *self.words().get(index)?;
        }
    }

    /// Returns the first id at or after `from` that is not in `other`.
    pub fn next_outside(&self, other: &Self, from: usize) -> Option<I> {
        let outside = |index: usize| {
            self.words().get(index).map(|word| word & !other.words().get(index).copied().unwrap_or(0))
        };
        let mut index = from / 64;
        let mut word = outside(index)? & (u64::MAX << (from % 64));
        loop {
            if word != 0 {
                return Some(I::at(index * 64 + word.trailing_zeros() as usize));
            }
            index += 1;
            word = outside(index)?;
        }
    }

    /// Returns the first id that is in both sets.
    pub fn first_common(&self, other: &Self) -> Option<I> {
        let mut both = self.words().iter().zip(other.words()).map(|(a, b)| a & b).enumerate();
        let (index, word) = both.find(|(_, word)| *word != 0)?;
        Some(I::at(index * 64 + word.trailing_zeros() as usize))
    }

    pub fn first(&self) -> Option<I> {
        self.next_from(0)
    }

    pub fn last(&self) -> Option<I> {
        let (index, word) = self.words().iter().enumerate().rev().find(|(_, word)| **word != 0)?;
        Some(I::at(index * 64 + 63 - word.leading_zeros() as usize))
    }

    /// Returns all ids in ascending order.
    pub fn iter(&self) -> BitSetIter<'_, I> {
        ones(self.words())
    }
}

#[cfg(test)]
mod tests;
