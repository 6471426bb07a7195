//! Compares whole runs of records with a file.
//!
//! If the bytes of a run have an unchanged hash, the run is unchanged: its records are those of the last reading, and
//! nothing between them is reported, since nothing was.

use std::ops::Range;
use std::sync::atomic::AtomicUsize;

use super::entry::RecordPosition;
use super::lookahead::{ExpectedRun, RunLookahead};
use super::record_cache::RecordCache;
use super::run::{CachedRun, RUN, UnchangedRun};
use super::run_hash::hash;
use super::{CacheValue, ObjectPage, RunObjects};
use crate::identity::IdentityCounts;
use crate::record::RecordBody;
use qscope_engine::cluster::Catalogue;

impl<T: CacheValue> RecordCache<T> {
    /// Returns the run expected next, if `body` begins with its bytes and none of its records was met before.
    pub(crate) fn find_run(
        &mut self,
        body: RecordBody<'_>,
        catalogue: &Catalogue,
    ) -> Option<UnchangedRun<T>> {
        self.check_resources(catalogue);
        let nth = self.next_entry.checked_div(RUN).filter(|nth| nth * RUN == self.next_entry)?;
        let block = self.blocks.get(nth)?.as_ref()?;
        let range = self.next_entry..self.next_entry + block.records;
        let bytes = body.bytes.get(..block.length)?;
        let is_known = self.ahead.knows(nth, (body.at, body.first_key), block.hash);
        let is_same = || is_known || hash(bytes, body.first_key) == block.hash;
        if !self.is_unmet(range.clone()) || block.resources != catalogue.len() || !is_same() {
            return None;
        }
        let last_name = self.entries.get(range)?.last()?.name.clone();
        Some(UnchangedRun {
            nth,
            length: block.length,
            records: block.records,
            last_name,
            combined_objects: block.whole.clone(),
        })
    }

    /// Builds the runs for the next reading, except those that this one met as a whole. `together` combines the
    /// objects of a page from a row on.
    pub(super) fn renew_blocks(
        &mut self,
        bytes: &[u8],
        together: impl Fn(usize, &mut dyn Iterator<Item = &T>) -> Option<ObjectPage<T>>,
    ) {
        self.blocks.resize(self.entries.len().div_ceil(RUN), None);
        for nth in 0..self.blocks.len() {
            let range = nth * RUN..(nth * RUN + RUN).min(self.entries.len());
            let kept = self.blocks.get(nth).and_then(Option::as_ref);
            if kept.is_some_and(|block| block.reading == self.reading && block.records == range.len()) {
                continue;
            }
            self.expand_position(nth);
            let made = self.block_of(range.clone(), bytes);
            let whole = made.as_ref().and_then(|_| self.combine(range, &together));
            if let Some(slot) = self.blocks.get_mut(nth) {
                *slot = made.map(|block| CachedRun { whole, ..block });
            }
        }
    }

    /// Returns the positions of the runs in a file of this length in bytes.
    pub(super) fn lookahead_for(&self, length: usize) -> RunLookahead {
        let expected = |(nth, block): (usize, &Option<CachedRun<T>>)| {
            let (block, first) = (block.as_ref()?, nth * RUN);
            Some(ExpectedRun {
                name: self.entries.get(first)?.name.clone(),
                old_offset: self.position_of(first)?.from?,
                length: block.length,
                hash: block.hash,
                current_offset: AtomicUsize::new(0),
            })
        };
        let runs = self.blocks.iter().enumerate().map(expected).collect();
        RunLookahead { first_key: self.first_key.clone(), length, runs, passed_runs: AtomicUsize::new(0) }
    }

    /// Returns the run that these entries form, if nothing is between them and nothing was reported from the start of
    /// the first to the end of the last.
    fn block_of(&self, range: Range<usize>, bytes: &[u8]) -> Option<CachedRun<T>> {
        let entries = self.entries.get(range.clone())?;
        let met: &[RecordPosition] = self.positions.get(range)?;
        let (first, last) = (met.first()?, met.last()?);
        let resources = entries.first()?.resources?;
        let follows = |(one, next): (&RecordPosition, &RecordPosition)| {
            one.records_before + 1 == next.records_before && next.from.is_some()
        };
        let is_run = met.iter().zip(met.iter().skip(1)).all(follows)
            && entries.iter().all(|entry| entry.resources == Some(resources))
            && first.reported == last.reported_behind;
        let piece = bytes.get(first.from.filter(|_| is_run)?..last.to)?;
        Some(CachedRun {
            records: entries.len(),
            length: piece.len(),
            hash: hash(piece, &self.first_key),
            resources,
            reading: self.reading.wrapping_sub(1),
            position: None,
            whole: None,
        })
    }

    /// Combines the objects of these entries, if they are in consecutive rows.
    fn combine(
        &self,
        range: Range<usize>,
        together: impl Fn(usize, &mut dyn Iterator<Item = &T>) -> Option<ObjectPage<T>>,
    ) -> Option<RunObjects<T>> {
        let (entries, met) = (self.entries.get(range.clone())?, self.positions.get(range)?);
        let first = met.first()?.row?;
        if !met.iter().map(|met| met.row).eq((first..first + met.len()).map(Some)) {
            return None;
        }
        let whole = together(first, &mut entries.iter().map(|entry| &entry.thing))?;
        let mut signs = IdentityCounts::default();
        entries.iter().for_each(|entry| signs.add(&entry.look));
        Some((whole, signs))
    }
}
