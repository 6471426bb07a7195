//! Deviations of a simulation from the rules (packing rules R6 and R12): each option on a farm small enough
//! to follow by hand.

use qscope::farm::record::FarmStart;
use qscope::farm::{
    ClassNo, FarmJob, FarmNode, FarmOptions, FarmPolicy, FarmRunOptions, HoldAnchor, Workload, run,
};

const P: ClassNo = ClassNo(0);
const OTHER: ClassNo = ClassNo(1);

fn farm(nodes: &[u32], jobs: &[(ClassNo, i64, u32, u32)]) -> Workload {
    let node =
        |(at, slots): (usize, &u32)| FarmNode { name: format!("n{at}").into(), slots: *slots, memory: None };
    let job = |(class, submit, run, slots): &(ClassNo, i64, u32, u32)| FarmJob {
        submit: *submit,
        run: *run,
        class: *class,
        slots: *slots,
        priority: 0,
        memory: 0,
    };
    Workload {
        nodes: nodes.iter().enumerate().map(node).collect(),
        classes: ["P", "o"].iter().map(|name| (*name).into()).collect(),
        jobs: jobs.iter().map(job).collect(),
        ..Workload::default()
    }
}

/// Returns node and second of each start.
fn starts(farm: &Workload, policy: FarmPolicy, options: FarmOptions) -> Vec<Option<(u32, i64)>> {
    let mut ask = FarmRunOptions::with_one_policy(farm, &[P], policy).keep_series(vec![P, OTHER]);
    ask.options = options;
    let run = run(farm, &farm.arrivals(), ask, || true).unwrap();
    let start = |start: &Option<FarmStart>| start.map(|FarmStart { at, node }| (node.0, at));
    run.recording.unwrap().assignment.starts.iter().map(start).collect()
}

#[test]
fn the_first_that_cannot_start_stops_all_behind_it_in_order() {
    let farm = farm(&[2], &[(OTHER, 0, 100, 1), (OTHER, 1, 100, 2), (OTHER, 2, 10, 1)]);
    let free = starts(&farm, FarmPolicy::Relaxed, FarmOptions::default());
    assert_eq!(free, [Some((0, 0)), Some((0, 100)), Some((0, 2))]);
    let strict = starts(&farm, FarmPolicy::Relaxed, FarmOptions { fifo: true, ..FarmOptions::default() });
    assert_eq!(strict, [Some((0, 0)), Some((0, 100)), Some((0, 200))]);
}

#[test]
fn jobs_wait_for_the_next_cycle() {
    let farm = farm(&[1], &[(OTHER, 0, 10, 1), (OTHER, 1, 10, 1), (OTHER, 125, 10, 1)]);
    let got = starts(&farm, FarmPolicy::Relaxed, FarmOptions { cycle: Some(60), ..FarmOptions::default() });
    assert_eq!(got, [Some((0, 0)), Some((0, 60)), Some((0, 180))]);
}

#[test]
fn a_class_is_seen_where_it_was_at_the_last_publication() {
    // The second P job and the foreign one come before it is published where the first P job runs.
    let farm = farm(
        &[4, 4],
        &[(P, 1, 1000, 1), (P, 2, 1000, 1), (OTHER, 3, 1000, 1), (P, 70, 1000, 1), (OTHER, 71, 10, 1)],
    );
    let known = starts(&farm, FarmPolicy::Exclusive, FarmOptions::default());
    assert_eq!(known, [Some((0, 1)), Some((0, 2)), Some((1, 3)), Some((0, 70)), Some((1, 71))]);
    let late =
        starts(&farm, FarmPolicy::Exclusive, FarmOptions { publish: Some(60), ..FarmOptions::default() });
    assert_eq!(late[..3], [Some((0, 1)), Some((1, 2)), Some((0, 3))]);
    // At 60 both nodes are known as the class's: the foreign job of second 71 waits until they are vacated.
    assert_eq!(late[3], Some((1, 70)));
    assert!(late[4].unwrap().1 >= 1001, "{late:?}");
}

#[test]
fn a_hold_is_renewed_by_the_last_start_or_counts_from_the_first() {
    let jobs = [(P, 0, 1000, 1), (P, 50, 1000, 1), (OTHER, 60, 10, 1)];
    let farm = farm(&[4], &jobs);
    let last = starts(&farm, FarmPolicy::Ttl(100), FarmOptions::default());
    assert_eq!(last[2], Some((0, 150)));
    let first = starts(
        &farm,
        FarmPolicy::Ttl(100),
        FarmOptions { anchor: HoldAnchor::First, ..FarmOptions::default() },
    );
    assert_eq!(first[2], Some((0, 100)));
}

#[test]
fn of_its_own_nodes_a_job_may_take_the_fullest() {
    // Both nodes get a P job; then node 0 a second one.
    let jobs = [(P, 0, 1000, 3), (P, 1, 1000, 2), (P, 2, 1000, 1)];
    let farm = farm(&[4, 4], &jobs);
    assert_eq!(starts(&farm, FarmPolicy::Relaxed, FarmOptions::default())[2], Some((1, 2)));
    let full =
        starts(&farm, FarmPolicy::Relaxed, FarmOptions { fullest_first: true, ..FarmOptions::default() });
    assert_eq!(full[2], Some((0, 2)));
}
