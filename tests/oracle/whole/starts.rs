//! The effects of a start and an end (rule 3.4).

use std::rc::Rc;

use qscope_engine::cluster::{NodeState, NodeStates, PlaceSharing, ResourceId};

use super::buckets::{BUSY, FREE, LATER};
use super::sets::Owner;
use super::world::{Allocation, Amounts, Doing, Who, World, by_node, exclusive};

impl World {
    /// Starts a job, for good or in a simulation.
    pub(crate) fn begin(&mut self, job: usize, allocation: &Rc<Allocation>) {
        let row = &mut self.jobs[job];
        (row.doing, row.suspended, row.planned) = (Doing::Runs, false, false);
        row.started = self.now;
        let released = row.released.take();
        // A job that kept a part takes back what it released, and then has all of it again.
        let taken = released.as_ref().map_or(allocation, |part| &part.allocation).clone();
        if released.is_none() {
            row.allocation = allocation.clone();
        }
        let (place, resv, queue) = (row.ask.sharedness, row.reservation, row.queue);
        if let Some(parent) = row.parent
            && let Some(array) = &mut self.jobs[parent].array
        {
            array.running += 1;
        }
        self.count(job, 1);
        let returns = |world: &Self, id| released.is_none() || !world.is_kept_back(id);
        self.assign_job_wide(job, 1.0, returns);
        for (node, amounts) in by_node(&taken) {
            self.take(node, Who::Job(job), place, &amounts);
        }
        if resv.is_none() {
            self.mark_soft_limits(job);
        }
        self.level_after(job, true);
        self.after_start(queue, resv);
    }

    /// Sorts the sets again, and the lists if their order depends on usage.
    fn after_start(&mut self, queue: usize, resv: Option<usize>) {
        self.sort_pools();
        self.pools.jobs.clear();
        if !self.given.sorts_per_job {
            return;
        }
        match resv {
            Some(resv) => self.sort_resv_list(resv),
            // Hosts are sorted too; those of a reservation are in no set (rule M17).
            None => {
                self.sort_hosts();
                self.sort_server_lists();
            }
        }
        if self.queues[queue].has_nodes {
            self.sort_queue_list(queue);
        }
    }

    /// Adds what a job requests of those resources of the server and the queue for which `is_named` holds.
    fn assign_job_wide(&mut self, job: usize, sign: f64, is_named: impl Fn(&Self, ResourceId) -> bool) {
        let row = &self.jobs[job];
        let (queue, requested, in_resv) = (row.queue, row.requested.clone(), row.reservation.is_some());
        for (id, amount) in requested.iter() {
            if !is_named(self, *id) {
                continue;
            }
            let add = |of: &mut f64| *of = (*of + sign * amount).max(0.0);
            add(self.queues[queue].assigned.entry(*id).or_default());
            // An end subtracts from the server what a start inside a reservation did not add (rule M31).
            if !in_resv || sign < 0.0 {
                add(self.server_assigned.entry(*id).or_default());
            }
        }
    }

    /// Removes a running job from its nodes, except for what it keeps if it is suspended (rules 6.10, M45).
    pub(crate) fn send_away(&mut self, job: usize, is_suspended: bool) {
        self.finish(job);
        if !is_suspended {
            return;
        }
        self.jobs[job].released = super::read_jobs::released_by(self, job);
        self.assign_job_wide(job, 1.0, Self::is_kept_back);
        for (node, amounts) in by_node(&self.jobs[job].allocation.clone()) {
            if !self.nodes[node].is_gone() {
                let kept = amounts.into_iter().filter(|(id, _)| self.is_kept_back(*id)).collect();
                self.load(node, &kept);
            }
        }
    }

    /// Returns whether a suspended job keeps its share of a resource.
    pub(crate) fn is_kept_back(&self, id: ResourceId) -> bool {
        let named = &self.snap().server.release_on_suspend;
        !named.is_empty() && !named.iter().any(|name| **name == **self.snap().catalogue.name(id))
    }

    /// Adds to the amounts in use on a node.
    fn load(&mut self, node: usize, amounts: &Amounts) {
        for (id, amount) in amounts {
            let at = self.have(node, *id).map_or(node, |(at, _)| at);
            *self.nodes[at].assigned.entry(*id).or_default() += amount;
        }
    }

    /// Takes a job's part from one node.
    fn take(&mut self, node: usize, who: Who, place: PlaceSharing, amounts: &Amounts) {
        // A node that is gone may be part of a whole host: it only counts for its sets (case `w1012`).
        if !self.nodes[node].is_gone() {
            self.occupy(node, who, place, amounts);
            if let Some(bucket) = self.nodes[node].bucket {
                self.buckets[bucket].put(node, BUSY);
            }
        }
        for set in self.nodes[node].sets.clone() {
            let mut row = std::mem::replace(&mut self.sets[set], empty_set());
            row.take(self, node, amounts);
            self.sets[set] = row;
        }
    }

