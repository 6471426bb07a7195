//! Unfair starts: jobs that start later than they would if nothing arrived after them (Sabin et al. 2004; days rule 12).

use qscope_engine::cluster::{Epoch, Name, Seconds, array_id, short_id};
use qscope_engine::universe::Quirks;

use super::{CycleObserver, CycleResult, Simulation, SimulationInput, SimulationResult};
use crate::options::DAYS_AFTER;
use crate::replications::{ReplicationCallback, ReplicationProgress, run_all};

/// The starts of one job with and without later arrivals.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnfairStart {
    /// Full id.
    pub name: Name,
    /// Start in the whole simulation; `None` if it had not started by the end.
    pub start: Option<Epoch>,
    /// Start without the jobs that arrive after it.
    pub without_later: Option<Epoch>,
    /// End of the whole simulation.
    pub end: Epoch,
}

impl UnfairStart {
    /// Returns the seconds by which it starts later because of later arrivals, negative if it starts earlier. For a job
    /// that has not started by the end a lower bound; `None` if it does not start without later arrivals either.
    pub fn late(&self) -> Option<i64> {
        Some((self.start.unwrap_or(self.end) - self.without_later?).0)
    }

    /// Whether later arrivals delay it.
    pub fn is_unfair(&self) -> bool {
        self.late().is_some_and(|late| late > 0)
    }
}

/// A job named for this, with its place among the arrivals.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedJob {
    /// Full id.
    name: Name,
    /// Time of arrival and position in the list; `None` for a job of the start state.
    arrival: Option<(Epoch, usize)>,
}

impl NamedJob {
    /// Finds a job, an array or a subjob by its id, with or without the server part; `None` if neither the cluster nor
    /// the arrivals have it.
    pub fn find(input: &SimulationInput, id: &str) -> Option<Self> {
        let array = array_id(id).filter(|(_, index)| !index.is_empty()).map(|(array, _)| array);
        let is_it = |name: &str| {
            [Some(id), array.as_deref()].into_iter().flatten().any(|id| name == id || short_id(name) == id)
        };
        let full = |name: &str| match &array {
            // The subjob has the server part of its array.
            Some(array) if name.starts_with(array.as_str()) => {
                format!("{id}{}", name.get(array.len()..).unwrap_or_default()).into()
            }
            Some(_) => id.into(),
            None => name.into(),
        };
        if let Some(job) = input.start.jobs.iter().find(|job| is_it(&job.name)) {
            return Some(Self { name: full(&job.name), arrival: None });
        }
        let (nth, found) =
            input.arrivals.jobs.iter().enumerate().find(|(_, arrival)| is_it(&arrival.name))?;
        Some(Self { name: full(&found.name), arrival: Some((found.at.max(input.start.now), nth)) })
    }

    /// Returns the input without the jobs that arrive after this one; of those that arrive in the same second, without
    /// those after it in the list.
    fn without_later(&self, input: &SimulationInput) -> SimulationInput {
        let mut alone = input.clone();
        let start = input.start.now;
        let last = input.arrivals.last().unwrap_or(start).max(start);
        // The default of the whole simulation: a job may wait longer than the last arrival that is left.
        alone.options.until = input.options.until.or(Some((last + Seconds(DAYS_AFTER * 86_400)).0));
        let mut nth = 0;
        alone.arrivals.jobs.retain(|arrival| {
            let place = (arrival.at.max(start), nth);
            nth += 1;
            self.arrival.is_some_and(|mine| place <= mine)
        });
        alone
    }
}

/// Ends a simulation once a job has started, or at a request from outside.
struct StartWatch<'a> {
    name: &'a str,
    progress: &'a ReplicationProgress<'a>,
    is_ended: bool,
}

impl CycleObserver for StartWatch<'_> {
    fn reads_usage(&self) -> bool {
        false
    }

    fn started(&mut self, run: &CycleResult) -> bool {
        self.is_ended = !self.progress.should_continue();
        !self.is_ended && !run.started.iter().any(|name| **name == *self.name)
    }
}

/// Simulates once for each of these jobs without the jobs that arrive after it, and compares its start with that of the
/// whole simulation. The result has the jobs up to where `go_on` ended it.
pub fn unfair_starts(
    input: &SimulationInput,
    whole: &SimulationResult,
    jobs: &[NamedJob],
    quirks: Quirks,
    threads: usize,
    go_on: ReplicationCallback<'_>,
) -> Vec<UnfairStart> {
    let progress = ReplicationProgress::new(go_on);
    run_all(jobs.len() as u64, threads, &progress, |nth| {
        let job = jobs.get(usize::try_from(nth).ok()?)?;
        let mut watch = StartWatch { name: &job.name, progress: &progress, is_ended: false };
        let alone = Simulation::new(job.without_later(input), quirks).run(&mut watch);
        let start = |simulated: &SimulationResult| {
            simulated.jobs.iter().find(|result| result.name == job.name).and_then(|result| result.start)
        };
        (!watch.is_ended).then(|| UnfairStart {
            name: job.name.clone(),
            start: start(whole),
            without_later: start(&alone),
            end: whole.to,
        })
    })
}
