//! All requests, read once: those of jobs, of jobs that return to nodes they had, and of reservations.

use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cluster::{Column, Id, JobId, ResourceId, ResvId, Snapshot};

use crate::universe::request::cache::{NumberedRequest, RequestIx};
use crate::universe::request::read::{SelectCache, read_job, read_previous, read_reservation};
use crate::universe::{ChunkShapes, EnforcedResources, JobRequest, Plan, Quirk, Quirks, ShapeId, Spec};

/// The previous plan, and the index in it of each job.
#[derive(Clone, Copy)]
pub(in crate::universe) struct PreviousPlan<'a> {
    pub plan: &'a Plan,
    pub places: &'a Column<JobId, Option<JobId>>,
}

impl<'a> PreviousPlan<'a> {
    /// Returns `Some` if equal job records mean equal requests: resources are defined and enforced as before.
    pub(in crate::universe) fn of_same_resources(self, snap: &Snapshot) -> Option<Self> {
        let old = &self.plan.snap;
        (old.catalogue == snap.catalogue && old.policy.resources == snap.policy.resources).then_some(self)
    }
}

/// Requests of the previous plan with the shape ids of this one: shapes are numbered in the order in which they are
/// met.
struct RequestRenumbering<'a> {
    previous_plan: PreviousPlan<'a>,
    /// Renumbered terms of each select, by the address of the previous ones.
    specs: FxHashMap<*const Spec, Arc<[Spec]>>,
    /// The requests whose shapes have other numbers, by where those of before are kept: jobs go on sharing them.
    requests: FxHashMap<*const JobRequest, Arc<JobRequest>>,
}

impl<'a> RequestRenumbering<'a> {
    fn of(previous: PreviousPlan<'a>) -> Self {
        Self { previous_plan: previous, specs: FxHashMap::default(), requests: FxHashMap::default() }
    }

    /// Returns the previous request of a job if its record is unchanged and was valid.
    fn request<'s>(
        &mut self,
        snap: &'s Snapshot,
        id: JobId,
        shapes: &mut ChunkShapes,
        selects: &mut SelectCache<'s>,
    ) -> Option<NumberedRequest> {
        let PreviousPlan { plan, places } = self.previous_plan;
        let was = places[id]?;
        let is_same = Arc::ptr_eq(snap.jobs.shared(id)?, plan.snap.jobs.shared(was)?);
        let request = plan.requests[was].as_ref().ok().filter(|_| is_same)?;
        let specs = match self.specs.get(&request.specs.as_ptr()) {
            Some(specs) => specs.clone(),
            None => {
                let specs =
                    selects.parts(snap.jobs[id].select.as_ref()?, || renumbered(plan, request, shapes))?;
                self.specs.insert(request.specs.as_ptr(), specs.clone());
                specs
            }
        };
        if Arc::ptr_eq(&specs, &request.specs) {
            return Some(selects.requests.kept(request.clone()));
        }
        let with_specs = || Arc::new(JobRequest { specs, ..JobRequest::clone(request) });
        let request = self.requests.entry(Arc::as_ptr(request)).or_insert_with(with_specs);
        Some(selects.requests.kept(request.clone()))
    }
}

/// Returns the terms of a request of another plan with the shape ids of this one.
fn renumbered(plan: &Plan, request: &JobRequest, shapes: &mut ChunkShapes) -> Arc<[Spec]> {
    let numbers: Vec<ShapeId> =
        request.specs.iter().map(|spec| shapes.intern_as(&plan.shapes[spec.shape])).collect();
    if numbers.iter().eq(request.specs.iter().map(|spec| &spec.shape)) {
        return request.specs.clone();
    }
    let numbered = |(spec, shape): (&Spec, ShapeId)| Spec { shape, ..spec.clone() };
    request.specs.iter().zip(numbers).map(numbered).collect()
}

/// The numbers of what jobs request: the same for jobs that share a request.
pub(crate) struct RequestNumbers {
    /// The number of different requests.
    pub count: usize,
    /// The number of different lists of resources in them, as far as they were read for this plan.
    pub lists: usize,
    /// The number of each job's request; `None` if the scheduler ignores the job.
    pub of: Column<JobId, Option<RequestIx>>,
}

// Which jobs share a request depends on the previous plan; nothing that follows from a request does.
impl fmt::Debug for RequestNumbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RequestNumbers")
    }
}

