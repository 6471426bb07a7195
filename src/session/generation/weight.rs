//! Estimates the memory of a generation, by itself and next to another one.

use std::sync::{Arc, OnceLock};

use super::Generation;

/// Memory of a generation, estimated by the thread that made it. The estimates are stored with the addresses of the
/// objects they are about.
#[derive(Debug, Default)]
pub struct MemoryEstimate {
    cycle: OnceLock<(usize, usize)>,
    records: OnceLock<([usize; 2], usize)>,
}

impl Generation {
    /// Estimates the memory of its cycle, and of its records next to the previous generation: once, and not on the
    /// thread of a screen.
    pub(crate) fn weigh(&self, before: &Self) {
        let (run, cycle) = (self.place_of_cycle(), self.weight_of_cycle());
        let (places, records) = (self.places_beside(before), self.records_beside(before));
        self.weighed.cycle.get_or_init(|| (run, cycle));
        self.weighed.records.get_or_init(|| (places, records));
    }

    fn place_of_cycle(&self) -> usize {
        if self.run.is_held() { Arc::as_ptr(&self.run) as usize } else { 0 }
    }

    fn places_beside(&self, other: &Self) -> [usize; 2] {
        [self, other].map(|one| Arc::as_ptr(&one.snapshot) as usize)
    }

    /// Returns the approximate total in bytes: snapshot, universe and journal; measured on large clusters.
    #[cfg(test)]
    pub(crate) fn weight(&self) -> usize {
        self.weight_of_all_records() + self.weight_of_cycle() + self.weight_of_end_at_server()
    }

    /// Returns the approximate memory of its records by themselves, in bytes.
    pub(crate) fn weight_of_all_records(&self) -> usize {
        self.weight_of_records(self.snapshot.nodes.len(), self.snapshot.jobs.len())
    }

    /// Returns the approximate memory of its records next to another generation, in bytes: unchanged ones are shared.
    /// Measured on clusters in which one vnode in a hundred changed each time.
    pub(crate) fn records_beside(&self, other: &Self) -> usize {
        let places = self.places_beside(other);
        if let Some((_, weight)) = self.weighed.records.get().filter(|(of, _)| *of == places) {
            return *weight;
        }
        let (snap, other) = (&self.snapshot, &other.snapshot);
        let new = |places: &mut dyn Iterator<Item = bool>| places.filter(|is_new| *is_new).count();
        let nodes = snap.nodes.places_in(&other.nodes, |_, _| false);
        let jobs = snap.jobs.places_in(&other.jobs, |_, _| false);
        let nodes = new(&mut nodes.iter().map(Option::is_none));
        self.weight_of_records(nodes, new(&mut jobs.iter().map(Option::is_none)))
    }

    /// Returns the memory of this number of own records, and of the lists of all records, in bytes.
    fn weight_of_records(&self, nodes: usize, jobs: usize) -> usize {
        const NODE: usize = 3900;
        const JOB: usize = 2300;
        const LISTED: usize = 16;
        let snap = &self.snapshot;
        nodes * NODE + jobs * JOB + (snap.nodes.len() + snap.jobs.len()) * LISTED
    }

    /// Returns the memory of the universe and the steps, while they are held, in bytes.
    pub(crate) fn weight_of_cycle(&self) -> usize {
        const NODE: usize = 160;
        const JOB: usize = 800;
        const PART: usize = 192;
        const SET: usize = 1100;
        if !self.run.is_held() {
            return 0;
        }
        let place = self.place_of_cycle();
        if let Some((_, weight)) = self.weighed.cycle.get().filter(|(of, _)| *of == place) {
            return *weight;
        }
        let (snap, end) = (&self.snapshot, &self.run.end);
        let placed = snap.jobs.iter().filter_map(|job| job.exec_vnode.as_ref());
        let parts: usize = placed.map(|nodes| nodes.parts().count()).sum();
        let derived = snap.nodes.len() * NODE + snap.jobs.len() * JOB + parts * PART;
        derived + end.sets.len() * SET + end.journal().weight()
    }

    /// Returns the memory of the final state according to the server, while it is held, in bytes: what differs from
    /// the cycle's own books. It is made on first use, after the memory of the cycle was estimated.
    pub(crate) fn weight_of_end_at_server(&self) -> usize {
        const NODE: usize = 160;
        const JOB: usize = 200;
        const SET: usize = 400;
        if !self.run.is_held() || !self.run.holds_end_at_server() {
            return 0;
        }
        let (snap, end) = (&self.snapshot, self.run.end_at_server());
        snap.nodes.len() * NODE + snap.jobs.len() * JOB + end.sets.len() * SET
    }
}
