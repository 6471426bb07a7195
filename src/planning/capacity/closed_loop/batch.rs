//! The batch system of the simulation: the queue, the nodes, and the jobs on them.

use std::collections::{BTreeSet, VecDeque};

use rustc_hash::FxHashSet;

use qscope_engine::cluster::Column;

use crate::capacity::{CapacityShape, Milli, PackingAmounts, ShapeKey};

use super::agenda::{LaunchNo, LoopJobNo};
use super::{LoopAgenda, LoopEvent, LoopJob};

/// A launched node.
#[derive(Clone, Debug, Default)]
pub(super) struct BatchNode {
    /// Index of its type in the order of types.
    pub type_index: usize,
    /// When it was launched, in seconds from the beginning.
    pub launched: f64,
    /// Whether it has booted.
    pub ready: bool,
    /// Whether it accepts no more jobs.
    pub ignored: bool,
    /// Whether it has been terminated.
    pub is_terminated: bool,
    pub jobs: u32,
    free: PackingAmounts<Milli>,
}

/// The name of a job that ended and its run time in seconds; none where the end does not count.
pub(super) type JobCompletion<'a> = Option<(&'a str, f64)>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum LoopJobStage {
    NotSubmitted,
    Queued,
    Running(LaunchNo),
    Done,
}

/// A job and its state.
#[derive(Clone, Copy)]
struct LoopTask<'a> {
    job: &'a LoopJob,
    stage: LoopJobStage,
    /// When it last started, in seconds from the beginning.
    started: f64,
}

/// The queue and the nodes.
#[derive(Default)]
pub(super) struct BatchState<'a> {
    jobs: Column<LoopJobNo, LoopTask<'a>>,
    usable: Vec<CapacityShape>,
    queue: VecDeque<LoopJobNo>,
    running: BTreeSet<LoopJobNo>,
    /// Nodes in the order of their creation; terminated ones stay, so that numbers remain valid.
    nodes: Column<LaunchNo, BatchNode>,
    live: BTreeSet<LaunchNo>,
    /// Number of jobs that are not services and have not ended.
    unfinished_jobs: usize,
    last_end: Option<f64>,
    killed: usize,
    paid: Vec<(usize, f64)>,
    /// Whether anything changed since the last pass over the queue.
    dirty: bool,
}

impl<'a> BatchState<'a> {
    pub(super) fn new(jobs: &'a [LoopJob], usable: &[CapacityShape]) -> Self {
        Self {
            jobs: jobs
                .iter()
                .map(|job| LoopTask { job, stage: LoopJobStage::NotSubmitted, started: 0.0 })
                .collect(),
            usable: usable.to_vec(),
            unfinished_jobs: jobs.iter().filter(|job| job.seconds.is_some()).count(),
            dirty: true,
            ..Self::default()
        }
    }

    pub(super) fn submit(&mut self, job: LoopJobNo) {
        self.jobs[job].stage = LoopJobStage::Queued;
        self.queue.push_back(job);
        self.dirty = true;
    }

    pub(super) fn ready(&mut self, node: LaunchNo) {
        self.nodes[node].ready = true;
        self.dirty = true;
    }

    pub(super) fn launch(&mut self, type_index: usize, time: f64) -> LaunchNo {
        let free = self.usable.get(type_index).map(PackingAmounts::of).unwrap_or_default();
        let number = self.nodes.push(BatchNode { type_index, launched: time, free, ..BatchNode::default() });
        self.live.insert(number);
        number
    }

    /// Terminates a node; its jobs go back to the queue.
    pub(super) fn terminate(&mut self, node: LaunchNo, time: f64) {
        let gone = &mut self.nodes[node];
        gone.is_terminated = true;
        self.paid.push((gone.type_index, time - gone.launched));
        self.live.remove(&node);
        let is_lost = |job: &LoopJobNo| self.jobs[*job].stage == LoopJobStage::Running(node);
        let lost: Vec<LoopJobNo> = self.running.iter().copied().filter(is_lost).collect();
        for job in lost {
            self.killed += 1;
            self.running.remove(&job);
            self.submit(job);
        }
        self.dirty = true;
    }

    pub(super) fn set_ignored(&mut self, node: LaunchNo, ignored: bool) {
        self.nodes[node].ignored = ignored;
        self.dirty = true;
    }

