//! Reads large dumps of nodes and jobs in parallel.
//!
//! Jobs are decoded with the resources known so far, and nodes may add some. Jobs are therefore read assuming that
//! the nodes add the same ones as last time (at first none, which holds if every resource is defined); if the
//! assumption fails, the jobs are read again after the nodes. Either way the result equals that of reading one after
//! the other. Nodes that no earlier reading has seen take longer than jobs: once the jobs are read, their thread
//! decodes nodes from the end of that dump.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;

use super::jobs::{JobDumpContents, read_jobs};
use super::loader::Loader;
use super::piece_decoder::PieceTable;
use crate::SourceError;
use crate::context::ReadContext;
use crate::job::ChunkDefaultSources;
use crate::log::DiagnosticLog;
use crate::memory::{CachedJob, RecordCache};
use qscope_engine::cluster::Node;

/// Size of a dump in bytes below which a second thread costs more than it saves.
pub(super) const MANY_BYTES: usize = 2 << 20;

impl Loader<'_, '_> {
    /// Whether both dumps have at least `bytes` bytes.
    pub(super) fn is_large(&self, bytes: usize) -> bool {
        let many = |file: &Option<crate::choice::ChosenFile<'_>>| {
            file.as_ref().is_some_and(|f| f.bytes.len() >= bytes)
        };
        many(&self.nodes) && many(&self.jobs)
    }

    /// Reads the nodes, and the jobs in parallel; returns `None` if the nodes changed how jobs are decoded.
    pub(super) fn nodes_and_jobs(
        &mut self,
        of_nodes: Option<&mut RecordCache<Arc<Node>>>,
        of_jobs: Option<&mut RecordCache<CachedJob>>,
        log: &mut DiagnosticLog,
    ) -> Result<Option<JobDumpContents>, SourceError> {
        let Some(jobs) = self.jobs.take() else { return self.nodes(of_nodes, None, log).map(|()| None) };
        let begun = &self.snapshot.catalogue;
        let grown = of_nodes.as_ref().and_then(|memory| memory.grown_catalogue(begun));
        let guess = grown.unwrap_or_else(|| begun.clone());
        let (mut catalogue, mut guesses) = (guess.clone(), self.guesses.clone());
        let (queues, server) = (self.snapshot.queues.clone(), self.snapshot.server.clone());
        let zone = self.zone.clone();
        // The thread that finishes its own dump first continues with the other dump, from its end.
        let ahead_of_nodes =
            of_nodes.as_ref().zip(self.nodes.as_ref()).map(|(m, file)| (m.lookahead(), file.bytes));
        let ahead_of_jobs = of_jobs.as_ref().map(|memory| memory.lookahead());
        // Remembered nodes need not be decoded.
        let anew = self.nodes.clone().filter(|_| of_nodes.as_ref().is_none_or(|memory| memory.len() == 0));
        let from_end = anew.map(|file| (PieceTable::new(file.bytes.len(), begun.len()), file));
        let (mut begun, mut of_begun) = (begun.clone(), self.guesses.clone());
        let (nodes, read) = thread::scope(|scope| {
            let read = scope.spawn(|| {
                let mut log = DiagnosticLog::default();
                let cx = ReadContext::new(&mut catalogue, &zone, &mut guesses);
                let defaults = ChunkDefaultSources { queues: &queues, server: &server };
                let read = read_jobs(&jobs, defaults, cx, of_jobs, &mut log);
                if let Some((from_end, file)) = &from_end {
                    from_end.decode(file, ReadContext::new(&mut begun, &zone, &mut of_begun));
                }
                if let Some((ahead, bytes)) = ahead_of_nodes {
                    ahead.compare(bytes);
                }
                (read, log)
            });
            let nodes = self.nodes(of_nodes, from_end.as_ref().map(|(from_end, _)| from_end), log);
            if let Some(ahead) = ahead_of_jobs {
                ahead.compare(jobs.bytes);
            }
            (nodes, read.join().unwrap_or_else(|panicked| resume_unwind(panicked)))
        });
        self.jobs = Some(jobs);
        nodes?;
        if self.snapshot.catalogue != guess || self.guesses.is_wider() {
            return Ok(None);
        }
        let (read, of_reading) = read;
        (self.snapshot.catalogue, *self.guesses) = (catalogue, guesses);
        log.append(of_reading);
        Ok(Some(read))
    }
}
