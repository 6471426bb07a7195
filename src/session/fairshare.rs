//! The fair share tree at a position of a cycle: shares, usage, and whose jobs go first (rules 1.11, 6.5).
//!
//! Usage is that of the files, decayed up to now, plus the charges for starts and top jobs of the cycle so far.

mod jobs;
mod notes;
mod position;

use serde::Serialize;

use qscope_engine::cluster::{Epoch, Seconds, Snapshot};
use qscope_engine::cycle::Run;
use qscope_engine::cycle::fairshare::{EntityId, FairshareTree};
use qscope_engine::universe::State;
use qscope_explain::words::{clock, duration};

use jobs::{EntityJobs, ShareJob};
pub use position::{ShareLevel, SharePosition, ShareRival, ShareSibling};

/// The whole tree at a position of a cycle.
#[derive(Clone, Debug, Serialize)]
pub struct FairshareSnapshot {
    /// Whether usage orders the jobs in this period.
    pub fair_share: bool,
    /// Kind of entity for which usage is counted.
    pub fairshare_entity: String,
    /// Formula of usage.
    pub fairshare_usage_res: String,
    /// How often usage decays.
    pub decay_time: Seconds,
    /// Factor by which usage is multiplied when it decays.
    pub decay_factor: f64,
    /// When usage last decayed; null if no file shows it.
    pub last_decay: Option<Epoch>,
    /// Number of jobs considered.
    pub after_step: usize,
    /// What is unknown, and what prevents the tree from having an effect, one clause each.
    pub notes: Vec<String>,
    /// Every entity, each before its members, the root first.
    pub entities: Vec<ShareEntity>,
    #[serde(skip)]
    tree: FairshareTree,
    #[serde(skip)]
    jobs: Vec<ShareJob>,
}

/// An entity of the tree.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ShareEntity {
    pub entity: String,
    /// Name of its group; null for the root.
    pub parent: Option<String>,
    /// Number of levels below the root.
    pub depth: usize,
    /// Whether it is a group: the root, an entity with members, or that of the unknown entities.
    pub group: bool,
    /// As configured.
    pub shares: f64,
    /// Its fraction of the shares of its group, 0 to 1.
    pub of_group: f64,
    /// Its fraction of the whole tree, 0 to 1: `fairshare_perc`.
    pub of_tree: f64,
    /// Its usage; for a group, that of all entities below it.
    pub usage: f64,
    /// Its fraction of the usage of its group, 0 to 1.
    pub used_of_group: f64,
    /// Usage added by the cycle so far.
    pub charged: f64,
    /// Its share of the whole usage; with more usage it is over its share.
    pub allowed: f64,
    /// `over` or `under` its share, or `none` where it has no share.
    pub state: &'static str,
    /// Its usage relative to its share, compared where the paths of two jobs diverge; null without a share.
    pub burden: Option<f64>,
    /// `fairshare_tree_usage`.
    pub tree_usage: f64,
    /// `fairshare_factor`.
    pub factor: f64,
    pub running: usize,
    /// Number of its waiting jobs; an array counts once.
    pub waiting: usize,
    /// Its next job in the order considered; null if none is left.
    pub next_job: Option<String>,
    #[serde(skip)]
    id: EntityId,
}

impl FairshareSnapshot {
    /// Returns the tree after `steps` steps of a cycle; `state` must be at that position.
    pub fn at(run: &Run, state: &State, steps: usize) -> Self {
        let plan = &run.plan;
        let policy = &plan.snap.policy.fairshare;
        let (start, tree) = (run.shares_after(0), run.shares_after(steps));
        let jobs = EntityJobs::of(run, state, steps, &tree);
        let level = GroupUsage::of(&tree);
        let entity = |(id, depth)| ShareEntity::of(&tree, &start, &jobs, &level, id, depth);
        let entities = depth_first(&tree).into_iter().map(entity).collect();
        Self {
            fair_share: run.setup.order.fair_share,
            fairshare_entity: policy.entity.to_string(),
            fairshare_usage_res: policy.usage_res.to_string(),
            decay_time: policy.decay_time,
            decay_factor: policy.decay_factor,
            last_decay: tree.decayed(),
            after_step: steps,
            notes: notes::notes(run, &tree, &jobs),
            entities,
            jobs: jobs.into_jobs(),
            tree,
        }
    }

    /// Returns in one line what counts as usage, how it decays, and what is unknown.
    pub fn summary(&self, snap: &Snapshot) -> String {
        let decay = match self.decay_factor {
            0.5 => format!("halved every {}", duration(self.decay_time)),
            factor => format!("times {factor} every {}", duration(self.decay_time)),
        };
        let last = self.last_decay.map(|at| format!(", last {}", clock(snap, at))).unwrap_or_default();
        let (entity, usage) = (&self.fairshare_entity, &self.fairshare_usage_res);
        let usage = format!("entity {entity}, usage {usage}, {decay}{last}");
        std::iter::once(usage).chain(self.notes.iter().cloned()).collect::<Vec<_>>().join(" · ")
    }

