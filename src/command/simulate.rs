//! `qscope simulate`: the cycle run over days of arrivals and ends.

mod answer;
mod cycles;
mod difference;
mod sheet;
mod text;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use color_eyre::eyre::{Result, eyre};

use qscope_exits::Lines;
use qscope_simulate::arrivals::history::HistoryOptions;
use qscope_simulate::draws::{Ratios, RunTimes, redrawn};
use qscope_simulate::{Condition, Difference, Input, Options, Simulated, Simulation};
use qscope_source::{LoadOptions, Settings};

use super::cli::{Reading, SetArgs};
use super::{open, output};
use cycles::Cycles;

/// What `simulate` takes.
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct SimulateArgs {
    /// The start state: a folder of dumps, with `arrivals.json` and `options.json` if it has them.
    pub folder: PathBuf,
    /// What arrives instead: a file like `arrivals.json`, accounting logs or a folder of them, traces in SWF.
    #[arg(long, value_name = "FILE")]
    pub arrivals: Vec<PathBuf>,
    /// What to change first.
    #[command(flatten)]
    pub set: SetArgs,
    /// Simulate the same arrivals a second time with this changed as well (repeatable), and compare job by job.
    #[arg(long, value_name = "KEY=VALUE")]
    pub against: Vec<String>,
    /// Exit with 1 if this holds (repeatable), for example `wait_p95(queue=small) > 2h`; with --against, of the second.
    #[arg(long, value_name = "CONDITION")]
    pub fail_if: Vec<String>,
    /// End at this moment, in seconds since 1970.
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    pub until: Option<i64>,
    /// Seconds between a cycle and the next one that nothing asked for.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(i64).range(1..))]
    pub iteration: Option<i64>,
    /// Seconds that lie at least between two cycles.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(i64).range(0..))]
    pub min_interval: Option<i64>,
    /// Seconds for which the simulation goes on without anything happening.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(i64).range(0..))]
    pub patience: Option<i64>,
    /// Run times: exact, walltime, history, or a factor such as 0.8.
    #[arg(long, value_name = "exact|walltime|history|FACTOR", default_value = "exact", value_parser = run_times)]
    pub runtimes: RunTimes,
    /// The seed of drawn run times.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Cores of a node, for traces; the most frequent of the cluster's nodes without it.
    #[arg(long, value_name = "CORES", value_parser = clap::value_parser!(u32).range(1..))]
    pub cores_per_node: Option<u32>,
    /// The queues of a trace's queue numbers: 1=small,2=large.
    #[arg(long, value_name = "NUMBER=QUEUE", value_delimiter = ',')]
    pub queue_map: Vec<String>,
    /// Print what every cycle decided: starts, top jobs, preemptions, reasons.
    #[arg(long)]
    pub cycles: bool,
    /// Write the state before the first cycle at or after this moment (seconds since 1970), or before this cycle
    /// (counted from 1), as a folder of dumps with the arrivals that are left, and stop there.
    #[arg(long, value_names = ["TIME|CYCLE", "FOLDER"], num_args = 2, conflicts_with_all = ["against", "fail_if"])]
    pub stop_at: Vec<String>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Print the jobs as CSV.
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Print the jobs as an SWF trace, with waits and run times as simulated.
    #[arg(long, conflicts_with_all = ["json", "csv"])]
    pub swf: bool,
    /// How to read the folder, and the scheduler behaviour to model.
    #[command(flatten)]
    pub reading: Reading,
}

const EXAMPLES: &str = "Examples:
  qscope simulate FOLDER --json
  qscope simulate FOLDER --arrivals accounting/ --against backfill_depth=20
  qscope simulate FOLDER --against strict_ordering=True --fail-if 'wait_p95(queue=small) > 2h'";

fn run_times(text: &str) -> Result<RunTimes, String> {
    match text {
        "exact" => Ok(RunTimes::Exact),
        "walltime" => Ok(RunTimes::Walltime),
        "history" => Ok(RunTimes::History),
        number => {
            let factor = number.parse::<f64>().ok().filter(|factor| factor.is_finite() && *factor >= 0.0);
            factor
                .map(RunTimes::Factor)
                .ok_or_else(|| "expected exact, walltime, history or a factor".to_owned())
        }
    }
}

