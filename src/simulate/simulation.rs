//! The main loop: events, then a cycle, repeatedly (days rules 2, 3, 10).

mod checkpoints;
mod moment;
mod written;

use std::collections::BTreeMap;
use std::sync::Arc;

use qscope_engine::cluster::{Epoch, JobId, Name, Snapshot, count};
use qscope_engine::cycle::{Run, Universe};
use qscope_engine::universe::{NodeRanking, Quirks};

use super::{
    CycleCounters, CycleResult, JobEnd, JobResult, LoadSeries, Measures, SimulationInput, SimulationResult,
    rejection,
};
use crate::options::ResolvedOptions;
use crate::server::SimulatedServer;
use crate::shares::FairshareUsage;
use crate::waits::WaitAccounts;

pub use checkpoints::Checkpoints;

/// A server with its clock and scheduler.
#[derive(Clone, Debug)]
pub struct Simulation {
    server: SimulatedServer,
    options: ResolvedOptions,
    quirks: Quirks,
    /// Allocation policies that replace the scheduler's node order.
    ranking: Option<Arc<dyn NodeRanking>>,
    /// Policies of single jobs by name, because positions of jobs in the snapshot change.
    job_policies: Vec<(Name, Name)>,
    shares: Option<FairshareUsage>,
    from: Epoch,
    window: (Epoch, Epoch),
    counters: CycleCounters,
    runs: Vec<CycleResult>,
    series: LoadSeries,
    warnings: Vec<String>,
    last: LastEventTimes,
    /// State derived for the last cycle, from which the next one is derived.
    universe: Option<Universe>,
    /// Whether samples of the load have details.
    has_load_detail: bool,
    /// Waits by reason, if requested.
    waits: Option<WaitAccounts>,
    stop: Option<StopPoint>,
    is_stopped: bool,
    is_cut: bool,
}

#[derive(Clone, Copy, Debug)]
struct LastEventTimes {
    /// Last cycle, if there was one.
    cycle: Option<Epoch>,
    /// Last event or cycle.
    moment: Epoch,
    /// Last event that requested a cycle, or cycle with a start or with running jobs; patience counts from here.
    life: Epoch,
}

impl Simulation {
    /// Puts the server into its start state.
    pub fn new(input: SimulationInput, quirks: Quirks) -> Self {
        let SimulationInput { start, arrivals, options, ranking, scaling } = input;
        let job_policies = start.allocation.jobs.iter();
        let job_policies =
            job_policies.map(|(job, word)| (start.jobs[*job].name.clone(), word.clone())).collect();
        let from = start.now;
        let last = arrivals.last().unwrap_or(from).max(from);
        let iteration = start.server.scheduler_iteration;
        let shares = FairshareUsage::new(&start);
        let life = options.last_progress.map_or(from, |at| from.min(Epoch(at)));
        let mut warnings = arrivals.notes.clone();
        warnings.extend(crate::unmodelled::warnings(&start, &arrivals));
        let server = SimulatedServer::new(start, arrivals, scaling);
        let series = LoadSeries::new(server.floor.cores(&server.snap));
        Self {
            options: options.resolved(last, iteration),
            quirks,
            ranking,
            job_policies,
            shares,
            from,
            window: (from, last),
            counters: CycleCounters::default(),
            runs: Vec::new(),
            series,
            warnings,
            last: LastEventTimes { cycle: None, moment: from, life },
            server,
            universe: None,
            has_load_detail: false,
            waits: None,
            stop: None,
            is_stopped: false,
            is_cut: false,
        }
    }

    /// Also measures what takes time.
    #[must_use]
    pub fn measuring(mut self, detail: MeasuredDetail) -> Self {
        self.has_load_detail = detail.load;
        self.waits = detail.reasons.then(WaitAccounts::default);
        self
    }

    /// Runs to the end.
    pub fn run(mut self, watch: &mut dyn CycleObserver) -> SimulationResult {
        while let Some(at) = self.next_moment() {
            if !self.go_to(at, watch) {
                self.is_cut = true;
                break;
            }
        }
        self.finish()
    }

    /// Runs until the next cycle is the one to stop at; that cycle is not run. Returns false if the simulation ends
    /// before.
    pub fn run_to(&mut self, stop: StopPoint, watch: &mut dyn CycleObserver) -> bool {
        self.stop = Some(stop);
        while !self.is_stopped {
            match self.next_moment() {
                Some(at) if self.go_to(at, watch) => {}
                _ => return false,
            }
        }
        true
    }

