//! `qscope collect FOLDER`: runs the batch system's clients and keeps a folder of complete dumps.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use clap::Args;
use color_eyre::eyre::{Result, eyre};

use qscope_engine::cluster::Seconds;
use qscope_exits::Lines;
use qscope_record::{RecordLimits, RecordingWriter, SnapshotFiles};
use qscope_source::Files;
use qscope_source::collect::{CollectOptions, Collector, Round, programs};

use super::arguments::{span, span_above_zero};
use super::output;
use super::stop::StopSignal;

/// The arguments of `collect`.
#[derive(Args, Clone, Debug)]
#[command(after_help = "Example: qscope collect /var/spool/qscope --every 60s")]
pub(super) struct CollectArgs {
    /// The folder to fill; created if missing, readable by you only.
    pub folder: PathBuf,
    /// Run one round, then stop; the exit code is 1 if something could not be renewed that every user may
    /// ask for.
    #[arg(long)]
    pub once: bool,
    /// How to collect.
    #[command(flatten)]
    pub how: CollectFlags,
    /// How to record.
    #[command(flatten)]
    pub record: RecordFlags,
}

/// How a recording is kept.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Recording")]
pub(super) struct RecordFlags {
    /// Append every snapshot to this recording as well; created if missing, readable by you only.
    #[arg(long, value_name = "DIR", requires = "folder")]
    pub record: Option<PathBuf>,
    /// Remove what was recorded more than this many days ago.
    #[arg(long, value_name = "DAYS", requires = "record", value_parser = clap::value_parser!(u32).range(1..))]
    pub record_days: Option<u32>,
    /// Remove the oldest snapshots while the recording is larger than this many gigabytes.
    #[arg(long, value_name = "GB", requires = "record", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    pub record_gb: u32,
}

impl RecordFlags {
    /// Returns the writer of the recording, if one is requested.
    ///
    /// # Errors
    /// If the folder cannot be created or written, or it is the folder of the dumps itself.
    pub(super) fn recorder(&self, dumps: &Path) -> Result<Option<RecordingWriter>> {
        let limits = RetentionLimits { days: self.record_days, gigabytes: self.record_gb };
        self.record.as_ref().map(|folder| limits.recorder(folder, dumps)).transpose()
    }
}

/// The limits beyond which parts of a recording are removed.
pub(super) struct RetentionLimits {
    pub(super) days: Option<u32>,
    pub(super) gigabytes: u32,
}

impl RetentionLimits {
    /// Returns the writer of a recording of a folder of dumps.
    ///
    /// # Errors
    /// If the recording cannot be created or written, or it is the folder of the dumps itself.
    pub(super) fn recorder(&self, folder: &Path, dumps: &Path) -> Result<RecordingWriter> {
        let limits = RecordLimits {
            age: self.days.map(|days| Seconds(i64::from(days) * 86_400)),
            size: Some(u64::from(self.gigabytes) << 30),
        };
        let place = |path: &Path| std::fs::canonicalize(path).ok();
        if place(folder).is_some_and(|folder| place(dumps) == Some(folder)) {
            return Err(eyre!(
                "{} is the folder of the dumps; name another for the recording",
                folder.display()
            ));
        }
        Ok(RecordingWriter::new(folder, limits)?)
    }
}

/// How the clients are run.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Collecting")]
pub(super) struct CollectFlags {
    /// How often a round starts; less often when rounds are slow.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = span)]
    pub every: Duration,
    /// How long each client may take.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = span_above_zero)]
    pub limit: Duration,
    /// Ask for subjobs too (qstat -t); switched off automatically when that is slow.
    #[arg(long)]
    pub subjobs: bool,
    /// Keep this attribute too, such as Variable_List (repeatable). Dumps hold what people typed, which may include
    /// secrets: by default only attributes known to be harmless are kept.
    #[arg(long, value_name = "NAME")]
    pub keep: Vec<String>,
    /// The folder of the clients; by default they are searched in PATH.
    #[arg(long, value_name = "FOLDER", env = "QSCOPE_PBS_BIN")]
    pub bin: Option<PathBuf>,
    /// The batch system's own folder, for sched_config and the like; by default the one in pbs.conf.
    #[arg(long, value_name = "FOLDER", env = "PBS_HOME")]
    pub pbs_home: Option<PathBuf>,
}

