//! A universe derived from that of the previous snapshot equals one derived from scratch, and so does its cycle,
//! whatever changed in between.
//!
//! `QSCOPE_SEEDS=0..10000 cargo test --test it universe_follows:: -- --nocapture` runs these sequences instead.

use std::sync::Arc;

use qscope::cluster::{
    Amount, Epoch, Id, Job, JobId, JobSortKey, JobState, License, LimitEntry, LimitScope, Node, NodeId,
    NodeSortKey, NodeState, NodeStates, ReservationState, ResourceId, ResourceList, Seconds, Select, Sharing,
    Snapshot, Value,
};
use qscope::cycle::{CycleStart, IdleCluster, Run, Setup, Universe};
use qscope::universe::{Plan, Quirks, Semantics, State};

use qscope_oracle::generate::{cluster, dice::Dice};

/// The sequences in every run of the tests, and the number of snapshots in each.
const SEEDS: std::ops::Range<u64> = 0..200;
const SNAPSHOTS: i64 = 4;

#[test]
fn whatever_changes_a_universe_that_follows_equals_one_from_nothing() {
    let given = std::env::var("QSCOPE_SEEDS").ok();
    let given = given.as_ref().and_then(|text| text.split_once(".."));
    let seeds = given.map_or(SEEDS, |(from, to)| from.parse().unwrap()..to.parse().unwrap());
    seeds.for_each(follow);
}

fn follow(seed: u64) {
    let mut dice = Dice::new(seed ^ 0xf0_1105);
    let mut snap = cluster(seed);
    let mut quirks = Quirks::of(Semantics::Observed);
    let mut before: Option<Universe> = None;
    for step in 0..SNAPSHOTS {
        let shared = Arc::new(snap.clone());
        let start = CycleStart::after(before.as_ref(), shared.clone(), quirks, None);
        before = Some(start.universe());
        let run = start.run();
        let (found, expected) = (printed(&run), printed(&CycleStart::new(shared, quirks).run()));
        assert!(found == expected, "seed {seed}, snapshot {step}: {}", first_difference(&found, &expected));
        idle_follows(&run, seed);
        if dice.percent(60) {
            carry_out(&mut snap, &run);
        }
        for _ in 0..dice.range(0, 4) {
            edit(&mut snap, &mut dice);
        }
        if dice.percent(3) {
            quirks = Quirks::of(dice.of(&[Semantics::Observed, Semantics::Fixed, Semantics::Design]));
        }
    }
}

/// The idle cluster derived from a cycle's universe equals the one derived from scratch.
fn idle_follows(run: &Run, seed: u64) {
    let found = IdleCluster::of_all(&run.universe());
    let plan = &run.plan;
    let plan = Arc::new(Plan::new(Arc::new(plan.snap.idle_for_all()), plan.quirks, plan.period));
    let classes = Setup::new(&plan).classes.count;
    let (found, expected) = (format!("{:?}", found.state), format!("{:?}", State::new(plan, classes)));
    assert!(found == expected, "seed {seed}, idle: {}", first_difference(&found, &expected));
}

/// Prints everything: the plan, the state at the start and at the end, every outcome, and the journal in between.
fn printed(run: &Run) -> String {
    format!("{run:?}")
}

fn first_difference(found: &str, expected: &str) -> String {
    let at = found.bytes().zip(expected.bytes()).take_while(|(a, b)| a == b).count();
    let near = |text: &str| {
        String::from_utf8_lossy(&text.as_bytes()[at.saturating_sub(200)..(at + 200).min(text.len())])
            .into_owned()
    };
    format!("\nfollowing: {}\nfrom nothing: {}", near(found), near(expected))
}

/// Applies the answer as a server would, simplified: jobs start where they were placed.
fn carry_out(snap: &mut Snapshot, run: &Run) {
    for step in &run.steps {
        let Some(placed) = &step.outcome.placed else { continue };
        let id = step.outcome.job;
        if snap.jobs[id].is_array() {
            continue;
        }
        let text = placed.allocation.exec_vnode(&run.plan);
        let name = snap.jobs[id].name.clone();
        for bit in placed.allocation.nodes() {
            let node = &mut snap.nodes[run.plan.nodes[bit].id];
            node.jobs.push(name.clone());
            node.states = node.states.with(NodeState::JobBusy);
            let all = node.available.amount(ResourceId::ncpus()).unwrap_or_default();
            node.assigned.set(ResourceId::ncpus(), Value::Amount(all));
        }
        let job = &mut snap.jobs[id];
        (job.state, job.started) = (JobState::Running, Some(run.plan.snap.now));
        job.exec_vnode = qscope::cluster::ExecVnode::parse(&text).ok();
    }
    snap.now = Epoch(snap.now.0 + 60);
}

