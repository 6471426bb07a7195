//! `qscope simulate`: the cycle run over days of arrivals and ends of jobs.

mod answer;
mod arguments;
mod cycles;
mod difference;
mod picture;
mod replicated;
mod scale;
mod sheet;
mod text;
mod view;

use std::path::Path;

use color_eyre::eyre::{Result, eyre};

use qscope_engine::cluster::{Diagnostic, Epoch, Snapshot, count, number_of};
use qscope_exits::Lines;
use qscope_record::{RecordLimits, RecordingWriter, SnapshotFile, SnapshotFiles, is_recording, moment};
use qscope_simulate::confidence::ReplicationOptions;
use qscope_simulate::dump::DumpOrigin;
use qscope_simulate::resample::PastDays;
use qscope_simulate::runtimes::{RuntimeDraw, RuntimeModel, RuntimeRatios};
use qscope_simulate::{
    Simulation, SimulationCondition, SimulationDifference, SimulationFiles, SimulationInput,
    SimulationOptions, SimulationResult, StopPoint,
};
use qscope_source::civil_time;

use super::arguments::InputArgs;
use super::meter::Meter;
use super::plain::{self, NoVerdictsSubject};
use super::{open, output};
pub(super) use arguments::SimulateArgs;
use cycles::{CycleRecorder, ProgressObserver};

/// Simulates, and prints the result.
pub(super) fn run(args: &SimulateArgs) -> Result<u8> {
    let conditions = conditions(args)?;
    let begin = open::start(&args.paths, &args.reading)?;
    let input = input(&begin, args)?;
    let settings = open::setting_words(&args.set.texts(), &input.start)?;
    let first = changed(input.clone(), &settings, &args.reading)?;
    let (cluster, as_pbs) = (start_cluster(&first), args.reading.batch_system.is_some());
    if let Some(code) =
        plain::answer_plain_of_snapshot(&cluster, as_pbs, args.json, NoVerdictsSubject::Queue)?
    {
        return Ok(code);
    }
    let about = || output::AnswerContext::from(&cluster).with_scheduling();
    let origin = origin(&begin, args);
    conditions.iter().try_for_each(|condition| condition.check(&first.start, &first.arrivals.jobs))?;
    if let [at, folder] = args.stop_at.as_slice() {
        return stop_at(first, args, at, Path::new(folder), origin);
    }
    let meter = Meter::new()?;
    if let Some(count) = args.replications {
        return replicate(args, &first, input, count, &meter, about());
    }
    if args.view {
        return view::run(first, args, &meter);
    }
    if let Some(folder) = &args.record {
        return record(first, args, folder, &meter, origin);
    }
    let mut cycles = CycleRecorder::new(args.cycles);
    let simulated = simulate(first, &mut cycles, args, &meter)?;
    if args.against.is_empty() {
        meter.clear();
        print(args, settings, &simulated, &cycles, &conditions, about())?;
        return Ok(verdict(&conditions, &simulated));
    }
    let other = simulate(second_input(input, args)?, &mut CycleRecorder::new(false), args, &meter)?;
    meter.clear();
    compare(args, [&simulated, &other], &conditions, (&settings, &cluster))?;
    Ok(verdict(&conditions, &other))
}

/// Returns the cluster at the beginning, for the heading of the answer.
fn start_cluster(input: &SimulationInput) -> Snapshot {
    let mut cluster = input.start.clone();
    if input.arrivals.last().is_some() {
        // If jobs arrive, a start without any jobs is valid.
        cluster.diagnostics.retain(|found| found.code != Diagnostic::NO_JOBS);
    }
    cluster
}

/// Returns the input of the second simulation.
fn second_input(input: SimulationInput, args: &SimulateArgs) -> Result<SimulationInput> {
    let settings: Vec<String> = args.set.texts().into_iter().chain(args.against.iter().cloned()).collect();
    changed(input, &settings, &args.reading)
}

/// Prints what changed in the second of two simulations.
fn compare(
    args: &SimulateArgs,
    [first, second]: [&SimulationResult; 2],
    conditions: &[SimulationCondition],
    (settings, cluster): (&[String], &Snapshot),
) -> Result<()> {
    let about = output::AnswerContext::from(cluster).with_scheduling();
    let difference = SimulationDifference::between(first, second);
    let answer = difference::ComparisonAnswer {
        a: first,
        b: second,
        difference: &difference,
        settings,
        against: &args.against,
        zone: &cluster.zone,
    };
    if args.json {
        return output::print_json_line_about(about, answer.to_json(conditions));
    }
    let mut text = answer.to_text();
    text.append(&text::conditions(conditions, second));
    output::print_about(about, &text)
}

