//! Why a job does not run: the scheduler's own catalogue of reasons, with its exact texts (rule 7).

pub(in crate::universe) mod log;
mod text;

use crate::cluster::{Amount, LimitScope, Name, ResourceId};

/// What of a resource was missing.
#[derive(Clone, PartialEq, Debug)]
pub struct Shortage {
    pub resource: ResourceId,
    /// The numbers or texts compared.
    pub detail: Detail,
}

/// The numbers or texts behind a shortage.
#[derive(Clone, PartialEq, Debug)]
pub enum Detail {
    /// Erased, as the node path does.
    Erased,
    /// A consumable.
    Amounts {
        requested: Amount,
        /// Left.
        available: Amount,
        /// There in all; NaN where it is not set at all.
        total: Amount,
    },
    /// Anything else.
    Differs {
        requested: Name,
        /// What there is instead.
        have: Name,
    },
}

/// A limit that was hit (rule 6.6).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LimitHit {
    /// Whom the limit is for.
    pub scope: LimitScope,
    /// The one it names, for individual limits.
    pub entity: Option<Name>,
    /// The limited resource; none for the number of jobs.
    pub resource: Option<Name>,
    /// The queue it is set at; none for the server.
    pub queue: Option<Name>,
}

/// Why a job does not run.
#[derive(Clone, PartialEq, Debug)]
pub enum Reason {
    /// No reason: the text after the prefix is empty.
    Unexplained,
    /// No index of the array is left to start: no text either.
    NothingLeft,
    /// Its queue is stopped.
    QueueNotStarted,
    Limit(Box<LimitHit>),
    /// An array runs as many subjobs as it may.
    SubjobLimit,
    /// Dedicated time, and the queue is not for it, or the reverse.
    DedicatedTime,
    /// It would not end before dedicated time.
    CrossDedicated,
    /// Its queue runs in prime time only.
    PrimeOnly,
    /// Its queue runs outside prime time only.
    NonPrimeOnly,
    /// It would run into the other period; true when that is prime time.
    CrossPrime {
        /// Whether the next period is prime time.
        into_prime: bool,
    },
    /// Its formula value is under the threshold.
    UnderThreshold,
    /// Its fair share entity has no shares.
    NoShares,
    /// A job ahead of it could not run and the order is strict.
    StrictOrdering,
    /// The queue lacks a resource.
    QueueResource(Shortage),
    /// The server lacks a resource.
    ServerResource(Shortage),
    /// Nodes lack a resource.
    Resource(Shortage),
    /// Fewer free nodes than requested.
    NoFreeNodes,
    /// Fewer nodes in all than requested.
    NoTotalNodes,
    /// The nodes that could serve are taken.
    NoNodeResources,
    /// The last placement set tried is too small now.
    SetTooSmall(Name),
    /// No placement set is large enough, and spanning is forbidden.
    CantSpan,
    /// A reservation or a top job needs the node before the job would end.
    Conflict,
    /// It requests the node exclusively and another job is on it.
    NodeNotExclusive,
    /// The node is in a state with this word.
    NodeState(&'static str),
    /// The node runs as many jobs as it may.
    NodeJobLimit,
    /// The node runs as many jobs of the user as it may.
    NodeUserLimit,
    /// The node runs as many jobs of the group as it may.
    NodeGroupLimit,
    /// The node takes no job that spans nodes.
    NoMultinode,
    /// The node has no licence.
    Unlicensed,
    /// The node takes no reservation.
    ReservationsDisabled,
    /// The node lacks the power profile.
    EoeMissing(Name),
    /// Jobs were preempted for it, and then it found no room.
    RoomInVain,
    /// Provisioning is off for the server.
    ProvisioningOff,
    /// Provisioning is off on the node.
    ProvisioningDisabled,
    /// So many chunks to be placed one by one that the search is given up; no text of the scheduler's.
    TooManyChunks,
    /// So many subjobs were started in this cycle that no more are; no text of the scheduler's.
    TooManySubjobs,
    /// The job itself is unusable this cycle.
    Invalid(Name),
}

impl Reason {
    /// Whether it is about this one array and not about other jobs that request the same.
    pub fn is_of_array(&self) -> bool {
        matches!(self, Self::SubjobLimit | Self::TooManySubjobs)
    }
}

/// A reason, and whether waiting will not help.
#[derive(Clone, PartialEq, Debug)]
pub struct Rejection {
    /// Why.
    pub reason: Reason,
    /// Whether the scheduler calls it "Can Never Run".
    pub never: bool,
}

impl Reason {
    pub fn not_now(self) -> Rejection {
        Rejection { reason: self, never: false }
    }

    pub fn never(self) -> Rejection {
        Rejection { reason: self, never: true }
    }

    /// The same reason without its numbers, as the node path reports it (rule 4.5).
    #[must_use]
    pub fn erased(self) -> Self {
        match self {
            Self::Resource(s) => Self::Resource(Shortage { detail: Detail::Erased, ..s }),
            other => other,
        }
    }
}

impl Shortage {
    /// A shortage of a consumable.
    pub fn amounts(resource: ResourceId, requested: Amount, available: Amount, total: Amount) -> Self {
        Self { resource, detail: Detail::Amounts { requested, available, total } }
    }

    /// A value that differs.
    pub fn differs(resource: ResourceId, requested: &str, have: &str) -> Self {
        Self { resource, detail: Detail::Differs { requested: requested.into(), have: have.into() } }
    }
}
