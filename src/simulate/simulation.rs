//! The loop: events, then a cycle, then events (days rules 2, 3, 10).

mod checkpoints;
mod stop;
mod watch;

use std::collections::BTreeMap;
use std::sync::Arc;

use qscope_engine::cluster::{Epoch, JobId, Name, Seconds, Snapshot};
use qscope_engine::cycle::{CycleStart, Run, Universe};
use qscope_engine::universe::{NodeRanking, Quirks, may_preempt};

use crate::answer::SimulationAnswer;
use crate::dump::Origin;
use crate::input::Input;
use crate::measures::Measures;
use crate::options::Settled;
use crate::result::{Counters, CycleResult, JobEnd, JobResult, Simulated};
use crate::series::Series;
use crate::server::Server;
use crate::shares::Shares;

pub use checkpoints::Checkpoints;
pub use stop::Stop;
pub use watch::Watch;

/// A server, its clock and its scheduler.
#[derive(Clone, Debug)]
pub struct Simulation {
    server: Server,
    options: Settled,
    quirks: Quirks,
    /// Allocation policies in the place of the scheduler's node order.
    ranking: Option<Arc<dyn NodeRanking>>,
    /// The policies of single jobs by name, since jobs change their places in the snapshot.
    job_policies: Vec<(Name, Name)>,
    shares: Option<Shares>,
    from: Epoch,
    window: (Epoch, Epoch),
    counters: Counters,
    runs: Vec<CycleResult>,
    series: Series,
    warnings: Vec<String>,
    last: Last,
    /// What was derived for the last cycle, to be followed by the next.
    universe: Option<Universe>,
    stop: Option<Stop>,
    is_stopped: bool,
    is_cut: bool,
}

/// When something last happened.
#[derive(Clone, Copy, Debug)]
struct Last {
    /// The last cycle, if there was one.
    cycle: Option<Epoch>,
    /// The last event or cycle.
    moment: Epoch,
    /// The last event that asked for a cycle, or cycle with a start or with jobs running: patience counts from here.
    life: Epoch,
}

impl Simulation {
    /// Puts the server into its start state.
    #[must_use]
    pub fn new(input: Input, quirks: Quirks) -> Self {
        let Input { start, arrivals, options, ranking, scaling } = input;
        let job_policies = start.allocation.jobs.iter();
        let job_policies =
            job_policies.map(|(job, word)| (start.jobs[*job].name.clone(), word.clone())).collect();
        let from = start.now;
        let last = arrivals.last().unwrap_or(from).max(from);
        let iteration = start.server.scheduler_iteration;
        let shares = Shares::new(&start);
        let mut warnings = arrivals.notes.clone();
        warnings.extend(crate::left_out::warnings(&start, &arrivals));
        let server = Server::new(start, arrivals, scaling);
        let series = Series::new(server.floor.cores(&server.snap));
        Self {
            options: options.settled(last, iteration),
            quirks,
            ranking,
            job_policies,
            shares,
            from,
            window: (from, last),
            counters: Counters::default(),
            runs: Vec::new(),
            series,
            warnings,
            last: Last { cycle: None, moment: from, life: from },
            server,
            universe: None,
            stop: None,
            is_stopped: false,
            is_cut: false,
        }
    }

    /// Runs to the end.
    #[must_use]
    pub fn run(mut self, watch: &mut dyn Watch) -> Simulated {
        while let Some(at) = self.next_moment() {
            if !self.go_to(at, watch) {
                self.is_cut = true;
                break;
            }
        }
        self.finish()
    }

    /// Runs until the next cycle is the one to stop at; that cycle is not run. False when the simulation is over before.
    pub fn run_to(&mut self, stop: Stop, watch: &mut dyn Watch) -> bool {
        self.stop = Some(stop);
        while !self.is_stopped {
            match self.next_moment() {
                Some(at) if self.go_to(at, watch) => {}
                _ => return false,
            }
        }
        true
    }

