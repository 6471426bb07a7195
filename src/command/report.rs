//! `qscope report FOLDER -o cycle.html`: writes the whole cycle as one page, in HTML or Markdown.

use std::path::{Path, PathBuf};

use clap::Args;
use color_eyre::eyre::{Result, eyre};

use qscope_exits::Exit;
use qscope_explain::board;
use qscope_share::published::place;
use qscope_share::report::{Report, html, markdown};

use super::arguments::{InputArgs, WhatIfArgs};
use super::{open, output};

/// The arguments of `report`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:
  qscope report FOLDER -o cycle.html       a page for a browser or a printer: no network, no script
  qscope report FOLDER -o cycle.md         the same in Markdown, for a ticket
Each job has a place of its own on the page: cycle.html#job-12.")]
pub(super) struct ReportArgs {
    /// A folder, an archive, files of any names, or - for standard input; by default the built-in sample.
    #[arg(value_name = "FOLDER")]
    pub paths: Vec<PathBuf>,
    /// The file to write, readable by you only; Markdown if its name ends with .md.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Write Markdown, whatever the name.
    #[arg(long)]
    pub markdown: bool,
    /// What to change first.
    #[command(flatten)]
    pub set: WhatIfArgs,
    /// How to read the input.
    #[command(flatten)]
    pub reading: InputArgs,
}

/// Writes the page.
pub(super) fn run(args: &ReportArgs) -> Result<u8> {
    output::named_file(&args.output, "cycle.html")?;
    let as_markdown = is_markdown(args)?;
    let generation = open::with_verdicts(open::changed_generation(&args.paths, &args.reading, &args.set)?)?;
    let what_if = generation.what_if.as_deref();
    let heading = what_if.map(|what_if| output::what_if_heading(&what_if.settings, &what_if.notes));
    let lines = heading.iter().flat_map(|heading| heading.as_str().lines());
    let lines = lines.filter(|line| !line.is_empty()).map(str::to_owned);
    let report =
        Report::new(&generation.run, &generation.alerts, &board(&generation.run)).with_what_if(lines);
    if as_markdown { write(&args.output, &markdown(&report)) } else { write(&args.output, &html(&report)) }
}

/// Returns whether Markdown is written, by the option or the name of the file.
///
/// # Errors
/// If the name has the ending of another kind of file.
fn is_markdown(args: &ReportArgs) -> Result<bool> {
    let end = args.output.extension().map(|end| end.to_string_lossy().to_lowercase()).unwrap_or_default();
    match &*end {
        _ if args.markdown => Ok(true),
        "md" | "markdown" => Ok(true),
        "html" | "htm" | "xhtml" | "" => Ok(false),
        _ => Err(eyre!("{}: expected a name that ends with .html or .md", args.output.display())),
    }
}

fn write(to: &Path, page: &impl Exit) -> Result<u8> {
    place(to, page, false)?;
    output::print_line(format_args!("{} bytes in {}", page.bytes().len(), to.display()))?;
    Ok(0)
}
