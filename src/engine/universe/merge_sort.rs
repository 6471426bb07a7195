//! The sort for orders that may not be total: a top-down merge sort in which the left item wins a tie.
//!
//! Set order skips a comparison when one side lacks the resource (rule 5.3), so it is not a total order: the standard
//! library's sorts may panic on it, and different algorithms give different results. This is the algorithm of the
//! real scheduler's C library.

use std::cmp::Ordering;

/// Sorts `items` by `compare`, which need not be a total order.
pub fn merge_sort<T: Clone>(items: &mut [T], compare: &mut impl FnMut(&T, &T) -> Ordering) {
    if let [first, second] = items {
        if compare(first, second) == Ordering::Greater {
            items.swap(0, 1);
        }
        return;
    }
    let half = items.len() / 2;
    if half == 0 {
        return;
    }
    let Some((left, right)) = items.split_at_mut_checked(half) else { return };
    merge_sort(left, compare);
    merge_sort(right, compare);
    let merged = merge(left, right, compare);
    items.clone_from_slice(&merged);
}

/// Merges two sorted runs; the left item wins a tie.
fn merge<T: Clone>(left: &[T], right: &[T], compare: &mut impl FnMut(&T, &T) -> Ordering) -> Vec<T> {
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left, right);
    while let ([a, after_a @ ..], [b, after_b @ ..]) = (left, right) {
        if compare(a, b) == Ordering::Greater {
            merged.push(b.clone());
            right = after_b;
        } else {
            merged.push(a.clone());
            left = after_a;
        }
    }
    merged.extend_from_slice(left);
    merged.extend_from_slice(right);
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn equals_a_stable_sort_on_total_orders(mut v in prop::collection::vec((0u8..5, any::<u8>()), 0..60)) {
            let mut requirement = v.clone();
            requirement.sort_by_key(|x| x.0);
            merge_sort(&mut v, &mut |a, b| a.0.cmp(&b.0));
            prop_assert_eq!(v, requirement);
        }

        #[test]
        fn survives_orders_that_are_not_transitive(mut v in prop::collection::vec(prop::option::of(0u8..5), 0..60)) {
            let mut count = v.clone();
            merge_sort(&mut v, &mut |a, b| match (a, b) { (Some(a), Some(b)) => a.cmp(b), _ => Ordering::Equal });
            count.sort();
            let mut got = v.clone();
            got.sort();
            prop_assert_eq!(got, count);
        }
    }

    #[test]
    fn ties_keep_the_left_one_first() {
        let mut v = vec![(1, 'a'), (0, 'b'), (1, 'c'), (0, 'd')];
        merge_sort(&mut v, &mut |a, b| a.0.cmp(&b.0));
        assert_eq!(v, [(0, 'b'), (0, 'd'), (1, 'a'), (1, 'c')]);
    }
}
