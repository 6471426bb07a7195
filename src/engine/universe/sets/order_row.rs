//! The row of numbers by which the designed order compares a set, smaller first (rule 5.6 N2).

use crate::cluster::SortField;

use crate::universe::sets::group_order::{GroupOrder, SetSortValue};
use crate::universe::{ConsIx, PlacementSet};

impl GroupOrder {
    pub(in crate::universe) fn row<'a>(&'a self, set: &'a PlacementSet) -> impl Iterator<Item = f64> + 'a {
        let keys = self.terms.iter().map(|term| match term.value {
            // A set without a value is last in both directions.
            SetSortValue::Value(resource) => {
                set.shape.rank(resource).map_or(f64::INFINITY, |rank| term.smaller_first(f64::from(rank)))
            }
            SetSortValue::Sum(ix, field) => term.smaller_first(sum(set, ix, field)),
        });
        let totals = self.ties.into_iter().map(|ix| ix.map_or(0.0, |ix| sum(set, ix, SortField::Total)));
        let free = self.ties.into_iter().map(|ix| ix.and_then(|ix| set.left(ix)).unwrap_or(0.0));
        // Adding zero turns a negative zero into a positive one.
        std::iter::once(-f64::from(set.shape.dims)).chain(keys).chain(totals).chain(free).map(|x| x + 0.0)
    }
}

/// Returns one sum of a set; a resource that no node has counts as zero.
fn sum(set: &PlacementSet, ix: ConsIx, field: SortField) -> f64 {
    let total = Some(set.shape.available[ix]).filter(|total| !total.is_nan()).unwrap_or(0.0);
    match field {
        SortField::Total => total,
        _ if set.is_made_for_good(ix) => 0.0,
        SortField::Assigned => set.assigned[ix],
        SortField::Unused => total - set.assigned[ix],
    }
}
