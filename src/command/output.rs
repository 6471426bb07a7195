//! The one place that writes to the standard streams: lines and JSON, nothing raw.

use std::fmt::Display;
use std::io::{BufWriter, Write};

use color_eyre::eyre::Result;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::Serialize;

use super::fold::{folded, words_cut};
use super::signs::shown;
use qscope_engine::cluster::{Diagnostic, Snapshot, cut_to};
use qscope_exits::{Lines, OpenMetrics, json as written};
use qscope_explain::{Assumption, in_one_line, unseen};
use qscope_session::{Generation, WhatIf};

/// So many bytes of JSON are written at once.
const BUFFER: usize = 1 << 16;

/// What an answer is about: what stands above it follows from this.
pub(super) struct About<'a> {
    snapshot: &'a Snapshot,
    what_if: Option<&'a WhatIf>,
    /// Whether what was not seen is stated for the answer as a whole, since it is about no single verdict.
    as_a_whole: bool,
    as_pbs: bool,
}

impl<'a> From<&'a Generation> for About<'a> {
    fn from(generation: &'a Generation) -> Self {
        Self {
            snapshot: &generation.snapshot,
            what_if: generation.what_if.as_deref(),
            as_a_whole: false,
            as_pbs: generation.as_pbs,
        }
    }
}

impl<'a> From<&'a Snapshot> for About<'a> {
    fn from(snapshot: &'a Snapshot) -> Self {
        Self { snapshot, what_if: None, as_a_whole: false, as_pbs: false }
    }
}

impl<'a> About<'a> {
    /// An answer whose verdicts are not marked one by one: the facts that were not seen stand above it.
    pub(super) fn as_a_whole(about: impl Into<Self>) -> Self {
        Self { as_a_whole: true, ..about.into() }
    }
}

impl About<'_> {
    /// The lines above an answer for people: which files it lacks, and whether it is one to a what-if.
    fn heading(&self) -> Lines {
        let mut lines = warnings(self.snapshot);
        if self.as_a_whole {
            lines.extend(in_one_line(&unseen(&self.snapshot.origins)));
        }
        if self.as_pbs {
            lines.line("AS PBS: dumps of Torque; verdicts are those of PBS, not of Maui, Moab or pbs_sched");
        }
        if let Some(what_if) = self.what_if {
            lines.append(&what_if_heading(&what_if.settings, &what_if.notes));
        }
        lines
    }

    /// The same for programs: keys of every object on top, there only if there is something to report.
    fn label<T>(&self, answer: T) -> Labelled<'_, T> {
        Labelled {
            answer,
            what_if: self.what_if.map(|what_if| what_if.settings.as_slice()),
            rests_on: self.as_a_whole.then(|| unseen(&self.snapshot.origins)),
            run_as: self.as_pbs.then_some("pbs"),
            unreadable: unreadable(self.snapshot),
            misread: misread(self.snapshot),
            cut: self.snapshot.cut().map(Unreadable::of).collect(),
        }
    }
}

/// An object of an answer, and what is to be known about it.
#[derive(Serialize)]
struct Labelled<'a, T> {
    #[serde(flatten)]
    answer: T,
    /// The settings of the what-if that the answer is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    what_if: Option<&'a [String]>,
    /// The facts that the answer rests on and that were not seen, of answers about no single verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    rests_on: Option<Vec<Assumption>>,
    /// `pbs` where the cycle of PBS was run over dumps of Torque.
    #[serde(rename = "as", skip_serializing_if = "Option::is_none")]
    run_as: Option<&'static str>,
    /// The files that are there and could not be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unreadable: Vec<Unreadable<'a>>,
    /// The files that hold something else than an input, which the answer is without.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    misread: Vec<Unreadable<'a>>,
    /// The dumps that end too soon, which the answer is without the rest of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    cut: Vec<Unreadable<'a>>,
}

