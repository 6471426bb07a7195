//! The scaler in a closed loop with a batch system, on a virtual clock: what a queue would really cost
//! and when it would really be done.

use serde::Serialize;

use qscope_engine::cluster::{Id, Name};

use super::{CapacityShape, EstimateOptions, Lost, NodeType};

mod agenda;
mod batch;
mod scaler;

use agenda::{LoopAgenda, LoopEvent, LoopJobNo};
use batch::Batch;
use scaler::Scaler;

/// One job of the simulation.
#[derive(Clone, PartialEq, Debug)]
pub struct LoopJob {
    /// When it is submitted, in seconds from the beginning.
    pub submit: f64,
    /// Its name, by which history is kept.
    pub name: Name,
    /// How long it really runs; a service, which has none, runs until all other jobs are done.
    pub seconds: Option<f64>,
    /// What it takes; the wall time in it is the one declared, 0 for none.
    pub shape: CapacityShape,
}

/// What is simulated.
#[derive(Clone, PartialEq, Debug)]
pub struct LoopScenario {
    /// Node types, in the order of [`in_order`](super::node_type::in_order).
    pub types: Vec<NodeType>,
    /// The scaler's options.
    pub options: EstimateOptions,
    /// Seconds between cycles.
    pub interval: f64,
    /// Seconds from the launch of a node until it takes jobs.
    pub boot: f64,
    /// The jobs in order of creation.
    pub jobs: Vec<LoopJob>,
}

/// The state after a cycle.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Moment {
    /// Seconds from the beginning.
    pub time: f64,
    /// Jobs that wait.
    pub queued: usize,
    /// Number of running jobs.
    pub running: usize,
    /// Nodes wanted, by type.
    pub wanted: Vec<i64>,
    /// Nodes that take jobs, or would if they were not draining.
    pub ready: usize,
    /// Nodes that are paid for, booting ones included.
    pub held: usize,
    /// Nodes that drain.
    #[serde(rename = "draining")]
    pub ignored: usize,
    /// Nodes that are ready and have no job; not among the original's figures.
    #[serde(skip)]
    pub idle: usize,
}

/// How a simulation ended.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum End {
    /// Nothing is left but the fewest nodes that a type has.
    Done(f64),
    /// Only services run, and they wait for jobs that have no room (the check of the leader).
    Deadlock(f64),
    /// Nothing can change any more.
    Stuck(f64),
    /// The simulation was ended: too many cycles.
    GivenUp(f64),
}

/// What came of it.
#[derive(Clone, PartialEq, Debug)]
pub struct LoopOutcome {
    /// When the last job that is no service ended; none if not all did.
    pub makespan: Option<f64>,
    /// How it ended.
    pub end: End,
    /// Seconds of nodes from launch to termination.
    pub node_seconds: f64,
    /// The same, by type.
    pub seconds_by_type: Vec<f64>,
    /// The most nodes held at once.
    pub max_nodes: usize,
    /// Jobs on nodes that were terminated under them.
    pub killed: usize,
    /// Cycles that the original loses by its own failures.
    pub lost_cycles: u64,
    /// The states after cycles, where something changed.
    pub trace: Vec<Moment>,
}

/// Why a scenario cannot be simulated.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum LoopError {
    /// Time between cycles or for booting that is no time.
    #[error("{what} must be {least}, found {found} s")]
    Time {
        /// Which.
        what: &'static str,
        /// What it should be.
        least: &'static str,
        /// What it is.
        found: f64,
    },
    /// Jobs that cannot be packed.
    #[error(transparent)]
    Lost(#[from] Lost),
    /// The caller asked to stop.
    #[error("stopped")]
    Stopped,
}

/// Cycles after which a simulation is ended: seventy days of minutes.
const MAX_CYCLES: u64 = 100_000;
/// Seconds for which the same services must be all that runs.
const DEADLOCK_WAIT: f64 = 60.0;
/// Cycles without any change after which nothing more is expected.
const QUIET_CYCLES: u32 = 3;
/// Cycles, besides ten times those of a boot, in which nothing runs and nothing starts although jobs wait: nodes
/// come and go and none is of use.
const IDLE_CYCLES: f64 = 100.0;

