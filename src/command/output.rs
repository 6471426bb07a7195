//! The one place that writes to the standard streams: lines and JSON, nothing raw.

mod about;
mod terminal;

use std::fmt::Display;
use std::io::{BufWriter, Stdout, Write};

use color_eyre::eyre::{Result, eyre};
use serde::Serialize;

use super::fold::{folded, words_cut};
use super::signs::shown;
use qscope_exits::{Lines, OpenMetrics, json as written};

pub(super) use about::{About, Unreadable, unreadable, warnings, what_if_heading};
pub(super) use terminal::{columns, has_reader, is_terminal, ring, takes_styles};

/// So many bytes of JSON are written at once.
const BUFFER: usize = 1 << 16;

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

/// The output.
fn out() -> Stdout {
    std::io::stdout()
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

/// Writes a JSON value over several lines, as it is made.
pub(super) fn print_json(value: &impl Serialize) -> Result<()> {
    let mut out = BufWriter::with_capacity(BUFFER, std::io::stdout().lock());
    let written = written::pretty_to(value, &mut out).map_err(std::io::Error::from);
    unless_closed(written.and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()))
}

/// Writes an object about a snapshot on one line, with what is to be known about it.
pub(super) fn print_json_line_about<'a>(about: impl Into<About<'a>>, answer: impl Serialize) -> Result<()> {
    print_json_line(&about.into().label(answer))
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

/// Writes what is to be known about an answer to the error stream, where the answer itself is a table for programs.
pub(super) fn print_notes_about(about: &About<'_>) {
    let heading = about.heading();
    if !heading.is_blank() {
        print_notes(&heading);
    }
}

/// Writes a message of one line for people to the error stream.
pub(super) fn print_note(message: impl Display) {
    print_notes(&Lines::from_iter([message]));
}

/// Writes a message for people to the error stream.
pub(super) fn print_notes(message: &Lines) {
    let mut err = std::io::stderr().lock();
    // When even the error stream is gone there is no other place.
    let _lost = write!(err, "qscope: {}", shown(&words_cut(message.as_str())));
}

/// Refuses standard output for what is written to a file.
///
/// # Errors
/// The name is `-`.
pub(super) fn named_file(path: &std::path::Path, example: &str) -> Result<()> {
    match path.as_os_str() == "-" {
        true => Err(eyre!("-o -: is not written to standard output; name a file, as -o {example}")),
        false => Ok(()),
    }
}