/// A file that is there and could not be read.
#[derive(Serialize)]
pub(super) struct Unreadable<'a> {
    /// Its name in the folder.
    file: &'a str,
    /// Why it could not be read.
    why: &'a str,
}

impl<'a> Unreadable<'a> {
    fn of(found: &'a Diagnostic) -> Self {
        Self { file: &found.file, why: &found.message }
    }
}

/// The files of a snapshot that are there and could not be read.
pub(super) fn unreadable(snapshot: &Snapshot) -> Vec<Unreadable<'_>> {
    snapshot.unreadable().map(Unreadable::of).collect()
}

/// The codes of readers for files that hold no input and were meant to.
const WRONG_KINDS: [&str; 4] = ["wrong-command", "client-failed", "not-unpacked", "other-system"];

/// What was found instead of inputs.
fn wrong_kinds(snapshot: &Snapshot) -> impl Iterator<Item = &Diagnostic> {
    snapshot.diagnostics.iter().filter(|found| WRONG_KINDS.contains(&found.code))
}

/// The files of a snapshot that hold something else than an input.
fn misread(snapshot: &Snapshot) -> Vec<Unreadable<'_>> {
    wrong_kinds(snapshot).map(Unreadable::of).collect()
}

/// A line for each file that is there and could not be read, holds something else than an input or ends too soon, and for a
/// dump of jobs that is missing: a cluster without jobs looks the same.
pub(super) fn warnings(snapshot: &Snapshot) -> Lines {
    let left_out = snapshot.unreadable().chain(wrong_kinds(snapshot));
    let mut lines: Lines =
        left_out.map(|found| format!("warning: {found}; the answer is without it")).collect();
    lines.extend(snapshot.cut().map(|found| format!("warning: {found}; the answer is without the rest")));
    let no_jobs = snapshot.reported("no-jobs");
    lines.extend(no_jobs.map(|found| format!("warning: {found}")));
    lines
}

/// Writes a whole answer for people; very long lines are cut. A closed pipe is not an error.
///
/// # Errors
/// The stream cannot be written for another reason.
pub(super) fn print(text: &Lines) -> Result<()> {
    write(&shown(&folded(text.as_str())))
}

/// Writes metrics for programs.
///
/// # Errors
/// The stream cannot be written for another reason than a closed pipe.
pub(super) fn print_metrics(metrics: &OpenMetrics) -> Result<()> {
    write(metrics.as_str())
}

/// Writes a text at once; whether there is still a reader.
pub(super) fn reaches(text: &Lines) -> bool {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_str().as_bytes()).and_then(|()| out.flush()).is_ok()
}

/// Whether what is printed can still reach someone: false once the other end of a pipe is closed.
pub(super) fn has_reader() -> bool {
    let out = std::io::stdout();
    // Errors are reported whatever is asked for.
    let mut ends = [PollFd::new(&out, PollFlags::empty())];
    let polled = poll(&mut ends, Some(&Timespec::default()));
    polled.is_err() || !ends.iter().any(|end| end.revents().intersects(PollFlags::ERR | PollFlags::HUP))
}

