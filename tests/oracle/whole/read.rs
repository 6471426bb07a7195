//! Reads dumps into rows: what the scheduler knows when a cycle begins (rules 6.1, 10.2).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use qscope_engine::cluster::{Name, Period, QueueKind, ResourceId, ResourceType, Snapshot, Value};

use super::read_jobs;
use super::sets::Pools;
use super::shares::Shares;
use super::times;
use super::world::{Amounts, Ask, Doing, Given, Queue, What, Who, World};

/// Time at which jobs were preempted, by name: `sched_preempted`.
pub type Preempted = BTreeMap<String, i64>;

impl World {
    pub(crate) fn read(snap: &Snapshot, fixed: bool, preempted: &Preempted) -> Self {
        let (period, period_end) = times::period_at(snap, snap.now.0);
        let kept = Kept::new(snap);
        let queues = read_queues(snap, period);
        let given = Given {
            fixed,
            checked: checked(snap, &kept),
            booleans: booleans(snap),
            infinite: infinite(snap),
            multi_vnode: super::read_nodes::multi_vnode(snap),
            sorts_per_job: sorts_per_job(snap),
            dedicated: snap.dedicated_time.iter().map(|slot| (slot.from.0, slot.to.0)).collect(),
            snap: snap.clone(),
        };
        let mut world = Self {
            given: Rc::new(given),
            now: snap.now.0,
            period,
            last_change: false,
            period_end,
            qrun: None,
            simulated: false,
            nodes: Vec::new(),
            jobs: Vec::new(),
            queues,
            resvs: Vec::new(),
            all: Vec::new(),
            unbound: Vec::new(),
            of_queue: Vec::new(),
            buckets: Vec::new(),
            sets: Vec::new(),
            pools: Pools::default(),
            stale: false,
            calendar: Vec::new(),
            missed_at: None,
            counts: super::limits::Counts::default(),
            shares: Shares::read(snap),
            level_counts: BTreeMap::new(),
            server_assigned: amounts(&snap.server.assigned),
            last_host: None,
            hard_ends: false,
            actions: Vec::new(),
        };
        let waits = |resv: &qscope_engine::cluster::Reservation| {
            resv.state == qscope_engine::cluster::ReservationState::Unconfirmed
        };
        world.hard_ends = snap.reservations.iter().any(waits);
        world.read_nodes();
        world.read_resvs(&kept);
        read_jobs::read(&mut world, &kept, preempted);
        world.recount_nodes();
        world.read_resv_copies();
        world.classify();
        world.make_calendar();
        let begins_with_event = world.calendar.first().is_some_and(|event| event.at <= world.now);
        world.missed_at = (!begins_with_event).then_some(world.now);
        world.read_shares();
        world.make_buckets();
        world.make_pools();
        world.read_counts();
        world
    }

    /// Sets the entity of each job that is read, in the fair share tree.
    fn read_shares(&mut self) {
        for job in 0..self.jobs.len() {
            let row = &self.jobs[job];
            if !row.read {
                continue;
            }
            let name: Name = match &*self.snap().policy.fairshare.entity {
                "egroup" => row.group.clone(),
                "Account_Name" => row.account.clone(),
                "queue" => self.queues[row.queue].name.clone(),
                "egroup:euser" => format!("{}:{}", row.group, row.user).into(),
                _ => row.user.clone(),
            };
            self.jobs[job].entity = self.shares.find_or_add(&name);
        }
        self.shares.measure();
    }

    /// Sets counts, soft limits and levels at the start of the cycle.
    fn read_counts(&mut self) {
        for job in 0..self.jobs.len() {
            if self.jobs[job].runs() {
                self.count(job, 1);
            }
        }
        for job in 0..self.jobs.len() {
            if self.jobs[job].runs() && self.jobs[job].reservation.is_none() {
                self.mark_soft_limits(job);
            }
        }
        for job in 0..self.jobs.len() {
            self.jobs[job].over_share = self.fair_share() && self.shares.is_over(self.jobs[job].entity);
            self.level(job);
        }
        self.count_levels();
    }

    pub(crate) fn fair_share(&self) -> bool {
        *self.snap().policy.fair_share.get(self.period)
    }

    /// Adds the ends of running jobs, planned starts, dedicated time, and nodes that come up (rules 6.8, 6.7,
    /// 0).
    fn make_calendar(&mut self) {
        for resv in 0..self.resvs.len() {
            let row = &self.resvs[resv];
            let (start, end, running, allocation) = (row.start, row.end, row.running, row.allocation.clone());
            if allocation.is_empty() {
                continue;
            }
            if !running && !has_its_nodes(&self.given.snap, resv) {
                continue;
            }
            if !running {
                self.plan(start, What::Start, Some(Who::Resv(resv)), &allocation);
                for (node, _) in super::world::by_node(&allocation) {
                    self.nodes[node].events.push((start, Who::Resv(resv)));
                }
            }
            self.plan(end, What::End, Some(Who::Resv(resv)), &allocation);
        }
        for node in &mut self.nodes {
            node.events.sort_unstable();
        }
        for job in 0..self.jobs.len() {
            if self.jobs[job].runs() {
                let allocation = self.jobs[job].allocation.clone();
                let end = self.end_of_running(job);
                self.plan(end, What::End, Some(Who::Job(job)), &allocation);
            }
        }
        let none = Rc::new(Vec::new());
        for (from, to) in self.given.dedicated.clone() {
            if from > self.now {
                self.plan(from, What::DedicatedStart, None, &none);
            }
            if to > self.now {
                self.plan(to, What::DedicatedEnd, None, &none);
            }
        }
        self.plan_nodes_up();
    }

