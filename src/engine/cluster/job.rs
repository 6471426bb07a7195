//! Jobs as `qstat -f` shows them.

use strum::VariantArray;

use super::{ChunkSpec, Epoch, ExecVnode, Name, Place, Request, ResourceId, ResourceList, Seconds, Select};

/// The state letter (rule 1.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash, strum::VariantArray)]
pub enum JobState {
    /// `Q`: waiting.
    #[default]
    Queued,
    /// `R`: running.
    Running,
    /// `T`: on its way from or to another queue.
    Transit,
    /// `H`: held.
    Held,
    /// `W`: waiting for its time.
    Waiting,
    /// `E`: exiting.
    Exiting,
    /// `S`: suspended.
    Suspended,
    /// `U`: suspended because a workstation is in use.
    UserSuspended,
    /// `B`: an array with subjobs started.
    Begun,
    /// `X`: a subjob that ended.
    Expired,
    /// `F`: finished, from history.
    Finished,
    /// `M`: moved to another server.
    Moved,
}

impl JobState {
    /// Whether it has its nodes: running or exiting.
    pub fn has_nodes(self) -> bool {
        matches!(self, Self::Running | Self::Exiting)
    }

    /// Whether it waits for nodes: queued, or an array that has begun.
    pub fn is_queued(self) -> bool {
        matches!(self, Self::Queued | Self::Begun)
    }

    /// Whether nothing of it runs any more, here.
    pub fn is_over(self) -> bool {
        matches!(self, Self::Finished | Self::Moved | Self::Expired)
    }

    /// Whether it is suspended, by the scheduler or a user.
    pub fn is_suspended(self) -> bool {
        matches!(self, Self::Suspended | Self::UserSuspended)
    }

    /// The state of a letter.
    pub fn from_letter(letter: &str) -> Option<Self> {
        Self::VARIANTS.iter().copied().find(|state| letter.chars().eq([state.letter()]))
    }

    pub fn letter(self) -> char {
        match self {
            Self::Queued => 'Q',
            Self::Running => 'R',
            Self::Transit => 'T',
            Self::Held => 'H',
            Self::Waiting => 'W',
            Self::Exiting => 'E',
            Self::Suspended => 'S',
            Self::UserSuspended => 'U',
            Self::Begun => 'B',
            Self::Expired => 'X',
            Self::Finished => 'F',
            Self::Moved => 'M',
        }
    }
}

/// The substate number; only a few matter (rule 1.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
pub struct Substate(pub u32);

impl Substate {
    /// Suspended by the scheduler.
    pub const SCHED_SUSPENDED: Self = Self(45);
}

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
// In the order of memory. A cycle passes over all jobs a dozen times, and their records are far more than what is near the
// processor: what each pass reads comes first, in the first one or two of eleven lines.
#[derive(Clone, PartialEq, Debug, Default)]
#[repr(C)]
pub struct Job {
    pub state: JobState,
    /// Whether it counts as read by the scheduler all the same: in a cluster that was made of another one it has ended, or is
    /// only asked about.
    pub is_counted: bool,
    pub substate: Substate,
    /// What only arrays have.
    pub array: Option<Box<ArrayInfo>>,
    pub queue: Name,
    /// Its place in line among equals, the lowest first; managers see it.
    pub queue_rank: Option<i64>,
    pub reservation: Option<Name>,
    /// Where it runs or ran.
    pub exec_vnode: Option<ExecVnode>,
    /// What its owner put it to, from -1024 to 1023.
    pub priority: i64,
    /// The only vnodes that it may use (`node_set`); any where it names none.
    pub node_set: Vec<Name>,
    /// `schedselect`, or derived from select and default chunks; absent when unreadable.
    pub select: Option<Select>,
    /// `Resource_List`, without select and place.
    pub requested: ResourceList,
    /// Whether it must not become one.
    pub topjob_ineligible: bool,
    /// Whether the select was derived, because the dump does not show `schedselect`.
    pub select_derived: bool,
    /// Whether the dump has no `Resource_List` of it, so that what it requests, and for how long, is assumed.
    pub request_assumed: bool,
    /// Whether it may be requeued.
    pub rerunable: bool,
    /// Whether it may be checkpointed.
    pub checkpointable: bool,
    /// Whether it is a service, which runs until no other job needs it; hand-written clusters only.
    pub service: bool,
    /// Whether it may run on nodes that can be taken away; hand-written clusters only.
    pub preemptible: bool,
    /// Place; absent when the scheduler could not read it either.
    pub place: Option<Place>,
    /// The resources of `Resource_List` in the order of the dump, where that is not by name.
    pub requested_order: Vec<ResourceId>,
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
    /// `Resource_List.select`, as it was written before any `default_chunk`; none where that is not known. Where there is no
    /// select, the text that cannot be read.
    pub asked: Option<Name>,
    /// What it has used up so far (`resources_used`).
    pub used: ResourceList,
    /// What it released of that when it was suspended (`resources_released`); it kept the rest.
    pub released: Option<ExecVnode>,
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
    /// The comment, as found.
    pub comment: Option<String>,
    /// The scheduler's last estimate.
    pub estimate: Option<Estimate>,
    /// Whether the scheduler calls it a top job.
    pub topjob: Option<bool>,
    /// `Hold_Types`, without `n`.
    pub holds: Name,
    /// `depend`, as written.
    pub depend: Option<Name>,
    /// How often it was started.
    pub run_count: u32,
    /// How long it has waited for what others hold, and not by a hold or a limit of its owner.
    pub eligible_time: Seconds,
    /// Which kind of time passes for it now.
    pub accrue_type: Option<u32>,
    /// The allocation policy it requests; hand-written clusters only.
    pub policy: Option<Name>,
    /// Node features it prefers; hand-written clusters only.
    pub prefer: Vec<Name>,
    /// How many nodes it requests to be spread over; hand-written clusters only.
    pub nodes: Option<u32>,
    /// How many tasks it requests on each node; hand-written clusters only.
    pub tasks_per_node: Option<u32>,
    /// Attributes that were missing and had to be derived.
    pub derived: Vec<&'static str>,
}

/// The id of the array that a subjob's id belongs to, and the index: `12[].srv` and `3` of `12[3].srv`; none of an id
/// without brackets.
pub fn array_id(id: &str) -> Option<(String, &str)> {
    let (head, rest) = id.split_once('[')?;
    let (index, tail) = rest.split_once(']')?;
    Some((format!("{head}[]{tail}"), index))
}

/// The id of the array that a number may stand for: `67[]` of `67`, `67[].srv` of `67.srv`.
pub fn array_numbered(id: &str) -> String {
    match id.split_once('.') {
        Some((number, server)) => format!("{number}[].{server}"),
        None => format!("{id}[]"),
    }
}

/// The number that an id begins with; none of one that begins otherwise.
pub fn id_number(id: &str) -> Option<u64> {
    let end = id.bytes().take_while(u8::is_ascii_digit).count();
    id.get(..end)?.parse().ok()
}

/// A job's or reservation's id without the server part: `12` of `12.svr`.
pub fn short_id(name: &str) -> &str {
    name.split_once('.').map_or(name, |(id, _)| id)
}

/// A name before the number that it ends in, and the number: `cn` and `017`.
pub fn split_number(name: &str) -> (&str, &str) {
    let end = name.bytes().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |last| last + 1);
    name.split_at(end)
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

    /// Whether this is a subjob that waits, for which its array is considered.
    pub fn is_stood_for(&self) -> bool {
        self.is_subjob() && self.state.is_queued()
    }
}
