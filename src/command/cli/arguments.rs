//! What several commands take, and what the lists do.

use clap::{Args, ValueEnum};
use qscope_engine::universe::Semantics;
use std::path::PathBuf;

/// How a folder is read and which scheduler behaviour is modelled.
#[derive(Args, Clone, Debug, Default)]
pub(in crate::command) struct Reading {
    /// The moment to assume, in seconds since 1970.
    #[arg(long)]
    pub now: Option<i64>,
    /// The time zone of dates that carry none.
    #[arg(long, value_name = "ZONE")]
    pub tz: Option<String>,
    /// The scheduler to model, where there are several.
    #[arg(long, value_name = "NAME")]
    pub sched: Option<String>,
    /// Scheduler behaviour to model: observed, fixed or design.
    #[arg(long, default_value = "observed", value_parser = semantics)]
    pub semantics: Semantics,
    /// Turn one quirk on or off, for example `span-when-full=off`.
    #[arg(long, value_name = "NAME=on|off")]
    pub quirk: Vec<String>,
    /// Run the cycle of PBS over dumps of Torque too, whose own scheduler decides otherwise.
    #[arg(long = "as", value_name = "pbs", value_parser = ["pbs"])]
    pub batch_system: Option<String>,
    /// The program behind the allocation policy LOCAL: JSON on its input, a JSON list of node names on its output.
    #[arg(long, value_name = "PROGRAM", env = "QSCOPE_LOCAL_POLICY")]
    pub local_policy: Option<std::ffi::OsString>,
}

fn semantics(text: &str) -> Result<Semantics, String> {
    Semantics::from_name(text).ok_or_else(|| "expected observed, fixed or design".to_owned())
}

/// A folder, and in which form to answer.
#[derive(Args, Clone, Debug)]
pub(in crate::command) struct FolderArgs {
    /// A folder, an archive of pbs_snapshot or pbs_diag, files of any names, or - for standard input; the built-in
    /// sample without any.
    #[arg(value_name = "FOLDER")]
    pub paths: Vec<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// How to read it.
    #[command(flatten)]
    pub reading: Reading,
}

/// What to change before the cycle is run.
#[derive(Args, Clone, Debug, Default)]
pub(in crate::command) struct SetArgs {
    /// Change an option or attribute before the cycle is run (repeatable), for example `strict_ordering=True`,
    /// `node_group_key=switch`, `queue.big.started=False`, `node.n[1-4].state=offline`,
    /// `job.12.Resource_List.walltime=1:00:00`, `job.12.policy=FASTEST`.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub settings: Vec<String>,
    /// Let an allocation policy choose the nodes instead of node_sort_key: one of Maui's nine, or relaxed, exclusive,
    /// none or ttl:TIME, with @group or another criterion for what packs together (a queue without one).
    #[arg(long, value_name = "NAME")]
    pub policy: Option<String>,
    /// Add idle nodes like the node TYPE, of a type as `capacity` names it, or like ncpus=16:mem=64gb (repeatable).
    #[arg(long, value_name = "TYPE=N")]
    pub add_nodes: Vec<String>,
    /// Move the clock: jobs due by then have ended, nothing arrives or starts; +2h, 14:30, 2026-11-21T14:30.
    #[arg(long = "at", value_name = "TIME", allow_hyphen_values = true)]
    pub moment: Option<String>,
}

impl SetArgs {
    /// All of it as settings: what --set names first, the clock last.
    pub(in crate::command) fn texts(&self) -> Vec<String> {
        let policy = self.policy.iter().map(|name| format!("policy={name}"));
        let nodes = self.add_nodes.iter().map(|nodes| format!("add_nodes.{nodes}"));
        let at = self.moment.iter().map(|at| format!("at={at}"));
        self.settings.iter().cloned().chain(policy).chain(nodes).chain(at).collect()
    }
}

/// What commands take that print a list.
#[derive(Args, Clone, Debug)]
pub(in crate::command) struct ListArgs {
    /// The folder and the form.
    #[command(flatten)]
    pub at: FolderArgs,
    /// What to change first.
    #[command(flatten)]
    pub set: SetArgs,
}

