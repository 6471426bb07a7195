//! The one place that writes to the standard streams.

use std::io::Write;

use color_eyre::eyre::Result;
use serde_json::Value;

use super::fold::folded;
use crate::console::widgets::text::clean_lines;
use crate::session::Generation;

/// Writes a whole answer. A reader that went away is not an error.
///
/// # Errors
/// The stream cannot be written for another reason.
pub(super) fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

/// Writes a text with words of the input in it: control characters are shown, not sent, and very long lines are cut.
///
/// # Errors
/// As [`print`].
pub(super) fn print_clean(text: &str) -> Result<()> {
    print(&folded(&clean_lines(text)))
}

/// Writes a text about a generation, which says first whether that is a what-if.
///
/// # Errors
/// As [`print`].
pub(super) fn print_about(generation: &Generation, text: &str) -> Result<()> {
    print_clean(&(heading(generation) + text))
}

/// What stands above every answer to a what-if, and what there is to say about its settings.
pub(super) fn heading(generation: &Generation) -> String {
    let Some(what_if) = &generation.what_if else { return String::new() };
    let notes: String = what_if.notes.iter().map(|note| format!("note: {note}\n")).collect();
    format!("WHAT IF {} (not the live cycle)\n{notes}\n", what_if.settings.join(", "))
}

/// Writes JSON about a generation: in a what-if every object on top has `what_if`, its settings.
///
/// # Errors
/// As [`print`].
pub(super) fn print_json_about(generation: &Generation, mut value: Value) -> Result<()> {
    if let Some(what_if) = &generation.what_if {
        let label = |value: &mut Value| {
            if let Some(object) = value.as_object_mut() {
                object.insert("what_if".to_owned(), what_if.settings.as_slice().into());
            }
        };
        match &mut value {
            Value::Array(items) => items.iter_mut().for_each(label),
            other => label(other),
        }
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

/// Writes a JSON value and a newline.
///
/// # Errors
/// As [`print`].
pub(super) fn print_json(value: &Value) -> Result<()> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    print(&text)
}

/// Writes a message for people to the error stream.
pub(super) fn complain(message: &str) {
    let mut err = std::io::stderr().lock();
    // When even the error stream is gone there is nobody left to tell.
    let _unheard = writeln!(err, "qscope: {}", folded(&clean_lines(message)));
}
