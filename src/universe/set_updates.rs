//! What starts and ends do to sets, their buckets and their order (rules 3.4, 5.1, 5.3).

use std::sync::Arc;

use crate::cluster::Id;

use super::bucket::Pocket;
use super::change::Change;
use super::node_set::{Bit, BitSet};
use super::pool::{assigned, free_nodes};
use super::set::SetIx;
use super::state::State;
use super::transition::Share;

impl State {
    /// Brings one set up to date after a start on one of its nodes.
    pub(super) fn update_set(&mut self, set: SetIx, share: &Share, closed: bool) {
        for (ix, amount) in &share.amounts {
            if self.plan.consumables.is_checked(*ix) {
                let sum = self.sets[set].assigned[*ix] + amount;
                self.change(Change::SetAssigned(set, *ix, sum));
            }
        }
        if closed {
            let free = self.sets[set].free_nodes - 1;
            self.change(Change::SetFree(set, free));
        }
        self.update_set_bucket(set, share.bit);
    }

    /// Puts a node into the bitmap of its set's bucket that its load and plans say; its state is not
    /// looked at (rule 3.4, rule U).
    pub(super) fn update_set_bucket(&mut self, set: SetIx, bit: Bit) {
        let plan = &self.plan;
        let set_now = &self.sets[set];
        let Some(slot) = set_now.slot(bit).filter(|_| set_now.bucket_count() > 0) else { return };
        let Some(at) = set_now.bucket_of(plan, slot) else { return };
        let Some(was) = set_now.buckets(plan).get(usize::from(at)).map(|bucket| bucket.pocket(slot)) else {
            return;
        };
        let pocket = if self.floor.load[bit].any() {
            Pocket::Busy
        } else if self.node_events[bit].is_some() {
            Pocket::Later
        } else {
            Pocket::Free
        };
        if was != pocket {
            self.change(Change::SetPocket(set, at, slot, pocket));
        }
    }

    /// Whether a set is one of the server's pool. Copies of the universe know no others, and a node's list of sets
    /// ends there at the first that they do not know (rule 9, trap 16).
    pub(super) fn is_of_server(&self, set: SetIx) -> bool {
        // Sets of a pool are made one after another.
        let sets = self.server_pool.map(|pool| &self.pools[pool].sets);
        sets.is_some_and(|sets| sets.first() <= Some(&set) && Some(&set) <= sets.last())
    }

    /// The sets that nodes keep up to date, each once.
    pub(super) fn sets_with(&self, shares: &[Share]) -> Vec<SetIx> {
        let mut sets: Vec<SetIx> = Vec::new();
        for set in shares.iter().flat_map(|share| &self.sets_of[share.bit]) {
            if sets.last() != Some(set) {
                sets.push(*set);
            }
        }
        sets.sort_unstable();
        sets.dedup();
        sets
    }

    /// Sorts the pools that the scheduler sorts after every start (rules 5.1, 5.3). Only these sets may have
    /// changed since they were sorted, or any.
    pub(super) fn resort_pools(&mut self, changed: Option<&[SetIx]>) {
        self.settle_order();
        for at in 0..self.pools.len() {
            let at = super::pool::PoolIx::at(at);
            if !self.pools[at].refreshed || self.pools[at].ranks.is_some() {
                continue;
            }
            let pool = &self.pools[at];
            let order = match changed {
                Some(changed) => pool.sorted_after(&self.plan, &self.sets, changed),
                None => Some(pool.sorted(&self.plan, &self.sets)).filter(|order| *order != pool.order),
            };
            if let Some(order) = order {
                self.change(Change::PoolOrder(at, order));
            }
        }
    }

    /// Puts the sets whose sums changed where they belong in the designed order (rule 5.6 N4). That order follows
    /// from the sums, so the journal need not know of it.
    pub(super) fn settle_order(&mut self) {
        if let Some(by) = &self.plan.group_order {
            for pool in self.pools.iter_mut().filter(|pool| pool.refreshed) {
                let Some(ranks) = &mut pool.ranks else { continue };
                if let Some(order) = ranks.follow(by, &pool.order, &self.sets, &self.disordered) {
                    pool.order = order;
                }
            }
        }
        self.disordered.clear();
    }

    /// Throws away the pools made for single jobs.
    pub(super) fn drop_group_pools(&mut self) {
        if !self.group_pools.is_empty() {
            self.change(Change::GroupPools(Arc::default()));
        }
    }

    /// Keeps a pool made for a single job.
    pub fn keep_group_pools(&mut self, pools: Arc<super::pool::GroupPools>) {
        self.change(Change::GroupPools(pools));
    }

    /// Sums up all sets anew (rule 6.4 step 2), after something ended.
    pub fn refresh_sets(&mut self) {
        if !self.stale {
            return;
        }
        self.change(Change::Stale(false));
        let kept = self.pools.iter().filter(|pool| !pool.refreshed);
        let kept = BitSet::of(self.sets.len(), kept.flat_map(|pool| pool.sets.iter().copied()));
        for set in self.sets.ids().filter(|set| !kept.contains(*set)) {
            if self.unsettled.has(set, &self.sets[set].shape.nodes) {
                self.refresh_set(set);
            }
        }
        self.unsettled.settle();
        self.resort_pools(None);
    }

    fn refresh_set(&mut self, set: SetIx) {
        let free = free_nodes(&self.floor, &self.sets[set]);
        if free != self.sets[set].free_nodes {
            self.change(Change::SetFree(set, free));
        }
        let sums = assigned(&self.plan, &self.floor, &self.sets[set]);
        for ix in self.plan.consumables.ids() {
            if sums[ix] != self.sets[set].assigned[ix] {
                self.change(Change::SetAssigned(set, ix, sums[ix]));
            }
        }
        if self.sets[set].bucket_count() == 0 {
            return;
        }
        let members = self.sets[set].shape.clone();
        for bit in members.members.iter() {
            self.update_set_bucket(set, *bit);
        }
    }
}
