//! Records a decision. When off, it costs one branch; when on, it keeps every number compared; for a log, also every
//! host examined.

use crate::cluster::{Epoch, Name};
use crate::universe::{Bit, Bucket, BucketCounts, BucketKey, HostIx, NodeEvent, Rejection, SetCounts};

use super::path::PathChoice;

/// Identifies a bucket independently of the state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BucketRef {
    /// Its index in the order tried.
    pub at: usize,
    pub key: BucketKey,
}

impl BucketRef {
    pub(super) fn of<I>(at: usize, bucket: &Bucket<I>) -> Self {
        Self { at, key: bucket.key() }
    }
}

/// One step in the consideration of a job.
#[derive(Clone, PartialEq, Debug)]
pub enum ProbeEvent {
    PathChosen(PathChoice),
    /// The class of the job had already failed.
    ClassShortcut {
        /// The job whose failure counts for the class.
        failed_first: Name,
        /// The reason.
        rejection: Rejection,
    },
    /// The check against all nodes.
    QuickCheck {
        /// Counts of nodes that can take a job.
        nodes: SetCounts,
        /// Number of all nodes.
        total_nodes: usize,
        /// Number of chunks requested.
        chunks: u64,
        /// Why it failed, if it did.
        rejection: Option<Rejection>,
    },
    /// A set is searched.
    SetTried(Name),
    /// A set was skipped because of its sums.
    SetTooSmall(Name, Rejection),
    /// No set could ever hold the job, so all nodes are tried.
    Spanning,
    /// A set could hold it later, but all nodes are tried now (quirk B2).
    FellThrough,
    /// What each bucket offers to one chunk spec of the select.
    ChunkMapped {
        /// The chunk spec as written.
        spec: Name,
        /// Number of chunks requested.
        requested: u32,
        /// Matching buckets in order.
        buckets: Vec<BucketOffer>,
        /// Buckets that do not match, with the reason.
        mismatched: Vec<(BucketRef, Rejection)>,
    },
    /// The matching buckets have too few nodes in total.
    NeverFits(Rejection),
    /// Nodes taken from one bucket for one chunk spec.
    Taken {
        /// The chunk spec, from 0.
        spec: usize,
        bucket: BucketRef,
        /// Busy-later nodes taken.
        later: Vec<Bit>,
        /// Free nodes taken.
        free: Vec<Bit>,
        /// Busy-later nodes skipped because something starts there before the job would end.
        skipped: Vec<(Bit, NodeEvent, Epoch)>,
        /// Chunks still missing afterwards; negative if a node holds more than was missing.
        still_missing: i64,
    },
    /// Number of nodes that the node path may examine.
    Eligible {
        /// Nodes that it may examine.
        candidates: usize,
        /// Nodes that it may not examine.
        refused: usize,
    },
    /// A chunk, or several equal ones, was placed on the node path.
    ChunkPlaced {
        /// The chunk spec, from 0.
        spec: usize,
        node: Bit,
        /// Number of equal chunks placed in a row.
        times: u32,
    },
    /// The hosts examined in order, if the node path goes host by host; only for a log.
    HostsTried(Vec<HostStep>),
    /// A chunk was not placed on the node path.
    ChunkFailed {
        /// The chunk spec, from 0.
        spec: usize,
        /// Number of its chunks that were placed.
        placed: u32,
        /// The last node examined and why it refused.
        last: Option<(Bit, Rejection)>,
    },
}

/// One step of the search host by host. Kept small, because a packed job may examine every host of the complex.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HostStep {
    /// This host is examined.
    Host(HostIx),
    /// Number of chunks of this chunk spec (from 0) that were tried there in a row and fit. They may be given up
    /// again with the host; `ChunkPlaced` shows the final ones.
    Fitted(u32, u32),
    /// A chunk of this chunk spec was tried there and did not fit.
    NotHeld(u32),
}

/// What one bucket offers to one chunk spec of the select.
#[derive(Clone, PartialEq, Debug)]
pub struct BucketOffer {
    pub bucket: BucketRef,
    /// Number of chunks that one of its nodes holds.
    pub times: u32,
    /// Number of its nodes.
    pub total: u32,
    /// Free nodes, by its bitmap.
    pub free: usize,
    /// Busy-later nodes, by its bitmap.
    pub busy_later: usize,
    /// Busy nodes, by its bitmap.
    pub busy: usize,
    /// The counts that the scheduler's log would show.
    pub logged: BucketCounts,
}

impl BucketOffer {
    /// Returns the number of chunks shown in the scheduler's log line.
    pub fn logged_chunks(&self) -> i64 {
        i64::from(self.logged.free + self.logged.later) * i64::from(self.times)
    }
}

/// Level of detail recorded.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
enum ProbeLevel {
    #[default]
    Nothing,
    Decision,
    /// The decision and [`ProbeEvent::HostsTried`].
    Hosts,
}

/// A recorder of events.
#[derive(Clone, Debug, Default)]
pub struct Probe {
    detail: ProbeLevel,
    /// The recorded events.
    pub events: Vec<ProbeEvent>,
}

impl Probe {
    /// Creates a probe that records nothing.
    pub fn off() -> Self {
        Self::default()
    }

    /// Creates a probe that records the decision at the cost of making it: hosts that need not be examined are not.
    pub fn on() -> Self {
        Self { detail: ProbeLevel::Decision, events: Vec::new() }
    }

    /// Creates a probe that records what a scheduler's log names, including every host; a packed job may examine all
    /// hosts of the complex.
    pub fn for_log() -> Self {
        Self { detail: ProbeLevel::Hosts, events: Vec::new() }
    }

    /// Whether it records.
    pub fn is_on(&self) -> bool {
        self.detail > ProbeLevel::Nothing
    }

    /// Whether it records every host examined.
    pub(super) fn names_hosts(&self) -> bool {
        self.detail == ProbeLevel::Hosts
    }

    /// Records an event, which is created only if the probe is on.
    #[inline]
    pub fn record(&mut self, event: impl FnOnce() -> ProbeEvent) {
        if self.is_on() {
            self.events.push(event());
        }
    }
}
