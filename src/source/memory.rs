//! What one reading of files leaves for the next: a record whose bytes did not change is not decoded again.
//!
//! A record is kept if nothing was reported about it, so that passing over it loses no report. It is used again where the
//! same name stands before the same bytes and what decides how they are decoded is the same too: the zone, the defaults
//! of chunks, and every resource known so far with its id. The result is that of a reading from nothing.

use std::hash::Hasher;
use std::sync::Arc;

use jiff::tz::TimeZone;
use rustc_hash::{FxHashMap, FxHasher};

use super::identity::Look;
use super::progress::ReadingReport;
use super::record::Body;
use qscope_engine::cluster::{Catalogue, Job, Name, Node, ResourceDef, Server};

/// The records of the last reading, for the next one of the same files.
#[derive(Default)]
pub struct Memory {
    nodes: Remembered<Arc<Node>>,
    jobs: Remembered<JobRead>,
}

impl Memory {
    /// The same, with how far each reading has come reported.
    #[must_use]
    pub fn reporting(mut self, report: ReadingReport) -> Self {
        (self.nodes.report, self.jobs.report) = (Some(report.clone()), Some(report));
        self
    }

    /// The records of nodes and of jobs.
    pub(crate) fn parts(&mut self) -> (&mut Remembered<Arc<Node>>, &mut Remembered<JobRead>) {
        (&mut self.nodes, &mut self.jobs)
    }

    /// Nothing is remembered any more.
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.jobs.clear();
    }
}

/// What a job's record came to.
#[derive(Clone)]
pub(crate) struct JobRead {
    /// The job; none where it is over or has moved away.
    pub(crate) job: Option<Arc<Job>>,
    /// Its server, without the domain.
    pub(crate) server: Name,
}

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

impl Body<'_> {
    fn hash(&self) -> u64 {
        let mut hasher = FxHasher::default();
        hasher.write(self.first_key);
        hasher.write(self.bytes);
        hasher.finish()
    }
}

/// A record as it was decoded.
#[derive(Clone)]
struct Entry<T> {
    length: usize,
    hash: u64,
    /// How many resources were known then.
    resources: usize,
    /// The last reading that met it.
    reading: u32,
    look: Look,
    thing: T,
}

/// The records of one dump by name.
pub(crate) struct Remembered<T> {
    decoding: Option<Decoding>,
    /// The resources under which the records were decoded, in the order of their ids.
    resources: Vec<ResourceDef>,
    /// How many of them are known to be those of this reading.
    same: usize,
    by_name: FxHashMap<Name, Entry<T>>,
    reading: u32,
    /// What is to know how far the reading has come.
    report: Option<ReadingReport>,
}

impl<T> Default for Remembered<T> {
    fn default() -> Self {
        Self {
            decoding: None,
            resources: Vec::new(),
            same: 0,
            by_name: FxHashMap::default(),
            reading: 0,
            report: None,
        }
    }
}

impl<T> Remembered<T> {
    /// Nothing is remembered any more.
    fn clear(&mut self) {
        *self = Self { report: self.report.take(), ..Self::default() };
    }

    /// What is to know how far the reading has come.
    pub(crate) fn report(&self) -> Option<&ReadingReport> {
        self.report.as_ref()
    }
}

impl<T: Clone> Remembered<T> {
    /// Begins a reading.
    pub(crate) fn begin(&mut self, decoding: Decoding) {
        if self.decoding.as_ref() != Some(&decoding) {
            self.clear();
            self.decoding = Some(decoding);
        }
        self.same = 0;
        self.reading = self.reading.wrapping_add(1);
    }

    /// What the record of this name came to, if it was met before and `rest` begins with its body; how long that is.
    pub(crate) fn find(
        &mut self,
        name: &str,
        rest: Body<'_>,
        catalogue: &Catalogue,
    ) -> Option<(usize, &Look, T)> {
        self.follow(catalogue);
        let entry = self.by_name.get_mut(name).filter(|entry| entry.resources == catalogue.len())?;
        let body = Body { bytes: rest.bytes.get(..entry.length)?, ..rest };
        if body.hash() != entry.hash {
            return None;
        }
        entry.reading = self.reading;
        Some((entry.length, &entry.look, entry.thing.clone()))
    }

    /// The resources that the last reading ended with, where it began with these.
    pub(crate) fn grown(&self, begun: &Catalogue) -> Option<Catalogue> {
        let begins_so = begun.iter().map(|(_, def)| def).eq(self.resources.iter().take(begun.len()));
        begins_so.then(|| {
            let mut grown = begun.clone();
            for def in self.resources.iter().skip(begun.len()) {
                grown.insert(def.clone());
            }
            grown
        })
    }

    /// Keeps what a record came to, of which nothing was reported.
    pub(crate) fn keep(&mut self, name: Name, body: Body<'_>, catalogue: &Catalogue, look: Look, thing: T) {
        self.follow(catalogue);
        let (length, hash, resources) = (body.bytes.len(), body.hash(), catalogue.len());
        let entry = Entry { length, hash, resources, reading: self.reading, look, thing };
        self.by_name.insert(name, entry);
    }

    /// Ends a reading: what it did not meet is forgotten.
    pub(crate) fn end(&mut self) {
        let reading = self.reading;
        self.by_name.retain(|_, entry| entry.reading == reading);
    }

    /// Compares resources that became known since with those under which records were decoded, and forgets the records
    /// that know others.
    fn follow(&mut self, catalogue: &Catalogue) {
        if self.same == catalogue.len() {
            return;
        }
        for (at, (_, def)) in catalogue.iter().enumerate().skip(self.same) {
            if self.resources.get(at) == Some(def) {
                continue;
            }
            if at < self.resources.len() {
                self.resources.truncate(at);
                self.by_name.retain(|_, entry| entry.resources <= at);
            }
            self.resources.push(def.clone());
        }
        self.same = catalogue.len();
    }
}

#[cfg(test)]
mod tests;
