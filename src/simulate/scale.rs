//! Vnodes that are ordered when jobs need them, and given back when nothing uses them.
//!
//! After each cycle a [`Need`] states how many more vnodes of each kind would serve what waits. Those of a pool that are
//! not there are ordered, and are ready after their boot time; one that has been empty for the idle time is given back.
//! Within one second a vnode is ready after reservations have started, and goes before jobs arrive (days rule 2).

use std::fmt::Debug;
use std::sync::Arc;

use serde::Serialize;

use qscope_engine::cluster::{Epoch, Name, Seconds, Snapshot};

/// States how many vnodes would serve what waits.
pub trait Need: Debug + Send + Sync {
    /// For each pool, how many more vnodes than those that are there or ordered; more than the pool has counts as all.
    fn more(&self, snap: &Snapshot, pools: &[ScalePool]) -> Vec<u64>;
}

/// What a simulation does about vnodes.
#[derive(Clone, Debug)]
pub struct Scaling {
    /// The vnodes that come and go, by kind.
    pub pools: Vec<ScalePool>,
    /// From the order until a vnode takes jobs.
    pub boot: Seconds,
    /// So long a vnode may be empty before it is given back.
    pub idle: Seconds,
    /// How many are needed.
    pub need: Arc<dyn Need>,
}

/// Vnodes of one kind; all of them are in the snapshot, offline while they are not there.
#[derive(Clone, Debug)]
pub struct ScalePool {
    /// What they are called as a kind.
    pub kind: Name,
    /// The vnodes, in the order in which they are ordered.
    pub nodes: Vec<PoolNode>,
    /// How often one was ordered.
    pub orders: u64,
    /// The most that were there or ordered at one time.
    pub most: usize,
    /// Seconds of all of them from order to return, as far as they were given back.
    pub seconds: i64,
}

/// One vnode of a pool.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PoolNode {
    pub name: Name,
    /// Where it is.
    pub state: PoolState,
}

/// Where a vnode of a pool is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PoolState {
    /// Not there.
    Gone,
    /// Ordered at a moment, and ready at another.
    Booting {
        /// When it was ordered.
        ordered: Epoch,
        /// When it is ready.
        ready: Epoch,
    },
    /// It takes jobs.
    Up {
        /// When it was ordered.
        ordered: Epoch,
        /// Since when nothing runs on it.
        idle: Option<Epoch>,
    },
}

/// What scaling came to, kind by kind.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Scaled {
    pub kind: Name,
    /// How often a vnode was ordered.
    pub orders: u64,
    /// The most that were there or ordered at one time.
    pub most: usize,
    /// Seconds of vnodes from order to return, or to the end of the simulation.
    #[serde(rename = "node_seconds")]
    pub seconds: i64,
}

impl ScalePool {
    /// Vnodes of a kind, none of them there.
    pub fn new(kind: Name, names: impl IntoIterator<Item = Name>) -> Self {
        let nodes = names.into_iter().map(|name| PoolNode { name, state: PoolState::Gone });
        Self { kind, nodes: nodes.collect(), orders: 0, most: 0, seconds: 0 }
    }

    /// How many are there or ordered.
    pub fn held(&self) -> usize {
        self.nodes.iter().filter(|node| node.state != PoolState::Gone).count()
    }

    /// How many are ordered and not ready.
    #[must_use]
    pub fn booting(&self) -> usize {
        self.nodes.iter().filter(|node| matches!(node.state, PoolState::Booting { .. })).count()
    }

    /// Orders so many more, as far as there are any; the names of those.
    fn order(&mut self, count: u64, now: Epoch, ready: Epoch) -> Vec<Name> {
        let gone = self.nodes.iter_mut().filter(|node| node.state == PoolState::Gone);
        let mut names = Vec::new();
        for node in gone.take(usize::try_from(count).unwrap_or(usize::MAX)) {
            node.state = PoolState::Booting { ordered: now, ready };
            names.push(node.name.clone());
        }
        self.orders += names.len() as u64;
        self.most = self.most.max(self.held());
        names
    }
}

impl Scaling {
    /// What it came to until a moment.
    pub fn scaled(&self, now: Epoch) -> Vec<Scaled> {
        let open = |node: &PoolNode| match node.state {
            PoolState::Gone => 0,
            PoolState::Booting { ordered, .. } | PoolState::Up { ordered, .. } => (now - ordered).0,
        };
        let scaled = |pool: &ScalePool| Scaled {
            kind: pool.kind.clone(),
            orders: pool.orders,
            most: pool.most,
            seconds: pool.seconds + pool.nodes.iter().map(open).sum::<i64>(),
        };
        self.pools.iter().map(scaled).collect()
    }

    /// Orders what is needed; the vnodes that are going to be ready, and when.
    pub(crate) fn order(&mut self, snap: &Snapshot) -> (Vec<Name>, Epoch) {
        let ready = snap.now + self.boot;
        let more = self.need.more(snap, &self.pools);
        let ordered =
            self.pools.iter_mut().zip(more).flat_map(|(pool, count)| pool.order(count, snap.now, ready));
        (ordered.collect(), ready)
    }

    fn nodes(&mut self) -> impl Iterator<Item = &mut PoolNode> {
        self.pools.iter_mut().flat_map(|pool| &mut pool.nodes)
    }

    /// A vnode of a pool has booted.
    pub(crate) fn ready(&mut self, name: &Name) {
        if let Some(node) = self.nodes().find(|node| node.name == *name)
            && let PoolState::Booting { ordered, .. } = node.state
        {
            node.state = PoolState::Up { ordered, idle: None };
        }
    }

    /// Whether a vnode has been empty since this moment.
    pub(crate) fn is_idle_since(&self, name: &Name, since: Epoch) -> bool {
        let nodes = || self.pools.iter().flat_map(|pool| &pool.nodes);
        let is_idle_since =
            |node: &PoolNode| matches!(node.state, PoolState::Up { idle: Some(at), .. } if at == since);
        nodes().any(|node| node.name == *name && is_idle_since(node))
    }

    /// A vnode is given back.
    pub(crate) fn give_back(&mut self, name: &Name, now: Epoch) {
        for pool in &mut self.pools {
            for node in pool.nodes.iter_mut().filter(|node| node.name == *name) {
                if let PoolState::Up { ordered, .. } = node.state {
                    pool.seconds += (now - ordered).0;
                    node.state = PoolState::Gone;
                }
            }
        }
    }

    /// Notes which vnodes are empty now; those that have become so.
    pub(crate) fn observe(&mut self, now: Epoch, is_empty: impl Fn(&Name) -> bool) -> Vec<Name> {
        let mut emptied = Vec::new();
        for node in self.nodes() {
            if let PoolState::Up { idle, .. } = &mut node.state {
                match (is_empty(&node.name), &idle) {
                    (true, None) => {
                        *idle = Some(now);
                        emptied.push(node.name.clone());
                    }
                    (false, Some(_)) => *idle = None,
                    _ => {}
                }
            }
        }
        emptied
    }
}
