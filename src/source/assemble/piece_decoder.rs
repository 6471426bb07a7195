//! Decodes a dump of nodes from both ends: the reader proceeds from the start, and an idle thread decodes pieces from
//! the end.
//!
//! The reader uses a record decoded by that thread only if nothing but the record itself determined the result: it
//! was read without repair, nothing was reported for it, and the resources were those known to the reader at that
//! point. The reader decodes all other records itself, so the result equals that of reading from start to end.

use std::iter::Peekable;
use std::ops::ControlFlow;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::vec::IntoIter;

use crate::choice::ChosenFile;
use crate::context::ReadContext;
use crate::identity::{IdentityCheck, IdentityHints};
use crate::log::DiagnosticLog;
use crate::node;
use crate::record::{DumpKind, Record, RecordBody, RecordSink};
use qscope_engine::cluster::{FilePosition, Name, Node};

/// Size of a piece in bytes: the reader waits for at most one. Small, so that the dumps of tests have several too.
const PIECE: usize = if cfg!(test) { 256 } else { 512 << 10 };

/// A decoded record.
pub(super) struct DecodedRecord<T> {
    /// Byte offset of its body.
    at: usize,
    /// Length of its body in bytes.
    pub(super) length: usize,
    pub(super) name: Name,
    pub(super) hints: IdentityHints,
    pub(super) object: T,
}

enum PieceState<T> {
    /// Not yet claimed.
    Unclaimed,
    /// Being decoded, or already passed, by the reader.
    TakenByReader,
    /// Being decoded by the thread from the end.
    Decoding,
    /// Decoded by that thread, with these records.
    Decoded(Vec<DecodedRecord<T>>),
}

/// The pieces of a file.
pub(super) struct PieceTable<T> {
    pieces: Mutex<Vec<PieceState<T>>>,
    decoded: Condvar,
    /// Number of resources known to the thread from the end.
    resources: usize,
}

impl<T> PieceTable<T> {
    /// Creates the pieces of a file of `bytes` bytes, none of them decoded, with `resources` resources known.
    pub(super) fn new(bytes: usize, resources: usize) -> Self {
        let pieces = std::iter::repeat_with(|| PieceState::Unclaimed).take(bytes.div_ceil(PIECE)).collect();
        Self { pieces: Mutex::new(pieces), decoded: Condvar::new(), resources }
    }

    /// Claims the last free piece for the thread from the end; `None` once the two have met.
    fn claim_last(&self) -> Option<usize> {
        let mut pieces = self.pieces.lock().unwrap_or_else(PoisonError::into_inner);
        let (nth, piece) = pieces
            .iter_mut()
            .enumerate()
            .rev()
            .find(|(_, piece)| !matches!(piece, PieceState::Decoded(_)))?;
        let is_free = matches!(piece, PieceState::Unclaimed);
        is_free.then(|| {
            *piece = PieceState::Decoding;
            nth
        })
    }

    /// Stores the decoded records of a piece.
    fn put(&self, nth: usize, records: Vec<DecodedRecord<T>>) {
        let mut pieces = self.pieces.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(piece) = pieces.get_mut(nth) {
            *piece = PieceState::Decoded(records);
        }
        self.decoded.notify_all();
    }

    /// Returns what the other thread decoded of a piece that the reader has reached; the reader decodes the rest.
    fn take(&self, nth: usize) -> Vec<DecodedRecord<T>> {
        let mut pieces = self.pieces.lock().unwrap_or_else(PoisonError::into_inner);
        while matches!(pieces.get(nth), Some(PieceState::Decoding)) {
            pieces = self.decoded.wait(pieces).unwrap_or_else(PoisonError::into_inner);
        }
        match pieces.get_mut(nth).map(|piece| std::mem::replace(piece, PieceState::TakenByReader)) {
            Some(PieceState::Decoded(records)) => records,
            _ => Vec::new(),
        }
    }
}

/// The reader's position among the records decoded from the end.
pub(super) struct DecodedCursor<'f, T> {
    from_end: &'f PieceTable<T>,
    piece: Option<usize>,
    records: Peekable<IntoIter<DecodedRecord<T>>>,
}

impl<'f, T> DecodedCursor<'f, T> {
    pub(super) fn new(from_end: &'f PieceTable<T>) -> Self {
        Self { from_end, piece: None, records: Vec::new().into_iter().peekable() }
    }

    /// Returns the decoded record with this body, if it was decoded with `resources` resources known.
    pub(super) fn next(&mut self, body: RecordBody<'_>, resources: usize) -> Option<DecodedRecord<T>> {
        let nth = body.from? / PIECE;
        if self.piece != Some(nth) {
            self.piece = Some(nth);
            self.records = self.from_end.take(nth).into_iter().peekable();
        }
        while self.records.next_if(|record| record.at < body.at).is_some() {}
        let found = self.records.next_if(|record| record.at == body.at)?;
        (resources == self.from_end.resources).then_some(found)
    }
}

impl PieceTable<Arc<Node>> {
    /// Decodes pieces of a dump of nodes, the last one first, until the reader is met.
    pub(super) fn decode(&self, file: &ChosenFile<'_>, cx: ReadContext<'_>) {
        let mut log = DiagnosticLog::default();
        let mut pieces = PieceDecoder {
            table: self,
            cx,
            identity: IdentityCheck::default(),
            piece: None,
            records: Vec::new(),
        };
        file.read_pieces(DumpKind::Nodes, &mut log, &mut pieces);
    }
}

