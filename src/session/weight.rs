//! How much memory a generation takes, by itself and beside another one.

use super::Generation;

impl Generation {
    /// About how many bytes it takes, snapshot, universe and journal together; measured on large clusters.
    pub fn weight(&self) -> usize {
        self.weight_of(self.snapshot.nodes.len(), self.snapshot.jobs.len())
    }

    /// About how many bytes it takes beside another one: records that did not change are there once. Measured on clusters of
    /// which one vnode in a hundred changed each time.
    pub fn weight_beside(&self, other: &Self) -> usize {
        let (snap, other) = (&self.snapshot, &other.snapshot);
        let new = |places: &mut dyn Iterator<Item = bool>| places.filter(|is_new| *is_new).count();
        let nodes = snap.nodes.places_in(&other.nodes, |_, _| false);
        let jobs = snap.jobs.places_in(&other.jobs, |_, _| false);
        let nodes = new(&mut nodes.iter().map(Option::is_none));
        self.weight_of(nodes, new(&mut jobs.iter().map(Option::is_none)))
    }

    /// With so many records of its own.
    fn weight_of(&self, nodes: usize, jobs: usize) -> usize {
        const NODE: usize = 3900;
        const JOB: usize = 2300;
        // What the universe and the steps take.
        const DERIVED_NODE: usize = 160;
        const DERIVED_JOB: usize = 800;
        const PART: usize = 192;
        const SET: usize = 1100;
        let snap = &self.snapshot;
        let placed = snap.jobs.iter().filter_map(|job| job.exec_vnode.as_ref());
        let parts: usize = placed.map(|nodes| nodes.parts().count()).sum();
        let end = &self.run.end;
        let derived = snap.nodes.len() * DERIVED_NODE + snap.jobs.len() * DERIVED_JOB;
        let of_cycle = end.sets.len() * SET + end.journal().weight();
        nodes * NODE + jobs * JOB + parts * PART + derived + of_cycle
    }
}