    /// The same, to go on after it has stopped.
    #[must_use]
    pub fn resumed(mut self) -> Self {
        (self.stop, self.is_stopped) = (None, false);
        self
    }

    /// Writes the state as a folder of dumps, with the jobs that are still to arrive. Files that do not change are copied
    /// from the folder of the start. Returns how many files were written.
    ///
    /// # Errors
    /// A file that cannot be read or written.
    pub fn write(&self, from: Origin<'_>, to: &std::path::Path) -> Result<usize, crate::SimulateError> {
        crate::dump::write(&self.server, self.shares.as_ref(), self.options.into(), from, to)
    }

    /// What is left of it, as an input of its own: what begins with that goes on as this does.
    #[must_use]
    pub fn remaining(&self) -> Input {
        let mut rest = crate::remaining::input(&self.server, self.shares.as_ref(), self.options);
        rest.start.allocation.jobs = policies_of_jobs(&self.job_policies, &rest.start);
        rest.ranking.clone_from(&self.ranking);
        rest
    }

    /// What has become of every job so far.
    #[must_use]
    pub fn so_far(&self) -> Vec<JobResult> {
        self.server.tracks.iter().map(|(_, track)| track.result.clone()).collect()
    }

    /// The moment that it has come to.
    #[must_use]
    pub fn now(&self) -> Epoch {
        self.server.now()
    }

    /// The server as it is, as the files that clients would print; those that do not change are read from the folder of
    /// the start.
    ///
    /// # Errors
    /// A file of the start that cannot be read.
    pub fn files(&self, from: Origin<'_>) -> Result<Vec<(&'static str, Vec<u8>)>, crate::SimulateError> {
        crate::dump::files(&self.server, self.shares.as_ref(), from)
    }

    /// When the next events or the next cycle are due; none when the simulation is over.
    fn next_moment(&mut self) -> Option<Epoch> {
        let event = self.server.next_event();
        let cycle = self.next_cycle();
        if event.is_none() && self.is_over(cycle) {
            return None;
        }
        let next = event.map_or(cycle, |event| event.min(cycle));
        (next <= self.options.until).then_some(next)
    }

    /// When the next cycle is due if no event comes before.
    fn next_cycle(&self) -> Epoch {
        let now = self.server.now();
        match self.last.cycle {
            None => now,
            Some(last) if self.server.asked => now.max(last + self.options.min_interval),
            Some(last) => last + self.options.iteration.max(self.options.min_interval),
        }
    }

    /// Whether nothing can change any more, or nothing has for too long (days rule 10).
    fn is_over(&self, cycle: Epoch) -> bool {
        if self.server.asked || !self.server.running.is_empty() {
            return false;
        }
        self.server.waiting() == 0 || cycle > self.last.life + self.options.patience
    }

    /// Lets a moment happen: its events, then at most one cycle. False when the watcher ends the simulation.
    fn go_to(&mut self, at: Epoch, watch: &mut dyn Watch) -> bool {
        let goes_on = self.moment(at, watch);
        self.server.observe_pools();
        goes_on
    }

    fn moment(&mut self, at: Epoch, watch: &mut dyn Watch) -> bool {
        if at > self.server.now() {
            self.series.sample(&self.server);
        }
        self.server.advance(at);
        let asked = std::mem::take(&mut self.server.asked);
        if self.server.handle_due() {
            self.last.moment = at;
            if self.server.asked {
                self.last.life = at;
            }
        }
        self.server.asked |= asked;
        if self.next_cycle() > at {
            return true;
        }
        if self.stop.is_some_and(|stop| stop.is_reached(at, self.counters.cycles)) && self.server.has_work() {
            self.server.bring_up_to_date(true);
            if let Some(shares) = &mut self.shares {
                shares.keep(&mut self.server);
            }
            self.is_stopped = true;
            return true;
        }
        self.cycle(watch)
    }

