//! A packer that follows the rules literally: lists of slices, every node walked, no shortcut.

use qscope::capacity::shape::CapacityShape;

/// One slice: length in seconds and free amounts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Slice {
    pub(super) length: f64,
    pub(super) memory: i64,
    pub(super) cores: f64,
    pub(super) disk: i64,
}

/// The nodes of each type, in the order of the types.
pub(super) type Nodes = Vec<Vec<Vec<Slice>>>;

fn fits(job: &CapacityShape, free: &Slice) -> bool {
    job.memory <= free.memory && job.cores <= free.cores && job.disk <= free.disk
}

fn full(kind: &CapacityShape) -> Slice {
    Slice { length: kind.wall_time, memory: kind.memory, cores: kind.cores, disk: kind.disk }
}

fn reduce(slice: &mut Slice, job: &CapacityShape) {
    slice.memory -= job.memory;
    slice.cores -= job.cores;
    slice.disk -= job.disk;
}

fn settle(node: &mut Vec<Slice>, at: usize, rest: f64, job: &CapacityShape) {
    if rest < node[at].length {
        let mut behind = node[at].clone();
        behind.length -= rest;
        node[at].length = rest;
        node.insert(at + 1, behind);
    }
    reduce(&mut node[at], job);
}

/// Tries to place a job on a node; returns whether it was placed.
fn attempt(node: &mut Vec<Slice>, kind: &CapacityShape, job: &CapacityShape, target: f64) -> bool {
    let (mut start, mut begin, mut covered, mut at) = (0, 0.0, 0.0, 0);
    loop {
        if fits(job, &node[at]) {
            covered += node[at].length;
            if covered >= job.wall_time {
                let used: f64 = node[start..at].iter().map(|slice| slice.length).sum();
                for slice in &mut node[start..at] {
                    reduce(slice, job);
                }
                settle(node, at, job.wall_time - used, job);
                return true;
            }
            if at + 1 == node.len() && start == 0 {
                node.push(full(kind));
            }
        } else {
            if begin + covered + node[at].length > target {
                return false;
            }
            begin += covered + node[at].length;
            start = at + 1;
            covered = 0.0;
        }
        at += 1;
        if at == node.len() {
            return false;
        }
    }
}

/// Packs the jobs, largest first; returns the nodes of each type and the jobs that fit nowhere.
pub(super) fn pack(
    kinds: &[CapacityShape],
    jobs: &[CapacityShape],
    target: f64,
) -> (Nodes, Vec<CapacityShape>) {
    let mut jobs = jobs.to_vec();
    jobs.sort_by(|a, b| b.order(a));
    let mut all: Nodes = vec![Vec::new(); kinds.len()];
    let mut unfit = Vec::new();
    for job in &jobs {
        let chosen =
            kinds.iter().position(|kind| (job.preemptible || !kind.preemptible) && fits(job, &full(kind)));
        let Some(chosen) = chosen else {
            unfit.push(*job);
            continue;
        };
        let kind = &kinds[chosen];
        if all[chosen].iter_mut().any(|node| attempt(node, kind, job, target)) {
            continue;
        }
        let mut node = vec![full(kind)];
        settle(&mut node, 0, job.wall_time, job);
        let (first, mut allotted) = (node[0].clone(), kind.wall_time);
        while allotted < job.wall_time {
            node.push(first.clone());
            allotted += kind.wall_time;
        }
        all[chosen].push(node);
    }
    (all, unfit)
}