/// Runs one simulation and shows its progress.
fn simulate(
    input: SimulationInput,
    cycles: &mut CycleRecorder,
    args: &SimulateArgs,
    meter: &Meter,
) -> Result<SimulationResult> {
    let quirks = open::quirks(&args.reading)?;
    let mut watched = ProgressObserver::new(&input, cycles, meter);
    Ok(Simulation::new(input, quirks).run(&mut watched))
}

/// Runs the simulation, and keeps the state before each cycle in a recording.
fn record(
    input: SimulationInput,
    args: &SimulateArgs,
    folder: &Path,
    meter: &Meter,
    origin: DumpOrigin<'_>,
) -> Result<u8> {
    let quirks = open::quirks(&args.reading)?;
    if is_recording(folder) {
        // Its snapshots would be mixed with those of another simulation, or of a cluster.
        return Err(eyre!(
            "{}: is a recording; expected a new or an empty folder: remove it, or name another",
            folder.display()
        ));
    }
    let mut recorder = RecordingWriter::new(folder, RecordLimits::default())?;
    let mut simulation = Simulation::new(input, quirks);
    let mut cycle = 1;
    while meter.should_continue() && simulation.run_to(StopPoint::Cycle(cycle), &mut ()) {
        let kept = |(name, bytes): (&str, Vec<u8>)| (name.to_owned(), SnapshotFile { bytes, modified: None });
        let files = simulation.files(origin)?.into_iter().map(kept).collect();
        let written = recorder.append(simulation.now(), SnapshotFiles(files))?;
        meter.show(0.0, written.number, "snapshots");
        simulation = simulation.resumed();
        cycle += 1;
    }
    let is_cut = !meter.should_continue();
    meter.clear();
    let shots = count(cycle - 1, "snapshot");
    output::print_line(format_args!("{}: {shots}, one before each cycle", folder.display()))?;
    Ok(if is_cut { INTERRUPTED } else { 0 })
}

/// Returns the files it begins with, marked as changed if any settings were changed.
fn origin<'b>(begin: &'b SimulationFiles, args: &SimulateArgs) -> DumpOrigin<'b> {
    DumpOrigin { files: begin.files(), is_changed: !args.set.texts().is_empty() }
}

/// The exit code if Ctrl-C ended it.
const INTERRUPTED: u8 = 130;

/// Compares both settings in many replications.
fn replicate(
    args: &SimulateArgs,
    first: &SimulationInput,
    input: SimulationInput,
    count: u64,
    meter: &Meter,
    about: output::AnswerContext<'_>,
) -> Result<u8> {
    if !args.fail_if.is_empty() {
        return Err(eyre!("--fail-if is about one simulation: it does not go with --replications"));
    }
    if args.runtimes != RuntimeModel::History && !args.resample_days {
        return Err(eyre!("--replications: nothing is drawn; add --runtimes history or --resample-days"));
    }
    let second = second_input(input, args)?;
    let ratios = RuntimeRatios::of(&first.arrivals.jobs);
    let zone = first.start.time_zone();
    let days = PastDays::of(&first.arrivals.jobs, &zone);
    let ahead = number_of(days.len());
    let asked = ReplicationOptions {
        count,
        threads: super::when::threads(args.threads),
        seed: args.seed,
        times: args.runtimes,
        ratios: &ratios,
        days: args.resample_days.then_some((&days, ahead)),
        quirks: open::quirks(&args.reading)?,
    };
    let found = asked.compare(first, &second, &|done| {
        meter.show(done as f64 / count as f64, done, "replications");
        meter.should_continue()
    });
    meter.clear();
    let set = args.set.texts();
    let answer = replicated::ReplicatedAnswer {
        comparison: &found,
        settings: &set,
        against: &args.against,
        asked: count,
        seed: args.seed,
        redrawn: args.resample_days,
        warnings: &first.arrivals.notes,
    };
    output::answer(about, args.json, || answer.to_json(), || answer.to_text())?;
    Ok(0)
}

/// Returns 1 if a condition holds; for a simulation that was interrupted, the code for that.
fn verdict(conditions: &[SimulationCondition], simulated: &SimulationResult) -> u8 {
    if simulated.is_cut {
        return INTERRUPTED;
    }
    u8::from(conditions.iter().any(|condition| condition.holds(simulated)))
}

