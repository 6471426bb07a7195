//! The part of a plan that follows from the jobs alone.

use rustc_hash::FxHashMap;

use crate::cluster::{Column, Job, JobId, JobState, QueueId, Reservation, ResvId, Snapshot};
use crate::universe::EnforcedResources;
use crate::universe::request::requests::{PreviousPlan, Requests};
use crate::universe::request::returns::ReturnRequests;

/// What all jobs request.
pub(super) struct RequestsAndReturns {
    pub(super) requests: Requests,
    pub(super) returns: ReturnRequests,
}

impl RequestsAndReturns {
    pub(super) fn read(
        snap: &Snapshot,
        enforced: &EnforcedResources,
        previous: Option<PreviousPlan<'_>>,
    ) -> Self {
        let mut requests = Requests::read(snap, enforced, previous);
        Self {
            returns: ReturnRequests::read(snap, enforced, &mut requests.shapes, &requests.requests),
            requests,
        }
    }
}

/// Where jobs belong: to queues, reservations, nodes and arrays.
pub(super) struct JobMembership {
    pub(super) restricted_jobs: Column<JobId, bool>,
    pub(super) queue_and_reservation: Column<JobId, QueuePlace>,
    pub(super) running_subjobs: Column<JobId, u32>,
    pub(super) array_of: Column<JobId, Option<JobId>>,
    /// Whether any job is an array or a subjob.
    pub(super) has_arrays: bool,
}

impl JobMembership {
    pub(super) fn read(snap: &Snapshot) -> Self {
        let jobs = snap.jobs.len();
        // Records of jobs lie far apart in memory, so they are passed over once.
        let (mut apart, mut whereabouts) = (Column::with_room(jobs), Column::with_room(jobs));
        let mut has_arrays = false;
        let mut places = QueuePlaces::new(snap);
        for job in &snap.jobs {
            apart.push(is_restricted(job));
            whereabouts.push(places.of(job));
            has_arrays |= job.array.is_some();
        }
        Self {
            restricted_jobs: apart,
            queue_and_reservation: whereabouts,
            has_arrays,
            running_subjobs: if has_arrays { running_subjobs(snap) } else { Column::filled(jobs, 0) },
            array_of: if has_arrays { arrays(snap) } else { Column::filled(jobs, None) },
        }
    }

    /// Whether the scheduler reads a job.
    pub(super) fn is_read(&self, snap: &Snapshot, id: JobId) -> bool {
        let (queue, reservation) = self.queue_and_reservation[id];
        snap.reads_in(&snap.jobs[id], queue, reservation.is_some())
    }
}

/// Whether a job names a reservation or nodes, or returns to nodes.
fn is_restricted(job: &Job) -> bool {
    job.reservation.is_some() || job.previous_placement().is_some() || !job.node_set.is_empty()
}

/// A queue, and the reservation that has it.
type QueuePlace = (Option<QueueId>, Option<ResvId>);

/// The queues of jobs, found by name.
struct QueuePlaces<'s> {
    snap: &'s Snapshot,
    known: FxHashMap<&'s str, QueuePlace>,
    /// The queue found last: consecutive jobs are mostly in the same one.
    last: (&'s str, QueuePlace),
}

impl<'s> QueuePlaces<'s> {
    fn new(snap: &'s Snapshot) -> Self {
        Self { snap, known: FxHashMap::default(), last: ("", queue_place(snap, "")) }
    }

    fn of(&mut self, job: &'s Job) -> QueuePlace {
        let Self { snap, known, last } = self;
        if last.0 != &*job.queue {
            let place = known.entry(&*job.queue).or_insert_with(|| queue_place(snap, &job.queue));
            *last = (&*job.queue, *place);
        }
        last.1
    }
}

fn queue_place(snap: &Snapshot, name: &str) -> QueuePlace {
    let named = |reservation: &Reservation| reservation.queue.as_deref() == Some(name);
    let reservation = snap.reservations.enumerate().find(|(_, reservation)| named(reservation));
    (snap.queue_named(name), reservation.map(|(id, _)| id))
}

/// Returns the number of running subjobs of each array: those listed, or else the array's own count.
fn running_subjobs(snap: &Snapshot) -> Column<JobId, u32> {
    let mut listed: FxHashMap<&str, u32> = FxHashMap::default();
    for job in snap.jobs.iter().filter(|job| job.state == JobState::Running) {
        if let Some(parent) = job.array.as_ref().and_then(|array| array.parent.as_deref()) {
            *listed.entry(parent).or_default() += 1;
        }
    }
    let of = |job: &Job| {
        let text = job.array.as_ref().and_then(|array| array.running).unwrap_or(0);
        listed.get(&*job.name).copied().unwrap_or(text)
    };
    snap.jobs.iter().map(of).collect()
}

/// Returns the array of each listed subjob.
fn arrays(snap: &Snapshot) -> Column<JobId, Option<JobId>> {
    let arrays = snap.jobs.enumerate().filter(|(_, job)| job.is_array());
    let by_name: FxHashMap<&str, JobId> = arrays.rev().map(|(id, job)| (&*job.name, id)).collect();
    let of = |job: &Job| {
        let parent = job.array.as_ref()?.parent.as_deref()?;
        by_name.get(parent).copied().or_else(|| snap.job_named(parent))
    };
    snap.jobs.iter().map(of).collect()
}
