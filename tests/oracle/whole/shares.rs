//! The fair share tree (rules 1.11, 6.5).

use qscope_engine::cluster::{Name, Snapshot};

/// One entity or group.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    pub(crate) name: Name,
    pub(crate) parent: Option<usize>,
    shares: f64,
    usage: f64,
    /// Its share of the whole, from 0 to 1, in single precision, by which ties are broken.
    pub(crate) percentage: f32,
}

/// The tree; row 0 is the root, row 1 the group of unknown entities.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shares {
    pub(crate) rows: Vec<Leaf>,
}

impl Shares {
    pub(crate) fn read(snap: &Snapshot) -> Self {
        let row = |name: &str, parent, shares| Leaf {
            name: name.into(),
            parent,
            shares,
            usage: 1.0,
            percentage: 0.0,
        };
        let mut tree = Self { rows: vec![row("root", None, 1.0)] };
        tree.rows.push(row("unknown", Some(0), snap.policy.fairshare.unknown_shares));
        let mut left: Vec<_> = snap.share_groups.iter().collect();
        while let Some(at) = left.iter().position(|group| tree.find(&group.parent).is_some()) {
            let group = left.remove(at);
            let parent = tree.find(&group.parent);
            tree.rows.push(row(&group.name, parent, group.shares));
        }
        for record in &snap.usage {
            let at = tree.find_or_add(&record.name);
            tree.rows[at].usage = 1.0;
            tree.add(at, record.usage, 1.0);
        }
        tree.decay(snap);
        tree
    }

    fn decay(&mut self, snap: &Snapshot) {
        let policy = &snap.policy.fairshare;
        let Some(decayed) = snap.usage.iter().find_map(|record| record.decayed) else { return };
        let times = if policy.decay_time.0 > 0 { (snap.now.0 - decayed.0) / policy.decay_time.0 } else { 0 };
        for _ in 0..times.clamp(0, 10_000) {
            for row in &mut self.rows {
                row.usage = (row.usage * policy.decay_factor).max(1.0);
            }
        }
    }

    fn find(&self, name: &str) -> Option<usize> {
        let name = if name == "TREEROOT" { "root" } else { name };
        self.rows.iter().position(|row| *row.name == *name)
    }

    /// Returns an entity; one that is not in the tree is added under the unknown group.
    pub(crate) fn find_or_add(&mut self, name: &str) -> usize {
        self.find(name).unwrap_or_else(|| {
            let (name, parent) = (name.into(), Some(1));
            self.rows.push(Leaf { name, parent, shares: 1.0, usage: 1.0, percentage: 0.0 });
            self.rows.len() - 1
        })
    }

    /// Raises the usage of an entity and of all its ancestors; `base` is the initial usage of the entity,
    /// which is not counted twice.
    fn add(&mut self, at: usize, usage: f64, base: f64) {
        self.rows[at].usage += usage - base;
        let mut above = self.rows[at].parent;
        while let Some(row) = above {
            self.rows[row].usage += usage;
            above = self.rows[row].parent;
        }
    }

    /// Adds the usage of a job that started or was planned to its entity and all ancestors.
    pub(crate) fn charge(&mut self, at: usize, usage: f64) {
        self.add(at, usage, 0.0);
    }

    /// Computes each entity's share of the whole.
    pub(crate) fn measure(&mut self) {
        for at in 0..self.rows.len() {
            self.rows[at].percentage = self.percentage(at);
        }
    }

    fn percentage(&self, at: usize) -> f32 {
        let Some(parent) = self.rows[at].parent else { return 1.0 };
        self.group_percentage(at) * self.percentage(parent)
    }

    fn group_percentage(&self, at: usize) -> f32 {
        let siblings = self.rows.iter().filter(|row| row.parent == self.rows[at].parent);
        let sum: f64 = siblings.map(|row| row.shares).sum();
        if sum > 0.0 { self.rows[at].shares as f32 / sum as f32 } else { 0.0 }
    }

    /// Returns whether an entity has used more than its share of all usage.
    pub(crate) fn is_over(&self, at: usize) -> bool {
        self.rows[at].usage > f64::from(self.rows[at].percentage) * self.rows[0].usage
    }

    /// Returns the tree usage as formulas use it: an entity's own, moved towards its group's by its share of
    /// the group.
    pub(crate) fn tree_usage(&self, at: usize) -> f64 {
        let own = self.rows[at].usage / self.rows[0].usage;
        match self.rows[at].parent {
            None | Some(0) => own,
            Some(parent) => own + (self.tree_usage(parent) - own) * f64::from(self.group_percentage(at)),
        }
    }

    /// Returns 2 to the power of minus usage divided by share.
    pub(crate) fn factor(&self, at: usize) -> f64 {
        let share = f64::from(self.rows[at].percentage);
        if share > 0.0 { 2f64.powf(-(self.tree_usage(at) / share)) } else { 0.0 }
    }

    fn path(&self, at: usize) -> Vec<usize> {
        let mut path = vec![at];
        while let Some(parent) = self.rows[path[0]].parent {
            path.insert(0, parent);
        }
        path
    }

    /// Orders entities by who is served first: at the first level where the paths differ, less usage per
    /// share; without shares, last.
    pub(crate) fn compare(&self, a: usize, b: usize) -> std::cmp::Ordering {
        use std::cmp::Ordering;
        let (left, right) = (self.path(a), self.path(b));
        let Some((x, y)) = left.iter().zip(&right).find(|(x, y)| x != y) else { return Ordering::Equal };
        let ratio = |row: &Leaf| row.usage / f64::from(row.percentage);
        match (self.rows[*x].percentage > 0.0, self.rows[*y].percentage > 0.0) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => Ordering::Equal,
            _ => ratio(&self.rows[*x]).partial_cmp(&ratio(&self.rows[*y])).unwrap_or(Ordering::Equal),
        }
    }
}
