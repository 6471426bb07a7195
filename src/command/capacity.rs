//! `qscope capacity`: how many nodes of which kind would start a queue in time.

mod json;
mod text;

use std::path::Path;
use std::sync::Arc;

use color_eyre::eyre::{Result, WrapErr, eyre};
use serde_json::Value;

use qscope_planning::capacity::entry;
use qscope_planning::capacity::estimate::{Fidelity, Options};
use qscope_planning::capacity::question::Question;
use qscope_planning::capacity::report::Report;
use qscope_planning::capacity::types_file;
use qscope_system::input::{self, Most};

use super::cli::CapacityArgs;
use super::{open, output};

/// The largest file of types or of a problem, in bytes.
const LARGEST: u64 = 256 << 20;

/// Prints the answer.
///
/// # Errors
/// Bad input, with the item that is wrong; or an output that cannot be written.
pub(super) fn run(args: &CapacityArgs) -> Result<u8> {
    match &args.path {
        Some(file) if file.is_file() => problem(file, args)?,
        _ => cluster(args)?,
    }
    Ok(0)
}

/// A file with a problem.
fn problem(file: &Path, args: &CapacityArgs) -> Result<()> {
    let text = read(file)?;
    let fidelity = fidelity(args);
    let named = || file.display().to_string();
    let mut problem = entry::read_text(&text).wrap_err_with(named)?;
    replace(&mut problem, "target_time", args.target);
    replace(&mut problem, "beta", args.beta);
    let answer = entry::answer(&problem, fidelity).wrap_err_with(named)?;
    if args.json {
        return output::print_json(&answer);
    }
    output::print(&text::problem(&answer)?)
}

/// Puts an option of the command line into a problem that has it.
fn replace(problem: &mut Value, key: &str, value: Option<f64>) {
    let Some(value) = value else { return };
    let holder = if problem.get("config").is_some() { problem.get_mut("config") } else { Some(problem) };
    if let Some(slot) = holder.and_then(|holder| holder.get_mut(key)) {
        *slot = serde_json::json!(value);
    }
}

fn read(file: &Path) -> Result<String> {
    let most = Most { limit: "file-size", bytes: LARGEST };
    input::read_text(file, most).wrap_err_with(|| file.display().to_string())
}

fn fidelity(args: &CapacityArgs) -> Fidelity {
    if args.compat { Fidelity::Compat } else { Fidelity::Corrected }
}

/// A folder.
fn cluster(args: &CapacityArgs) -> Result<()> {
    let snap = open::snapshot(args.path.as_slice(), &args.reading)?;
    let options = Options { fidelity: fidelity(args), zero_overhead: true, ..Options::default() };
    let options = Options {
        target: args.target.unwrap_or(options.target),
        beta: args.beta.unwrap_or(options.beta),
        ..options
    };
    let options = options.checked().map_err(|error| eyre!("{error}"))?;
    let types = match &args.types {
        Some(file) => {
            let text = read(file)?;
            Some(types_file::read(&text).wrap_err_with(|| file.display().to_string())?)
        }
        None => None,
    };
    let report = Report::new(Arc::new(snap), &Question { options, on_top: args.on_top, types })?;
    if args.json {
        return output::print_json_about(output::About::as_a_whole(&*report.snap), json::report(&report));
    }
    output::print_about(output::About::as_a_whole(&*report.snap), &text::report(&report))
}
