//! The effects of starts and ends on sets, their buckets and their order (rules 3.4, 5.1, 5.3).

use std::sync::Arc;

use crate::cluster::Id;

use crate::universe::sets::builder::{assigned_of, free_nodes};
use crate::universe::state::written_cells::WrittenCells;
use crate::universe::transition::shares::AmountsByNode;
use crate::universe::{
    Availability, Bit, BitSet, ConsIx, NodeListId, NodeSetsChange, PoolIx, Quirk, SetIx, Slot, State,
    StateChange,
};

impl State {
    /// Moves a node to its current bitmap in several of its sets; `sets` are the first of the node's sets.
    pub(super) fn move_in_sets(&mut self, sets: &[SetIx], bit: Bit) {
        let now = self.availability_now(bit);
        let availability = |set: &SetIx| {
            let set = &self.sets[*set];
            set.slot(bit).and_then(|slot| set.availability(slot))
        };
        let was: Vec<Option<Availability>> = sets.iter().map(availability).collect();
        let moved = |(set, was): (&SetIx, &Option<Availability>)| match was {
            Some(_) if self.keeps_up(*set) => Some(now),
            was => *was,
        };
        let availabilities: Box<[_]> = sets.iter().zip(&was).map(moved).collect();
        if *availabilities != *was {
            self.change(StateChange::NodeSets(bit, Box::new(NodeSetsChange::Availabilities(availabilities))));
        }
    }

    /// Moves a node to its current bitmap in all sets that it keeps up to date.
    pub(in crate::universe) fn update_set_buckets(&mut self, bit: Bit) {
        let sets = self.sets.kept_by_nodes();
        match &sets[bit] {
            [] => {}
            [only] => self.update_set_bucket(*only, bit),
            several => self.move_in_sets(several, bit),
        }
    }

    /// Returns the bitmap of a node by its load and plans. Its state is not considered (rule 3.4 U), unless sets
    /// follow everything planned (quirk B4 off): then it is, as at the start (measured: a node in maintenance stays
    /// busy).
    fn availability_now(&self, bit: Bit) -> Availability {
        let is_closed = !self.plan.has(Quirk::CalendarNotInSets) && !self.occupancy.open_nodes.contains(bit);
        if is_closed || self.occupancy.load[bit].is_busy() {
            Availability::Busy
        } else if self.node_events[bit].is_some() {
            Availability::Later
        } else {
            Availability::Free
        }
    }

    /// Moves a node to its current bitmap in one set.
    fn update_set_bucket(&mut self, set: SetIx, bit: Bit) {
        if let Some((slot, availability)) = self.place_in_set(set, bit) {
            self.change(StateChange::SetAvailability(set, slot, availability));
        }
    }

    /// Returns the bitmap where a node of a set belongs, if it is in another one.
    pub(in crate::universe) fn place_in_set(&self, set: SetIx, bit: Bit) -> Option<(Slot, Availability)> {
        let set = &self.sets[set];
        // The set of all nodes has no buckets, and searching its many nodes would be slow.
        if set.bucket_count() == 0 {
            return None;
        }
        let slot = set.slot(bit)?;
        let availability = self.availability_now(bit);
        set.availability(slot).is_some_and(|was| was != availability).then_some((slot, availability))
    }

    /// Whether starts update a set: in a copy of the universe only sets of the server's pool (rule 9.16).
    pub(in crate::universe) fn keeps_up(&self, set: SetIx) -> bool {
        self.copied.is_none() || self.is_of_server(set)
    }

    /// Whether a set is in the server's pool.
    fn is_of_server(&self, set: SetIx) -> bool {
        // Sets of a pool have consecutive indices.
        let sets = self.server_pool.map(|pool| &self.pools[pool].sets);
        sets.is_some_and(|sets| sets.first() <= Some(&set) && Some(&set) <= sets.last())
    }

    /// Returns the sets that these nodes keep up to date, each once.
    pub(in crate::universe) fn sets_with(&self, amounts: &AmountsByNode) -> Vec<SetIx> {
        let mut sets: Vec<SetIx> = Vec::new();
        for set in amounts.iter().flat_map(|share| self.sets.kept_by(share.bit)) {
            if sets.last() != Some(set) {
                sets.push(*set);
            }
        }
        sets.sort_unstable();
        sets.dedup();
        sets
    }

    /// Sorts the pools that the scheduler sorts after every start (rules 5.1, 5.3). `changed` are the only sets that
    /// may have changed since the last sort; `None` if any may have.
    pub(in crate::universe) fn resort_pools(&mut self, changed: Option<&[SetIx]>) {
        self.settle_order();
        for at in 0..self.pools.len() {
            let at = PoolIx::at(at);
            if !self.pools[at].refreshed || self.pools[at].ranks.is_some() {
                continue;
            }
            let pool = &self.pools[at];
            let order = match changed {
                Some(changed) => pool.sorted_after(&self.plan, &self.sets, changed),
                None => Some(pool.sorted(&self.plan, &self.sets)).filter(|order| *order != pool.order),
            };
            if let Some(order) = order {
                self.change(StateChange::PoolOrder(at, order));
            }
        }
    }

