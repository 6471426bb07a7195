//! Runs of records that are compared with a file at once.
//!
//! Where as many bytes as a run had have the hash that it had, the run stands there again: its records are those of the last
//! reading, and nothing between them is reported, since nothing was.

use std::hash::Hasher;
use std::ops::Range;
use std::sync::atomic::AtomicUsize;

use rustc_hash::FxHasher;

use super::super::identity::Signs;
use super::super::record::Body;
use super::ahead::{Ahead, Expected};
use super::entry::Met;
use super::remembered::Remembered;
use super::stand::Stand;
use super::{Thing, Together, Whole};
use qscope_engine::cluster::{Catalogue, Name, Page};

/// So many records are one run: few enough that a change costs little, and enough that looking at a run costs nothing.
pub(super) const RUN: usize = Page::<()>::ROWS;

/// A run as the last reading met it.
#[derive(Clone)]
pub(super) struct Block<T: Thing> {
    /// How many records it has; fewer where it was the last one.
    pub(super) records: usize,
    /// From the first record's name to the last one's end, in bytes.
    pub(super) length: usize,
    pub(super) hash: u64,
    /// How many resources were known.
    resources: usize,
    /// The last reading that met it as a whole.
    pub(super) reading: u32,
    /// Where it did, if that is not noted with each record.
    pub(super) stands: Option<Stand>,
    /// What its records come to together, where they fill a page.
    whole: Option<Together<T>>,
}

/// A run that stands in the file again.
pub(crate) struct Run<T: Thing> {
    /// Its number.
    pub(super) nth: usize,
    /// How many bytes it has.
    pub(crate) length: usize,
    /// How many records.
    pub(crate) records: usize,
    /// The last one's name.
    pub(crate) last: Name,
    /// What they come to together.
    pub(crate) whole: Option<Together<T>>,
}

/// Four parts of the bytes side by side, four lanes each: a lane alone waits for its own multiplications, and one part for
/// the memory.
pub(super) fn hash(bytes: &[u8], first_key: &[u8]) -> u64 {
    let (strides, rest) = bytes.as_chunks::<STRIDE>();
    let quarter = strides.len() / 4;
    let mut parts = strides.chunks_exact(quarter.max(1));
    let [a, b, c, d] = std::array::from_fn(|_| parts.next().unwrap_or_default());
    let mut lanes = [LANES; 4];
    for (((a, b), c), d) in a.iter().zip(b).zip(c).zip(d) {
        lanes.iter_mut().zip([a, b, c, d]).for_each(|(lanes, stride)| add(lanes, stride));
    }
    let mut behind = LANES;
    strides.iter().skip(quarter * 4).for_each(|stride| add(&mut behind, stride));
    let mut hasher = FxHasher::default();
    lanes.iter().flatten().chain(&behind).for_each(|lane| hasher.write_u64(*lane));
    hasher.write(rest);
    hasher.write(first_key);
    hasher.finish()
}

/// So many bytes are added to all lanes of a part at once.
const STRIDE: usize = 64;

/// Where lanes start: digits of pi.
const LANES: [u64; 4] =
    [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344, 0xa409_3822_299f_31d0, 0x082e_fa98_ec4e_6c89];

/// Adds 16 bytes to each lane.
fn add(lanes: &mut [u64; 4], stride: &[u8; STRIDE]) {
    let (words, _) = stride.as_chunks::<16>();
    lanes.iter_mut().zip(words).for_each(|(lane, word)| *lane = with(*lane, word));
}

/// A hash with 16 more bytes: both halves of a product, one over the other.
fn with(lane: u64, bytes: &[u8; 16]) -> u64 {
    let word = u128::from_le_bytes(*bytes);
    let [low, high] = [word as u64, (word >> 64) as u64];
    let product = u128::from(lane ^ low) * u128::from(LANES[0] ^ high);
    (product as u64) ^ ((product >> 64) as u64)
}

