//! The collector: runs the batch system's own clients, one at a time, and keeps a folder of whole dumps.
//!
//! A [`Round`] runs every client with a fixed argument vector and no shell, checks that what it printed is
//! whole and what was asked for, leaves out what people typed into it, and puts it in the place of the last good file in
//! one step. A client that fails, hangs, floods, prints half or something else leaves the last good file where it is.
//! Nothing in the folder names a program.

mod client;
mod copy;
mod doubt;
mod filter;
mod keep;
mod plan;
mod whole;

use std::io::{self, Write};
use std::path::Path;
use std::time::{Duration, Instant};

pub use copy::scheduler_files;
pub use plan::{CollectOptions, programs};

use doubt::Judged;
use plan::Client;

use qscope_system::folder::{Folder, FolderError, Ready};

/// What became of one file of a round.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Collected {
    /// The file's name in the folder.
    pub file: String,
    /// How many bytes it has now, or why the last good one stays.
    pub result: Result<u64, String>,
    /// How long it took.
    pub took: Duration,
    /// Whether there is a file of this name now, be it an older one.
    pub stands: bool,
    /// How many pieces of it could not be understood and were left out.
    pub odd: usize,
}

impl Collected {
    /// Why the file could not be renewed; nothing is amiss where it never was there and not every user may ask for it.
    pub fn failure(&self) -> Option<&str> {
        let amiss = self.stands || self.file != plan::FAIR_SHARE;
        self.result.as_ref().err().filter(|_| amiss).map(String::as_str)
    }
}

/// What a round is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step<'a> {
    /// The client that fills this file runs.
    Begins(&'a str),
    /// A client ended, or a file was copied.
    Ended(&'a Collected),
}

/// One round over all clients and files.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Round {
    /// File by file, in the order made.
    pub files: Vec<Collected>,
    /// How long all of it took.
    pub took: Duration,
}

/// Collects into one folder.
#[derive(Debug)]
pub struct Collector {
    options: CollectOptions,
    folder: Folder,
    /// Whether subjobs are asked for; off by itself once that was slow.
    subjobs: bool,
}

/// A round that takes no longer than this is put in place at its end, all at once: one generation for whoever follows.
const QUICK: Duration = Duration::from_secs(5);
/// A listing of subjobs that took longer than this is not asked for again.
const SLOW_SUBJOBS: Duration = Duration::from_secs(10);
/// A round is followed by at least so many times its own length of rest.
const REST: u32 = 10;

impl Collector {
    /// A collector into a folder, which is made (for its owner only) if it is not there.
    ///
    /// # Errors
    /// The folder cannot be made or written to; others own it or can write it.
    pub fn new(folder: &Path, options: CollectOptions) -> Result<Self, FolderError> {
        let folder = Folder::private(folder)?;
        folder.clear().map_err(|why| FolderError { folder: folder.path().to_owned(), why: why.into() })?;
        Ok(Self { subjobs: options.subjobs, options, folder })
    }

    /// Runs every client once and copies the scheduler's files; `stop` is asked between and during clients.
    pub fn round(&mut self, stop: &dyn Fn() -> bool) -> Round {
        self.round_with(stop, &mut |_| ())
    }

    /// The same; `report` receives every step.
    pub fn round_with(&mut self, stop: &dyn Fn() -> bool, report: &mut dyn FnMut(Step<'_>)) -> Round {
        let started = Instant::now();
        let mut files: Vec<Collected> = Vec::new();
        let mut waiting: Vec<(usize, Judged)> = Vec::new();
        let mut counted = None;
        // The folder may have been put in another's place since the last round, or opened to others.
        let folder = Folder::private(self.folder.path());
        for client in plan::clients(self.subjobs) {
            if started.elapsed() > QUICK && !plan::TOGETHER.contains(&client.file) {
                let sure = waiting.extract_if(.., |(_, judged)| judged.is_sure()).collect();
                self.place(sure, counted, &mut files, report);
            }
            if stop() {
                break;
            }
            report(Step::Begins(client.file));
            let collected = match &folder {
                Ok(folder) => {
                    self.folder = folder.clone();
                    self.run(&client, &mut waiting, files.len(), &mut counted, stop)
                }
                Err(refused) => refused_by(&client, refused),
            };
            report(Step::Ended(&collected));
            files.push(collected);
        }
        if !stop() && folder.is_ok() {
            self.place(waiting, counted, &mut files, report);
            let copied = copy::copy_all(&self.options, &self.folder);
            copied.iter().for_each(|file| report(Step::Ended(file)));
            files.extend(copied);
        }
        Round { files, took: started.elapsed() }
    }

    /// Runs one client. What is left of what it printed waits to be put in place.
    fn run(
        &mut self,
        client: &Client,
        waiting: &mut Vec<(usize, Judged)>,
        at: usize,
        counted: &mut Option<u64>,
        stop: &dyn Fn() -> bool,
    ) -> Collected {
        let started = Instant::now();
        let result = client::run(client, &self.options, stop);
        let took = started.elapsed();
        if client.file == plan::SUBJOBS && took > SLOW_SUBJOBS {
            self.subjobs = false;
        }
        let mut odd = 0;
        let result = result.and_then(|filtered| {
            if client.file == plan::SERVER {
                *counted = doubt::counted(&filtered.bytes);
            }
            odd = filtered.odd;
            let ready =
                self.draft(client, &filtered.bytes).map_err(|why| format!("no temporary file: {why}"))?;
            let bytes = ready.bytes();
            let judged = Judged::new(client, ready, filtered.records, &self.folder, self.options.most);
            waiting.push((at, judged));
            Ok(bytes)
        });
        let stands = result.is_ok() || self.folder.holds(client.file);
        Collected { file: client.file.to_owned(), result, took, stands, odd }
    }

    fn draft(&self, client: &Client, bytes: &[u8]) -> io::Result<Ready> {
        let mut draft = self.folder.draft(client.file)?;
        draft.write_all(bytes)?;
        draft.finish()
    }

    /// Puts what waits in its place, one right after the other; what is not placed after all is reported.
    fn place(
        &self,
        waiting: Vec<(usize, Judged)>,
        counted: Option<u64>,
        files: &mut [Collected],
        report: &mut dyn FnMut(Step<'_>),
    ) {
        for (at, judged) in waiting {
            let Some(file) = files.get_mut(at) else { continue };
            if let Err(why) = judged.settle(&file.file, counted, &self.folder) {
                file.result = Err(why);
                file.stands = self.folder.holds(&file.file);
                report(Step::Ended(file));
            }
        }
    }

    /// How long to rest after a round, so that clients are not a burden to a slow server.
    pub fn rest(&self, round: &Round) -> Duration {
        let wanted = self.options.every.saturating_sub(round.took);
        wanted.max(round.took.saturating_mul(REST).min(Duration::from_secs(3600)).saturating_sub(round.took))
    }
}

/// A file that is not made since the folder is not written to.
fn refused_by(client: &Client, refused: &FolderError) -> Collected {
    let result = Err(refused.to_string());
    Collected { file: client.file.to_owned(), result, took: Duration::ZERO, stands: true, odd: 0 }
}

impl Round {
    /// Files that could not be renewed.
    pub fn failures(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter_map(|file| Some((file.file.as_str(), file.failure()?)))
    }
}
