//! `qscope check`: what was read, from which files, and what the answers rest on: a page for a ticket.

mod facts;
mod meaning;
mod page;
mod report;

use color_eyre::eyre::Result;

use qscope_engine::cluster::Severity;

use super::arguments::FolderArgs;
use super::{open, output};

/// Prints what was read; the exit code is 1 ("no") if something was not.
///
/// # Errors
/// If the input is bad, or the output cannot be written.
pub(super) fn run(args: &FolderArgs) -> Result<u8> {
    let generation = open::generation(&args.paths, &args.form.reading)?;
    let facts = facts::CheckFacts::of(&generation);
    if args.form.json {
        output::print_json_about(&generation, report::CheckJson::of(&generation, &facts))?;
    } else {
        output::print(&page::text(&generation, &facts, output::takes_styles()))?;
    }
    Ok(u8::from(generation.snapshot.diagnostics.iter().any(|reported| reported.severity == Severity::Error)))
}
