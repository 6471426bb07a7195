//! The arguments of `qscope when`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use color_eyre::eyre::{Result, eyre};
use qscope_simulate::arrivals::history::{HistoryOptions, TraceMemory, is_trace};

use crate::command::arguments::WhatIfOutputArgs;

/// The arguments of `when`.
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(in crate::command) struct WhenArgs {
    /// The job, with or without the server part; - for the back-test alone.
    pub job: String,
    /// A folder of dumps, with `arrivals.json` if it has one; an archive, files of any names, or - for standard input.
    #[arg(value_name = "FOLDER", required = true)]
    pub paths: Vec<PathBuf>,
    /// The past to draw from: accounting logs or a folder of them, traces in SWF.
    #[arg(long, visible_alias = "past", value_name = "LOGS")]
    pub arrivals: Vec<PathBuf>,
    /// Number of runs.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub runs: u32,
    /// The seed of all draws.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Draw arrivals too, for this many days ahead: whole days of the past.
    #[arg(long, value_name = "DAYS", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=366))]
    pub resample_days: u32,
    /// Test such statements against the past at this many moments of it; 0 for none.
    #[arg(long, value_name = "MOMENTS", default_value_t = 8, value_parser = clap::value_parser!(u32).range(0..=10_000))]
    pub back_test: u32,
    /// Number of runs for each statement of the back-test.
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub back_test_runs: u32,
    /// Threads; by default one per processor. The answer does not depend on their number.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub threads: Option<u16>,
    /// How logs and traces become jobs.
    #[command(flatten)]
    pub trace: TraceArgs,
    /// What to change first, and the output form.
    #[command(flatten)]
    pub changed: WhatIfOutputArgs,
}

const EXAMPLES: &str = "Examples:
  qscope when 4711 FOLDER --arrivals accounting/
  qscope when 4711 FOLDER --arrivals accounting/ --resample-days 3 --json
  qscope when - FOLDER --arrivals trace.swf.gz --back-test 20";

/// How the jobs of logs and traces become jobs of the cluster.
#[derive(Args, Clone, Debug, Default)]
pub(in crate::command) struct TraceArgs {
    /// Cores of a node, for traces; by default the most frequent number of the cluster's nodes.
    #[arg(long, value_name = "CORES", value_parser = clap::value_parser!(u32).range(1..))]
    pub cores_per_node: Option<u32>,
    /// The queues of a trace's queue numbers: 1=small,2=large.
    #[arg(long, value_name = "NUMBER=QUEUE", value_delimiter = ',')]
    pub queue_map: Vec<String>,
    /// The unit of memory in a trace: kilobytes for each processor (the format's own), bytes on each node, or none.
    #[arg(long, value_name = "kb|bytes|none", default_value = "kb", value_parser = trace_memory)]
    pub trace_memory: TraceMemory,
}

fn trace_memory(text: &str) -> Result<TraceMemory, String> {
    match text {
        "kb" => Ok(TraceMemory::KbPerProcessor),
        "bytes" => Ok(TraceMemory::BytesPerNode),
        "none" => Ok(TraceMemory::Ignored),
        _ => Err("expected kb, bytes or none".to_owned()),
    }
}

impl TraceArgs {
    /// Rejects options about traces if none is named; a folder may hold some.
    ///
    /// # Errors
    /// If an option would have no effect.
    pub(in crate::command) fn check(&self, arrivals: &[PathBuf]) -> Result<()> {
        let given = [
            ("--cores-per-node", self.cores_per_node.is_some()),
            ("--queue-map", !self.queue_map.is_empty()),
            ("--trace-memory", self.trace_memory != TraceMemory::KbPerProcessor),
        ];
        let may_be = |path: &PathBuf| path.is_dir() || is_trace(path);
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((flag, _)) if !arrivals.iter().any(may_be) => {
                Err(eyre!("{flag}: is about traces, and --arrivals names none (.swf, .swf.gz)"))
            }
            _ => Ok(()),
        }
    }

    /// Returns the options that the arguments stand for.
    ///
    /// # Errors
    /// If a pair of `--queue-map` is invalid.
    pub(in crate::command) fn options(&self) -> Result<HistoryOptions> {
        let pair = |text: &String| {
            let (number, queue) =
                text.split_once('=').ok_or_else(|| eyre!("--queue-map: `{text}` is not NUMBER=QUEUE"))?;
            Ok((number.trim().to_owned(), queue.trim().to_owned()))
        };
        let queues: Result<BTreeMap<String, String>> = self.queue_map.iter().map(pair).collect();
        Ok(HistoryOptions {
            cores_per_node: self.cores_per_node,
            queues: queues?,
            memory: self.trace_memory,
            keeps_ended: false,
        })
    }
}
