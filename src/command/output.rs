//! The one place that writes to the standard streams: lines and JSON, nothing raw.

use std::io::Write;

use color_eyre::eyre::Result;
use serde_json::{Map, Value, json};

use super::fold::folded;
use qscope_engine::cluster::{Diagnostic, Snapshot};
use qscope_exits::{Lines, json as written};
use qscope_session::{Generation, WhatIf};

/// What an answer is about: what stands above it follows from this.
pub(super) struct About<'a> {
    snapshot: &'a Snapshot,
    what_if: Option<&'a WhatIf>,
}

impl<'a> From<&'a Generation> for About<'a> {
    fn from(generation: &'a Generation) -> Self {
        Self { snapshot: &generation.snapshot, what_if: generation.what_if.as_deref() }
    }
}

impl<'a> From<&'a Snapshot> for About<'a> {
    fn from(snapshot: &'a Snapshot) -> Self {
        Self { snapshot, what_if: None }
    }
}

impl About<'_> {
    /// The lines above an answer for people: which files it lacks, and whether it is one to a what-if.
    fn heading(&self) -> Lines {
        let mut lines = warnings(self.snapshot);
        if let Some(what_if) = self.what_if {
            lines.line(format_args!("WHAT IF {} (not the live cycle)", what_if.settings.join(", ")));
            lines.extend(what_if.notes.iter().map(|note| format!("note: {note}")));
            lines.blank();
        }
        lines
    }

    /// The same for programs: keys of every object on top, there only if there is something to say.
    fn label(&self, value: &mut Value) {
        let Some(object) = value.as_object_mut() else { return };
        if let Some(what_if) = self.what_if {
            object.insert("what_if".to_owned(), what_if.settings.as_slice().into());
        }
        label_unreadable(object, "unreadable", self.snapshot);
    }
}

/// Puts the files that are there and could not be read under a key, if there are any.
pub(super) fn label_unreadable(object: &mut Map<String, Value>, key: &str, snapshot: &Snapshot) {
    let file = |said: &Diagnostic| json!({"file": &*said.file, "why": said.message});
    let unreadable: Vec<Value> = snapshot.unreadable().map(file).collect();
    if !unreadable.is_empty() {
        object.insert(key.to_owned(), unreadable.into());
    }
}

/// A line for each file that is there and could not be read.
pub(super) fn warnings(snapshot: &Snapshot) -> Lines {
    snapshot.unreadable().map(|said| format!("warning: {said}; the answer is without it")).collect()
}

/// Writes a whole answer for people; very long lines are cut. A reader that went away is not an error.
///
/// # Errors
/// The stream cannot be written for another reason.
pub(super) fn print(text: &Lines) -> Result<()> {
    write(&folded(text.as_str()))
}

fn write(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

/// Writes a text about a generation or a snapshot, under what is to be known first.
///
/// # Errors
/// As [`print`].
pub(super) fn print_about<'a>(about: impl Into<About<'a>>, text: &Lines) -> Result<()> {
    let mut all = about.into().heading();
    all.append(text);
    print(&all)
}

/// Writes JSON about a generation or a snapshot; every object on top says what is to be known first.
///
/// # Errors
/// As [`print`].
pub(super) fn print_json_about<'a>(about: impl Into<About<'a>>, mut value: Value) -> Result<()> {
    let about = about.into();
    match &mut value {
        Value::Array(items) => items.iter_mut().for_each(|item| about.label(item)),
        other => about.label(other),
    }
    print_json(&value)
}

/// Whether the output goes to a terminal that may be given styles; `NO_COLOR` and `TERM=dumb` refuse them.
pub(super) fn takes_styles() -> bool {
    use std::io::IsTerminal;
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
        || std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    std::io::stdout().is_terminal() && !refused
}

/// Writes a JSON value over several lines.
///
/// # Errors
/// As [`print`].
pub(super) fn print_json(value: &Value) -> Result<()> {
    write(&(written::pretty(value)? + "\n"))
}

/// Writes a JSON value on one line.
///
/// # Errors
/// As [`print`].
pub(super) fn print_json_line(value: &Value) -> Result<()> {
    write(&(written::compact(value)? + "\n"))
}

/// Writes a message for people to the error stream.
pub(super) fn complain(message: &Lines) {
    let mut err = std::io::stderr().lock();
    // When even the error stream is gone there is no other place.
    let _lost = write!(err, "qscope: {}", folded(message.as_str()));
}
