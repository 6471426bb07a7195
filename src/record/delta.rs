//! Binary deltas: a byte string as pieces copied from an older one, and new bytes.
//!
//! The old bytes are cut into blocks, and a rolling hash runs over the new bytes; where it matches a block, the match
//! is extended in both directions. The result is a list of numbers in a variable-length encoding, short for small
//! changes.

use std::io::Read;

use rustc_hash::FxHashMap;

/// Block size in bytes: shorter common pieces are not detected.
const BLOCK: usize = 32;

/// Base of the rolling hash, large enough that its powers wrap around in 64 bits.
const BASE: u64 = 0x0100_0000_01b3;

/// Returns the operations that make `new` from `old`.
pub(crate) fn diff(old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut out = DeltaBuilder::default();
    let blocks = blocks_of(old);
    let highest = (1..BLOCK).fold(1u64, |power, _| power.wrapping_mul(BASE));
    let (mut from, mut at) = (0, 0);
    let mut sum = None;
    while let Some(window) = new.get(at..at + BLOCK) {
        let hash = sum.unwrap_or_else(|| hash_of(window));
        let found =
            blocks.get(&hash).copied().filter(|place| old.get(*place..*place + BLOCK) == Some(window));
        let Some(place) = found else {
            sum = rolled(new, at, hash, highest);
            at += 1;
            continue;
        };
        let back = common_suffix_len(old.get(..place), new.get(from..at));
        let ahead = common_prefix_len(old.get(place + BLOCK..), new.get(at + BLOCK..));
        out.insert(new.get(from..at - back));
        out.copy(place - back, back + BLOCK + ahead);
        at += BLOCK + ahead;
        from = at;
        sum = None;
    }
    out.insert(new.get(from..));
    out.0
}

/// Applies the operations to `old`; `None` if they do not fit `old`, or if the result exceeds `most` bytes.
pub(crate) fn patch(old: &[u8], ops: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut new = Vec::new();
    let mut rest = ops;
    while !rest.is_empty() {
        let op = number(&mut rest)?;
        let length = usize::try_from(op >> 1).ok()?;
        let piece = if op & 1 == 1 {
            let place = usize::try_from(number(&mut rest)?).ok()?;
            old.get(place..place.checked_add(length)?)?
        } else {
            let (piece, after) = rest.split_at_checked(length)?;
            rest = after;
            piece
        };
        if new.len().checked_add(piece.len())? > most {
            return None;
        }
        new.extend_from_slice(piece);
    }
    Some(new)
}

/// Returns the position of each block of the old bytes by hash, the first one of equal blocks.
fn blocks_of(old: &[u8]) -> FxHashMap<u64, usize> {
    let mut blocks = FxHashMap::default();
    for (number, block) in old.chunks_exact(BLOCK).enumerate() {
        blocks.entry(hash_of(block)).or_insert(number * BLOCK);
    }
    blocks
}

fn hash_of(block: &[u8]) -> u64 {
    block.iter().fold(0, |hash: u64, byte| hash.wrapping_mul(BASE).wrapping_add(u64::from(*byte)))
}

/// Returns the hash with its window moved by one byte.
fn rolled(new: &[u8], at: usize, hash: u64, highest: u64) -> Option<u64> {
    let (out, into) = (u64::from(*new.get(at)?), u64::from(*new.get(at + BLOCK)?));
    Some(hash.wrapping_sub(out.wrapping_mul(highest)).wrapping_mul(BASE).wrapping_add(into))
}

fn common_suffix_len(old: Option<&[u8]>, new: Option<&[u8]>) -> usize {
    let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
    old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count()
}

fn common_prefix_len(old: Option<&[u8]>, new: Option<&[u8]>) -> usize {
    let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
    old.iter().zip(new).take_while(|(a, b)| a == b).count()
}

/// The list of operations being built.
#[derive(Default)]
struct DeltaBuilder(Vec<u8>);

impl DeltaBuilder {
    fn insert(&mut self, bytes: Option<&[u8]>) {
        let bytes = bytes.unwrap_or_default();
        if !bytes.is_empty() {
            put_number(&mut self.0, (bytes.len() as u64) << 1);
            self.0.extend_from_slice(bytes);
        }
    }

    fn copy(&mut self, place: usize, length: usize) {
        put_number(&mut self.0, (length as u64) << 1 | 1);
        put_number(&mut self.0, place as u64);
    }
}

/// Appends a number, seven bits per byte, lowest first.
pub(crate) fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        // The cast keeps the low byte.
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    // Less than 128 here.
    out.push(number as u8);
}

/// Reads a number; `None` if it does not end within 64 bits.
pub(crate) fn number(rest: &mut impl Read) -> Option<u64> {
    let mut number = 0u64;
    for shift in (0..64).step_by(7) {
        let mut byte = [0];
        rest.read_exact(&mut byte).ok()?;
        let [byte] = byte;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_changes_little_takes_few_bytes() {
        let old: Vec<u8> =
            (0..2000u32).flat_map(|n| format!("node{n} state = free\n").into_bytes()).collect();
        let text = String::from_utf8(old.clone()).unwrap();
        let new = text.replace("node77 state = free", "node77 state = job-busy").into_bytes();
        let ops = diff(&old, &new);
        assert_eq!(patch(&old, &ops, new.len()).as_ref(), Some(&new));
        assert!(ops.len() < 60, "{}", ops.len());
        assert_eq!(patch(&old, &ops, new.len() - 1), None);
        assert_eq!(patch(&old[..100], &ops, new.len()), None);
    }

    proptest! {
        #[test]
        fn the_new_bytes_come_back(
            old in proptest::collection::vec(0u8..4, 0..600),
            cut in 0usize..600,
            more in proptest::collection::vec(any::<u8>(), 0..80),
        ) {
            let cut = cut.min(old.len());
            let new: Vec<u8> = old[cut..].iter().chain(&more).chain(&old[..cut]).copied().collect();
            prop_assert_eq!(patch(&old, &diff(&old, &new), new.len()), Some(new));
        }

        #[test]
        fn no_bytes_make_it_panic(old in proptest::collection::vec(any::<u8>(), 0..60), ops in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = patch(&old, &ops, 1000);
        }
    }
}
