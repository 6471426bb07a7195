//! The records of one dump, in the order of its file.
//!
//! The records are expected in the order of the last reading, so a name is looked up only where a different one is
//! found.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::entry::{CacheHit, CachedRecord, RecordPosition};
use super::lookahead::RunLookahead;
use super::run::{CachedRun, RUN};
use super::{CacheValue, DecodeSettings, ObjectPage};
use crate::identity::IdentityHints;
use crate::progress::ReadProgressCallback;
use crate::record::RecordBody;
use qscope_engine::cluster::{Catalogue, Name, ResourceDef};

/// The records of one dump, by order and by name.
#[derive(Default)]
pub(crate) struct RecordCache<T: CacheValue> {
    decoding: Option<DecodeSettings>,
    /// The resources with which the records were decoded, in the order of their ids.
    resources: Vec<ResourceDef>,
    /// Number of leading resources known to be the same in this reading.
    same_resources: usize,
    pub(super) entries: Vec<CachedRecord<T>>,
    pub(super) positions: Vec<RecordPosition>,
    by_name: FxHashMap<Name, usize>,
    pub(super) blocks: Vec<Option<CachedRun<T>>>,
    /// The same runs, to be compared with the next file in parallel with the reader.
    pub(super) ahead: Arc<RunLookahead>,
    pub(super) reading: u32,
    /// Index of the entry expected next.
    pub(super) next_entry: usize,
    /// Index of the entry met last, if nothing else was met since.
    pub(super) last_entry: Option<usize>,
    /// Number of records passed by this reading, including the current one.
    pub(super) passed_records: usize,
    /// First attribute of every record of the file, in quotes.
    pub(super) first_key: Vec<u8>,
    /// Whether the entries are no longer in the order of the file.
    pub(super) is_moved: bool,
    /// Callback for the progress of the reading.
    report: Option<ReadProgressCallback>,
}

impl<T: CacheValue> RecordCache<T> {
    /// Forgets all records.
    pub(super) fn clear(&mut self) {
        self.ahead.stop();
        *self = Self { report: self.report.take(), ..Self::default() };
    }

    /// Returns the callback for the progress of the reading.
    pub(crate) fn report(&self) -> Option<&ReadProgressCallback> {
        self.report.as_ref()
    }

    /// Sets the callback for the progress of readings.
    pub(super) fn set_report(&mut self, report: ReadProgressCallback) {
        self.report = Some(report);
    }

    /// Returns the positions to be compared with the next file in parallel with the reader.
    pub(crate) fn lookahead(&self) -> Arc<RunLookahead> {
        self.ahead.clone()
    }

    /// Returns the number of remembered records.
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Begins a reading.
    pub(crate) fn begin(&mut self, decoding: DecodeSettings) {
        if self.decoding.as_ref() != Some(&decoding) {
            self.clear();
            self.decoding = Some(decoding);
        }
        self.same_resources = 0;
        self.reading = self.reading.wrapping_add(1);
        (self.next_entry, self.last_entry, self.passed_records, self.is_moved) = (0, None, 0, false);
    }

    /// Returns the resources at the end of the last reading, if it began with these.
    pub(crate) fn grown_catalogue(&self, begun: &Catalogue) -> Option<Catalogue> {
        let begins_so = begun.iter().map(|(_, def)| def).eq(self.resources.iter().take(begun.len()));
        begins_so.then(|| {
            let mut grown = begun.clone();
            for def in self.resources.iter().skip(begun.len()) {
                grown.insert(def.clone());
            }
            grown
        })
    }

    /// Returns the row of the object of this name that this reading already met.
    pub(crate) fn row_of(&self, name: &str) -> Option<usize> {
        let met = self.position_of(self.place_of(name)?)?;
        met.row.filter(|_| met.reading == self.reading)
    }

    /// Returns the index of the entry of a name, usually the expected one.
    fn place_of(&self, name: &str) -> Option<usize> {
        self.place_from(self.next_entry, name)
    }

    /// The same, where entry `next` is expected.
    pub(crate) fn place_from(&self, next: usize, name: &str) -> Option<usize> {
        let is_next = self.entries.get(next).is_some_and(|entry| *entry.name == *name);
        if is_next { Some(next) } else { self.by_name.get(name).copied() }
    }

