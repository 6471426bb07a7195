//! Commands that follow a folder without a screen: each snapshot that is read is passed to them, until a signal
//! arrives.

use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use clap::Args;
use color_eyre::eyre::{Result, eyre};

use qscope_session::{
    CollectEvent, CollectorHandle, Generation, OpeningOrigin, Session, SessionEvent, collect, load_generation,
};
use qscope_source::collect::Collector;

use super::arguments::InputArgs;
use super::collect::CollectFlags;
use super::stop::StopSignal;
use super::{open, output};

/// Arguments of commands that follow a folder.
#[derive(Args, Clone, Debug)]
pub(super) struct FollowArgs {
    /// The folder of dumps.
    pub folder: PathBuf,
    /// Read the folder once as it is, then stop.
    #[arg(long)]
    pub once: bool,
    /// Fill the folder too: run the batch system's clients in the same process, as `qscope collect` does. Without it the
    /// folder is watched.
    #[arg(long, conflicts_with = "once")]
    pub collect: bool,
    /// How to read the folder.
    #[command(flatten)]
    pub reading: InputArgs,
    /// How the clients are run.
    #[command(flatten)]
    pub how: CollectFlags,
}

/// Describes `--every` for commands that write a file: they write at most this often, however the folder is filled.
pub(super) fn describe_interval(arg: clap::Arg) -> clap::Arg {
    arg.help("Write at most this often, however often the folder changes; with --collect a round starts this often")
        .help_heading(None::<&'static str>)
}

/// Interval between checks whether a signal has arrived.
const LOOK: Duration = Duration::from_millis(100);

/// How a folder is followed.
#[derive(Clone, Copy)]
pub(super) struct FollowOptions {
    /// Minimum time between two snapshots that are passed on.
    pub rest: Duration,
    /// Whether to stop when the output has no reader any more: the command has no other effect.
    pub while_read: bool,
}

impl FollowOptions {
    /// Continues whether the output is read or not.
    pub(super) fn with_interval(rest: Duration) -> Self {
        Self { rest, while_read: false }
    }

    /// Passes snapshots on at once, as long as the output is read.
    pub(super) const WHILE_READ: Self = Self { rest: Duration::ZERO, while_read: true };
}

/// Passes every snapshot to `each`, only the newest if several are pending, until it returns false.
///
/// # Errors
/// If the folder cannot be read (with `--once`), followed or filled, or `each` fails.
pub(super) fn for_each_snapshot(
    args: &FollowArgs,
    options: FollowOptions,
    each: &mut dyn FnMut(&Arc<Generation>, &StopSignal) -> Result<bool>,
) -> Result<()> {
    let stop = StopSignal::on_signals()?;
    let opening = open::opening(std::slice::from_ref(&args.folder), &args.reading)?;
    if let Some(flag) = args.how.unused_flag().filter(|flag| !args.collect && *flag != "--every") {
        return Err(eyre!("{flag} needs --collect"));
    }
    if !args.collect {
        folder_is_there(&opening.origin)?;
    }
    if args.once {
        let generation = open::with_verdicts(load_generation(&opening, 1)?)?;
        check_complete(&generation)?;
        each(&Arc::new(generation), &stop)?;
        return Ok(());
    }
    let (send, events) = channel();
    let _collecting: Option<CollectorHandle> = match args.collect {
        true => {
            let collector = Collector::new(&args.folder, args.how.options())?;
            let send = send.clone();
            Some(collect(collector, move |event| send.send(event).is_ok())?)
        }
        false => None,
    };
    let _session: Session = qscope_session::open(opening, move |event| send.send(event).is_ok())?;
    FollowedSession { events, stop, pace: options, newest: None, due: Instant::now(), waiting_stated: false }
        .run(each)
}

/// Rejects a folder that does not exist: a misspelt one would be waited for without end.
///
/// # Errors
/// If it is not there.
pub(super) fn folder_is_there(origin: &OpeningOrigin) -> Result<()> {
    let is_lost = |error: std::io::Error| error.kind() == ErrorKind::NotFound;
    match origin {
        OpeningOrigin::Folder(folder) if std::fs::metadata(folder).is_err_and(is_lost) => {
            Err(eyre!("{}: no such folder; `qscope collect` makes and fills one", folder.display()))
        }
        _ => Ok(()),
    }
}

/// Rejects a snapshot of dumps that are truncated or empty: the result would state that the missing objects do not
/// exist.
///
/// # Errors
/// If there is such a dump.
fn check_complete(generation: &Generation) -> Result<()> {
    let snapshot = &generation.snapshot;
    match snapshot.truncation_findings().chain(snapshot.no_dumps()).next() {
        Some(found) => Err(eyre!("{}: {found}", snapshot.title)),
        None => Ok(()),
    }
}

/// A running session.
struct FollowedSession {
    events: Receiver<SessionEvent>,
    stop: StopSignal,
    pace: FollowOptions,
    /// The newest snapshot that was not passed on yet.
    newest: Option<Arc<Generation>>,
    /// When the next one may be passed on.
    due: Instant,
    /// Whether the note about waiting was already printed.
    waiting_stated: bool,
}

impl FollowedSession {
    fn run(mut self, each: &mut dyn FnMut(&Arc<Generation>, &StopSignal) -> Result<bool>) -> Result<()> {
        while !self.stop.is_due() && (!self.pace.while_read || output::has_reader()) {
            match self.events.recv_timeout(LOOK) {
                Ok(event) => self.handle_event(event),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            if Instant::now() < self.due {
                continue;
            }
            if let Some(generation) = self.newest.take() {
                self.due = Instant::now() + self.pace.rest;
                if !each(&generation, &self.stop)? {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// States why the snapshot is not used. A service continues after a damaged file: the next one may be complete.
    fn wait(&mut self, why: &str) {
        output::print_note(why);
        if !std::mem::replace(&mut self.waiting_stated, true) {
            output::print_note("waiting until it changes and can be read; what was written stays");
        }
    }

    fn handle_event(&mut self, event: SessionEvent) {
        match event {
            SessionEvent::Loaded(generation) => match check_complete(&generation) {
                Ok(()) => self.newest = Some(generation),
                Err(why) => self.wait(&why.to_string()),
            },
            SessionEvent::Failed { message, .. } => self.wait(message.lines().next().unwrap_or_default()),
            SessionEvent::Collecting(CollectEvent::FileCollected(file)) => {
                if let Some(why) = file.failure() {
                    output::print_note(format_args!("{}: {why}", file.file));
                }
            }
            _ => {}
        }
    }
}
