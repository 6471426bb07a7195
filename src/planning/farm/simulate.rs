//! The simulator: events in whole seconds, one dispatch pass after each batch (packing rules R1 to R12).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use qscope_engine::cluster::{Column, number_of};

use super::farm_state::{FarmState, HoldTimer, SlotNeed, TimerOutcome};
use super::pending::PendingJobs;
use super::{
    ClassNo, FarmError, FarmJob, FarmNode, FarmObserver, FarmOptions, FarmPolicy, FarmSample, JobNo, NodeNo,
    Resident,
};

/// Number of seconds with events between two calls of `wanted`.
const BREATH: u64 = 4096;

/// The input of a simulation other than the arrivals.
#[derive(Clone, Copy, Debug)]
pub struct FarmInput<'a> {
    pub nodes: &'a Column<NodeNo, FarmNode>,
    pub policies: &'a Column<ClassNo, FarmPolicy>,
    /// The jobs that run at the start.
    pub residents: &'a [Resident],
    /// Start time of the simulation.
    pub from: i64,
    /// Deviations from the rules.
    pub options: FarmOptions,
}

/// A running job: its end, its position in the order of starts, its node, and the index of its need.
type RunningEnd = (i64, u64, NodeNo, u32);

struct FarmSimulation<'a, W> {
    setting: FarmInput<'a>,
    state: FarmState,
    pending: PendingJobs,
    ends: BinaryHeap<Reverse<RunningEnd>>,
    /// The needs of the running jobs by index; `free_indices` lists the free indices.
    needs: Vec<SlotNeed>,
    free_indices: Vec<u32>,
    timers: BinaryHeap<Reverse<HoldTimer>>,
    started: u64,
    never: u64,
    events: u64,
    now: i64,
    /// Whether something happened since the last pass, and whether something happened since signs were last
    /// published.
    needs_pass: bool,
    unseen: bool,
    observer: &'a mut W,
}

/// Runs jobs, given in order of arrival, through the farm. Returns the number of events.
///
/// Memory grows with the running and waiting jobs, not with the finished ones.
///
/// # Errors
/// [`FarmError::Stopped`] when the observer does not want to continue.
pub fn simulate<W: FarmObserver>(
    setting: FarmInput<'_>,
    arrivals: impl IntoIterator<Item = (JobNo, FarmJob)>,
    observer: &mut W,
) -> Result<u64, FarmError> {
    let options = setting.options;
    let floor = FarmState::new(setting.nodes, setting.policies, options.anchor, options.fullest_first);
    let mut simulation = FarmSimulation {
        setting,
        state: floor,
        pending: PendingJobs::default(),
        ends: BinaryHeap::new(),
        needs: Vec::new(),
        free_indices: Vec::new(),
        timers: BinaryHeap::new(),
        started: 0,
        never: 0,
        events: 0,
        now: setting.from,
        needs_pass: false,
        unseen: false,
        observer,
    };
    simulation.place_residents();
    simulation.run(arrivals.into_iter())?;
    Ok(simulation.events)
}

