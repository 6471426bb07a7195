//! Takes the records of a dump one by one; those known from an earlier reading are not decoded again.

use std::ops::ControlFlow;

use rustc_hash::FxHashMap;

use super::piece_decoder::{DecodedCursor, DecodedRecord, PieceTable};
use super::set_down;
use crate::choice::ChosenFile;
use crate::identity::{IdentityCheck, IdentityCounts, IdentityHints};
use crate::log::DiagnosticLog;
use crate::memory::{CacheValue, ObjectPage, RecordCache};
use crate::progress::ReadProgress;
use crate::record::{DumpKind, Record, RecordBody, RecordSink};
use crate::tally::RecordState;
use qscope_engine::cluster::{Catalogue, FilePosition, FileRecord, Name};

/// The objects of one dump, being read.
pub(super) trait ObjectAssembler {
    /// Result of decoding a record.
    type Read: CacheValue;
    const KIND: DumpKind;

    /// Decodes a record; `None` if it yields nothing, which is reported.
    fn decode(&mut self, record: &Record<'_>, log: &mut DiagnosticLog) -> Option<Self::Read>;
    /// Puts a decoded record into a row, replacing an earlier one of the same name; returns the row, or `None` for an
    /// object that is gone.
    fn put(&mut self, read: Self::Read, look: &IdentityHints, earlier: Option<usize>) -> Option<usize>;
    /// Combines the records of one page, if they are those of the rows from `row` on.
    fn combine_page(
        &self,
        row: usize,
        reads: &mut dyn Iterator<Item = &Self::Read>,
    ) -> Option<ObjectPage<Self::Read>>;

    /// Puts a combined page into the next rows; returns the first one, or `None` if the next row does not begin a
    /// page.
    fn put_page(&mut self, whole: &ObjectPage<Self::Read>, counts: &IdentityCounts) -> Option<usize>;

    /// Returns the state of a record; `None` for an object that is gone.
    fn state_of(read: &Self::Read) -> Option<RecordState>;
    /// Returns a name, shared with all equal ones.
    fn name(&mut self, text: &str) -> Name;
    /// The resources known so far.
    fn catalogue(&self) -> &Catalogue;
    /// Remaining budget for records of this kind; a record that uses some of it is decoded at every reading.
    fn budget(&self) -> usize;
}

/// Reads a dump of such objects, some of which may be remembered or decoded in parallel, stores what the file
/// reported about itself, and returns the number of records.
pub(super) fn read<O: ObjectAssembler>(
    file: &ChosenFile<'_>,
    objects: &mut O,
    cache: Option<&mut RecordCache<O::Read>>,
    from_end: Option<&PieceTable<O::Read>>,
    files: &mut Vec<FileRecord>,
    log: &mut DiagnosticLog,
) -> usize {
    log.in_file(file.name);
    let report = cache.as_ref().and_then(|memory| memory.report().cloned());
    let progress = ReadProgress::new(file.name, file.bytes, report.as_ref());
    let (others, identity) = (FxHashMap::default(), IdentityCheck::default());
    let meeting = from_end.map(DecodedCursor::new);
    let mut taking = AssemblySink { objects, memory: cache, meeting, others, identity, progress };
    let head = file.read_known(O::KIND, log, &mut taking);
    let AssemblySink { objects, memory, identity, progress, .. } = taking;
    progress.end();
    if let Some(memory) = memory {
        memory.end(file.bytes, log.reported(), |row, reads| objects.combine_page(row, reads));
    }
    log.in_record("");
    set_down(file, O::KIND, head, identity, files, log).records
}

struct AssemblySink<'t, O: ObjectAssembler> {
    objects: &'t mut O,
    memory: Option<&'t mut RecordCache<O::Read>>,
    /// Records decoded from the end of the file in parallel.
    meeting: Option<DecodedCursor<'t, O::Read>>,
    /// Rows of objects by name, where no memory has them.
    others: FxHashMap<Name, usize>,
    identity: IdentityCheck,
    progress: ReadProgress<'t>,
}

impl<O: ObjectAssembler> AssemblySink<'_, O> {
    /// Returns the row of an object that was already met in this reading.
    fn row_of(&self, name: &str) -> Option<usize> {
        let remembered = self.memory.as_ref().and_then(|memory| memory.row_of(name));
        remembered.or_else(|| self.others.get(name).copied())
    }
}

