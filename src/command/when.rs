//! `qscope when JOB`: estimates when a job starts, as a distribution over many runs.

mod answer;
mod arguments;
mod text;

use std::ops::ControlFlow;
use std::sync::Arc;

use color_eyre::eyre::{Result, eyre};

use qscope_engine::cluster::{Epoch, Job, JobId, JobState, Name};
use qscope_engine::cycle::{Run, run_cycle};
use qscope_explain::{Cause, Forecast, RunningEnd, causes, decided, forecast, unknown_start};
use qscope_simulate::resample::PastDays;
use qscope_simulate::runtimes::RuntimeRatios;
use qscope_simulate::start_distribution::back_test::{BackTest, BackTestOptions, back_test};
use qscope_simulate::start_distribution::calibration::{Calibration, Interval};
use qscope_simulate::start_distribution::{SamplingOptions, StartDistribution, starts};
use qscope_simulate::{Arrival, SimulationInput};

use super::meter::Meter;
use super::plain::{self, NoVerdictsSubject};
use super::{open, output};
pub(super) use arguments::{TraceArgs, WhenArgs};

/// Whether the answer contains what was requested.
pub(super) enum StartSubject {
    /// Only the back-test against the past.
    BackTest,
    /// A job that does not wait for nodes: it runs, or is held.
    NotWaiting { job: Name, state: JobState, since: Option<Epoch>, end: Option<RunningEnd> },
    /// A job that waits: its distribution, the number of runs that start it at once although the cycle over the dumps leaves
    /// it waiting, and, if it started in no run, what keeps it waiting now.
    Waits {
        job: Name,
        distribution: StartDistribution,
        unlike_cycle: usize,
        unstarted: Option<Box<UnstartedJob>>,
    },
}

/// What is known from the current cycle of a job that started in no run.
pub(super) struct UnstartedJob {
    /// The deepest cause that keeps it waiting.
    pub(super) cause: Option<Cause>,
    /// Its start in the cycle run forward, where a job without walltime is assumed to end after five years.
    pub(super) forecast: Option<Forecast>,
    /// Whether no dump shows what it waits for, so that no run was made.
    pub(super) is_unknown: bool,
}

/// The complete answer.
pub(super) struct WhenAnswer {
    pub(super) input: SimulationInput,
    pub(super) subject: StartSubject,
    /// How many runs were requested.
    pub(super) asked_runs: u32,
    /// How many runs are made, unless they are ended early: one if nothing is drawn.
    pub(super) runs: u32,
    pub(super) seed: u64,
    /// Whether the runs differ because run times or arrivals are drawn.
    pub(super) draws: bool,
    /// Number of finished jobs that run times were drawn from.
    pub(super) drawn_from: usize,
    /// Number of days of arrivals to draw from, and of days drawn ahead.
    pub(super) days: Option<(usize, u32)>,
    pub(super) back_test: Option<BackTest>,
    /// The exit code if a signal ended it, which then has the results so far.
    signal_code: Option<u8>,
}

impl WhenAnswer {
    /// Returns what was noticed in the logs of arrivals, and that runs start a job which the cycle over the dumps leaves waiting.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = self.input.arrivals.notes.clone();
        if let StartSubject::Waits { unlike_cycle: count @ 1.., distribution, .. } = &self.subject {
            let runs = match (count, distribution.runs) {
                (1, 1) => "the run starts it at once, and".to_owned(),
                (count, runs) => format!("{count} of {runs} runs start it at once, and"),
            };
            notes.push(format!(
                "{runs} the cycle over the dumps leaves it waiting: a simulation first sets the states of nodes as the \
                 server would, and takes a dependency on a job in no dump as met"
            ));
        }
        notes
    }

    /// Returns the interval of a job that waits, adjusted by the outcomes of the statements of the back-test.
    pub(super) fn calibrated_interval(&self) -> Option<(Interval, usize)> {
        let (StartSubject::Waits { job, distribution: found, .. }, Some(tested)) =
            (&self.subject, &self.back_test)
        else {
            return None;
        };
        let queue = self.input.start.job_named(job).map(|id| self.input.start.jobs[id].queue.clone())?;
        let calibration = Calibration::of(&tested.statements, &queue)?;
        Some((calibration.adjusted_interval(found, self.input.start.now), calibration.predictions))
    }
}

