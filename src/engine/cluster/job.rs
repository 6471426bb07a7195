//! Jobs as `qstat -f` shows them.

use std::ops::RangeInclusive;

use super::{
    ChunkSpec, Epoch, ExecVnode, JobState, Name, Place, ResourceId, ResourceList, ResourceRequest, Seconds,
    Select, SharedList, Substate, short_id,
};

/// Attributes that only arrays and their subjobs have.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ArrayAttributes {
    /// Whether this is the array itself, not a subjob.
    pub is_parent: bool,
    /// Id of a subjob's array.
    pub parent: Option<Name>,
    /// Index of a subjob.
    pub index: Option<u32>,
    /// Indices still to start, ascending; for the array itself.
    pub remaining: Vec<u32>,
    /// Maximum number of subjobs that run at once.
    pub max_run_subjobs: Option<u32>,
    /// Number of running subjobs, from `array_state_count`.
    pub running: Option<u32>,
}

/// Estimate from the scheduler.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct StartEstimate {
    /// `estimated.start_time`.
    pub start: Option<Epoch>,
    /// `estimated.exec_vnode`, as written.
    pub exec_vnode: Option<String>,
}

/// One job, array parent or subjob.
// In the order of memory. A cycle passes over all jobs a dozen times, and their records are far more than what is near the
// processor: what each pass reads comes first, in the first one or two of eleven lines.
#[derive(Clone, PartialEq, Debug, Default)]
#[repr(C)]
pub struct Job {
    pub state: JobState,
    /// Whether the scheduler is assumed to read it in spite of its state, as for jobs ended by an edit or
    /// hypothetical ones.
    pub is_counted: bool,
    pub substate: Substate,
    /// Attributes of arrays and subjobs.
    pub array: Option<Box<ArrayAttributes>>,
    pub queue: Name,
    /// Rank among equal jobs, lowest first; visible to managers only.
    pub queue_rank: Option<i64>,
    pub reservation: Option<Name>,
    /// Where it runs or ran (`exec_vnode`).
    pub exec_vnode: Option<ExecVnode>,
    /// `Priority` set by the owner, from -1024 to 1023.
    pub priority: i64,
    /// The only vnodes that it may use (`node_set`); empty means any.
    pub node_set: Vec<Name>,
    /// `schedselect`, or derived from select and default chunks; `None` if unreadable.
    pub select: Option<Select>,
    /// `Resource_List`, without select and place.
    pub requested: SharedList,
    /// Whether it must not become a top job.
    pub topjob_ineligible: bool,
    /// Whether the select was derived, because the dump does not show `schedselect`.
    pub select_derived: bool,
    /// Whether the dump lacks the job's `Resource_List`, so that its request and walltime are assumed.
    pub request_assumed: bool,
    /// Whether it may be requeued.
    pub rerunable: bool,
    pub checkpointable: bool,
    /// Whether it is a service, which runs as long as other jobs need it; hand-written clusters only.
    pub service: bool,
    /// Whether it may run on preemptible nodes; hand-written clusters only.
    pub preemptible: bool,
    /// Placement; `None` if the scheduler could not read it either.
    pub place: Option<Place>,
    /// Order of the resources of `Resource_List` in the dump, if that is not by name.
    pub requested_order: Vec<ResourceId>,
    /// Full id, `12.server` or `12[3].server`.
    pub name: Name,
    /// The number before the first `[` or `.`.
    pub sequence: u64,
    /// `Job_Name`.
    pub title: Name,
    /// `Job_Owner` without the host.
    pub owner: Name,
    /// `euser`, or else the owner.
    pub user: Name,
    /// `egroup`, or else the first of `group_list`.
    pub group: Name,
    /// Project that limits per project count it for.
    pub project: Name,
    /// `Account_Name`, the account to which usage is charged.
    pub account: Option<Name>,
    /// `Resource_List.select` as written, before any `default_chunk`; `None` if that is not known. If there is no
    /// valid select, the text that could not be parsed.
    pub asked: Option<Name>,
    /// `resources_used`.
    pub used: ResourceList,
    /// Part of that which it released when it was suspended (`resources_released`); it kept the rest.
    pub released: Option<ExecVnode>,
    pub started: Option<Epoch>,
    /// Time when it was queued.
    pub queued: Option<Epoch>,
    /// Time when it became eligible.
    pub eligible: Option<Epoch>,
    /// Time of submission.
    pub created: Option<Epoch>,
    /// Earliest time at which it may start.
    pub execution_time: Option<Epoch>,
    /// Comment as found.
    pub comment: Option<String>,
    /// The scheduler's last estimate.
    pub estimate: Option<StartEstimate>,
    /// Whether the scheduler marks it as a top job.
    pub topjob: Option<bool>,
    /// `Hold_Types`, without `n`.
    pub holds: Name,
    /// `depend`, as written.
    pub depend: Option<Name>,
    /// Number of times it was started.
    pub run_count: u32,
    /// Time it has waited for resources, not counting holds and limits of its owner.
    pub eligible_time: Seconds,
    /// Kind of waiting time that it currently accrues.
    pub accrue_type: Option<u32>,
    /// Allocation policy that it requests; hand-written clusters only.
    pub policy: Option<Name>,
    /// Node features that it prefers; hand-written clusters only.
    pub prefer: Vec<Name>,
    /// Number of nodes over which it requests to be spread; hand-written clusters only.
    pub nodes: Option<u32>,
    /// Number of tasks that it requests per node; hand-written clusters only.
    pub tasks_per_node: Option<u32>,
    /// Attributes that were missing and had to be derived.
    pub derived: Vec<&'static str>,
}

