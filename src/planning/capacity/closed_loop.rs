//! Simulates the scaler in a closed loop with a batch system, on a virtual clock: what a queue would really
//! cost and when it would really be done.

use serde::Serialize;

use qscope_engine::cluster::{Id, Name};

use super::{CapacityShape, EstimateOptions, LostCycle, NodeType};

mod agenda;
mod batch;
mod scaler;

use agenda::{LoopAgenda, LoopEvent, LoopJobNo};
use batch::BatchState;
use scaler::Scaler;

/// One job of a scenario.
#[derive(Clone, PartialEq, Debug)]
pub struct LoopJob {
    /// Submission time, in seconds from the beginning.
    pub submit: f64,
    /// Name under which the history of run times is kept.
    pub name: Name,
    /// Real run time in seconds; none for a service, which runs until all other jobs are done.
    pub seconds: Option<f64>,
    /// Amounts requested; its wall time is the declared one, 0 for none.
    pub shape: CapacityShape,
}

/// A scenario to simulate.
#[derive(Clone, PartialEq, Debug)]
pub struct LoopScenario {
    /// Node types, in the order of [`sort_types`](super::node_type::sort_types).
    pub types: Vec<NodeType>,
    /// The scaler's options.
    pub options: EstimateOptions,
    /// Seconds between cycles.
    pub interval: f64,
    /// Seconds from the launch of a node until it accepts jobs.
    pub boot: f64,
    /// The jobs in order of creation.
    pub jobs: Vec<LoopJob>,
}

/// The state after a cycle.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LoopState {
    /// Seconds from the beginning.
    pub time: f64,
    pub queued: usize,
    /// Number of running jobs.
    pub running: usize,
    /// Nodes wanted, by type.
    pub wanted: Vec<i64>,
    /// Nodes that have booted, draining ones included.
    pub ready: usize,
    /// Nodes that are paid for, booting ones included.
    pub held: usize,
    /// Number of draining nodes.
    #[serde(rename = "draining")]
    pub ignored: usize,
    /// Nodes that are ready and run no job; not among the original's figures.
    #[serde(skip)]
    pub idle: usize,
}

/// How a simulation ended.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum LoopEnd {
    /// All jobs are done, and only the minimum number of nodes of each type is left.
    Done(f64),
    /// Only services run, and they wait for jobs that have no room (the deadlock check of the original's leader).
    Deadlock(f64),
    /// Nothing can change anymore.
    Stuck(f64),
    /// The simulation reached the maximum number of cycles.
    CycleLimit(f64),
}

/// The result of a simulation.
#[derive(Clone, PartialEq, Debug)]
pub struct LoopOutcome {
    /// When the last job that is not a service ended; none if some job did not end.
    pub makespan: Option<f64>,
    pub end: LoopEnd,
    /// Node-seconds from launch to termination.
    pub node_seconds: f64,
    /// Largest number of nodes held at once.
    pub max_nodes: usize,
    /// Number of job runs lost because their node was terminated.
    pub killed: usize,
    /// Cycles that the original loses by its own failures.
    pub lost_cycles: u64,
    /// The states after the cycles in which something changed.
    pub trace: Vec<LoopState>,
}

/// Why a scenario cannot be simulated.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum LoopError {
    /// The time between cycles or the boot time is out of range.
    #[error("{what} must be {least}, found {found} s")]
    Time {
        /// Name of the setting.
        what: &'static str,
        /// Its smallest allowed value, in words.
        least: &'static str,
        /// Its value, in seconds.
        found: f64,
    },
    /// The jobs cannot be packed.
    #[error(transparent)]
    Lost(#[from] LostCycle),
    /// The caller asked to stop.
    #[error("stopped")]
    Stopped,
}

/// Maximum number of cycles of a simulation: seventy days at one cycle a minute.
const MAX_CYCLES: u64 = 100_000;
/// Seconds during which the same services must be all that runs for a deadlock to be reported.
const DEADLOCK_WAIT: f64 = 60.0;
/// Number of cycles without any change after which the simulation ends.
const QUIET_CYCLES: u32 = 3;
/// Number of cycles in a row in which jobs wait and none runs after which the simulation is stuck, in
/// addition to ten times the cycles of a boot: nodes come and go and none is of use.
const IDLE_CYCLES: f64 = 100.0;

/// Runs a scenario. `stop` is called before every cycle.
///
/// # Errors
/// The interval or the boot time is out of range, the jobs cannot be packed, or `stop` returned true.
pub fn simulate(scenario: &LoopScenario, stop: &dyn Fn() -> bool) -> Result<LoopOutcome, LoopError> {
    if !(scenario.interval > 0.0 && scenario.interval.is_finite()) {
        return Err(LoopError::Time { what: "interval", least: "more than 0 s", found: scenario.interval });
    }
    if !(scenario.boot >= 0.0 && scenario.boot.is_finite()) {
        return Err(LoopError::Time { what: "boot", least: "0 s or more", found: scenario.boot });
    }
    LoopRun::new(scenario).run(stop)
}

