//! Fair share: who has used less than their share goes first (rules 1.11, 6.5).
//!
//! The tree comes from `resource_group`, the usage from `usage`. Entities that the file does not name hang
//! below the group `unknown`, with one share each.

mod build;
mod entity;
mod places;

use std::cmp::Ordering;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::cluster::{Column, Epoch, Name, Seconds};

pub use build::TreeFault;
pub use entity::{entity_of, is_share_name};
pub use places::Places;

crate::id!(
    /// One entity of the fair share tree: the root, a group or a leaf.
    EntityId
);

/// One entity of the tree.
#[derive(Clone, PartialEq, Debug)]
pub struct Entity {
    pub name: Name,
    /// What it is part of; none for the root.
    pub parent: Option<EntityId>,
    /// Its shares, as configured.
    pub shares: f64,
    /// Its part of its parent's shares, 0 to 1.
    pub part: f64,
    /// Its part of the whole tree, 0 to 1: `fairshare_perc`.
    pub percentage: f64,
}

/// The tree and the usage in it.
#[derive(Clone, PartialEq, Debug)]
pub struct FairshareTree {
    /// The root is the first one, the group of the unknown the second.
    entities: Arc<Column<EntityId, Entity>>,
    by_name: Arc<FxHashMap<Name, EntityId>>,
    usage: Column<EntityId, f64>,
    decayed: Option<Epoch>,
}

impl FairshareTree {
    /// What every entity starts with, and the least that decay leaves (rule 0, constants).
    pub const LEAST_USAGE: f64 = 1.0;
    /// The root, which holds the whole usage.
    pub const ROOT: EntityId = EntityId(0);
    /// The group of entities that `resource_group` does not name.
    pub const UNKNOWN: EntityId = EntityId(1);

    /// Every entity.
    pub fn entities(&self) -> &Column<EntityId, Entity> {
        &self.entities
    }

    /// The entity of this name, if the tree has it.
    pub fn find(&self, name: &str) -> Option<EntityId> {
        self.by_name.get(name).copied()
    }

    /// The usage of an entity, a group's being that of all below it.
    pub fn usage(&self, entity: EntityId) -> f64 {
        self.usage[entity]
    }

    /// When usage was last decayed, if known.
    pub fn decayed(&self) -> Option<Epoch> {
        self.decayed
    }

    /// Halves usage, or multiplies it by `factor`, once for every `time` that passed since the last decay; returns
    /// how often. Nothing happens when the last decay is not known.
    ///
    /// Whole periods only: 49 hours at 24 make two decays, and the last decay is then one hour old.
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

    /// Adds usage to an entity and all its ancestors: what a job that starts, or becomes a top job, costs.
    pub fn charge(&mut self, entity: EntityId, amount: f64) {
        for step in self.path(entity) {
            self.usage[step] += amount;
        }
    }

    /// Which of two entities goes first: along their two paths from the root, at the first place where they
    /// differ, the one with less usage for its share; without a share, last (rule 6.5).
    ///
    /// Equal does not mean the same entity, and equality is not transitive: two members of one group may
    /// both equal a member of another. Sort with an algorithm that bears it.
    pub fn compare(&self, left: EntityId, right: EntityId) -> Ordering {
        if left == right {
            return Ordering::Equal;
        }
        let fork = self.fork(left, right);
        fork.map_or(Ordering::Equal, |(x, y)| self.burden(x).total_cmp(&self.burden(y)))
    }

    /// Where the paths of two entities part: the two that are compared; none where one is part of the other.
    pub fn fork(&self, left: EntityId, right: EntityId) -> Option<(EntityId, EntityId)> {
        // Sorting compares often: both go up to the same depth, and from there side by side.
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

    /// How many entities an entity is part of.
    fn depth(&self, entity: EntityId) -> usize {
        std::iter::successors(self.entities[entity].parent, |step| self.entities[*step].parent).count()
    }

    /// The entity so many steps above one.
    fn above(&self, entity: EntityId, steps: usize) -> Option<EntityId> {
        (0..steps).try_fold(entity, |step, _| self.entities[step].parent)
    }

    /// Usage for its share; endless without one.
    pub fn burden(&self, entity: EntityId) -> f64 {
        if self.has_zero_shares(entity) {
            f64::INFINITY
        } else {
            self.usage[entity] / self.percentage(entity)
        }
    }

    /// `fairshare_perc`: the part of the whole tree that belongs to an entity, 0 to 1.
    pub fn percentage(&self, entity: EntityId) -> f64 {
        self.entities[entity].percentage
    }

    /// Whether an entity has no share, in itself or because a group above it has none. Jobs of such an
    /// entity are not considered under `fairshare_enforce_no_shares` (rule 6.2).
    pub fn has_zero_shares(&self, entity: EntityId) -> bool {
        self.percentage(entity) <= 0.0
    }

    /// `fairshare_tree_usage`: the part of the whole usage that counts for an entity, 0 to 1. Below the
    /// first level some of what the rest of its group used counts too, by its part of the group's shares.
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

    /// `fairshare_factor`: 1 for no usage, ½ for usage equal to the share, towards 0 beyond; 0 without a share.
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

    /// From the root to an entity.
    pub fn path(&self, entity: EntityId) -> Vec<EntityId> {
        let up = std::iter::successors(Some(entity), |step| self.entities[*step].parent);
        let mut path: Vec<_> = up.collect();
        path.reverse();
        path
    }
}

#[cfg(test)]
mod tests;
