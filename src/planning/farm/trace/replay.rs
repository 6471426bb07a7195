//! The farm as it really was: jobs on the nodes where they ran, without a simulation.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::history::{TraceHistory, TraceRow};
use crate::farm::farm_state::{FarmState, SlotNeed};
use crate::farm::pending::PendingJobs;
use crate::farm::{
    ClassNo, FarmError, FarmJob, FarmObserver, FarmPolicy, FarmSample, HoldAnchor, JobNo, NodeNo, Workload,
};
use qscope_engine::cluster::{Column, number_of};

/// Replays what really ran to an observer: the "before" curve. Returns the number of events.
///
/// # Errors
/// [`FarmError::Stopped`] when the observer does not want to continue.
pub fn replay<W: FarmObserver>(
    history: &TraceHistory,
    workload: &Workload,
    observer: &mut W,
) -> Result<u64, FarmError> {
    let policies = Column::filled(workload.classes.len(), FarmPolicy::Plain);
    let mut replay = Replay {
        history,
        classes: history.class_numbers(),
        nodes: history.node_numbers(&workload.nodes),
        state: FarmState::new(&workload.nodes, &policies, HoldAnchor::Last, false),
        ends: BinaryHeap::new(),
        events: 0,
        observer,
    };
    replay.run()?;
    Ok(replay.events)
}

struct Replay<'a, W> {
    history: &'a TraceHistory,
    classes: Vec<ClassNo>,
    nodes: Vec<Option<NodeNo>>,
    state: FarmState,
    ends: BinaryHeap<Reverse<(i64, u32, NodeNo)>>,
    events: u64,
    observer: &'a mut W,
}

impl<'a, W: FarmObserver> Replay<'a, W> {
    fn run(&mut self) -> Result<(), FarmError> {
        let none = PendingJobs::default();
        let mut order: Vec<u32> = (0..number_of(self.history.rows.len())).collect();
        order.retain(|at| self.row(*at).is_some());
        order.sort_by_key(|at| self.row(*at).map(|row| row.start));
        let mut starts = order.into_iter().peekable();
        let mut seconds = 0u64;
        loop {
            let start = starts.peek().and_then(|at| self.row(*at)).map(|row| row.start);
            let end = self.ends.peek().map(|Reverse((end, ..))| *end);
            let Some(t) = [start, end].into_iter().flatten().min() else { return Ok(()) };
            self.end_rows(t);
            while let Some(at) = starts.next_if(|at| self.row(*at).is_some_and(|row| row.start <= t)) {
                self.start_row(at, t);
            }
            // Jobs without run time leave in the second of their start.
            self.end_rows(t);
            self.observer.sample(&FarmSample::of(t, &self.state, &none));
            self.state.forget_touched();
            seconds += 1;
            if seconds.is_multiple_of(4096) && !self.observer.wanted() {
                return Err(FarmError::Stopped);
            }
        }
    }

    /// Returns a row if its node is known and part of the farm.
    fn row(&self, at: u32) -> Option<&'a TraceRow> {
        let row = self.history.rows.get(at as usize)?;
        self.nodes.get(row.node as usize).copied().flatten()?;
        Some(row)
    }

    fn need(&self, row: &TraceRow) -> Option<SlotNeed> {
        let class = *self.classes.get(row.class as usize)?;
        Some(SlotNeed { class, slots: row.slots, memory: 0 })
    }

    fn end_rows(&mut self, t: i64) {
        while let Some(&Reverse((end, at, node))) = self.ends.peek() {
            if end > t {
                break;
            }
            self.ends.pop();
            self.events += 1;
            if let Some(need) = self.row(at).and_then(|row| self.need(row)) {
                self.state.end(need, node);
            }
        }
    }

    fn start_row(&mut self, at: u32, t: i64) {
        let Some(row) = self.row(at) else { return };
        let (Some(need), Some(Some(node))) = (self.need(row), self.nodes.get(row.node as usize).copied())
        else {
            return;
        };
        self.events += 1;
        self.state.start(need, node, t, t);
        self.ends.push(Reverse((row.end().max(t), at, node)));
        let (submit, run, class, slots) = (row.submit, row.run, need.class, need.slots);
        let job = FarmJob { submit, run, class, slots, priority: 0, memory: 0 };
        self.observer.started(JobNo(at), &job, node, t);
    }
}
