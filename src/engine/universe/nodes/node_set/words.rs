//! The words of a bitmap: a single word inline, or several on the heap.

use bitvec::order::Lsb0;
use bitvec::vec::BitVec;

/// Storage of a bitmap. Most placement sets are small and there may be very many, so a single word is stored inline.
pub(super) enum BitStorage {
    One(u64),
    Many(BitVec<u64, Lsb0>),
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
            Self::One(word) => Self::One(*word),
            Self::Many(words) => Self::Many(BitVec::from_vec(words.as_raw_slice().to_vec())),
        }
    }
}

impl BitStorage {
    pub(super) fn of(words: Vec<u64>) -> Self {
        match words.as_slice() {
            [word] => Self::One(*word),
            _ => Self::Many(BitVec::from_vec(words)),
        }
    }

    #[inline]
    /// Returns all words, lowest ids first.
    pub(super) fn as_slice(&self) -> &[u64] {
        match self {
            Self::One(word) => std::slice::from_ref(word),
            Self::Many(words) => words.as_raw_slice(),
        }
    }

    #[inline]
    pub(super) fn as_mut_slice(&mut self) -> &mut [u64] {
        match self {
            Self::One(word) => std::slice::from_mut(word),
            Self::Many(words) => words.as_raw_mut_slice(),
        }
    }
}
