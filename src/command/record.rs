//! `qscope record FOLDER DIR`: appends a folder to a recording whenever it has changed, for folders that another
//! program fills.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use clap::Args;
use color_eyre::eyre::{Result, eyre};

use qscope_engine::cluster::Snapshot;
use qscope_record::{Recording, RecordingReader, RecordingWriter, SnapshotFiles};
use qscope_session::OpeningOrigin;
use qscope_source::{LoadOptions, load};

use super::arguments::span_above_zero;
use super::collect::{RetentionLimits, dumps_in};
use super::follow::folder_is_there;
use super::output;
use super::stop::StopSignal;

/// The arguments of `record`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example: qscope record /var/spool/qscope ~/recording")]
pub(super) struct RecordArgs {
    /// The folder of dumps.
    pub folder: PathBuf,
    /// The recording; created if missing, readable by you only.
    pub recording: PathBuf,
    /// How often to look for changes.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = span_above_zero)]
    pub every: Duration,
    /// Append once, then stop.
    #[arg(long)]
    pub once: bool,
    /// Remove what was recorded more than this many days ago.
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..))]
    pub record_days: Option<u32>,
    /// Remove the oldest snapshots while the recording is larger than this many gigabytes.
    #[arg(long, value_name = "GB", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    pub record_gb: u32,
}

/// Records until stopped. A folder that temporarily cannot be read is skipped.
///
/// # Errors
/// If the recording cannot be written, or signals cannot be received.
pub(super) fn run(args: &RecordArgs) -> Result<u8> {
    let stop = StopSignal::on_signals()?;
    let origin = OpeningOrigin::of(std::slice::from_ref(&args.folder), None)?;
    if matches!(origin, OpeningOrigin::Recording { .. }) {
        return Err(eyre!("{}: is a recording; expected a folder of dumps", args.folder.display()));
    }
    folder_is_there(&origin)?;
    let read = || dumps_in(&args.folder);
    // Without dumps, no recording is made to append them to once.
    let mut first = args.once.then(read).transpose()?;
    let limits = RetentionLimits { days: args.record_days, gigabytes: args.record_gb };
    let mut recorder: RecordingWriter = limits.recorder(&args.recording, &args.folder)?;
    let mut last = last_recorded(&args.recording);
    let mut is_first = true;
    loop {
        match first.take().map_or_else(read, Ok).map(|files| (SnapshotFiles::of(&files), files)) {
            Ok((shot, _)) if last.as_ref() == Some(&shot) => {
                if args.once {
                    output::print_line("not changed since the last snapshot")?;
                }
            }
            Ok((shot, files)) => {
                let snapshot = load(&files, &LoadOptions::default()).ok();
                // The dumps of one server follow; only the first ones are compared.
                if std::mem::take(&mut is_first)
                    && let Some(before) = last.clone().and_then(server_in)
                {
                    same_server(args, &before, snapshot.as_ref())?;
                }
                if let Some(snapshot) = &snapshot {
                    snapshot.truncation_findings().chain(snapshot.no_dumps()).for_each(|found| {
                        output::print_note(format_args!("warning: {found}; recorded without the rest"));
                    });
                }
                let written = recorder.append(SystemTime::now().into(), shot.clone())?;
                let line = format!("recorded as #{}, {} bytes", written.number, written.bytes);
                output::print_line(line)?;
                last = Some(shot);
            }
            Err(error) if args.once => return Err(error),
            Err(error) => output::print_note(format_args!("not recorded: {error}")),
        }
        if args.once || stop.wait_or_due(args.every) {
            return Ok(0);
        }
    }
}

/// Returns the last snapshot of a recording, if it has one that can be read.
fn last_recorded(folder: &Path) -> Option<SnapshotFiles> {
    let recording = Recording::open(folder).ok()?;
    let last = recording.moments().len().checked_sub(1)?;
    RecordingReader::new(&recording).snapshot_files(last).ok().map(|(_, shot)| shot.clone())
}

/// Refuses dumps of a server other than that of the last snapshot.
fn same_server(args: &RecordArgs, before: &str, dumps: Option<&Snapshot>) -> Result<()> {
    match dumps.and_then(server_of) {
        Some(found) if found != before => Err(eyre!(
            "{}: holds snapshots of server {before}, and {} is of server {found}; name another recording",
            args.recording.display(),
            args.folder.display()
        )),
        _ => Ok(()),
    }
}

/// Returns the name of the server in a recorded snapshot.
fn server_in(shot: SnapshotFiles) -> Option<String> {
    server_of(&load(&shot.into_files(""), &LoadOptions::default()).ok()?)
}

/// Returns the name of the server, if the dumps state it.
fn server_of(snapshot: &Snapshot) -> Option<String> {
    let stated = std::iter::once(&snapshot.server.name)
        .chain(snapshot.files.iter().filter_map(|file| file.server.as_ref()));
    stated.map(ToString::to_string).find(|name| !name.is_empty())
}
