//! `qscope replay DIR`: what a recording holds, one moment of it as a folder, and how the model agreed with it day by day.

mod agreement;
mod json;

use std::path::{Path, PathBuf};

use clap::Args;
use color_eyre::eyre::{Result, eyre};

use qscope_engine::cluster::Epoch;
use qscope_exits::Lines;
use qscope_explain::words::count;
use qscope_record::{Damage, Moment, Point, RecordError, Recording, RecordingReader, named};
use qscope_source::civil_time;
use qscope_system::folder::Folder;

use super::arguments::{OutputForm, Reading};
use super::meter::Meter;
use super::output;

/// What `replay` takes.
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct ReplayArgs {
    /// The recording; DIR@TIME names a moment of it.
    pub recording: PathBuf,
    /// The snapshot of this moment: first, last, #12, seconds since 1970, or a date and time of the local zone.
    #[arg(long, value_name = "TIME")]
    pub at: Option<String>,
    /// Write the files of that moment into this folder, readable by you only.
    #[arg(long, value_name = "FOLDER")]
    pub into: Option<PathBuf>,
    /// Read every snapshot, and name what is damaged; the answer is no (1) if something is.
    #[arg(long, conflicts_with_all = ["at", "into"])]
    pub check: bool,
    /// Run the cycle over every snapshot and hold it against what started by the next one: a line a day.
    #[arg(long, conflicts_with_all = ["at", "into", "check"])]
    pub agreement: bool,
    /// The form of the answer, and how to read it.
    #[command(flatten)]
    pub form: OutputForm,
}

const EXAMPLES: &str = "Examples:
  qscope replay recording
  qscope replay recording --at 2026-03-02T10:05 --into moment
  qscope replay recording --agreement
  qscope recording                               opens it in the console; H shows it from end to end
  qscope why 4711 recording@2026-03-02T10:05     every command, and the console, opens DIR@TIME";

/// Lists, extracts, checks or compares; the answer is no (1) where `--check` finds damage.
///
/// # Errors
/// No recording, a moment that it does not have, or a folder that cannot be written.
pub(super) fn run(args: &ReplayArgs) -> Result<u8> {
    let (folder, in_path) = match named(&args.recording) {
        Some((folder, point)) => (folder, (folder_differs(&args.recording)).then_some(point)),
        None => (args.recording.clone(), None),
    };
    let recording = Recording::open(&folder)?;
    let point = match &args.at {
        Some(text) => Some(point(text, &args.form.reading)?),
        None => in_path,
    };
    if args.agreement {
        return agreement::run(args, &recording);
    }
    if args.check {
        return check(args, &recording);
    }
    if let Some(into) = &args.into {
        return extract(&recording, point.unwrap_or_default(), into);
    }
    if args.form.json {
        output::print_json(&json::RecordingJson::of(&recording, point)?)?;
    } else {
        output::print(&list(&recording, point, zone(&args.form.reading))?)?;
    }
    Ok(0)
}

/// Whether a path names a moment and not the recording itself.
fn folder_differs(path: &Path) -> bool {
    !path.exists()
}

/// The zone of dates: as asked for, else the local one.
fn zone(reading: &Reading) -> &str {
    reading.tz.as_deref().unwrap_or("local")
}

fn point(text: &str, reading: &Reading) -> Result<Point> {
    let zone = match reading.tz.as_deref() {
        None => jiff::tz::TimeZone::system(),
        Some(name) => {
            qscope_engine::cluster::time_zone(name).ok_or_else(|| eyre!("--tz: no time zone `{name}`"))?
        }
    };
    Point::parse(text, &zone).ok_or_else(|| {
        eyre!("--at: `{text}` is none of first, last, #12, seconds since 1970, 2026-03-02T10:05[:12]")
    })
}

/// A line a snapshot, or the one asked for.
fn list(recording: &Recording, point: Option<Point>, zone: &str) -> Result<Lines> {
    let mut text = Lines::new();
    text.append(&head(recording, zone));
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

fn head(recording: &Recording, zone: &str) -> Lines {
    let mut text = Lines::new();
    let moments = recording.moments();
    let time = |moment: Option<&Moment>| moment.map_or("-".to_owned(), |one| civil_time(one.at, zone));
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

/// Reads all of it.
fn check(args: &ReplayArgs, recording: &Recording) -> Result<u8> {
    let meter = Meter::new()?;
    let mut reader = RecordingReader::new(recording);
    let mut lost: Vec<String> = Vec::new();
    let (mut good, all) = (0, recording.moments().len());
    for nth in 0..all {
        meter.show(nth as f64 / all as f64, nth as u64, "snapshots");
        if !meter.goes_on() {
            break;
        }
        match reader.shot(nth) {
            Ok(_) => good += 1,
            Err(error @ RecordError::Damaged { .. }) => lost.push(error.to_string()),
            Err(error) => return Err(error.into()),
        }
    }
    meter.clear();
    let is_whole = lost.is_empty() && recording.damage().is_empty();
    if args.form.json {
        output::print_json(&json::RecordingCheckJson::of(recording, good, &lost))?;
    } else {
        let mut text = head(recording, zone(&args.form.reading));
        text.line(format_args!("{} can be read", count(good, "snapshot")));
        lost.iter().for_each(|line| text.line(line));
        recording.damage().iter().for_each(|damage| text.line(damage_words(damage)));
        output::print(&text)?;
    }
    Ok(u8::from(!is_whole))
}

/// Writes one snapshot as a folder of dumps, with its moment.
fn extract(recording: &Recording, point: Point, into: &Path) -> Result<u8> {
    let (moment, files) = recording.files_at(point)?;
    let folder = Folder::private(into)?;
    let mut names: Vec<&str> = Vec::new();
    let now = moment.at.0.to_string();
    let has_now = files.readable().any(|(name, _, _)| name == "now");
    let given = (!has_now).then_some(("now", now.as_bytes()));
    for (name, bytes) in files.readable().map(|(name, bytes, _)| (name, bytes)).chain(given) {
        folder.put(name, bytes)?;
        names.push(name);
    }
    let mut text = Lines::new();
    let made = civil_time(moment.at, "local");
    text.line(format_args!(
        "{}: {} of snapshot #{}, {made}",
        into.display(),
        qscope_explain::words::count(names.len(), "file"),
        moment.number
    ));
    output::print(&text)?;
    Ok(0)
}

/// The wall clock.
pub(super) fn wall_clock() -> Epoch {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    Epoch(since.ok().and_then(|since| i64::try_from(since.as_secs()).ok()).unwrap_or(0))
}
