//! What `capacity` takes.

use std::path::PathBuf;

use clap::Args;

use crate::command::arguments::{OutputForm, SetArgs};
use crate::command::lengths::seconds;

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
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub interval: Option<f64>,
    /// How long a node takes from its launch until it takes jobs, two minutes without it.
    #[arg(long, value_name = "TIME", value_parser = seconds)]
    pub boot: Option<f64>,
    /// At most so many nodes of a type, by its name in the answer (repeatable).
    #[arg(long, value_name = "TYPE=N")]
    pub max: Vec<String>,
    /// Declare jobs to be services, which run until no other job needs them: name:PATTERN, resource:NAME or
    /// resource:NAME=PATTERN (repeatable).
    #[arg(long, value_name = "CRITERION")]
    pub services: Vec<String>,
    /// Every job should begin by then: 30m, 1h30m, 90, 01:30:00.
    #[arg(long, value_name = "TIME", value_parser = seconds)]
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
    /// The form of the answer, and how to read it.
    #[command(flatten)]
    pub form: OutputForm,
}