/// Simulates, and prints what came of it.
///
/// # Errors
/// Bad input, or an output that cannot be written.
pub(super) fn run(args: &SimulateArgs) -> Result<u8> {
    let conditions = conditions(args)?;
    let input = input(args)?;
    let first = changed(input.clone(), &args.set.settings)?;
    if let [at, folder] = args.stop_at.as_slice() {
        return stop_at(first, args, at, Path::new(folder));
    }
    let mut cycles = Cycles::new(args.cycles);
    let simulated = Simulation::new(first, open::quirks(&args.reading)?).run(&mut cycles);
    if args.against.is_empty() {
        print(args, &simulated, &cycles, &conditions)?;
        return Ok(verdict(&conditions, &simulated));
    }
    let settings: Vec<String> = args.set.settings.iter().chain(&args.against).cloned().collect();
    let second = changed(input, &settings)?;
    let other = Simulation::new(second, open::quirks(&args.reading)?).run(&mut ());
    let difference = Difference::between(&simulated, &other);
    let answer =
        difference::Compared { a: &simulated, b: &other, difference: &difference, against: &args.against };
    if args.json {
        output::print_json_line(&answer.to_json(&conditions))?;
    } else {
        let mut text = answer.to_text();
        text.append(&text::conditions(&conditions, &other));
        output::print(&text)?;
    }
    Ok(verdict(&conditions, &other))
}

/// 1 if a condition holds.
fn verdict(conditions: &[Condition], simulated: &Simulated) -> u8 {
    u8::from(conditions.iter().any(|condition| condition.holds(simulated)))
}

fn print(
    args: &SimulateArgs,
    simulated: &Simulated,
    cycles: &Cycles,
    conditions: &[Condition],
) -> Result<()> {
    if args.json {
        return output::print_json_line(&answer::SimulateJson::of(simulated, cycles, conditions));
    }
    let text = if args.csv {
        sheet::csv(simulated)
    } else if args.swf {
        sheet::swf(simulated)
    } else {
        let mut text = text::answer(simulated);
        text.append(&cycles.to_text());
        text.append(&text::conditions(conditions, simulated));
        text
    };
    output::print(&text)
}

fn conditions(args: &SimulateArgs) -> Result<Vec<Condition>> {
    args.fail_if
        .iter()
        .map(|text| Condition::parse(text).map_err(|error| eyre!("--fail-if: {error}")))
        .collect()
}

/// Reads the folder and what arrives.
fn input(args: &SimulateArgs) -> Result<Input> {
    let how = LoadOptions {
        now: args.reading.now.map(qscope_engine::cluster::Epoch),
        zone: args.reading.tz.clone(),
        scheduler: args.reading.sched.clone(),
    };
    let mut input = if args.arrivals.is_empty() {
        Input::open(&args.folder, &how)?
    } else {
        Input::with_arrivals(&args.folder, &how, &args.arrivals, &history_options(args)?)?
    };
    let flags = Options {
        until: args.until,
        iteration: args.iteration,
        min_interval: args.min_interval,
        patience: args.patience,
    };
    input.options = flags.or(input.options);
    if args.runtimes != RunTimes::Exact {
        let ratios = Ratios::of(&input.arrivals);
        input.arrivals = redrawn(&input.arrivals, &ratios, args.runtimes, args.seed, 0);
        input.arrivals.notes.push(format!("run times drawn with seed {}, replication 0", args.seed));
    }
    Ok(input)
}

fn history_options(args: &SimulateArgs) -> Result<HistoryOptions> {
    let pair = |text: &String| {
        let (number, queue) =
            text.split_once('=').ok_or_else(|| eyre!("--queue-map: `{text}` is not NUMBER=QUEUE"))?;
        Ok((number.trim().to_owned(), queue.trim().to_owned()))
    };
    let queues: Result<BTreeMap<String, String>> = args.queue_map.iter().map(pair).collect();
    Ok(HistoryOptions { cores_per_node: args.cores_per_node, queues: queues? })
}

/// The input with settings changed from the start.
fn changed(mut input: Input, settings: &[String]) -> Result<Input> {
    if settings.is_empty() {
        return Ok(input);
    }
    let read = Settings::read(settings, &input.start)
        .map_err(|error| open::pointed("the setting cannot be read", &error.text, &error.caret()))?;
    input.start = input.start.with(read.edits());
    input.arrivals.notes.extend(read.notes().iter().cloned());
    Ok(input)
}

/// Writes the state before a cycle as a folder.
fn stop_at(input: Input, args: &SimulateArgs, at: &str, folder: &Path) -> Result<u8> {
    let number: i64 =
        at.parse().map_err(|_| eyre!("--stop-at: `{at}` is neither a moment nor the number of a cycle"))?;
    let from = input.start.now.0;
    let mut simulation = Simulation::new(input, open::quirks(&args.reading)?);
    let stop = qscope_simulate::Stop::of(number, from);
    if !simulation.run_to(stop, &mut ()) {
        return Err(eyre!("--stop-at: the simulation is over before that"));
    }
    let written = simulation.write(&args.folder, folder)?;
    let mut text = Lines::new();
    text.line(format_args!("{}: {} files, the state before the next cycle", folder.display(), written));
    output::print(&text)?;
    Ok(0)
}
