//! Random small clusters: a few kinds of nodes, sets by one or two keys, running jobs, reservations, and jobs of all
//! the shapes that both paths handle.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::test_runner::{Config, RngSeed};
use qscope::cluster::{
    Amount, ByPeriod, Epoch, ExecVnode, Id, Job, JobState, License, LimitEntry, LimitScope, Name, Node,
    NodeId, NodeSortKey, NodeState, Place, Queue, Reservation, ReservationState, ResourceDef, ResourceFlags,
    ResourceId, ResourceType, Seconds, Select, Sharing, Snapshot, Substate, Value,
};

const NOW: i64 = 1_763_700_000;
const GB: f64 = 1024.0 * 1024.0;

/// Returns a configuration for `cases` clusters, always the same ones.
pub(crate) fn config(cases: u32) -> Config {
    Config { cases, rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..Config::default() }
}

#[derive(Clone, Debug)]
struct RandomNode {
    ncpus: u32,
    mem: Option<u32>,
    color: Option<&'static str>,
    fast: Option<bool>,
    switch: Vec<&'static str>,
    board: Option<&'static str>,
    priority: i64,
    queue: bool,
    state: Option<NodeState>,
    sharing: Sharing,
    licensed: bool,
    /// Cpus that a running job uses here, and whether exclusively.
    job: Option<(u32, bool)>,
}

