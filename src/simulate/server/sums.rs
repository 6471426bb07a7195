//! `resources_assigned` of queues and of the server (days rule 4).

use qscope_engine::cluster::{Amount, Catalogue, Job, Name, ResourceList, Value};

use super::SimulatedServer;

impl SimulatedServer {
    /// Adds the totals that a job requests to its queue and, outside of reservations, to the server; `sign` -1
    /// subtracts.
    pub(crate) fn add_sums(&mut self, job: &Job, sign: f64) {
        let is_inside = self.is_inside(&job.queue);
        let snap = self.snap_mut();
        if let Some(queue) = snap.queues.iter_mut().find(|queue| queue.name == job.queue) {
            add(&mut queue.assigned, &job.requested, &snap.catalogue, sign);
        }
        if !is_inside {
            add(&mut snap.server.assigned, &job.requested, &snap.catalogue, sign);
        }
    }

    /// Adds the totals that a reservation requests to the server; `sign` -1 subtracts.
    pub(crate) fn add_reserved(&mut self, requested: &ResourceList, sign: f64) {
        let snap = self.snap_mut();
        add(&mut snap.server.assigned, requested, &snap.catalogue, sign);
    }

    /// Whether jobs of a queue run within a running reservation.
    pub(crate) fn is_inside(&self, queue: &Name) -> bool {
        self.snap.reservations.iter().any(|resv| resv.is_running() && resv.queue.as_ref() == Some(queue))
    }

    /// Clears all sums.
    pub(crate) fn clear_sums(&mut self) {
        let snap = self.snap_mut();
        snap.server.assigned = ResourceList::default();
        for queue in snap.queues.iter_mut() {
            queue.assigned = ResourceList::default();
        }
    }
}

fn add(sums: &mut ResourceList, requested: &ResourceList, catalogue: &Catalogue, sign: f64) {
    for (id, value) in requested.iter() {
        let def = catalogue.def(id);
        let Some(amount) = value.amount().filter(|_| def.flags.summed && def.kind.is_consumable()) else {
            continue;
        };
        let have = sums.amount(id).unwrap_or_default();
        sums.set(id, Value::Amount(Amount(rounded(have.0 + sign * amount.0))));
    }
}

/// Removes rounding errors left after fractions were added and subtracted.
fn rounded(sum: f64) -> f64 {
    const PARTS: f64 = 1e6;
    let whole = (sum * PARTS).round() / PARTS;
    if (sum - whole).abs() < 1e-9 { whole } else { sum }
}
