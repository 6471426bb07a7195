//! Everything that anybody asks for, read once: jobs, jobs that go back to nodes they had, reservations.

use rustc_hash::FxHashMap;

use crate::cluster::{Column, JobId, ResourceId, ResvId, Snapshot};

use crate::universe::plan::quirk::{Quirk, Quirks};
use crate::universe::request::chunk_shape::Shapes;
use crate::universe::request::{
    Enforced, JobRequest, KnownSelects, read_job, read_previous, read_reservation,
};

/// All requests of a snapshot.
pub(in crate::universe) struct Requests {
    /// All chunks asked for.
    pub shapes: Shapes,
    /// What each job asks for, or why it is ignored.
    pub requests: Column<JobId, Result<JobRequest, &'static str>>,
    /// What jobs ask for that go back to nodes they had.
    pub previous: FxHashMap<JobId, JobRequest>,
    /// What each reservation asks for, as far as the dump shows it.
    pub reserved: Column<ResvId, Option<JobRequest>>,
    /// The resources that make signatures and sums (rule 3.2).
    pub checked: Vec<ResourceId>,
}

impl Requests {
    /// Reads a snapshot. Jobs that a cycle does not consider are read too, since what they ask for makes
    /// signatures all the same.
    pub(in crate::universe) fn read(snap: &Snapshot, enforced: &Enforced, quirks: Quirks) -> Self {
        let catalogue = &snap.catalogue;
        let mut shapes = Shapes::default();
        let mut selects = KnownSelects::default();
        let requests: Column<JobId, _> = snap
            .jobs
            .iter()
            .map(|job| read_job(job, catalogue, enforced, &mut shapes, &mut selects))
            .collect();
        let mut previous = FxHashMap::default();
        for (id, job) in snap.jobs.enumerate() {
            let Ok(request) = &requests[id] else { continue };
            if let Some(found) = read_previous(job, request, catalogue, enforced, &mut shapes) {
                previous.insert(id, found);
            }
        }
        let reserved = snap
            .reservations
            .iter()
            .map(|reservation| read_reservation(reservation, catalogue, enforced, &mut shapes))
            .collect();
        let checked = checked_resources(enforced, &shapes, &requests, quirks);
        Self { shapes, requests, previous, reserved, checked }
    }
}

/// The resources that make signatures and sums: requested ones, or all of the line (quirk D1).
fn checked_resources(
    enforced: &Enforced,
    shapes: &Shapes,
    requests: &Column<JobId, Result<JobRequest, &'static str>>,
    quirks: Quirks,
) -> Vec<ResourceId> {
    let mut checked: Vec<ResourceId> = Vec::new();
    if !quirks.has(Quirk::RequestedSignature) {
        checked.extend(enforced.line());
    }
    for (_, shape) in shapes.iter() {
        checked.extend(shape.requests.iter().map(|(resource, _)| *resource));
    }
    for request in requests.iter().flatten() {
        checked.extend(request.totals.iter().map(|(resource, _)| *resource));
    }
    checked.sort_unstable();
    checked.dedup();
    checked
}
