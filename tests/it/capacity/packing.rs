//! Properties that hold for any jobs on any types.

use proptest::prelude::*;
use qscope::capacity::measure::{Milli, PackingNumber};
use qscope::capacity::packer::{Gang, Packer, PackerPlacement, PackingRules, TypeIx};
use qscope::capacity::shape::CapacityShape;
use qscope::capacity::volume::lower_bound;

use super::literal;

fn kinds() -> impl Strategy<Value = Vec<CapacityShape>> {
    let kind = (1..4_u32, 4..40_i64, 1..9_u32, 4..40_i64, any::<bool>()).prop_map(
        |(hours, memory, cores, disk, preemptible)| CapacityShape {
            wall_time: f64::from(hours) * 900.0,
            memory,
            cores: f64::from(cores),
            disk,
            preemptible,
            ..CapacityShape::default()
        },
    );
    prop::collection::vec(kind, 1..5).prop_map(|mut kinds| {
        kinds.sort_by(CapacityShape::order);
        kinds.dedup_by(|a, b| a == b);
        kinds
    })
}

fn jobs(whole: bool) -> impl Strategy<Value = Vec<CapacityShape>> {
    let wall = prop_oneof![Just(0.0), 1.0..60.0, 60.0..900.0, 900.0..9000.0];
    let job = (wall, 0..45_i64, 0..10_u32, 0..30_i64, any::<bool>(), 1..4_usize).prop_map(
        move |(wall, memory, cores, disk, preemptible, copies)| {
            let wall_time: f64 = if whole { f64::from(wall as u32) } else { wall };
            let cores = if whole { f64::from(cores) } else { f64::from(cores) * 0.3 };
            vec![
                CapacityShape { wall_time, memory, cores, disk, preemptible, ..CapacityShape::default() };
                copies
            ]
        },
    );
    prop::collection::vec(job, 0..60).prop_map(|runs| runs.concat())
}