/// All requests of a snapshot.
pub(in crate::universe) struct Requests {
    /// All distinct chunks requested.
    pub shapes: ChunkShapes,
    /// What each job requests, or why it is ignored. Jobs share a record only where all that it is read from is the same,
    /// and all or none of them have nodes.
    pub requests: Column<JobId, Result<Arc<JobRequest>, &'static str>>,
    /// The numbers of these requests.
    pub numbers: RequestNumbers,
    /// Requests of jobs that return to nodes they had.
    pub previous: FxHashMap<JobId, JobRequest>,
    /// Request of each reservation, as far as the dump shows it.
    pub reserved: Column<ResvId, Option<JobRequest>>,
}

impl Requests {
    /// Reads a snapshot. Jobs that the cycle does not consider are read too, because their requests affect signatures
    /// if the scheduler reads them. Requests of jobs whose records are unchanged are taken from the previous plan.
    pub(in crate::universe) fn read(
        snap: &Snapshot,
        enforced: &EnforcedResources,
        before: Option<PreviousPlan<'_>>,
    ) -> Self {
        let catalogue = &snap.catalogue;
        let mut shapes = ChunkShapes::default();
        // Requests of unchanged jobs are not read; of the others, mostly two or more request the same.
        let mut selects = SelectCache::with_room(if before.is_some() { 0 } else { snap.jobs.len() / 2 });
        let mut known = before.map(RequestRenumbering::of);
        let mut requests: Column<JobId, _> = Column::with_room(snap.jobs.len());
        let mut numbers = Column::with_room(snap.jobs.len());
        let mut going_back: Vec<JobId> = Vec::new();
        for (id, job) in snap.jobs.enumerate() {
            let known = known.as_mut().and_then(|known| known.request(snap, id, &mut shapes, &mut selects));
            let read = match known {
                Some(request) => Ok(request),
                None => read_job(job, catalogue, enforced, &mut shapes, &mut selects),
            };
            numbers.push(read.as_ref().ok().map(|(_, number)| *number));
            requests.push(read.map(|(request, _)| request));
            going_back.extend(job.previous_placement().map(|_| id));
        }
        let mut previous = FxHashMap::default();
        for id in going_back {
            let Ok(request) = &requests[id] else { continue };
            if let Some(found) = read_previous(&snap.jobs[id], request, catalogue, enforced, &mut shapes) {
                previous.insert(id, found);
            }
        }
        let reserved: Column<ResvId, _> = snap
            .reservations
            .iter()
            .map(|reservation| read_reservation(reservation, catalogue, enforced, &mut shapes))
            .collect();
        let (count, lists) = (selects.requests.count(), selects.requests.list_count());
        let numbers = RequestNumbers { count, lists, of: numbers };
        Self { shapes, requests, numbers, previous, reserved }
    }

    /// Returns the resources that signatures and sums include (rule 3.2): those requested by jobs that the scheduler
    /// reads and by reservations, or all on the `resources` line (quirk D1).
    pub(in crate::universe) fn checked_resources(
        &self,
        snap: &Snapshot,
        enforced: &EnforcedResources,
        quirks: Quirks,
        is_read: impl Fn(JobId) -> bool,
    ) -> Vec<ResourceId> {
        let mut checked: Vec<ResourceId> = Vec::new();
        if !quirks.has(Quirk::RequestedSignature) {
            checked.extend(enforced.line());
        }
        let mut shapes = vec![false; self.shapes.len()];
        let mut mark = |request: &JobRequest| {
            for spec in request.specs.iter() {
                if let Some(shape) = shapes.get_mut(spec.shape.ix()) {
                    *shape = true;
                }
            }
        };
        self.reserved.iter().flatten().for_each(&mut mark);
        let mut requested: Column<ResourceId, bool> = Column::filled(snap.catalogue.len(), false);
        let mut marked: Column<RequestIx, bool> = Column::filled(self.numbers.count, false);
        for (id, number) in self.numbers.of.enumerate() {
            let Some(number) = *number else { continue };
            let previous = self.previous.get(&id);
            if (marked[number] && previous.is_none()) || !is_read(id) {
                continue;
            }
            previous.into_iter().for_each(&mut mark);
            if !std::mem::replace(&mut marked[number], true) {
                self.requests[id].iter().for_each(|request| mark(request));
                // Job-wide requests, of consumables and others.
                snap.jobs[id].requested.iter().for_each(|(resource, _)| requested[resource] = true);
            }
        }
        let requested = requested.enumerate().filter(|(_, requested)| **requested);
        checked.extend(requested.map(|(resource, _)| resource).filter(|resource| enforced.names(*resource)));
        for (_, shape) in self.shapes.iter().filter(|(id, _)| shapes.get(id.ix()).is_some_and(|met| *met)) {
            checked.extend(shape.requests.iter().map(|(resource, _)| *resource));
        }
        checked.sort_unstable();
        checked.dedup();
        checked
    }
}
