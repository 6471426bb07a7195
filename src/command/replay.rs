//! `qscope replay DIR`: the contents of a recording, one moment of it as a folder, and how the model agreed with it
//! day by day.

mod agreement;
mod json;
mod lost_snapshots;

use std::cell::LazyCell;
use std::path::{Path, PathBuf};

use clap::Args;
use color_eyre::eyre::{Result, eyre};
use jiff::tz::TimeZone;

use qscope_exits::Lines;
use qscope_explain::words::count;
use qscope_record::{Damage, Recording, SnapshotEntry, SnapshotSelector, parse_recording_path, zone_named};
use qscope_source::civil_time;
use qscope_system::folder::Folder;

use super::arguments::OutputArgs;
use super::output;
use super::snapshots::each_snapshot;
use lost_snapshots::LostSnapshots;

/// The arguments of `replay`.
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct ReplayArgs {
    /// The recording; DIR@TIME names a moment of it.
    pub recording: PathBuf,
    /// The snapshot of this moment: first, last, #12, seconds since 1970, or a date and time in the zone of
    /// the dumps, or of --tz.
    #[arg(long, value_name = "TIME")]
    pub at: Option<String>,
    /// Write the files of that moment into this folder, readable by you only; it must be new, empty or written by this
    /// command, whose files are replaced.
    #[arg(long, value_name = "FOLDER")]
    pub into: Option<PathBuf>,
    /// Read every snapshot, and name what is damaged; the exit code is 1 if something is.
    #[arg(long, conflicts_with_all = ["at", "into"])]
    pub check: bool,
    /// Run the cycle over every snapshot and compare it with what started by the next one: a line a day.
    #[arg(long, conflicts_with_all = ["at", "into", "check"])]
    pub agreement: bool,
    /// The output form, and how to read the input.
    #[command(flatten)]
    pub form: OutputArgs,
}

const EXAMPLES: &str = "Examples:
  qscope replay recording
  qscope replay recording --at 2026-03-02T10:05 --into moment
  qscope replay recording --agreement
  qscope recording                               opens it in the console; H shows it from end to end
  qscope why 4711 recording@2026-03-02T10:05     every command, and the console, opens DIR@TIME";

/// Lists, extracts, checks or compares; the exit code is 1 ("no") if `--check` finds damage.
///
/// # Errors
/// If there is no recording, it does not have the moment, or a folder cannot be written.
pub(super) fn run(args: &ReplayArgs) -> Result<u8> {
    let given = args.form.reading.tz.as_deref();
    let (folder, in_path) = match parse_recording_path(&args.recording, given)? {
        Some((folder, point)) => (folder, (!args.recording.exists()).then_some(point)),
        None => (args.recording.clone(), None),
    };
    let recording = Recording::open(&folder)?;
    let zone = LazyCell::new(|| recording.zone_or(given));
    let point = match &args.at {
        Some(text) => Some(point(text, || zone_named(&zone))?),
        None => in_path,
    };
    if (args.agreement || args.check) && in_path.is_some() {
        let option = if args.check { "--check" } else { "--agreement" };
        return Err(eyre!(
            "{option} reads the whole recording: expected {} without a time",
            folder.display()
        ));
    }
    if args.agreement {
        return agreement::run(args, &recording);
    }
    if args.check {
        return check(args, &recording, &zone);
    }
    if let Some(into) = &args.into {
        return extract(&recording, point.unwrap_or_default(), into, &zone);
    }
    if args.form.json {
        output::print_json(&json::RecordingJson::of(&recording, point)?)?;
    } else {
        output::print(&list(&recording, point, &zone)?)?;
    }
    Ok(0)
}

/// Parses the value of `--at`.
fn point(text: &str, zone: impl FnOnce() -> TimeZone) -> Result<SnapshotSelector> {
    SnapshotSelector::parse(text, zone).ok_or_else(|| {
        eyre!("--at: `{text}` is none of first, last, #12, seconds since 1970, 2026-03-02T10:05[:12]")
    })
}

