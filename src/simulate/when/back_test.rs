//! How well such statements held: the past is simulated, stopped at moments of it, asked when its waiting jobs start, and
//! held against when they then did.

use std::collections::BTreeMap;

use qscope_engine::cluster::{Epoch, Name, Seconds};
use rustc_hash::FxHashMap;

use super::{ArrayStart, Distribution, GoOn, Sampling, counted_starts, waiting};
use crate::confidence::Ends;
use crate::draws::Ratios;
use crate::replications::RunsDone;
use crate::resample::{Days, rank};
use crate::{Arrival, Input, JobEnd, JobResult, Simulation, Stop};

/// How much of the past is asked about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BackTestOptions {
    /// At so many moments, evenly over the arrivals after the first fifth of them.
    pub moments: u32,
    /// About at most so many jobs that wait at each.
    pub jobs: usize,
    /// Days of arrivals to draw at each; 0 for none.
    pub days: u32,
}

/// How many statements held.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Held {
    /// Statements.
    pub all: usize,
    /// Starts that lay inside the interval from a tenth to nine tenths.
    pub inside: usize,
    /// Starts that were earlier.
    pub earlier: usize,
}

/// One statement and what became of it.
#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    pub job: Name,
    pub queue: Name,
    /// When it was made.
    pub at: Epoch,
    /// What it was.
    pub found: Distribution,
    /// When the job started.
    pub start: Option<Epoch>,
}

/// The statements about a past, and what became of them.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct BackTest {
    /// Each of them, in the order of the moments.
    pub statements: Vec<Statement>,
    /// All of them.
    pub all: Held,
    pub queues: BTreeMap<Name, Held>,
    /// Moments at which jobs waited and were asked about.
    pub moments: u32,
    /// Whether it was ended before the last moment.
    pub is_cut: bool,
}

impl std::ops::Add for Held {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            all: self.all + other.all,
            inside: self.inside + other.inside,
            earlier: self.earlier + other.earlier,
        }
    }
}

impl Held {
    /// Starts that were later, or never came.
    pub fn later(&self) -> usize {
        self.all - self.inside - self.earlier
    }

    fn count(&mut self, found: &Distribution, start: Option<Epoch>) {
        self.all += 1;
        if found.holds(start) {
            self.inside += 1;
        } else if start.is_some_and(|start| found.p10.is_none_or(|p10| start < p10)) {
            self.earlier += 1;
        }
    }
}

/// Asks a past about itself. `input` is a server at the beginning of that past with all its arrivals and run times.
pub fn back_test(
    input: &Input,
    options: &BackTestOptions,
    sampling: &Sampling<'_>,
    go_on: GoOn<'_>,
) -> BackTest {
    let progress = RunsDone::new(go_on);
    let whole = Simulation::new(input.clone(), sampling.quirks).run(&mut Ends(&progress));
    if whole.is_cut {
        return BackTest { is_cut: true, ..BackTest::default() };
    }
    let truth: FxHashMap<&str, &JobResult> = whole.jobs.iter().map(|job| (&*job.name, job)).collect();
    let mut found = BackTest::default();
    let mut going = Simulation::new(input.clone(), sampling.quirks);
    let mut last = None;
    for moment in moments(input, options.moments) {
        if !progress.goes_on() {
            found.is_cut = true;
            break;
        }
        if !going.run_to(Stop::At(moment), &mut ()) {
            break;
        }
        // Where nothing happens several moments lead to the same cycle.
        if last == Some(going.now()) {
            going = going.resumed();
            continue;
        }
        last = Some(going.now());
        let rest = Rest::of(&going, input);
        let asked = rest.some(options.jobs, sampling.seed);
        if asked.is_empty() {
            going = going.resumed();
            continue;
        }
        let days = Days::of(&rest.arrived, &input.start.time_zone());
        let sampling = Sampling {
            ratios: &Ratios::of(&rest.finished),
            days: (options.days > 0).then_some((&days, options.days)),
            ..*sampling
        };
        let seen = counted_starts(&rest.input, &asked, &sampling, &progress, ArrayStart::OfFirst);
        if seen.runs < sampling.runs as usize {
            found.is_cut = true;
            break;
        }
        for (name, starts) in asked.iter().zip(&seen.of) {
            let Some(job) = truth.get(&**name) else { continue };
            let at = rest.input.start.now;
            let distribution = Distribution::of(starts, at);
            found.all.count(&distribution, job.start);
            found.queues.entry(job.queue.clone()).or_default().count(&distribution, job.start);
            let (job, queue, start) = (name.clone(), job.queue.clone(), job.start);
            found.statements.push(Statement { job, queue, at, found: distribution, start });
        }
        found.moments += 1;
        going = going.resumed();
    }
    found
}

/// Evenly over the arrivals, without their first fifth, in which there is little to draw from.
fn moments(input: &Input, count: u32) -> Vec<Epoch> {
    let from = input.start.now;
    let span = (input.arrivals.last().unwrap_or(from) - from).0.max(0);
    let moment =
        |nth: u32| from + Seconds(span / 5 + span * 4 / 5 * i64::from(nth) / i64::from(count.max(1)));
    (0..count).map(moment).collect()
}

/// What is known at a moment of a past, and what is not known yet left out.
struct Rest {
    input: Input,
    /// What arrived before.
    arrived: Vec<Arrival>,
    /// What ended before, with how long it ran.
    finished: Vec<Arrival>,
}

impl Rest {
    fn of(going: &Simulation, past: &Input) -> Self {
        let now = going.now();
        let mut input = going.remaining();
        input.arrivals.jobs.clear();
        let results = going.so_far();
        let ended: FxHashMap<&str, i64> =
            results.iter().filter_map(|job| Some((&*job.name, ran(job)?))).collect();
        let arrived: Vec<Arrival> = past.arrivals.jobs.iter().filter(|one| one.at < now).cloned().collect();
        let finished = arrived.iter().filter_map(|one| {
            let mut one = one.clone();
            one.fate.runtime = Some(*ended.get(&*one.name)?);
            Some(one)
        });
        Self { finished: finished.collect(), arrived, input }
    }

    /// So many of the jobs that wait, chosen by their names.
    fn some(&self, most: usize, seed: u64) -> Vec<Name> {
        let before: rustc_hash::FxHashSet<&Name> = self.arrived.iter().map(|one| &one.name).collect();
        let mut all = waiting(&self.input);
        // Those that arrive in this second have not waited: a cycle follows at once.
        all.retain(|name| before.contains(name));
        all.sort_by_cached_key(|name| rank(seed, name));
        all.truncate(most);
        all
    }
}

/// How long a job ran that ended by itself or at its walltime.
fn ran(job: &JobResult) -> Option<i64> {
    matches!(job.state, JobEnd::Done | JobEnd::Killed).then_some(())?;
    Some((job.end? - job.start?).0)
}