    /// Returns the end of a running job; one before now is extended by whole soft lengths (rule 6.8).
    fn end_of_running(&mut self, job: usize) -> i64 {
        let (now, hard_ends) = (self.now, self.hard_ends);
        let row = &mut self.jobs[job];
        if row.doing == Doing::Exits {
            return now + 1;
        }
        let hard = row.hard.unwrap_or(super::world::FIVE_YEARS);
        let soft = row.soft.filter(|soft| *soft > 0 && !hard_ends);
        let end = row.started + soft.unwrap_or(hard);
        if end >= now || hard_ends {
            return self.within_resv(job, end);
        }
        let Some(soft) = soft else { return now + 1 };
        let extended = (soft * (1 + (now - row.started) / soft)).min(hard);
        if extended > soft {
            row.soft = Some(extended);
            let length = qscope_engine::cluster::Seconds(extended);
            let name = row.name.clone();
            self.actions.push(format!("estimated.soft_walltime {name} {length}"));
        }
        self.jobs[job].started + extended
    }
}

/// Returns whether a future reservation is in a state in which it has its nodes (rule 10.2).
fn has_its_nodes(snap: &Snapshot, resv: usize) -> bool {
    use qscope_engine::cluster::ReservationState as S;
    let state = snap.reservations.iter().nth(resv).map(|resv| resv.state);
    matches!(state, Some(S::Confirmed | S::Degraded | S::BeingAltered))
}

/// The requests of a chunk that are kept (rule 2.3).
pub(crate) struct Kept {
    pub(crate) line: Vec<Name>,
}

impl Kept {
    fn new(snap: &Snapshot) -> Self {
        Self { line: snap.policy.resources.clone().unwrap_or_default() }
    }

    pub(crate) fn has(&self, kind: ResourceType, name: &str) -> bool {
        kind == ResourceType::Boolean || self.line.is_empty() || self.on_line(name)
    }

    pub(crate) fn on_line(&self, name: &str) -> bool {
        self.line.iter().any(|word| **word == *name)
    }
}

pub(crate) fn amounts(list: &qscope_engine::cluster::ResourceList) -> Amounts {
    list.iter().filter_map(|(id, value)| Some((id, value.amount()?.0))).collect()
}

fn booleans(snap: &Snapshot) -> BTreeSet<ResourceId> {
    snap.catalogue.iter().filter(|(_, def)| def.kind == ResourceType::Boolean).map(|(id, _)| id).collect()
}

fn infinite(snap: &Snapshot) -> BTreeSet<ResourceId> {
    let mut ids: BTreeSet<_> = [ResourceId::mpiprocs(), ResourceId::ompthreads()].into();
    ids.extend(snap.policy.resource_unset_infinite.iter().filter_map(|name| snap.catalogue.id(name)));
    ids
}

/// Returns whether there is a sort key on usage, in either period (quirk D3).
fn sorts_per_job(snap: &Snapshot) -> bool {
    let keys = &snap.policy.node_sort_key;
    keys.prime.iter().chain(&keys.non_prime).any(qscope_engine::cluster::NodeSortKey::is_per_job)
}

/// Returns the resources kept from the selects of all jobs that are read and of reservations, and the
/// job-wide requests on the `resources` line (rule 3.2).
fn checked(snap: &Snapshot, kept: &Kept) -> BTreeSet<ResourceId> {
    let mut checked = BTreeSet::new();
    let mut of_ask = |ask: Option<Ask>| {
        let specs = ask.into_iter().flat_map(|ask| ask.specs);
        checked.extend(specs.flat_map(|spec| spec.wants).map(|(id, _)| id));
    };
    let read: Vec<_> = snap.jobs.iter().filter(|job| read_jobs::is_read(snap, job)).collect();
    for job in &read {
        of_ask(read_jobs::ask(snap, job.select.as_ref(), job.place.as_ref(), kept));
    }
    for resv in &snap.reservations {
        of_ask(read_jobs::ask(snap, resv.select.as_ref(), resv.place.as_ref(), kept));
    }
    for job in read {
        let wide = job.requested.iter().map(|(id, _)| id);
        checked.extend(wide.filter(|id| kept.on_line(snap.catalogue.name(*id))));
    }
    // Names of vnodes are always included: a preempted job requests its own.
    checked.insert(ResourceId::vnode());
    checked
}

fn read_queues(snap: &Snapshot, period: Period) -> Vec<Queue> {
    let policy = &snap.policy;
    let bound = |name: &Name| snap.nodes.iter().any(|node| node.queue.as_ref() == Some(name));
    let row = |queue: &qscope_engine::cluster::Queue| Queue {
        dedicated: queue.name.starts_with(&*policy.dedicated_prefix),
        prime: queue.name.starts_with(&*policy.primetime_prefix),
        non_prime: queue.name.starts_with(&*policy.nonprimetime_prefix),
        has_nodes: bound(&queue.name),
        name: queue.name.clone(),
        priority: queue.priority,
        started: queue.started,
        executes: queue.kind == QueueKind::Execution,
        depth: queue.backfill_depth,
        available: amounts(&queue.available),
        assigned: amounts(&queue.assigned),
        reservation: None,
    };
    let mut queues: Vec<Queue> = snap.queues.iter().map(row).collect();
    if *policy.by_queue.get(period) || *policy.round_robin.get(period) {
        queues.sort_by_key(|queue| -queue.priority);
    }
    queues
}

/// Returns the texts of a value.
pub(crate) fn texts(value: &Value) -> Vec<Name> {
    value.texts().to_vec()
}
