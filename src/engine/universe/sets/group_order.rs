//! The designed order of placement sets, `node_group_sort_key`, which no released scheduler has (rule 5.6 N2).
//!
//! The values compared for a set form a row of numbers, smaller first: the (negated) number of keys it combines, one
//! number per sort key, then the four sums of today's order. Equal rows keep the order in which the sets were
//! created, so the order is total and follows from the sums alone.

use std::cmp::Ordering;

use crate::cluster::{
    GroupSortKey, Name, Period, ResourceId, ResourceType, Snapshot, SortDirection, SortField,
};

use crate::universe::{ConsIx, Consumables, Quirk, Quirks};

/// The order in force, and how combinations of keys are made.
#[derive(Clone, PartialEq, Debug)]
pub struct GroupOrder {
    pub(super) terms: Vec<GroupSortTerm>,
    /// Resources whose sums break ties, as in today's order.
    pub(super) ties: [Option<ConsIx>; 2],
    /// Whether subsets of three or more keys are combined too.
    pub partial: bool,
    natural: bool,
}

/// One sort key.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct GroupSortTerm {
    pub(super) value: SetSortValue,
    direction: SortDirection,
}

/// What a sort key reads from a set.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum SetSortValue {
    /// The value that the set's nodes share.
    Value(ResourceId),
    /// A sum over the set's nodes.
    Sum(ConsIx, SortField),
}

/// Returns the sort keys in force: those of the period, if requested explicitly or if the design is followed.
pub(in crate::universe) fn group_sort_keys(
    snap: &Snapshot,
    quirks: Quirks,
    period: Period,
) -> &[GroupSortKey] {
    let in_force = snap.policy.node_group_sort_requested || !quirks.has(Quirk::NoGroupSort);
    if in_force { snap.policy.node_group_sort_key.get(period) } else { &[] }
}

impl GroupOrder {
    /// Returns the order of a cluster, or `None` if today's order is in force.
    pub(in crate::universe) fn of(
        snap: &Snapshot,
        quirks: Quirks,
        period: Period,
        consumables: &Consumables,
        ties: [Option<ConsIx>; 2],
    ) -> Option<Self> {
        let keys = group_sort_keys(snap, quirks, period);
        let term = |key: &GroupSortKey| {
            let resource = snap.catalogue.id(&key.resource)?;
            let value = match snap.catalogue.kind(resource) {
                ResourceType::Text | ResourceType::TextArray => SetSortValue::Value(resource),
                ResourceType::Boolean => return None,
                _ => SetSortValue::Sum(consumables.ix(resource)?, key.field),
            };
            Some(GroupSortTerm { value, direction: key.direction })
        };
        (!keys.is_empty()).then(|| Self {
            terms: keys.iter().filter_map(term).collect(),
            ties,
            partial: snap.policy.node_group_sort_partial,
            natural: snap.policy.node_group_sort_natural,
        })
    }

    /// Returns the number of values in a row.
    pub(in crate::universe) fn width(&self) -> usize {
        1 + self.terms.len() + 4
    }

    /// Returns the number of leading values of a row that starts and ends never change.
    pub(in crate::universe) fn fixed(&self) -> usize {
        let stays = |term: &&GroupSortTerm| {
            matches!(term.value, SetSortValue::Value(_) | SetSortValue::Sum(_, SortField::Total))
        };
        1 + self.terms.iter().take_while(stays).count()
    }

    /// Compares two values of a key as texts: byte by byte, or with runs of digits as numbers.
    pub(in crate::universe) fn compare_values(&self, a: &Name, b: &Name) -> Ordering {
        if self.natural { natural(a, b).then_with(|| a.cmp(b)) } else { a.cmp(b) }
    }
}

impl GroupSortTerm {
    /// Converts a number of a set so that smaller sorts first.
    pub(super) fn smaller_first(self, number: f64) -> f64 {
        match self.direction {
            SortDirection::High => -number,
            SortDirection::Low => number,
        }
    }
}

/// Compares texts with runs of digits as numbers: `sw9` before `sw10`.
fn natural(a: &str, b: &str) -> Ordering {
    let (mut a, mut b) = (a.as_bytes(), b.as_bytes());
    loop {
        let order = match (a, b) {
            ([], []) => return Ordering::Equal,
            ([x, ..], [y, ..]) if x.is_ascii_digit() && y.is_ascii_digit() => {
                let ((one, rest_a), (other, rest_b)) = (number(a), number(b));
                (a, b) = (rest_a, rest_b);
                one.len().cmp(&other.len()).then_with(|| one.cmp(other))
            }
            ([x, rest_a @ ..], [y, rest_b @ ..]) => {
                (a, b) = (rest_a, rest_b);
                x.cmp(y)
            }
            _ => return a.len().cmp(&b.len()),
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

/// Splits off the leading digits, without leading zeros, and returns them and the rest.
fn number(text: &[u8]) -> (&[u8], &[u8]) {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at_checked(digits).unwrap_or((text, &[]));
    let zeros = digits.iter().take_while(|byte| **byte == b'0').count();
    (digits.get(zeros..).unwrap_or_default(), rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_5_6_texts_compare_by_bytes_or_naturally() {
        let mut order = GroupOrder { terms: Vec::new(), ties: [None; 2], partial: false, natural: false };
        let compare = |order: &GroupOrder, a: &str, b: &str| order.compare_values(&a.into(), &b.into());
        assert_eq!(compare(&order, "sw10", "sw9"), Ordering::Less);
        order.natural = true;
        assert_eq!(compare(&order, "sw10", "sw9"), Ordering::Greater);
        assert_eq!(compare(&order, "sw010", "sw10"), Ordering::Less);
        assert_eq!(compare(&order, "r2-sw10", "r10-sw1"), Ordering::Less);
        assert_eq!(compare(&order, "sw", "sw1"), Ordering::Less);
        assert_eq!(compare(&order, "sw1a", "sw1b"), Ordering::Less);
    }
}
