//! Why a job does not run: the scheduler's own catalogue of reasons, with its exact texts (rule 7).

pub(in crate::universe) mod log;

use crate::cluster::{Amount, Catalogue, LimitScope, Name, NodeStates, ResourceId};

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
    /// The node is in this state.
    NodeState(NodeStates),
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
    /// Not now, for this reason.
    pub fn not_now(self) -> Rejection {
        Rejection { reason: self, never: false }
    }

    /// Never, for this reason.
    pub fn never(self) -> Rejection {
        Rejection { reason: self, never: true }
    }

    /// The text after the prefix of the comment.
    pub fn text(&self, catalogue: &Catalogue) -> String {
        match self {
            Self::Limit(hit) => hit.text(),
            Self::QueueResource(s) => format!("Insufficient amount of queue resource: {}", s.text(catalogue)),
            Self::ServerResource(s) => {
                format!("Insufficient amount of server resource: {}", s.text(catalogue))
            }
            Self::Resource(s) => format!("Insufficient amount of resource: {}", s.text(catalogue)),
            Self::SetTooSmall(set) => format!("Placement set {set} has too few free resources"),
            Self::NodeState(states) => format!("Node is in an ineligible state: {}", states.message_word()),
            Self::EoeMissing(eoe) => format!("Cannot provision, requested EOE {eoe} not available on vnode"),
            Self::Invalid(text) => text.to_string(),
            Self::CrossPrime { into_prime: true } => "Job will cross into primetime".to_owned(),
            Self::CrossPrime { into_prime: false } => "Job will cross into non-primetime".to_owned(),
            plain => plain.plain_text().to_owned(),
        }
    }

    /// The texts that hold no names or numbers.
    fn plain_text(&self) -> &'static str {
        match self {
            Self::QueueNotStarted => "Queue not started.",
            Self::SubjobLimit => "Number of concurrent running subjobs limit reached",
            Self::DedicatedTime => "Dedicated time conflict",
            Self::CrossDedicated => "Job would cross dedicated time boundary",
            Self::PrimeOnly => "Job will run in primetime only",
            Self::NonPrimeOnly => "Job will run in nonprimetime only",
            Self::UnderThreshold => "Job is under job_sort_formula threshold value",
            Self::NoShares => "Job has zero shares for fairshare",
            Self::StrictOrdering => "Job would break strict sorted order",
            Self::NoFreeNodes => "Not enough free nodes available",
            Self::NoTotalNodes => "Not enough total nodes available",
            Self::NoNodeResources => "No available resources on nodes",
            Self::RoomInVain => "Internal Scheduling Error",
            Self::CantSpan => "can't fit in the largest placement set, and can't span psets",
            Self::Conflict => "Job would conflict with reservation or top job",
            Self::NodeNotExclusive => "Job is requesting an exclusive node and node is in use",
            Self::NodeJobLimit => "Node has reached job run limit",
            Self::NodeUserLimit => "Node has reached user run limit",
            Self::NodeGroupLimit => "Node has reached group run limit",
            Self::NoMultinode => "Node can't satisfy a multi-node job",
            Self::Unlicensed => "Node has no PBS license",
            Self::ReservationsDisabled => "Node not eligible for advance reservation",
            Self::ProvisioningOff => "Cannot provision, provisioning disabled on server",
            Self::TooManySubjobs => "qscope starts at most 25000 subjobs in one cycle; the rest waits",
            Self::TooManyChunks => "qscope places at most 131072 groups of equal chunks; the job has more",
            Self::ProvisioningDisabled => "Cannot provision, provisioning disabled on vnode",
            _ => "",
        }
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

impl Rejection {
    /// The whole comment that the scheduler writes.
    pub fn comment(&self, catalogue: &Catalogue) -> String {
        let prefix = if self.never { "Can Never Run: " } else { "Not Running: " };
        format!("{prefix}{}", self.reason.text(catalogue))
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

    fn text(&self, catalogue: &Catalogue) -> String {
        let name = catalogue.name(self.resource);
        let kind = catalogue.kind(self.resource);
        match &self.detail {
            Detail::Erased => format!("{name} "),
            Detail::Amounts { requested, available, total } => {
                // An unset total is written as a bare 0, whatever the kind (case `mem_missing`).
                let t = if total.0.is_nan() { "0".to_owned() } else { total.show(kind) };
                let (r, a) = (requested.show(kind), available.show(kind));
                format!("{name} (R: {r} A: {a} T: {t})")
            }
            Detail::Differs { requested, have } => format!("{name} ({requested} != {have})"),
        }
    }
}

impl LimitHit {
    /// The comment text of a limit (rule 6.6, table).
    fn text(&self) -> String {
        match (&self.resource, &self.entity) {
            (None, None) => self.generic_run_text(),
            (None, Some(entity)) => {
                let place = self.queue.as_ref().map_or("Server".to_owned(), |queue| format!("Queue {queue}"));
                format!("{place} job limit reached for {} {entity}", self.scope_word())
            }
            (Some(resource), _) => self.resource_text(resource),
        }
    }