/// Returns a line for each snapshot, or only for the requested one.
fn list(recording: &Recording, point: Option<SnapshotSelector>, zone: &str) -> Result<Lines> {
    let mut text = Lines::new();
    text.append(&heading(recording, zone));
    let only = point.map(|point| recording.files_at(point).map(|(moment, _)| moment)).transpose()?;
    text.line(format_args!("{:>8}  {:<26}  {:>12}", "snapshot", "made", "bytes"));
    for moment in recording.moments().iter().filter(|moment| only.is_none_or(|only| only == **moment)) {
        let made = civil_time(moment.at, zone);
        text.line(format_args!("{:>8}  {made:<26}  {:>12}", format!("#{}", moment.number), moment.bytes));
    }
    for damage in recording.damage() {
        text.line(damage_words(damage));
    }
    Ok(text)
}

fn heading(recording: &Recording, zone: &str) -> Lines {
    let mut text = Lines::new();
    let moments = recording.moments();
    let time = |entry: Option<&SnapshotEntry>| entry.map_or("-".to_owned(), |one| civil_time(one.at, zone));
    text.line(format_args!(
        "{}: {} from {} to {}, {} bytes",
        recording.folder().display(),
        count(moments.len() as u64, "snapshot"),
        time(moments.first()),
        time(moments.last()),
        recording.bytes(),
    ));
    let back = moments.windows(2).filter(|pair| matches!(pair, [a, b] if b.at < a.at)).count();
    if back > 0 {
        text.line(format_args!(
            "the clock goes back {back} times; snapshots stand in the order in which they were made"
        ));
    }
    text
}

fn damage_words(damage: &Damage) -> String {
    let Damage { file, offset, bytes, is_end } = damage;
    let what = if *is_end { "cut off: the segment ends there" } else { "damaged, skipped" };
    format!("{}: {bytes} bytes from byte {offset} {what}", file.display())
}

/// Reads every snapshot.
fn check(args: &ReplayArgs, recording: &Recording, zone: &str) -> Result<u8> {
    let (mut good, mut lost) = (0, LostSnapshots::default());
    let mut moments = recording.moments().iter();
    each_snapshot(
        recording,
        |reader, nth| reader.snapshot_files(nth).map(drop),
        |shot| {
            let moment = moments.next();
            match shot {
                Ok(()) => good += 1,
                Err(error) => lost.add(moment, &error),
            }
        },
    )?;
    let is_whole = lost.errors.is_empty() && recording.damage().is_empty();
    if args.form.json {
        output::print_json(&json::RecordingCheckJson::of(recording, good, &lost))?;
    } else {
        let mut text = heading(recording, zone);
        text.line(format_args!("{} can be read", count(good, "snapshot")));
        text.append(&lost.to_text(zone));
        recording.damage().iter().for_each(|damage| text.line(damage_words(damage)));
        output::print(&text)?;
    }
    Ok(u8::from(!is_whole))
}

/// Writes one snapshot as a folder of dumps, with its moment.
fn extract(recording: &Recording, point: SnapshotSelector, into: &Path, zone: &str) -> Result<u8> {
    let (moment, files) = recording.files_at(point)?;
    let folder = Folder::private(into)?;
    let now = moment.at.0.to_string();
    let has_now = files.readable().any(|(name, _, _)| name == "now");
    let given = (!has_now).then_some(("now", now.as_bytes()));
    let files: Vec<(&str, &[u8])> =
        files.readable().map(|(name, bytes, _)| (name, bytes)).chain(given).collect();
    folder.fill(&files)?;
    let mut text = Lines::new();
    let made = civil_time(moment.at, zone);
    text.line(format_args!(
        "{}: {} of snapshot #{}, {made}",
        into.display(),
        qscope_explain::words::count(files.len(), "file"),
        moment.number
    ));
    output::print(&text)?;
    Ok(0)
}
