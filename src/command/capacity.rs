//! `qscope capacity`: how many nodes of each kind would start the queue in time.

mod json;
mod over_time;
mod shape_list;
mod text;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use color_eyre::eyre::{Result, WrapErr, eyre};
use serde_json::Value;

use qscope_planning::capacity::{
    CapacityQuestion, CapacityReport, EstimateOptions, Fidelity, ShapeList, TypeSupply, entry, types_file,
};
use qscope_planning::farm::Criterion;

use super::arguments::{OutputArgs, WhatIfArgs, seconds};
use super::plain::{self, NoVerdictsSubject};
use super::{open, output};

/// Maximum size of a file of types or of a problem, in bytes.
const LARGEST: u64 = 256 << 20;

/// Prints the answer.
///
/// # Errors
/// If the input is bad, naming the wrong item, or the output cannot be written.
pub(super) fn run(args: &CapacityArgs) -> Result<u8> {
    match &args.path {
        Some(file) if file.is_file() && !is_archive(file) => problem(file, args).map(|()| 0),
        _ => cluster(args),
    }
}

/// Whether a file holds a whole cluster.
fn is_archive(file: &Path) -> bool {
    let name = file.to_string_lossy();
    [".tar", ".tgz", ".gz", ".zip"].iter().any(|end| name.ends_with(end))
}

/// Answers for a file with a problem, or with a list of shapes.
fn problem(file: &Path, args: &CapacityArgs) -> Result<()> {
    if !args.set.texts().is_empty() {
        return Err(eyre!("--set, --add-nodes and --at change a cluster: they need a folder"));
    }
    let of_clusters = [
        ("--over-time", args.over_time),
        ("--interval", args.interval.is_some()),
        ("--boot", args.boot.is_some()),
        ("--on-top", args.on_top),
        ("--services", !args.services.is_empty()),
        ("--max", !args.max.is_empty()),
    ];
    if let Some((flag, _)) = of_clusters.into_iter().find(|(_, is_given)| *is_given) {
        return Err(eyre!("{flag} is about a cluster: it needs a folder"));
    }
    let text = open::text(file, LARGEST)?;
    let fidelity = fidelity(args);
    let named = || file.display().to_string();
    if let Some(jobs) = ShapeList::read(&text).wrap_err_with(named)? {
        return shape_list::print(&jobs, types(args)?, args, fidelity);
    }
    let mut problem = entry::read_text(&text).wrap_err_with(named)?;
    replace(&mut problem, "target_time", args.target);
    replace(&mut problem, "beta", args.beta);
    let answer = entry::answer(&problem, fidelity).wrap_err_with(named)?;
    if args.form.json { output::print_json(&answer) } else { output::print(&text::problem(&answer)?) }
}

/// Replaces the value of a key in a problem that has the key, if the command line states one.
fn replace(problem: &mut Value, key: &str, value: Option<f64>) {
    let Some(value) = value else { return };
    let holder = if problem.get("config").is_some() { problem.get_mut("config") } else { Some(problem) };
    if let Some(slot) = holder.and_then(|holder| holder.get_mut(key)) {
        *slot = Value::from(value);
    }
}

fn fidelity(args: &CapacityArgs) -> Fidelity {
    if args.compat { Fidelity::Compat } else { Fidelity::Corrected }
}

/// Answers for a folder.
fn cluster(args: &CapacityArgs) -> Result<u8> {
    let mut snap = open::snapshot(args.path.as_slice(), &args.form.reading)?;
    // The order of the queue does not matter here.
    if let Some(code) =
        plain::answer_plain_of_snapshot(&snap, true, args.form.json, NoVerdictsSubject::Queue)?
    {
        return Ok(code);
    }
    let settings = open::setting_words(&args.set.texts(), &snap)?;
    let notes = open::set(&mut snap, &settings)?;
    if !snap.allocation.is_empty() {
        return Err(eyre!(
            "capacity packs jobs onto node shapes by first fit: a node order changes nothing in it"
        ));
    }
    let options =
        EstimateOptions { fidelity: fidelity(args), zero_overhead: true, ..EstimateOptions::default() };
    let options = EstimateOptions {
        target: args.target.unwrap_or(options.target),
        beta: args.beta.unwrap_or(options.beta),
        ..options
    };
    let options = options.checked().map_err(|error| eyre!("{error}"))?;
    let question = CapacityQuestion {
        options,
        on_top: args.on_top,
        types: types(args)?,
        max: args.max.iter().map(|text| most(text)).collect::<Result<_>>()?,
        services: args.services.iter().map(|text| service(text)).collect::<Result<_>>()?,
    };
    let report = CapacityReport::new(Arc::new(snap), &question)?;
    let over_time = over_time::of(&report, args)?;
    let about = output::AnswerContext::as_a_whole(&*report.snap).with_scheduling();
    if args.form.json {
        let mut answer = json::report(&report);
        answer.over_time = over_time.as_ref().map(over_time::to_json);
        output::print_json_about(about, output::WhatIfJson::new(answer, settings))?;
        return Ok(0);
    }
    let mut page = output::what_if_heading(&settings, &notes);
    page.append(&text::report(&report));
    if let Some(outcome) = &over_time {
        page.blank();
        page.append(&over_time::to_text(outcome));
    }
    output::print_about(about, &page)?;
    Ok(0)
}

/// Reads the operator's own node types, if a file of them is named.
fn types(args: &CapacityArgs) -> Result<Option<Vec<TypeSupply>>> {
    let Some(file) = &args.types else { return Ok(None) };
    let text = open::text(file, LARGEST)?;
    Ok(Some(types_file::read(&text).wrap_err_with(|| file.display().to_string())?))
}

/// Parses `TYPE=N`; the name of a type may itself contain `=`.
fn most(text: &str) -> Result<(String, u64)> {
    let (name, count) = text.rsplit_once('=').ok_or_else(|| eyre!("--max {text}: expected TYPE=N"))?;
    let count = count.trim().parse().map_err(|_| eyre!("--max {text}: `{count}` is no number of nodes"))?;
    Ok((name.trim().to_owned(), count))
}

/// Parses a criterion, which has to be one that some jobs do not meet.
fn service(text: &str) -> Result<Criterion> {
    match Criterion::parse(text) {
        Ok(found @ (Criterion::Name(_) | Criterion::Resource(..))) => Ok(found),
        _ => Err(eyre!("--services {text}: expected name:PATTERN, resource:NAME or resource:NAME=PATTERN")),
    }
}

/// The arguments of `capacity`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example: qscope capacity /var/spool/qscope --target 1h")]
pub(super) struct CapacityArgs {
    /// A folder; a list of shapes, in JSON or CSV; or a problem of the scaler in JSON; by default the built-in
    /// sample. A shape has cores, memory, disk, wall_time, preemptible and count.
    pub path: Option<PathBuf>,
    /// What to change first in a folder.
    #[command(flatten)]
    pub set: WhatIfArgs,
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
    pub form: OutputArgs,
}
