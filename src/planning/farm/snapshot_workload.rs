//! The running and queued jobs of a snapshot, as work for a farm.

use std::collections::BTreeMap;

use qscope_engine::cluster::{Amount, Epoch, ExecVnode, Id, Job, Name, Node, ResourceId, Seconds, Snapshot};

use super::criterion::{Criterion, JobProperties};
use super::workload::{ClassNo, FarmJob, FarmNode, NodeNo, Resident, Workload};

/// Maximum number of parts of one waiting job with all its subjobs, and of all waiting jobs.
const MAX_OF_A_JOB: u64 = 50_000;
const MAX_IN_ALL: u64 = 1_000_000;

/// Counts of what was assumed on the way from a snapshot to a farm.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NowNotes {
    /// Jobs of several chunks or vnodes, split into one part for each.
    pub in_parts: u64,
    /// Jobs without a walltime, assumed to run for PBS's unlimited walltime (five years).
    pub endless: u64,
    /// Running jobs past their walltime, assumed to end now.
    pub overdue: u64,
    /// Nodes that accept no jobs.
    pub unavailable_nodes: u64,
    /// Waiting jobs that request no CPU.
    pub without_slots: u64,
    /// Waiting jobs of more parts than are simulated.
    pub too_many_parts: u64,
}

/// A job of a snapshot, as described to a criterion.
struct DescribedJob<'a>(&'a Snapshot, &'a Job);

impl JobProperties for DescribedJob<'_> {
    fn attribute(&self, criterion: &Criterion) -> Option<String> {
        let Self(_, job) = self;
        Some(match criterion {
            Criterion::Queue => job.queue.to_string(),
            Criterion::Group => job.group.to_string(),
            Criterion::User => job.user.to_string(),
            Criterion::Project => job.project.to_string(),
            _ => return None,
        })
    }

    fn name(&self) -> Option<String> {
        Some(self.1.title.to_string())
    }

    fn resource(&self, name: &str) -> Option<String> {
        let Self(snapshot, job) = self;
        let id = snapshot.catalogue.id(name);
        let asked = id.and_then(|id| Some(job.requested.get(id)?.show(snapshot.catalogue.kind(id))));
        let in_chunks = || job.chunk_requests().find(|ask| &*ask.resource == name);
        asked.or_else(|| in_chunks().map(|ask| ask.value.to_string()))
    }
}

pub fn class_of(snapshot: &Snapshot, job: &Job, criterion: &Criterion) -> String {
    criterion.class_of(&DescribedJob(snapshot, job))
}

/// Counts the jobs of each class on each node, as the node itself would publish them. Nodes without jobs are
/// left out.
pub fn counts_by_node(snapshot: &Snapshot, criterion: &Criterion) -> BTreeMap<Name, BTreeMap<String, u64>> {
    let mut counts: BTreeMap<Name, BTreeMap<String, u64>> = BTreeMap::new();
    for job in snapshot.jobs.iter().filter(|job| occupies(job)) {
        let class = class_of(snapshot, job, criterion);
        let mut on: Vec<&Name> =
            job.exec_vnode.iter().flat_map(ExecVnode::parts).map(|part| &part.vnode).collect();
        on.sort_unstable();
        on.dedup();
        for node in on {
            *counts.entry(node.clone()).or_default().entry(class.clone()).or_insert(0) += 1;
        }
    }
    counts
}

fn occupies(job: &Job) -> bool {
    job.state.has_nodes() && !job.is_array()
}

/// Returns a snapshot's running and queued jobs on its nodes, from its current time on.
pub fn from_now(snapshot: &Snapshot, criterion: &Criterion) -> (Workload, NowNotes) {
    let mut building = WorkloadBuilder {
        snapshot,
        criterion,
        ncpus: snapshot.catalogue.id("ncpus"),
        mem: snapshot.catalogue.id("mem"),
        classes: BTreeMap::new(),
        nodes: BTreeMap::new(),
        workload: Workload { from: snapshot.now.0, ..Workload::default() },
        whole: Vec::new(),
        notes: NowNotes::default(),
    };
    building.classes();
    building.nodes();
    for job in snapshot.jobs.iter().filter(|job| occupies(job)) {
        building.running(job);
    }
    let mut queued: Vec<&Job> = snapshot.jobs.iter().filter(|job| job.state.is_queued()).collect();
    queued.sort_by_key(|job| (job.waits_since(), job.sequence));
    for job in queued {
        building.queued(job);
    }
    building.close_away_nodes();
    let WorkloadBuilder { mut workload, whole, notes, .. } = building;
    workload.set_whole(whole);
    (workload, notes)
}

struct WorkloadBuilder<'a> {
    snapshot: &'a Snapshot,
    criterion: &'a Criterion,
    ncpus: Option<ResourceId>,
    mem: Option<ResourceId>,
    classes: BTreeMap<String, ClassNo>,
    nodes: BTreeMap<Name, NodeNo>,
    workload: Workload,
    /// For each part, the job or subjob it belongs to.
    whole: Vec<u32>,
    notes: NowNotes,
}