impl<T: Thing> Remembered<T> {
    /// The run that is expected next, if `rest` begins with its bytes and none of its records was met before.
    pub(crate) fn find_run(&mut self, rest: Body<'_>, catalogue: &Catalogue) -> Option<Run<T>> {
        self.follow(catalogue);
        let nth = self.next.checked_div(RUN).filter(|nth| nth * RUN == self.next)?;
        let block = self.blocks.get(nth)?.as_ref()?;
        let range = self.next..self.next + block.records;
        let bytes = rest.bytes.get(..block.length)?;
        let is_known = self.ahead.knows(nth, (rest.at, rest.first_key), block.hash);
        let is_same = || is_known || hash(bytes, rest.first_key) == block.hash;
        if !self.is_unmet(range.clone()) || block.resources != catalogue.len() || !is_same() {
            return None;
        }
        let last = self.entries.get(range)?.last()?.name.clone();
        Some(Run { nth, length: block.length, records: block.records, last, whole: block.whole.clone() })
    }

    /// Makes the runs of the next reading: those that this one did not meet as a whole, out of its bytes. What the things
    /// from a row on come to together is asked for.
    pub(super) fn renew_blocks(
        &mut self,
        bytes: &[u8],
        together: impl Fn(usize, &mut dyn Iterator<Item = &T>) -> Option<Whole<T>>,
    ) {
        self.blocks.resize(self.entries.len().div_ceil(RUN), None);
        for nth in 0..self.blocks.len() {
            let range = nth * RUN..(nth * RUN + RUN).min(self.entries.len());
            let kept = self.blocks.get(nth).and_then(Option::as_ref);
            if kept.is_some_and(|block| block.reading == self.reading && block.records == range.len()) {
                continue;
            }
            self.settle(nth);
            let made = self.block_of(range.clone(), bytes);
            let whole = made.as_ref().and_then(|_| self.together(range, &together));
            if let Some(slot) = self.blocks.get_mut(nth) {
                *slot = made.map(|block| Block { whole, ..block });
            }
        }
    }

    /// The runs as they stand in a file of so many bytes.
    pub(super) fn look_ahead(&self, length: usize) -> Ahead {
        let expected = |(nth, block): (usize, &Option<Block<T>>)| {
            let (block, first) = (block.as_ref()?, nth * RUN);
            Some(Expected {
                name: self.entries.get(first)?.name.clone(),
                from: self.met(first)?.from?,
                length: block.length,
                hash: block.hash,
                found: AtomicUsize::new(0),
            })
        };
        let runs = self.blocks.iter().enumerate().map(expected).collect();
        Ahead { first_key: self.first_key.clone(), length, runs, passed: AtomicUsize::new(0) }
    }

    /// The run that these entries are, if nothing stands between them and nothing was reported from the first to behind
    /// the last.
    fn block_of(&self, range: Range<usize>, bytes: &[u8]) -> Option<Block<T>> {
        let entries = self.entries.get(range.clone())?;
        let met: &[Met] = self.met.get(range)?;
        let (first, last) = (met.first()?, met.last()?);
        let resources = entries.first()?.resources?;
        let follows = |(one, next): (&Met, &Met)| one.place + 1 == next.place && next.from.is_some();
        let is_run = met.iter().zip(met.iter().skip(1)).all(follows)
            && entries.iter().all(|entry| entry.resources == Some(resources))
            && first.reported == last.reported_behind;
        let piece = bytes.get(first.from.filter(|_| is_run)?..last.to)?;
        Some(Block {
            records: entries.len(),
            length: piece.len(),
            hash: hash(piece, &self.first_key),
            resources,
            reading: self.reading.wrapping_sub(1),
            stands: None,
            whole: None,
        })
    }

    /// What the things of these entries come to together, if they stand in rows that follow each other.
    fn together(
        &self,
        range: Range<usize>,
        together: impl Fn(usize, &mut dyn Iterator<Item = &T>) -> Option<Whole<T>>,
    ) -> Option<Together<T>> {
        let (entries, met) = (self.entries.get(range.clone())?, self.met.get(range)?);
        let first = met.first()?.row?;
        if !met.iter().map(|met| met.row).eq((first..first + met.len()).map(Some)) {
            return None;
        }
        let whole = together(first, &mut entries.iter().map(|entry| &entry.thing))?;
        let mut signs = Signs::default();
        entries.iter().for_each(|entry| signs.add(&entry.look));
        Some((whole, signs))
    }
}
