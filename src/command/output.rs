//! The one place that writes to the standard streams.

use std::io::Write;

use color_eyre::eyre::Result;
use serde_json::Value;

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
    let _unheard = writeln!(err, "qscope: {}", crate::console::widgets::text::clean_lines(message));
}
