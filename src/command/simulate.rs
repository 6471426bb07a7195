//! `qscope simulate`: the cycle run over days of arrivals and ends of jobs.

mod answer;
mod arguments;
mod cycles;
mod difference;
mod figures;
mod kept;
mod load;
mod picture;
mod replicated;
mod scale;
mod sheet;
mod text;
mod unfair;
mod view;
mod waited;

use std::path::Path;

use color_eyre::eyre::{Result, eyre};

use qscope_engine::cluster::{Diagnostic, Epoch, Snapshot, number_of};
use qscope_record::moment;
use qscope_simulate::confidence::ReplicationOptions;
use qscope_simulate::decided::decision_at;
use qscope_simulate::resample::PastDays;
use qscope_simulate::runtimes::{RuntimeDraw, RuntimeModel, RuntimeRatios};
use qscope_simulate::unfair::UnfairStart;
use qscope_simulate::{
    MeasuredDetail, Simulation, SimulationCondition, SimulationDifference, SimulationFiles, SimulationInput,
    SimulationOptions, SimulationResult,
};
use qscope_source::civil_time;

use super::arguments::InputArgs;
use super::meter::Meter;
use super::plain::{self, NoVerdictsSubject};
use super::{open, output};
pub(super) use arguments::SimulateArgs;
use cycles::{CycleRecorder, ProgressObserver};
use kept::MOMENT_FORMS;
use unfair::UnfairQuestion;

/// Simulates, and prints the result.
pub(super) fn run(args: &SimulateArgs) -> Result<u8> {
    if args.csv && args.series && args.reasons {
        return Err(eyre!("--csv prints one table: that of --series or that of --reasons"));
    }
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
    let origin = kept::origin(&begin, args);
    conditions.iter().try_for_each(|condition| condition.check(&first.start, &first.arrivals.jobs))?;
    if let [at, folder] = args.stop_at.as_slice() {
        return kept::stop_at(first, args, at, Path::new(folder), origin);
    }
    let meter = Meter::new()?;
    if let Some(count) = args.replications {
        return replicate(args, &first, input, count, &meter, about());
    }
    if args.view {
        return view::run(first, args, &meter);
    }
    if let Some(folder) = &args.record {
        return kept::record(first, args, folder, &meter, origin);
    }
    if !args.against.is_empty() {
        let second = second_input(input, args)?;
        return compare(args, [&first, &second], &meter, &conditions, (&settings, &cluster));
    }
    let question = UnfairQuestion::of(args, &first)?;
    let mut cycles = CycleRecorder::new(args.cycles);
    let simulated = simulate(first, &mut cycles, args, &meter)?;
    let unfair = question.map(|question| question.answer(&simulated, args, &meter)).transpose()?;
    meter.clear();
    let answer = SimulationAnswer {
        settings: &settings,
        simulated: &simulated,
        cycles: &cycles,
        conditions: &conditions,
        unfair,
    };
    answer.print(args, about())?;
    Ok(verdict(&conditions, &simulated, &meter))
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

/// Simulates twice, and prints what changed in the second simulation.
fn compare(
    args: &SimulateArgs,
    inputs: [&SimulationInput; 2],
    meter: &Meter,
    conditions: &[SimulationCondition],
    (settings, cluster): (&[String], &Snapshot),
) -> Result<u8> {
    let one = |input: &SimulationInput| simulate(input.clone(), &mut CycleRecorder::new(false), args, meter);
    let [a, b] = inputs;
    let (first, second) = (one(a)?, one(b)?);
    let about = output::AnswerContext::from(cluster).with_scheduling();
    let difference = SimulationDifference::between(&first, &second);
    let quirks = open::quirks(&args.reading)?;
    let first_difference = difference.first.as_ref().filter(|_| meter.should_continue());
    let decisions =
        first_difference.map(|(at, job)| inputs.map(|input| decision_at(input.clone(), quirks, *at, job)));
    meter.clear();
    let answer = difference::ComparisonAnswer {
        a: &first,
        b: &second,
        difference: &difference,
        settings,
        against: &args.against,
        decisions: decisions.as_ref(),
        zone: &cluster.zone,
    };
    if args.json {
        output::print_json_line_about(about, answer.to_json(conditions))?;
    } else {
        let mut text = answer.to_text();
        text.append(&text::conditions(conditions, &second));
        output::print_about(about, &text)?;
    }
    Ok(verdict(conditions, &second, meter))
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
    let detail = MeasuredDetail { load: args.series, reasons: args.reasons };
    Ok(Simulation::new(input, quirks).measuring(detail).run(&mut watched))
}

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
    Ok(if (found.count as u64) < count { meter.exit_code() } else { 0 })
}