/// A simulation in progress.
struct LoopRun<'a> {
    scenario: &'a LoopScenario,
    agenda: LoopAgenda,
    batch: BatchState<'a>,
    scaler: Scaler,
    trace: Vec<LoopState>,
    max_nodes: usize,
    /// Cycles in a row without any change.
    quiet: u32,
    /// Cycles in a row in which jobs waited and none ran.
    barren: u32,
    /// Since when the same services have been all that runs, and which ones.
    only_services: Option<(f64, Vec<LoopJobNo>)>,
}

impl<'a> LoopRun<'a> {
    fn new(scenario: &'a LoopScenario) -> Self {
        let mut agenda = LoopAgenda::default();
        for (at, job) in scenario.jobs.iter().enumerate() {
            agenda.add(job.submit, LoopEvent::Submit(LoopJobNo::at(at)));
        }
        let scaler = Scaler::new(scenario);
        let batch = BatchState::new(&scenario.jobs, scaler.usable());
        Self {
            scenario,
            agenda,
            batch,
            scaler,
            trace: Vec::new(),
            max_nodes: 0,
            quiet: 0,
            barren: 0,
            only_services: None,
        }
    }

    fn run(mut self, stop: &dyn Fn() -> bool) -> Result<LoopOutcome, LoopError> {
        for cycle in 0..MAX_CYCLES {
            if stop() {
                return Err(LoopError::Stopped);
            }
            let time = cycle as f64 * self.scenario.interval;
            let changed = self.events_until(time);
            self.scaler.cycle(time, changed, &mut self.batch, &mut self.agenda)?;
            self.batch.dispatch(time, &mut self.agenda);
            self.max_nodes = self.max_nodes.max(self.batch.held());
            let stayed = self.record_state(time);
            if let Some(end) = self.ending(time, changed, stayed) {
                return Ok(self.outcome(end, time));
            }
        }
        let time = MAX_CYCLES as f64 * self.scenario.interval;
        Ok(self.outcome(LoopEnd::CycleLimit(time), time))
    }

    /// Processes all events up to and including `time`; returns whether there were any.
    fn events_until(&mut self, time: f64) -> bool {
        let mut any = false;
        while let Some(now) = self.agenda.next_time().filter(|next| *next <= time) {
            while let Some(event) = self.agenda.take(now) {
                any = true;
                match event {
                    LoopEvent::Submit(job) => self.batch.submit(job),
                    LoopEvent::Ready(node) => self.batch.ready(node),
                    LoopEvent::End(job) => self.scaler.completed(self.batch.end(job, now)),
                }
            }
            self.batch.dispatch(now, &mut self.agenda);
        }
        any
    }

    /// Appends the state to the trace unless it equals the last one; returns whether it does.
    fn record_state(&mut self, time: f64) -> bool {
        let moment = LoopState {
            time,
            queued: self.batch.queued(),
            running: self.batch.running(),
            wanted: self.scaler.wanted().to_vec(),
            ready: self.batch.ready_nodes(),
            held: self.batch.held(),
            ignored: self.batch.ignored(),
            idle: self.batch.idle_nodes(),
        };
        let same =
            self.trace.last().is_some_and(|last| LoopState { time: last.time, ..moment.clone() } == *last);
        if !same {
            self.trace.push(moment);
        }
        same
    }

    fn ending(&mut self, time: f64, changed: bool, stayed: bool) -> Option<LoopEnd> {
        if self.batch.is_done() && self.batch.held() == 0 && self.agenda.is_empty() {
            return Some(LoopEnd::Done(time));
        }
        if self.deadlocked(time, changed) {
            return Some(LoopEnd::Deadlock(time));
        }
        let quiet = stayed && self.agenda.is_empty() && self.scaler.is_settled();
        self.quiet = if quiet { self.quiet + 1 } else { 0 };
        let barren = self.batch.running() == 0 && self.batch.queued() > 0;
        self.barren = if barren { self.barren + 1 } else { 0 };
        let patience = IDLE_CYCLES + 10.0 * self.scenario.boot / self.scenario.interval;
        match self.quiet >= QUIET_CYCLES || f64::from(self.barren) > patience {
            // The minimum number of nodes of a type is never removed.
            true if self.batch.is_done() => Some(LoopEnd::Done(time)),
            true => Some(LoopEnd::Stuck(time)),
            false => None,
        }
    }

    /// Returns whether the same services have been all that runs for long enough, with no event in between.
    fn deadlocked(&mut self, time: f64, changed: bool) -> bool {
        let services = self.batch.running_services();
        let Some(services) = services.filter(|_| !changed) else {
            self.only_services = None;
            return false;
        };
        match &self.only_services {
            Some((since, same)) if *same == services => time - since >= DEADLOCK_WAIT,
            _ => {
                self.only_services = Some((time, services));
                false
            }
        }
    }

    fn outcome(mut self, end: LoopEnd, time: f64) -> LoopOutcome {
        LoopOutcome {
            makespan: self.batch.makespan(),
            end,
            node_seconds: self.batch.close(time, self.scenario.types.len()).iter().sum(),
            max_nodes: self.max_nodes,
            killed: self.batch.killed(),
            lost_cycles: self.scaler.lost_cycles(),
            trace: self.trace,
        }
    }
}
