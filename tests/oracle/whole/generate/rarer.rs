//! Adds still rarer features to a generated cluster: jobs that pass through a route queue, nodes named by a
//! hook, a limit on considerations, reservations in conflict, jobs about to end, suspended jobs that keep a
//! part, nodes for single-node jobs only.

use qscope_engine::cluster::{
    ByPeriod, JobState, Name, Queue, QueueKind, ReservationState, SmpDist, Snapshot,
};

use super::dice::Dice;

/// Returns the cluster of a seed with these features.
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
    rarer_policy(&mut snap, &mut dice);
    snap
}

fn rarer_policy(snap: &mut Snapshot, dice: &mut Dice) {
    if dice.percent(25) {
        let named: &[&str] = dice.of(&[&["ncpus"] as &[&str], &["mem"], &["ncpus", "mem"]]);
        snap.server.release_on_suspend = named.iter().map(|name| Name::from(*name)).collect();
    }
    if dice.percent(30) {
        for id in snap.nodes.ids().collect::<Vec<_>>() {
            snap.nodes[id].no_multinode_jobs = dice.percent(20);
        }
    }
    if dice.percent(20) {
        snap.scheduler.preempt_targets_enable = false;
    }
    if dice.percent(15) {
        snap.policy.smp_cluster_dist = ByPeriod::both(SmpDist::RoundRobin);
    }
}
