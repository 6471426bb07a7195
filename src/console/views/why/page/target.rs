//! What a page explains.

use crate::views::object::Object;
use crate::views::world::World;

/// What a page explains, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::views::why) enum Target {
    /// Why a job waits.
    Job(String),
    /// Why a node takes nothing, or not this job.
    Node { node: String, job: Option<String> },
}

impl Target {
    /// The object that stands for it in the back stack.
    pub(in crate::views::why) fn object(&self) -> Object {
        match self {
            Self::Job(job) => Object::Job(job.clone()),
            Self::Node { node, .. } => Object::Node(node.clone()),
        }
    }

    /// The job that it is about.
    pub(in crate::views::why) fn job(&self) -> Option<&String> {
        match self {
            Self::Job(job) => Some(job),
            Self::Node { job, .. } => job.as_ref(),
        }
    }

    /// Whether it is about a job alone.
    pub(in crate::views::why) fn is_job(&self) -> bool {
        matches!(self, Self::Job(_))
    }

    /// Whether the world has it.
    pub(in crate::views::why) fn exists(&self, world: World<'_>) -> bool {
        match self {
            Self::Job(job) => world.snapshot().job_named(job).is_some(),
            Self::Node { node, .. } => world.snapshot().node_named(node).is_some(),
        }
    }
}
