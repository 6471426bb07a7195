//! The values of the sort keys on a node at one moment, as integers that compare as the keys do (rule 4.3).

use crate::cluster::{Column, NodeSortKey, NodeSortTerm, SortDirection, SortField};

use crate::universe::nodes::order::key_value;
use crate::universe::{Bit, ConsIx, NodeOccupancy, Plan, TakenAmountFn};

/// The sort keys, with everything resolved that is the same for all nodes.
pub(super) struct ResolvedTerms<'a> {
    plan: &'a Plan,
    occupancy: &'a NodeOccupancy,
    keys: Vec<(SortDirection, ResolvedTerm<'a>)>,
}

/// What one key reads.
enum ResolvedTerm<'a> {
    Priority,
    LastUsed,
    /// A consumable: available and assigned amounts of the nodes.
    Amount {
        ix: ConsIx,
        field: SortField,
        available: &'a Column<Bit, f64>,
        assigned: &'a Column<Bit, f64>,
    },
    /// A resource that jobs do not use up: its value in the snapshot.
    AsRead(&'a NodeSortKey),
}

impl<'a> ResolvedTerms<'a> {
    /// Resolves the keys of the current period.
    pub(super) fn new(plan: &'a Plan, occupancy: &'a NodeOccupancy) -> Self {
        let keys = plan.snap.policy.node_sort_key.get(plan.period);
        let keys = keys.iter().map(|key| (key.direction, ResolvedTerm::of(plan, occupancy, key))).collect();
        Self { plan, occupancy, keys }
    }

    /// Returns the number of values in a row.
    pub(super) fn width(&self) -> usize {
        self.keys.len() + 1
    }

    /// Whether taking from one node may change the values of others.
    pub(super) fn are_kept_elsewhere(&self) -> bool {
        let capacity = &self.plan.capacity;
        self.keys
            .iter()
            .any(|(_, term)| matches!(term, ResolvedTerm::Amount { ix, .. } if capacity.is_shared(*ix)))
    }

    /// Appends the row of a node: one number for each key, then its position in the dump.
    pub(super) fn push_row(&self, bit: Bit, taken: TakenAmountFn<'_>, rows: &mut Vec<u64>) {
        let value = |term: &ResolvedTerm<'_>| term.value(self.plan, self.occupancy, bit, taken);
        rows.extend(self.keys.iter().map(|(direction, term)| match direction {
            SortDirection::Low => comparable(value(term)),
            SortDirection::High => comparable(-value(term)),
        }));
        rows.push(u64::from(self.plan.nodes[bit].id.0));
    }
}

impl<'a> ResolvedTerm<'a> {
    fn of(plan: &'a Plan, floor: &'a NodeOccupancy, key: &'a NodeSortKey) -> Self {
        match &key.term {
            NodeSortTerm::Priority => Self::Priority,
            NodeSortTerm::LastUsed => Self::LastUsed,
            NodeSortTerm::Resource(name, field) => {
                let resource = plan.snap.catalogue.id(name);
                match resource.and_then(|resource| plan.consumables.ix(resource)) {
                    Some(ix) => Self::Amount {
                        ix,
                        field: *field,
                        available: plan.capacity.column(ix),
                        assigned: &floor.assigned[ix],
                    },
                    None => Self::AsRead(key),
                }
            }
        }
    }

    fn value(&self, plan: &Plan, floor: &NodeOccupancy, bit: Bit, taken: TakenAmountFn<'_>) -> f64 {
        let node = || plan.node(bit);
        match self {
            Self::AsRead(key) => key_value(&plan.snap, plan.nodes[bit].id, key),
            Self::Priority => node().priority.unwrap_or(0) as f64,
            Self::LastUsed => node().last_used.map_or(0.0, |at| at.0 as f64),
            Self::Amount { ix, field, available, assigned } => {
                let home = plan.capacity.keeper(*ix, bit);
                let whole = available[bit];
                // A resource that the node lacks is 0, whatever jobs take of it.
                if whole.is_nan() {
                    return 0.0;
                }
                // A node seen from inside a reservation has what the reservation was granted (rule M46).
                let total = floor.granted_of(*ix, bit).unwrap_or(whole);
                let assigned = || assigned[home] - (whole - total) + taken(*ix, home);
                match field {
                    SortField::Total => total,
                    SortField::Assigned => assigned(),
                    SortField::Unused => total - assigned(),
                }
            }
        }
    }
}

/// Converts a number to an integer that compares in the same way; both zeros map to one integer.
fn comparable(value: f64) -> u64 {
    let bits = (value + 0.0).to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_compare_as_they_do() {
        let numbers = [f64::NEG_INFINITY, -2.5, -0.0, 0.0, 1e-300, 3.0, f64::INFINITY];
        for pair in numbers.windows(2) {
            assert_eq!(pair[0].partial_cmp(&pair[1]), Some(comparable(pair[0]).cmp(&comparable(pair[1]))));
        }
    }
}