    /// Returns the entity with this name.
    pub fn named(&self, name: &str) -> Option<&ShareEntity> {
        let id = self.tree.find(name)?;
        self.entities.iter().find(|entity| entity.id == id)
    }
}

impl ShareEntity {
    fn of(
        tree: &FairshareTree,
        start: &FairshareTree,
        jobs: &EntityJobs,
        level: &GroupUsage,
        id: EntityId,
        depth: usize,
    ) -> Self {
        let entity = &tree.entities()[id];
        let usage = tree.usage(id);
        Self {
            entity: entity.name.to_string(),
            parent: entity.parent.map(|parent| tree.entities()[parent].name.to_string()),
            depth,
            group: level.is_group(id),
            shares: entity.shares,
            of_group: entity.part,
            of_tree: entity.percentage,
            usage,
            used_of_group: level.part(tree, id),
            charged: usage - start.usage(id),
            allowed: tree.usage(FairshareTree::ROOT) * entity.percentage,
            state: match (tree.has_zero_shares(id), tree.is_over_share(id)) {
                (true, _) => "none",
                (false, true) => "over",
                (false, false) => "under",
            },
            burden: finite(tree.burden(id)),
            tree_usage: tree.tree_usage(id),
            factor: tree.factor(id),
            running: jobs.count(id).running,
            waiting: jobs.count(id).waiting,
            next_job: jobs.count(id).next.clone(),
            id,
        }
    }

    /// Returns its usage relative to what it may use, above 1 if it is over its share; `None` without a share.
    pub fn used(&self) -> Option<f64> {
        (self.allowed > 0.0).then(|| self.usage / self.allowed)
    }

    /// Whether it is the root, which has no siblings and the whole tree as its share.
    pub fn is_root(&self) -> bool {
        self.parent.is_none()
    }
}

/// Total usage of the members of each group.
struct GroupUsage(Vec<Option<f64>>);

impl GroupUsage {
    fn of(tree: &FairshareTree) -> Self {
        let mut sums = vec![None; tree.entities().len()];
        for (id, entity) in tree.entities().enumerate() {
            let place = entity.parent.and_then(|parent| sums.get_mut(parent.0 as usize));
            if let Some(sum) = place {
                *sum = Some(sum.unwrap_or(0.0) + tree.usage(id));
            }
        }
        Self(sums)
    }

    fn sum(&self, id: EntityId) -> Option<f64> {
        self.0.get(id.0 as usize).copied().flatten()
    }

    fn is_group(&self, id: EntityId) -> bool {
        id == FairshareTree::ROOT || id == FairshareTree::UNKNOWN || self.sum(id).is_some()
    }

    /// Returns the fraction of an entity in the usage of its group; 1 for the root.
    fn part(&self, tree: &FairshareTree, id: EntityId) -> f64 {
        let sum = tree.entities()[id].parent.and_then(|parent| self.sum(parent));
        sum.filter(|sum| *sum > 0.0).map_or(1.0, |sum| tree.usage(id) / sum)
    }
}

/// Returns every entity with its depth, each before its members; members in the order of the file, the unknown ones
/// last.
fn depth_first(tree: &FairshareTree) -> Vec<(EntityId, usize)> {
    let mut members: Vec<Vec<EntityId>> = vec![Vec::new(); tree.entities().len()];
    for (id, entity) in tree.entities().enumerate() {
        let place = entity.parent.and_then(|parent| members.get_mut(parent.0 as usize));
        if let Some(members) = place {
            members.push(id);
        }
    }
    let mut found = Vec::with_capacity(members.len());
    let mut open = vec![(FairshareTree::ROOT, 0)];
    while let Some((id, depth)) = open.pop() {
        found.push((id, depth));
        let below = members.get(id.0 as usize).map(Vec::as_slice).unwrap_or_default();
        let (unknown, known): (Vec<EntityId>, Vec<EntityId>) =
            below.iter().partition(|member| **member == FairshareTree::UNKNOWN);
        // Reversed, since entities are taken from the end.
        open.extend(unknown.into_iter().chain(known.into_iter().rev()).map(|member| (member, depth + 1)));
    }
    found
}

/// Formats usage, or usage relative to a share: rounded to a whole number from 100 on, else with few digits.
pub fn usage_words(usage: f64) -> String {
    if usage.abs() >= 100.0 || usage.fract() == 0.0 { format!("{usage:.0}") } else { format!("{usage:.2}") }
}

/// Formats usage relative to a share.
pub fn burden_words(burden: Option<f64>) -> String {
    burden.map_or_else(|| "no share".to_owned(), usage_words)
}

/// Returns a finite number; `None` for the infinite burden of an entity without a share.
fn finite(burden: f64) -> Option<f64> {
    burden.is_finite().then_some(burden)
}

/// Formats a fraction in percent, as `2.5 %`.
pub fn percent_words(part: f64) -> String {
    match part * 100.0 {
        0.0 => "0 %".to_owned(),
        percent if percent < 0.05 => "<0.1 %".to_owned(),
        percent if percent >= 99.95 => format!("{percent:.0} %"),
        percent => format!("{percent:.1} %"),
    }
}

#[cfg(test)]
mod tests;
