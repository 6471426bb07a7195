//! The collector: runs the batch system's own clients, one at a time, and keeps a folder of complete dumps.
//!
//! A [`Round`] runs every client with a fixed argument vector and no shell, checks that its output is complete and
//! what was asked for, removes what users typed, and replaces the last good file in one step. If a client fails,
//! hangs, floods, or prints a partial or different dump, the last good file stays. Nothing in the folder names a
//! program.

mod clients;
mod completeness;
mod copy;
mod doubt;
mod filter;
mod kept_attributes;
mod plan;

use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use qscope_system::folder::{CompleteFile, Folder, FolderError, FolderLock};
use qscope_system::program::{self, ProgramError, ProgramLimits};

use completeness::{whole_json, whole_text};
use doubt::JudgedDump;
use filter::{FilteredDump, RequestedDump, filter};
use plan::Client;

pub use clients::made_by;
pub use copy::scheduler_files;
pub use plan::{CollectOptions, programs};

/// Outcome for one file of a round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CollectedFile {
    pub file: String,
    /// Its size in bytes, or why the last good one stays.
    pub result: Result<u64, String>,
    /// Duration of the client or the copy.
    pub took: Duration,
    /// Whether a file of this name exists now, even if it is an older one.
    pub exists: bool,
    /// Number of pieces that could not be parsed and were left out.
    pub unparsed_pieces: usize,
}

impl CollectedFile {
    /// Returns why the file could not be renewed. The fair-share file may be missing without a failure, since not
    /// every user may ask for it.
    pub fn failure(&self) -> Option<&str> {
        let amiss = self.exists || self.file != plan::FAIR_SHARE;
        self.result.as_ref().err().filter(|_| amiss).map(String::as_str)
    }
}

/// A step of a round.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CollectStep<'a> {
    /// The client for this file starts.
    ClientStarted(&'a str),
    /// A client ended, or a file was copied.
    FileCollected(&'a CollectedFile),
}

/// One round of all clients and files.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Round {
    /// The files, in the order they were made.
    pub files: Vec<CollectedFile>,
    /// Total duration.
    pub duration: Duration,
}

/// Collects into a folder.
#[derive(Debug)]
pub struct Collector {
    options: CollectOptions,
    folder: Folder,
    /// The right to write to it, held as long as it is collected into.
    _lock: FolderLock,
    /// Whether subjobs are requested; turned off automatically once that was slow.
    subjobs: bool,
}

/// A round that takes at most this long is put in place all at once at its end, as one generation for readers.
const QUICK: Duration = Duration::from_secs(5);
/// A listing of subjobs that took longer than this is not requested again.
const SLOW_SUBJOBS: Duration = Duration::from_secs(10);
/// The period of a round is at least this multiple of its duration.
const REST: u32 = 10;

impl Collector {
    /// Creates a collector into a folder, which is created (for its owner only) if it does not exist.
    ///
    /// # Errors
    /// If the folder cannot be created or written to, other users own it or can write to it, or another process
    /// collects into it.
    pub fn new(folder: &Path, options: CollectOptions) -> Result<Self, FolderError> {
        let folder = Folder::private(folder)?;
        let lock = folder.lock()?;
        folder.clear().map_err(|why| FolderError { folder: folder.path().to_owned(), why: why.into() })?;
        Ok(Self { subjobs: options.subjobs, options, folder, _lock: lock })
    }

    /// Runs every client once and copies the scheduler's files; `stop` is polled between and during clients.
    pub fn round(&mut self, stop: &dyn Fn() -> bool) -> Round {
        self.round_with(stop, &mut |_| ())
    }

