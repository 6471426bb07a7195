//! Jobs as `qstat -f` shows them.

use super::{
    ChunkSpec, Epoch, ExecVnode, JobState, Name, Place, Request, ResourceId, ResourceList, Seconds, Select,
    Substate, short_id,
};

/// What only arrays and their subjobs have.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ArrayInfo {
    /// Whether this is the array itself, not a subjob.
    pub is_parent: bool,
    /// The array's id, for a subjob.
    pub parent: Option<Name>,
    /// The index of a subjob.
    pub index: Option<u32>,
    /// Indices still to start, ascending; for the parent.
    pub remaining: Vec<u32>,
    /// At most so many subjobs at once.
    pub max_run_subjobs: Option<u32>,
    /// Subjobs running, from `array_state_count`.
    pub running: Option<u32>,
}

/// An estimate that the scheduler left.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Estimate {
    /// `estimated.start_time`.
    pub start: Option<Epoch>,
    /// `estimated.exec_vnode`, as written.
    pub exec_vnode: Option<String>,
}

/// One job, array parent or subjob.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Job {
    /// The full id, `12.server` or `12[3].server`.
    pub name: Name,
    /// The number before the first `[` or `.`.
    pub sequence: u64,
    /// What its owner calls it (`Job_Name`).
    pub title: Name,
    /// Owner without the host.
    pub owner: Name,
    /// `euser`, or the owner.
    pub user: Name,
    /// `egroup`, or the first of `group_list`.
    pub group: Name,
    /// What limits per project count it with.
    pub project: Name,
    /// Whom its usage is booked to (`Account_Name`).
    pub account: Option<Name>,
    pub queue: Name,
    pub state: JobState,
    pub substate: Substate,
    /// What its owner put it to, from -1024 to 1023.
    pub priority: i64,
    /// `schedselect`, or derived from select and default chunks; absent when unreadable.
    pub select: Option<Select>,
    /// `Resource_List.select`, as it was written before any `default_chunk`; none where that is not known. Where there is no
    /// select, the text that cannot be read.
    pub asked: Option<Name>,
    /// Whether the select was derived, because the dump does not show `schedselect`.
    pub select_derived: bool,
    /// Whether the dump has no `Resource_List` of it, so that what it requests, and for how long, is assumed.
    pub request_assumed: bool,
    /// Place; absent when the scheduler could not read it either.
    pub place: Option<Place>,
    /// `Resource_List`, without select and place.
    pub requested: ResourceList,
    /// The resources of `Resource_List` in the order of the dump, where that is not by name.
    pub requested_order: Vec<ResourceId>,
    /// What it has used up so far (`resources_used`).
    pub used: ResourceList,
    /// Where it runs or ran.
    pub exec_vnode: Option<ExecVnode>,
    /// What it released of that when it was suspended (`resources_released`); it kept the rest.
    pub released: Option<ExecVnode>,
    /// The only vnodes that it may use (`node_set`); any where it names none.
    pub node_set: Vec<Name>,
    /// When it started.
    pub started: Option<Epoch>,
    /// When it was queued.
    pub queued: Option<Epoch>,
    /// When it became eligible.
    pub eligible: Option<Epoch>,
    /// When it was submitted.
    pub created: Option<Epoch>,
    /// When it may start at the earliest.
    pub execution_time: Option<Epoch>,
    /// Its place in line among equals, the lowest first; managers see it.
    pub queue_rank: Option<i64>,
    /// The comment, as found.
    pub comment: Option<String>,
    /// The scheduler's last estimate.
    pub estimate: Option<Estimate>,
    /// Whether the scheduler calls it a top job.
    pub topjob: Option<bool>,
    /// Whether it must not become one.
    pub topjob_ineligible: bool,
    pub reservation: Option<Name>,
    /// `Hold_Types`, without `n`.
    pub holds: Name,
    /// `depend`, as written.
    pub depend: Option<Name>,
    /// Whether it may be requeued.
    pub rerunable: bool,
    /// Whether it may be checkpointed.
    pub checkpointable: bool,
    /// How often it was started.
    pub run_count: u32,
    /// How long it has waited for what others hold, and not by a hold or a limit of its owner.
    pub eligible_time: Seconds,
    /// Which kind of time passes for it now.
    pub accrue_type: Option<u32>,
    /// What only arrays have.
    pub array: Option<Box<ArrayInfo>>,
    /// The allocation policy it requests; hand-written clusters only.
    pub policy: Option<Name>,
    /// Node features it prefers; hand-written clusters only.
    pub prefer: Vec<Name>,
    /// How many nodes it requests to be spread over; hand-written clusters only.
    pub nodes: Option<u32>,
    /// How many tasks it requests on each node; hand-written clusters only.
    pub tasks_per_node: Option<u32>,
    /// Whether it is a service, which runs until no other job needs it; hand-written clusters only.
    pub service: bool,
    /// Whether it may run on nodes that can be taken away; hand-written clusters only.
    pub preemptible: bool,
    /// Whether it counts as read by the scheduler all the same: in a cluster that was made of another one it has ended, or is
    /// only asked about.
    pub is_counted: bool,
    /// Attributes that were missing and had to be derived.
    pub derived: Vec<&'static str>,
}

impl Job {
    /// The chunks that it requests; none where its select is unreadable.
    pub fn chunks(&self) -> impl Iterator<Item = &ChunkSpec> {
        self.select.iter().flat_map(|select| select.chunks.iter())
    }

    /// What its chunks request, one after the other.
    pub fn chunk_requests(&self) -> impl Iterator<Item = &Request> {
        self.chunks().flat_map(|chunk| &chunk.requests)
    }

    /// Whether some chunk requests a resource.
    pub fn requests_in_chunks(&self, resource: &str) -> bool {
        self.chunk_requests().any(|request| *request.resource == *resource)
    }

    /// Since when a job that waits has waited.
    pub fn waits_since(&self) -> Option<Epoch> {
        self.eligible.or(self.queued).or(self.created)
    }

    /// The id without the server part.
    pub fn short_name(&self) -> &str {
        short_id(&self.name)
    }

    /// The id of one of an array's subjobs; none where the job has no array's id.
    pub fn subjob_name(&self, index: u32) -> Option<String> {
        let (head, tail) = self.name.split_once("[]")?;
        Some(format!("{head}[{index}]{tail}"))
    }

    /// The nodes that a waiting job has to go back to: it was suspended, or checkpointed with its nodes
    /// kept (rule 4.1).
    pub fn previous_placement(&self) -> Option<&ExecVnode> {
        self.exec_vnode.as_ref().filter(|_| matches!(self.state, JobState::Suspended | JobState::Queued))
    }

    /// What a suspended job has to get back before it goes on, if it kept a part of what it has.
    pub fn released_part(&self) -> Option<&ExecVnode> {
        let has_nodes = self.state == JobState::Suspended && self.exec_vnode.is_some();
        self.released.as_ref().filter(|part| has_nodes && Some(*part) != self.exec_vnode.as_ref())
    }

    /// Whether this is an array parent.
    pub fn is_array(&self) -> bool {
        self.array.as_ref().is_some_and(|array| array.is_parent)
    }

    /// Whether this is an array of which nothing waits: all its subjobs have been started.
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

    /// Whether this is a subjob that waits, for which its array is considered.
    pub fn is_stood_for(&self) -> bool {
        self.is_subjob() && self.state.is_queued()
    }
}
