//! Remembers records from one reading of files to the next: a record with unchanged bytes is not decoded again.
//!
//! A record is reused if nothing was reported about it, so that skipping it loses no report; if the same name
//! precedes the same bytes; and if everything that affects decoding is the same: the zone, the defaults for chunks,
//! and every resource known so far with its id. The result equals that of reading from scratch.

mod blocks;
mod entry;
mod lookahead;
mod record_cache;
mod run;
mod run_hash;
mod run_positions;

use std::sync::Arc;

use jiff::tz::TimeZone;

use qscope_engine::cluster::{ColumnPage, Job, Name, Node, NodeId, Server, SharedColumn};

use super::clock::clue::ZoneClue;
use super::identity::IdentityCounts;
use super::need::DumpSize;
use super::overview::Overview;
use super::progress::ReadProgressCallback;
use crate::record::RecordBody;
use run::RUN;
use run_hash::hash;

pub(crate) use record_cache::RecordCache;

/// Records of the last reading, for the next reading of the same files.
#[derive(Default)]
pub struct ReadCache {
    nodes: RecordCache<Arc<Node>>,
    jobs: RecordCache<CachedJob>,
    counted: DumpSize,
    overview: Overview,
    /// The vnodes of a script after running jobs were put on them.
    occupied: SharedColumn<NodeId, Node>,
}

impl ReadCache {
    /// Sets a callback for the progress of each reading.
    #[must_use]
    pub fn reporting(mut self, report: ReadProgressCallback) -> Self {
        self.nodes.set_report(report.clone());
        self.jobs.set_report(report);
        self
    }

    /// Returns the records of nodes and of jobs.
    pub(crate) fn parts(&mut self) -> (&mut RecordCache<Arc<Node>>, &mut RecordCache<CachedJob>) {
        (&mut self.nodes, &mut self.jobs)
    }

    /// Returns the number of records in the last reading.
    pub(crate) fn counted(&mut self) -> &mut DumpSize {
        &mut self.counted
    }

    /// Returns the overview of the vnodes.
    pub(crate) fn overview(&mut self) -> &mut Overview {
        &mut self.overview
    }

    /// Returns the vnodes of the last reading on which running jobs were put.
    pub(crate) fn occupied(&mut self) -> &mut SharedColumn<NodeId, Node> {
        &mut self.occupied
    }

    /// Forgets all records.
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.jobs.clear();
    }
}

/// A decoded record of a job.
#[derive(Clone, Default)]
pub(crate) struct CachedJob {
    /// The job; `None` if it is finished or moved away.
    pub(crate) job: Option<Arc<Job>>,
    /// Its server, without the domain.
    pub(crate) server: Name,
    /// Its clue about the zone of dates.
    pub(crate) zone_clue: ZoneClue,
}

/// A decoded record of a dump.
pub(crate) trait CacheValue: Clone + Default {
    /// Combined objects of a page.
    type Whole: Clone;
}

impl CacheValue for Arc<Node> {
    type Whole = ColumnPage<Node>;
}

impl CacheValue for CachedJob {
    type Whole = JobPage;
}

/// A page of jobs of one server.
#[derive(Clone)]
pub(crate) struct JobPage {
    pub(crate) jobs: ColumnPage<Job>,
    /// Their server, without the domain.
    pub(crate) server: Name,
}

/// Combined objects of a page.
pub(crate) type ObjectPage<T> = <T as CacheValue>::Whole;

/// Combined objects of a run, and the signs of its records.
pub(crate) type RunObjects<T> = (ObjectPage<T>, IdentityCounts);

/// Resources and their values.
type DefaultChunk = Vec<(Name, Name)>;

/// Everything except the resources that affects how a dump is decoded.
#[derive(Clone, PartialEq)]
pub(crate) struct DecodeSettings {
    zone: TimeZone,
    /// Defaults for chunks, by queue name; `None` for the server.
    chunks: Vec<(Option<Name>, DefaultChunk)>,
}

impl DecodeSettings {
    /// Creates the conditions for a zone, without defaults for chunks.
    pub(crate) fn in_zone(zone: &TimeZone) -> Self {
        Self { zone: zone.clone(), chunks: Vec::new() }
    }

    /// Adds the defaults of the queues and the server.
    pub(crate) fn with_defaults<'q>(
        mut self,
        queues: impl Iterator<Item = &'q qscope_engine::cluster::Queue>,
        server: &Server,
    ) -> Self {
        self.chunks.push((None, server.default_chunk.clone()));
        let of_queues = queues.filter(|queue| !queue.default_chunk.is_empty());
        self.chunks.extend(of_queues.map(|queue| (Some(queue.name.clone()), queue.default_chunk.clone())));
        self
    }
}

impl<T: CacheValue> RecordCache<T> {
    /// Returns the index of the record of this name, the length of its body, and the decoded object, if `body` begins
    /// with it. Nothing is noted.
    pub(crate) fn peek(&self, next: usize, name: &str, rest: RecordBody<'_>) -> Option<(usize, usize, &T)> {
        let at = self.place_from(next, name)?;
        let entry = self.entries.get(at).filter(|entry| entry.resources.is_some())?;
        let body = RecordBody { bytes: rest.bytes.get(..entry.length)?, ..rest };
        (body.hash() == entry.hash).then_some((at, entry.length, &entry.thing))
    }

    /// Returns the length in bytes and the objects of the run from an entry on, if `body` begins with its bytes; the
    /// following reading does not compare them again.
    pub(crate) fn peek_run<'m>(
        &'m self,
        from: usize,
        body: RecordBody<'_>,
    ) -> Option<(usize, impl Iterator<Item = &'m T> + use<'m, T>)> {
        let nth = from.checked_div(RUN).filter(|nth| nth * RUN == from)?;
        let block = self.blocks.get(nth)?.as_ref()?;
        let bytes = body.bytes.get(..block.length)?;
        let entries = self.entries.get(from..from + block.records)?;
        if hash(bytes, body.first_key) != block.hash {
            return None;
        }
        self.ahead.note(nth, body.at);
        Some((block.length, entries.iter().map(|entry| &entry.thing)))
    }
}

#[cfg(test)]
mod tests;