/// Returns 1 if a condition holds; for a simulation that was interrupted, the code for that.
fn verdict(conditions: &[SimulationCondition], simulated: &SimulationResult, meter: &Meter) -> u8 {
    if simulated.is_cut {
        return meter.exit_code();
    }
    u8::from(conditions.iter().any(|condition| condition.holds(simulated)))
}

/// One simulation, and what was requested about it.
struct SimulationAnswer<'a> {
    settings: &'a [String],
    simulated: &'a SimulationResult,
    cycles: &'a CycleRecorder,
    conditions: &'a [SimulationCondition],
    unfair: Option<Vec<UnfairStart>>,
}

impl SimulationAnswer<'_> {
    fn print(&self, args: &SimulateArgs, about: output::AnswerContext<'_>) -> Result<()> {
        let Self { settings, simulated, cycles, conditions, unfair } = self;
        let series = &simulated.series;
        if args.json {
            let requested = answer::RequestedJson {
                series: args.series.then(|| load::to_json(series)),
                unfair: unfair.as_deref().map(unfair::to_json),
            };
            let answer = answer::SimulateJson::of(simulated, cycles, conditions, requested);
            return output::print_json_line_about(about, output::WhatIfJson::new(answer, settings.to_vec()));
        }
        if args.csv || args.swf {
            output::print_notes_about(&about);
            return output::print(&match (&simulated.waited, args.csv) {
                _ if args.series => load::csv(series),
                (Some(waited), _) => waited::csv(waited),
                (None, true) => sheet::csv(simulated),
                (None, false) => sheet::swf(simulated),
            });
        }
        let mut text = output::what_if_heading(settings, &[]);
        text.append(&text::answer(simulated, unfair.as_deref(), about.zone()));
        if args.series {
            text.append(&load::to_text(series, about.zone()));
        }
        text.append(&cycles.to_text(about.zone()));
        text.append(&text::conditions(conditions, simulated));
        output::print_about(about, &text)
    }
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
        last_progress: None,
    };
    input.options = flags.completed_from(input.options);
    if let Some(until) = input.options.until.filter(|until| *until < input.start.now.0) {
        let [until, start] = [Epoch(until), input.start.now].map(|at| civil_time(at, &input.start.zone));
        return Err(eyre!("until: {until} is before the start, {start}"));
    }
    args.scale.apply(&mut input)?;
    input.check_memory(args.replications.map_or(1, |_| super::when::threads(args.threads)))?;
    if args.runtimes != RuntimeModel::Exact && args.replications.is_none() {
        let ratios = RuntimeRatios::of(&input.arrivals.jobs);
        let draw = RuntimeDraw { ratios: &ratios, times: args.runtimes, seed: args.seed, replication: 0 };
        input = draw.of(&input);
        input.arrivals.notes.push(format!("run times drawn with seed {}, replication 0", args.seed));
    }
    Ok(input)
}

/// Returns the input with settings changed from the start.
fn changed(mut input: SimulationInput, settings: &[String], reading: &InputArgs) -> Result<SimulationInput> {
    let notes = open::set_input(&mut input, settings, reading)?;
    input.arrivals.notes.extend(notes);
    Ok(input)
}
