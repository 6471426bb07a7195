//! `qscope bundle FOLDER -o case.tar.gz`: writes a cluster into one archive for a bug report, anonymised and reduced
//! on request.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use color_eyre::eyre::Result;

use qscope_engine::cluster::{first_names, short_id};
use qscope_engine::cycle::run_cycle;
use qscope_exits::{Archive, Lines};
use qscope_explain::words::count;
use qscope_share::bundle::{ReductionComparison, ReductionEffort, archive, bundle, bundle_reduced, reduce};
use qscope_share::published::place;

use super::arguments::{InputArgs, WhatIfArgs};
use super::{open, output};

/// The arguments of `bundle`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Examples:
  qscope bundle FOLDER -o case.tar.gz --anonymize                  for a report to strangers
  qscope bundle FOLDER -o case.tar.gz --anonymize --reduce 4711    as small as job 4711 allows
The bundle is read back before it is written: its cycle decides as the original's, or with --reduce, the job as there.
What it cannot hold is named; one made with --semantics or --quirk is opened with the same options.")]
pub(super) struct BundleArgs {
    /// A folder, an archive, files of any names, or - for standard input; by default the built-in sample.
    #[arg(value_name = "FOLDER")]
    pub paths: Vec<PathBuf>,
    /// The archive to write, readable by you only.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Replace the names of users, groups, projects, jobs, hosts, queues, servers and values, each consistently and
    /// keeping their order.
    #[arg(long)]
    pub anonymize: bool,
    /// Remove vnodes, jobs and settings as long as this job's verdict, cause and the numbers compared stay; other jobs
    /// may be decided differently.
    #[arg(long, value_name = "JOB")]
    pub reduce: Option<String>,
    /// What to change first.
    #[command(flatten)]
    pub set: WhatIfArgs,
    /// How to read the input.
    #[command(flatten)]
    pub reading: InputArgs,
}

/// Writes the archive.
///
/// # Errors
/// If the input is bad, the bundle would decide differently or name what it must not, or the file cannot be written.
pub(super) fn run(args: &BundleArgs) -> Result<u8> {
    output::named_file(&args.output, "case.tar.gz")?;
    let generation = open::with_verdicts(open::changed_generation(&args.paths, &args.reading, &args.set)?)?;
    let mut text = Lines::new();
    let (bundle, sentence) = match &args.reduce {
        None => (bundle(&generation.run, args.anonymize)?, "the cycle over it decides the same".to_owned()),
        Some(job) => {
            let job = open::job(&generation, job)?;
            let found = reduce(&generation.run, job, ReductionEffort::of(&generation.snapshot));
            let [before, after] = [&generation.snapshot, &found.snapshot].map(|snap| {
                format!("{} and {}", count(snap.nodes.len(), "vnode"), count(snap.jobs.len(), "job"))
            });
            text.line(format_args!("reduced from {before} to {after} in {}", count(found.trials, "cycle")));
            if !found.is_minimal {
                text.line("more could be taken away: the bound on cycles ended the search");
            }
            let run = Arc::new(run_cycle(found.snapshot, generation.run.plan.quirks));
            let name = &generation.snapshot.jobs[job].name;
            let kept = ReductionComparison::of(&generation.run, &run, name).with_headline(
                &generation.run,
                &run,
                name,
            );
            (bundle_reduced(&run, args.anonymize, &kept)?, comparison_text(short_id(name), &kept))
        }
    };
    let bytes = Archive(archive(&bundle.files, generation.snapshot.now.0)?);
    place(&args.output, &bytes, false)?;
    if args.anonymize {
        text.line(format_args!("{} replaced", count(bundle.replaced, "name")));
    }
    for word in &bundle.batch_words {
        text.line(format_args!("note: `{word}` is a word of the batch system too, and stands there as such"));
    }
    for sentence in &bundle.unreadable_jobs {
        text.line(format_args!("note: {sentence}"));
    }
    for sentence in &bundle.cut_dumps {
        text.line(format_args!("warning: {sentence}; the bundle is marked as incomplete"));
    }
    for sentence in &bundle.not_included {
        text.line(format_args!("note: not in the bundle: {sentence}"));
    }
    if !bundle.options.is_empty() {
        text.line(format_args!(
            "note: open it with {}, as it was made; its README names the command",
            bundle.options
        ));
    }
    text.line(format_args!(
        "{}, {} bytes in {}; {sentence}",
        count(bundle.files.len(), "file"),
        bytes.0.len(),
        args.output.display()
    ));
    output::print(&text)?;
    Ok(0)
}

/// Maximum number of differently decided jobs that are named.
const NAMED: usize = 5;

/// Describes what the cycle over a reduced cluster has in common with the cycle over the whole one.
fn comparison_text(job: &str, comparison: &ReductionComparison) -> String {
    let own = match &comparison.headline {
        None => format!("{job} has the verdict, cause and numbers that it had"),
        Some([was, is]) => {
            format!("{job} has the verdict and cause that it had, now as “{is}” instead of “{was}”")
        }
    };
    match (comparison.count(), comparison.differing_jobs.len()) {
        (0, _) => format!("{own}, and no other job is left"),
        (others, 0) => format!("{own}; {} decided as before", count_with_verb(others, "other job")),
        (others, otherwise) => {
            let of = count(others, "other job");
            let are = if otherwise == 1 { "is" } else { "are" };
            format!(
                "{own}; of {of} {otherwise} {are} decided otherwise ({})",
                first_names(&comparison.differing_jobs, NAMED)
            )
        }
    }
}

/// `1 other job is`, `3 other jobs are`.
fn count_with_verb(number: usize, what: &str) -> String {
    format!("{} {}", count(number, what), if number == 1 { "is" } else { "are" })
}