fn write(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    unless_closed(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// What came of writing; that there is no reader any more is no error.
fn unless_closed(written: std::io::Result<()>) -> Result<()> {
    match written {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

/// Writes a text about a snapshot, under what is to be known first.
pub(super) fn print_about<'a>(about: impl Into<About<'a>>, text: &Lines) -> Result<()> {
    let mut all = about.into().heading();
    all.append(text);
    print(&all)
}

/// So many characters of each setting stand above an answer: a formula may have thousands.
const MAX_SETTING: usize = 200;

/// The lines above an answer to a what-if; none without settings.
pub(super) fn what_if_heading(settings: &[String], notes: &[String]) -> Lines {
    let mut lines = Lines::new();
    if !settings.is_empty() {
        let shown: Vec<String> = settings.iter().map(|setting| cut_to(setting, MAX_SETTING)).collect();
        lines.line(format_args!("WHAT IF {} (not the live cycle)", shown.join(", ")));
        lines.extend(notes.iter().map(|note| format!("note: {note}")));
        lines.blank();
    }
    lines
}

/// An answer for programs with the settings of its what-if, if it is one.
#[derive(Serialize)]
pub(super) struct WithSettings<T> {
    #[serde(flatten)]
    answer: T,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    what_if: Vec<String>,
}

impl<T> WithSettings<T> {
    pub(super) fn new(answer: T, what_if: Vec<String>) -> Self {
        Self { answer, what_if }
    }
}

/// Writes an object about a snapshot, with what is to be known about it.
pub(super) fn print_json_about<'a>(about: impl Into<About<'a>>, answer: impl Serialize) -> Result<()> {
    print_json(&about.into().label(answer))
}

/// Writes an answer about a snapshot in the form asked for, with what is to be known about it; the other is not made.
pub(super) fn answer<'a, J: Serialize>(
    about: impl Into<About<'a>>,
    as_json: bool,
    json: impl FnOnce() -> J,
    text: impl FnOnce() -> Lines,
) -> Result<()> {
    if as_json { print_json_about(about, json()) } else { print_about(about, &text()) }
}

/// Writes a list of objects about a snapshot; each has what is to be known about it.
pub(super) fn print_json_list<'a, T: Serialize>(about: impl Into<About<'a>>, list: &[T]) -> Result<()> {
    let about = about.into();
    print_json(&list.iter().map(|item| about.label(item)).collect::<Vec<_>>())
}

/// Whether the output goes to a terminal that may be given styles; `NO_COLOR` and `TERM=dumb` refuse them.
pub(super) fn takes_styles() -> bool {
    use std::io::IsTerminal;
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
        || std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    std::io::stdout().is_terminal() && !refused
}

/// Rings the bell of the terminal; elsewhere it would be a stray character.
pub(super) fn ring() -> Result<()> {
    use std::io::IsTerminal;
    if std::io::stdout().is_terminal() { write("\u{7}") } else { Ok(()) }
}

/// The columns that lines for people may have: those of `COLUMNS`, else of the terminal; none where the output goes
/// elsewhere.
pub(super) fn columns() -> Option<usize> {
    use std::io::IsTerminal;
    const LEAST: usize = 20;
    let stated = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = || {
        let columns = std::io::stdout().is_terminal().then(qscope_console::terminal::size);
        columns.flatten().map(|(columns, _)| usize::from(columns))
    };
    stated.or_else(terminal).map(|columns| columns.max(LEAST))
}

/// Writes a JSON value over several lines, as it is made.
pub(super) fn print_json(value: &impl Serialize) -> Result<()> {
    let mut out = BufWriter::with_capacity(BUFFER, std::io::stdout().lock());
    let written = written::pretty_to(value, &mut out).map_err(std::io::Error::from);
    unless_closed(written.and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()))
}

/// Writes a JSON value on one line.
pub(super) fn print_json_line(value: &impl Serialize) -> Result<()> {
    write(&(written::compact(value)? + "\n"))
}

/// Writes one line for people.
pub(super) fn print_line(line: impl Display) -> Result<()> {
    print(&Lines::from_iter([line]))
}

/// Writes an answer about no snapshot in the form asked for; the other is not made.
pub(super) fn either<J: Serialize>(
    as_json: bool,
    json: impl FnOnce() -> J,
    text: impl FnOnce() -> Lines,
) -> Result<()> {
    if as_json { print_json(&json()) } else { print(&text()) }
}

/// Writes a message of one line for people to the error stream.
pub(super) fn complain(message: impl Display) {
    complain_in_lines(&Lines::from_iter([message]));
}

/// Writes a message for people to the error stream.
pub(super) fn complain_in_lines(message: &Lines) {
    let mut err = std::io::stderr().lock();
    // When even the error stream is gone there is no other place.
    let _lost = write!(err, "qscope: {}", shown(&words_cut(message.as_str())));
}