    fn occupy(&mut self, node: usize, who: Who, place: PlaceSharing, amounts: &Amounts) {
        match who {
            Who::Job(job) => self.nodes[node].jobs.push(job),
            Who::Resv(_) => self.nodes[node].reservations += 1,
        }
        for (id, amount) in amounts {
            if *amount > 0.0 && self.have(node, *id).is_none() {
                self.nodes[node].made.insert(*id);
            }
        }
        self.load(node, amounts);
        self.nodes[node].events.retain(|(_, other)| *other != who);
        let ncpus = ResourceId::ncpus();
        let left = self.total(node, ncpus).map(|total| total - self.assigned(node, ncpus));
        let row = &mut self.nodes[node];
        if left.is_some_and(|left| left <= 0.0) {
            // This replaces all other states (rule M18); an offline node never gets here.
            row.states = NodeStates::FREE.with(NodeState::JobBusy);
        }
        if exclusive(row.sharing, place) {
            let state =
                if matches!(who, Who::Job(_)) { NodeState::JobExclusive } else { NodeState::ResvExclusive };
            row.states = row.states.with(state);
            // Inside a reservation, the server's own node is exclusive too.
            if let Some(own) = row.copy_of {
                self.nodes[own].states = self.nodes[own].states.with(NodeState::JobExclusive);
            }
        }
    }

    /// Ends a job, or suspends it in a simulation.
    pub(crate) fn finish(&mut self, job: usize) {
        let row = &mut self.jobs[job];
        let was = std::mem::replace(&mut row.doing, Doing::Rests);
        let (allocation, resv) = (row.allocation.clone(), row.reservation);
        // A job that was exiting was not counted (rule 6.4.4).
        if let Some(parent) = row.parent.filter(|_| was == Doing::Runs)
            && let Some(array) = &mut self.jobs[parent].array
        {
            array.running = array.running.saturating_sub(1);
        }
        self.count(job, -1);
        self.assign_job_wide(job, -1.0, |_, _| true);
        for (node, amounts) in by_node(&allocation) {
            self.give_back(node, Who::Job(job), &amounts);
        }
        if resv.is_none() {
            self.mark_soft_limits(job);
        }
        self.level_after(job, false);
        self.unplan(Who::Job(job));
        self.pools.jobs.clear();
        self.stale = true;
    }

    fn give_back(&mut self, node: usize, who: Who, amounts: &Amounts) {
        if self.nodes[node].is_gone() {
            return;
        }
        for (id, amount) in amounts {
            let at = self.have(node, *id).map_or(node, |(at, _)| at);
            let left = self.nodes[at].assigned.entry(*id).or_default();
            *left = (*left - amount).max(0.0);
        }
        let row = &mut self.nodes[node];
        match who {
            // A job that never started but ends (rule M11) is subtracted all the same (rule 3.4).
            Who::Job(job) => {
                let at = row.jobs.iter().position(|other| *other == job);
                if let Some(at) = at.or(row.jobs.len().checked_sub(1)) {
                    row.jobs.remove(at);
                }
            }
            Who::Resv(_) => row.reservations = row.reservations.saturating_sub(1),
        }
        row.states = row
            .states
            .without(NodeState::JobBusy)
            .without(NodeState::JobExclusive)
            .without(NodeState::ResvExclusive);
        // Neither running reservations nor the state are checked.
        if row.jobs.is_empty()
            && let Some(bucket) = row.bucket
        {
            let list = if row.events.is_empty() { FREE } else { LATER };
            self.buckets[bucket].put(node, list);
        }
    }

    pub(crate) fn begin_resv(&mut self, resv: usize) {
        self.resvs[resv].running = true;
        self.assign_of_server(resv, 1.0);
        let (allocation, place) = (self.resvs[resv].allocation.clone(), self.resvs[resv].ask.sharedness);
        for (node, amounts) in by_node(&allocation) {
            self.take(node, Who::Resv(resv), place, &amounts);
        }
        self.sort_pools();
        self.pools.jobs.clear();
        if self.given.sorts_per_job {
            self.sort_hosts();
            self.sort_server_lists();
        }
    }

    /// Adds a running reservation's request to the server's assigned resources (rule 6.4.9).
    fn assign_of_server(&mut self, resv: usize, sign: f64) {
        let requested = self.resvs[resv].requested.clone();
        for (id, amount) in requested.iter() {
            let of = self.server_assigned.entry(*id).or_default();
            *of = (*of + sign * amount).max(0.0);
        }
    }

    pub(crate) fn finish_resv(&mut self, resv: usize) {
        self.resvs[resv].running = false;
        self.assign_of_server(resv, -1.0);
        let allocation = self.resvs[resv].allocation.clone();
        for (node, amounts) in by_node(&allocation) {
            self.give_back(node, Who::Resv(resv), &amounts);
        }
        self.unplan(Who::Resv(resv));
        self.pools.jobs.clear();
        self.stale = true;
    }

    /// Recomputes sums, buckets and order of the sets, if something ended since (rules 3.4, 3.4.U, 5.1).
    pub(crate) fn refresh_sets(&mut self) {
        if !std::mem::take(&mut self.stale) {
            return;
        }
        if self.given.sorts_per_job {
            self.sort_set_lists();
        }
        for at in 0..self.sets.len() {
            let refreshes = match self.sets[at].owner {
                Owner::Queue(queue) => self.pools.queues.iter().any(|(q, _, own)| *q == queue && *own),
                Owner::Job => false,
                _ => true,
            };
            if refreshes {
                let set = std::mem::replace(&mut self.sets[at], empty_set());
                self.sets[at] = set.refreshed(self);
            }
        }
        if self.given.sorts_per_job && self.simulated {
            self.sort_hosts();
        }
        self.sort_pools();
    }
}

fn empty_set() -> super::sets::Set {
    super::sets::Set {
        name: String::new(),
        owner: Owner::All,
        members: Vec::new(),
        free_nodes: 0,
        sums: std::collections::BTreeMap::new(),
        buckets: Vec::new(),
        one_host: false,
    }
}