fn edit(snap: &mut Snapshot, dice: &mut Dice) {
    match dice.range(0, 9) {
        0..=3 => edit_node(snap, dice),
        4..=7 => edit_job(snap, dice),
        8 => edit_around(snap, dice),
        _ => snap.now = Epoch(snap.now.0 + dice.of(&[1, 60, 600, 7200])),
    }
}

fn any_node(snap: &Snapshot, dice: &mut Dice) -> NodeId {
    NodeId::at(dice.range(0, snap.nodes.len() as i64 - 1) as usize)
}

fn edit_node(snap: &mut Snapshot, dice: &mut Dice) {
    let id = any_node(snap, dice);
    match dice.range(0, 15) {
        12 => {
            let copy = snap.nodes[id].idle_copy(format!("new{}", snap.nodes.len()).into());
            snap.nodes.insert_at(id.ix(), copy);
        }
        13 => drop(snap.nodes.remove_at(id.ix()).filter(|_| !snap.nodes.is_empty())),
        14 => {
            // A record that was read anew, and is the same.
            let same = snap.nodes[id].clone();
            snap.nodes.replace(id, same).unwrap();
        }
        15 => {
            let other = any_node(snap, dice);
            let (one, two) = (snap.nodes[id].clone(), snap.nodes[other].clone());
            (snap.nodes[id], snap.nodes[other]) = (two, one);
        }
        kind => change_node(&mut snap.nodes[id], kind, dice),
    }
    if snap.nodes.is_empty() {
        snap.nodes.push(Node { name: "last".into(), ..Node::default() });
    }
}

fn change_node(node: &mut Node, kind: i64, dice: &mut Dice) {
    let amount = |amount: i64| Value::Amount(Amount(amount as f64));
    match kind {
        0..=2 => {
            let state = dice.of(&[
                NodeState::Offline,
                NodeState::Down,
                NodeState::Busy,
                NodeState::Maintenance,
                NodeState::Stale,
                NodeState::JobExclusive,
            ]);
            node.states = if node.states.is_free() { node.states.with(state) } else { NodeStates::FREE };
        }
        3 => node.available.set(ResourceId::ncpus(), amount(dice.of(&[1, 2, 8, 64]))),
        4 => node.available.set(ResourceId::mem(), amount(dice.of(&[1 << 20, 1 << 24, 1 << 26]))),
        5 => node.priority = Some(dice.of(&[0, 10, 100])),
        6 => node.assigned.set(ResourceId::ncpus(), amount(dice.range(0, 4))),
        7 => node.last_used = Some(Epoch(dice.range(0, 5))),
        8 => drop(node.jobs.pop()),
        9 => node.sharing = dice.of(&[Sharing::DefaultShared, Sharing::ForceExcl, Sharing::IgnoreExcl]),
        10 => node.license = dice.of(&[License::Locked, License::Other, License::Cloud]),
        _ => node.comment = Some("looked at".to_owned()),
    }
}

fn edit_job(snap: &mut Snapshot, dice: &mut Dice) {
    if snap.jobs.is_empty() {
        return;
    }
    let id = JobId::at(dice.range(0, snap.jobs.len() as i64 - 1) as usize);
    match dice.range(0, 12) {
        0 | 1 => end_job(snap, id, dice.percent(70)),
        2 => {
            let number = snap.jobs.len() + 500;
            let copy = Job {
                name: format!("{number}.svr").into(),
                state: JobState::Queued,
                exec_vnode: None,
                ..snap.jobs[id].clone()
            };
            let place = dice.range(0, snap.jobs.len() as i64) as usize;
            snap.jobs.insert_at(place, copy);
        }
        3 => {
            let other = JobId::at(dice.range(0, snap.jobs.len() as i64 - 1) as usize);
            let (one, two) = (snap.jobs[id].clone(), snap.jobs[other].clone());
            (snap.jobs[id], snap.jobs[other]) = (two, one);
        }
        kind => change_job(&mut snap.jobs[id], kind, dice),
    }
}

