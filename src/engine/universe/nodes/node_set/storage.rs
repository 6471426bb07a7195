//! The words of a bitmap: a single word inline, or several on the heap.

use bitvec::order::Lsb0;
use bitvec::vec::BitVec;

/// Storage of a bitmap. Most placement sets are small and there may be very many, so a single word is stored inline.
pub(super) enum BitStorage {
    Word(u64),
    Words(BitVec<u64, Lsb0>),
}

/// Compares word by word: bitvec's own comparison loads each word as a bit field.
impl PartialEq for BitStorage {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for BitStorage {}

impl Clone for BitStorage {
    fn clone(&self) -> Self {
        match self {
            Self::Word(word) => Self::Word(*word),
            Self::Words(words) => Self::Words(BitVec::from_vec(words.as_raw_slice().to_vec())),
        }
    }
}

impl BitStorage {
    pub(super) fn of(words: Vec<u64>) -> Self {
        match words.as_slice() {
            [word] => Self::Word(*word),
            _ => Self::Words(BitVec::from_vec(words)),
        }
    }

    #[inline]
    /// Returns all words, lowest ids first.
    pub(super) fn as_slice(&self) -> &[u64] {
        match self {
            Self::Word(word) => std::slice::from_ref(word),
            Self::Words(words) => words.as_raw_slice(),
        }
    }

    #[inline]
    pub(super) fn as_mut_slice(&mut self) -> &mut [u64] {
        match self {
            Self::Word(word) => std::slice::from_mut(word),
            Self::Words(words) => words.as_raw_mut_slice(),
        }
    }
}
