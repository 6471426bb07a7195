//! `qscope history`: the reasons a job waited for from its arrival to its start, or those of all jobs of a user, a
//! queue or the site, from a recording or from logs.

mod answer;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use color_eyre::eyre::{Result, eyre};

use qscope_engine::cluster::did_you_mean::question;
use qscope_engine::cluster::{Epoch, Seconds, count};
use qscope_engine::cycle::run_cycle;
use qscope_record::{Recording, RecordingReader, SnapshotSelector, parse_recording_path};
use qscope_session::wait_history::{LogObserver, Observations, WaitHistory};
use qscope_source::file_lines::{FileLine, FileLines};
use qscope_source::load;
use qscope_system::input;

use super::arguments::OutputArgs;
use super::snapshots::each_snapshot;
use super::{open, output};

/// The arguments of `history`.
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub(super) struct HistoryArgs {
    /// A job, with or without the server part; user:NAME, queue:NAME, or all for sums.
    pub subject: String,
    /// A recording (DIR@TIME: up to that moment), or logs: the scheduler's, the accounting log, or both, or folders of them; they may be
    /// compressed.
    #[arg(required = true, value_name = "DIR|LOGS")]
    pub from: Vec<PathBuf>,
    /// For sums, only the waiting within this time before the last observation: 7d, 12h.
    #[arg(long, value_name = "TIME", value_parser = super::arguments::seconds)]
    pub last: Option<f64>,
    /// The output form, and how to read the input.
    #[command(flatten)]
    pub form: OutputArgs,
}

const EXAMPLES: &str = "Examples:
  qscope history 4711 recording
  qscope history 4711 sched_logs/ accounting/
  qscope history user:ann recording --json
  qscope history queue:large recording --last 7d
  qscope history all sched_logs/ accounting/";

/// A function that returns a name of a job that waited: its user, or its queue.
type WaitedNameFn = fn(&WaitHistory) -> &str;

