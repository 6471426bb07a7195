//! The lines of the view: each pool's sets in the order tried, those of combined values below the set of the first
//! values, where there is one.

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::wording;
use qscope_engine::cluster::Name;
use qscope_engine::universe::{Plan, Pool, PoolIx, PoolOwner, SetIx, State};

/// A line: the head of a pool, or a set of one.
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
    /// Its place in the order tried, from 1.
    pub place: usize,
    /// How many sets it stands below.
    pub depth: usize,
    /// How many sets stand below it.
    pub below: usize,
    pub folded: bool,
}

/// The text of the head of a pool.
pub(super) fn heading(line: &PoolLine) -> Option<Cow<'_, str>> {
    match line {
        PoolLine::Pool(_, words) => Some((&**words).into()),
        PoolLine::Set(_) => None,
    }
}

/// Whose pool it is, as filters know it.
pub(super) fn owner(state: &State, pool: &Pool) -> String {
    match pool.owner {
        PoolOwner::Server => "server".to_owned(),
        PoolOwner::Queue(queue) => state.plan.snap.queues[queue].name.to_string(),
    }
}

/// Which set stands below which, and of what the lines were made last: names are compared once for each cluster, and
/// most steps leave the order as it is.
#[derive(Debug, Default)]
pub(super) struct Families {
    plan: Option<Arc<Plan>>,
    above: FxHashMap<SetIx, SetIx>,
    /// Sets that others stand below.
    is_above: FxHashSet<SetIx>,
    orders: Vec<Arc<[SetIx]>>,
}

impl Families {
    /// Takes over a state; whether the lines have to be made anew.
    pub(super) fn follow(&mut self, state: &State) -> bool {
        let is_known = self.plan.as_ref().is_some_and(|plan| Arc::ptr_eq(plan, &state.plan));
        if !is_known {
            self.plan = Some(state.plan.clone());
            let sorted = state.pools.iter().filter(|pool| pool.ranks.is_some());
            self.above = sorted.flat_map(|pool| above(state, pool)).collect();
            self.is_above = self.above.values().copied().collect();
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

/// The set that each set of combined values stands below: that of its first values, as many as there are a set for.
fn above(state: &State, pool: &Pool) -> Vec<(SetIx, SetIx)> {
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

/// All lines but those below folded sets; `whole` shows them too, since a filter may mean them.
pub(super) fn lines(
    state: &State,
    families: &Families,
    folded: &FxHashSet<Name>,
    whole: bool,
) -> Vec<PoolLine> {
    let mut lines = Vec::new();
    for (at, pool) in state.pools.enumerate() {
        let stale = if pool.refreshed { "" } else { " · sums of the cycle's start" };
        let sets = wording::count(pool.order.len(), "set");
        lines.push(PoolLine::Pool(
            at,
            format!("pool of {}: {sets}{stale} · here: how its free nodes lie", owner(state, pool)),
        ));
        let tree = Tree::of(pool, families);
        let mut out = Growing { state, pool: at, folded, whole, lines: &mut lines };
        tree.roots.iter().for_each(|root| out.grow(&tree, *root, 0));
    }
    lines
}

/// Places in the order tried: the sets at the top, and those below each.
struct Tree<'a> {
    order: &'a [SetIx],
    roots: Vec<usize>,
    below: FxHashMap<usize, Vec<usize>>,
}

impl<'a> Tree<'a> {
    /// Families stand in the order in which the first of each is tried.
    fn of(pool: &'a Pool, families: &Families) -> Self {
        let order = &*pool.order;
        let mut tree = Self { order, roots: Vec::new(), below: FxHashMap::default() };
        if pool.ranks.is_none() {
            tree.roots = (0..order.len()).collect();
            return tree;
        }
        let heads = order.iter().enumerate().filter(|(_, set)| families.is_above.contains(set));
        let places: FxHashMap<SetIx, usize> = heads.map(|(at, set)| (*set, at)).collect();
        let above = |set: SetIx| places.get(families.above.get(&set)?).copied();
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

    fn below(&self, at: usize) -> &[usize] {
        self.below.get(&at).map(Vec::as_slice).unwrap_or_default()
    }

    fn count(&self, at: usize) -> usize {
        self.below(at).iter().map(|below| 1 + self.count(*below)).sum()
    }
}

struct Growing<'a> {
    state: &'a State,
    pool: PoolIx,
    folded: &'a FxHashSet<Name>,
    whole: bool,
    lines: &'a mut Vec<PoolLine>,
}

impl Growing<'_> {
    fn grow(&mut self, tree: &Tree<'_>, at: usize, depth: usize) {
        let Some(ix) = tree.order.get(at).copied() else { return };
        let name = self.state.sets[ix].shape.name.clone();
        let below = tree.count(at);
        let folded = !self.whole && self.folded.contains(&name);
        self.lines.push(PoolLine::Set(SetLine {
            ix,
            pool: self.pool,
            name,
            place: at + 1,
            depth,
            below,
            folded,
        }));
        if !folded {
            tree.below(at).iter().for_each(|below| self.grow(tree, *below, depth + 1));
        }
    }
}
