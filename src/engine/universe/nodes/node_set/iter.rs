//! Iteration over the one bits of words.

use std::marker::PhantomData;

use crate::cluster::Id;

/// Returns the ids of the one bits of `words` in ascending order.
pub fn ones<I: Id>(words: &[u64]) -> BitSetIter<'_, I> {
    BitSetIter { words: words.iter(), word: 0, base: 0usize.wrapping_sub(64), ids: PhantomData }
}

/// Iterator over the ids of a set.
#[derive(Clone, Debug)]
pub struct BitSetIter<'a, I> {
    words: std::slice::Iter<'a, u64>,
    word: u64,
    base: usize,
    ids: PhantomData<fn(I)>,
}

impl<I: Id> Iterator for BitSetIter<'_, I> {
    type Item = I;
    #[inline]
    fn next(&mut self) -> Option<I> {
        while self.word == 0 {
            self.word = *self.words.next()?;
            self.base = self.base.wrapping_add(64);
        }
        let bit = self.word.trailing_zeros() as usize;
        self.word &= self.word - 1;
        Some(I::at(self.base + bit))
    }
}
