//! Meters: one number for everything that limits count, which a start raises and an end lowers (rules 6.4 steps 8 and
//! 9, 6.6).

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cluster::{
    Column, Job, JobId, LimitScope, Limits, Name, QueueId, ResourceId, ResourceList, ResvId, Snapshot,
};

use crate::universe::timeline::occupant::Occupant;

crate::id!(MeterIx);

/// Key of a meter: what it counts, and for whom.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum MeterKey {
    /// Running jobs, or their requests of a resource, of one user, group, project, or all.
    Limit {
        /// Queue in which it counts; `None` for the whole server.
        queue: Option<QueueId>,
        /// Kind of entity that it counts.
        scope: LimitScope,
        /// Name of the entity; empty for all.
        entity: Name,
        /// Resource; `None` for the number of jobs.
        resource: Option<ResourceId>,
    },
    /// Assigned amount of a resource of which a queue or the server has a limited amount.
    Assigned {
        /// The queue; `None` for the server.
        queue: Option<QueueId>,
        resource: ResourceId,
    },
}

/// All meters of a cluster: their values at the start, and what each job adds.
#[derive(Clone, Debug, Default)]
pub struct Meters {
    /// Value of each meter at the start.
    pub base: Column<MeterIx, f64>,
    /// What each job adds while it runs; empty if nothing is counted.
    charges: Column<JobId, Arc<[(MeterIx, f64)]>>,
    /// What a job adds that is counted nowhere.
    nothing: Arc<[(MeterIx, f64)]>,
    /// What the end of a job in a reservation subtracts: also what its start did not add (rule M31).
    released: FxHashMap<JobId, Arc<[(MeterIx, f64)]>>,
    /// What each reservation adds while it runs: it counts against the server's resources, its jobs do not.
    pub reserved: Column<ResvId, Arc<[(MeterIx, f64)]>>,
    known: FxHashMap<MeterKey, MeterIx>,
    of_queue: Column<MeterIx, bool>,
    /// Resource of each meter that counts an assigned amount.
    assigned: Column<MeterIx, Option<ResourceId>>,
}

impl Meters {
    /// Builds the meters of a snapshot: only those that some limit or amount needs.
    pub fn new(snap: &Snapshot) -> Self {
        let mut meters = Self::default();
        if has_any_limit(snap) {
            meters.charges = Column::with_room(snap.jobs.len());
            for job in &snap.jobs {
                let charges = meters.read_charges(snap, job);
                let charges = if charges.is_empty() { meters.nothing.clone() } else { charges.into() };
                meters.charges.push(charges);
            }
            for (id, job) in snap.jobs.enumerate().filter(|(_, job)| job.reservation.is_some()) {
                let mut all = meters.charges_of(id).to_vec();
                meters.add_of_server(snap, &job.requested, &mut all);
                meters.released.insert(id, all.into());
            }
            meters.count_running(snap);
        }
        for reservation in &snap.reservations {
            let mut charges = Vec::new();
            meters.add_of_server(snap, &reservation.requested, &mut charges);
            meters.reserved.push(charges.into());
        }
        meters
    }

    /// Returns what a job adds to all meters while it runs.
    pub fn charges_of(&self, job: JobId) -> &Arc<[(MeterIx, f64)]> {
        self.charges.checked(job).unwrap_or(&self.nothing)
    }

    /// Returns the meter of a key, if anything needs it.
    pub fn meter(&self, key: &MeterKey) -> Option<MeterIx> {
        self.known.get(key).copied()
    }

    /// Returns the resource whose assigned amount a meter counts; `None` for a meter of a limit.
    pub fn assigned_resource(&self, meter: MeterIx) -> Option<ResourceId> {
        self.assigned[meter]
    }

    /// Whether a meter counts within one queue, not for the whole server.
    pub fn is_of_queue(&self, meter: MeterIx) -> bool {
        self.of_queue[meter]
    }

    /// Returns what an occupant adds to all meters.
    pub fn charges_of_occupant(&self, occupant: Occupant) -> &Arc<[(MeterIx, f64)]> {
        match occupant {
            Occupant::Job(job, _) => self.charges_of(job),
            Occupant::Reservation(id) => &self.reserved[id],
        }
    }

    /// Returns what the end of an occupant subtracts from all meters.
    pub fn released_by(&self, occupant: Occupant) -> &Arc<[(MeterIx, f64)]> {
        match occupant {
            Occupant::Job(job, _) => self.released.get(&job).unwrap_or_else(|| self.charges_of(job)),
            Occupant::Reservation(id) => &self.reserved[id],
        }
    }

    /// Returns what an occupant adds to one meter at its start, or subtracts at its end.
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

    fn read_charges(&mut self, snap: &Snapshot, job: &Job) -> Vec<(MeterIx, f64)> {
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
            // An amount of zero counts nothing but is still a request: an exceeded soft limit sets the job's level
            // bit.
            if let Some(amount) = amount.filter(|_| !charges.iter().any(|(have, _)| *have == meter)) {
                charges.push((meter, amount));
            }
        }
    }

    /// Adds what is requested of the server's resources.
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

    /// Counts what already runs. Assigned amounts of the server and of queues come from the dump.
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
            for (meter, amount) in self.charges_of(id).clone().iter() {
                if limits.contains(meter) {
                    self.base[*meter] += amount;
                }
            }
        }
    }
}

/// Whether the server or a queue has any limit or a limited amount of a resource.
fn has_any_limit(snap: &Snapshot) -> bool {
    let counts = |limits: &Limits, available: &ResourceList| {
        !limits.entries.is_empty() || available.iter().next().is_some()
    };
    let server = &snap.server;
    counts(&server.limits, &server.available)
        || snap.queues.iter().any(|queue| counts(&queue.limits, &queue.available))
}

/// Returns the user, group or project of a job, by scope; empty for the overall scope.
pub fn entity_of(job: &Job, scope: LimitScope) -> Name {
    match scope {
        LimitScope::User => job.user.clone(),
        LimitScope::Group => job.group.clone(),
        LimitScope::Project => job.project.clone(),
        LimitScope::Overall => "".into(),
    }
}
