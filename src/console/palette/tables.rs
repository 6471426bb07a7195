//! The command line's suggestions about the table on the screen: columns to show or hide, and how a filter may
//! continue.

use super::entry::{MAX_OBJECTS, PaletteEntry};
use super::verb::Verb;
use super::{PaletteColumn, PaletteCommand};
use crate::wording;

/// Suggests columns to show or hide after those already typed, each by the first word of its title.
pub(super) fn of_columns(text: &str, columns: &[PaletteColumn]) -> Vec<PaletteEntry> {
    let (before, typed) = text.split_at(text.rfind(' ').map_or(0, |at| at + 1));
    let sign = |is_shown: bool| if is_shown { '-' } else { '+' };
    let begins = |(title, is_shown): &&PaletteColumn| {
        let name =
            typed.strip_prefix(sign(*is_shown)).or_else(|| (!typed.starts_with(['+', '-'])).then_some(typed));
        name.is_some_and(|name| title.starts_with(name))
    };
    let entry = |(title, is_shown): &PaletteColumn| {
        let word = title.split([',', ' ']).next().unwrap_or(title);
        let object = format!("{before}{}{word}", sign(*is_shown));
        let doc = if *is_shown { "hide" } else { "show" };
        PaletteEntry::new(format!("columns {object}"), doc, PaletteCommand::Run(Verb::Columns, object))
    };
    columns.iter().filter(begins).map(entry).collect()
}

/// Suggests how a filter may continue, with the number of matching rows for values.
pub(super) fn of_filter(offered: Vec<(String, Option<usize>)>) -> Vec<PaletteEntry> {
    let entry = |(text, rows): (String, Option<usize>)| {
        let doc = rows.map_or_else(String::new, |rows| wording::count(rows, "row"));
        PaletteEntry::new(format!("filter {text}"), doc, PaletteCommand::Run(Verb::Filter, text))
    };
    offered.into_iter().take(MAX_OBJECTS).map(entry).collect()
}
