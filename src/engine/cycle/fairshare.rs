//! Fair share: entities that have used less than their share go first (rules 1.11, 6.5).
//!
//! The tree comes from `resource_group`, the usage from `usage`. Entities not named in the file are added below the
//! group `unknown` with one share each.

mod build;
mod entity;
mod places;

use std::cmp::Ordering;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cluster::{Column, Epoch, Name, Seconds};

pub use build::TreeFault;
pub use entity::{entity_of, is_share_name};
pub use places::EntityRanks;

crate::id!(
    /// One entity of the fair share tree: the root, a group or a leaf.
    EntityId
);

/// One entity of the tree, with its shares.
#[derive(Clone, PartialEq, Debug)]
pub struct FairshareEntity {
    pub name: Name,
    /// Its group; `None` for the root.
    pub parent: Option<EntityId>,
    /// Its configured shares.
    pub shares: f64,
    /// Its fraction of its group's shares, 0 to 1.
    pub part: f64,
    /// Its fraction of the whole tree, 0 to 1: `fairshare_perc`.
    pub percentage: f64,
}

/// The fair share tree with the usage of each entity.
#[derive(Clone, PartialEq, Debug)]
pub struct FairshareTree {
    /// The root is the first entity, the group `unknown` the second.
    entities: Arc<Column<EntityId, FairshareEntity>>,
    by_name: Arc<FxHashMap<Name, EntityId>>,
    usage: Column<EntityId, f64>,
    decayed: Option<Epoch>,
}

impl FairshareTree {
    /// Initial usage of every entity, and the minimum after decay (rule 0, constants).
    pub const LEAST_USAGE: f64 = 1.0;
    /// The root, which holds the total usage.
    pub const ROOT: EntityId = EntityId(0);
    /// The group of entities not named in `resource_group`.
    pub const UNKNOWN: EntityId = EntityId(1);

    /// All entities.
    pub fn entities(&self) -> &Column<EntityId, FairshareEntity> {
        &self.entities
    }

    /// Returns the entity with this name, if the tree has it.
    pub fn find(&self, name: &str) -> Option<EntityId> {
        self.by_name.get(name).copied()
    }

    /// Returns the usage of an entity; that of a group includes all entities below it.
    pub fn usage(&self, entity: EntityId) -> f64 {
        self.usage[entity]
    }

    /// Returns when usage was last decayed, if known.
    pub fn decayed(&self) -> Option<Epoch> {
        self.decayed
    }

    /// Multiplies usage by `factor` once for every `time` that passed since the last decay, and returns the number of
    /// decays. Does nothing if the time of the last decay is not known.
    ///
    /// Only whole periods count: 49 hours with a `time` of 24 hours make two decays, and the last decay is then one
    /// hour old.
    pub fn decay(&mut self, now: Epoch, time: Seconds, factor: f64) -> u32 {
        let Some(last) = self.decayed.filter(|last| time.0 > 0 && *last <= now) else { return 0 };
        let periods = (now - last).0 / time.0;
        let times = u32::try_from(periods).unwrap_or(u32::MAX);
        self.decayed = Some(last + Seconds(periods * time.0));
        let left = factor.powf(f64::from(times));
        for usage in self.usage.iter_mut() {
            *usage = (*usage * left).max(Self::LEAST_USAGE);
        }
        times
    }

    /// Adds usage to an entity and all its ancestors: the cost of a job that starts or becomes a top job.
    pub fn charge(&mut self, entity: EntityId, amount: f64) {
        for step in self.path(entity) {
            self.usage[step] += amount;
        }
    }

    /// Compares two entities by their paths from the root: at the first difference, the one with less usage per share
    /// goes first, and one without a share goes last (rule 6.5).
    ///
    /// `Equal` does not mean the same entity, and equality is not transitive: two members of one group may both equal
    /// a member of another. Use a sorting algorithm that tolerates this.
    pub fn compare(&self, left: EntityId, right: EntityId) -> Ordering {
        if left == right {
            return Ordering::Equal;
        }
        let fork = self.fork(left, right);
        fork.map_or(Ordering::Equal, |(x, y)| self.burden(x).total_cmp(&self.burden(y)))
    }

    /// Returns the two entities that are compared: the first difference of the two paths; `None` if one entity is
    /// part of the other.
    pub fn fork(&self, left: EntityId, right: EntityId) -> Option<(EntityId, EntityId)> {
        // Sorting compares often, so this avoids building paths: go up to equal depth, then up side by side.
        let (down_left, down_right) = (self.depth(left), self.depth(right));
        let mut left = self.above(left, down_left.saturating_sub(down_right))?;
        let mut right = self.above(right, down_right.saturating_sub(down_left))?;
        if left == right {
            return None;
        }
        while let (Some(x), Some(y)) = (self.entities[left].parent, self.entities[right].parent)
            && x != y
        {
            (left, right) = (x, y);
        }
        Some((left, right))
    }

    /// Returns the number of ancestors of an entity.
    fn depth(&self, entity: EntityId) -> usize {
        std::iter::successors(self.entities[entity].parent, |step| self.entities[*step].parent).count()
    }

    /// Returns the ancestor `steps` levels above an entity.
    fn above(&self, entity: EntityId, steps: usize) -> Option<EntityId> {
        (0..steps).try_fold(entity, |step, _| self.entities[step].parent)
    }

    /// Returns usage divided by the share; infinite without a share.
    pub fn burden(&self, entity: EntityId) -> f64 {
        if self.has_zero_shares(entity) {
            f64::INFINITY
        } else {
            self.usage[entity] / self.percentage(entity)
        }
    }

    /// `fairshare_perc`: an entity's fraction of the whole tree, 0 to 1.
    pub fn percentage(&self, entity: EntityId) -> f64 {
        self.entities[entity].percentage
    }

    /// Whether an entity has no share, itself or through a group above it. Jobs of such an entity are not considered
    /// under `fairshare_enforce_no_shares` (rule 6.2).
    pub fn has_zero_shares(&self, entity: EntityId) -> bool {
        self.percentage(entity) <= 0.0
    }

    /// `fairshare_tree_usage`: the fraction of the total usage that counts for an entity, 0 to 1. Below the first
    /// level it includes part of what the rest of its group used, in proportion to its share of the group.
    pub fn tree_usage(&self, entity: EntityId) -> f64 {
        let whole = self.usage[Self::ROOT];
        let step = |of_group: f64, step: &EntityId| {
            let own = self.usage[*step] / whole;
            own + (of_group - own) * self.entities[*step].part
        };
        let path = self.path(entity);
        let mut below_root = path.iter().skip(1);
        let first = below_root.next().map_or(1.0, |top| self.usage[*top] / whole);
        below_root.fold(first, step)
    }

    /// `fairshare_factor`: 1 for no usage, ½ for usage equal to the share, approaching 0 above it; 0 without a share.
    pub fn factor(&self, entity: EntityId) -> f64 {
        if self.has_zero_shares(entity) {
            return 0.0;
        }
        (-self.tree_usage(entity) / self.percentage(entity)).exp2()
    }

    /// Whether an entity used more than its share of all usage: the preemption level `fairshare` (rule 6.10).
    pub fn is_over_share(&self, entity: EntityId) -> bool {
        self.usage[Self::ROOT] * self.percentage(entity) < self.usage[entity]
    }

    /// Returns the path from the root to an entity, both included.
    pub fn path(&self, entity: EntityId) -> Vec<EntityId> {
        let up = std::iter::successors(Some(entity), |step| self.entities[*step].parent);
        let mut path: Vec<_> = up.collect();
        path.reverse();
        path
    }
}

#[cfg(test)]
mod tests;