fn print(
    args: &SimulateArgs,
    settings: Vec<String>,
    simulated: &SimulationResult,
    cycles: &CycleRecorder,
    conditions: &[SimulationCondition],
    about: output::AnswerContext<'_>,
) -> Result<()> {
    if args.json {
        let answer = answer::SimulateJson::of(simulated, cycles, conditions);
        return output::print_json_line_about(about, output::WhatIfJson::new(answer, settings));
    }
    if args.csv || args.swf {
        output::print_notes_about(&about);
        return output::print(&if args.csv { sheet::csv(simulated) } else { sheet::swf(simulated) });
    }
    let mut text = output::what_if_heading(&settings, &[]);
    text.append(&text::answer(simulated, about.zone()));
    text.append(&cycles.to_text(about.zone()));
    text.append(&text::conditions(conditions, simulated));
    output::print_about(about, &text)
}

fn conditions(args: &SimulateArgs) -> Result<Vec<SimulationCondition>> {
    args.fail_if
        .iter()
        .map(|text| SimulationCondition::parse(text).map_err(|error| eyre!("--fail-if: {error}")))
        .collect()
}

/// Reads the cluster and its arrivals.
fn input(begin: &SimulationFiles, args: &SimulateArgs) -> Result<SimulationInput> {
    args.trace.check(&args.arrivals)?;
    let how = args.reading.load_options();
    let mut input = if args.arrivals.is_empty() {
        SimulationInput::read(begin, &how)?
    } else {
        SimulationInput::with_other_arrivals(begin, &how, &args.arrivals, &args.trace.options()?)?
    };
    let zone = || input.start.time_zone();
    let until = args.until.as_deref().map(|text| {
        moment(text, zone).ok_or_else(|| eyre!("--until: `{text}` is no moment; {MOMENT_FORMS}"))
    });
    let flags = SimulationOptions {
        until: until.transpose()?.map(|at| at.0),
        iteration: args.iteration,
        min_interval: args.min_interval,
        patience: args.patience,
    };
    input.options = flags.completed_from(input.options);
    if let Some(until) = input.options.until.filter(|until| *until < input.start.now.0) {
        let [until, start] = [Epoch(until), input.start.now].map(|at| civil_time(at, &input.start.zone));
        return Err(eyre!("until: {until} is before the start, {start}"));
    }
    args.scale.apply(&mut input)?;
    if args.runtimes != RuntimeModel::Exact && args.replications.is_none() {
        let ratios = RuntimeRatios::of(&input.arrivals.jobs);
        let draw = RuntimeDraw { ratios: &ratios, times: args.runtimes, seed: args.seed, replication: 0 };
        input = draw.of(&input);
        input.arrivals.notes.push(format!("run times drawn with seed {}, replication 0", args.seed));
    }
    Ok(input)
}

/// The forms of a moment, for messages.
const MOMENT_FORMS: &str = "expected seconds since 1970 or 2026-03-02T10:05[:12]";

/// Returns the input with settings changed from the start.
fn changed(mut input: SimulationInput, settings: &[String], reading: &InputArgs) -> Result<SimulationInput> {
    let notes = open::set_input(&mut input, settings, reading)?;
    input.arrivals.notes.extend(notes);
    Ok(input)
}

/// Writes the state before a cycle as a folder.
fn stop_at(
    input: SimulationInput,
    args: &SimulateArgs,
    at: &str,
    folder: &Path,
    origin: DumpOrigin<'_>,
) -> Result<u8> {
    let number = moment(at, || input.start.time_zone()).ok_or_else(|| {
        eyre!("--stop-at: `{at}` is neither a moment nor the number of a cycle; {MOMENT_FORMS}")
    })?;
    let from = input.start.now.0;
    let mut simulation = Simulation::new(input, open::quirks(&args.reading)?);
    let stop = StopPoint::of(number.0, from);
    if !simulation.run_to(stop, &mut ()) {
        return Err(eyre!("--stop-at: the simulation is over before that"));
    }
    let written = simulation.write(origin, folder)?;
    let mut text = Lines::new();
    text.line(format_args!(
        "{}: {}, the state before the next cycle",
        folder.display(),
        qscope_explain::words::count(written, "file")
    ));
    output::print(&text)?;
    Ok(0)
}
