//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use super::arguments::{FolderArgs, InputArgs, WhatIfArgs};
use super::display_flags::DisplayFlags;

/// A debugger for the scheduling cycle of PBS-family batch systems. It only reads and never changes the batch system
#[derive(Parser, Debug)]
#[command(name = "qscope", version, after_help = EXAMPLES, args_conflicts_with_subcommands = true,
    disable_help_subcommand = true)]
pub(super) struct Cli {
    /// What to do without a terminal; without a command the console opens.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The folder to watch, or a trace or logs for the packing view; by default the built-in sample.
    pub folder: Option<PathBuf>,
    /// How to read the folder, and the scheduler behaviour to model.
    #[command(flatten)]
    pub reading: InputArgs,
    /// What to change first: the console begins with that what-if, and F leads to the live cycle.
    #[command(flatten)]
    pub set: WhatIfArgs,
    /// How the console is displayed.
    #[command(flatten)]
    pub display: DisplayFlags,
    /// Fill the folder too: run the batch system's clients in the background, as `qscope collect` does.
    #[arg(long, requires = "folder")]
    pub collect: bool,
    /// How the clients are run.
    #[command(flatten)]
    pub how: super::collect::CollectFlags,
    /// Past accounting logs, folders of them, or traces to draw run times from, for starts as distributions in Why
    /// (repeatable).
    #[arg(long, value_name = "LOGS", requires = "folder")]
    pub past: Vec<PathBuf>,
    /// Whether, and how, the followed folder is recorded.
    #[command(flatten)]
    pub record: super::collect::RecordFlags,
}

const EXAMPLES: &str = "Examples:
  qscope                              the console on the built-in sample
  qscope tour                         the same with a line of guidance at each step: ten keys, two minutes
  qscope /var/spool/qscope            the console on a folder of dumps, followed live
  qscope ~/qscope --collect           the same, filled by the console itself every minute
  qscope ~/qscope --record ~/recording              the same folder, and every snapshot of it is kept
  qscope FOLDER --set do_not_span_psets=True        the same with a setting changed, marked as a what-if
  qscope cycle FOLDER --json          the whole cycle, for programs
  qscope cycle FOLDER --set strict_ordering=True    with a setting changed
  qscope why 4711 FOLDER              why a job waits, stage by stage
  qscope capacity FOLDER --target 1h  how many nodes would start the queue in time
  qscope check FOLDER                 what was read, and the problems
  qscope farm accounting/ --class group --pack atlas --policy relaxed,exclusive

Exit codes: 0 done; 1 the answer is no; 2 bad input; 128+n ended by signal n.";

/// The headless commands.
#[derive(Subcommand, Debug)]
pub(super) enum Command {
    /// Run the cycle and print the outcome of every job.
    Cycle(super::cycle::CycleArgs),
    /// Explain why a job waits or runs: causes, nodes lost, stages.
    Why(super::why::WhyArgs),
    /// Show the nodes that a job would get under each of Maui's nine allocation policies.
    Policies(super::policies::PoliciesArgs),
    /// Explain why a node takes nothing, or refuses these jobs.
    WhyNode(super::why::WhyNodeArgs),
    /// Count what keeps the whole queue waiting, cause by cause.
    Board(super::board::BoardArgs),
    /// Print the placement sets, in the order tried, and how the free nodes are distributed in them.
    Pools(super::pools::PoolsArgs),
    /// Print the node buckets, in the order tried: which nodes are free, busy later or busy, and what a job moves.
    Buckets(super::buckets::BucketsArgs),
    /// Compare two folders, or one with itself under other settings: jobs that start, wait, move or get another verdict;
    /// nodes and settings that changed.
    Compare(super::compare::CompareArgs),
    /// Show what the scheduler's known bugs and departures change in this cycle.
    #[command(after_help = "Example: qscope quirks /var/spool/qscope --semantics fixed")]
    Quirks(FolderArgs),
    /// Explain the order of the queue: which key put each job before the next, and what would move one ahead.
    Order(super::order::OrderArgs),
    /// Show the fair share tree: shares, usage against them, jobs, and which entities go first.
    Fairshare(super::fairshare::FairshareArgs),
    /// Try a request out: whether it would be accepted, start now and where, else when and why.
    Try(Box<super::try_request::TryArgs>),
    /// Show the largest requests that start now, and for how long.
    Fits(Box<super::fits::FitsArgs>),
    /// Print what is configured, and which file, variable or flag each value comes from.
    Config(super::config::ConfigArgs),
    /// Check what the program finds here: terminal, colours, locale, configuration, watching, clients, permissions.
    Doctor(super::doctor::DoctorArgs),
    /// Find settings that do not do what they state, where they are set, and what they cost.
    Lint(super::lint::LintArgs),
    /// Compare the model with the scheduler: comments, log, later starts.
    Agree(super::agree::AgreeArgs),
    /// Compute how many nodes of each kind would start the queue in time.
    Capacity(super::capacity::CapacityArgs),
    /// Run the batch system's clients repeatedly, and keep a folder of complete dumps.
    Collect(super::collect::CollectArgs),
    /// Show what was read, from which file, and the problems.
    #[command(after_help = "Example: qscope check /var/spool/qscope")]
    Check(FolderArgs),
    /// Simulate packing policies on a farm: what it costs to concentrate jobs on few nodes.
    Farm(Box<super::farm::FarmArgs>),
    /// Run the cycle over days: jobs arrive and end, and cycles follow one another.
    Simulate(Box<super::simulate::SimulateArgs>),
    /// Estimate when a job starts, as a distribution over many runs of the queue.
    When(Box<super::when::WhenArgs>),
    /// Append a folder to a recording whenever it has changed.
    Record(super::record::RecordArgs),
    /// List the snapshots of a recording, take one out, and compare the model with it day by day.
    Replay(super::replay::ReplayArgs),
    /// Show every reason that a job waited for and how long, from a recording or from logs; summed for users or queues.
    History(super::history::HistoryArgs),
    /// Print how many jobs of each class run on a node, as the node itself would publish it.
    Elim(super::elim::ElimArgs),
    /// Show the class of a job, and what its packing policy requires of a node.
    Esub(super::esub::EsubArgs),
    /// Publish a file with every job's answer for all users, repeatedly.
    Publish(Box<super::publish::PublishArgs>),
    /// Keep a file of metrics for a monitoring system (OpenMetrics, for the node exporter's text collector).
    Metrics(Box<super::metrics::MetricsArgs>),
    /// Print what happens as lines of JSON: jobs that start, causes that change, top jobs that move, alerts.
    Events(Box<super::metrics::EventsArgs>),
    /// Write the whole cycle as one page: alerts, causes, nodes, calendar, every job's decision.
    Report(Box<super::report::ReportArgs>),
    /// Write a cluster into one archive for a bug report, on request anonymised and reduced.
    Bundle(Box<super::bundle::BundleArgs>),
    /// Run a command or ring the bell when a job runs, or when a filter begins to hold.
    Watch(Box<super::watch::WatchArgs>),
    /// Open the console on the built-in sample, with a line of guidance at each of ten keys.
    Tour(TourArgs),
    /// Print a page of the manual, or the help of a command.
    Help(HelpArgs),
    /// Print the completions of a shell.
    Completions(CompletionsArgs),
    /// Write the manual pages of all commands into a folder, or print that of one.
    Man(ManArgs),
}

