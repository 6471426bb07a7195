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

/// Returns the number of columns of text lines: that in `COLUMNS`, else that of the terminal, which is 80 if it states
/// none; `None` if the output goes elsewhere.
pub(in crate::command) fn columns() -> Option<usize> {
    const LEAST: usize = 20;
    const USUAL: usize = 80;
    // Serial lines and terminals of containers state a size of 0.
    let is_known = |columns: &usize| *columns > 0;
    let stated = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).filter(is_known);
    let terminal = || {
        let size = standard_output().is_terminal().then(qscope_console::terminal::size)?;
        Some(size.map(|(columns, _)| usize::from(columns)).filter(is_known).unwrap_or(USUAL))
    };
    stated.or_else(terminal).map(|columns| columns.max(LEAST))
}

/// Returns a text as this process's locale can show it.
pub(super) fn printable(text: &str) -> Cow<'_, str> {
    if locale::is_utf8_here() { Cow::Borrowed(text) } else { in_ascii(text) }
}
