//! The arguments of `capacity`.

use std::path::PathBuf;

use clap::Args;

use crate::command::arguments::{OutputForm, SetArgs};
use crate::command::lengths::seconds;

/// The arguments of `capacity`.
#[derive(Args, Clone, Debug)]
pub(in crate::command) struct CapacityArgs {
    /// A folder; a list of shapes, in JSON or CSV; or a problem of the scaler in JSON; by default the built-in
    /// sample. A shape has cores, memory, disk, wall_time, preemptible and count.
    pub path: Option<PathBuf>,
    /// What to change first in a folder.
    #[command(flatten)]
    pub set: SetArgs,
    /// Run the scaler over the queue in a closed loop and print its state after each cycle in which something changed.
    #[arg(long)]
    pub over_time: bool,
    /// The time between cycles of that loop; by default one minute.
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub interval: Option<f64>,
    /// How long a node takes from its launch until it accepts jobs; by default two minutes.
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub boot: Option<f64>,
    /// At most this many nodes of a type, by its name in the answer (repeatable).
    #[arg(long, value_name = "TYPE=N")]
    pub max: Vec<String>,
    /// Declare jobs to be services, which run until no other job needs them: name:PATTERN, resource:NAME or
    /// resource:NAME=PATTERN (repeatable).
    #[arg(long, value_name = "CRITERION")]
    pub services: Vec<String>,
    /// The time within which every job should begin: 30m, 1h30m, 90, 01:30:00.
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub target: Option<f64>,
    /// Node types to use instead of the cluster's, in TOML.
    #[arg(long, value_name = "FILE")]
    pub types: Option<PathBuf>,
    /// The scaler's inertia, from 0.0 to 0.9.
    #[arg(long, value_name = "FRACTION")]
    pub beta: Option<f64>,
    /// Leave running jobs where they are, and pack only the queue.
    #[arg(long)]
    pub on_top: bool,
    /// Reproduce the original scaler, defects included.
    #[arg(long)]
    pub compat: bool,
    /// The output form, and how to read the input.
    #[command(flatten)]
    pub form: OutputForm,
}