/// Runs the queue many times, and prints when the job starts; the exit code is 1 ("no") if it starts in no run.
pub(super) fn run(args: &WhenArgs) -> Result<u8> {
    let (input, past, settings) = input(args)?;
    let form = &args.changed.form;
    let asked = if args.job == "-" { NoVerdictsSubject::Queue } else { NoVerdictsSubject::Job(&args.job) };
    let as_pbs = form.reading.batch_system.is_some();
    if let Some(code) = plain::answer_plain_of_snapshot(&input.start, as_pbs, form.json, asked)? {
        return Ok(code);
    }
    let answer = answer(args, input, past)?;
    let about = output::AnswerContext::from(&answer.input.start).with_scheduling();
    if args.changed.form.json {
        let found = answer::WhenJson::of(&answer);
        output::print_json_about(about, output::WhatIfJson::new(found, settings))?;
    } else {
        let mut text = output::what_if_heading(&settings, &[]);
        text.append(&text::answer(&answer));
        output::print_about(about, &text)?;
    }
    if let Some(code) = answer.signal_code {
        return Ok(code);
    }
    Ok(match &answer.subject {
        StartSubject::Waits { distribution: found, .. } => u8::from(found.started == 0),
        StartSubject::NotWaiting { state, .. } => u8::from(*state != JobState::Running),
        StartSubject::BackTest => 0,
    })
}

fn answer(args: &WhenArgs, input: SimulationInput, mut past: Vec<Arrival>) -> Result<WhenAnswer> {
    if args.job == "-" {
        // Without a job, no moment divides the logs: all of them are the past.
        past.extend(input.arrivals.jobs.iter().cloned());
        past.sort_by_key(|one| one.at);
        if past.is_empty() {
            return Err(eyre!(
                "- is the back-test alone, and there is no finished job to compare with; name logs with --arrivals"
            ));
        }
    }
    let of_past = RuntimeRatios::of(&past);
    // Without a past, only the run times of the arrivals are known.
    let ratios = if of_past.is_empty() { RuntimeRatios::of(&input.arrivals.jobs) } else { of_past };
    let days = PastDays::of(&past, &input.start.time_zone());
    let ahead = (args.resample_days > 0 && !days.is_empty()).then_some((&days, args.resample_days));
    if args.resample_days > 0 && days.is_empty() {
        return Err(eyre!("--resample-days: no day to draw from; name the logs with --arrivals"));
    }
    let sampling = SamplingOptions {
        ratios: &ratios,
        days: ahead,
        seed: args.seed,
        runs: args.runs,
        threads: threads(args.threads),
        quirks: open::quirks(&args.changed.form.reading)?,
    };
    let meter = Meter::new()?;
    let subject = subject(args, &input, &sampling, &meter)?;
    let back_test = (args.back_test > 0 && !past.is_empty() && meter.should_continue())
        .then(|| run_back_test(args, &input, &past, &sampling, &meter));
    meter.clear();
    Ok(WhenAnswer {
        signal_code: (!meter.should_continue()).then(|| meter.exit_code()),
        subject,
        asked_runs: args.runs,
        runs: sampling.distinct_runs(),
        seed: args.seed,
        draws: sampling.draws(),
        drawn_from: ratios.len(),
        days: ahead.map(|(days, ahead)| (days.len(), ahead)),
        back_test,
        input,
    })
}