/// Number of chunks, and of each: cpus, gigabytes, color, fast, the vnode by number.
type RandomChunk = (u32, u32, Option<u32>, Option<&'static str>, Option<bool>, Option<usize>);

#[derive(Clone, Debug)]
struct RandomJob {
    chunks: Vec<RandomChunk>,
    place: String,
    queue: bool,
    hours: Option<u32>,
}

#[derive(Clone, Debug)]
struct RandomReservation {
    nodes: Vec<usize>,
    ncpus: u32,
    place: &'static str,
    /// Hours until it starts; 0 if it runs.
    starts: u32,
}

#[derive(Clone, Debug)]
struct RandomPolicy {
    keys: Vec<&'static str>,
    queue_key: Option<&'static str>,
    do_not_span: bool,
    only_explicit: bool,
    by_queue: bool,
    sort: Vec<&'static str>,
}

/// Generates clusters of up to a dozen nodes.
pub(crate) fn clusters() -> impl Strategy<Value = Arc<Snapshot>> {
    clusters_of(Hosts::OfOneNode)
}

/// Generates the same with packs of several chunks, and often with hosts of two or three vnodes.
pub(crate) fn clusters_by_host() -> impl Strategy<Value = Arc<Snapshot>> {
    clusters_of(Hosts::OfSeveral)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Hosts {
    OfOneNode,
    OfSeveral,
}

fn clusters_of(hosts: Hosts) -> impl Strategy<Value = Arc<Snapshot>> {
    let most = if hosts == Hosts::OfSeveral { 3_usize } else { 1 };
    let parts = (
        prop::collection::vec(nodes(), 2..=14),
        prop::collection::vec(jobs(hosts), 2..=14),
        prop::collection::vec(reservations(), 0..=2),
        policies(),
        1..=most,
    );
    parts.prop_map(|(nodes, jobs, reservations, policy, vnodes)| {
        let mut snap = snapshot(&nodes, &jobs, &reservations, &policy);
        if vnodes > 1 {
            snap.nodes.change_where(
                |_, _| true,
                |id, node| node.available.set(ResourceId::host(), text(&format!("h{}", id.ix() / vnodes))),
            );
        }
        Arc::new(snap)
    })
}

/// Generates the same with a calendar, preemption and a limit, or some of these.
pub(crate) fn eventful_clusters() -> impl Strategy<Value = Arc<Snapshot>> {
    let how = (any::<bool>(), 0_u32..=4, any::<bool>(), prop::option::weighted(0.3, 1_u32..=4));
    (clusters(), how).prop_map(|(snap, (strict, depth, preempts, most))| {
        let mut snap = (*snap).clone();
        snap.policy.strict_ordering = ByPeriod::both(strict);
        snap.server.backfill_depth = Some(depth);
        snap.policy.preemptive_sched = ByPeriod::both(preempts);
        for queue in snap.queues.iter_mut().skip(1) {
            queue.priority = snap.scheduler.preempt_queue_prio;
        }
        snap.server.limits.entries.extend(most.map(|most| LimitEntry {
            scope: LimitScope::Overall,
            entity: None,
            resource: None,
            soft: false,
            amount: Amount(f64::from(most)),
        }));
        Arc::new(snap)
    })
}

fn nodes() -> impl Strategy<Value = RandomNode> {
    use NodeState as S;
    let what = (
        select(vec![2, 4, 4, 8]),
        select(vec![None, Some(8), Some(8), Some(16)]),
        select(vec![None, Some("red"), Some("blue")]),
        select(vec![None, None, Some(true), Some(false)]),
    );
    let whose = (
        subsequence(vec!["sw0", "sw1", "sw2"], 0..=2),
        select(vec![None, Some("b0"), Some("b1"), Some("b1")]),
        select(vec![0, 0, 0, 5]),
        prop::bool::weighted(0.12),
    );
    let states = [S::Offline, S::Down, S::Busy, S::Stale, S::Unknown];
    let how = (
        prop::option::weighted(0.12, select(states.to_vec())),
        select(vec![
            Sharing::DefaultShared,
            Sharing::DefaultShared,
            Sharing::DefaultShared,
            Sharing::DefaultExcl,
            Sharing::IgnoreExcl,
            Sharing::ForceExcl,
        ]),
        prop::bool::weighted(0.95),
        prop::option::weighted(0.2, (1_u32..=4, any::<bool>())),
    );
    (what, whose, how).prop_map(|(what, whose, how)| RandomNode {
        ncpus: what.0,
        mem: what.1,
        color: what.2,
        fast: what.3,
        switch: whose.0,
        board: whose.1,
        priority: whose.2,
        queue: whose.3,
        state: how.0,
        sharing: how.1,
        licensed: how.2,
        job: how.3,
    })
}

fn jobs(hosts: Hosts) -> impl Strategy<Value = RandomJob> {
    let chunk = (
        select(vec![1, 1, 1, 2, 2, 3, 4]),
        1_u32..=5,
        prop::option::weighted(0.3, select(vec![1, 2, 8])),
        prop::option::weighted(0.15, select(vec!["red", "blue"])),
        prop::option::weighted(0.1, any::<bool>()),
        prop::option::weighted(0.04, 0_usize..12),
    );
    let arrangement = select(vec!["free", "scatter", "scatter", "vscatter", "pack"]);
    let sharing = select(vec!["", "", ":shared", ":excl", ":excl", ":excl", ":exclhost"]);
    let group = prop::option::weighted(0.12, select(vec!["switch", "board"]));
    let rest = (prop::bool::weighted(0.15), prop::option::weighted(0.9, 1_u32..=4));
    (prop::collection::vec(chunk, 1..=2), arrangement, sharing, group, rest).prop_map(
        move |(mut chunks, arrangement, sharing, group, (queue, hours))| {
            if arrangement == "pack" && hosts == Hosts::OfOneNode {
                // Several chunks on one host are a separate search, by host.
                chunks.truncate(1);
                chunks[0].0 = 1;
            }
            let group = group.map_or(String::new(), |group| format!(":group={group}"));
            RandomJob { chunks, place: format!("{arrangement}{sharing}{group}"), queue, hours }
        },
    )
}

fn reservations() -> impl Strategy<Value = RandomReservation> {
    let nodes = subsequence((0..12).collect::<Vec<usize>>(), 1..=3);
    (nodes, 1_u32..=4, select(vec!["free", "free:excl"]), 0_u32..=3)
        .prop_map(|(nodes, ncpus, place, starts)| RandomReservation { nodes, ncpus, place, starts })
}

fn policies() -> impl Strategy<Value = RandomPolicy> {
    let keys =
        select(vec![vec![], vec!["switch"], vec!["board"], vec!["switch", "board"], vec!["board", "switch"]]);
    let sort = select(vec![
        vec![],
        vec!["sort_priority HIGH"],
        vec!["ncpus HIGH"],
        vec!["mem LOW", "ncpus HIGH"],
        vec!["sort_priority LOW", "mem HIGH"],
    ]);
    let queue_key = prop::option::weighted(0.2, select(vec!["switch", "board"]));
    (keys, queue_key, any::<bool>(), any::<bool>(), any::<bool>(), sort).prop_map(
        |(keys, queue_key, do_not_span, only_explicit, by_queue, sort)| RandomPolicy {
            keys,
            queue_key,
            do_not_span,
            only_explicit,
            by_queue,
            sort,
        },
    )
}

fn snapshot(
    nodes: &[RandomNode],
    jobs: &[RandomJob],
    reservations: &[RandomReservation],
    policy: &RandomPolicy,
) -> Snapshot {
    let mut snap = Snapshot::empty("random", Epoch(NOW));
    for (name, kind) in [
        ("color", ResourceType::Text),
        ("board", ResourceType::Text),
        ("switch", ResourceType::TextArray),
        ("fast", ResourceType::Boolean),
    ] {
        let (flags, name) = (ResourceFlags::from_letters("h"), name.into());
        snap.catalogue.insert(ResourceDef { name, kind, flags, built_in: false, guessed: false });
    }
    set_policy(&mut snap, policy);
    for (at, node) in nodes.iter().enumerate() {
        add_node(&mut snap, at, node, at == 0);
    }
    for (at, node) in nodes.iter().enumerate() {
        if let Some((ncpus, alone)) = node.job.filter(|_| node.state.is_none()) {
            run_job(&mut snap, at, ncpus.min(node.ncpus), alone);
        }
    }
    for (at, job) in jobs.iter().enumerate() {
        add_job(&mut snap, at, job, nodes.len());
    }
    for (at, reservation) in reservations.iter().enumerate() {
        add_reservation(&mut snap, at, reservation, nodes);
    }
    snap
}

fn set_policy(snap: &mut Snapshot, policy: &RandomPolicy) {
    let names = |names: &[&str]| names.iter().map(|name| Name::from(*name)).collect::<Vec<_>>();
    let line = names(&["ncpus", "mem", "color", "switch", "host", "vnode"]);
    snap.policy.resources = Some(line);
    snap.policy.preemptive_sched = ByPeriod::both(false);
    snap.policy.by_queue = ByPeriod::both(policy.by_queue);
    let keys = policy.sort.iter().map(|key| NodeSortKey::parse(key).unwrap()).collect();
    snap.policy.node_sort_key = ByPeriod::both(keys);
    snap.server.name = "svr".into();
    snap.server.node_group_enable = !policy.keys.is_empty();
    snap.server.node_group_key = names(&policy.keys);
    snap.scheduler.do_not_span_psets = policy.do_not_span;
    snap.scheduler.only_explicit_psets = policy.only_explicit;
    let queue_key = policy.queue_key.map(|key| names(&[key])).unwrap_or_default();
    snap.queues.push(Queue::named("workq"));
    snap.queues.push(Queue { priority: 10, node_group_key: queue_key, ..Queue::named("q2") });
}

fn text(value: &str) -> Value {
    Value::Texts(Box::new([value.into()]))
}

fn add_node(snap: &mut Snapshot, at: usize, random: &RandomNode, unbound: bool) {
    let id = |name: &str| snap.catalogue.id(name).unwrap();
    let name: Name = format!("n{at}").into();
    let mut node = Node { name: name.clone(), ..Node::default() };
    let mut set = |resource: &str, value: Value| node.available.set(id(resource), value);
    set("ncpus", Value::Amount(Amount(f64::from(random.ncpus))));
    set("host", text(&name));
    set("vnode", text(&name));
    if let Some(mem) = random.mem {
        set("mem", Value::Amount(Amount(f64::from(mem) * GB)));
    }
    if let Some(color) = random.color {
        set("color", text(color));
    }
    if let Some(fast) = random.fast {
        set("fast", Value::Bool(fast));
    }
    if let Some(board) = random.board {
        set("board", text(board));
    }
    if !random.switch.is_empty() {
        let elements: Vec<Name> = random.switch.iter().map(|element| (*element).into()).collect();
        set("switch", Value::Texts(elements.into()));
    }
    node.priority = Some(random.priority);
    node.queue = (random.queue && !unbound).then(|| "q2".into());
    node.sharing = random.sharing;
    node.license = if random.licensed { License::Locked } else { License::Other };
    if let Some(state) = random.state {
        node.states = node.states.with(state);
    }
    snap.nodes.push(node);
}

/// Assigns cpus of a node to a job or a reservation.
fn assign(snap: &mut Snapshot, at: usize, ncpus: u32) {
    let id = qscope::cluster::NodeId(u32::try_from(at).unwrap());
    let have = snap.nodes[id].assigned.amount(ResourceId::ncpus()).unwrap_or(Amount::ZERO).0;
    let all = Value::Amount(Amount(have + f64::from(ncpus)));
    snap.nodes[id].assigned.set(ResourceId::ncpus(), all);
    let total = snap.nodes[id].available.amount(ResourceId::ncpus()).unwrap().0;
    if have + f64::from(ncpus) >= total {
        snap.nodes[id].states = snap.nodes[id].states.with(NodeState::JobBusy);
    }
}

fn run_job(snap: &mut Snapshot, at: usize, ncpus: u32, alone: bool) {
    let name: Name = format!("{}.svr", 100 + at).into();
    let id = qscope::cluster::NodeId(u32::try_from(at).unwrap());
    let node = &mut snap.nodes[id];
    node.jobs.push(name.clone());
    let place = if alone { "free:excl" } else { "free:shared" };
    if node.sharing.is_exclusive(Place::parse(place).unwrap().sharedness) {
        node.states = node.states.with(NodeState::JobExclusive);
    }
    let placement = format!("({}:ncpus={ncpus})", node.name);
    assign(snap, at, ncpus);
    let mut job = job(snap, &name, &format!("1:ncpus={ncpus}"), place, f64::from(ncpus), None, Some(2));
    job.state = JobState::Running;
    job.substate = Substate(42);
    job.exec_vnode = Some(ExecVnode::parse(&placement).unwrap());
    job.started = Some(Epoch(NOW - 1800));
    snap.jobs.push(job);
}

fn job(
    snap: &Snapshot,
    name: &Name,
    select: &str,
    place: &str,
    ncpus: f64,
    mem: Option<f64>,
    hours: Option<u32>,
) -> Job {
    let mut job = Job { name: name.clone(), queue: "workq".into(), user: "ann".into(), ..Job::default() };
    job.select = Some(Select::parse(select).unwrap());
    job.place = Some(Place::parse(place).unwrap());
    let mut ask = |id: ResourceId, amount: f64| job.requested.set(id, Value::Amount(Amount(amount)));
    ask(ResourceId::ncpus(), ncpus);
    if let Some(mem) = mem {
        ask(ResourceId::mem(), mem * GB);
    }
    if let Some(hours) = hours {
        ask(ResourceId::walltime(), f64::from(hours) * 3600.0);
    }
    job.sequence = u64::try_from(snap.jobs.len()).unwrap();
    job.queue_rank = i64::try_from(snap.jobs.len()).ok();
    job
}

fn add_job(snap: &mut Snapshot, at: usize, random: &RandomJob, nodes: usize) {
    let chunk = |(count, ncpus, mem, color, fast, vnode): &RandomChunk| {
        let mut text = format!("{count}:ncpus={ncpus}");
        let mut add = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                text.push_str(&format!(":{name}={value}"));
            }
        };
        add("mem", mem.map(|mem| format!("{mem}gb")));
        add("color", color.map(str::to_owned));
        add("fast", fast.map(|fast| if fast { "True" } else { "False" }.to_owned()));
        add("vnode", vnode.map(|vnode| format!("n{}", vnode % nodes)));
        text
    };
    let select = random.chunks.iter().map(chunk).collect::<Vec<_>>().join("+");
    let ncpus = random.chunks.iter().map(|chunk| f64::from(chunk.0 * chunk.1)).sum();
    let mems: Vec<f64> =
        random.chunks.iter().filter_map(|chunk| Some(f64::from(chunk.0 * chunk.2?))).collect();
    let mem = (!mems.is_empty()).then(|| mems.iter().sum());
    let name = format!("{}.svr", 200 + at).into();
    let mut job = job(snap, &name, &select, &random.place, ncpus, mem, random.hours);
    if random.queue {
        job.queue = "q2".into();
    }
    snap.jobs.push(job);
}

