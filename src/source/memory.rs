//! What one reading of files leaves for the next: a record whose bytes did not change is not decoded again.
//!
//! A record is used again if nothing was reported about it, so that passing over it loses no report, and where the
//! same name stands before the same bytes and what decides how they are decoded is the same too: the zone, the defaults
//! of chunks, and every resource known so far with its id. The result is that of a reading from nothing.

mod ahead;
mod blocks;
mod entry;
mod hash;
mod peek;
mod remembered;
mod run;
mod stand;

use std::sync::Arc;

use jiff::tz::TimeZone;

use super::clock::clue::Clue;
use super::identity::Signs;
use super::need::Counted;
use super::overview::Overview;
use super::progress::ReadingReport;
use qscope_engine::cluster::{Job, Name, Node, Page, Server};
pub(crate) use remembered::Remembered;

/// The records of the last reading, for the next one of the same files.
#[derive(Default)]
pub struct Memory {
    nodes: Remembered<Arc<Node>>,
    jobs: Remembered<JobRead>,
    counted: Counted,
    overview: Overview,
}

impl Memory {
    /// The same, with how far each reading has come reported.
    #[must_use]
    pub fn reporting(mut self, report: ReadingReport) -> Self {
        self.nodes.set_report(report.clone());
        self.jobs.set_report(report);
        self
    }

    /// The records of nodes and of jobs.
    pub(crate) fn parts(&mut self) -> (&mut Remembered<Arc<Node>>, &mut Remembered<JobRead>) {
        (&mut self.nodes, &mut self.jobs)
    }

    /// How many records there were.
    pub(crate) fn counted(&mut self) -> &mut Counted {
        &mut self.counted
    }

    /// What the vnodes showed.
    pub(crate) fn overview(&mut self) -> &mut Overview {
        &mut self.overview
    }

    /// Nothing is remembered any more.
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.jobs.clear();
    }
}

/// What a job's record came to.
#[derive(Clone, Default)]
pub(crate) struct JobRead {
    /// The job; none where it is over or has moved away.
    pub(crate) job: Option<Arc<Job>>,
    /// Its server, without the domain.
    pub(crate) server: Name,
    /// What it shows of the zone that its dates are in.
    pub(crate) clue: Clue,
}

/// What the records of a dump come to.
pub(crate) trait Thing: Clone + Default {
    /// What as many of them as fill a page come to together.
    type Whole: Clone;
}

impl Thing for Arc<Node> {
    type Whole = Page<Node>;
}

impl Thing for JobRead {
    type Whole = JobsWhole;
}

/// Jobs of one server that fill a page.
#[derive(Clone)]
pub(crate) struct JobsWhole {
    pub(crate) jobs: Page<Job>,
    /// Their server, without the domain.
    pub(crate) server: Name,
}

/// What records that fill a page come to together.
pub(crate) type Whole<T> = <T as Thing>::Whole;

/// The same of a run, and what its records show.
pub(crate) type Together<T> = (Whole<T>, Signs);

/// Resources and their values.
type DefaultChunk = Vec<(Name, Name)>;

/// What decides how every record of a dump is decoded, besides the resources.
#[derive(Clone, PartialEq)]
pub(crate) struct Decoding {
    zone: TimeZone,
    /// The defaults of chunks, by the queue's name; none is the server's.
    chunks: Vec<(Option<Name>, DefaultChunk)>,
}

impl Decoding {
    /// In a zone, without defaults of chunks.
    pub(crate) fn in_zone(zone: &TimeZone) -> Self {
        Self { zone: zone.clone(), chunks: Vec::new() }
    }

    /// With those of the queues and the server.
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

#[cfg(test)]
mod tests;
