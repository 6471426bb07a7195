//! The packing rules R1 to R12, implemented literally and slowly: no bitmaps, no lanes, no timers, everything
//! looked up again each time. The engine must do the same.

use std::collections::BTreeMap;

use qscope::cluster::Id;
use qscope::farm::{ClassNo, FarmJob, FarmPolicy, JobNo, NodeNo, Workload};

/// A job that runs or has run: class, node, start, end, slots, memory.
#[derive(Clone, Debug)]
pub(crate) struct Stay {
    pub(crate) class: ClassNo,
    pub(crate) node: NodeNo,
    pub(crate) start: i64,
    pub(crate) end: i64,
    slots: u32,
    memory: u64,
}

/// The result of the literal simulation.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Starts in order: job, node, second.
    pub(crate) starts: Vec<(JobNo, NodeNo, i64)>,
    /// Samples: second, slots in use, waiting jobs, busy nodes, held nodes.
    pub(crate) samples: Vec<(i64, u64, u64, u32, u32)>,
    /// Starts of a job on a node where another class with a policy ran, as indices into `starts`.
    pub(crate) beside_packers: Vec<usize>,
}

struct Literal<'a> {
    workload: &'a Workload,
    policy: &'a dyn Fn(ClassNo) -> FarmPolicy,
    running: Vec<Stay>,
    /// The latest start of a class on a node during its current stay.
    anchors: BTreeMap<(ClassNo, NodeNo), i64>,
}

impl Literal<'_> {
    fn on(&self, node: NodeNo) -> impl Iterator<Item = &Stay> {
        self.running.iter().filter(move |stay| stay.node == node)
    }

    fn count(&self, class: ClassNo, node: NodeNo) -> usize {
        self.on(node).filter(|stay| stay.class == class).count()
    }

    fn used(&self, node: NodeNo) -> u32 {
        self.on(node).map(|stay| stay.slots).sum()
    }

    /// Returns whether the class holds the node (rule R6).
    fn holds(&self, class: ClassNo, node: NodeNo, t: i64) -> bool {
        self.count(class, node) >= 1
            && match (self.policy)(class) {
                FarmPolicy::Exclusive => true,
                FarmPolicy::Ttl(ttl) => t < self.anchors[&(class, node)] + ttl,
                _ => false,
            }
    }

    /// Returns the node for a job (rules R3 to R5).
    fn choose(&self, job: &FarmJob, t: i64) -> Option<NodeNo> {
        let mut best: Option<(u8, u32, u32, NodeNo)> = None;
        for (node, what) in self.workload.nodes.enumerate() {
            let used = self.used(node);
            let memory: u64 = self.on(node).map(|stay| stay.memory).sum();
            let adequate =
                used + job.slots <= what.slots && what.memory.is_none_or(|all| memory + job.memory <= all);
            let foreign =
                self.workload.classes.ids().any(|class| class != job.class && self.holds(class, node, t));
            if !adequate || foreign {
                continue;
            }
            let own = self.count(job.class, node) >= 1;
            let tier = match (self.policy)(job.class) {
                FarmPolicy::Plain => 0,
                FarmPolicy::Spread => u8::from(own),
                _ => u8::from(!own),
            };
            let better = best.is_none_or(|(least, load, of, _)| {
                (tier, used * of).cmp(&(least, load * what.slots)).is_lt()
            });
            if better {
                best = Some((tier, used, what.slots, node));
            }
        }
        best.map(|(.., node)| node)
    }

    fn start(&mut self, stay: Stay) {
        let key = (stay.class, stay.node);
        let fresh = self.count(stay.class, stay.node) == 0;
        let anchor = if fresh { stay.start } else { self.anchors[&key].max(stay.start) };
        self.anchors.insert(key, anchor);
        self.running.push(stay);
    }

    /// Returns the next second at which an event is due, not before `t`.
    fn next(&self, arrivals: &[(JobNo, FarmJob)], t: i64) -> Option<i64> {
        let ends = self.running.iter().map(|stay| stay.end);
        let submits = arrivals.iter().map(|(_, job)| job.submit);
        let lapses = self.anchors.iter().filter_map(|((class, _), anchor)| match (self.policy)(*class) {
            FarmPolicy::Ttl(ttl) if ttl > 0 => Some(anchor + ttl),
            _ => None,
        });
        ends.chain(submits).chain(lapses.filter(|at| *at > t)).min()
    }

    fn sample(&self, t: i64, pending: usize) -> (i64, u64, u64, u32, u32) {
        let nodes = || self.workload.nodes.ids();
        let held =
            nodes().filter(|node| self.workload.classes.ids().any(|class| self.holds(class, *node, t)));
        (
            t,
            self.running.iter().map(|stay| u64::from(stay.slots)).sum(),
            pending as u64,
            u32::try_from(nodes().filter(|node| self.on(*node).count() > 0).count()).unwrap(),
            u32::try_from(held.count()).unwrap(),
        )
    }
}

