//! What-ifs: a cluster with some of its objects replaced.
//!
//! A snapshot never changes. An [`Edit`] replaces one object by another version of it, and [`Snapshot::with`] creates
//! the edited cluster. To see the consequences, derive a universe from that and run its cycle from the start.

use super::{
    AllocationChoices, Epoch, Job, JobId, JobState, Limits, Name, Node, NodeId, NodeStates, Policy, Queue,
    QueueId, Reservation, ResourceList, ResvId, Scheduler, Server, Snapshot,
};

/// One change of a cluster, mostly an object replaced by another version of it.
#[derive(Clone, PartialEq, Debug)]
pub enum Edit {
    /// A job: request, queue, holds, state.
    Job(JobId, Box<Job>),
    /// A vnode: state, resources.
    Node(NodeId, Box<Node>),
    /// A queue: whether it is started, limits.
    Queue(QueueId, Box<Queue>),
    /// The server's attributes.
    Server(Box<Server>),
    /// The scheduler object's attributes.
    Scheduler(Box<Scheduler>),
    /// The options of `sched_config`.
    Policy(Box<Policy>),
    /// The current time.
    Now(Epoch),
    NewJob(Box<Job>),
    /// A new vnode; it is last in the dump.
    NewNode(Box<Node>),
    /// The allocation policies that replace the scheduler's node order.
    Allocation(AllocationChoices),
    /// An operator starts this job by `qrun`: holds and execution times are cleared; a subjob is run through its
    /// array (rule 6.11).
    Qrun(JobId),
    /// A reservation: its times, its users.
    Reservation(ResvId, Box<Reservation>),
    /// The options of the allocation policies.
    Maui(Vec<(Name, Name)>),
    NoReservation(Name),
}

impl Snapshot {
    /// Returns the cluster with these edits applied in order; an edit of an unknown object has no effect.
    pub fn with(&self, edits: &[Edit]) -> Self {
        let mut snap = self.clone();
        for edit in edits {
            snap.apply(edit);
        }
        snap
    }

    fn apply(&mut self, edit: &Edit) {
        match edit {
            Edit::Job(id, job) => replace(self.jobs.checked_mut(*id), job),
            Edit::Node(id, node) => replace(self.nodes.checked_mut(*id), node),
            Edit::Queue(id, queue) => replace(self.queues.checked_mut(*id), queue),
            Edit::Server(server) => self.server = (**server).clone(),
            Edit::Scheduler(scheduler) => self.scheduler = (**scheduler).clone(),
            Edit::Policy(policy) => self.policy = (**policy).clone(),
            Edit::Now(now) => self.now = *now,
            Edit::NewJob(job) => {
                self.jobs.push((**job).clone());
            }
            Edit::NewNode(node) => {
                self.nodes.push((**node).clone());
            }
            Edit::Allocation(choices) => self.allocation.clone_from(choices),
            Edit::Qrun(id) => self.qrun(*id),
            Edit::Reservation(id, one) => replace(self.reservations.checked_mut(*id), one),
            Edit::Maui(options) => self.maui.clone_from(options),
            Edit::NoReservation(name) => {
                self.reservations = self.reservations.iter().filter(|r| r.name != *name).cloned().collect();
            }
        }
    }

    fn qrun(&mut self, id: JobId) {
        let Some(qrun_job) = self.jobs.checked(id).cloned() else { return };
        let array = qrun_job.array.as_deref();
        let parent = array.and_then(|array| self.job_named(array.parent.as_deref()?));
        let run = parent.unwrap_or(id);
        self.qrun = Some(run);
        let Some(job) = self.jobs.checked_mut(run) else { return };
        if let (Some(of), Some(index)) = (&mut job.array, array.and_then(|array| array.index)) {
            of.remaining.retain(|remaining| *remaining == index);
        }
        if matches!(job.state, JobState::Held | JobState::Waiting) {
            job.state = JobState::Queued;
            job.holds = "".into();
            job.execution_time = None;
        }
    }

    /// Returns the same cluster without running jobs: every vnode up and free, no limits, queues started, no time
    /// windows, and no reservation except the one that the job is in. Other jobs remain, because their requests
    /// decide how the scheduler sees the vnodes.
    pub fn idle_for(&self, alone: JobId) -> Self {
        let inside = self.jobs.checked(alone).and_then(|job| {
            let named = |r: &&super::Reservation| r.queue.as_ref() == Some(&job.queue);
            let by_queue = || self.reservations.iter().find(named).map(|r| r.name.clone());
            job.reservation.clone().or_else(by_queue)
        });
        self.idle_copy(inside.as_ref(), &|id| id == alone)
    }

