//! Vnodes that are ordered when jobs need them, and returned when they are idle.
//!
//! After each cycle a [`DemandEstimator`] determines how many more vnodes of each kind would serve the waiting jobs. Absent
//! vnodes of the pool are ordered and become ready after the boot time; a vnode that has been empty for the idle time
//! is returned. Within one second, a vnode becomes ready after reservations start and is removed before jobs arrive
//! (days rule 2).

use std::fmt::Debug;
use std::sync::Arc;

use serde::Serialize;

use qscope_engine::cluster::{Epoch, Name, Seconds, Snapshot};

/// Determines how many vnodes would serve the waiting jobs.
pub trait DemandEstimator: Debug + Send + Sync {
    /// Returns for each pool the number of vnodes needed in addition to those present or ordered; larger numbers than
    /// the pool has are allowed.
    fn more(&self, snap: &Snapshot, pools: &[ScalePool]) -> Vec<u64>;
}

/// Settings and pools for ordering vnodes.
#[derive(Clone, Debug)]
pub struct Scaling {
    /// Vnodes that can be ordered, by kind.
    pub pools: Vec<ScalePool>,
    /// Time from the order until a vnode takes jobs.
    pub boot: Seconds,
    /// Time for which a vnode may be empty before it is returned.
    pub idle: Seconds,
    /// Determines the number needed.
    pub need: Arc<dyn DemandEstimator>,
}

/// Vnodes of one kind; all are in the snapshot, offline while they are absent.
#[derive(Clone, Debug)]
pub struct ScalePool {
    pub kind: Name,
    /// The vnodes, in the order in which they are ordered.
    pub nodes: Vec<PoolNode>,
    /// Number of orders.
    pub orders: u64,
    /// Maximum number present or ordered at one time.
    pub max_nodes: usize,
    /// Total seconds from order to return, of vnodes already returned.
    pub seconds: i64,
}

/// One vnode of a pool.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PoolNode {
    pub name: Name,
    pub state: PoolNodeState,
}

/// State of a vnode of a pool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PoolNodeState {
    /// Absent.
    Gone,
    /// Ordered, not ready yet.
    Booting {
        /// Time of the order.
        ordered: Epoch,
        /// Time at which it becomes ready.
        ready: Epoch,
    },
    /// Present; takes jobs.
    Up {
        /// Time of the order.
        ordered: Epoch,
        /// Time since which nothing has run on it.
        idle: Option<Epoch>,
    },
}

/// Result of ordering vnodes of one kind.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ScalingResult {
    pub kind: Name,
    /// Number of orders.
    pub orders: u64,
    /// Maximum number present or ordered at one time.
    pub most: usize,
    /// Total seconds from order to return, or to the end of the simulation.
    #[serde(rename = "node_seconds")]
    pub seconds: i64,
}

impl ScalePool {
    /// Creates a pool of absent vnodes.
    pub fn new(kind: Name, names: impl IntoIterator<Item = Name>) -> Self {
        let nodes = names.into_iter().map(|name| PoolNode { name, state: PoolNodeState::Gone });
        Self { kind, nodes: nodes.collect(), orders: 0, max_nodes: 0, seconds: 0 }
    }

    /// Returns the number of vnodes present or ordered.
    pub fn node_count(&self) -> usize {
        self.nodes.iter().filter(|node| node.state != PoolNodeState::Gone).count()
    }

    /// Returns the number of vnodes ordered and not ready.
    #[must_use]
    pub fn booting(&self) -> usize {
        self.nodes.iter().filter(|node| matches!(node.state, PoolNodeState::Booting { .. })).count()
    }

    /// Orders up to `count` vnodes and returns their names.
    fn order(&mut self, count: u64, now: Epoch, ready: Epoch) -> Vec<Name> {
        let gone = self.nodes.iter_mut().filter(|node| node.state == PoolNodeState::Gone);
        let mut names = Vec::new();
        for node in gone.take(usize::try_from(count).unwrap_or(usize::MAX)) {
            node.state = PoolNodeState::Booting { ordered: now, ready };
            names.push(node.name.clone());
        }
        self.orders += names.len() as u64;
        self.max_nodes = self.max_nodes.max(self.node_count());
        names
    }
}

impl Scaling {
    /// Returns the result up to a time.
    pub fn scaled(&self, now: Epoch) -> Vec<ScalingResult> {
        let open = |node: &PoolNode| match node.state {
            PoolNodeState::Gone => 0,
            PoolNodeState::Booting { ordered, .. } | PoolNodeState::Up { ordered, .. } => (now - ordered).0,
        };
        let scaled = |pool: &ScalePool| ScalingResult {
            kind: pool.kind.clone(),
            orders: pool.orders,
            most: pool.max_nodes,
            seconds: pool.seconds + pool.nodes.iter().map(open).sum::<i64>(),
        };
        self.pools.iter().map(scaled).collect()
    }

    /// Orders the vnodes needed; returns their names and when they will be ready.
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

    /// Records that a vnode of a pool has booted.
    pub(crate) fn ready(&mut self, name: &Name) {
        if let Some(node) = self.nodes().find(|node| node.name == *name)
            && let PoolNodeState::Booting { ordered, .. } = node.state
        {
            node.state = PoolNodeState::Up { ordered, idle: None };
        }
    }

    /// Whether a vnode has been empty since exactly this time.
    pub(crate) fn is_idle_since(&self, name: &Name, since: Epoch) -> bool {
        let nodes = || self.pools.iter().flat_map(|pool| &pool.nodes);
        let is_idle_since =
            |node: &PoolNode| matches!(node.state, PoolNodeState::Up { idle: Some(at), .. } if at == since);
        nodes().any(|node| node.name == *name && is_idle_since(node))
    }

    /// Records that a vnode is returned.
    pub(crate) fn give_back(&mut self, name: &Name, now: Epoch) {
        for pool in &mut self.pools {
            for node in pool.nodes.iter_mut().filter(|node| node.name == *name) {
                if let PoolNodeState::Up { ordered, .. } = node.state {
                    pool.seconds += (now - ordered).0;
                    node.state = PoolNodeState::Gone;
                }
            }
        }
    }

    /// Records which vnodes are empty and returns those that have become so.
    pub(crate) fn observe(&mut self, now: Epoch, is_empty: impl Fn(&Name) -> bool) -> Vec<Name> {
        let mut emptied = Vec::new();
        for node in self.nodes() {
            if let PoolNodeState::Up { idle, .. } = &mut node.state {
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
