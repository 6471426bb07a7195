//! Synthetic clusters: five types of nodes, a fifth of the nodes busy in blocks (nearly all where most jobs
//! are to wait, all where jobs are to be preempted), queued jobs of 1–32 chunks, sets of 50 nodes. The same
//! row always gives the same cluster.

use qscope::cluster::{
    Amount, ByPeriod, Epoch, ExecVnode, Job, JobState, License, Name, Node, NodeId, NodeState, Place, Queue,
    ResourceDef, ResourceFlags, ResourceId, ResourceType as ResourceKind, Select, Snapshot, Substate, Value,
};

const NOW: i64 = 1_763_700_000;
const GB: f64 = 1024.0 * 1024.0;

/// How the queued jobs share nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Exclusively: the bucket path.
    Excl,
    /// Shared: the node path.
    Shared,
    /// Some exclusively, some shared.
    Mixed,
    /// Exclusively, in strict order and with five top jobs.
    Calendar,
    /// As `Calendar`, on nodes that are nearly all busy: most jobs wait, and the calendar reaches far.
    Backlog,
    /// Exclusively, one in ten in an express queue, on nodes that are all busy.
    Preempt,
}

/// Number of keys that make placement sets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sets {
    None,
    One,
    Two,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) nodes: u32,
    pub(crate) jobs: u32,
    pub(crate) kind: Kind,
    pub(crate) sets: Sets,
}

impl Row {
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let sizes = [1000, 10_000, 100_000].into_iter().flat_map(|n| [1000, 10_000].map(|jobs| (n, jobs)));
        sizes.flat_map(|(nodes, jobs)| {
            let kinds = [Kind::Excl, Kind::Shared, Kind::Mixed, Kind::Calendar, Kind::Backlog, Kind::Preempt];
            kinds.into_iter().flat_map(move |kind| {
                [Sets::None, Sets::One, Sets::Two].map(|sets| Self { nodes, jobs, kind, sets })
            })
        })
    }

    /// Returns the name, such as `10000x1000-excl-one`.
    pub(crate) fn name(&self) -> String {
        let Self { nodes, jobs, kind, sets } = self;
        format!("{nodes}x{jobs}-{kind:?}-{sets:?}").to_lowercase()
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        let mut snap = Snapshot::empty(&self.name(), Epoch(NOW));
        for (name, kind, letters) in [
            ("ngpus", ResourceKind::Long, "nh"),
            ("fast", ResourceKind::Boolean, "h"),
            ("switch", ResourceKind::TextArray, "h"),
            ("router", ResourceKind::TextArray, "h"),
        ] {
            let flags = ResourceFlags::from_letters(letters);
            let name = name.into();
            snap.catalogue.insert(ResourceDef { name, kind, flags, built_in: false, guessed: false });
        }
        let line = ["ncpus", "mem", "arch", "host", "vnode", "ngpus"];
        snap.policy.resources = Some(line.map(Name::from).to_vec());
        snap.policy.preemptive_sched = ByPeriod::both(self.kind == Kind::Preempt);
        snap.queues.push(Queue::named("workq"));
        let priority = snap.scheduler.preempt_queue_prio;
        snap.queues.push(Queue { priority, ..Queue::named("express") });
        if matches!(self.kind, Kind::Calendar | Kind::Backlog) {
            snap.policy.strict_ordering = ByPeriod::both(true);
            snap.policy.backfill = ByPeriod::both(true);
            snap.server.backfill_depth = Some(5);
        }
        let keys: &[&str] = match self.sets {
            Sets::None => &[],
            Sets::One => &["switch"],
            Sets::Two => &["switch", "router"],
        };
        snap.server.node_group_enable = !keys.is_empty();
        snap.server.node_group_key = keys.iter().map(|key| Name::from(*key)).collect();
        for at in 0..self.nodes {
            add_node(&mut snap, at);
        }
        let mut random = Random(u64::from(self.nodes) * 31 + u64::from(self.jobs));
        let (busy, apart) = match self.kind {
            Kind::Preempt => (self.nodes, 1),
            Kind::Backlog => (self.nodes / 20 * 19, 1),
            _ => (self.nodes / 5, 5),
        };
        run_jobs(&mut snap, busy, apart, &mut random);
        for at in 0..self.jobs {
            add_job(&mut snap, at, self.kind, &mut random);
        }
        snap
    }
}

/// Pseudo-random numbers that are the same on every machine (splitmix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn choose<T: Copy>(&mut self, from: &[T]) -> T {
        from[usize::try_from(self.next() % from.len() as u64).unwrap()]
    }

    /// Returns true in `percent` of 100 cases.
    fn chance(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }
}

const TYPES: [(f64, f64, f64); 5] =
    [(16.0, 64.0, 0.0), (32.0, 128.0, 0.0), (64.0, 256.0, 0.0), (64.0, 512.0, 4.0), (128.0, 1024.0, 8.0)];

