use std::sync::Arc;

use super::*;
use qscope_engine::cluster::{
    Epoch, ExecVnode, Id, JobId, JobState, Node, NodeId, NodeState, NodeStates, Place, QueueId, ResourceId,
    ResourceList, ResourceType, Value,
};
use qscope_engine::cycle::run_cycle;
use qscope_engine::universe::Quirks;

fn list(ncpus: &str) -> ResourceList {
    let mut list = ResourceList::default();
    list.set(ResourceId::ncpus(), Value::parse(ResourceType::Long, ncpus).unwrap());
    list
}

fn cluster() -> Snapshot {
    let mut snap = Snapshot::empty("t", Epoch(0));
    let node = |name: &str, jobs: &[&str]| Node {
        name: name.into(),
        jobs: jobs.iter().map(|job| (*job).into()).collect(),
        available: list("8"),
        ..Node::default()
    };
    snap.nodes = [node("n1", &[]), node("n2", &[]), node("n3", &[]), node("n4", &[])].into_iter().collect();
    snap.queues = ["workq", "big"].map(Queue::named).into_iter().collect();
    snap
}

fn found(snap: Snapshot) -> Vec<(AlertKind, Vec<String>)> {
    let run = run_cycle(Arc::new(snap), Quirks::default());
    let all = alerts(&run);
    all.iter().map(|alert| (alert.kind, alert.objects().map(str::to_owned).collect())).collect()
}

#[test]
fn a_quiet_cluster_has_none() {
    assert_eq!(found(cluster()), []);
}

#[test]
fn what_is_off_stopped_away_or_overfull_is_named() {
    let mut snap = cluster();
    snap.server.scheduling = Some(false);
    snap.queues[QueueId::at(1)].started = false;
    let mut states = |at, state| {
        let id = NodeId::at(at);
        snap.nodes[id].states = NodeStates::FREE.with(state);
    };
    states(0, NodeState::Offline);
    states(1, NodeState::Offline);
    states(2, NodeState::Stale);
    snap.nodes[NodeId::at(3)].assigned = list("12");
    let run = run_cycle(Arc::new(snap.clone()), Quirks::default());
    let all = alerts(&run);
    let sentence = |kind: AlertKind| {
        all.iter().find(|alert| alert.kind == kind).map(|alert| alert.items[0].sentence.clone()).unwrap()
    };
    assert_eq!(sentence(AlertKind::SchedulingOff), "scheduling off: 0 jobs would start");
    assert_eq!(sentence(AlertKind::Oversubscribed), "more is assigned on n4 than it has: ncpus 12 of 8");
    assert_eq!(
        sentence(AlertKind::StoppedQueue),
        "queue big is stopped: no job waits in it; it still takes new ones"
    );
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        found(snap),
        [
            (AlertKind::SchedulingOff, names(&[])),
            (AlertKind::Oversubscribed, names(&["n4"])),
            (AlertKind::Down, names(&["n3"])),
            (AlertKind::Offline, names(&["n1", "n2"])),
            (AlertKind::StoppedQueue, names(&["big"])),
        ]
    );
}

#[test]
fn the_queue_of_a_reservation_to_come_is_stopped_as_it_should_be() {
    let mut snap = cluster();
    snap.queues[QueueId::at(1)].started = false;
    let mut reservation =
        Reservation { name: "R1.s".into(), queue: Some("big".into()), ..Reservation::default() };
    for (state, expected) in [(ReservationState::Confirmed, 0), (ReservationState::Running, 1)] {
        reservation.state = state;
        snap.reservations = [reservation.clone()].into_iter().collect();
        assert_eq!(found(snap.clone()).len(), expected, "{state:?}");
    }
}

#[test]
fn two_jobs_on_a_node_that_one_wants_alone_are_a_double_booking() {
    let mut snap = cluster();
    let job = |name: &str, place: &str| Job {
        name: name.into(),
        queue: "workq".into(),
        state: JobState::Running,
        exec_vnode: ExecVnode::parse("(n2:ncpus=2)").ok(),
        place: Some(Place::parse(place).unwrap()),
        ..Job::default()
    };
    snap.jobs = [job("1.s", "excl"), job("2.s", "free")].into_iter().collect();
    assert_eq!(found(snap.clone()), [(AlertKind::DoubleBooking, vec!["n2".to_owned()])]);
    snap.jobs[JobId::at(0)].place = Some(Place::parse("free").unwrap());
    assert_eq!(found(snap), []);
}

#[test]
fn a_stopped_queue_named_as_a_reservation_raises_no_alarm() {
    for name in ["R12", "M3", "S4"] {
        assert!(super::is_named_as_a_reservation(name), "{name}");
    }
    for name in ["R", "R1a", "Run2", "r12", "big"] {
        assert!(!super::is_named_as_a_reservation(name), "{name}");
    }
}