/// What `board` takes.
#[derive(Args, Clone, Debug)]
pub(in crate::command) struct BoardArgs {
    /// The folder, the form, and what to change first.
    #[command(flatten)]
    pub list: ListArgs,
    /// Compute on large clusters too what more nodes of one kind would start: a cycle for each number of them.
    #[arg(long)]
    pub more_nodes: bool,
}

/// What `buckets` takes.
#[derive(Args, Clone, Debug)]
pub(in crate::command) struct BucketsArgs {
    /// The folder, the form, and what to change first.
    #[command(flatten)]
    pub list: ListArgs,
    /// The buckets of this placement set, such as switch=sw1, instead of those of the complex.
    #[arg(long, value_name = "NAME")]
    pub pset: Option<String>,
    /// Show them before and after the step that considers this job, with the bits that it moves.
    #[arg(long, value_name = "JOB")]
    pub after: Option<String>,
}

/// What `pools` takes.
#[derive(Args, Clone, Debug)]
pub(in crate::command) struct PoolsArgs {
    /// The folder, the form, and what to change first.
    #[command(flatten)]
    pub list: ListArgs,
    /// Print how the free nodes lie in each pool, alone: the largest free set, jobs that would find nodes now,
    /// stranded nodes.
    #[arg(long)]
    pub fragmentation: bool,
    /// For jobs of so many whole nodes; 1, 2, 4 … up to the largest set without it.
    #[arg(long, value_name = "N,N", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..))]
    pub sizes: Vec<u32>,
}

/// What `cycle` takes.
#[derive(Args, Clone, Debug)]
pub(in crate::command) struct CycleArgs {
    /// The folder and the form.
    #[command(flatten)]
    pub at: FolderArgs,
    /// What to change first.
    #[command(flatten)]
    pub set: SetArgs,
    /// Run the cycle that an operator's qrun of this job would start: it is considered alone, on the node path,
    /// and neither limits nor its queue's time of day count.
    #[arg(long, value_name = "JOB")]
    pub qrun: Option<String>,
    /// Only these parts of the JSON, for example `jobs,warnings`; what is left out is not worked out either.
    #[arg(long, value_name = "PARTS", value_delimiter = ',', requires = "json")]
    pub only: Vec<CyclePart>,
    /// Add how long reading, building and the cycle took.
    #[arg(long)]
    pub timing: bool,
    /// Only jobs that fit, for example `user:ann path:node wait` or `walltime>2h and not verdict=run`.
    #[arg(long = "where", value_name = "QUERY")]
    pub query: Option<String>,
}

/// A part of the answer of `cycle` for programs.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum, Debug)]
pub(in crate::command) enum CyclePart {
    /// What becomes of every job, and the order in which jobs start.
    Jobs,
    /// The placement sets.
    Psets,
    /// The node buckets.
    Buckets,
    /// The bugs and departures of the scheduler that took effect.
    Quirks,
    /// What the model leaves out, and the warnings of the readers.
    Warnings,
}

/// What `compare` takes.
#[derive(Args, Clone, Debug)]
pub(in crate::command) struct CompareArgs {
    /// The folder, archive or file to compare with, - for standard input.
    pub before: PathBuf,
    /// The folder that is compared, such as a later one of the same cluster; the same folder without it, with --set.
    pub after: Option<PathBuf>,
    /// What to change first in the folder that is compared.
    #[command(flatten)]
    pub set: SetArgs,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// How to read them.
    #[command(flatten)]
    pub reading: Reading,
}

/// What `agree` takes.
#[derive(Args, Clone, Debug)]
pub(in crate::command) struct AgreeArgs {
    /// A folder, an archive, a file, or - for standard input; the built-in sample without one.
    pub folder: Option<PathBuf>,
    /// A later one of the same cluster, to compare the prediction with.
    pub after: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// How to read them.
    #[command(flatten)]
    pub reading: Reading,
}