    /// Discards the pools created for single jobs.
    pub(in crate::universe) fn drop_group_pools(&mut self) {
        if !self.group_pools.is_empty() {
            self.change(StateChange::GroupPools(Arc::default()));
        }
    }

    /// Stores the pools created for single jobs.
    pub fn keep_group_pools(&mut self, pools: Arc<crate::universe::sets::pool::GroupPools>) {
        self.change(StateChange::GroupPools(pools));
    }

    /// Sums all sets again after something ended (rule 6.4 step 2).
    pub fn refresh_sets(&mut self) {
        if self.are_sets_stale {
            self.change(StateChange::AreSetsStale(false));
            self.sum_up(&[]);
        }
    }

    /// The same for a trial that will be undone: the sums over all nodes, which take longest, are not needed and are
    /// skipped.
    pub fn refresh_sets_on_trial(&mut self) {
        if self.are_sets_stale {
            let whole: Vec<SetIx> = std::iter::once(self.all_nodes_set)
                .chain(self.queue_everything.iter().copied().flatten())
                .collect();
            self.sum_up(&whole);
            if self.copied.is_some() {
                self.change(StateChange::AreSetsStale(false));
            }
        }
    }

    /// Sums all sets again except those in `but`, which remain dirty.
    fn sum_up(&mut self, but: &[SetIx]) {
        let kept = self.pools.iter().filter(|pool| !pool.refreshed);
        let kept = kept.flat_map(|pool| &pool.sets).chain(but);
        let kept = BitSet::of(self.sets.len(), kept.copied());
        let all = self.sets.are_all_dirty();
        let (mut refreshed, mut written) = (self.sets.all_dirty(), WrittenCells::default());
        if !all {
            self.add_made_sets(&mut refreshed);
        }
        refreshed.retain(|set| !kept.contains(*set));
        refreshed.iter().for_each(|set| self.refresh_set(&mut written, *set));
        self.enter(&mut written);
        self.mark_counted(but);
        if self.sorts_nodes() {
            if self.copied.is_some() {
                self.sort_hosts();
            }
            // The lists of all sets are sorted, even of those whose sums did not change (rule 4.3).
            for set in self.sets.ids().filter(|set| !but.contains(set)).collect::<Vec<_>>() {
                let members = self.sets[set].shape.members.clone();
                self.sort_list(NodeListId::Set(set), &members);
            }
        }
        // Every start sorts the pools, so no other set has changed since.
        self.resort_pools(Some(refreshed.as_slice()).filter(|_| !all));
    }

    /// Sums one set again.
    fn refresh_set(&mut self, written: &mut WrittenCells, set: SetIx) {
        // Computed before anything is written, because writing makes the set itself dirty.
        let misplaced = self.misplaced(set);
        let free = free_nodes(&self.occupancy, &self.sets[set]);
        if free != self.sets[set].free_nodes {
            self.write_free(written, set, free);
        }
        for ix in self.plan.consumables.ids() {
            let sum = if self.is_made_in_copy(set, ix) {
                f64::INFINITY
            } else {
                assigned_of(&self.plan, &self.occupancy, &self.sets[set], ix)
            };
            if sum != self.sets[set].assigned[ix] {
                self.write_sum(written, set, ix, sum);
            }
        }
        for (slot, availability) in misplaced {
            self.write_slot(written, set, slot, availability);
        }
    }

    /// Adds the sets of nodes with a resource that a start made to others, ascending; only when events are simulated, where
    /// they are summed in another way than before (rule M27).
    fn add_made_sets(&self, sets: &mut Vec<SetIx>) {
        let made = &self.occupancy.made_by_starts;
        if made.is_empty() || !self.is_of_calendar() {
            return;
        }
        let by_node = self.sets.by_node();
        made.iter().for_each(|(_, bit)| sets.extend(&by_node[*bit]));
        sets.sort_unstable();
        sets.dedup();
    }

    /// Whether a set gets a resource that no node of it had until a start made it, with nothing of it left: only when
    /// events are simulated (rule M27).
    fn is_made_in_copy(&self, set: SetIx, ix: ConsIx) -> bool {
        let (shape, made) = (&self.sets[set].shape, &self.occupancy.made_by_starts);
        self.is_of_calendar()
            && !made.is_empty()
            && shape.available[ix].is_nan()
            && shape.members.iter().any(|bit| made.contains(&(ix, *bit)))
    }

    /// Returns the nodes of a set that are in an outdated bitmap, with the current one.
    fn misplaced(&self, set: SetIx) -> Vec<(Slot, Availability)> {
        match self.sets.dirty_members(set) {
            Some(nodes) => nodes.into_iter().filter_map(|bit| self.place_in_set(set, bit)).collect(),
            None => {
                let members = self.sets[set].shape.members.iter();
                members.filter_map(|bit| self.place_in_set(set, *bit)).collect()
            }
        }
    }
}