pub(super) enum HistorySubject<'a> {
    Job(&'a str),
    User(&'a str),
    Queue(&'a str),
    All,
}

impl<'a> HistorySubject<'a> {
    fn of(text: &'a str) -> Self {
        match text.split_once(':') {
            Some(("user", name)) => Self::User(name),
            Some(("queue", name)) => Self::Queue(name),
            _ if text == "all" => Self::All,
            _ => Self::Job(text),
        }
    }
}

/// Reads the observations and prints the history; the exit code is 1 ("no") if the job still waited at the end.
///
/// # Errors
/// If the input is bad, there is no such job in it, or the output cannot be written.
pub(super) fn run(args: &HistoryArgs) -> Result<u8> {
    let mut notes = Vec::new();
    let mut zone = args.form.reading.zone().to_owned();
    let recording = match args.from.as_slice() {
        [one] => parse_recording_path(one, args.form.reading.tz.as_deref())?,
        _ => None,
    };
    let found = match recording {
        Some((folder, point)) => {
            let mut recording = Recording::open(&folder)?;
            zone = recording.zone_or(args.form.reading.tz.as_deref());
            if point != SnapshotSelector::Last {
                let (last, _) = recording.files_at(point)?;
                recording = recording.up_to(&last);
            }
            observe_recording(args, &recording, &mut notes)?
        }
        None => observe_logs(args, &mut notes)?,
    };
    if found.last().is_none() {
        return Err(eyre!(
            "{}: no recording, and no line of a scheduler's log or of an accounting log; `qscope record` makes a recording",
            names(args)
        ));
    }
    let subject = HistorySubject::of(&args.subject);
    if let HistorySubject::Job(name) = subject {
        if args.last.is_some() {
            return Err(eyre!("--last is for sums: name user:NAME, queue:NAME or all"));
        }
        let waited = found.of(name).ok_or_else(|| eyre!("nothing about a job `{name}` is recorded there"))?;
        let json = || answer::WaitedJobJson::of(&waited, &notes);
        output::print_json_or_text(args.form.json, json, || answer::job(&waited, &notes, &zone))?;
        return Ok(u8::from(!waited.is_started));
    }
    let all = found.waited();
    let whose: Option<(_, _, WaitedNameFn)> = match subject {
        HistorySubject::User(name) => Some(("user", name, |waited| &waited.user)),
        HistorySubject::Queue(name) => Some(("queue", name, |waited| &waited.queue)),
        HistorySubject::Job(_) | HistorySubject::All => None,
    };
    let takes = |waited: &WaitHistory| whose.is_none_or(|(_, name, of)| of(waited) == name);
    if let Some((kind, name, of)) = whose
        && !all.iter().any(takes)
    {
        let known: BTreeSet<&str> = all.iter().map(of).collect();
        let (from, hint) = (names(args), question(name, known));
        // For a misspelt name, the sums would be zero instead of an error.
        return Err(eyre!("no job of {kind} `{name}` among {} in {from}{hint}", all.len()));
    }
    let chosen = all.into_iter().filter(takes);
    let since = window_start(args.last, found.last());
    let chosen: Vec<_> = match since {
        Some(from) => chosen.filter_map(|waited| waited.part_since(from)).collect(),
        None => chosen.collect(),
    };
    let span = since.or(chosen.first().map(|waited| waited.queued)).zip(found.last());
    let sums = answer::WaitSummaryJson::of(&args.subject, &chosen, span, &notes);
    output::print_json_or_text(args.form.json, || &sums, || answer::sums(&sums, &zone))?;
    Ok(0)
}

/// Returns the names of the inputs, as given.
fn names(args: &HistoryArgs) -> String {
    args.from.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}

/// Returns the moment this many seconds before the last observation.
fn window_start(seconds: Option<f64>, last: Option<Epoch>) -> Option<Epoch> {
    let length = Seconds(seconds? as i64);
    last.map(|last| last - length)
}

/// Runs the cycle over every snapshot.
fn observe_recording(
    args: &HistoryArgs,
    recording: &Recording,
    notes: &mut Vec<String>,
) -> Result<Observations> {
    let (quirks, how) = (open::quirks(&args.form.reading)?, args.form.reading.load_options());
    let mut found = Observations::of_snapshots();
    let (all, mut lost) = (recording.moments().len(), 0);
    let read = each_snapshot(recording, RecordingReader::files, |files| {
        match files.map(|files| load(&files, &how)) {
            Ok(Ok(snapshot)) => found.take(&run_cycle(Arc::new(snapshot), quirks)),
            _ => lost += 1,
        }
    })?;
    if read < all {
        notes.push(format!("ended early: {read} of {}", count(all, "snapshot")));
    }
    notes.push(format!("{}; reasons are those of the modelled cycle over each", count(all, "snapshot")));
    if lost > 0 {
        notes.push(format!("{} cannot be read", count(lost, "snapshot")));
    }
    notes.extend(recording.damage().iter().map(|damage| {
        format!("{}: {} bytes from byte {} are damaged", damage.file.display(), damage.bytes, damage.offset)
    }));
    Ok(found)
}

/// Reads logs.
fn observe_logs(args: &HistoryArgs, notes: &mut Vec<String>) -> Result<Observations> {
    let zone = args.form.reading.time_zone()?;
    let mut files = Vec::new();
    for path in &args.from {
        files.extend(input::listed(path).map_err(|error| eyre!("{}: {error}", path.display()))?);
    }
    let mut logs = LogObserver::new(zone);
    let mut damaged = Vec::new();
    for file in &files {
        let shown = file.display();
        logs.next_file();
        let damage = FileLines::for_each_line(file, &mut |line| match line {
            FileLine::Text(text) => logs.take(text),
            FileLine::TooLong => logs.take(""),
        });
        let damage = damage.map_err(|error| eyre!("{shown}: {error}"))?;
        damaged.extend(damage.map(|damage| format!("{shown}: {damage}")));
    }
    notes.push(format!(
        "{} of {}",
        qscope_explain::words::count(logs.lines, "line"),
        qscope_explain::words::count(files.len(), "file")
    ));
    notes.extend(damaged);
    if logs.unknown_lines > 0 {
        notes.push(format!(
            "{} lines are neither of a scheduler's log nor of an accounting log",
            logs.unknown_lines
        ));
    }
    Ok(logs.found())
}
