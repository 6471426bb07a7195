//! The nodes of a cluster.

use std::sync::Arc;

use super::loader::{Loader, report_missing};
use super::objects::{self, ObjectAssembler};
use super::piece_decoder::PieceTable;
use crate::context::ReadContext;
use crate::identity::{IdentityCounts, IdentityHints};
use crate::log::DiagnosticLog;
use crate::memory::{DecodeSettings, RecordCache};
use crate::record::{DumpKind, Record};
use crate::tally::RecordState;
use crate::{SourceError, node};
use qscope_engine::cluster::{
    Catalogue, ColumnPage, Diagnostic, FilePosition, Name, Node, NodeId, SharedColumn,
};

/// Nodes being read.
struct NodeAssembler<'n, 'c> {
    nodes: &'n mut SharedColumn<NodeId, Node>,
    cx: ReadContext<'c>,
    /// Whether no node has a state.
    stateless: bool,
}

impl ObjectAssembler for NodeAssembler<'_, '_> {
    type Read = Arc<Node>;
    const KIND: DumpKind = DumpKind::Nodes;

    fn decode(&mut self, record: &Record<'_>, log: &mut DiagnosticLog) -> Option<Arc<Node>> {
        Some(Arc::new(node::decode(record, &mut self.cx, log)))
    }

    fn state_of(node: &Arc<Node>) -> Option<RecordState> {
        Some(RecordState::of_node(node))
    }

    fn put(&mut self, node: Arc<Node>, hints: &IdentityHints, earlier: Option<usize>) -> Option<usize> {
        self.stateless &= !hints.has_state();
        Some(self.nodes.put(node, earlier))
    }

    fn combine_page(
        &self,
        row: usize,
        reads: &mut dyn Iterator<Item = &Arc<Node>>,
    ) -> Option<ColumnPage<Node>> {
        let page = self.nodes.pages().get(row / ColumnPage::<Node>::ROWS)?;
        (row.is_multiple_of(ColumnPage::<Node>::ROWS) && page.is_of(reads)).then(|| page.clone())
    }

    fn put_page(&mut self, page: &ColumnPage<Node>, counts: &IdentityCounts) -> Option<usize> {
        let row = self.nodes.len();
        self.nodes.push_page(page).then(|| {
            self.stateless &= !counts.have_state();
            row
        })
    }

    fn name(&mut self, text: &str) -> Name {
        self.cx.name(text)
    }

    fn catalogue(&self) -> &Catalogue {
        self.cx.catalogue
    }

    fn budget(&self) -> usize {
        self.cx.max_indices
    }
}

impl Loader<'_, '_> {
    /// Reads the nodes; others may be decoded from the end in parallel.
    pub(super) fn nodes(
        &mut self,
        mut cache: Option<&mut RecordCache<Arc<Node>>>,
        from_end: Option<&PieceTable<Arc<Node>>>,
        log: &mut DiagnosticLog,
    ) -> Result<(), SourceError> {
        let Some(file) = &self.nodes else {
            let what = "no nodes: what needs them is not known";
            report_missing(self.files, DumpKind::Nodes, Diagnostic::NO_NODES, what, log);
            return Ok(());
        };
        if let Some(memory) = &mut cache {
            memory.begin(DecodeSettings::in_zone(self.zone.time_zone()));
        }
        let cx = ReadContext::new(&mut self.snapshot.catalogue, &self.zone, self.guesses);
        let nodes = &mut self.snapshot.nodes;
        let mut reading = NodeAssembler { nodes, cx, stateless: true };
        let records = objects::read(file, &mut reading, cache, from_end, &mut self.snapshot.files, log);
        let found = match (file.bytes.len(), records) {
            (0, _) => "an empty file, perhaps being written".to_owned(),
            (length, 0) => {
                // The expected content is appended below, for all forms.
                let found = log.last_error().and_then(|why| why.split("; expected").next());
                let found = found.map(|found| format!(" ({found})")).unwrap_or_default();
                format!("no vnode in {length} bytes{found}")
            }
            _ if reading.stateless && file.bytes.contains(&0) => {
                "NUL bytes, which a crash can leave in place of a file's content".to_owned()
            }
            _ if reading.stateless => "vnodes without a state, as `pbsnodes -S` and `-L` print".to_owned(),
            _ => return Ok(()),
        };
        // A scenario of a packing simulation lists nodes with their slots.
        let is_packing = memchr::memmem::find(file.bytes, b"\"slots\"").is_some();
        let packing = if is_packing { "; this is a scenario for `qscope farm FILE --view`" } else { "" };
        let expected = format!("what `pbsnodes -av` or `pbsnodes -av -F json` prints{packing}");
        Err(SourceError::Unreadable { file: file.name.into(), position: FilePosition::File, found, expected })
    }
}
