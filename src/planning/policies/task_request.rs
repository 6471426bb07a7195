//! The request of a job as the policies see it: a number of equal tasks on a number of nodes (rules 0.8,
//! 3.3).

use super::options::{MauiOptions, NodeAccessPolicy, NodeMatchPolicy};
use qscope_engine::cluster::{Arrangement, JobId, Name, PlaceSharing, QueueId, ResvId, Seconds};
use qscope_engine::universe::{Plan, ShapeId, Spec};

/// One requirement: a part of the select.
#[derive(Clone, PartialEq, Debug)]
pub struct TaskRequirement {
    /// The chunk of one task.
    pub shape: ShapeId,
    /// T: number of tasks.
    pub tasks: u32,
    /// N: number of nodes; 0 is any number.
    pub nodes: u32,
    /// TPN: number of tasks on each node; 0 is any number.
    pub per_node: u32,
}

/// A job as the policies see it.
#[derive(Clone, PartialEq, Debug)]
pub struct TaskRequest {
    pub job: JobId,
    /// The parts of its select.
    pub requirements: Vec<TaskRequirement>,
    /// Time for which it holds its nodes.
    pub walltime: Seconds,
    /// How it shares nodes.
    pub sharedness: PlaceSharing,
    /// Whether a node takes at most one of its tasks.
    pub scattered: bool,
    /// Features it prefers.
    pub prefer: Vec<Name>,
    pub user: Name,
    /// Its queue, if nodes are bound to the queue.
    pub queue: Option<QueueId>,
    /// The running reservation it was submitted into.
    pub reservation: Option<ResvId>,
}

/// Why a job cannot be placed by the policies.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TaskRequestError {
    /// The scheduler cannot read the job either.
    #[error("the job cannot be placed: {0}")]
    Unreadable(&'static str),
    /// The number of tasks is not a multiple of the tasks per node.
    #[error("{tasks} tasks are no multiple of {per_node} tasks per node")]
    Uneven {
        /// T.
        tasks: u32,
        /// TPN.
        per_node: u32,
    },
}

impl TaskRequest {
    /// Reads the request of a job.
    ///
    /// # Errors
    /// The job is unreadable, or its tasks do not divide.
    pub fn of(plan: &Plan, options: &MauiOptions, job: JobId) -> Result<Self, TaskRequestError> {
        let request = plan.request(job, None).map_err(TaskRequestError::Unreadable)?;
        let dumped = plan.job(job);
        let single = request.specs.len() == 1;
        let place = &request.place;
        let scattered = place.arrangement.is_spread();
        let requirement = |spec: &Spec| {
            let tasks = spec.count;
            let nodes = dumped.nodes.filter(|_| single).unwrap_or(if scattered { tasks } else { 0 });
            let packed = place.arrangement == Arrangement::Pack && single;
            let per_node = dumped.tasks_per_node.filter(|_| single).unwrap_or(match options.node_match {
                _ if packed => tasks,
                NodeMatchPolicy::ExactNode if nodes > 0 => tasks.div_ceil(nodes),
                _ => 0,
            });
            if per_node > 0 && !tasks.is_multiple_of(per_node) {
                return Err(TaskRequestError::Uneven { tasks, per_node });
            }
            Ok(TaskRequirement { shape: spec.shape, tasks, nodes, per_node })
        };
        let queue = plan.snap.queue_named(&dumped.queue).filter(|queue| plan.masks.owns_nodes(*queue));
        Ok(Self {
            job,
            requirements: request.specs.iter().map(requirement).collect::<Result<_, _>>()?,
            walltime: request.duration,
            sharedness: place.sharedness,
            scattered: scattered || options.access == NodeAccessPolicy::SingleTask,
            prefer: dumped.prefer.clone(),
            user: dumped.user.clone(),
            queue,
            reservation: plan.reservation_of(job),
        })
    }

    /// Returns the number of tasks of all parts.
    pub fn tasks(&self) -> u64 {
        self.requirements.iter().map(|part| u64::from(part.tasks)).sum()
    }
}
