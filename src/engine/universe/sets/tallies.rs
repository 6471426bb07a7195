//! The sums of sets side by side, one column per amount: a job examines hundreds of sets, and thousands of
//! jobs do.

use std::cmp::Ordering;

use crate::cluster::{Column, Id, ResourceId};

use crate::universe::{Against, Availability, BitSet, ConsIx, PlacementSet, Plan, SetIx, Tri};

/// The sums of many sets, by the number of the set; always equal to those of the sets themselves.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Tallies {
    now: TallySums,
    all: TallySums,
    /// Nodes that are free or busy later, and buckets.
    open: Column<SetIx, u32>,
    buckets: Column<SetIx, u16>,
    /// Sets of which some node has a boolean True, and those of which some node has it False or not at all.
    booleans: Vec<(ResourceId, BitSet<SetIx>, BitSet<SetIx>)>,
}

/// Nodes and amounts by set.
#[derive(Clone, PartialEq, Debug, Default)]
struct TallySums {
    nodes: Column<SetIx, i32>,
    amounts: Column<ConsIx, Column<SetIx, f64>>,
}

impl Tallies {
    /// The sums of these sets, numbered as they stand.
    pub fn of(plan: &Plan, sets: &[PlacementSet]) -> Self {
        let amounts = |amount: &dyn Fn(ConsIx, &PlacementSet) -> f64| {
            plan.consumables.ids().map(|ix| sets.iter().map(|set| amount(ix, set)).collect()).collect()
        };
        let total = |set: &PlacementSet| i32::try_from(set.total_nodes()).unwrap_or(i32::MAX);
        Self {
            open: sets.iter().map(PlacementSet::open).collect(),
            buckets: sets.iter().map(PlacementSet::bucket_count).collect(),
            booleans: booleans(plan, sets),
            now: TallySums {
                nodes: sets.iter().map(|set| set.free_nodes).collect(),
                amounts: amounts(&|ix, set| left(plan, ix, set)),
            },
            all: TallySums {
                nodes: sets.iter().map(total).collect(),
                amounts: amounts(&|ix, set| available(plan, ix, set)),
            },
        }
    }

    fn sums(&self, against: Against) -> &TallySums {
        match against {
            Against::Now => &self.now,
            Against::Total => &self.all,
        }
    }

    /// How many nodes each set has.
    pub fn nodes(&self, against: Against) -> &[i32] {
        self.sums(against).nodes.as_slice()
    }

    /// What each set has of a consumable; endless where none of its nodes has it and that means no limit.
    pub fn amounts(&self, against: Against, ix: ConsIx) -> &[f64] {
        self.sums(against).amounts[ix].as_slice()
    }

    /// How many nodes of each set's buckets are free or busy later.
    pub fn open(&self) -> &[u32] {
        self.open.as_slice()
    }

    /// How many buckets each set has.
    pub fn buckets(&self) -> &[u16] {
        self.buckets.as_slice()
    }

    /// The sets of which some node has a boolean so; none for what is no boolean.
    pub fn boolean(&self, resource: ResourceId, value: bool) -> Option<&BitSet<SetIx>> {
        let (_, some_true, some_false) = self.booleans.iter().find(|(have, ..)| *have == resource)?;
        Some(if value { some_true } else { some_false })
    }

    /// Today's order of two sets (rule 5.3) that have every amount by which sets are compared: that of
    /// [`compare_sets`](super::set::compare_sets), without reading the sets.
    pub(in crate::universe) fn compare(&self, plan: &Plan, a: SetIx, b: SetIx) -> Ordering {
        let columns = || plan.set_order.iter().flatten();
        let in_all = columns().map(|ix| {
            let total = &self.all.amounts[*ix];
            (total[a], total[b])
        });
        let now = columns().map(|ix| {
            let left = &self.now.amounts[*ix];
            (left[a].max(0.0), left[b].max(0.0))
        });
        let orders = in_all.chain(now).map(|(a, b)| a.partial_cmp(&b).unwrap_or(Ordering::Equal));
        orders.into_iter().find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    /// Counts a node of a set that moved within its buckets.
    pub(in crate::universe) fn move_open(&mut self, set: SetIx, from: Availability, to: Availability) {
        self.open[set] = self.open[set] + u32::from(to.is_open()) - u32::from(from.is_open());
    }

    /// Takes over what a set has left of a consumable.
    pub(in crate::universe) fn take_left(
        &mut self,
        plan: &Plan,
        number: SetIx,
        ix: ConsIx,
        set: &PlacementSet,
    ) {
        self.now.amounts[ix][number] = left(plan, ix, set);
    }

    /// Takes over how many of a set's nodes are free.
    pub(in crate::universe) fn take_free(&mut self, number: SetIx, set: &PlacementSet) {
        self.now.nodes[number] = set.free_nodes;
    }
}

fn booleans(plan: &Plan, sets: &[PlacementSet]) -> Vec<(ResourceId, BitSet<SetIx>, BitSet<SetIx>)> {
    let which = |resource: ResourceId, is_so: fn(Tri) -> bool| {
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
    if plan.unset_ok.contains(&plan.consumables.resource(ix)) { f64::INFINITY } else { 0.0 }
}

/// What a set has left of a consumable; below zero where more is assigned than there is.
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
