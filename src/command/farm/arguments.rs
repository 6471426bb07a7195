//! The arguments of `farm`.

use std::path::PathBuf;

use clap::Args;

use crate::command::arguments::Reading;

/// The arguments of `farm`.
#[derive(Args, Clone, Debug)]
pub(in crate::command) struct FarmArgs {
    /// Accounting logs (or the folder that holds them), an SWF trace, rows of `start end queue`, a scenario, settings
    /// for a generated workload, or a folder of dumps.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The policies: relaxed, exclusive, none, plain, mixed, ttl:SECONDS, ttl:inf (comma-separated).
    #[arg(long, value_delimiter = ',', value_name = "POLICY")]
    pub policy: Vec<String>,
    /// Lifetimes of a hold to try, as 300, 1h or inf (comma-separated).
    #[arg(long, value_delimiter = ',', value_name = "TIME")]
    pub ttl: Vec<String>,
    /// How jobs fall into classes: queue, group, user, project, partition, name:PATTERN, resource:NAME. The default
    /// is queue, or the criterion by which the classes of --pack are found.
    #[arg(long, value_name = "CRITERION")]
    pub class: Option<String>,
    /// The classes that pack (comma-separated).
    #[arg(long, value_delimiter = ',', value_name = "CLASS")]
    pub pack: Vec<String>,
    /// A policy for each class, for `--policy mixed`: atlas=exclusive,cms=ttl:3600.
    #[arg(long, value_delimiter = ',', value_name = "CLASS=POLICY")]
    pub mixed: Vec<String>,
    /// The nodes, as 800x8 or 10x64,5x128; by default those the file states.
    #[arg(long, value_name = "COUNTxSLOTS")]
    pub nodes: Option<String>,
    /// The window of all means, as 1d..3d or 50%..100% of the arrivals.
    #[arg(long, value_name = "FROM..TO")]
    pub window: Option<String>,
    /// Which of several scenarios in one file.
    #[arg(long, value_name = "NAME")]
    pub scenario: Option<String>,
    /// Another seed for a generated workload.
    #[arg(long)]
    pub seed: Option<u64>,
    /// Another load for a generated workload.
    #[arg(long)]
    pub load: Option<f64>,
    /// Count a hold's lifetime from the first job of the class on the node; it is not extended by later jobs.
    #[arg(long)]
    pub anchor_first: bool,
    /// Let a job take the fullest of its own nodes, not the least loaded.
    #[arg(long)]
    pub fullest_first: bool,
    /// Let the first job that cannot start block all jobs after it.
    #[arg(long)]
    pub fifo: bool,
    /// Start jobs only at multiples of this time.
    #[arg(long, value_name = "TIME")]
    pub cycle: Option<String>,
    /// Let jobs see the classes on nodes as of the last multiple of this time.
    #[arg(long, value_name = "TIME")]
    pub publish: Option<String>,
    /// Write job tables, series and the summary into this folder.
    #[arg(long, value_name = "DIR")]
    pub csv: Option<PathBuf>,
    /// Write the policies of the classes that pack into a file that `elim` and `esub` read.
    #[arg(long, value_name = "FILE")]
    pub write_policy: Option<PathBuf>,
    /// Open the terminal view: charts, the farm node by node, a slider for lifetimes.
    #[arg(long, conflicts_with_all = ["json", "csv", "mixed", "timing"])]
    pub view: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
    /// Add how long reading and simulating took.
    #[arg(long)]
    pub timing: bool,
    /// How to read a folder of dumps.
    #[command(flatten)]
    pub reading: Reading,
}

impl FarmArgs {
    /// Returns the named policies, then those of the lifetimes.
    pub(super) fn policies(&self) -> Vec<String> {
        self.policy.iter().cloned().chain(self.ttl.iter().map(|ttl| format!("ttl:{ttl}"))).collect()
    }
}