impl<W: FarmObserver> FarmSimulation<'_, W> {
    /// Places the jobs that run at the start (rule R8).
    fn place_residents(&mut self) {
        let mut residents: Vec<&Resident> = self.setting.residents.iter().collect();
        residents.sort_by_key(|resident| resident.start);
        for resident in residents {
            let need = SlotNeed { class: resident.class, slots: resident.slots, memory: resident.memory };
            self.start_job(need, resident.node, resident.start, self.setting.from, resident.end);
        }
        if self.setting.options.publish.is_some() {
            self.state.published_bitmaps = Some(self.state.current_bitmaps.clone());
        }
    }

    fn start_job(&mut self, need: SlotNeed, node: NodeNo, since: i64, t: i64, end: i64) {
        if let Some(timer) = self.state.start(need, node, since, t) {
            self.timers.push(Reverse(timer));
        }
        let place = self.free_indices.pop().unwrap_or_else(|| {
            self.needs.push(need);
            number_of(self.needs.len() - 1)
        });
        if let Some(held) = self.needs.get_mut(place as usize) {
            *held = need;
        }
        self.started += 1;
        self.ends.push(Reverse((end, self.started, node, place)));
    }

    fn run(&mut self, arrivals: impl Iterator<Item = (JobNo, FarmJob)>) -> Result<(), FarmError> {
        let mut arrivals = arrivals.peekable();
        let mut seconds = 0u64;
        loop {
            let submit = arrivals.peek().map(|(_, job)| job.submit);
            let Some(t) = self.next_second(submit) else { return Ok(()) };
            let mut real = false;
            loop {
                let mut any = self.finish(t);
                any |= self.lapse(t);
                while let Some((number, job)) = arrivals.next_if(|(_, job)| job.submit <= t) {
                    any = true;
                    self.events += 1;
                    self.arrive(number, job);
                }
                self.unseen |= any;
                self.needs_pass |= any;
                self.publish_if_due(t);
                real |= self.pass_if_due(t) || any;
                if !self.ends_at(t) {
                    break;
                }
            }
            if real {
                let (state, pending) = (&self.state, &self.pending);
                self.observer.sample(&FarmSample { t, state, pending, never: self.never });
            }
            self.state.forget_touched();
            seconds += 1;
            if seconds.is_multiple_of(BREATH) && !self.observer.wanted() {
                return Err(FarmError::Stopped);
            }
        }
    }

    /// Returns the next second at which something happens.
    fn next_second(&mut self, submit: Option<i64>) -> Option<i64> {
        let end = self.ends.peek().map(|Reverse((end, ..))| *end);
        let timer = self.timers.peek().map(|Reverse(timer)| timer.at);
        let after = |every: Option<i64>, wanted: bool| {
            every.filter(|_| wanted).map(|every| self.now.div_euclid(every).saturating_add(1) * every)
        };
        let cycle = after(self.setting.options.cycle, self.needs_pass && self.pending.jobs() > 0);
        let publish = after(self.setting.options.publish, self.unseen);
        let next = [submit, end, timer, cycle, publish].into_iter().flatten().min()?;
        self.now = next;
        Some(next)
    }

    /// Returns whether a job without run time ends in this same second.
    fn ends_at(&self, t: i64) -> bool {
        self.ends.peek().is_some_and(|Reverse((end, ..))| *end <= t)
    }

    fn finish(&mut self, t: i64) -> bool {
        let mut any = false;
        while let Some(&Reverse((end, _, node, place))) = self.ends.peek() {
            if end > t {
                break;
            }
            self.ends.pop();
            if let Some(&need) = self.needs.get(place as usize) {
                self.state.end(need, node);
            }
            self.free_indices.push(place);
            self.pending.freed(node);
            self.events += 1;
            any = true;
        }
        any
    }

    fn lapse(&mut self, t: i64) -> bool {
        let mut any = false;
        while let Some(&Reverse(timer)) = self.timers.peek() {
            if timer.at > t {
                break;
            }
            self.timers.pop();
            match self.state.handle_timer(timer, t) {
                TimerOutcome::Stale => {}
                TimerOutcome::Renewed(timer) => self.timers.push(Reverse(timer)),
                TimerOutcome::HoldLapsed(node) => {
                    self.pending.freed(node);
                    self.events += 1;
                    any = true;
                }
            }
        }
        any
    }

    fn arrive(&mut self, number: JobNo, job: FarmJob) {
        let need = SlotNeed { class: job.class, slots: job.slots, memory: job.memory };
        if FarmState::could_ever(self.setting.nodes, need) {
            self.pending.push(number, job);
        } else {
            self.never += 1;
            self.observer.never_fits(number, &job);
        }
    }

    /// Publishes the current signs to the jobs, where that is due (rule R12, publish).
    fn publish_if_due(&mut self, t: i64) {
        if self.unseen
            && self.setting.options.publish.is_some_and(|every| t.rem_euclid(every) == 0)
            && let Some(shown) = &mut self.state.published_bitmaps
        {
            shown.clone_from(&self.state.current_bitmaps);
            self.pending.all_freed();
            self.unseen = false;
            self.needs_pass = true;
        }
    }

    /// Makes a pass unless it must wait for the cycle (rule R12, cycle). Returns whether a job started.
    fn pass_if_due(&mut self, t: i64) -> bool {
        if self.setting.options.cycle.is_some_and(|every| t.rem_euclid(every) != 0) {
            return false;
        }
        self.needs_pass = false;
        let before = self.started;
        if self.pending.jobs() > 0 {
            self.pass(t);
        }
        self.unseen |= self.started > before;
        self.started > before
    }

    /// Walks over the queue in its order and starts each job that has a node (rule R7).
    fn pass(&mut self, t: i64) {
        let strict = self.setting.options.fifo;
        self.pending.open_pass(&self.state, strict);
        let mut unchanged = true;
        while let Some((lane, need, found)) = self.pending.next() {
            let node = if unchanged { found } else { self.state.choose(need) };
            let Some(node) = node else {
                if strict {
                    break;
                }
                continue;
            };
            let Some((number, job)) = self.pending.take(lane) else { continue };
            unchanged = false;
            let end = t.saturating_add(i64::from(job.run));
            self.start_job(need, node, t, t, end);
            self.observer.started(number, &job, node, t);
        }
        self.pending.close_pass(strict);
    }
}