    /// Ends a job; the end of the last job ends all services too.
    pub(super) fn end(&mut self, job: LoopJobNo, time: f64) -> JobCompletion<'a> {
        let LoopTask { job: known, stage, started } = self.jobs[job];
        let seconds = known.seconds?;
        // A job whose node was terminated runs again; the end of its first run does not count.
        if !matches!(stage, LoopJobStage::Running(_)) || started + seconds != time {
            return None;
        }
        self.leave(job);
        self.unfinished_jobs -= 1;
        self.last_end = Some(time);
        if self.unfinished_jobs == 0 {
            let services: Vec<LoopJobNo> = self.running.iter().copied().collect();
            services.into_iter().for_each(|service| self.leave(service));
            self.queue.clear();
        }
        Some((&known.name, seconds))
    }

    fn leave(&mut self, job: LoopJobNo) {
        let task = &mut self.jobs[job];
        if let LoopJobStage::Running(node) = task.stage {
            let node = &mut self.nodes[node];
            node.free = node.free.with(&PackingAmounts::of(&task.job.shape));
            node.jobs -= 1;
        }
        task.stage = LoopJobStage::Done;
        self.running.remove(&job);
        self.dirty = true;
    }

    /// Starts the jobs that have room: in order of submission, each on the first node that fits in order of
    /// creation. A shape that found no room is not tried again in this pass.
    pub(super) fn dispatch(&mut self, time: f64, agenda: &mut LoopAgenda) {
        if !std::mem::take(&mut self.dirty) {
            return;
        }
        let mut refused: FxHashSet<ShapeKey> = FxHashSet::default();
        let mut waiting = VecDeque::new();
        // Only nodes that accept jobs are searched.
        let is_open = |node: &LaunchNo| self.nodes[*node].ready && !self.nodes[*node].ignored;
        let open: Vec<LaunchNo> = self.live.iter().copied().filter(is_open).collect();
        while let Some(job) = self.queue.pop_front() {
            let shape = CapacityShape { wall_time: 0.0, ..self.jobs[job].job.shape };
            let node =
                if refused.contains(&shape.key()) { None } else { self.first_with_room(&open, &shape) };
            match node {
                Some(node) => self.start(job, node, time, agenda),
                None => {
                    refused.insert(shape.key());
                    waiting.push_back(job);
                }
            }
        }
        self.queue = waiting;
    }

    fn first_with_room(&self, open: &[LaunchNo], shape: &CapacityShape) -> Option<LaunchNo> {
        let need: PackingAmounts<Milli> = PackingAmounts::of(shape);
        open.iter().copied().find(|number| {
            let node = &self.nodes[*number];
            let kind = self.usable.get(node.type_index);
            let allowed = shape.preemptible || !kind.is_some_and(|kind| kind.preemptible);
            allowed && need.fits(&node.free)
        })
    }

    fn start(&mut self, number: LoopJobNo, on: LaunchNo, time: f64, agenda: &mut LoopAgenda) {
        let LoopTask { job, stage, started } = &mut self.jobs[number];
        (*stage, *started) = (LoopJobStage::Running(on), time);
        let node = &mut self.nodes[on];
        node.free = node.free.without(&PackingAmounts::of(&job.shape));
        node.jobs += 1;
        self.running.insert(number);
        if let Some(seconds) = job.seconds {
            agenda.add(time + seconds, LoopEvent::End(number));
        }
    }

    /// Returns the jobs that run or wait, each in that order, with the start time of those that run.
    pub(super) fn active_jobs(&self) -> impl Iterator<Item = (&'a LoopJob, Option<f64>)> {
        let running = self.running.iter().map(|number| {
            let task = &self.jobs[*number];
            (task.job, Some(task.started))
        });
        running.chain(self.queue.iter().map(|number| (self.jobs[*number].job, None)))
    }

    /// Returns the nodes that are held, with their numbers, in order of creation.
    pub(super) fn nodes(&self) -> impl Iterator<Item = (LaunchNo, &BatchNode)> {
        self.live.iter().map(|number| (*number, &self.nodes[*number]))
    }

    /// Returns the running services, if nothing else runs and other jobs are left.
    pub(super) fn running_services(&self) -> Option<Vec<LoopJobNo>> {
        let is_service = |number: &LoopJobNo| self.jobs[*number].job.seconds.is_none();
        let all = self.unfinished_jobs > 0 && !self.running.is_empty() && self.running.iter().all(is_service);
        all.then(|| self.running.iter().copied().collect())
    }

    pub(super) fn queued(&self) -> usize {
        self.queue.len()
    }

    pub(super) fn running(&self) -> usize {
        self.running.len()
    }

    pub(super) fn held(&self) -> usize {
        self.live.len()
    }

    pub(super) fn ready_nodes(&self) -> usize {
        self.nodes().filter(|(_, node)| node.ready).count()
    }

    pub(super) fn idle_nodes(&self) -> usize {
        self.nodes().filter(|(_, node)| node.ready && node.jobs == 0).count()
    }

    pub(super) fn ignored(&self) -> usize {
        self.nodes().filter(|(_, node)| node.ignored).count()
    }

    pub(super) fn killed(&self) -> usize {
        self.killed
    }

    pub(super) fn is_done(&self) -> bool {
        self.unfinished_jobs == 0 && self.queue.is_empty() && self.running.is_empty()
    }

    pub(super) fn makespan(&self) -> Option<f64> {
        if self.unfinished_jobs == 0 { Some(self.last_end.unwrap_or(0.0)) } else { None }
    }

    /// Returns the node-seconds held up to `time`, by type.
    pub(super) fn close(&mut self, time: f64, types: usize) -> Vec<f64> {
        let open: Vec<_> = self.nodes().map(|(_, node)| (node.type_index, time - node.launched)).collect();
        let mut by_type = vec![0.0; types];
        for (kind, seconds) in self.paid.iter().chain(&open) {
            if let Some(slot) = by_type.get_mut(*kind) {
                *slot += seconds;
            }
        }
        by_type
    }
}