/// Ends a job; its nodes may still list it.
fn end_job(snap: &mut Snapshot, id: JobId, is_gone: bool) {
    let Some(job) = snap.jobs.remove_at(id.ix()) else { return };
    if is_gone {
        snap.nodes.change_where(
            |_, node| node.jobs.contains(&job.name),
            |_, node| {
                node.jobs.retain(|name| *name != job.name);
                node.states = NodeStates::FREE;
                node.assigned = ResourceList::default();
            },
        );
    }
}

fn change_job(job: &mut Job, kind: i64, dice: &mut Dice) {
    let amount = |amount: i64| Value::Amount(Amount(amount as f64));
    match kind {
        4 => job.state = if job.state == JobState::Queued { JobState::Held } else { JobState::Queued },
        5 => job.state = dice.of(&[JobState::Running, JobState::Exiting, JobState::Suspended]),
        6 => job.used.set(ResourceId::walltime(), amount(dice.range(0, 4000))),
        7 => job.requested.set(ResourceId::walltime(), amount(dice.range(60, 9000))),
        8 => job.select = Select::parse(dice.of(&["2:ncpus=1", "1:ncpus=3:mem=1gb", "1:arch=linux"])).ok(),
        9 => job.priority = dice.range(-5, 5),
        10 => job.queue = dice.of(&["workq", "q2", "nowhere"]).into(),
        11 => job.queue_rank = Some(dice.range(0, 9)),
        _ => job.user = dice.of(&["user1", "user9"]).into(),
    }
}

fn edit_around(snap: &mut Snapshot, dice: &mut Dice) {
    match dice.range(0, 9) {
        0 => {
            let key = dice.of(&["ncpus HIGH unused", "last_used_time LOW", "mem LOW", "sort_priority HIGH"]);
            snap.policy.node_sort_key.prime = vec![NodeSortKey::parse(key).unwrap()];
            snap.policy.node_sort_key.non_prime = vec![NodeSortKey::parse(key).unwrap()];
        }
        1 => snap.server.node_group_enable = !snap.server.node_group_enable,
        2 => snap.server.node_group_key = vec![dice.of(&["switch", "router"]).into()],
        3 => {
            let states = [ReservationState::Running, ReservationState::Confirmed];
            if let Some(first) = snap.reservations.iter_mut().next() {
                first.state = dice.of(&states);
            }
        }
        4 => snap.policy.resources = Some(vec!["ncpus".into(), dice.of(&["mem", "color"]).into()]),
        5 => snap.policy.job_sort_key.prime = vec![JobSortKey::parse("ncpus HIGH").unwrap()],
        6 => snap.policy.strict_ordering.prime = !snap.policy.strict_ordering.prime,
        7 => snap.server.limits.entries.push(LimitEntry {
            scope: LimitScope::User,
            entity: None,
            resource: None,
            soft: dice.percent(50),
            amount: Amount(2.0),
        }),
        8 => snap.scheduler.only_explicit_psets = !snap.scheduler.only_explicit_psets,
        _ => snap.scheduler.fuzzy.0 = Seconds(dice.of(&[1, 60])),
    }
}

/// Without sharing, the property above would hold trivially for a universe that is always derived anew.
#[test]
fn what_follows_from_nodes_alone_is_shared() {
    let snap = cluster(1);
    let quirks = Quirks::of(Semantics::Observed);
    let first = CycleStart::new(Arc::new(snap.clone()), quirks);
    let mut next = snap;
    let node = next.nodes.ids().find(|id| next.nodes[*id].states.is_free()).unwrap();
    next.nodes[node].states = NodeStates::FREE.with(NodeState::Down);
    let second = CycleStart::after(Some(&first.universe()), Arc::new(next.clone()), quirks, None);
    let (first, second) = (first.run(), second.run());
    assert!(Arc::ptr_eq(&first.plan.nodes, &second.plan.nodes));
    next.nodes[node].priority = Some(77);
    let third = CycleStart::after(Some(&second.universe()), Arc::new(next), quirks, None).run();
    assert!(!Arc::ptr_eq(&second.plan.nodes, &third.plan.nodes));
}