    /// The same for every job that waits: each can start as if it were alone.
    pub fn idle_for_all(&self) -> Self {
        self.idle_copy(None, &|_| true)
    }

    fn idle_copy(&self, inside: Option<&Name>, wakes: &dyn Fn(JobId) -> bool) -> Self {
        let mut snap = self.clone();
        let runs = |_, job: &Job| job.state.has_nodes();
        snap.jobs.change_where(runs, |_, job| {
            job.is_counted = self.reads(job);
            job.state = JobState::Finished;
            job.exec_vnode = None;
        });
        snap.jobs
            .change_where(|id, job| wakes(id) && job.state != JobState::Finished, |_, job| clear_holds(job));
        let is_touched = |_, node: &Node| {
            node.states != NodeStates::FREE
                || node.assigned != ResourceList::default()
                || !(node.jobs.is_empty() && node.reservations.is_empty())
        };
        snap.nodes.change_where(is_touched, |_, node| {
            node.states = NodeStates::FREE;
            node.assigned = ResourceList::default();
            node.jobs.clear();
            node.reservations.clear();
        });
        for queue in snap.queues.iter_mut() {
            queue.limits = Limits::default();
            queue.assigned = ResourceList::default();
            queue.started = true;
        }
        snap.server.limits = Limits::default();
        snap.server.assigned = ResourceList::default();
        snap.dedicated_time.clear();
        snap.holidays = None;
        // No queue name starts with this, so none is tied to a time of day.
        let no_prefix = Name::from("\n");
        for prefix in [
            &mut snap.policy.dedicated_prefix,
            &mut snap.policy.primetime_prefix,
            &mut snap.policy.nonprimetime_prefix,
        ] {
            *prefix = no_prefix.clone();
        }
        let kept = |name: &Name| inside == Some(name);
        snap.reservations = snap.reservations.iter().filter(|r| kept(&r.name)).cloned().collect();
        snap
    }
}

/// Removes everything in the job itself that keeps it from starting: holds, execution time, the array's limit.
fn clear_holds(job: &mut Job) {
    if !matches!(job.state, JobState::Suspended | JobState::Begun) {
        job.state = JobState::Queued;
    }
    job.is_counted = true;
    job.holds = "".into();
    job.execution_time = None;
    if let Some(array) = &mut job.array {
        array.max_run_subjobs = None;
    }
}

fn replace<T: Clone>(slot: Option<&mut T>, with: &T) {
    if let Some(slot) = slot {
        *slot = with.clone();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_leave_the_original_alone() {
        let mut snap = Snapshot::empty("t", Epoch(5));
        let id = snap.jobs.push(Job { name: "1".into(), ..Job::default() });
        let longer = Job { run_count: 3, ..snap.jobs[id].clone() };
        let edited = snap.with(&[Edit::Job(id, Box::new(longer)), Edit::Now(Epoch(9))]);
        assert_eq!((edited.jobs[id].run_count, edited.now), (3, Epoch(9)));
        assert_eq!((snap.jobs[id].run_count, snap.now), (0, Epoch(5)));
        let without = snap.with(&[Edit::Job(JobId(7), Box::default())]);
        assert_eq!(without.jobs.len(), 1);
    }

    #[test]
    fn an_idle_cluster_has_no_jobs_on_it() {
        let mut snap = Snapshot::empty("t", Epoch(5));
        let running = Job { name: "1".into(), state: JobState::Running, ..Job::default() };
        let held = Job { name: "2".into(), state: JobState::Held, holds: "u".into(), ..Job::default() };
        snap.jobs.push(running);
        let id = snap.jobs.push(held);
        snap.nodes.push(Node { jobs: vec!["1".into()], ..Node::default() });
        let idle = snap.idle_for(id);
        assert_eq!(idle.jobs[JobId(0)].state, JobState::Finished);
        assert_eq!(idle.jobs[id].state, JobState::Queued);
        assert!(idle.nodes[NodeId(0)].jobs.is_empty());
    }
}
