//! `qscope bundle FOLDER -o case.tar.gz`: a cluster in one archive for a bug report, anonymous and small if asked for.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use color_eyre::eyre::Result;

use qscope_engine::cycle::{Run, run_cycle};
use qscope_exits::{Archive, Lines};
use qscope_explain::words::count;
use qscope_share::bundle::{Reduction, archive, bundle, reduce};
use qscope_share::published::place;

use super::arguments::{Reading, SetArgs};
use super::{open, output};

/// What `bundle` takes.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:
  qscope bundle FOLDER -o case.tar.gz --anonymize                  for a report to strangers
  qscope bundle FOLDER -o case.tar.gz --anonymize --reduce 4711    as small as job 4711 allows
The bundle is read back and its cycle compared with the original's before it is written.")]
pub(super) struct BundleArgs {
    /// A folder, an archive, files of any names, or - for standard input; the built-in sample without any.
    #[arg(value_name = "FOLDER")]
    pub paths: Vec<PathBuf>,
    /// The archive to write, readable by you only.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Replace the names of users, groups, projects, jobs, hosts, queues, servers and values by others, the same by the
    /// same, in their order.
    #[arg(long)]
    pub anonymize: bool,
    /// Take away vnodes, jobs and settings as long as this job's verdict, cause and numbers stay.
    #[arg(long, value_name = "JOB")]
    pub reduce: Option<String>,
    /// What to change first.
    #[command(flatten)]
    pub set: SetArgs,
    /// How to read it.
    #[command(flatten)]
    pub reading: Reading,
}

/// Writes the archive.
///
/// # Errors
/// Bad input, a bundle that would decide otherwise or name what it must not, or a file that cannot be written.
pub(super) fn run(args: &BundleArgs) -> Result<u8> {
    let generation = open::with_verdicts(open::changed(&args.paths, &args.reading, &args.set)?)?;
    let mut text = Lines::new();
    let run: Arc<Run> = match &args.reduce {
        None => Arc::clone(&generation.run),
        Some(job) => {
            let job = open::job(&generation, job)?;
            let found = reduce(&generation.run, job, Reduction::of(&generation.snapshot));
            let [before, after] = [&generation.snapshot, &found.snapshot].map(|snap| {
                format!("{} and {}", count(snap.nodes.len(), "vnode"), count(snap.jobs.len(), "job"))
            });
            text.line(format_args!("reduced from {before} to {after} in {}", count(found.trials, "cycle")));
            if !found.is_least {
                text.line("more could be taken away: the bound on cycles ended the search");
            }
            Arc::new(run_cycle(found.snapshot, generation.run.plan.quirks))
        }
    };
    let bundle = bundle(&run, args.anonymize)?;
    let bytes = Archive(archive(&bundle.files, run.plan.snap.now.0)?);
    place(&args.output, &bytes, false)?;
    if args.anonymize {
        text.line(format_args!("{} replaced", count(bundle.replaced, "name")));
    }
    for word in &bundle.words_too {
        text.line(format_args!("note: `{word}` is a word of the batch system too, and stands there as such"));
    }
    text.line(format_args!(
        "{}, {} bytes in {}; the cycle over it decides the same",
        count(bundle.files.len(), "file"),
        bytes.0.len(),
        args.output.display()
    ));
    output::print(&text)?;
    Ok(0)
}