fn subject(
    args: &WhenArgs,
    input: &SimulationInput,
    sampling: &SamplingOptions<'_>,
    meter: &Meter,
) -> Result<StartSubject> {
    if args.job == "-" {
        return Ok(StartSubject::BackTest);
    }
    let job = open::job_of(&input.start, &args.job)?;
    let Job { name, state, .. } = &input.start.jobs[job];
    let cycle = || run_cycle(Arc::new(input.start.clone()), sampling.quirks);
    if matches!(state, JobState::Running | JobState::Exiting | JobState::Finished) {
        let since = input.start.jobs[job].started;
        let end = (*state == JobState::Running).then(|| RunningEnd::of(&cycle(), job));
        return Ok(StartSubject::NotWaiting { job: name.clone(), state: *state, since, end });
    }
    let run = Arc::new(cycle());
    if unknown_start(&run, job).is_some() {
        let runs = vec![None; sampling.distinct_runs() as usize];
        let distribution = StartDistribution::of(&runs, input.start.now);
        let unstarted = UnstartedJob { is_unknown: true, ..not_simulated(input, &run, job, meter) };
        return Ok(StartSubject::Waits {
            job: name.clone(),
            distribution,
            unlike_cycle: 0,
            unstarted: Some(Box::new(unstarted)),
        });
    }
    // The cycle over the dumps decides about now, as for every other answer; the simulated one first updates the states of
    // nodes as the server would.
    if decided(&run, job).is_some_and(|outcome| run.is_start(outcome)) {
        let runs = vec![Some(input.start.now); sampling.distinct_runs() as usize];
        let distribution = StartDistribution::of(&runs, input.start.now);
        let job = name.clone();
        return Ok(StartSubject::Waits { job, distribution, unlike_cycle: 0, unstarted: None });
    }
    let seen = starts(input, std::slice::from_ref(name), sampling, &|done| {
        show_progress(done, sampling.distinct_runs().into(), meter)
    });
    let starts = seen.starts.first().map(Vec::as_slice).unwrap_or_default();
    let distribution = StartDistribution::of(starts, input.start.now);
    let unstarted = (distribution.started == 0).then(|| Box::new(not_simulated(input, &run, job, meter)));
    let unlike_cycle = starts.iter().flatten().filter(|start| **start <= input.start.now).count();
    Ok(StartSubject::Waits { job: name.clone(), distribution, unlike_cycle, unstarted })
}

/// Returns what the current cycle, and the same cycle run forward, state about a job that started in no run.
fn not_simulated(input: &SimulationInput, run: &Arc<Run>, job: JobId, meter: &Meter) -> UnstartedJob {
    let most = super::why::most_cycles(&input.start);
    let forecast = forecast(run, job, &mut |progress| {
        let goes_on = progress.cycles < most && meter.should_continue();
        if goes_on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    UnstartedJob { cause: causes(run, job).into_iter().next(), forecast, is_unknown: false }
}

/// Shows how many runs are done; returns whether to continue.
fn show_progress(done: u64, all: u64, meter: &Meter) -> bool {
    meter.show(done as f64 / all.max(1) as f64, done, "runs");
    meter.should_continue()
}

fn run_back_test(
    args: &WhenArgs,
    input: &SimulationInput,
    past: &[Arrival],
    sampling: &SamplingOptions<'_>,
    meter: &Meter,
) -> BackTest {
    let options = BackTestOptions { moments: args.back_test, jobs: JOBS, days: args.resample_days };
    let sampling = SamplingOptions { runs: args.back_test_runs, ..*sampling };
    let all = u64::from(args.back_test) * u64::from(args.back_test_runs);
    let beginning = input.at_beginning_of(past);
    back_test(&beginning, &options, &sampling, &|done| show_progress(done, all, meter))
}

/// Maximum number of statements of the back-test at each moment.
const JOBS: usize = 40;

/// Returns the requested number of threads, or the number of processors.
pub(super) fn threads(asked: Option<u16>) -> usize {
    let all = || std::thread::available_parallelism().map_or(1, usize::from);
    asked.map_or_else(all, usize::from)
}

fn input(args: &WhenArgs) -> Result<(SimulationInput, Vec<Arrival>, Vec<String>)> {
    args.trace.check(&args.arrivals)?;
    let how = args.changed.form.reading.load_options();
    let (mut input, past) = SimulationInput::with_past(
        &open::start(&args.paths, &args.changed.form.reading)?,
        &how,
        &args.arrivals,
        &args.trace.options()?,
    )?;
    let settings = open::setting_words(&args.changed.set.texts(), &input.start)?;
    open::set_input(&mut input, &settings, &args.changed.form.reading)?;
    input.check_memory(threads(args.threads))?;
    Ok((input, past, settings))
}
