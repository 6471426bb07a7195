//! The destination of the output: a terminal with its columns and styles, or a pipe that may have lost its reader.

use std::borrow::Cow;
use std::io::IsTerminal;

use color_eyre::eyre::Result;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::standard_output;
use qscope_exits::in_ascii;
use qscope_system::locale;

/// Returns whether the output still has a reader: false once the other end of a pipe is closed.
pub(in crate::command) fn has_reader() -> bool {
    let out = standard_output();
    // Errors are reported in any case, so no events are requested.
    let mut ends = [PollFd::new(&out, PollFlags::empty())];
    let polled = poll(&mut ends, Some(&Timespec::default()));
    polled.is_err() || !ends.iter().any(|end| end.revents().intersects(PollFlags::ERR | PollFlags::HUP))
}

/// Returns whether the output goes to a terminal.
pub(in crate::command) fn is_terminal() -> bool {
    standard_output().is_terminal()
}

/// Returns whether the output goes to a terminal that accepts styles; `NO_COLOR` and `TERM=dumb` refuse them.
pub(in crate::command) fn takes_styles() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
        || std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    standard_output().is_terminal() && !refused
}

/// Rings the bell of the terminal; in other outputs it would be a stray character.
pub(in crate::command) fn ring() -> Result<()> {
    if standard_output().is_terminal() { super::write("\u{7}") } else { Ok(()) }
}

/// Returns the number of columns of text lines: that in `COLUMNS`, else that of the terminal; `None` if the output
/// goes elsewhere.
pub(in crate::command) fn columns() -> Option<usize> {
    const LEAST: usize = 20;
    let stated = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = || {
        let columns = standard_output().is_terminal().then(qscope_console::terminal::size);
        columns.flatten().map(|(columns, _)| usize::from(columns))
    };
    stated.or_else(terminal).map(|columns| columns.max(LEAST))
}

/// Returns a text as this process's locale can show it.
pub(super) fn printable(text: &str) -> Cow<'_, str> {
    if locale::is_utf8_here() { Cow::Borrowed(text) } else { in_ascii(text) }
}
