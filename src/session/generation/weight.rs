//! How much memory a generation takes, by itself and beside another one.

use std::sync::{Arc, OnceLock};

use super::Generation;

/// What a generation was found to weigh by the thread that made it. The numbers stand beside the places in memory of what
/// they are about.
#[derive(Debug, Default)]
pub struct Weighed {
    cycle: OnceLock<(usize, usize)>,
    beside: OnceLock<([usize; 2], usize)>,
}

impl Generation {
    /// Weighs its cycle, and its records beside those of the generation before: once, and not on the thread of a screen.
    pub(crate) fn weigh(&self, before: &Self) {
        let (run, cycle) = (self.place_of_cycle(), self.weight_of_cycle());
        let (places, records) = (self.places_beside(before), self.records_beside(before));
        self.weighed.cycle.get_or_init(|| (run, cycle));
        self.weighed.beside.get_or_init(|| (places, records));
    }

    fn place_of_cycle(&self) -> usize {
        if self.run.is_held() { Arc::as_ptr(&self.run) as usize } else { 0 }
    }

    fn places_beside(&self, other: &Self) -> [usize; 2] {
        [self, other].map(|one| Arc::as_ptr(&one.snapshot) as usize)
    }

    /// About how many bytes it takes, snapshot, universe and journal together; measured on large clusters.
    #[cfg(test)]
    pub(crate) fn weight(&self) -> usize {
        self.weight_of_all_records() + self.weight_of_cycle() + self.weight_of_end_at_server()
    }

    /// About how many bytes its records take by themselves.
    pub(crate) fn weight_of_all_records(&self) -> usize {
        self.weight_of_records(self.snapshot.nodes.len(), self.snapshot.jobs.len())
    }

    /// About how many bytes its records take beside another one: those that did not change are there once. Measured on
    /// clusters of which one vnode in a hundred changed each time.
    pub(crate) fn records_beside(&self, other: &Self) -> usize {
        let places = self.places_beside(other);
        if let Some((_, weight)) = self.weighed.beside.get().filter(|(of, _)| *of == places) {
            return *weight;
        }
        let (snap, other) = (&self.snapshot, &other.snapshot);
        let new = |places: &mut dyn Iterator<Item = bool>| places.filter(|is_new| *is_new).count();
        let nodes = snap.nodes.places_in(&other.nodes, |_, _| false);
        let jobs = snap.jobs.places_in(&other.jobs, |_, _| false);
        let nodes = new(&mut nodes.iter().map(Option::is_none));
        self.weight_of_records(nodes, new(&mut jobs.iter().map(Option::is_none)))
    }

    /// With so many records of its own, and the lists that name all.
    fn weight_of_records(&self, nodes: usize, jobs: usize) -> usize {
        const NODE: usize = 3900;
        const JOB: usize = 2300;
        const LISTED: usize = 16;
        let snap = &self.snapshot;
        nodes * NODE + jobs * JOB + (snap.nodes.len() + snap.jobs.len()) * LISTED
    }

    /// The universe and the steps, while they are held.
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

    /// The state at the end as the server has it, while it is held: what is not the same as in the cycle's own books. It is
    /// made at the first question, after the cycle was weighed.
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
