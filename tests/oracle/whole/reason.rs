//! Refusals and their texts (rule 7).

use qscope_engine::cluster::{LimitScope, Name, ResourceId};

/// The check that refused a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Code {
    NotRunnable,
    /// Queue not started or outside its time, no shares, or under the threshold: decided before the loop.
    Beforehand,
    NoFreeNodes,
    NoTotalNodes,
    /// Nodes lack a resource.
    Resource,
    QueueResource,
    ServerResource,
    /// The limit on jobs of a queue or of the server.
    RunLimit(Option<usize>, LimitScope),
    ResourceLimit(Option<usize>, LimitScope),
    MaxSubjobs,
    CrossPrime,
    Dedicated,
    Prime,
    NonPrime,
    CrossDedicated,
    SetTooSmall,
    CannotSpan,
    NoNodes,
    InUse,
    NodeState,
    Conflict,
    NodeLimit,
    Multinode,
    License,
    NoResvNode,
    Eoe,
    Provision,
    Strict,
    /// Jobs were preempted for it in vain.
    Internal,
    /// There is no comment.
    Empty,
}

/// A refusal, for good or for now.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct No {
    pub(crate) code: Code,
    pub(crate) never: bool,
    /// The resource in question.
    pub(crate) resource: Option<ResourceId>,
    pub(crate) text: String,
}

impl No {
    pub(crate) fn new(code: Code, text: impl Into<String>) -> Self {
        Self { code, never: false, resource: None, text: text.into() }
    }

    pub(crate) fn of(code: Code, resource: ResourceId, text: impl Into<String>) -> Self {
        Self { resource: Some(resource), ..Self::new(code, text) }
    }

    pub(crate) fn never(self) -> Self {
        Self { never: true, ..self }
    }

    /// Removes the numbers, as in reasons at node level (rule 4.5).
    pub(crate) fn erased(self) -> Self {
        let text = match self.code {
            Code::Resource => self.text.split('(').next().unwrap_or_default().to_owned(),
            _ => self.text,
        };
        Self { text, ..self }
    }

    pub(crate) fn comment(&self) -> String {
        format!("{}{}", if self.never { "Can Never Run: " } else { "Not Running: " }, self.text)
    }

    pub(crate) fn no_nodes() -> Self {
        Self::new(Code::NoNodes, "No available resources on nodes")
    }

    pub(crate) fn no_free_nodes() -> Self {
        Self::new(Code::NoFreeNodes, "Not enough free nodes available")
    }

    pub(crate) fn multinode() -> Self {
        Self::new(Code::Multinode, "Node can't satisfy a multi-node job")
    }

    pub(crate) fn no_total_nodes() -> Self {
        Self::new(Code::NoTotalNodes, "Not enough total nodes available")
    }

    pub(crate) fn in_use() -> Self {
        Self::new(Code::InUse, "Job is requesting an exclusive node and node is in use")
    }

    pub(crate) fn conflict() -> Self {
        Self::new(Code::Conflict, "Job would conflict with reservation or top job")
    }

    pub(crate) fn cannot_span() -> Self {
        Self::new(Code::CannotSpan, "can't fit in the largest placement set, and can't span psets").never()
    }

    pub(crate) fn set_too_small(set: &str) -> Self {
        Self::new(Code::SetTooSmall, format!("Placement set {set} has too few free resources"))
    }

    pub(crate) fn strict() -> Self {
        Self::new(Code::Strict, "Job would break strict sorted order")
    }

    pub(crate) fn not_runnable() -> Self {
        Self::new(Code::NotRunnable, "")
    }

    pub(crate) fn insufficient(resource: ResourceId, name: &Name) -> Self {
        Self::of(Code::Resource, resource, format!("Insufficient amount of resource: {name} "))
    }
}
