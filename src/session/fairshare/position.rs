//! Compares one entity with the others: the numbers at each level, and who goes before it.

use std::cmp::Ordering;

use serde::Serialize;

use qscope_engine::cluster::JobId;
use qscope_engine::cycle::fairshare::{EntityId, FairshareTree};

use super::{FairshareSnapshot, ShareEntity, finite};

/// Position of an entity.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct SharePosition {
    /// The levels from below the root down to the entity.
    pub levels: Vec<ShareLevel>,
    /// Other entities with waiting jobs: those that go before it, then those compared as equal, then those after it;
    /// those decided higher in the tree first.
    pub rivals: Vec<ShareRival>,
    /// Its waiting jobs, in the order of the dump.
    #[serde(skip)]
    pub waiting: Vec<JobId>,
    /// Its running jobs, in the order of the dump.
    #[serde(skip)]
    pub running: Vec<JobId>,
}

/// An entity on the path, with its siblings.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ShareLevel {
    pub entity: String,
    /// Number of levels below the root.
    pub depth: usize,
    pub usage: f64,
    /// Its fraction of the whole tree, 0 to 1.
    pub of_tree: f64,
    /// Its usage relative to its share; null without a share.
    pub burden: Option<f64>,
    /// Its rank among its siblings, from 1; equal ones share a rank.
    pub place: usize,
    /// The entity and its siblings, in the order in which they go.
    pub siblings: Vec<ShareSibling>,
}

/// An entity compared with others of its group.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ShareSibling {
    pub entity: String,
    /// Its usage relative to its share; null without a share.
    pub burden: Option<f64>,
    /// Number of its waiting jobs.
    pub waiting: usize,
}

/// Another entity, and where the two paths diverge.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ShareRival {
    pub entity: String,
    /// `before`, `equal` or `after`.
    pub goes: &'static str,
    /// Number of levels below the root at which the two paths diverge.
    pub depth: usize,
    /// The entity compared there on the path of this one, and its usage relative to its share; null without a share.
    pub own: String,
    pub own_burden: Option<f64>,
    /// The same for the path of the other.
    pub other: String,
    pub other_burden: Option<f64>,
    pub waiting: usize,
    /// The next of them in the order considered.
    pub next_job: Option<String>,
}

impl FairshareSnapshot {
    /// Returns the position of an entity.
    pub fn position_of(&self, of: &ShareEntity) -> SharePosition {
        let is_below = |entity: EntityId| self.tree.path(entity).contains(&of.id);
        let below: Vec<_> = self.jobs.iter().filter(|job| is_below(job.entity)).collect();
        SharePosition {
            levels: self.levels(of.id),
            rivals: self.rivals(of.id),
            waiting: below.iter().filter(|job| job.waits).map(|job| job.job).collect(),
            running: below.iter().filter(|job| job.running > 0).map(|job| job.job).collect(),
        }
    }

    fn levels(&self, id: EntityId) -> Vec<ShareLevel> {
        let path = self.tree.path(id);
        let level = |(depth, at): (usize, &EntityId)| {
            let entity = &self.tree.entities()[*at];
            let burden = self.tree.burden(*at);
            let is_sibling = |other: &&ShareEntity| self.tree.entities()[other.id].parent == entity.parent;
            let mut siblings: Vec<&ShareEntity> = self.entities.iter().filter(is_sibling).collect();
            siblings.sort_by(|a, b| self.tree.burden(a.id).total_cmp(&self.tree.burden(b.id)));
            let place = siblings.iter().filter(|other| self.tree.burden(other.id) < burden).count() + 1;
            let sibling = |other: &&ShareEntity| ShareSibling {
                entity: other.entity.clone(),
                burden: other.burden,
                waiting: other.waiting,
            };
            ShareLevel {
                entity: entity.name.to_string(),
                depth,
                usage: self.tree.usage(*at),
                of_tree: entity.percentage,
                burden: finite(burden),
                place,
                siblings: siblings.iter().map(sibling).collect(),
            }
        };
        path.iter().enumerate().skip(1).map(level).collect()
    }

    fn rivals(&self, id: EntityId) -> Vec<ShareRival> {
        let waits = |other: &&ShareEntity| !other.group && other.waiting > 0;
        let found = self.entities.iter().filter(waits).filter_map(|other| self.rival(id, other));
        let mut found: Vec<(Ordering, f64, ShareRival)> = found.collect();
        found.sort_by(|a, b| {
            let by_depth = || a.2.depth.cmp(&b.2.depth);
            a.0.cmp(&b.0).then_with(by_depth).then_with(|| a.1.total_cmp(&b.1))
        });
        found.into_iter().map(|(_, _, rival)| rival).collect()
    }

    /// Returns how another entity compares, and the key by which it is sorted among those with the same result.
    fn rival(&self, id: EntityId, other: &ShareEntity) -> Option<(Ordering, f64, ShareRival)> {
        let (theirs, own) = self.tree.fork(other.id, id)?;
        let order = self.tree.compare(other.id, id);
        let name = |entity: EntityId| self.tree.entities()[entity].name.to_string();
        let (own_burden, burden) = (self.tree.burden(own), self.tree.burden(theirs));
        let rival = ShareRival {
            entity: other.entity.clone(),
            goes: match order {
                Ordering::Less => "before",
                Ordering::Equal => "equal",
                Ordering::Greater => "after",
            },
            depth: depth_of(&self.tree, own),
            own: name(own),
            own_burden: finite(own_burden),
            other: name(theirs),
            other_burden: finite(burden),
            waiting: other.waiting,
            next_job: other.next_job.clone(),
        };
        Some((order, burden, rival))
    }
}

fn depth_of(tree: &FairshareTree, entity: EntityId) -> usize {
    tree.path(entity).len().saturating_sub(1)
}