/// What `why` takes.
#[derive(Args, Clone, Debug)]
pub(in crate::command) struct WhyArgs {
    /// The job, with or without the server part.
    pub job: String,
    /// The folder and the form.
    #[command(flatten)]
    pub at: FolderArgs,
    /// What to change first.
    #[command(flatten)]
    pub set: SetArgs,
    /// Explain also why this node does not take the job.
    #[arg(long, value_name = "NODE")]
    pub node: Option<String>,
    /// Print Markdown.
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
    /// Answer from the published file instead of a folder, as qwhy does: all words are jobs, none is your own jobs.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    pub published: Option<Option<PathBuf>>,
    /// Leave out what takes longer: what blocks it, when it starts, what would start it now.
    #[arg(long)]
    pub fast: bool,
    /// Do not estimate the start.
    #[arg(long)]
    pub no_estimate: bool,
    /// Do not search for remedies.
    #[arg(long)]
    pub no_remedies: bool,
    /// State the start as a distribution too: the past to draw run times from, as `when --arrivals` takes it (repeatable).
    #[arg(long, value_name = "LOGS", conflicts_with_all = ["fast", "no_estimate"])]
    pub past: Vec<PathBuf>,
    /// Estimate over at most so many cycles; by default the fewer, the larger the cluster.
    #[arg(long, value_name = "N")]
    pub cycles: Option<u32>,
}

/// What `why-node` takes.
#[derive(Args, Clone, Debug)]
pub(in crate::command) struct WhyNodeArgs {
    /// The node.
    pub node: String,
    /// The folder and the form.
    #[command(flatten)]
    pub at: FolderArgs,
    /// What to change first.
    #[command(flatten)]
    pub set: SetArgs,
}

/// What `policies` takes.
#[derive(Args, Clone, Debug)]
pub(in crate::command) struct PoliciesArgs {
    /// The job, with or without the server part.
    pub job: String,
    /// Add what each placement costs: fragmentation, and the jobs behind that lose or delay their start.
    #[arg(long)]
    pub measures: bool,
    /// The folder and the form.
    #[command(flatten)]
    pub at: FolderArgs,
    /// What to change first.
    #[command(flatten)]
    pub set: SetArgs,
}

/// What `capacity` takes.
#[derive(Args, Clone, Debug)]
pub(in crate::command) struct CapacityArgs {
    /// A folder; a list of shapes, in JSON or CSV; a problem of the scaler in JSON; the built-in sample without any. A
    /// shape has cores, memory, disk, wall_time, preemptible and count.
    pub path: Option<PathBuf>,
    /// What to change first in a folder.
    #[command(flatten)]
    pub set: SetArgs,
    /// Run the scaler over the queue in a closed loop and print its state after each cycle in which something changed.
    #[arg(long)]
    pub over_time: bool,
    /// The time between cycles of that loop, one minute without it.
    #[arg(long, value_name = "TIME", value_parser = crate::command::collect::seconds)]
    pub interval: Option<f64>,
    /// How long a node takes from its launch until it takes jobs, two minutes without it.
    #[arg(long, value_name = "TIME", value_parser = crate::command::collect::seconds)]
    pub boot: Option<f64>,
    /// At most so many nodes of a type, by its name in the answer (repeatable).
    #[arg(long, value_name = "TYPE=N")]
    pub max: Vec<String>,
    /// Declare jobs to be services, which run until no other job needs them: name:PATTERN, resource:NAME or
    /// resource:NAME=PATTERN (repeatable).
    #[arg(long, value_name = "CRITERION")]
    pub services: Vec<String>,
    /// Every job should begin by then: 30m, 1h30m, 90, 01:30:00.
    #[arg(long, value_name = "TIME", value_parser = crate::command::collect::seconds)]
    pub target: Option<f64>,
    /// Node types to have instead of the cluster's, in TOML.
    #[arg(long, value_name = "FILE")]
    pub types: Option<PathBuf>,
    /// The scaler's inertia, from 0.0 to 0.9.
    #[arg(long, value_name = "FRACTION")]
    pub beta: Option<f64>,
    /// Leave what runs where it runs, and pack only the queue.
    #[arg(long)]
    pub on_top: bool,
    /// Do as the original does, defects and all.
    #[arg(long)]
    pub compat: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// How to read a folder.
    #[command(flatten)]
    pub reading: Reading,
}
