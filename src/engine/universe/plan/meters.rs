//! Meters: everything that limits count, each a number that starting raises and ending lowers
//! (rules 6.4 steps 8 and 9, 6.6).

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cluster::{
    Column, Job, JobId, LimitScope, Limits, Name, QueueId, ResourceId, ResourceList, ResvId, Snapshot,
};

use crate::universe::timeline::occupant::Occupant;

crate::id!(MeterIx);

/// What a meter counts, and for whom.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum MeterKey {
    /// Running jobs, or what they request of a resource, of one user, group, project, or all.
    Limit {
        /// The queue it counts in; none for the whole server.
        queue: Option<QueueId>,
        /// Whom it counts.
        scope: LimitScope,
        /// Their name; empty for all.
        entity: Name,
        /// The resource; none for the number of jobs.
        resource: Option<ResourceId>,
    },
    /// What is assigned of a resource that the queue or the server has only so much of.
    Assigned {
        /// The queue; none for the server.
        queue: Option<QueueId>,
        resource: ResourceId,
    },
}

/// All meters of a cluster: where they stand at the start, and what each job adds to them.
#[derive(Clone, Debug, Default)]
pub struct Meters {
    /// Where each stands at the start.
    pub base: Column<MeterIx, f64>,
    /// What each job adds while it runs.
    pub charges: Column<JobId, Arc<[(MeterIx, f64)]>>,
    /// What the end of a job in a reservation takes away again: also what its start did not add (rule M31).
    released: FxHashMap<JobId, Arc<[(MeterIx, f64)]>>,
    /// What each reservation adds while it runs: it takes the server's resources, its jobs do not.
    pub reserved: Column<ResvId, Arc<[(MeterIx, f64)]>>,
    known: FxHashMap<MeterKey, MeterIx>,
    of_queue: Column<MeterIx, bool>,
    /// The resource of meters that count what is assigned.
    assigned: Column<MeterIx, Option<ResourceId>>,
}

impl Meters {
    /// The meters of a snapshot: only those that some limit or amount needs.
    pub fn new(snap: &Snapshot) -> Self {
        let mut meters = Self::default();
        let nothing: Arc<[(MeterIx, f64)]> = Arc::default();
        let counts = counts_anything(snap);
        meters.charges = Column::with_room(snap.jobs.len());
        for (id, job) in snap.jobs.enumerate() {
            let charges = if counts { meters.charges_of(snap, job) } else { Vec::new() };
            // Most clusters count nothing.
            let charges: Arc<[_]> = if charges.is_empty() { nothing.clone() } else { charges.into() };
            if job.reservation.is_some() {
                let mut all = charges.to_vec();
                meters.add_of_server(snap, &job.requested, &mut all);
                meters.released.insert(id, all.into());
            }
            meters.charges.push(charges);
        }
        for reservation in &snap.reservations {
            let mut charges = Vec::new();
            meters.add_of_server(snap, &reservation.requested, &mut charges);
            meters.reserved.push(charges.into());
        }
        meters.count_running(snap);
        meters
    }

    /// The meter of a key, if anything needs it.
    pub fn meter(&self, key: &MeterKey) -> Option<MeterIx> {
        self.known.get(key).copied()
    }

    /// The resource of which a meter counts what is assigned; none for one that a limit needs.
    pub fn assigned_resource(&self, meter: MeterIx) -> Option<ResourceId> {
        self.assigned[meter]
    }

    /// Whether a meter counts within one queue, not for the whole server.
    pub fn is_of_queue(&self, meter: MeterIx) -> bool {
        self.of_queue[meter]
    }

    /// What an occupant adds to all meters.
    pub fn charges_of_occupant(&self, occupant: Occupant) -> &Arc<[(MeterIx, f64)]> {
        match occupant {
            Occupant::Job(job, _) => &self.charges[job],
            Occupant::Reservation(id) => &self.reserved[id],
        }
    }

    /// What the end of an occupant takes away from all meters.
    pub fn released_by(&self, occupant: Occupant) -> &Arc<[(MeterIx, f64)]> {
        match occupant {
            Occupant::Job(job, _) => self.released.get(&job).unwrap_or(&self.charges[job]),
            Occupant::Reservation(id) => &self.reserved[id],
        }
    }

    /// What an occupant adds to one meter as it starts, or takes away as it ends.
    pub fn charge(&self, occupant: Occupant, meter: MeterIx, starts: bool) -> f64 {
        let all = if starts { self.charges_of_occupant(occupant) } else { self.released_by(occupant) };
        all.iter().find(|(have, _)| *have == meter).map_or(0.0, |(_, amount)| *amount)
    }