    /// Returns the decoded record of this name, if it was met before and `rest` begins with its body; `reported` is
    /// the number of reports so far.
    pub(crate) fn find(
        &mut self,
        name: &str,
        rest: RecordBody<'_>,
        reported: usize,
        catalogue: &Catalogue,
    ) -> Option<CacheHit<'_, T>> {
        self.begin_record(rest.first_key, reported, catalogue);
        let at = self.place_of(name)?;
        self.is_moved |= at != self.next_entry;
        self.next_entry = at + 1;
        let entry = self.entries.get(at).filter(|entry| entry.resources == Some(catalogue.len()))?;
        let (length, hash) = (entry.length, entry.hash);
        let body = RecordBody { bytes: rest.bytes.get(..length)?, ..rest };
        if body.hash() != hash {
            return None;
        }
        let earlier_row = self.note_position(at, body, reported);
        let entry = self.entries.get(at)?;
        let (hints, object) = (&entry.look, entry.thing.clone());
        Some(CacheHit { length, hints, object, earlier_row, row: &mut self.positions.get_mut(at)?.row })
    }

    /// Keeps a decoded record, and the row of its object. Without a body it only keeps its place among the others and
    /// is decoded at every reading, as are records with reports.
    pub(crate) fn store(
        &mut self,
        (name, row): (Name, Option<usize>),
        body: Option<RecordBody<'_>>,
        (reported, catalogue): (usize, &Catalogue),
        (look, thing): (IdentityHints, T),
    ) {
        self.check_resources(catalogue);
        let at = self.place_of(&name).unwrap_or(self.entries.len());
        let (length, hash) = body.map_or((0, 0), |body| (body.bytes.len(), body.hash()));
        let resources = body.map(|_| catalogue.len());
        let entry = CachedRecord { name, length, hash, resources, look, thing };
        match self.entries.get_mut(at) {
            Some(slot) => *slot = entry,
            None => {
                self.next_entry += usize::from(at == self.next_entry);
                self.by_name.insert(entry.name.clone(), at);
                self.entries.push(entry);
                self.positions.push(RecordPosition::default());
            }
        }
        // The entry is the expected one or follows all others, unless it is new or out of order.
        self.is_moved |= at + 1 != self.next_entry;
        let nowhere = RecordBody { bytes: &[], first_key: &[], at: 0, from: None };
        let earlier = self.note_position(at, body.unwrap_or(nowhere), reported);
        if let Some(met) = self.positions.get_mut(at) {
            met.row = row.or(earlier);
        }
    }

    /// Notes where an entry is now; returns its row if this reading met it before.
    fn note_position(&mut self, at: usize, body: RecordBody<'_>, reported: usize) -> Option<usize> {
        let reading = self.reading;
        self.expand_position(at / RUN);
        let met = self.positions.get_mut(at)?;
        let is_second = met.reading == reading;
        let earlier = met.row.filter(|_| is_second);
        self.is_moved |= is_second;
        *met = RecordPosition {
            reading,
            records_before: self.passed_records,
            row: None,
            from: body.from,
            to: body.at + body.bytes.len(),
            reported,
            reported_behind: reported,
        };
        self.last_entry = Some(at);
        earlier
    }

    /// Notes the beginning of a record that is passed, whether it is kept or not.
    fn begin_record(&mut self, first_key: &[u8], reported: usize, catalogue: &Catalogue) {
        self.check_resources(catalogue);
        self.end_last(reported);
        self.passed_records += 1;
        if self.first_key != first_key {
            self.first_key = first_key.to_vec();
            self.drop_runs();
        }
    }

    /// Ends a reading of these bytes: entries that it did not meet are forgotten. `together` combines the objects of
    /// a page from a row on.
    pub(crate) fn end(
        &mut self,
        bytes: &[u8],
        reported: usize,
        together: impl Fn(usize, &mut dyn Iterator<Item = &T>) -> Option<ObjectPage<T>>,
    ) {
        self.end_last(reported);
        if self.is_moved || !self.is_whole() {
            self.arrange();
        }
        self.renew_blocks(bytes, together);
        self.ahead.stop();
        self.ahead = Arc::new(self.lookahead_for(bytes.len()));
    }

    /// Sorts the entries into the order of the file, and drops those that are gone.
    fn arrange(&mut self) {
        self.drop_runs();
        let (entries, met) = (std::mem::take(&mut self.entries), std::mem::take(&mut self.positions));
        let mut rows: Vec<(CachedRecord<T>, RecordPosition)> =
            entries.into_iter().zip(met).filter(|(_, met)| met.reading == self.reading).collect();
        rows.sort_by_key(|(_, met)| met.records_before);
        (self.entries, self.positions) = rows.into_iter().unzip();
        let places = self.entries.iter().enumerate();
        self.by_name = places.map(|(at, entry)| (entry.name.clone(), at)).collect();
    }

    /// Compares newly known resources with those of the last decoding, and invalidates records decoded with different
    /// ones.
    pub(super) fn check_resources(&mut self, catalogue: &Catalogue) {
        if self.same_resources == catalogue.len() {
            return;
        }
        for (at, (_, def)) in catalogue.iter().enumerate().skip(self.same_resources) {
            if self.resources.get(at) == Some(def) {
                continue;
            }
            if at < self.resources.len() {
                self.resources.truncate(at);
                for entry in &mut self.entries {
                    entry.resources = entry.resources.filter(|known| *known <= at);
                }
                self.drop_runs();
            }
            self.resources.push(def.clone());
        }
        self.same_resources = catalogue.len();
    }
}
