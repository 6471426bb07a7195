//! The sums of sets, one column per amount, for speed: thousands of jobs examine hundreds of sets each.

use std::cmp::Ordering;

use crate::cluster::{Column, Id, ResourceId};

use crate::universe::{AmountBasis, Availability, BitSet, BooleanValues, ConsIx, PlacementSet, Plan, SetIx};

/// Sums of many sets by set index; always equal to those of the sets themselves.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Tallies {
    current: TallySums,
    all: TallySums,
    /// Number of open nodes and number of buckets of each set.
    open_nodes: Column<SetIx, u32>,
    buckets: Column<SetIx, u16>,
    /// Per boolean, the sets in which some node has it True, and those in which some node has it False or unset.
    booleans: Vec<(ResourceId, BitSet<SetIx>, BitSet<SetIx>)>,
}

/// Nodes and amounts by set.
#[derive(Clone, PartialEq, Debug, Default)]
struct TallySums {
    nodes: Column<SetIx, i32>,
    amounts: Column<ConsIx, Column<SetIx, f64>>,
}

impl Tallies {
    /// Computes the sums of these sets, numbered in the order given.
    pub fn of(plan: &Plan, sets: &[PlacementSet]) -> Self {
        let amounts = |amount: &dyn Fn(ConsIx, &PlacementSet) -> f64| {
            plan.consumables.ids().map(|ix| sets.iter().map(|set| amount(ix, set)).collect()).collect()
        };
        let total = |set: &PlacementSet| i32::try_from(set.total_nodes()).unwrap_or(i32::MAX);
        Self {
            open_nodes: sets.iter().map(PlacementSet::open).collect(),
            buckets: sets.iter().map(PlacementSet::bucket_count).collect(),
            booleans: booleans(plan, sets),
            current: TallySums {
                nodes: sets.iter().map(|set| set.free_nodes).collect(),
                amounts: amounts(&|ix, set| left(plan, ix, set)),
            },
            all: TallySums {
                nodes: sets.iter().map(total).collect(),
                amounts: amounts(&|ix, set| available(plan, ix, set)),
            },
        }
    }

    fn sums(&self, against: AmountBasis) -> &TallySums {
        match against {
            AmountBasis::Now => &self.current,
            AmountBasis::Total => &self.all,
        }
    }

    /// Returns the number of nodes of each set.
    pub fn nodes(&self, against: AmountBasis) -> &[i32] {
        self.sums(against).nodes.as_slice()
    }

    /// Returns each set's amount of a consumable; infinity if no node has it and unset means unlimited.
    pub fn amounts(&self, basis: AmountBasis, ix: ConsIx) -> &[f64] {
        self.sums(basis).amounts[ix].as_slice()
    }

    /// Returns the number of open nodes in each set's buckets.
    pub fn open(&self) -> &[u32] {
        self.open_nodes.as_slice()
    }

    /// Returns the number of buckets of each set.
    pub fn buckets(&self) -> &[u16] {
        self.buckets.as_slice()
    }

    /// Returns the sets in which some node has this value of a boolean; `None` if the resource is not a boolean.
    pub fn boolean(&self, resource: ResourceId, value: bool) -> Option<&BitSet<SetIx>> {
        let (_, some_true, some_false) = self.booleans.iter().find(|(have, ..)| *have == resource)?;
        Some(if value { some_true } else { some_false })
    }

    /// Compares two sets in today's order (rule 5.3); both must have all amounts by which sets are compared. Gives
    /// the result of [`compare_sets`](super::set::compare_sets) without reading the sets.
    pub(in crate::universe) fn compare(&self, plan: &Plan, a: SetIx, b: SetIx) -> Ordering {
        let columns = || plan.set_order.iter().flatten();
        let in_all = columns().map(|ix| {
            let total = &self.all.amounts[*ix];
            (total[a], total[b])
        });
        let now = columns().map(|ix| {
            let left = &self.current.amounts[*ix];
            (left[a].max(0.0), left[b].max(0.0))
        });
        let orders = in_all.chain(now).map(|(a, b)| a.partial_cmp(&b).unwrap_or(Ordering::Equal));
        orders.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    /// Updates the open nodes of a set after one of its nodes moved between bitmaps.
    pub(in crate::universe) fn move_open(&mut self, set: SetIx, from: Availability, to: Availability) {
        self.open_nodes[set] = self.open_nodes[set] + u32::from(to.is_open()) - u32::from(from.is_open());
    }

    /// Updates a set's amounts of a consumable.
    pub(in crate::universe) fn take_amounts(
        &mut self,
        plan: &Plan,
        number: SetIx,
        ix: ConsIx,
        set: &PlacementSet,
    ) {
        self.current.amounts[ix][number] = left(plan, ix, set);
        self.all.amounts[ix][number] = available(plan, ix, set);
    }

    /// Updates the number of free nodes of a set.
    pub(in crate::universe) fn take_free(&mut self, number: SetIx, set: &PlacementSet) {
        self.current.nodes[number] = set.free_nodes;
    }
}

fn booleans(plan: &Plan, sets: &[PlacementSet]) -> Vec<(ResourceId, BitSet<SetIx>, BitSet<SetIx>)> {
    let which = |resource: ResourceId, is_so: fn(BooleanValues) -> bool| {
        let so = |(at, set): (usize, &PlacementSet)| is_so(set.boolean(resource)).then_some(SetIx::at(at));
        BitSet::of(sets.len(), sets.iter().enumerate().filter_map(so))
    };
    let of = |resource: &ResourceId| {
        (*resource, which(*resource, |tri| tri.some_true), which(*resource, |tri| tri.some_false))
    };
    plan.booleans.iter().map(of).collect()
}

fn available(plan: &Plan, ix: ConsIx, set: &PlacementSet) -> f64 {
    let total = set.shape.available[ix];
    if !total.is_nan() {
        return total;
    }
    let is_endless = plan.unset_ok.contains(&plan.consumables.resource(ix)) && !set.is_made_for_good(ix);
    if is_endless { f64::INFINITY } else { 0.0 }
}

/// Returns what a set has left of a consumable; negative if more is assigned than available.
fn left(plan: &Plan, ix: ConsIx, set: &PlacementSet) -> f64 {
    let total = set.shape.available[ix];
    if !total.is_nan() {
        total - set.assigned[ix]
    } else if set.is_made_by_start(ix) {
        0.0
    } else {
        available(plan, ix, set)
    }
}
