//! Writes to the standard streams: lines and JSON, never raw text. Only the progress line of `meter` is written elsewhere.

mod about;
mod terminal;

use std::fmt::Display;
use std::io::{BufWriter, Stdout, Write};

use color_eyre::eyre::{Result, eyre};
use serde::Serialize;

use super::long_lines::{cut_long_lines, words_cut};
use qscope_exits::{Lines, OpenMetrics, json as written};

pub(super) use about::{AnswerContext, UnreadableFile, unreadable, warnings, what_if_heading};
use terminal::printable;
pub(super) use terminal::{columns, has_reader, is_terminal, ring, takes_styles};

/// Number of bytes of JSON that are written at once.
const BUFFER: usize = 1 << 16;

/// Writes a whole text answer; very long lines are cut. A closed pipe is not an error.
///
/// # Errors
/// If the stream cannot be written for another reason.
pub(super) fn print(text: &Lines) -> Result<()> {
    write(&printable(&cut_long_lines(text.as_str())))
}

/// Writes metrics.
///
/// # Errors
/// If the stream cannot be written for a reason other than a closed pipe.
pub(super) fn print_metrics(metrics: &OpenMetrics) -> Result<()> {
    write(metrics.as_str())
}

/// Writes a text at once; returns whether there is still a reader.
pub(super) fn try_write(text: &Lines) -> bool {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_str().as_bytes()).and_then(|()| out.flush()).is_ok()
}

/// Returns the standard output.
fn standard_output() -> Stdout {
    std::io::stdout()
}

fn write(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    unless_closed(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Returns the result of writing, but no error if the reader has closed the pipe.
fn unless_closed(written: std::io::Result<()>) -> Result<()> {
    match written {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

/// Writes a text about a snapshot, below its heading.
pub(super) fn print_about<'a>(about: impl Into<AnswerContext<'a>>, text: &Lines) -> Result<()> {
    let mut all = about.into().heading();
    all.append(text);
    print(&all)
}

/// A JSON answer with the settings of its what-if, if any.
#[derive(Serialize)]
pub(super) struct WhatIfJson<T> {
    #[serde(flatten)]
    answer: T,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    what_if: Vec<String>,
}

impl<T> WhatIfJson<T> {
    pub(super) fn new(answer: T, what_if: Vec<String>) -> Self {
        Self { answer, what_if }
    }
}

/// Writes a JSON object about a snapshot, with what must be known about it.
pub(super) fn print_json_about<'a>(
    about: impl Into<AnswerContext<'a>>,
    answer: impl Serialize,
) -> Result<()> {
    print_json(&about.into().label(answer))
}

/// Writes an answer about a snapshot in the requested form, with its heading; the other form is not computed.
pub(super) fn answer<'a, J: Serialize>(
    about: impl Into<AnswerContext<'a>>,
    as_json: bool,
    json: impl FnOnce() -> J,
    text: impl FnOnce() -> Lines,
) -> Result<()> {
    if as_json { print_json_about(about, json()) } else { print_about(about, &text()) }
}

/// Writes a JSON list of objects about a snapshot; each states what must be known about it. Beside an empty list it is
/// written to standard error.
pub(super) fn print_json_list<'a, T: Serialize>(
    about: impl Into<AnswerContext<'a>>,
    list: &[T],
) -> Result<()> {
    let about = about.into();
    if list.is_empty() {
        print_notes_about(&about);
    }
    print_json(&list.iter().map(|item| about.label(item)).collect::<Vec<_>>())
}

/// Writes a JSON value over several lines, while it is serialised.
pub(super) fn print_json(value: &impl Serialize) -> Result<()> {
    let mut out = BufWriter::with_capacity(BUFFER, std::io::stdout().lock());
    let written = written::pretty_to(value, &mut out).map_err(std::io::Error::from);
    unless_closed(written.and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush()))
}

/// Writes a JSON object about a snapshot on one line, with what must be known about it.
pub(super) fn print_json_line_about<'a>(
    about: impl Into<AnswerContext<'a>>,
    answer: impl Serialize,
) -> Result<()> {
    print_json_line(&about.into().label(answer))
}

/// Writes a JSON value on one line.
pub(super) fn print_json_line(value: &impl Serialize) -> Result<()> {
    write(&(written::compact(value)? + "\n"))
}

/// Writes one line of text.
pub(super) fn print_line(line: impl Display) -> Result<()> {
    print(&Lines::from_iter([line]))
}

/// Writes an answer that is about no snapshot in the requested form; the other form is not computed.
pub(super) fn print_json_or_text<J: Serialize>(
    as_json: bool,
    json: impl FnOnce() -> J,
    text: impl FnOnce() -> Lines,
) -> Result<()> {
    if as_json { print_json(&json()) } else { print(&text()) }
}

/// Writes the heading of an answer to standard error, for answers that are tables for programs.
pub(super) fn print_notes_about(about: &AnswerContext<'_>) {
    let heading = about.heading();
    if !heading.is_blank() {
        print_notes(&heading);
    }
}

/// Writes a message of one line to standard error.
pub(super) fn print_note(message: impl Display) {
    print_notes(&Lines::from_iter([message]));
}

/// Writes a message to standard error.
pub(super) fn print_notes(message: &Lines) {
    let mut err = std::io::stderr().lock();
    // If even standard error is closed, there is nowhere else to write.
    let _lost = write!(err, "qscope: {}", printable(&words_cut(message.as_str())));
}

/// Rejects standard output as the target of what is written to a file.
///
/// # Errors
/// If the name is `-`.
pub(super) fn named_file(path: &std::path::Path, example: &str) -> Result<()> {
    match path.as_os_str() == "-" {
        true => Err(eyre!("-o -: is not written to standard output; name a file, as -o {example}")),
        false => Ok(()),
    }
}
