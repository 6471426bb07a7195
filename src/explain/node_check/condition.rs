//! The conditions that nodes pass or fail, and their names.

/// The conditions that nodes pass or fail, in the order applied.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Condition {
    /// Up, licensed and not offline.
    State,
    /// In the job's queue, or in no queue.
    Queue,
    /// In the reservation that the job is in.
    Reservation {
        /// Its short id.
        name: String,
    },
    /// One of the nodes that the job had before it was suspended or checkpointed.
    OwnNodes,
    /// In the scheduler's partition.
    Partition,
    /// One resource of the chunk, with the requested value.
    Resource {
        /// Its index in the order checked.
        at: usize,
        name: String,
        wanted: String,
        /// Whether a node must have at least this amount left, rather than the same value.
        is_amount: bool,
    },
    /// Not in exclusive use and without other jobs, for a job that requests it exclusively.
    Sharing,
    /// Not in exclusive use, for a job that shares its nodes.
    NotExclusive,
    NodeLimit,
    /// Not planned for another occupant before the job would end.
    Time,
    /// In a placement set that holds the whole job.
    Set,
}

impl Condition {
    pub(crate) fn resource(at: usize, name: &str, wanted: String, is_amount: bool) -> Self {
        Self::Resource { at, name: name.to_owned(), wanted, is_amount }
    }

    /// Returns the name only.
    pub fn name(&self) -> String {
        match self {
            Self::Resource { name, wanted, .. } => format!("{name}={wanted}"),
            Self::Partition => "partition".to_owned(),
            other => other.words().split(':').next().unwrap_or_default().to_owned(),
        }
    }

    /// Whether it requests a vnode or host by name.
    pub(crate) fn is_name(&self) -> bool {
        matches!(self, Self::Resource { name, .. } if name == "vnode" || name == "host")
    }

    /// Whether it requests an amount of a resource.
    pub(crate) fn is_amount(&self) -> bool {
        matches!(self, Self::Resource { is_amount: true, .. })
    }

    /// Returns the short text for a funnel.
    pub fn label(&self) -> String {
        match self {
            Self::State => "up and licensed".to_owned(),
            Self::Queue => "queue".to_owned(),
            Self::Reservation { .. } => "its reservation".to_owned(),
            Self::OwnNodes => "its own nodes".to_owned(),
            Self::Partition => "partition".to_owned(),
            Self::Resource { name, wanted, is_amount: true, .. } => format!("{name} ≥ {wanted} left"),
            Self::Resource { name, wanted, .. } => format!("{name}={wanted}"),
            Self::Sharing => "whole node (excl)".to_owned(),
            Self::NotExclusive => "not in exclusive use".to_owned(),
            Self::NodeLimit => "node limits".to_owned(),
            Self::Time => "free until its end".to_owned(),
            Self::Set => "set".to_owned(),
        }
    }

    /// Returns the id in the list of rules of the rule that states it.
    pub fn rule(&self) -> &'static str {
        match self {
            Self::State => "node-not-free",
            Self::Queue | Self::Reservation { .. } | Self::OwnNodes => "node-list",
            Self::Partition => "node-attributes",
            Self::Resource { .. } => "resource-match",
            Self::Sharing | Self::NotExclusive => "node-in-use",
            Self::NodeLimit => "node-run-limits",
            Self::Time => "node-until-end",
            Self::Set => "set-fits-now",
        }
    }

    /// Returns the text for a heading.
    pub fn words(&self) -> String {
        match self {
            Self::State => "state: up and licensed".to_owned(),
            Self::Queue => "queue: nodes that the job may use".to_owned(),
            Self::Reservation { name } => format!("reservation: nodes of {name}"),
            Self::OwnNodes => "own nodes: those that the job goes back to".to_owned(),
            Self::Partition => "partition of this scheduler".to_owned(),
            Self::Resource { name, wanted, .. } => format!("{name}={wanted}"),
            Self::Sharing | Self::NotExclusive => self.label(),
            Self::NodeLimit => "limits of the node: takes one more job like this".to_owned(),
            Self::Time => "time: free until the job would end".to_owned(),
            Self::Set => "set: one that holds the whole job".to_owned(),
        }
    }
}