/// Takes the nodes of one piece after another.
struct PieceDecoder<'f, 'c> {
    table: &'f PieceTable<Arc<Node>>,
    cx: ReadContext<'c>,
    identity: IdentityCheck,
    piece: Option<usize>,
    records: Vec<DecodedRecord<Arc<Node>>>,
}

impl PieceDecoder<'_, '_> {
    fn hand_over(&mut self) {
        if let Some(nth) = self.piece.take() {
            self.table.put(nth, std::mem::take(&mut self.records));
        }
    }

    /// Whether decoding changed anything that affects how the next record is decoded.
    fn is_changed(&self) -> bool {
        self.cx.catalogue.len() != self.table.resources || self.cx.is_guess_wider()
    }
}

// The reader waits for a piece being decoded, so it is handed over whatever happens.
impl Drop for PieceDecoder<'_, '_> {
    fn drop(&mut self) {
        self.hand_over();
    }
}

impl<'a> RecordSink<'a> for PieceDecoder<'_, '_> {
    fn take(
        &mut self,
        record: &Record<'a>,
        body: Option<RecordBody<'_>>,
        log: &mut DiagnosticLog,
    ) -> ControlFlow<()> {
        let start = match record.position {
            FilePosition::Byte(start) => start,
            _ => return ControlFlow::Break(()),
        };
        if self.piece.is_none_or(|nth| start / PIECE != nth) {
            return ControlFlow::Break(());
        }
        let (reported, budget) = (log.reported(), self.cx.max_indices);
        let object = Arc::new(node::decode(record, &mut self.cx, log));
        if self.is_changed() {
            return ControlFlow::Break(());
        }
        let is_plain = log.reported() == reported && self.cx.max_indices == budget;
        if let Some(body) = body.filter(|_| is_plain) {
            let (name, hints) = (object.name.clone(), self.identity.examine(DumpKind::Nodes, record));
            self.records.push(DecodedRecord { at: body.at, length: body.bytes.len(), name, hints, object });
        }
        ControlFlow::Continue(())
    }

    fn next_piece(&mut self) -> Option<usize> {
        self.hand_over();
        if self.is_changed() {
            return None;
        }
        self.piece = self.table.claim_last();
        self.piece.map(|nth| nth * PIECE)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::guesses::KindGuesses;
    use super::super::super::zone::Zone;
    use super::*;
    use crate::Files;
    use qscope_engine::cluster::Catalogue;

    /// Returns how many of 40 nodes, one of which has more resources, are decoded before the reading begins.
    fn decoded(odd: &str) -> usize {
        let node = |n: usize| {
            let more = if n == 20 { odd } else { "" };
            format!(
                "\"n{n}\":{{\"Mom\":\"m\",\"state\":\"free\",\"resources_available\":{{\"ncpus\":4{more}}}}}"
            )
        };
        let mut files = Files::new("t");
        let nodes = (0..40).map(node).collect::<Vec<_>>().join(",\n");
        files.insert("nodes.json", format!("{{\"nodes\":{{{nodes}}}}}"), None);
        let file = ChosenFile::open(&files, "nodes.json", DumpKind::Nodes).unwrap();
        let (mut catalogue, zone, mut guesses) =
            (Catalogue::default(), Zone::local(), KindGuesses::default());
        let from_end = PieceTable::new(file.bytes.len(), catalogue.len());
        from_end.decode(&file, ReadContext::new(&mut catalogue, &zone, &mut guesses));
        let pieces = from_end.pieces.lock().unwrap();
        let of = |piece: &PieceState<_>| match piece {
            PieceState::Decoded(records) => records.len(),
            _ => 0,
        };
        pieces.iter().map(of).sum()
    }

    #[test]
    fn what_only_the_record_decides_is_decoded_from_the_end() {
        assert_eq!(decoded(""), 40);
        assert_eq!(decoded(",\"mem\":\"lots\""), 39, "of that one something is reported");
        let behind = decoded(",\"unheard\":4");
        assert!(behind > 10 && behind < 20, "{behind} decoded before a resource became known");
    }

    #[test]
    fn the_reading_and_the_thread_from_the_end_meet() {
        let from_end: PieceTable<u8> = PieceTable::new(3 * PIECE, 7);
        let record = |at| DecodedRecord {
            at,
            length: 1,
            name: "n".into(),
            hints: IdentityHints::default(),
            object: 1,
        };
        let body = |at| RecordBody { bytes: &[], first_key: &[], at, from: Some(at) };
        let mut meeting = DecodedCursor::new(&from_end);
        assert_eq!(from_end.claim_last(), Some(2));
        from_end.put(2, vec![record(2 * PIECE), record(2 * PIECE + 9)]);
        assert!(meeting.next(body(5), 7).is_none());
        assert!(meeting.next(body(PIECE), 7).is_none());
        assert_eq!(from_end.claim_last(), None, "the reading has begun the one before");
        assert!(meeting.next(body(2 * PIECE), 8).is_none(), "under other resources");
        assert!(meeting.next(body(2 * PIECE + 9), 7).is_some());
    }
}