/// Runs a scenario. `stop` is asked before every cycle.
///
/// # Errors
/// An interval or boot time that cannot be; jobs that cannot be packed; stopped.
pub fn simulate(scenario: &LoopScenario, stop: &dyn Fn() -> bool) -> Result<LoopOutcome, LoopError> {
    if !(scenario.interval > 0.0 && scenario.interval.is_finite()) {
        return Err(LoopError::Time { what: "interval", least: "more than 0 s", found: scenario.interval });
    }
    if !(scenario.boot >= 0.0 && scenario.boot.is_finite()) {
        return Err(LoopError::Time { what: "boot", least: "0 s or more", found: scenario.boot });
    }
    LoopRun::new(scenario).run(stop)
}

/// A simulation under way.
struct LoopRun<'a> {
    scenario: &'a LoopScenario,
    agenda: LoopAgenda,
    batch: Batch<'a>,
    scaler: Scaler,
    trace: Vec<Moment>,
    max_nodes: usize,
    /// Cycles in a row without any change.
    quiet: u32,
    /// Cycles in a row in which jobs waited and none ran.
    barren: u32,
    /// Since when the same services are all that runs.
    only_services: Option<(f64, Vec<LoopJobNo>)>,
}

impl<'a> LoopRun<'a> {
    fn new(scenario: &'a LoopScenario) -> Self {
        let mut agenda = LoopAgenda::default();
        for (at, job) in scenario.jobs.iter().enumerate() {
            agenda.add(job.submit, LoopEvent::Submit(LoopJobNo::at(at)));
        }
        let scaler = Scaler::new(scenario);
        let batch = Batch::new(&scenario.jobs, scaler.usable());
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
            let stayed = self.note(time);
            if let Some(end) = self.ending(time, changed, stayed) {
                return Ok(self.outcome(end, time));
            }
        }
        let time = MAX_CYCLES as f64 * self.scenario.interval;
        Ok(self.outcome(End::GivenUp(time), time))
    }

    /// Lets everything happen up to and including `time`; whether anything did.
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

    /// Keeps the state if it is another than the last; whether it is the same.
    fn note(&mut self, time: f64) -> bool {
        let moment = Moment {
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
            self.trace.last().is_some_and(|last| Moment { time: last.time, ..moment.clone() } == *last);
        if !same {
            self.trace.push(moment);
        }
        same
    }

    fn ending(&mut self, time: f64, changed: bool, stayed: bool) -> Option<End> {
        if self.batch.is_done() && self.batch.held() == 0 && self.agenda.is_empty() {
            return Some(End::Done(time));
        }
        if self.deadlocked(time, changed) {
            return Some(End::Deadlock(time));
        }
        let quiet = stayed && self.agenda.is_empty() && self.scaler.is_settled();
        self.quiet = if quiet { self.quiet + 1 } else { 0 };
        let barren = self.batch.running() == 0 && self.batch.queued() > 0;
        self.barren = if barren { self.barren + 1 } else { 0 };
        let patience = IDLE_CYCLES + 10.0 * self.scenario.boot / self.scenario.interval;
        match self.quiet >= QUIET_CYCLES || f64::from(self.barren) > patience {
            // The fewest nodes of a type stay for good.
            true if self.batch.is_done() => Some(End::Done(time)),
            true => Some(End::Stuck(time)),
            false => None,
        }
    }

    /// Whether the same services have been all that runs for long enough, with no news in between.
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

    fn outcome(mut self, end: End, time: f64) -> LoopOutcome {
        let seconds_by_type = self.batch.close(time, self.scenario.types.len());
        LoopOutcome {
            makespan: self.batch.makespan(),
            end,
            node_seconds: seconds_by_type.iter().sum(),
            seconds_by_type,
            max_nodes: self.max_nodes,
            killed: self.batch.killed(),
            lost_cycles: self.scaler.lost_cycles(),
            trace: self.trace,
        }
    }
}