fn nodes_of<N: PackingNumber>(packer: &Packer<N>) -> literal::Nodes {
    let each = packer.counts().into_iter().enumerate().map(|(ix, count)| {
        let slices = |node| {
            packer.slices(TypeIx(ix as u32), node).map(|(length, free)| literal::Slice {
                length: length.value(),
                memory: free.memory,
                cores: free.cores.value(),
                disk: free.disk,
            })
        };
        (0..count as u32).map(|node| slices(node).collect()).collect()
    });
    each.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Skipping nodes and resuming after the last success change nothing, not a single digit.
    #[test]
    fn shortcuts_are_exact(kinds in kinds(), jobs in jobs(false), target in prop_oneof![Just(0.0), 1.0..5000.0]) {
        let (nodes, unfit) = literal::pack(&kinds, &jobs, target);
        let mut packer = Packer::<f64>::with_types(&kinds, PackingRules { target, ..PackingRules::default() });
        let mut sorted = jobs.clone();
        let placed = packer.pack(&mut sorted).unwrap();
        prop_assert_eq!(nodes_of(&packer), nodes);
        let nowhere: Vec<CapacityShape> =
            sorted.iter().zip(&placed).filter(|(_, placed)| **placed == PackerPlacement::Unfit).map(|(job, _)| *job).collect();
        prop_assert_eq!(nowhere, unfit);
    }

    /// With whole numbers, exact arithmetic gives the same as doubles and never fails its own check.
    #[test]
    fn whole_numbers_need_no_other_arithmetic(kinds in kinds(), mut jobs in jobs(true), target in 0..5000_u32) {
        let rules = PackingRules { target: f64::from(target), ..PackingRules::default() };
        let mut doubles = Packer::<f64>::with_types(&kinds, rules);
        let mut exact = Packer::<Milli>::with_types(&kinds, rules);
        doubles.pack(&mut jobs.clone()).unwrap();
        exact.pack(&mut jobs).unwrap();
        prop_assert_eq!(nodes_of(&doubles), nodes_of(&exact));
        prop_assert_eq!(doubles.assertions(), 0);
    }

    /// Whatever the numbers: integers never fail the check, no slice is over-filled, every fitting job is
    /// placed once by the target time, all its amounts are accounted for, and no result is below its bound.
    #[test]
    fn nothing_is_over_filled_or_lost(
        kinds in kinds(), mut jobs in jobs(false), target in 0.0..5000.0, overflow in any::<bool>(),
    ) {
        let rules = PackingRules { target, overflow, merge_equal: false };
        let mut packer = Packer::<Milli>::with_types(&kinds, rules);
        let placed = packer.pack(&mut jobs).unwrap();
        prop_assert_eq!(packer.assertions(), 0);
        prop_assert_eq!(placed.len(), jobs.len());
        check_slices(&packer, &kinds)?;
        let target = Milli::of(target);
        let mut by_kind: Vec<Vec<(CapacityShape, u64)>> = vec![Vec::new(); kinds.len()];
        for (job, placed) in jobs.iter().zip(&placed) {
            match placed {
                PackerPlacement::On { kind, node, begin } => {
                    prop_assert!(*begin <= target);
                    prop_assert!(packer.type_fits(*kind, job));
                    prop_assert!(u64::from(*node) < packer.counts()[kind.0 as usize]);
                    by_kind[kind.0 as usize].push((*job, 1));
                }
                PackerPlacement::Unfit => prop_assert!((0..kinds.len()).all(|ix| !packer.type_fits(TypeIx(ix as u32), job))),
            }
        }
        for ((jobs, kind), count) in by_kind.iter().zip(&kinds).zip(packer.counts()) {
            prop_assert!(count >= lower_bound(jobs, kind, target.value()));
        }
    }

    /// Gangs begin together by the target time, on nodes of their own when they scatter.
    #[test]
    fn gangs_begin_together(
        kinds in kinds(), chunks in prop::collection::vec((jobs(true), 1..4_u32), 1..12), scatter in any::<bool>(),
    ) {
        let rules = PackingRules { target: 1800.0, overflow: true, merge_equal: false };
        let mut packer = Packer::<Milli>::with_types(&kinds, rules);
        for (shapes, count) in chunks {
            let Some(first) = shapes.first() else { continue };
            let wall_time = first.wall_time;
            let chunks: Vec<_> = shapes.iter().take(3).map(|s| (CapacityShape { wall_time, ..*s }, count)).collect();
            let want: u32 = chunks.iter().map(|(_, count)| count).sum();
            let placed = packer.add_gang(&Gang { chunks, scatter }).unwrap();
            if placed == [PackerPlacement::Unfit] {
                continue;
            }
            prop_assert_eq!(placed.len(), want as usize);
            let seats: Vec<_> = placed.iter().map(|placed| match placed {
                PackerPlacement::On { kind, node, begin } => (kind.0, *node, *begin),
                PackerPlacement::Unfit => unreachable!("a gang is placed whole"),
            }).collect();
            prop_assert!(seats.iter().all(|seat| seat.2 == seats[0].2 && seat.2 <= Milli::of(1800.0)));
            if scatter {
                let mut nodes: Vec<_> = seats.iter().map(|seat| (seat.0, seat.1)).collect();
                nodes.sort_unstable();
                nodes.dedup();
                prop_assert_eq!(nodes.len(), seats.len());
            }
        }
        check_slices(&packer, &kinds)?;
    }
}

fn check_slices(packer: &Packer<Milli>, kinds: &[CapacityShape]) -> Result<(), TestCaseError> {
    for (nodes, kind) in nodes_of(packer).iter().zip(kinds) {
        for slice in nodes.iter().flatten() {
            prop_assert!(slice.memory >= 0 && slice.cores >= 0.0 && slice.disk >= 0, "{slice:?}");
            prop_assert!(slice.memory <= kind.memory && slice.cores <= kind.cores && slice.disk <= kind.disk);
            prop_assert!(slice.length >= 0.0);
        }
    }
    Ok(())
}

/// The amounts the jobs take over time equal what is missing from the nodes: nothing is placed twice or not
/// at all.
#[test]
fn volumes_balance() {
    let kind =
        CapacityShape { wall_time: 3600.0, memory: 100, cores: 10.0, disk: 100, ..CapacityShape::default() };
    let mut jobs: Vec<CapacityShape> = (1..200)
        .map(|n| CapacityShape {
            wall_time: f64::from(n * 37 % 3500 + 1),
            memory: i64::from(n * 7 % 60),
            cores: f64::from(n % 9),
            disk: 1,
            ..CapacityShape::default()
        })
        .collect();
    let mut packer =
        Packer::<Milli>::with_types(&[kind], PackingRules { target: 1800.0, ..PackingRules::default() });
    packer.pack(&mut jobs).unwrap();
    let wanted: f64 = jobs.iter().map(|job| job.wall_time * job.memory as f64).sum();
    let nodes = nodes_of(&packer);
    let missing: f64 =
        nodes[0].iter().flatten().map(|slice| slice.length * (kind.memory - slice.memory) as f64).sum();
    assert!((wanted - missing).abs() < 1e-3, "{wanted} wanted, {missing} taken");
}
