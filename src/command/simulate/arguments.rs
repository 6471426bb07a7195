//! The arguments of `simulate`.

use crate::command::arguments::{InputArgs, WhatIfArgs};
use clap::Args;
use color_eyre::eyre::Result;
use qscope_simulate::runtimes::RuntimeModel;
use std::path::PathBuf;

/// The arguments of `simulate`.
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(in crate::command) struct SimulateArgs {
    /// The start state: a folder of dumps, with `arrivals.json` and `options.json` if it has them; an archive, files of
    /// any names, or - for standard input.
    #[arg(value_name = "FOLDER", required = true)]
    pub paths: Vec<PathBuf>,
    /// Use these arrivals instead: a file like `arrivals.json`, accounting logs or a folder of them, traces in SWF.
    #[arg(long, value_name = "FILE")]
    pub arrivals: Vec<PathBuf>,
    /// What to change first.
    #[command(flatten)]
    pub set: WhatIfArgs,
    /// Simulate the same arrivals a second time with this changed as well (repeatable), and compare job by job.
    #[arg(long, value_name = "KEY=VALUE", conflicts_with_all = ["csv", "swf"])]
    pub against: Vec<String>,
    /// Exit with 1 if this holds (repeatable), for example `wait_p95(queue=small) > 2h`; with --against, if it holds
    /// for the second.
    #[arg(long, value_name = "CONDITION")]
    pub fail_if: Vec<String>,
    /// End at this moment: seconds since 1970, or a date and time.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub until: Option<String>,
    /// Seconds until the next cycle if nothing triggers one earlier.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(i64).range(1..))]
    pub iteration: Option<i64>,
    /// Minimum number of seconds between two cycles.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(i64).range(0..))]
    pub min_interval: Option<i64>,
    /// Seconds for which the simulation continues without any event.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(i64).range(0..))]
    pub patience: Option<i64>,
    /// Run times: exact, walltime, history, or a factor such as 0.8.
    #[arg(long, value_name = "exact|walltime|history|FACTOR", default_value = "exact", value_parser = run_times)]
    pub runtimes: RuntimeModel,
    /// The seed of drawn run times.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// With --against: run this many replications, each with its own draws, and print intervals of 95 % (from 10 on).
    #[arg(long, value_name = "N", requires = "against", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub replications: Option<u64>,
    /// Draw the arrivals of each replication too: whole days of the arrivals, in another order.
    #[arg(long, requires = "replications")]
    pub resample_days: bool,
    /// Threads for replications; by default one per processor. The answer does not depend on their number.
    #[arg(long, value_name = "N", requires = "replications", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// How logs and traces become jobs.
    #[command(flatten)]
    pub trace: crate::command::when::TraceArgs,
    /// Print what every cycle decided: starts, top jobs, preemptions, reasons.
    #[arg(long, conflicts_with_all = ["against", "csv", "swf"])]
    pub cycles: bool,
    /// Print the load over time, a row for each second with a change: busy cores, jobs and core-hours waiting, jobs running, free
    /// nodes, largest free placement set, stranded cores; with --csv as the table.
    #[arg(long, conflicts_with_all = ["against", "swf"])]
    pub series: bool,
    /// Print the core-hours that jobs waited by reason, and the last reason of each job; with --csv as the table.
    #[arg(long, conflicts_with_all = ["against", "swf"])]
    pub reasons: bool,
    /// Print whether these jobs start later because of jobs that arrive after them: one simulation for each, without
    /// those.
    #[arg(long, value_name = "JOB,JOB", value_delimiter = ',', conflicts_with_all = ["against", "csv", "swf"])]
    pub unfair: Vec<String>,
    /// Write the state before the first cycle at or after this moment (as for --until), or before this cycle (counted
    /// from 1), as a folder of dumps with the arrivals that are left, and stop there.
    #[arg(long, value_names = ["TIME|CYCLE", "FOLDER"], num_args = 2, conflicts_with_all = ["against", "fail_if", "series", "reasons", "unfair", "json", "csv", "swf"])]
    pub stop_at: Vec<String>,
    /// Keep the state before each cycle in this recording, and print how many there are; `DIR@TIME` opens one of them.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["against", "fail_if", "stop_at", "cycles", "series", "reasons", "unfair", "json", "csv", "swf"])]
    pub record: Option<PathBuf>,
    /// Open it in the console: jobs waiting, utilisation and alerts over the simulated time, and every cycle to step.
    #[arg(long, conflicts_with_all = ["against", "fail_if", "stop_at", "cycles", "record", "json", "csv", "swf", "series", "reasons", "unfair"])]
    pub view: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Print the jobs as CSV; with --series or --reasons, these instead.
    #[arg(long, conflicts_with = "json")]
    pub csv: bool,
    /// Print the jobs as an SWF trace, with waits and run times as simulated.
    #[arg(long, conflicts_with_all = ["json", "csv"])]
    pub swf: bool,
    /// How to read the folder, and the scheduler behaviour to model.
    #[command(flatten)]
    pub reading: InputArgs,
    /// Nodes that come and go; last, since following arguments would appear under its heading in the help.
    #[command(flatten)]
    pub(super) scale: super::scale::ScaleArgs,
}

const EXAMPLES: &str = "Examples:
  qscope simulate FOLDER --json
  qscope simulate FOLDER --view
  qscope simulate FOLDER --reasons --unfair 4711
  qscope simulate FOLDER --series --csv
  qscope simulate FOLDER --scale ncpus=16:mem=64gb=40 --boot 3m --idle 10m
  qscope simulate FOLDER --arrivals accounting/ --against backfill_depth=20
  qscope simulate FOLDER --against backfill_depth=20 --runtimes history --replications 20
  qscope simulate FOLDER --against strict_ordering=True --fail-if 'wait_p95(queue=small) > 2h'";

fn run_times(text: &str) -> Result<RuntimeModel, String> {
    match text {
        "exact" => Ok(RuntimeModel::Exact),
        "walltime" => Ok(RuntimeModel::Walltime),
        "history" => Ok(RuntimeModel::History),
        number => {
            let factor = number.parse::<f64>().ok().filter(|factor| factor.is_finite() && *factor >= 0.0);
            factor
                .map(RuntimeModel::Factor)
                .ok_or_else(|| "expected exact, walltime, history or a factor".to_owned())
        }
    }
}
