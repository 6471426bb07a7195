//! The lines of the view: the sets of each pool in the order tried; sets of combined values are below the set of the
//! first values, if there is one.

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::wording;
use qscope_engine::cluster::Name;
use qscope_engine::universe::{Plan, Pool, PoolIx, PoolOwner, SetIx, State};

/// A line: the head of a pool, or one of its sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PoolLine {
    Pool(PoolIx, String),
    Set(SetLine),
}

/// A set in the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SetLine {
    pub ix: SetIx,
    pub pool: PoolIx,
    pub name: Name,
    /// Number of bytes at the start of the name that are the name of the set above it.
    pub parent_name_len: usize,
    /// Its place in the order tried, from 1.
    pub place: usize,
    /// Number of its ancestors.
    pub depth: usize,
    /// Number of sets below it.
    pub descendants: usize,
    pub folded: bool,
}

impl SetLine {
    /// The name without that of the set above it: `switch=sw1` below `router=rt4`.
    pub(super) fn own_name(&self) -> &str {
        self.name.get(self.parent_name_len..).unwrap_or(&self.name).trim_start_matches(',')
    }
}

/// The text of the head of a pool.
pub(super) fn heading(line: &PoolLine) -> Option<Cow<'_, str>> {
    match line {
        PoolLine::Pool(_, words) => Some((&**words).into()),
        PoolLine::Set(_) => None,
    }
}

/// The owner of a pool, as in filters.
pub(super) fn owner(state: &State, pool: &Pool) -> String {
    match pool.owner {
        PoolOwner::Server => "server".to_owned(),
        PoolOwner::Queue(queue) => state.plan.snap.queues[queue].name.to_string(),
    }
}

/// The parents of the sets, and the orders that the lines were last made from. Names are compared once per plan, and
/// most steps leave the order unchanged.
#[derive(Debug, Default)]
pub(super) struct SetParents {
    plan: Option<Arc<Plan>>,
    parents: FxHashMap<SetIx, SetIx>,
    /// Sets with children.
    is_above: FxHashSet<SetIx>,
    orders: Vec<Arc<[SetIx]>>,
}

impl SetParents {
    /// Takes over a state; returns whether the lines must be rebuilt.
    pub(super) fn follow(&mut self, state: &State) -> bool {
        let is_known = self.plan.as_ref().is_some_and(|plan| Arc::ptr_eq(plan, &state.plan));
        if !is_known {
            self.plan = Some(state.plan.clone());
            let sorted = state.pools.iter().filter(|pool| pool.ranks.is_some());
            self.parents = sorted.flat_map(|pool| parent_sets(state, pool)).collect();
            self.is_above = self.parents.values().copied().collect();
        }
        let orders = state.pools.iter().map(|pool| &pool.order);
        let same = orders.clone().zip(&self.orders).all(|(now, was)| Arc::ptr_eq(now, was));
        if is_known && same && self.orders.len() == state.pools.len() {
            return false;
        }
        self.orders = orders.cloned().collect();
        true
    }
}

/// Pairs of a set of combined values and its parent: the set of the longest prefix of these values.
fn parent_sets(state: &State, pool: &Pool) -> Vec<(SetIx, SetIx)> {
    let name = |set: &SetIx| &*state.sets[*set].shape.name;
    let named: FxHashMap<&str, SetIx> = pool.sets.iter().map(|set| (name(set), *set)).collect();
    let up = |mut name: &str| loop {
        name = name.rsplit_once(',')?.0;
        if let Some(set) = named.get(name) {
            return Some(*set);
        }
    };
    pool.sets.iter().filter_map(|set| Some((*set, up(name(set))?))).collect()
}

/// Which lines are in the list besides those of an unfolded tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct SetTreeOptions {
    /// Also those below folded sets, because a filter may match them.
    pub whole: bool,
    /// Each is below the set above it, so that its name needs not repeat that of this set.
    pub nested: bool,
}

/// All lines, without those below folded sets.
pub(super) fn lines(
    state: &State,
    families: &SetParents,
    folded: &FxHashSet<Name>,
    shown: SetTreeOptions,
) -> Vec<PoolLine> {
    let mut lines = Vec::new();
    for (at, pool) in state.pools.enumerate() {
        let stale = if pool.refreshed { "" } else { " · sums of the cycle's start" };
        let sets = wording::count(pool.order.len(), "set");
        let whose = match pool.owner {
            PoolOwner::Server => "the server".to_owned(),
            PoolOwner::Queue(_) => format!("queue {}", owner(state, pool)),
        };
        lines.push(PoolLine::Pool(at, format!("pool of {whose}: {sets}{stale}")));
        let tree = SetTree::of(pool, families);
        let mut out = SetLineBuilder { state, pool: at, folded, shown, lines: &mut lines };
        tree.roots.iter().for_each(|root| out.grow(&tree, *root, (0, 0)));
    }
    lines
}

/// The top-level sets and the children of each set, as indices in the order tried.
struct SetTree<'a> {
    order: &'a [SetIx],
    roots: Vec<usize>,
    below: FxHashMap<usize, Vec<usize>>,
}

impl<'a> SetTree<'a> {
    /// Families are in the order in which the first set of each is tried.
    fn of(pool: &'a Pool, parents: &SetParents) -> Self {
        let order = &*pool.order;
        let mut tree = Self { order, roots: Vec::new(), below: FxHashMap::default() };
        if pool.ranks.is_none() {
            tree.roots = (0..order.len()).collect();
            return tree;
        }
        let heads = order.iter().enumerate().filter(|(_, set)| parents.is_above.contains(set));
        let places: FxHashMap<SetIx, usize> = heads.map(|(at, set)| (*set, at)).collect();
        let above = |set: SetIx| places.get(parents.parents.get(&set)?).copied();
        let mut placed = vec![false; order.len()];
        for (at, set) in order.iter().enumerate() {
            let (mut at, mut set) = (at, *set);
            while let Some(seen) = placed.get_mut(at).filter(|seen| !**seen) {
                *seen = true;
                match above(set).and_then(|up| Some((up, *order.get(up)?))) {
                    Some((up, parent)) => {
                        tree.below.entry(up).or_default().push(at);
                        (at, set) = (up, parent);
                    }
                    None => tree.roots.push(at),
                }
            }
        }
        tree
    }

    fn children(&self, at: usize) -> &[usize] {
        self.below.get(&at).map(Vec::as_slice).unwrap_or_default()
    }

    fn count(&self, at: usize) -> usize {
        self.children(at).iter().map(|below| 1 + self.count(*below)).sum()
    }
}

struct SetLineBuilder<'a> {
    state: &'a State,
    pool: PoolIx,
    folded: &'a FxHashSet<Name>,
    shown: SetTreeOptions,
    lines: &'a mut Vec<PoolLine>,
}

impl SetLineBuilder<'_> {
    /// Adds a set and those below it, with its depth and the length of the name above it.
    fn grow(&mut self, tree: &SetTree<'_>, at: usize, (depth, above): (usize, usize)) {
        let Some(ix) = tree.order.get(at).copied() else { return };
        let name = self.state.sets[ix].shape.name.clone();
        let (below, own) = (tree.count(at), name.len());
        let folded = !self.shown.whole && self.folded.contains(&name);
        self.lines.push(PoolLine::Set(SetLine {
            ix,
            pool: self.pool,
            name,
            parent_name_len: if self.shown.nested { above } else { 0 },
            place: at + 1,
            depth,
            descendants: below,
            folded,
        }));
        if !folded {
            tree.children(at).iter().for_each(|below| self.grow(tree, *below, (depth + 1, own)));
        }
    }
}
