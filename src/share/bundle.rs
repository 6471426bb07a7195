//! A cluster in one archive, for a bug report. It is written from the model, so that it holds only what decisions
//! rest on; on request its names are replaced, and the cycle over it is then checked to decide the same.

mod kept;
mod leftover;
mod reduce;

pub use kept::KeptJobs;
pub use reduce::{Reduced, Reduction, reduce};

use std::io::{self, Write};
use std::sync::Arc;

use flate2::{Compression, GzBuilder};

use crate::dump::{self, DumpFile};
use crate::published::tar_file;
use crate::redacted::{NameRole, Names, RedactedReader, redacted};
use crate::same::differences;
use qscope_engine::cluster::{Job, Snapshot, some};
use qscope_engine::cycle::{Run, run_cycle};
use qscope_explain::words;
use qscope_source::{Files, LoadOptions, SourceError, load};

/// Why a bundle was not made.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// The bundle does not decide the same: a report with it would be about something else.
    #[error("the cluster of the bundle decides otherwise in {} places; the first: {first}", .count)]
    Differs { count: usize, first: String },
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
    pub words_too: Vec<String>,
    /// The jobs whose requests cannot be read, one sentence for each kind.
    pub unread: Vec<String>,
}

/// Makes the bundle of a cycle.
///
/// # Errors
/// If it would not decide the same, or a name would remain in it.
pub fn bundle(run: &Run, anonymous: bool) -> Result<Bundle, BundleError> {
    made(run, anonymous, None)
}

/// Makes the bundle of a cycle over a reduced cluster; `kept` compares its other jobs with those of the whole
/// cluster.
///
/// # Errors
/// If it would not decide as the reduced cluster does, or a name would remain in it.
pub fn bundle_reduced(run: &Run, anonymous: bool, kept: &KeptJobs) -> Result<Bundle, BundleError> {
    made(run, anonymous, Some(kept))
}

fn made(run: &Run, anonymous: bool, kept: Option<&KeptJobs>) -> Result<Bundle, BundleError> {
    let snap = &run.plan.snap;
    let (other, names) = if anonymous {
        redacted(snap, RedactedReader::Strangers, "bundle")
    } else {
        redacted(snap, RedactedReader::Colleagues, "bundle")
    };
    let mut files = dump::files(&other);
    let again = Arc::new(read_back(&files)?);
    let found = differences(run, &run_cycle(again.clone(), run.plan.quirks), &names);
    if let Some(first) = found.first() {
        return Err(BundleError::Differs { count: found.len(), first: first.clone() });
    }
    let words_too = if anonymous { check(&files, &names, &again)? } else { Vec::new() };
    let replaced = names.replaced().count();
    files.push(("README", readme(run, anonymous.then_some(replaced), kept).into_bytes()));
    Ok(Bundle { files, replaced, words_too, unread: unread(snap, &other) })
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
        (!jobs.is_empty()).then(|| format!("the {part} of {} cannot be read{then}", some(jobs, 5)))
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
fn check(files: &[DumpFile], names: &Names, again: &Snapshot) -> Result<Vec<String>, BundleError> {
    let found = leftover::find(files, names, again);
    if found.remain.is_empty() {
        return Ok(found.words_too);
    }
    let remain = found.remain.into_iter();
    let remain = remain.map(|(role, name, file)| format!("{} `{name}` in {file}", word(role)));
    Err(BundleError::Remains(some(&remain.collect::<Vec<_>>(), 5)))
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

/// Returns the text that the archive states about itself: how many names were replaced, and in which respects its
/// cycle is that of the original.
fn readme(run: &Run, replaced: Option<usize>, kept: Option<&KeptJobs>) -> String {
    let snap = &run.plan.snap;
    let names = replaced.map_or_else(String::new, |replaced| {
        format!(
            "{replaced} names were replaced, the same name by the same everywhere; the order of names is kept.\n"
        )
    });
    let compared = match kept {
        None => "The cycle over it was compared with the cycle over the original: the same jobs start,\n\
                 wait and are planned, on the same vnodes, for the same reasons.\n"
            .to_owned(),
        // No ids are stated, since they may have been replaced.
        Some(kept) => format!(
            "It is a part of a larger cluster, made as small as one job allows: that job has the verdict, cause and\n\
             numbers that it has there. Other jobs that are left: {}, decided otherwise than there: {}.\n",
            kept.count(),
            kept.otherwise.len(),
        ),
    };
    format!(
        "A cluster of {} and {}, written by qscope {}.\n{names}\
         It holds what the scheduler's decisions rest on: no environments, command lines or paths of jobs, no comments\n\
         but the scheduler's own.\n{compared}\
         Open it with: qscope FILE, or qscope why JOB FILE.\n",
        words::count(snap.nodes.len(), "vnode"),
        words::count(snap.jobs.len(), "job"),
        env!("CARGO_PKG_VERSION"),
    )
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