/// The arguments of `tour`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Example: qscope tour\n\nTen keys, two minutes; the last line names the next one. `qscope help tour` prints the same as a page."
)]
pub(super) struct TourArgs {
    /// How the console is displayed.
    #[command(flatten)]
    pub display: DisplayFlags,
}

/// What to print help on.
#[derive(Args, Debug)]
#[command(after_help = "Example: qscope help what-if")]
pub(super) struct HelpArgs {
    /// A topic of the manual, or a command; without one, the list of topics.
    pub topic: Option<String>,
}

/// The arguments of `completions`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:
  qscope completions bash > /etc/bash_completion.d/qscope
  qscope completions zsh > /usr/share/zsh/site-functions/_qscope
  qscope completions fish > /usr/share/fish/vendor_completions.d/qscope.fish")]
pub(super) struct CompletionsArgs {
    /// bash, zsh or fish.
    #[arg(value_parser = ["bash", "zsh", "fish"], hide_possible_values = true)]
    pub shell: String,
}

/// The arguments of `man`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:
  qscope man /usr/share/man/man1           a page of each command, qscope-why.1 and so on
  qscope man --print why | man -l -        the page of one command")]
pub(super) struct ManArgs {
    /// The folder to write the pages into.
    pub folder: Option<PathBuf>,
    /// Print the page of this command instead, or of qscope itself.
    #[arg(long, value_name = "COMMAND", conflicts_with = "folder")]
    pub print: Option<String>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    /// Returns the arguments of an example line, without the description behind it and what a shell does with it.
    fn arguments(line: &str) -> Vec<String> {
        let line = line.trim().trim_start_matches("Example: ");
        let end = ["  ", " | ", " > ", " >> ", " && "].iter().filter_map(|end| line.find(end)).min();
        let mut words = vec![String::new()];
        let mut is_quoted = false;
        for letter in line[..end.unwrap_or(line.len())].chars() {
            match letter {
                '\'' => is_quoted = !is_quoted,
                ' ' if !is_quoted => words.push(String::new()),
                _ => words.last_mut().unwrap().push(letter),
            }
        }
        words
    }

    #[test]
    fn every_command_has_an_example_that_it_accepts() {
        let mut cli = Cli::command();
        cli.build();
        for command in cli.get_subcommands() {
            let name = command.get_name();
            let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
            let examples: Vec<&str> =
                help.lines().filter(|line| line.contains(&format!("qscope {name} "))).collect();
            assert!(!examples.is_empty() || help.contains(&format!("qscope {name}\n")), "{name}: {help}");
            for line in examples.iter().filter(|line| line.trim().starts_with(['q', 'E'])) {
                let parsed = Cli::try_parse_from(arguments(line));
                assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
            }
        }
    }
}
