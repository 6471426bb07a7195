//! The collector: runs the batch system's own clients, one at a time, and keeps a folder of whole dumps.
//!
//! A [`Round`] runs every client with a fixed argument vector and no shell, checks that what it printed is
//! whole, and puts it in the place of the last good file in one step. A client that fails, hangs, floods or
//! prints half leaves the last good file where it is. Nothing in the folder names a program.

mod client;
mod copy;
mod environment;
mod plan;
mod publish;
mod whole;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub use plan::{Client, CollectOptions, Form};

use publish::{Publisher, Ready};

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
}

impl Collected {
    /// Why the file could not be renewed; nothing is amiss where it never was there and not everybody may ask for it.
    #[must_use]
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

/// Why there can be no round at all.
#[derive(Debug, thiserror::Error)]
#[error("{}: {why}", .folder.display())]
pub struct CollectError {
    /// The folder.
    pub folder: PathBuf,
    /// What is wrong with it.
    pub why: std::io::Error,
}

/// Collects into one folder.
#[derive(Debug)]
pub struct Collector {
    options: CollectOptions,
    publisher: Publisher,
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
    /// The folder cannot be made or written to.
    pub fn new(folder: &Path, options: CollectOptions) -> Result<Self, CollectError> {
        let publisher =
            Publisher::new(folder).map_err(|why| CollectError { folder: folder.to_owned(), why })?;
        Ok(Self { subjobs: options.subjobs, options, publisher })
    }

    /// Runs every client once and copies the scheduler's files; `stop` is asked between and during clients.
    pub fn round(&mut self, stop: &dyn Fn() -> bool) -> Round {
        self.round_told(stop, &mut |_| ())
    }

    /// The same, telling what is being done.
    pub fn round_told(&mut self, stop: &dyn Fn() -> bool, tell: &mut dyn FnMut(Step<'_>)) -> Round {
        let started = Instant::now();
        let mut files: Vec<Collected> = Vec::new();
        let mut waiting: Vec<(usize, Ready)> = Vec::new();
        for client in plan::clients(self.subjobs) {
            if started.elapsed() > QUICK && !plan::TOGETHER.contains(&client.file) {
                place(&mut waiting, &mut files);
            }
            if stop() {
                break;
            }
            tell(Step::Begins(client.file));
            let collected = self.run(&client, &mut waiting, files.len(), stop);
            tell(Step::Ended(&collected));
            files.push(collected);
        }
        if !stop() {
            place(&mut waiting, &mut files);
            let copied = copy::copy_all(&self.options, &self.publisher);
            copied.iter().for_each(|file| tell(Step::Ended(file)));
            files.extend(copied);
        }
        Round { files, took: started.elapsed() }
    }

    /// Runs one client. What it printed waits to be put in place.
    fn run(
        &mut self,
        client: &Client,
        waiting: &mut Vec<(usize, Ready)>,
        at: usize,
        stop: &dyn Fn() -> bool,
    ) -> Collected {
        let started = Instant::now();
        let result = client::run(client, &self.options, &self.publisher, stop);
        let took = started.elapsed();
        if client.file == plan::SUBJOBS && took > SLOW_SUBJOBS {
            self.subjobs = false;
        }
        let result = result.map(|ready| {
            let bytes = ready.bytes;
            waiting.push((at, ready));
            bytes
        });
        let stands = result.is_ok() || self.publisher.stands(client.file);
        Collected { file: client.file.to_owned(), result, took, stands }
    }

    /// How long to rest after a round, so that clients are not a burden to a slow server.
    #[must_use]
    pub fn rest(&self, round: &Round) -> Duration {
        let wanted = self.options.every.saturating_sub(round.took);
        wanted.max(round.took.saturating_mul(REST).min(Duration::from_secs(3600)).saturating_sub(round.took))
    }
}

/// Puts what waits in its place, one right after the other.
fn place(waiting: &mut Vec<(usize, Ready)>, files: &mut [Collected]) {
    for (at, ready) in waiting.drain(..) {
        let result = ready.place();
        if let (Err(why), Some(file)) = (result, files.get_mut(at)) {
            file.result = Err(why.to_string());
        }
    }
}

impl Round {
    /// Files that could not be renewed.
    pub fn failures(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter_map(|file| Some((file.file.as_str(), file.failure()?)))
    }
}
