//! What is rarer still, added to a cluster that is made: jobs that pass through a queue, nodes that a hook named, a bound on
//! considerations, reservations in conflict, jobs about to end.

use qscope_engine::cluster::{JobState, Name, Queue, QueueKind, ReservationState, Snapshot};

use super::dice::Dice;

/// The cluster of a seed with more in it.
pub fn rarer_cluster(seed: u64) -> Snapshot {
    let mut snap = super::cluster(seed);
    let mut dice = Dice::new(!seed);
    snap.queues.push(Queue { kind: QueueKind::Route, ..Queue::named("front") });
    if dice.percent(20) {
        snap.policy.max_job_check = Some(dice.range(2, 20) as u32);
    }
    let names: Vec<Name> = snap.nodes.iter().map(|node| node.name.clone()).collect();
    for id in snap.jobs.ids().collect::<Vec<_>>() {
        let has_nodes = snap.jobs[id].exec_vnode.is_some();
        if snap.jobs[id].state == JobState::Running && dice.percent(10) {
            snap.jobs[id].state = JobState::Exiting;
        } else if !has_nodes && snap.jobs[id].reservation.is_none() && dice.percent(10) {
            snap.jobs[id].queue = "front".into();
        } else if dice.percent(15) {
            let most = names.len() as i64;
            snap.jobs[id].node_set = (0..dice.range(1, most)).map(|_| dice.of(&names)).collect();
        }
    }
    for id in snap.reservations.ids().collect::<Vec<_>>() {
        let resv = &mut snap.reservations[id];
        if resv.state == ReservationState::Confirmed && dice.percent(30) {
            (resv.state, resv.substate) = (ReservationState::InConflict, ReservationState::InConflict);
        }
    }
    snap
}
