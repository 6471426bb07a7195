//! Properties of every farm: P1 to P7 of packing rule 4, and the engine compared with a literal reading of
//! the rules. Statements that are not properties (relaxed fills at least as well as exclusive, cost grows
//! with the lifetime, ...) are not asserted anywhere.

use proptest::prelude::*;
use qscope::cluster::{Column, Id};
use qscope::farm::grid::grid_at;
use qscope::farm::record::{FarmRecording, FarmStart};
use qscope::farm::{
    ClassNo, FarmJob, FarmNode, FarmOptions, FarmPolicy, FarmRun, FarmRunOptions, JobNo, NodeNo, Resident,
    SufficientNodes, Workload, run,
};

use super::literal;

/// Classes A and B pack, C does not.
const CLASSES: [&str; 3] = ["A", "B", "C"];

fn node() -> impl Strategy<Value = (u32, Option<u64>)> {
    (prop_oneof![Just(4u32), Just(8), 1u32..9], prop_oneof![3 => Just(None), 1 => (0u64..20).prop_map(Some)])
}

fn job() -> impl Strategy<Value = FarmJob> {
    let run = prop_oneof![1 => Just(0u32), 9 => 1u32..600, 2 => 600u32..4000];
    let slots = prop_oneof![6 => Just(1u32), 2 => 2u32..5];
    let memory = prop_oneof![4 => Just(0u64), 1 => 1u64..12];
    let priority = prop_oneof![5 => Just(0i32), 1 => -2i32..3];
    (0i64..900, run, 0u32..3, slots, memory, priority).prop_map(
        |(submit, run, class, slots, memory, priority)| FarmJob {
            submit,
            run,
            class: ClassNo(class),
            slots,
            priority,
            memory,
        },
    )
}

fn farm() -> impl Strategy<Value = Workload> {
    (prop::collection::vec(node(), 1..7), prop::collection::vec(job(), 0..45)).prop_map(|(nodes, jobs)| {
        Workload {
            nodes: nodes
                .into_iter()
                .enumerate()
                .map(|(at, (slots, memory))| FarmNode { name: format!("n{at}").into(), slots, memory })
                .collect(),
            classes: CLASSES.iter().map(|name| (*name).into()).collect(),
            jobs: jobs.into(),
            ..Workload::default()
        }
    })
}

/// Generates a farm on which jobs run at the start, each on a node with room for it.
fn warm_farm() -> impl Strategy<Value = Workload> {
    let resident = (0usize..6, 0u32..3, -900i64..1, 1i64..900);
    (farm(), prop::collection::vec(resident, 0..8)).prop_map(|(mut farm, residents)| {
        let mut used = vec![0; farm.nodes.len()];
        for (at, (node, class, start, end)) in residents.into_iter().enumerate() {
            let node = node % farm.nodes.len();
            if used[node] < farm.nodes[NodeNo::at(node)].slots {
                used[node] += 1;
                let (class, node) = (ClassNo(class), NodeNo::at(node));
                let id = format!("r{at}").into();
                farm.residents.push(Resident { id, class, node, start, end, slots: 1, memory: 0 });
            }
        }
        farm
    })
}

fn policy() -> impl Strategy<Value = FarmPolicy> {
    prop_oneof![
        Just(FarmPolicy::Plain),
        Just(FarmPolicy::Relaxed),
        Just(FarmPolicy::Exclusive),
        Just(FarmPolicy::Spread),
        (0i64..1200).prop_map(FarmPolicy::Ttl)
    ]
}

const PACKING: [ClassNo; 2] = [ClassNo(0), ClassNo(1)];

fn simulated(farm: &Workload, ask: FarmRunOptions) -> FarmRun {
    run(farm, &farm.arrivals(), ask.keep_series(farm.classes.ids().collect()), || true).unwrap()
}

fn under(farm: &Workload, policy: FarmPolicy) -> FarmRun {
    simulated(farm, FarmRunOptions::with_one_policy(farm, &PACKING, policy))
}

fn kept(run: &FarmRun) -> &FarmRecording {
    run.recording.as_ref().unwrap()
}

fn starts(run: &FarmRun) -> Vec<(JobNo, NodeNo, i64)> {
    let table = &kept(run).assignment;
    let start = |job: &JobNo| table.starts[*job].map(|FarmStart { at, node }| (*job, node, at)).unwrap();
    table.order.iter().map(start).collect()
}