impl WorkloadBuilder<'_> {
    fn classes(&mut self) {
        let class_name = |job: &Job| class_of(self.snapshot, job, self.criterion);
        let mut names: Vec<String> = self.snapshot.jobs.iter().map(class_name).collect();
        names.sort_unstable();
        names.dedup();
        self.workload.classes = names.iter().map(|name| Name::from(name.as_str())).collect();
        self.classes = names.into_iter().enumerate().map(|(at, name)| (name, ClassNo::at(at))).collect();
    }

    fn class(&self, job: &Job) -> ClassNo {
        let name = class_of(self.snapshot, job, self.criterion);
        self.classes.get(&name).copied().unwrap_or(ClassNo(0))
    }

    fn nodes(&mut self) {
        let amount = |node: &Node, id: Option<ResourceId>| Some(node.available.amount(id?)?.0);
        for node in &self.snapshot.nodes {
            let slots = amount(node, self.ncpus).unwrap_or(0.0).clamp(0.0, f64::from(super::MAX_SLOTS));
            let memory = amount(node, self.mem).map(|kb| kb.max(0.0) as u64);
            let farm_node = FarmNode { name: node.name.clone(), slots: slots as u32, memory };
            let number = self.workload.nodes.push(farm_node);
            self.nodes.insert(node.name.clone(), number);
        }
    }

    /// Reduces nodes that accept no jobs to the slots of the jobs that run on them.
    fn close_away_nodes(&mut self) {
        for (number, node) in self.snapshot.nodes.enumerate() {
            let states = node.states;
            if !states.is_gone() {
                continue;
            }
            self.notes.unavailable_nodes += 1;
            let number = NodeNo::at(number.ix());
            let here = self.workload.residents.iter().filter(|resident| resident.node == number);
            let used = here.map(|resident| resident.slots).fold(0u32, u32::saturating_add);
            self.workload.nodes[number].slots = used;
        }
    }

    fn walltime(&mut self, job: &Job) -> i64 {
        let walltime = self.snapshot.catalogue.id("walltime").and_then(|id| job.requested.amount(id));
        self.notes.endless += u64::from(walltime.is_none());
        walltime.map_or(Seconds::UNLIMITED.0, |seconds| seconds.0.max(0.0) as i64)
    }

    fn running(&mut self, job: &Job) {
        let now = self.snapshot.now;
        let start = job.started.unwrap_or(now).min(now);
        let walltime = self.walltime(job);
        let mut end = start.0.saturating_add(walltime);
        if end <= now.0 {
            self.notes.overdue += 1;
            end = now.0.saturating_add(1);
        }
        let class = self.class(job);
        let number = |text: &str| text.trim_end_matches("kb").parse::<u64>().unwrap_or(0);
        let mut on: BTreeMap<NodeNo, (u32, u64)> = BTreeMap::new();
        for part in job.exec_vnode.iter().flat_map(ExecVnode::parts) {
            let Some(node) = self.nodes.get(&part.vnode) else { continue };
            let resource_named = |name: &str| part.resources.iter().find(|(have, _)| &**have == name);
            let slots = resource_named("ncpus").map_or(0, |(_, value)| number(value));
            let memory = resource_named("mem").map_or(0, |(_, value)| number(value));
            let sum = on.entry(*node).or_default();
            sum.0 = sum.0.saturating_add(u32::try_from(slots).unwrap_or(u32::MAX));
            sum.1 = sum.1.saturating_add(memory);
        }
        self.notes.in_parts += u64::from(on.len() > 1);
        for (node, (slots, memory)) in on {
            let id = job.name.clone();
            self.workload.residents.push(Resident { id, class, node, start: start.0, end, slots, memory });
        }
    }

    fn queued(&mut self, job: &Job) {
        let run = u32::try_from(self.walltime(job)).unwrap_or(u32::MAX);
        let class = self.class(job);
        let copies = job.array.as_ref().map_or(1, |array| array.remaining.len() as u64);
        let mut parts = Vec::new();
        for chunk in job.chunks() {
            let asked = |name: &str| {
                let ask = chunk.requests.iter().find(|ask| &*ask.resource == name)?;
                let id = self.snapshot.catalogue.id(name)?;
                let kind = self.snapshot.catalogue.kind(id);
                Some(Amount::parse(kind, &ask.value).ok()?.0.max(0.0) as u64)
            };
            let slots = u32::try_from(asked("ncpus").unwrap_or(0)).unwrap_or(u32::MAX);
            let memory = asked("mem").unwrap_or(0);
            parts.push((u64::from(chunk.count), slots, memory));
        }
        let all: u64 = parts.iter().map(|(count, ..)| count).sum();
        if parts.iter().all(|(_, slots, _)| *slots == 0) {
            self.notes.without_slots += 1;
            return;
        }
        let all_copies = all.saturating_mul(copies);
        let before = self.workload.jobs.len() as u64;
        if all_copies > MAX_OF_A_JOB || before.saturating_add(all_copies) > MAX_IN_ALL {
            self.notes.too_many_parts += 1;
            return;
        }
        self.notes.in_parts += u64::from(all > 1);
        let priority = i32::try_from(job.priority).unwrap_or(0);
        let Epoch(submit) = self.snapshot.now;
        for _copy in 0..copies {
            let whole = self.whole.last().map_or(0, |last| last + 1);
            for (count, slots, memory) in &parts {
                for _part in 0..if *slots == 0 { 0 } else { *count } {
                    let (slots, memory) = (*slots, *memory);
                    self.workload.jobs.push(FarmJob { submit, run, class, slots, priority, memory });
                    self.workload.ids.push(job.short_name().into());
                    self.whole.push(whole);
                }
            }
        }
    }
}