    /// Like [`Self::round`]; `report` receives every step.
    pub fn round_with(&mut self, stop: &dyn Fn() -> bool, report: &mut dyn FnMut(CollectStep<'_>)) -> Round {
        let started = Instant::now();
        let mut files: Vec<CollectedFile> = Vec::new();
        let mut waiting: Vec<(usize, JudgedDump)> = Vec::new();
        let mut counted = None;
        // The folder may have been replaced or opened to others since the last round.
        let folder = Folder::private(self.folder.path());
        for client in plan::clients(self.subjobs) {
            if started.elapsed() > QUICK && !plan::TOGETHER.contains(&client.file) {
                let sure = waiting.extract_if(.., |(_, judged)| judged.is_sure()).collect();
                self.place(sure, counted, &mut files, report);
            }
            if stop() {
                break;
            }
            report(CollectStep::ClientStarted(client.file));
            let collected = match &folder {
                Ok(folder) => {
                    self.folder = folder.clone();
                    self.run(&client, &mut waiting, files.len(), &mut counted, stop)
                }
                Err(refused) => refused_by(&client, refused),
            };
            report(CollectStep::FileCollected(&collected));
            files.push(collected);
        }
        if !stop() && folder.is_ok() {
            self.place(waiting, counted, &mut files, report);
            let copied = copy::copy_all(&self.options, &self.folder);
            copied.iter().for_each(|file| report(CollectStep::FileCollected(file)));
            files.extend(copied);
        }
        Round { files, duration: started.elapsed() }
    }

    /// Runs one client. Its filtered output waits to be put in place.
    fn run(
        &mut self,
        client: &Client,
        waiting: &mut Vec<(usize, JudgedDump)>,
        at: usize,
        counted: &mut Option<u64>,
        stop: &dyn Fn() -> bool,
    ) -> CollectedFile {
        let started = Instant::now();
        let result = run_client(client, &self.options, stop);
        let took = started.elapsed();
        if client.file == plan::SUBJOBS && took > SLOW_SUBJOBS {
            self.subjobs = false;
        }
        let mut unparsed_pieces = 0;
        let result = result.and_then(|filtered| {
            if client.file == plan::SERVER {
                *counted = doubt::counted(&filtered.bytes);
            }
            unparsed_pieces = filtered.unparsed_pieces;
            let ready =
                self.draft(client, &filtered.bytes).map_err(|why| format!("no temporary file: {why}"))?;
            let bytes = ready.bytes();
            let judged =
                JudgedDump::new(client, ready, filtered.records, &self.folder, self.options.max_output);
            waiting.push((at, judged));
            Ok(bytes)
        });
        let exists = result.is_ok() || self.folder.holds(client.file);
        CollectedFile { file: client.file.to_owned(), result, took, exists, unparsed_pieces }
    }

    fn draft(&self, client: &Client, bytes: &[u8]) -> io::Result<CompleteFile> {
        let mut draft = self.folder.draft(client.file)?;
        draft.write_all(bytes)?;
        draft.finish()
    }

    /// Puts waiting files in place, one right after the other, and reports those that are rejected after all.
    fn place(
        &self,
        waiting: Vec<(usize, JudgedDump)>,
        counted: Option<u64>,
        files: &mut [CollectedFile],
        report: &mut dyn FnMut(CollectStep<'_>),
    ) {
        for (at, judged) in waiting {
            let Some(file) = files.get_mut(at) else { continue };
            if let Err(why) = judged.accept(&file.file, counted, &self.folder) {
                file.result = Err(why);
                file.exists = self.folder.holds(&file.file);
                report(CollectStep::FileCollected(file));
            }
        }
    }

    /// Returns how long to rest after a round, so that clients do not burden a slow server.
    pub fn rest(&self, round: &Round) -> Duration {
        let wanted = self.options.interval.saturating_sub(round.duration);
        wanted.max(
            round.duration.saturating_mul(REST).min(Duration::from_secs(3600)).saturating_sub(round.duration),
        )
    }
}

/// Returns the outcome of a file that is not made because the folder is refused.
fn refused_by(client: &Client, refused: &FolderError) -> CollectedFile {
    let result = Err(refused.to_string());
    CollectedFile {
        file: client.file.to_owned(),
        result,
        took: Duration::ZERO,
        exists: true,
        unparsed_pieces: 0,
    }
}

impl Round {
    /// Returns the files that could not be renewed, with the reason.
    pub fn failures(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter_map(|file| Some((file.file.as_str(), file.failure()?)))
    }
}

/// Runs a client and returns its filtered output, ready to replace its file. Until then everything is in memory, so
/// that nothing that must be left out reaches the disk.
///
/// # Errors
/// The reason why the last good file stays.
fn run_client(
    client: &Client,
    options: &CollectOptions,
    stop: &dyn Fn() -> bool,
) -> Result<FilteredDump, String> {
    let path = options.program(client.program)?;
    let limits = ProgramLimits { time: options.limit, output: options.max_output };
    let ended = program::run(&path, client.arguments, Vec::new(), limits, stop);
    let ended = ended.map_err(|why| match why {
        ProgramError::Start(why) => format!("{}: {why}", path.display()),
        why => format!("{} {why}", client.program),
    })?;
    if !ended.status.success() {
        let complaint = String::from_utf8_lossy(&ended.complaint);
        let reported = complaint.lines().next().map(str::trim).unwrap_or_default().escape_debug().to_string();
        let reported = if reported.is_empty() { String::new() } else { format!(": {reported}") };
        return Err(format!("{} ended with {}{reported}", client.program, ended.status));
    }
    match client.dump {
        RequestedDump::Json(_) => whole_json(&ended.output),
        RequestedDump::Text(_) | RequestedDump::Shares => whole_text(&ended.output),
    }
    .and_then(|()| filter(client.dump, &ended.output, &options.extra_attributes))
    .map_err(|why| format!("{} {why}", client.program))
}
