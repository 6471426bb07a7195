//! Positions of runs that a reading met as a whole, noted once for all records of a run.

use std::ops::Range;

use super::CacheValue;
use super::entry::{CachedRecord, RecordPosition, UnchangedRecord};
use super::record_cache::RecordCache;
use super::run::{RUN, RunPosition, UnchangedRun};

impl<T: CacheValue> RecordCache<T> {
    /// Notes an unchanged run, with its first record at byte offset `from`, whose objects are in consecutive rows
    /// from `row` on.
    pub(crate) fn note_whole_run(&mut self, run: &UnchangedRun<T>, row: usize, from: usize, reported: usize) {
        let (reading, records_before) = self.pass(run, reported);
        if let Some(Some(block)) = self.blocks.get_mut(run.nth) {
            block.reading = reading;
            block.position =
                Some(RunPosition { records_before, row, from, reported, reported_behind: reported });
        }
    }

    /// Notes an unchanged run, with its first record at byte offset `from`; returns its records in order, whose rows
    /// are to be set.
    pub(crate) fn note_run<'m>(
        &'m mut self,
        run: &UnchangedRun<T>,
        from: usize,
        reported: usize,
    ) -> impl Iterator<Item = UnchangedRecord<'m, T>> + use<'m, T> {
        self.expand_position(run.nth);
        let (reading, first) = self.pass(run, reported);
        if let Some(Some(block)) = self.blocks.get_mut(run.nth) {
            block.reading = reading;
        }
        let range = run.nth * RUN..run.nth * RUN + run.records;
        let all = self.positions.get_mut(range.clone()).unwrap_or_default();
        let old = all.first().and_then(|met| met.from).unwrap_or_default();
        let entries = self.entries.get(range).unwrap_or_default();
        entries.iter().zip(all).enumerate().map(move |(nth, (entry, met))| {
            let moved = met.moved(old, from);
            *met = RecordPosition {
                reading,
                records_before: first + nth,
                reported,
                reported_behind: reported,
                ..moved
            };
            let CachedRecord { thing, look, .. } = entry;
            UnchangedRecord { thing, look, row: &mut met.row }
        })
    }

    /// Passes a run; returns the number of this reading, and the place of the first record.
    fn pass(&mut self, run: &UnchangedRun<T>, reported: usize) -> (u32, usize) {
        self.end_last(reported);
        let place = self.passed_records + 1;
        self.passed_records += run.records;
        self.next_entry = run.nth * RUN + run.records;
        self.last_entry = self.next_entry.checked_sub(1);
        (self.reading, place)
    }

    /// Notes the number of reports at the end of the last entry.
    pub(super) fn end_last(&mut self, reported: usize) {
        let Some(at) = self.last_entry.take() else { return };
        let block = self.blocks.get_mut(at / RUN).and_then(Option::as_mut);
        if let Some(stand) = block.and_then(|block| block.position.as_mut()) {
            stand.reported_behind = reported;
        } else if let Some(met) = self.positions.get_mut(at) {
            met.reported_behind = reported;
        }
    }

    /// Returns where the last reading that met an entry found it.
    pub(super) fn position_of(&self, at: usize) -> Option<RecordPosition> {
        let met = *self.positions.get(at)?;
        let block = self.blocks.get(at / RUN).and_then(Option::as_ref);
        let Some((block, stand)) = block.and_then(|block| Some((block, block.position?))) else {
            return Some(met);
        };
        let (nth, first) = (at % RUN, self.positions.get(at / RUN * RUN)?.from);
        let is_last = nth + 1 == block.records;
        Some(RecordPosition {
            reading: block.reading,
            records_before: stand.records_before + nth,
            row: Some(stand.row + nth),
            reported: stand.reported,
            reported_behind: if is_last { stand.reported_behind } else { stand.reported },
            ..met.moved(first.unwrap_or_default(), stand.from)
        })
    }

    /// Notes the position of a run in each of its records.
    pub(super) fn expand_position(&mut self, nth: usize) {
        let Some(Some(block)) =
            self.blocks.get(nth).filter(|block| block.as_ref().is_some_and(|one| one.position.is_some()))
        else {
            return;
        };
        let range = nth * RUN..nth * RUN + block.records;
        let noted: Vec<RecordPosition> = range.clone().filter_map(|at| self.position_of(at)).collect();
        let all = self.positions.get_mut(range).unwrap_or_default();
        all.iter_mut().zip(noted).for_each(|(met, noted)| *met = noted);
        if let Some(Some(block)) = self.blocks.get_mut(nth) {
            block.position = None;
        }
    }

    /// Forgets the runs, but not the positions of their records.
    pub(super) fn drop_runs(&mut self) {
        (0..self.blocks.len()).for_each(|nth| self.expand_position(nth));
        self.blocks.clear();
    }

    /// Whether this reading has met none of these entries, which are expected next.
    pub(super) fn is_unmet(&self, mut range: Range<usize>) -> bool {
        // As long as records come in the order of the last reading, later ones cannot have been met.
        !self.is_moved || range.all(|at| self.position_of(at).is_some_and(|met| met.reading != self.reading))
    }

    /// Whether this reading met all entries.
    pub(super) fn is_whole(&self) -> bool {
        (0..self.entries.len().div_ceil(RUN)).all(|nth| {
            let mut range = nth * RUN..(nth * RUN + RUN).min(self.entries.len());
            let block = self.blocks.get(nth).and_then(Option::as_ref);
            block.is_some_and(|block| block.reading == self.reading && block.records == range.len())
                || range.all(|at| self.position_of(at).is_some_and(|met| met.reading == self.reading))
        })
    }
}