impl<O: ObjectAssembler> AssemblySink<'_, O> {
    /// Takes a record that was decoded from the end; returns the length of its body in bytes.
    fn take_decoded(
        &mut self,
        found: DecodedRecord<O::Read>,
        spot: FilePosition,
        rest: RecordBody<'_>,
        log: &mut DiagnosticLog,
    ) -> usize {
        let DecodedRecord { length, name, hints, object, .. } = found;
        self.identity.add(&hints);
        self.progress.count(|| O::state_of(&object));
        let body = rest.bytes.get(..length).map(|bytes| RecordBody { bytes, ..rest });
        self.store((name, spot), body, (hints, object), (log.reported(), log));
        length
    }

    /// Puts a decoded record into its row, and keeps it for the next reading; `body` is `None` for one that must be
    /// decoded every time.
    fn store(
        &mut self,
        (name, spot): (Name, FilePosition),
        body: Option<RecordBody<'_>>,
        (look, read): (IdentityHints, O::Read),
        (reported, log): (usize, &mut DiagnosticLog),
    ) {
        let earlier = self.row_of(&name);
        let remembered = self.memory.is_some().then(|| (look.clone(), read.clone()));
        let row = self.objects.put(read, &look, earlier);
        report_repeated(earlier, row, spot, log);
        match (&mut self.memory, remembered) {
            (Some(memory), Some(remembered)) => {
                let known = (reported, self.objects.catalogue());
                memory.store((name, row), body, known, remembered);
            }
            _ => self.others.extend(row.map(|row| (name, row))),
        }
    }
}

/// Reports that a name occurs in the file for the second time, unless that object is gone.
fn report_repeated(earlier: Option<usize>, row: Option<usize>, spot: FilePosition, log: &mut DiagnosticLog) {
    if earlier.and(row).is_some() {
        log.warn("record-repeated", spot, || "stands in the file twice; the later one counts".to_owned());
    }
}

impl<'a, O: ObjectAssembler> RecordSink<'a> for AssemblySink<'_, O> {
    fn take(
        &mut self,
        record: &Record<'a>,
        body: Option<RecordBody<'_>>,
        log: &mut DiagnosticLog,
    ) -> ControlFlow<()> {
        self.progress.note_slice(record.name.as_bytes());
        let look = self.identity.examine(O::KIND, record);
        self.identity.add(&look);
        let (reported, budget) = (log.reported(), self.objects.budget());
        let Some(read) = self.objects.decode(record, log) else { return ControlFlow::Continue(()) };
        self.progress.count(|| O::state_of(&read));
        let is_plain = log.reported() == reported && self.objects.budget() == budget;
        let name = self.objects.name(&record.name);
        self.store((name, record.position), body.filter(|_| is_plain), (look, read), (reported, log));
        ControlFlow::Continue(())
    }

    fn take_unchanged(
        &mut self,
        name: &str,
        position: FilePosition,
        rest: RecordBody<'_>,
        log: &mut DiagnosticLog,
    ) -> Option<usize> {
        self.progress.note_slice(rest.bytes);
        let known = self
            .memory
            .as_mut()
            .and_then(|memory| memory.find(name, rest, log.reported(), self.objects.catalogue()));
        let Some(found) = known else {
            let decoded = self.meeting.as_mut()?.next(rest, self.objects.catalogue().len())?;
            return Some(self.take_decoded(decoded, position, rest, log));
        };
        let (length, earlier) = (found.length, found.earlier_row);
        self.identity.add(found.hints);
        let row = self.objects.put(found.object.clone(), found.hints, earlier);
        report_repeated(earlier, row, position, log);
        found.set_row(row);
        Some(length)
    }

    fn again_run(&mut self, body: RecordBody<'_>, log: &mut DiagnosticLog) -> Option<(usize, usize)> {
        self.progress.note_slice(body.bytes);
        let memory = self.memory.as_mut()?;
        let run = memory.find_run(body, self.objects.catalogue())?;
        let put = |(whole, signs): &(_, _)| self.objects.put_page(whole, signs);
        let row = run.combined_objects.as_ref().and_then(put);
        if let Some((row, (_, signs))) = row.zip(run.combined_objects.as_ref()) {
            self.identity.add_all(signs);
            memory.note_whole_run(&run, row, body.at, log.reported());
            log.in_record(&run.last_name);
            return Some((run.length, run.records));
        }
        for record in memory.note_run(&run, body.at, log.reported()) {
            self.identity.add(record.look);
            *record.row = self.objects.put(record.thing.clone(), record.look, None);
        }
        log.in_record(&run.last_name);
        Some((run.length, run.records))
    }

    fn knows_most(&self) -> bool {
        self.memory.as_ref().is_some_and(|memory| memory.len() > 0)
    }
}
