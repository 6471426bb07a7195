//! Why a job does not run: the scheduler's own list of reasons, with its exact texts (rule 7).

pub(in crate::universe) mod log;
mod text;

use crate::cluster::{Amount, LimitScope, Name, ResourceId};

/// A resource of which too little is available, or whose value does not match.
#[derive(Clone, PartialEq, Debug)]
pub struct Shortage {
    pub resource: ResourceId,
    /// Numbers or texts that were compared.
    pub detail: ShortageDetail,
}

/// Numbers or texts of a shortage.
#[derive(Clone, PartialEq, Debug)]
pub enum ShortageDetail {
    /// No detail, as the node path reports it.
    Erased,
    /// A consumable.
    Amounts {
        requested: Amount,
        /// Amount left.
        available: Amount,
        /// Total amount; NaN if unset.
        total: Amount,
    },
    /// A resource that is not consumable.
    Differs {
        requested: Name,
        /// Value found instead.
        found: Name,
    },
}

/// A limit that was hit (rule 6.6).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LimitHit {
    /// Kind of entity that the limit applies to.
    pub scope: LimitScope,
    /// Name of the entity, for individual limits.
    pub entity: Option<Name>,
    /// Limited resource; `None` for the number of jobs.
    pub resource: Option<Name>,
    /// Queue that has the limit; `None` for the server.
    pub queue: Option<Name>,
}

/// Why a job does not run.
#[derive(Clone, PartialEq, Debug)]
pub enum Reason {
    /// Unknown reason: the text after the prefix is empty.
    Unexplained,
    /// No subjob of the array is left to start; the text is empty too.
    NoSubjobLeft,
    /// Its queue is stopped.
    QueueNotStarted,
    Limit(Box<LimitHit>),
    /// The array has reached its limit of concurrent subjobs.
    SubjobLimit,
    /// Dedicated time conflict: it is dedicated time and the queue is not dedicated, or the reverse.
    DedicatedTime,
    /// It would not end before dedicated time.
    CrossDedicated,
    /// Its queue runs in prime time only.
    PrimeOnly,
    /// Its queue runs outside prime time only.
    NonPrimeOnly,
    /// It would run into the other period.
    CrossPrime {
        /// Whether the next period is prime time.
        into_prime: bool,
    },
    /// Its formula value is below the threshold.
    UnderThreshold,
    /// Its fair share entity has no shares.
    NoShares,
    /// A job ahead of it could not run and strict ordering is on.
    StrictOrdering,
    /// Insufficient amount of a queue resource.
    QueueResource(Shortage),
    /// Insufficient amount of a server resource.
    ServerResource(Shortage),
    /// Insufficient amount of a resource on nodes.
    Resource(Shortage),
    /// Fewer free nodes than requested.
    NoFreeNodes,
    /// Fewer nodes in total than requested.
    NoTotalNodes,
    /// The suitable nodes are taken.
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
    /// The node has reached its job limit.
    NodeJobLimit,
    /// The node has reached its limit of jobs per user.
    NodeUserLimit,
    /// The node has reached its limit of jobs per group.
    NodeGroupLimit,
    /// The node accepts no multi-node job.
    NoMultinode,
    /// The node has no licence.
    Unlicensed,
    /// The node accepts no reservation.
    ReservationsDisabled,
    /// The node lacks the power profile.
    EoeMissing(Name),
    /// Jobs were preempted for it, but it still did not fit.
    PreemptionInVain,
    /// Provisioning is off for the server.
    ProvisioningOff,
    /// Provisioning is off on the node.
    ProvisioningDisabled,
    /// The chunks to be placed one by one exceed qscope's limit; the scheduler has no such text.
    TooManyChunks,
    /// The array reached qscope's limit of subjobs started in one cycle; the scheduler has no such text.
    TooManySubjobs,
    /// The job itself is invalid in this cycle.
    Invalid(Name),
}

impl Reason {
    /// Whether the reason applies to this one array only, not to other jobs with the same request.
    pub fn is_of_array(&self) -> bool {
        matches!(self, Self::SubjobLimit | Self::TooManySubjobs)
    }
}

/// A reason, and whether it is permanent.
#[derive(Clone, PartialEq, Debug)]
pub struct Rejection {
    pub reason: Reason,
    /// Whether the scheduler reports "Can Never Run".
    pub is_permanent: bool,
}

impl Reason {
    pub fn not_now(self) -> Rejection {
        Rejection { reason: self, is_permanent: false }
    }

    pub fn never(self) -> Rejection {
        Rejection { reason: self, is_permanent: true }
    }

    /// Returns the same reason without its numbers, as the node path reports it (rule 4.5).
    #[must_use]
    pub fn erased(self) -> Self {
        match self {
            Self::Resource(s) => Self::Resource(Shortage { detail: ShortageDetail::Erased, ..s }),
            other => other,
        }
    }
}

impl Shortage {
    /// Creates the shortage of a consumable.
    pub fn amounts(resource: ResourceId, requested: Amount, available: Amount, total: Amount) -> Self {
        Self { resource, detail: ShortageDetail::Amounts { requested, available, total } }
    }

    /// Creates the shortage of a value that differs.
    pub fn differs(resource: ResourceId, requested: &str, have: &str) -> Self {
        Self { resource, detail: ShortageDetail::Differs { requested: requested.into(), found: have.into() } }
    }
}