fn add_node(snap: &mut Snapshot, at: u32) {
    let name: Name = format!("n{at:06}").into();
    let (ncpus, mem, gpus) = TYPES[(at as usize * 7 / 3) % 5];
    let mut node = Node { name: name.clone(), license: License::Locked, ..Node::default() };
    let mut set = |resource: &str, value: Value| {
        node.available.set(snap.catalogue.id(resource).unwrap(), value);
    };
    let text = |text: &str| Value::Texts(Box::new([text.into()]));
    set("ncpus", Value::Amount(Amount(ncpus)));
    set("mem", Value::Amount(Amount(mem * GB)));
    set("ngpus", Value::Amount(Amount(gpus)));
    set("arch", text("linux"));
    set("host", text(&name));
    set("vnode", text(&name));
    set("switch", text(&format!("sw{:05}", at / 50)));
    set("router", text(&format!("rt{:04}", at / 500)));
    if at % 10 < 3 {
        set("fast", Value::Bool(true));
    }
    node.priority = at.is_multiple_of(4).then_some(10);
    snap.nodes.push(node);
}

/// Makes `busy` nodes busy, one of every `apart`, in blocks of 1–16.
fn run_jobs(snap: &mut Snapshot, busy: u32, apart: u32, random: &mut Random) {
    let (mut at, nodes) = (0, busy * apart);
    while at < busy {
        let width = random.choose(&[1, 2, 4, 8, 16]);
        let on: Vec<NodeId> = (at * apart..nodes.min(at * apart + width)).map(NodeId).collect();
        at += width;
        let cpus = on.iter().filter_map(|id| snap.nodes[*id].available.amount(ResourceId::ncpus()));
        let Some(ncpus) = cpus.map(|amount| amount.0).reduce(f64::min) else { break };
        let hours = random.choose(&[1, 2, 4, 8, 24]);
        let mut job = job(snap, &format!("{}:ncpus={ncpus}", on.len()), "scatter:excl", hours * 3600);
        let sum = ncpus * on.len() as f64;
        job.requested.set(ResourceId::ncpus(), Value::Amount(Amount(sum)));
        job.state = JobState::Running;
        job.substate = Substate(42);
        job.started = Some(Epoch(NOW - 60 - i64::try_from(random.next() % 3000).unwrap()));
        let group = |id: &NodeId| format!("({}:ncpus={ncpus})", snap.nodes[*id].name);
        let placement: Vec<String> = on.iter().map(group).collect();
        job.exec_vnode = Some(ExecVnode::parse(&placement.join("+")).unwrap());
        for id in on {
            let node = &mut snap.nodes[id];
            node.jobs.push(job.name.clone());
            node.states = node.states.with(NodeState::JobExclusive);
            node.assigned.set(ResourceId::ncpus(), Value::Amount(Amount(ncpus)));
        }
        snap.jobs.push(job);
    }
}

fn job(snap: &Snapshot, select: &str, place: &str, walltime: u32) -> Job {
    let number = u32::try_from(snap.jobs.len()).unwrap() + 1;
    let mut job = Job { name: format!("{number}.svr").into(), queue: "workq".into(), ..Job::default() };
    job.sequence = u64::from(number);
    job.queue_rank = Some(i64::from(number));
    job.select = Some(Select::parse(select).unwrap());
    job.place = Some(Place::parse(place).unwrap());
    job.requested.set(ResourceId::walltime(), Value::Amount(Amount(f64::from(walltime))));
    job
}

fn add_job(snap: &mut Snapshot, at: u32, kind: Kind, random: &mut Random) {
    let chunks = random.choose(&[1, 1, 2, 4, 8, 16, 32]);
    let ncpus = random.choose(&[4, 8, 16, 32, 64]);
    let mut select = format!("{chunks}:ncpus={ncpus}");
    let mem = random.chance(30).then(|| random.choose(&[8, 32, 100]));
    let gpus = random.chance(10).then(|| random.choose(&[1, 2, 4]));
    select.push_str(&mem.map_or(String::new(), |mem| format!(":mem={mem}gb")));
    select.push_str(&gpus.map_or(String::new(), |gpus| format!(":ngpus={gpus}")));
    select.push_str(if random.chance(10) { ":fast=True" } else { "" });
    let place = random.choose(match kind {
        Kind::Excl | Kind::Calendar | Kind::Backlog | Kind::Preempt => &["scatter:excl", "free:excl"],
        Kind::Shared => &["scatter", "free"],
        Kind::Mixed => &["scatter:excl", "free:excl", "scatter", "free", "pack"],
    });
    let walltime = random.choose(&[600, 3600, 7200, 14_400, 28_800, 43_200, 86_400]);
    let mut job = job(snap, &select, place, walltime);
    job.user = format!("user{}", at % 50).into();
    if kind == Kind::Preempt && at.is_multiple_of(10) {
        job.queue = "express".into();
    }
    let sums =
        [(ResourceId::ncpus(), Some(f64::from(ncpus))), (ResourceId::mem(), mem.map(|m| f64::from(m) * GB))];
    let gpus = (snap.catalogue.id("ngpus").unwrap(), gpus.map(f64::from));
    for (resource, amount) in sums.into_iter().chain([gpus]) {
        if let Some(amount) = amount {
            job.requested.set(resource, Value::Amount(Amount(amount * f64::from(chunks))));
        }
    }
    snap.jobs.push(job);
}
