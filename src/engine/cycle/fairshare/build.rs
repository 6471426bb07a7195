//! Builds the tree from files.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{EntityId, FairshareEntity, FairshareTree};
use crate::cluster::{Column, Name, ShareGroup, UsageRecord};

/// A line of `resource_group` that cannot be placed in the tree.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TreeFault {
    /// Its parent is not in the file, or is below the entity itself.
    #[error("resource_group: `{name}` has the parent `{parent}`, which is not in the tree")]
    NoParent {
        /// The entity.
        name: Name,
        parent: Name,
    },
    /// The name is already used; the first line counts.
    #[error("resource_group: `{0}` stands there twice")]
    Twice(Name),
}

impl FairshareTree {
    /// Builds the tree of a `resource_group` file, without usage. Returns the lines that could not be placed.
    pub fn new(groups: &[ShareGroup], unknown_shares: f64) -> (Self, Vec<TreeFault>) {
        let mut tree =
            Self { entities: Arc::default(), by_name: Arc::default(), usage: Column::new(), decayed: None };
        let root = tree.add("root".into(), None, 1.0);
        // The name that `pbsfs` uses.
        Arc::make_mut(&mut tree.by_name).insert("TREEROOT".into(), root);
        tree.add("unknown".into(), Some(Self::ROOT), unknown_shares);
        let faults = tree.add_groups(groups);
        tree.divide();
        (tree, faults)
    }

    /// Adds lines whose parent is known until no more can be added, so the order of lines does not matter.
    fn add_groups(&mut self, groups: &[ShareGroup]) -> Vec<TreeFault> {
        let mut faults = Vec::new();
        let mut waiting: Vec<&ShareGroup> = groups.iter().collect();
        loop {
            let before = waiting.len();
            waiting.retain(|group| match self.find(&group.parent) {
                _ if self.find(&group.name).is_some() => {
                    faults.push(TreeFault::Twice(group.name.clone()));
                    false
                }
                Some(parent) => {
                    self.add(group.name.clone(), Some(parent), group.shares);
                    false
                }
                None => true,
            });
            if waiting.len() == before {
                break;
            }
        }
        let orphan = |group: &&ShareGroup| TreeFault::NoParent {
            name: group.name.clone(),
            parent: group.parent.clone(),
        };
        faults.extend(waiting.iter().map(orphan));
        faults
    }

    /// Records the usage of leaves and adds it to all their ancestors, which start at the minimum usage. Records of
    /// groups are ignored. Unknown names are added below `unknown`.
    pub fn record_usage(&mut self, records: &[UsageRecord]) {
        let groups: FxHashSet<EntityId> = self.entities.iter().filter_map(|entity| entity.parent).collect();
        let is_leaf = |entity: EntityId| entity != Self::UNKNOWN && !groups.contains(&entity);
        let mut leaves = Vec::with_capacity(records.len());
        for record in records {
            let known = self.find(&record.name);
            if known.is_none_or(is_leaf) {
                leaves.push((known.unwrap_or_else(|| self.add_unknown(&record.name)), record.usage));
            }
            self.decayed = self.decayed.max(record.decayed);
        }
        self.divide();
        for (leaf, usage) in leaves {
            self.charge(leaf, usage);
            self.usage[leaf] = usage;
        }
    }

    /// Returns the entity with this name. A missing one is added below `unknown`, which changes the shares there.
    pub fn entity(&mut self, name: &Name) -> EntityId {
        self.register([name]);
        self.find(name).unwrap_or(Self::UNKNOWN)
    }

    /// Adds missing names below `unknown`; to be called with the entities of all jobs before any are compared.
    pub fn register<'a>(&mut self, names: impl IntoIterator<Item = &'a Name>) {
        let before = self.entities.len();
        for name in names {
            if self.find(name).is_none() {
                self.add_unknown(name);
            }
        }
        if self.entities.len() > before {
            self.divide();
        }
    }

    fn add_unknown(&mut self, name: &Name) -> EntityId {
        self.add(name.clone(), Some(Self::UNKNOWN), 1.0)
    }

    fn add(&mut self, name: Name, parent: Option<EntityId>, shares: f64) -> EntityId {
        let entity = FairshareEntity { name: name.clone(), parent, shares, part: 1.0, percentage: 1.0 };
        let id = Arc::make_mut(&mut self.entities).push(entity);
        Arc::make_mut(&mut self.by_name).insert(name, id);
        self.usage.push(Self::LEAST_USAGE);
        id
    }

    /// Computes every entity's fraction of the shares; parents come before their children.
    fn divide(&mut self) {
        let entities = Arc::make_mut(&mut self.entities);
        let mut totals: FxHashMap<EntityId, f64> = FxHashMap::default();
        for entity in entities.iter() {
            if let Some(parent) = entity.parent {
                *totals.entry(parent).or_default() += entity.shares;
            }
        }
        for id in entities.ids() {
            let Some(parent) = entities[id].parent else { continue };
            let total = totals.get(&parent).copied().unwrap_or_default();
            let part = if total > 0.0 { entities[id].shares / total } else { 0.0 };
            let part = single(part);
            let percentage = single(entities[parent].percentage * part);
            let entity = &mut entities[id];
            (entity.part, entity.percentage) = (part, percentage);
        }
    }
}

/// Rounds to single precision, as the scheduler stores fractions. This decides between two entities whose usage is in
/// proportion to their shares.
// The loss of precision is the point.
fn single(part: f64) -> f64 {
    f64::from(part as f32)
}