/// Runs a workload by a literal reading of the rules.
pub(crate) fn simulate(workload: &Workload, policy: &dyn Fn(ClassNo) -> FarmPolicy) -> Found {
    let mut farm = Literal { workload, policy, running: Vec::new(), anchors: BTreeMap::new() };
    let mut residents = workload.residents.clone();
    residents.sort_by_key(|resident| resident.start);
    for job in residents {
        let (class, node, start, end, slots, memory) =
            (job.class, job.node, job.start, job.end, job.slots, job.memory);
        farm.start(Stay { class, node, start, end, slots, memory });
    }
    let mut arrivals: Vec<(JobNo, FarmJob)> =
        workload.jobs.enumerate().map(|(job, what)| (job, *what)).collect();
    let mut pending: Vec<(JobNo, FarmJob)> = Vec::new();
    let mut found = Found::default();
    let mut t = workload.from;
    while let Some(next) = farm.next(&arrivals, t) {
        t = next;
        let mut real = false;
        loop {
            let before = (farm.running.len(), arrivals.len());
            farm.running.retain(|stay| stay.end > t);
            let lapsed = farm.anchors.iter().any(|((class, node), anchor)| {
                matches!((farm.policy)(*class), FarmPolicy::Ttl(ttl) if ttl > 0 && anchor + ttl == t)
                    && farm.count(*class, *node) >= 1
            });
            let gone: Vec<_> =
                farm.anchors.keys().copied().filter(|(class, node)| farm.count(*class, *node) == 0).collect();
            for key in gone {
                farm.anchors.remove(&key);
            }
            pending.extend(arrivals.extract_if(.., |(_, job)| job.submit <= t));
            if (farm.running.len(), arrivals.len()) == before && !lapsed && real {
                break;
            }
            real |= (farm.running.len(), arrivals.len()) != before || lapsed;
            pass(&mut farm, &mut pending, t, &mut found);
            if !farm.running.iter().any(|stay| stay.end <= t) {
                break;
            }
        }
        if real {
            found.samples.push(farm.sample(t, pending.len()));
        }
    }
    found
}

/// Makes one pass over the queue (rule R7).
fn pass(farm: &mut Literal<'_>, pending: &mut Vec<(JobNo, FarmJob)>, t: i64, found: &mut Found) {
    pending.sort_by_key(|(number, job)| (-job.priority, job.submit, number.ix()));
    let mut left = Vec::new();
    for (number, job) in std::mem::take(pending) {
        let Some(node) = farm.choose(&job, t) else {
            left.push((number, job));
            continue;
        };
        let packer = |stay: &Stay| stay.class != job.class && !(farm.policy)(stay.class).is_plain();
        if farm.on(node).any(packer) {
            found.beside_packers.push(found.starts.len());
        }
        found.starts.push((number, node, t));
        let (class, slots, memory) = (job.class, job.slots, job.memory);
        farm.start(Stay { class, node, start: t, end: t + i64::from(job.run), slots, memory });
    }
    *pending = left;
}