impl Job {
    /// The priorities that PBS accepts.
    pub const PRIORITIES: RangeInclusive<i64> = -1024..=1023;

    /// Returns the chunks that it requests; empty if its select is unreadable.
    pub fn chunks(&self) -> impl Iterator<Item = &ChunkSpec> {
        self.select.iter().flat_map(|select| select.chunks.iter())
    }

    /// Returns the requests of all its chunks in order.
    pub fn chunk_requests(&self) -> impl Iterator<Item = &ResourceRequest> {
        self.chunks().flat_map(|chunk| &chunk.requests)
    }

    /// Whether some chunk requests a resource.
    pub fn requests_in_chunks(&self, resource: &str) -> bool {
        self.chunk_requests().any(|request| *request.resource == *resource)
    }

    /// Returns the time since which a waiting job has waited.
    pub fn waits_since(&self) -> Option<Epoch> {
        self.eligible.or(self.queued).or(self.created)
    }

    /// Returns the id without the server part.
    pub fn short_name(&self) -> &str {
        short_id(&self.name)
    }

    /// Returns the id of one of an array's subjobs; `None` if the job's id is not that of an array.
    pub fn subjob_name(&self, index: u32) -> Option<String> {
        let (head, tail) = self.name.split_once("[]")?;
        Some(format!("{head}[{index}]{tail}"))
    }

    /// Returns the nodes that a waiting job must return to: it was suspended, or checkpointed with its nodes kept
    /// (rule 4.1).
    pub fn previous_placement(&self) -> Option<&ExecVnode> {
        self.exec_vnode.as_ref().filter(|_| matches!(self.state, JobState::Suspended | JobState::Queued))
    }

    /// Returns what a suspended job must get back before it resumes, if it kept a part of its resources.
    pub fn released_part(&self) -> Option<&ExecVnode> {
        let has_nodes = self.state == JobState::Suspended && self.exec_vnode.is_some();
        self.released.as_ref().filter(|part| has_nodes && Some(*part) != self.exec_vnode.as_ref())
    }

    /// Whether this is an array parent.
    pub fn is_array(&self) -> bool {
        self.array.as_ref().is_some_and(|array| array.is_parent)
    }

    /// Whether it waits for nodes: queued, suspended, or an array with indices left.
    pub fn waits_for_nodes(&self) -> bool {
        match self.state {
            JobState::Queued | JobState::Begun if self.is_array() => !self.is_all_started(),
            JobState::Queued | JobState::Suspended => true,
            _ => false,
        }
    }

    /// Whether this is an array all of whose subjobs have been started.
    pub fn is_all_started(&self) -> bool {
        self.array.as_ref().is_some_and(|array| array.is_parent && array.remaining.is_empty())
    }

    pub fn is_subjob(&self) -> bool {
        self.array.as_ref().is_some_and(|array| !array.is_parent)
    }

    /// Whether it waits in the dump, be it to go on; its array counts for a subjob.
    pub fn waits(&self) -> bool {
        match self.state {
            JobState::Queued | JobState::Begun => !self.is_subjob() && !self.is_all_started(),
            state => state == JobState::Waiting || state.is_suspended(),
        }
    }

    /// Whether this is a waiting subjob, for which its array is considered.
    pub fn is_represented_by_array(&self) -> bool {
        self.is_subjob() && self.state.is_queued()
    }
}
