//! Compares every operation on words with that of `bitvec`.

use super::*;
use bitvec::order::Lsb0;
use bitvec::vec::BitVec;
use proptest::prelude::*;

fn pair() -> impl Strategy<Value = (Vec<bool>, Vec<bool>)> {
    (0usize..258)
        .prop_flat_map(|n| (prop::collection::vec(any::<bool>(), n), prop::collection::vec(any::<bool>(), n)))
}

fn set(bools: &[bool]) -> NodeSet {
    NodeSet::of(bools.len(), (0..bools.len()).filter(|i| bools[*i]).map(Bit::at))
}

fn oracle(bools: &[bool]) -> BitVec<u64, Lsb0> {
    bools.iter().copied().collect()
}

proptest! {
    #[test]
    fn every_kernel_equals_bitvecs_operator((a, b) in pair()) {
        let (x, y, ox, oy) = (set(&a), set(&b), oracle(&a), oracle(&b));
        let check = |name: &str, op: &dyn Fn(&mut NodeSet), requirement: BitVec<u64, Lsb0>| {
            let mut got = x.clone();
            op(&mut got);
            let bits = BitVec::<u64, Lsb0>::from_slice(got.words());
            assert_eq!(bits.get(..got.len).unwrap(), requirement, "{name}");
            assert!(!bits.get(got.len..).unwrap().any(), "{name} leaves dead bits zero");
        };
        check("and", &|s| s.intersect(&y), ox.clone() & oy.clone());
        check("or", &|s| s.unite(&y), ox.clone() | oy.clone());
        check("and not", &|s| s.subtract(&y), ox.clone() & !oy.clone());
        check("common", &|s| *s = x.common(&y), ox.clone() & oy.clone());
        prop_assert_eq!(x.first_common(&y).map(Id::ix), (ox.clone() & oy.clone()).first_one());
        let outside = ox.clone() & !oy.clone();
        prop_assert_eq!(x.count(), ox.count_ones());
        prop_assert_eq!(x.is_empty(), ox.not_any());
        prop_assert_eq!(x.count_common(&y), (ox.clone() & oy.clone()).count_ones());
        prop_assert_eq!(x.intersects(&y), (ox.clone() & oy).any());
        prop_assert_eq!(x.iter().map(Id::ix).collect::<Vec<_>>(), ox.iter_ones().collect::<Vec<_>>());
        prop_assert_eq!(x.first().map(Id::ix), ox.first_one());
        prop_assert_eq!(x.last().map(Id::ix), ox.last_one());
        for from in 0..=a.len() {
            prop_assert_eq!(x.next_from(from).map(Id::ix), ox.iter_ones().find(|i| *i >= from));
            let next = outside.iter_ones().find(|i| *i >= from);
            prop_assert_eq!(x.next_outside(&y, from).map(Id::ix), next);
        }
    }

    #[test]
    fn full_sets_have_no_dead_bits(n in 0usize..258) {
        let full = NodeSet::full(n);
        prop_assert_eq!(full.count(), n);
        prop_assert_eq!(full.last().map(Id::ix), n.checked_sub(1));
    }
}