/// Returns the starts of a job where another class of `PACKING` ran, by the literal rules.
fn beside_packers(farm: &Workload, policy: FarmPolicy) -> Vec<usize> {
    let of = |class: ClassNo| if PACKING.contains(&class) { policy } else { FarmPolicy::Plain };
    let found = literal::simulate(farm, &of);
    assert_eq!(starts(&under(farm, policy)), found.starts);
    found.beside_packers
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// The engine, with its bitmaps and lanes, agrees with the literal rules.
    #[test]
    fn the_engine_follows_the_letter_of_the_rules(farm in warm_farm(), policies in prop::array::uniform3(policy())) {
        let mixed: Vec<_> = farm.classes.ids().zip(policies).collect();
        let run = simulated(&farm, FarmRunOptions::with_class_policies(&farm, &mixed));
        let of = |class: ClassNo| policies[class.ix()];
        let found = literal::simulate(&farm, &of);
        prop_assert_eq!(starts(&run), found.starts);
        let rows = &kept(&run).series.rows;
        let rows: Vec<_> = rows.iter().map(|row| (row.t, row.used, row.pending, row.busy, row.held)).collect();
        prop_assert_eq!(rows, found.samples);
    }

    /// P1: a lifetime of 0 is relaxed, an infinite one is exclusive.
    #[test]
    fn lifetimes_have_their_limits(farm in farm()) {
        for (ttl, limit) in [(0, FarmPolicy::Relaxed), (1 << 40, FarmPolicy::Exclusive)] {
            let (one, other) = (under(&farm, FarmPolicy::Ttl(ttl)), under(&farm, limit));
            prop_assert_eq!(&kept(&one).assignment, &kept(&other).assignment);
            prop_assert_eq!(&kept(&one).series, &kept(&other).series);
        }
    }

    /// P2: from an empty farm, relaxed and exclusive do the same until relaxed places a job next to a packer.
    #[test]
    fn an_empty_farm_fills_the_same_way(farm in farm()) {
        let (relaxed, exclusive) = (under(&farm, FarmPolicy::Relaxed), under(&farm, FarmPolicy::Exclusive));
        let (a, b) = (starts(&relaxed), starts(&exclusive));
        match beside_packers(&farm, FarmPolicy::Relaxed).first() {
            Some(first) => prop_assert_eq!(&a[..*first], &b[..*first]),
            None => prop_assert_eq!(a, b),
        }
    }

    /// P3: exclusive starts no job next to a packer of another class.
    #[test]
    fn exclusive_keeps_others_out(farm in farm()) {
        prop_assert!(beside_packers(&farm, FarmPolicy::Exclusive).is_empty());
    }

    /// P4: the packing index is above 0 and at most 1, wherever it is defined.
    #[test]
    fn the_index_is_a_share(farm in warm_farm(), policy in policy()) {
        let run = under(&farm, policy);
        let sufficient = SufficientNodes::of(&farm.nodes);
        let series = &kept(&run).series;
        for at in 0..series.rows.len() {
            for cell in series.cells(at) {
                let least = sufficient.nodes(u64::from(cell.slots));
                prop_assert_eq!(least == 0, cell.nodes == 0);
                prop_assert!(least <= cell.nodes && cell.mixed <= cell.nodes);
            }
        }
        for class in farm.classes.ids() {
            prop_assert!(run.summary.index(class).is_none_or(|index| index > 0.0 && index <= 1.0));
        }
    }

    /// P5: the slot-seconds are the same under every policy, and equal to what the jobs request.
    #[test]
    fn work_is_conserved(farm in farm(), policy in policy()) {
        let asked = |run: &FarmRun| -> i128 {
            starts(run).iter().map(|(job, ..)| {
                let job = &farm.jobs[*job];
                i128::from(job.slots) * i128::from(job.run)
            }).sum()
        };
        let (one, other) = (under(&farm, policy), under(&farm, FarmPolicy::Relaxed));
        prop_assert_eq!(asked(&one), asked(&other));
        for run in [&one, &other] {
            prop_assert_eq!(kept(run).series.slot_seconds(i64::from(u32::MAX)), asked(run));
        }
    }

    /// P6: no node takes more than it has, and the same input gives the same output.
    #[test]
    fn no_node_is_overfilled_and_nothing_is_by_chance(farm in warm_farm(), policy in policy()) {
        let run = under(&farm, policy);
        for row in &kept(&run).series.rows {
            let policies = &run.options.policies;
            let grid = grid_at(&farm, policies, FarmOptions::default().anchor, &kept(&run).assignment, row.t);
            let used: u64 = grid.iter().map(|view| u64::from(view.used())).sum();
            let held = grid.iter().filter(|view| !view.holders.is_empty()).count();
            prop_assert_eq!(used, row.used);
            prop_assert_eq!(held, row.held as usize);
            prop_assert!(grid.enumerate().all(|(node, view)| view.used() <= farm.nodes[node].slots));
        }
        let again = under(&farm, policy);
        prop_assert_eq!(format!("{:?}", again.recording), format!("{:?}", run.recording));
        prop_assert_eq!(format!("{:?}", again.summary), format!("{:?}", run.summary));
    }

    /// P7: other names of the classes change nothing but the names.
    #[test]
    fn names_of_classes_do_not_matter(farm in warm_farm(), turn in 0u32..3, policies in prop::array::uniform3(policy())) {
        let renamed = |class: ClassNo| ClassNo((class.0 + turn) % 3);
        let mut other = farm.clone();
        let jobs: Vec<FarmJob> = farm.jobs.iter().map(|job| FarmJob { class: renamed(job.class), ..*job }).collect();
        other.jobs = Column::from(jobs);
        for resident in &mut other.residents {
            resident.class = renamed(resident.class);
        }
        let mixed: Vec<_> = farm.classes.ids().zip(policies).collect();
        let turned: Vec<_> = mixed.iter().map(|(class, policy)| (renamed(*class), *policy)).collect();
        let (one, two) = (simulated(&farm, FarmRunOptions::with_class_policies(&farm, &mixed)), simulated(&other, FarmRunOptions::with_class_policies(&other, &turned)));
        prop_assert_eq!(&kept(&one).assignment, &kept(&two).assignment);
        prop_assert_eq!(&kept(&one).series.rows, &kept(&two).series.rows);
        for class in farm.classes.ids() {
            prop_assert_eq!(one.summary.index(class), two.summary.index(renamed(class)));
        }
    }
}
