//! `qscope record FOLDER DIR`: appends a folder to a recording whenever it has changed, for folders that another
//! program fills.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use clap::Args;
use color_eyre::eyre::Result;

use qscope_record::{Recorder, Shot};
use qscope_source::Files;

use super::arguments::span;
use super::collect::Limited;
use super::follow::folder_is_there;
use super::output;
use super::stop::Stop;

/// The arguments of `record`.
#[derive(Args, Clone, Debug)]
pub(super) struct RecordArgs {
    /// The folder of dumps.
    pub folder: PathBuf,
    /// The recording; created if missing, readable by you only.
    pub recording: PathBuf,
    /// How often to look for changes.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = span)]
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
    let stop = Stop::on_signals()?;
    folder_is_there(&args.folder)?;
    let limits = Limited { days: args.record_days, gigabytes: args.record_gb };
    let mut recorder: Recorder = limits.recorder(&args.recording, &args.folder)?;
    let mut last: Option<Shot> = None;
    loop {
        match Files::from_folder(&args.folder).map(|files| Shot::of(&files)) {
            Ok(shot) if last.as_ref() == Some(&shot) => {}
            Ok(shot) => {
                let written = recorder.append(SystemTime::now().into(), shot.clone())?;
                let line = format!("recorded as #{}, {} bytes", written.number, written.bytes);
                output::print_line(line)?;
                last = Some(shot);
            }
            Err(error) if args.once => return Err(error.into()),
            Err(error) => output::print_note(format_args!("not recorded: {error}")),
        }
        if args.once || stop.comes_within(args.every) {
            return Ok(0);
        }
    }
}
