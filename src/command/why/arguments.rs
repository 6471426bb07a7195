//! The arguments of `why` and `why-node`.

use std::path::PathBuf;

use clap::Args;

use crate::command::arguments::ClusterArgs;

/// The arguments of `why`.
#[derive(Args, Clone, Debug)]
pub(in crate::command) struct WhyArgs {
    /// The job, with or without the server part.
    pub job: String,
    /// The folder, the output form, and what to change first.
    #[command(flatten)]
    pub cluster: ClusterArgs,
    /// Explain also why this node does not take the job.
    #[arg(long, value_name = "NODE")]
    pub node: Option<String>,
    /// Print Markdown.
    #[arg(long, conflicts_with = "json")]
    pub markdown: bool,
    /// Answer from the published file instead of a folder, as qwhy does: all words are jobs; without any, your own
    /// jobs.
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    pub published: Option<Option<PathBuf>>,
    /// Leave out what takes longer: what blocks the job, when it starts, what would start it now.
    #[arg(long)]
    pub fast: bool,
    /// Do not estimate the start.
    #[arg(long)]
    pub no_estimate: bool,
    /// Do not search for remedies.
    #[arg(long)]
    pub no_remedies: bool,
    /// State the start as a distribution too, with run times drawn from this past, as `when --arrivals` takes it
    /// (repeatable).
    #[arg(long, value_name = "LOGS", conflicts_with_all = ["fast", "no_estimate"])]
    pub past: Vec<PathBuf>,
    /// Estimate over at most this many cycles; by default the fewer, the larger the cluster.
    #[arg(long, value_name = "N")]
    pub cycles: Option<u32>,
}

const NODE_EXAMPLE: &str = "Examples:
  qscope why-node n9 FOLDER              why one node takes nothing
  qscope why-node 'n[9-10,14]' FOLDER    the same of three; nodes with the same answer are put together

With --json a node gives an object, and a folded name a list of such objects, one for each node in the order of the name,
also where it stands for one.
Exit code 1: jobs wait that the nodes do not take.";

/// The arguments of `why-node`.
#[derive(Args, Clone, Debug)]
#[command(after_help = NODE_EXAMPLE)]
pub(in crate::command) struct WhyNodeArgs {
    /// The node, or up to 64 nodes by a folded name as answers print it: n[9-10].
    pub node: String,
    /// The folder, the output form, and what to change first.
    #[command(flatten)]
    pub cluster: ClusterArgs,
}