    /// Runs a cycle.
    fn cycle(&mut self, watch: &mut dyn Watch) -> bool {
        let now = self.server.now();
        self.server.asked = false;
        self.server.cycle += 1;
        self.last.cycle = Some(now);
        self.last.moment = now;
        let is_used = self.shares.is_some() || may_preempt(&self.server.snap);
        self.server.bring_up_to_date(is_used || watch.reads_usage());
        if let Some(shares) = &mut self.shares {
            shares.keep(&mut self.server);
        }
        let goes_on = if self.server.has_work() {
            self.counters.cycles += 1;
            self.decide(watch)
        } else {
            self.counters.empty_cycles += 1;
            true
        };
        if let Some(shares) = &self.shares {
            shares.mark(&mut self.server);
        }
        if !self.server.running.is_empty() {
            self.last.life = now;
        }
        goes_on
    }

    /// One cycle, under the policies that the simulation is run with.
    fn under_policies(&mut self) -> Run {
        let ranking = self.ranking.as_ref().and_then(|ranking| {
            let jobs = policies_of_jobs(&self.job_policies, &self.server.snap);
            Arc::make_mut(&mut self.server.snap).allocation.jobs = jobs;
            ranking.over(&self.server.snap)
        });
        let snap = Arc::clone(&self.server.snap);
        let start = CycleStart::after(self.universe.as_ref(), snap, self.quirks, ranking);
        self.universe = Some(start.universe());
        start.run()
    }

    /// Lets the scheduler decide, and does what it decided.
    fn decide(&mut self, watch: &mut dyn Watch) -> bool {
        let run = self.under_policies();
        if !watch.cycle(&run, &self.counters) {
            return false;
        }
        let answer = SimulationAnswer::of(&run, &self.server);
        drop(run);
        let applied = answer.apply(&mut self.server);
        self.counters.refused += applied.refused;
        self.server.asked = applied.asks_again;
        self.server.order_nodes();
        if let Some(run) = applied.run {
            self.last.life = run.at;
            let goes_on = watch.started(&run);
            self.runs.push(run);
            return goes_on;
        }
        true
    }

    /// What has come of it.
    fn finish(mut self) -> Simulated {
        self.series.sample(&self.server);
        let rejected = self.server.rejected.iter().map(|arrival| JobResult {
            state: JobEnd::Rejected,
            ..JobResult::new(arrival.name.clone(), arrival.at, false)
        });
        let mut jobs: Vec<JobResult> = rejected.collect();
        for (id, track) in self.server.tracks.iter() {
            let mut result = track.result.clone();
            if result.end.is_none()
                && let Some(job) = self.server.job(id)
            {
                result.state = JobEnd::Left(job.state.letter());
            }
            jobs.push(result);
        }
        jobs.sort_by_key(|job| job.at);
        if self.is_cut {
            // What has not come yet is not measured.
            self.window.1 = self.window.1.min(self.last.moment);
        }
        let measures = Measures::of(&jobs, &self.series, self.from, self.window);
        Simulated {
            from: self.from,
            to: self.last.moment,
            counters: self.counters,
            jobs,
            runs: self.runs,
            usage: self.shares.as_ref().map(Shares::kept),
            series: self.series,
            measures,
            warnings: self.warnings,
            is_cut: self.is_cut,
            scaled: self.server.scaling.map(|scaling| scaling.scaled(self.last.moment)).unwrap_or_default(),
        }
    }

    /// The length of the timer.
    #[must_use]
    pub fn iteration(&self) -> Seconds {
        self.options.iteration
    }
}

/// The policies of single jobs, by the jobs' places in a snapshot.
fn policies_of_jobs(policies: &[(Name, Name)], snap: &Snapshot) -> BTreeMap<JobId, Name> {
    policies.iter().filter_map(|(job, word)| Some((snap.job_named(job)?, word.clone()))).collect()
}
