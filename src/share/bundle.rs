//! A cluster in one archive, for a bug report. It is written from the model, so that it holds only what decisions
//! rest on; on request its names are replaced, and the cycle over it is then checked to decide the same.

mod comparison;
mod policies;
mod readme;
mod reduce;
mod remaining_names;

pub use comparison::ReductionComparison;
pub use reduce::{ReducedCluster, ReductionEffort, reduce};

use readme::{BundleFacts, readme};

use std::io::{self, Write};
use std::sync::Arc;

use flate2::{Compression, GzBuilder};

use crate::dump::{self, DumpFile};
use crate::equivalence::differences;
use crate::published::tar_file;
use crate::redacted::{NameReplacements, NameRole, RedactionAudience, redacted};
use qscope_engine::cluster::{Job, Name, Snapshot, SnapshotFact, first_names};
use qscope_engine::cycle::{Run, run_cycle};
use qscope_explain::words;
use qscope_source::{Files, LoadOptions, SourceError, load};

/// Why a bundle was not made.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// The bundle does not decide the same: a report with it would be about something else.
    #[error("no bundle was written, since its cycle would differ in {}; the first: {first}", words::count(*.count, "place"))]
    Differs { count: usize, first: String },
    /// No file states what chooses the nodes instead of the scheduler.
    #[error(
        "a bundle cannot hold an allocation policy in place of node_sort_key: leave out --policy and --set ….policy, and \
         give them again when the bundle is opened"
    )]
    Policy,
    /// A name that had to be replaced is still in it.
    #[error("names would remain in the bundle: {0}")]
    Remains(String),
    #[error("the bundle cannot be read back: {0}")]
    Unreadable(#[from] SourceError),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// What a bundle holds.
#[derive(Debug)]
pub struct Bundle {
    /// The files, without the archive around them.
    pub files: Vec<DumpFile>,
    pub replaced: usize,
    /// Replaced names that are also words of the batch system, and still occur in the files as such.
    pub batch_words: Vec<String>,
    /// The jobs whose requests cannot be read, one sentence for each kind.
    pub unreadable_jobs: Vec<String>,
    /// What the bundle does not hold although other commands read it, one sentence for each kind.
    pub not_included: Vec<String>,
    /// What is missing because a dump was cut, one sentence for each dump.
    pub cut_dumps: Vec<String>,
    /// The options with which the bundle is opened so that it decides the same; empty for the usual behaviour.
    pub options: String,
}

/// Makes the bundle of a cycle.
///
/// # Errors
/// If it would not decide the same, or a name would remain in it.
pub fn bundle(run: &Run, anonymous: bool) -> Result<Bundle, BundleError> {
    build_bundle(run, anonymous, None)
}

/// Makes the bundle of a cycle over a reduced cluster; `comparison` compares its other jobs with those of the whole
/// cluster.
///
/// # Errors
/// If it would not decide as the reduced cluster does, or a name would remain in it.
pub fn bundle_reduced(run: &Run, anonymous: bool, kept: &ReductionComparison) -> Result<Bundle, BundleError> {
    build_bundle(run, anonymous, Some(kept))
}

fn build_bundle(
    run: &Run,
    anonymous: bool,
    comparison: Option<&ReductionComparison>,
) -> Result<Bundle, BundleError> {
    if !run.plan.snap.allocation.is_empty() {
        return Err(BundleError::Policy);
    }
    let unended = without_ended(run)?;
    let run = unended.as_ref().unwrap_or(run);
    let snap = &run.plan.snap;
    let (mut other, names) = if anonymous {
        redacted(snap, RedactionAudience::Public, "bundle")
    } else {
        redacted(snap, RedactionAudience::Colleagues, "bundle")
    };
    let not_included = policies::carry_over(snap, &mut other, anonymous);
    let options = run.plan.quirks.options();
    other.made_with = options.as_str().into();
    let mut files = dump::files(&other);
    let cut_dumps = reapply_cuts(snap, &mut files);
    let again = Arc::new(read_back(&files)?);
    let found = differences(run, &run_cycle(again.clone(), run.plan.quirks), &names);
    if let Some(first) = found.first() {
        return Err(BundleError::Differs { count: found.len(), first: first.clone() });
    }
    let batch_words = if anonymous { check(&files, &names, &again)? } else { Vec::new() };
    let replaced = names.replaced().count();
    let facts = BundleFacts {
        replaced: anonymous.then_some(replaced),
        comparison,
        not_included: &not_included,
        cut_dumps: &cut_dumps,
        options: &options,
    };
    files.push(("README", readme(run, &facts).into_bytes()));
    Ok(Bundle {
        files,
        replaced,
        batch_words,
        unreadable_jobs: unread(snap, &other),
        not_included,
        cut_dumps,
        options,
    })
}

/// Returns the cycle without jobs that have ended, which readers of dumps leave out; `None` if there are none.
///
/// # Errors
/// If another job is decided differently without them.
fn without_ended(run: &Run) -> Result<Option<Run>, BundleError> {
    let snap = &run.plan.snap;
    if snap.jobs.iter().all(|job| !job.state.is_over()) {
        return Ok(None);
    }
    let smaller = reduce::removal::jobs(snap, &|job| !job.state.is_over());
    let unended = run_cycle(Arc::new(smaller), run.plan.quirks);
    let compared = ReductionComparison::of(run, &unended, &Name::default());
    match compared.differing_jobs.first() {
        None => Ok(Some(unended)),
        Some(first) => {
            Err(BundleError::Differs { count: compared.differing_jobs.len(), first: first.clone() })
        }
    }
}

/// Cuts the dumps that were cut in the original, so that verdicts over the bundle are as uncertain as over it.
/// Returns what is missing.
fn reapply_cuts(snap: &Snapshot, files: &mut [DumpFile]) -> Vec<String> {
    const LISTS: [(SnapshotFact, &str, &str); 2] =
        [(SnapshotFact::AllNodes, "nodes.json", "vnodes"), (SnapshotFact::AllJobs, "jobs.json", "jobs")];
    if snap.truncation_findings().next().is_none() {
        return Vec::new();
    }
    let mut missing = Vec::new();
    for (fact, name, what) in LISTS {
        let file = files.iter_mut().find(|(file, _)| *file == name && !snap.origins.of(fact).is_seen());
        let Some((_, bytes)) = file else { continue };
        bytes.truncate(bytes.len().saturating_sub(dump::END.len()));
        missing.push(format!("the dump of {what} ended too soon, so that {what} may be missing"));
    }
    if missing.is_empty() {
        missing.push("a dump of something other than vnodes and jobs ended too soon".to_owned());
    }
    missing
}

/// Returns which jobs have a select or a place that cannot be read, and what replaces it in the bundle.
fn unread(snap: &Snapshot, bundled: &Snapshot) -> Vec<String> {
    let jobs = |is_wanted: &dyn Fn(&Job, &Job) -> bool| -> Vec<String> {
        let both = snap.jobs.iter().zip(bundled.jobs.iter());
        both.filter(|(job, other)| is_wanted(job, other))
            .map(|(job, _)| job.short_name().to_owned())
            .collect()
    };
    let lacks_select = |job: &Job| job.select.is_none();
    let as_it_is = jobs(&|job, other| lacks_select(job) && other.asked.is_some());
    let replaced = jobs(&|job, other| lacks_select(job) && other.asked.is_none());
    let place = jobs(&|job, _| job.place.is_none());
    let sentence = |part: &str, jobs: &[String], then: &str| {
        (!jobs.is_empty()).then(|| format!("the {part} of {} cannot be read{then}", first_names(jobs, 5)))
    };
    let another = "; another one that cannot be read stands for it";
    let all = [
        sentence("select", &as_it_is, ", and stands there as it is"),
        sentence("select", &replaced, another),
        sentence("place", &place, another),
    ];
    all.into_iter().flatten().collect()
}

/// Reads the cluster that files make up.
pub fn read_back(files: &[DumpFile]) -> Result<Snapshot, SourceError> {
    let mut all = Files::new("bundle");
    for (name, bytes) in files {
        all.insert(name, bytes.clone(), None);
    }
    load(&all, &LoadOptions::default())
}

/// Searches every file for every name that was replaced. Returns names that are also words of the batch system.
fn check(files: &[DumpFile], names: &NameReplacements, again: &Snapshot) -> Result<Vec<String>, BundleError> {
    let found = remaining_names::find(files, names, again);
    if found.remain.is_empty() {
        return Ok(found.batch_words);
    }
    let remain = found.remain.into_iter();
    let remain = remain.map(|(role, name, file)| format!("{} `{name}` in {file}", word(role)));
    Err(BundleError::Remains(first_names(&remain.collect::<Vec<_>>(), 5)))
}

fn word(role: NameRole) -> &'static str {
    match role {
        NameRole::Share => "fair-share entity",
        NameRole::Host => "host",
        NameRole::Partition => "partition",
        NameRole::Scheduler => "scheduler",
        NameRole::Id => "id",
        NameRole::Title => "job name",
        plain => plain.into(),
    }
}

/// Makes the archive of files: the same files give the same bytes.
///
/// # Errors
/// Only if memory runs out.
pub fn archive(files: &[DumpFile], modified: i64) -> io::Result<Vec<u8>> {
    let mut out = GzBuilder::new().mtime(0).write(Vec::new(), Compression::default());
    for (name, bytes) in files {
        out.write_all(&tar_file(&format!("case/{name}"), bytes, modified)?)?;
    }
    out.write_all(&[0; 1024])?;
    out.finish()
}