impl CollectFlags {
    /// Returns a flag that was given although nothing is collected; values from the environment do not count as
    /// flags.
    pub(super) fn unused_flag(&self) -> Option<&'static str> {
        const MINUTE: Duration = Duration::from_secs(60);
        let given = [
            (self.every != MINUTE, "--every"),
            (self.limit != MINUTE, "--limit"),
            (self.subjobs, "--subjobs"),
            (!self.keep.is_empty(), "--keep"),
        ];
        given.into_iter().find(|(is, _)| *is).map(|(_, flag)| flag)
    }

    /// Returns the options that the flags stand for.
    pub(super) fn options(&self) -> CollectOptions {
        CollectOptions {
            bin: self.bin.clone(),
            home: self.pbs_home.clone(),
            interval: self.every,
            limit: self.limit,
            subjobs: self.subjobs,
            extra_attributes: self.keep.clone(),
            ..CollectOptions::default()
        }
    }
}

/// Advice for when no client is found.
const NAME_FOLDER: &str = "--bin FOLDER (or QSCOPE_PBS_BIN) names their folder, often /opt/pbs/bin";

/// Collects until stopped.
///
/// # Errors
/// If the folder cannot be written to, or signals cannot be received.
pub(super) fn run(args: &CollectArgs) -> Result<u8> {
    let stopped = StopSignal::on_signals()?;
    let stop = || stopped.is_due();
    let options = args.how.options();
    if programs(&options).iter().all(|(_, place)| place.as_ref().map_or(true, |path| !path.is_file())) {
        output::print_note(format_args!("no client of the batch system was found; {NAME_FOLDER}"));
    }
    let mut collector = Collector::new(&args.folder, options)?;
    let mut recorder = args.record.recorder(&args.folder)?;
    loop {
        let round = collector.round(&stop);
        let mut text = round_text(&round);
        if let Some(recorder) = recorder.as_mut().filter(|_| !stop()) {
            text.line(append_snapshot(recorder, &args.folder));
        }
        output::print(&text)?;
        if args.once {
            return Ok(u8::from(round.failures().next().is_some()));
        }
        if stopped.wait_or_due(collector.rest(&round)) {
            return Ok(0);
        }
    }
}

/// Reads a folder of dumps.
///
/// # Errors
/// If it cannot be read, or holds no dumps.
pub(super) fn dumps_in(folder: &Path) -> Result<Files> {
    let files = Files::from_folder(folder)?;
    if files.holds_cluster() {
        Ok(files)
    } else {
        Err(eyre!("{}: holds no dumps of nodes or jobs", folder.display()))
    }
}

/// Appends the current state of the folder; a failure does not end the collecting.
fn append_snapshot(recorder: &mut RecordingWriter, folder: &Path) -> String {
    let shot = match dumps_in(folder) {
        Ok(files) => SnapshotFiles::of(&files),
        Err(error) => return format!("not recorded: {error}"),
    };
    match recorder.append(SystemTime::now().into(), shot) {
        Ok(written) if written.removed > 0 => format!(
            "recorded as #{}, {} bytes; {} old segments removed",
            written.number, written.bytes, written.removed
        ),
        Ok(written) => format!("recorded as #{}, {} bytes", written.number, written.bytes),
        Err(error) => format!("not recorded: {error}"),
    }
}

/// Returns what each client took and wrote, and what failed.
fn round_text(round: &Round) -> Lines {
    let mut text = Lines::new();
    for file in &round.files {
        let took = file.took.as_secs_f64();
        match &file.result {
            Ok(bytes) => {
                let odd = if file.unparsed_pieces == 0 {
                    String::new()
                } else {
                    format!(
                        "  warning: left out what could not be understood, in {} places",
                        file.unparsed_pieces
                    )
                };
                text.line(format_args!("{:<16} {bytes:>11} bytes {took:>8.2} s{odd}", file.file));
            }
            Err(why) => {
                let left = if file.exists { "kept as it was" } else { "none" };
                text.line(format_args!("{:<16} {:>11}       {took:>8.2} s  {left}: {why}", file.file, "-"));
            }
        }
    }
    // Counts all files listed without bytes; the exit code of --once depends only on those that every user may
    // request.
    let failed = round.files.iter().filter(|file| file.result.is_err()).count();
    let failed = if failed == 0 { String::new() } else { format!(", {failed} not made") };
    text.line(format_args!(
        "round of {} in {:.2} s{failed}",
        qscope_explain::words::count(round.files.len(), "file"),
        round.duration.as_secs_f64()
    ));
    text
}
