//! Records a decision: off, it costs one branch; on, it keeps every number compared; for a log, every host examined too.

use crate::cluster::{Epoch, Name};
use crate::universe::{Bit, Bucket, BucketKey, Counts, HostIx, NodeEvent, Rejection, SetCounts};

use super::path::PathChoice;

/// Which bucket is meant, in terms that outlive the state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BucketRef {
    /// Its place in the order tried.
    pub at: usize,
    pub key: BucketKey,
}

impl BucketRef {
    pub(super) fn of<I>(at: usize, bucket: &Bucket<I>) -> Self {
        Self { at, key: bucket.key() }
    }
}

/// One thing that happened while a job was considered.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    PathChosen(PathChoice),
    /// The class of the job had failed already.
    ClassShortcut {
        /// The job whose failure counts for the class.
        failed_first: Name,
        /// Why.
        rejection: Rejection,
    },
    /// The check against all nodes.
    QuickCheck {
        /// Nodes that can take a job.
        nodes: SetCounts,
        /// All nodes counted.
        total_nodes: usize,
        /// Chunks requested.
        chunks: u64,
        /// Why it failed.
        rejection: Option<Rejection>,
    },
    /// A set is tried in earnest.
    SetTried(Name),
    /// A set was passed over by its sums.
    SetTooSmall(Name, Rejection),
    /// No set could ever hold the job: all nodes are tried.
    Spanning,
    /// A set could hold it later, yet all nodes are tried now (quirk B2).
    FellThrough,
    /// What each bucket offers to one part of the select.
    ChunkMapped {
        /// The part as written.
        spec: Name,
        /// How many chunks it requests.
        requested: u32,
        /// Matching buckets in order.
        buckets: Vec<BucketOffer>,
        /// Buckets that do not match, with the reason.
        mismatched: Vec<(BucketRef, Rejection)>,
    },
    /// The buckets are too few in all.
    NeverFits(Rejection),
    /// Nodes taken from one bucket for one part.
    Taken {
        /// The part, counted from 0.
        spec: usize,
        bucket: BucketRef,
        /// Busy-later nodes taken.
        later: Vec<Bit>,
        /// Free nodes taken.
        free: Vec<Bit>,
        /// Busy-later nodes left alone: something starts there before the job would end.
        too_soon: Vec<(Bit, NodeEvent, Epoch)>,
        /// Chunks still missing afterwards; below zero when a node holds more than was left.
        still_missing: i64,
    },
    /// Which nodes the node path may examine.
    Eligible {
        /// How many it may.
        candidates: usize,
        /// How many it may not.
        refused: usize,
    },
    /// A chunk, or several equal ones, found their node on the node path.
    ChunkPlaced {
        /// The part, counted from 0.
        spec: usize,
        node: Bit,
        /// How many equal chunks one after the other.
        times: u32,
    },
    /// Hosts were examined one after the other, where the node path goes host by host; only for a log.
    HostsTried(Vec<HostStep>),
    /// A chunk found no node on the node path.
    ChunkFailed {
        /// The part, counted from 0.
        spec: usize,
        /// How many chunks of it were placed.
        placed: u32,
        /// The last node examined, and why it would not do.
        last: Option<(Bit, Rejection)>,
    },
}

/// What was recorded of hosts; many words, since a job that packs may examine every host of the complex.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HostStep {
    /// This one is examined.
    Host(HostIx),
    /// So many chunks of this part, counted from 0, were tried there one after the other and held. They may be given up
    /// again with the host; `ChunkPlaced` shows what stays.
    Held(u32, u32),
    /// A chunk of this part was tried there and not held.
    NotHeld(u32),
}

/// What one bucket offers to one part of the select.
#[derive(Clone, PartialEq, Debug)]
pub struct BucketOffer {
    pub bucket: BucketRef,
    /// Chunks that one node of it holds.
    pub times: u32,
    /// Nodes in it.
    pub total: u32,
    /// Free nodes, by its bitmap.
    pub free: usize,
    /// Busy-later nodes, by its bitmap.
    pub later: usize,
    /// Busy nodes, by its bitmap.
    pub busy: usize,
    /// What the scheduler's log would count.
    pub logged: Counts,
}

impl BucketOffer {
    /// The number of chunks that the scheduler's log line names.
    pub fn logged_chunks(&self) -> i64 {
        i64::from(self.logged.free + self.logged.later) * i64::from(self.times)
    }
}

/// How much is recorded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
enum Detail {
    #[default]
    Nothing,
    Decision,
    /// The decision and [`Event::HostsTried`].
    Hosts,
}

/// A recorder of events.
#[derive(Clone, Debug, Default)]
pub struct Probe {
    detail: Detail,
    /// What was recorded.
    pub events: Vec<Event>,
}

impl Probe {
    /// One that records nothing.
    pub fn off() -> Self {
        Self::default()
    }

    /// One that records what decides, at the cost of the decision itself: hosts that need not be examined are not.
    pub fn on() -> Self {
        Self { detail: Detail::Decision, events: Vec::new() }
    }

    /// One that records what a scheduler's log names, every host too; a job that packs may examine all of the complex.
    pub fn for_log() -> Self {
        Self { detail: Detail::Hosts, events: Vec::new() }
    }

    /// Whether it records.
    pub fn is_on(&self) -> bool {
        self.detail > Detail::Nothing
    }

    /// Whether it records every host examined.
    pub(super) fn names_hosts(&self) -> bool {
        self.detail == Detail::Hosts
    }

    /// Records an event, which is made only if the probe is on.
    #[inline]
    pub fn record(&mut self, event: impl FnOnce() -> Event) {
        if self.is_on() {
            self.events.push(event());
        }
    }
}