    /// Returns the simulation with its stop removed, to continue.
    #[must_use]
    pub fn resumed(mut self) -> Self {
        (self.stop, self.is_stopped) = (None, false);
        self
    }

    /// Returns the results of all jobs so far.
    pub fn results_so_far(&self) -> Vec<JobResult> {
        self.server.tracks.iter().map(|(_, track)| track.result.clone()).collect()
    }

    /// Returns the current time.
    #[must_use]
    pub fn now(&self) -> Epoch {
        self.server.now()
    }
}

/// Returns the policies of single jobs by their positions in a snapshot.
fn policies_of_jobs(policies: &[(Name, Name)], snap: &Snapshot) -> BTreeMap<JobId, Name> {
    policies.iter().filter_map(|(job, word)| Some((snap.job_named(job)?, word.clone()))).collect()
}

/// What a simulation measures only if it is requested, because it takes time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MeasuredDetail {
    /// What waits and what is free, in each sample of the load.
    pub load: bool,
    /// Core-seconds waited by reason, and the last reason of each job.
    pub reasons: bool,
}

/// The cycle to stop before; only cycles that decide something count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopPoint {
    /// The first cycle at or after this time.
    At(Epoch),
    /// The cycle with this number, counted from 1.
    Cycle(u64),
}

impl StopPoint {
    /// Converts a number: from `from` on it is a time, below that the number of a cycle.
    pub fn of(number: i64, from: i64) -> Self {
        match u64::try_from(number) {
            Ok(cycle) if number < from => Self::Cycle(cycle),
            _ => Self::At(Epoch(number)),
        }
    }

    /// Whether the cycle after `cycles` others is the one to stop at.
    fn is_reached(self, now: Epoch, cycles: u64) -> bool {
        match self {
            Self::At(at) => now >= at,
            Self::Cycle(number) => cycles + 1 >= number,
        }
    }
}

/// Observes every cycle, and can end the simulation.
pub trait CycleObserver {
    /// Called when a cycle has decided, before the server applies it. False ends the simulation here.
    fn cycle(&mut self, run: &Arc<Run>, counters: &CycleCounters) -> bool {
        let _ = (run, counters);
        true
    }

    /// Whether it reads the used resources of running jobs; if not, they are updated only when a cycle reads them.
    fn reads_usage(&self) -> bool {
        true
    }

    /// Called when the server has started or resumed jobs. False ends the simulation here.
    fn started(&mut self, run: &CycleResult) -> bool {
        let _ = run;
        true
    }
}

/// Observes nothing.
impl CycleObserver for () {
    fn reads_usage(&self) -> bool {
        false
    }
}

impl Simulation {
    /// Returns the result.
    fn finish(mut self) -> SimulationResult {
        self.sample();
        let rejected = self.server.rejected.iter().map(|(arrival, _)| JobResult {
            state: JobEnd::Rejected,
            ..JobResult::new(arrival.name.clone(), arrival.at, false)
        });
        let mut jobs: Vec<JobResult> = rejected.collect();
        for (id, track) in self.server.tracks.iter() {
            let mut result = track.result.clone();
            if result.end.is_none()
                && let Some(job) = self.server.job(id)
            {
                result.state = JobEnd::Unfinished(job.state.letter());
            }
            jobs.push(result);
            jobs.extend(self.server.unstarted_subjobs(id));
        }
        jobs.sort_by_key(|job| job.at);
        if self.is_cut || self.options.until < self.window.1 {
            // The part of the window that was not reached is not measured.
            self.window.1 = self.window.1.min(self.last.moment);
        }
        self.warnings.extend(rejection::sentences(&self.server.rejected));
        self.warnings.extend(self.server.unknown_depends.sentence());
        let later = self.server.arrivals.iter().flatten().count();
        if later > 0 && !self.is_cut {
            self.warnings.push(format!("left out: {} after the end", count(later, "arrival")));
        }
        let measures = Measures::of(&jobs, &self.series, (self.from, self.last.moment), self.window);
        SimulationResult {
            from: self.from,
            to: self.last.moment,
            counters: self.counters,
            jobs,
            runs: self.runs,
            usage: self.shares.as_ref().map(FairshareUsage::usage_and_decay),
            series: self.series,
            measures,
            waited: self.waits.map(WaitAccounts::totals),
            warnings: self.warnings,
            is_cut: self.is_cut,
            scaled: self.server.scaling.map(|scaling| scaling.scaled(self.last.moment)).unwrap_or_default(),
        }
    }
}