fn add_reservation(snap: &mut Snapshot, at: usize, random: &RandomReservation, nodes: &[RandomNode]) {
    let on: BTreeMap<usize, u32> = random
        .nodes
        .iter()
        .filter_map(|at| Some((*at, nodes.get(*at)?)))
        .filter(|(_, node)| node.state.is_none() && node.job.is_none() && node.licensed)
        .map(|(at, node)| (at, random.ncpus.min(node.ncpus)))
        .collect();
    let taken = |at: &usize| snap.nodes[NodeId::at(*at)].reservations.is_empty();
    if on.is_empty() || !on.keys().all(taken) {
        return;
    }
    let placement: Vec<String> = on.iter().map(|(at, ncpus)| format!("(n{at}:ncpus={ncpus})")).collect();
    let select: Vec<String> = on.values().map(|ncpus| format!("1:ncpus={ncpus}")).collect();
    let runs = random.starts == 0;
    let start = NOW + i64::from(random.starts) * 3600 - if runs { 600 } else { 0 };
    let name: Name = format!("R{at}.svr").into();
    let state = if runs { ReservationState::Running } else { ReservationState::Confirmed };
    let place = Place::parse(random.place).unwrap();
    for (node, ncpus) in &on {
        let id = qscope::cluster::NodeId(u32::try_from(*node).unwrap());
        snap.nodes[id].reservations.push(name.clone());
        if runs {
            assign(snap, *node, *ncpus);
            if snap.nodes[id].sharing.is_exclusive(place.sharedness) {
                snap.nodes[id].states = snap.nodes[id].states.with(NodeState::ResvExclusive);
            }
        }
    }
    snap.reservations.push(Reservation {
        name,
        state,
        substate: state,
        start: Some(Epoch(start)),
        end: Some(Epoch(start + 5400)),
        duration: Some(Seconds(5400)),
        select: Some(Select::parse(&select.join("+")).unwrap()),
        place: Some(place),
        nodes: Some(ExecVnode::parse(&placement.join("+")).unwrap()),
        ..Reservation::default()
    });
}