    fn intern(&mut self, key: MeterKey, start: f64) -> MeterIx {
        if let Some(&meter) = self.known.get(&key) {
            return meter;
        }
        let meter = self.base.push(start);
        let (MeterKey::Limit { queue, .. } | MeterKey::Assigned { queue, .. }) = &key;
        self.of_queue.push(queue.is_some());
        self.assigned.push(match &key {
            MeterKey::Assigned { resource, .. } => Some(*resource),
            MeterKey::Limit { .. } => None,
        });
        self.known.insert(key, meter);
        meter
    }

    fn charges_of(&mut self, snap: &Snapshot, job: &Job) -> Vec<(MeterIx, f64)> {
        let queue = snap.queue_named(&job.queue);
        let mut charges = Vec::new();
        self.add_limits(&snap.server.limits, None, job, &mut charges);
        if let Some(id) = queue {
            self.add_limits(&snap.queues[id].limits, Some(id), job, &mut charges);
            let at = &snap.queues[id];
            self.add_assigned(&at.available, &at.assigned, Some(id), &job.requested, &mut charges);
        }
        if job.reservation.is_none() {
            self.add_of_server(snap, &job.requested, &mut charges);
        }
        charges
    }

    fn add_limits(
        &mut self,
        limits: &Limits,
        queue: Option<QueueId>,
        job: &Job,
        charges: &mut Vec<(MeterIx, f64)>,
    ) {
        for entry in &limits.entries {
            let amount = match entry.resource {
                None => Some(1.0),
                Some(resource) => job.requested.amount(resource).map(|amount| amount.0),
            };
            let entity = entity_of(job, entry.scope);
            let key = MeterKey::Limit { queue, scope: entry.scope, entity, resource: entry.resource };
            let meter = self.intern(key, 0.0);
            // A request of nothing counts nothing, but is one: a soft limit that is exceeded sets the job apart.
            if let Some(amount) = amount.filter(|_| !charges.iter().any(|(have, _)| *have == meter)) {
                charges.push((meter, amount));
            }
        }
    }

    /// What is requested of the server's resources.
    fn add_of_server(
        &mut self,
        snap: &Snapshot,
        requested: &ResourceList,
        charges: &mut Vec<(MeterIx, f64)>,
    ) {
        self.add_assigned(&snap.server.available, &snap.server.assigned, None, requested, charges);
    }

    fn add_assigned(
        &mut self,
        available: &ResourceList,
        assigned: &ResourceList,
        queue: Option<QueueId>,
        requested: &ResourceList,
        charges: &mut Vec<(MeterIx, f64)>,
    ) {
        for (resource, value) in available.iter() {
            if value.amount().is_none() {
                continue;
            }
            let start = assigned.amount(resource).map_or(0.0, |amount| amount.0);
            let meter = self.intern(MeterKey::Assigned { queue, resource }, start);
            if let Some(amount) = requested.amount(resource) {
                charges.push((meter, amount.0));
            }
        }
    }

    /// Counts what runs already; what is assigned of the server's and the queues' resources stands in
    /// the dump.
    fn count_running(&mut self, snap: &Snapshot) {
        let limits: Vec<MeterIx> = self
            .known
            .iter()
            .filter(|(key, _)| matches!(key, MeterKey::Limit { .. }))
            .map(|(_, meter)| *meter)
            .collect();
        for (id, job) in snap.jobs.enumerate() {
            if !job.state.has_nodes() {
                continue;
            }
            for (meter, amount) in self.charges[id].clone().iter() {
                if limits.contains(meter) {
                    self.base[*meter] += amount;
                }
            }
        }
    }
}

/// Whether the server or a queue limits anything, or has only so much of something.
fn counts_anything(snap: &Snapshot) -> bool {
    let counts = |limits: &Limits, available: &ResourceList| {
        !limits.entries.is_empty() || available.iter().next().is_some()
    };
    let server = &snap.server;
    counts(&server.limits, &server.available)
        || snap.queues.iter().any(|queue| counts(&queue.limits, &queue.available))
}

/// Whom of a scope a job belongs to.
pub fn entity_of(job: &Job, scope: LimitScope) -> Name {
    match scope {
        LimitScope::User => job.user.clone(),
        LimitScope::Group => job.group.clone(),
        LimitScope::Project => job.project.clone(),
        LimitScope::Overall => "".into(),
    }
}
