//! `qscope collect FOLDER`: runs the batch system's clients and keeps a folder of whole dumps.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use clap::Args;
use color_eyre::eyre::{Result, eyre};

use qscope_engine::cluster::Seconds;
use qscope_exits::Lines;
use qscope_record::{RecordLimits, Recorder, Shot};
use qscope_source::Files;
use qscope_source::collect::{CollectOptions, Collector, Round, programs};

use super::lengths::span;
use super::output;
use super::stop::Stop;

/// What `collect` takes.
#[derive(Args, Clone, Debug)]
pub(super) struct CollectArgs {
    /// The folder to fill; made if it is not there, readable by you only.
    pub folder: PathBuf,
    /// One round, then stop; the answer is no (1) if something could not be renewed.
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
    /// Append every snapshot to this recording as well; made if it is not there, readable by you only.
    #[arg(long, value_name = "DIR", requires = "folder")]
    pub record: Option<PathBuf>,
    /// Remove what was recorded longer ago than so many days.
    #[arg(long, value_name = "DAYS", requires = "record", value_parser = clap::value_parser!(u32).range(1..))]
    pub record_days: Option<u32>,
    /// Remove the oldest while the recording has more than so many gigabytes.
    #[arg(long, value_name = "GB", requires = "record", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    pub record_gb: u32,
}

impl RecordFlags {
    /// What writes the recording, if there is to be one.
    ///
    /// # Errors
    /// The folder cannot be made or written, or it is the folder of the dumps itself.
    pub(super) fn recorder(&self, dumps: &Path) -> Result<Option<Recorder>> {
        let limits = Limited { days: self.record_days, gigabytes: self.record_gb };
        self.record.as_ref().map(|folder| limits.recorder(folder, dumps)).transpose()
    }
}

/// What of a recording is kept.
pub(super) struct Limited {
    pub(super) days: Option<u32>,
    pub(super) gigabytes: u32,
}

impl Limited {
    /// What writes a recording of a folder of dumps.
    ///
    /// # Errors
    /// The recording cannot be made or written, or it is the folder of the dumps itself.
    pub(super) fn recorder(&self, folder: &Path, dumps: &Path) -> Result<Recorder> {
        let limits = RecordLimits {
            age: self.days.map(|days| Seconds(i64::from(days) * 86_400)),
            size: Some(u64::from(self.gigabytes) << 30),
        };
        let recorder = Recorder::new(folder, limits)?;
        if std::fs::canonicalize(folder).ok() == std::fs::canonicalize(dumps).ok() {
            return Err(eyre!(
                "{} is the folder of the dumps; name another for the recording",
                folder.display()
            ));
        }
        Ok(recorder)
    }
}

/// How the clients are run.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Collecting")]
pub(super) struct CollectFlags {
    /// How often a round starts; longer by itself when rounds are slow.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = span)]
    pub every: Duration,
    /// How long each client may take.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = span)]
    pub limit: Duration,
    /// Ask for subjobs too (qstat -t); off again by itself when that is slow.
    #[arg(long)]
    pub subjobs: bool,
    /// Keep this attribute too, such as Variable_List; repeatable. Dumps hold what people typed, and secrets in it:
    /// only attributes that are known to be harmless are kept without it.
    #[arg(long, value_name = "NAME")]
    pub keep: Vec<String>,
    /// The folder of the clients; the PATH without it.
    #[arg(long, value_name = "FOLDER", env = "QSCOPE_PBS_BIN")]
    pub bin: Option<PathBuf>,
    /// The batch system's own folder, for sched_config and the like; from pbs.conf without it.
    #[arg(long, value_name = "FOLDER", env = "PBS_HOME")]
    pub pbs_home: Option<PathBuf>,
}

impl CollectFlags {
    /// A flag that was given although nothing is collected; what the environment states is no flag.
    pub(super) fn stray(&self) -> Option<&'static str> {
        const MINUTE: Duration = Duration::from_secs(60);
        let given = [
            (self.every != MINUTE, "--every"),
            (self.limit != MINUTE, "--limit"),
            (self.subjobs, "--subjobs"),
            (!self.keep.is_empty(), "--keep"),
        ];
        given.into_iter().find(|(is, _)| *is).map(|(_, flag)| flag)
    }

    /// The options that they stand for.
    pub(super) fn options(&self) -> CollectOptions {
        CollectOptions {
            bin: self.bin.clone(),
            home: self.pbs_home.clone(),
            every: self.every,
            limit: self.limit,
            subjobs: self.subjobs,
            keep: self.keep.clone(),
            ..CollectOptions::default()
        }
    }
}

/// What to do where no client is found.
const NAME_FOLDER: &str = "--bin FOLDER (or QSCOPE_PBS_BIN) names their folder, often /opt/pbs/bin";

/// Collects until it is stopped.
///
/// # Errors
/// The folder cannot be written to, or signals cannot be received.
pub(super) fn run(args: &CollectArgs) -> Result<u8> {
    let stopped = Stop::on_signals()?;
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
            text.line(recorded(recorder, &args.folder));
        }
        output::print(&text)?;
        if args.once {
            return Ok(u8::from(round.failures().next().is_some()));
        }
        if stopped.comes_within(collector.rest(&round)) {
            return Ok(0);
        }
    }
}

/// Appends the folder as it is now; what went wrong does not end the collecting.
fn recorded(recorder: &mut Recorder, folder: &Path) -> String {
    let shot = match Files::from_folder(folder) {
        Ok(files) => Shot::of(&files),
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

/// What each client took and weighed, and what went wrong.
fn round_text(round: &Round) -> Lines {
    let mut text = Lines::new();
    for file in &round.files {
        let took = file.took.as_secs_f64();
        match &file.result {
            Ok(bytes) => {
                let odd = if file.odd == 0 {
                    String::new()
                } else {
                    format!("  warning: left out what could not be understood, in {} places", file.odd)
                };
                text.line(format_args!("{:<16} {bytes:>11} bytes {took:>8.2} s{odd}", file.file));
            }
            Err(why) => {
                let left = if file.stands { "kept as it was" } else { "none" };
                text.line(format_args!("{:<16} {:>11}       {took:>8.2} s  {left}: {why}", file.file, "-"));
            }
        }
    }
    // All that are listed without bytes; --once answers by those alone that every user may ask for.
    let failed = round.files.iter().filter(|file| file.result.is_err()).count();
    let failed = if failed == 0 { String::new() } else { format!(", {failed} not made") };
    text.line(format_args!(
        "round of {} in {:.2} s{failed}",
        qscope_explain::words::count(round.files.len(), "file"),
        round.took.as_secs_f64()
    ));
    text
}