    fn scope_word(&self) -> &'static str {
        match self.scope {
            LimitScope::User => "user",
            LimitScope::Group => "group",
            LimitScope::Project => "project",
            LimitScope::Overall => "overall",
        }
    }

    fn generic_run_text(&self) -> String {
        match (&self.queue, self.scope) {
            (None, LimitScope::Overall) => "Server job limit has been reached.".to_owned(),
            (None, LimitScope::User) => "User has reached server running job limit.".to_owned(),
            (None, LimitScope::Group) => "Group has reached server running limit.".to_owned(),
            (None, LimitScope::Project) => "Project has reached server running limit.".to_owned(),
            (Some(q), LimitScope::Overall) => format!("Queue {q} job limit has been reached."),
            (Some(q), LimitScope::User) => format!("User has reached queue {q} running job limit."),
            (Some(q), LimitScope::Group) => format!("Group has reached queue {q} running limit."),
            (Some(q), LimitScope::Project) => format!("Project has reached queue {q}'s running limit."),
        }
    }

    fn resource_text(&self, resource: &str) -> String {
        let complex = self.queue.as_ref().map_or("complex".to_owned(), |queue| format!("queue {queue}"));
        let place = self.queue.as_ref().map_or("Server".to_owned(), |queue| format!("Queue {queue}"));
        let word = self.scope_word();
        match (&self.entity, self.scope) {
            (_, LimitScope::Overall) => {
                format!("would exceed overall limit on resource {resource} in {complex}")
            }
            (Some(entity), _) => {
                format!("would exceed {word} {entity}'s limit on resource {resource} in {complex}")
            }
            (None, _) => format!("{place} per-{word} limit reached on resource {resource}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(reason: &Reason) -> String {
        reason.text(&Catalogue::default())
    }

    #[test]
    fn shortages_are_written_as_in_comments() {
        let s = Shortage::amounts(ResourceId::ncpus(), Amount(18.0), Amount(16.0), Amount(16.0));
        let r = Reason::Resource(s);
        assert_eq!(
            r.clone().never().comment(&Catalogue::default()),
            "Can Never Run: Insufficient amount of resource: ncpus (R: 18 A: 16 T: 16)"
        );
        assert_eq!(text(&r.erased()), "Insufficient amount of resource: ncpus ");
        let d = Shortage::differs(ResourceId::host(), "foo", "n1,n2");
        assert_eq!(text(&Reason::Resource(d)), "Insufficient amount of resource: host (foo != n1,n2)");
    }

    #[test]
    fn limits_name_whose_and_where() {
        let hit = |scope, entity: Option<&str>, resource: Option<&str>, queue: Option<&str>| {
            let [entity, resource, queue] = [entity, resource, queue].map(|x| x.map(Name::from));
            text(&Reason::Limit(Box::new(LimitHit { scope, entity, resource, queue })))
        };
        use LimitScope::{Overall, Project, User};
        assert_eq!(hit(User, None, None, None), "User has reached server running job limit.");
        assert_eq!(hit(Project, None, None, Some("q")), "Project has reached queue q's running limit.");
        assert_eq!(hit(User, Some("bob"), None, Some("q")), "Queue q job limit reached for user bob");
        assert_eq!(
            hit(User, None, Some("ncpus"), Some("q")),
            "Queue q per-user limit reached on resource ncpus"
        );
        assert_eq!(
            hit(Overall, None, Some("mem"), None),
            "would exceed overall limit on resource mem in complex"
        );
        assert_eq!(
            hit(User, Some("bob"), Some("mem"), None),
            "would exceed user bob's limit on resource mem in complex"
        );
    }
}
