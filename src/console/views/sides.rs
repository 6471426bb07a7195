//! Changes side by side: what stands left, what right, and a note.
//!
//! ```text
//! ┃ job or node   left                    right                     note         ┃
//! ┃ started 13                                                                   ┃
//! ┃▸58            ◷ waits                 ✓ runs on cn[018-019]     as modelled  ┃
//! ```

use std::rc::Rc;

use crate::theme::Role;
use crate::widgets::table::{Cell, TableColumn, Width};
use qscope_session::compare::changes::{ChangeLine, Side, SideLook};

/// Below this width notes are left out.
const NARROW: u16 = 64;

/// The columns of rows that may be changes, in a table so wide; any other row is a heading.
pub(super) fn columns<'a, R>(
    change: fn(&R) -> Option<&ChangeLine>,
    width: u16,
) -> Vec<TableColumn<'a, Rc<R>>> {
    let side = move |row: &'a Rc<R>, side: fn(&ChangeLine) -> &Side| {
        change(row).map_or_else(|| Cell::new(""), |line| cell(side(line)))
    };
    // Where notes have no room beside it, all that is left is the right side's.
    let right = if width < NARROW { Width::Fill(22) } else { Width::Between(22, (width / 2).max(22)) };
    vec![
        TableColumn::words("job or node", Width::Between(11, 40), 100, move |row: &'a Rc<R>| {
            Cell::new(change(row).map(|line| &*line.name).unwrap_or_default())
        }),
        TableColumn::words("left", Width::Between(10, (width / 4).max(10)), 95, move |row| {
            side(row, |line| &line.sides.left)
        }),
        TableColumn::words("right", right, 98, move |row| side(row, |line| &line.sides.right)),
        TableColumn::words("note", Width::Fill(12), 60, move |row: &'a Rc<R>| {
            Cell::of(Role::TextDim, change(row).map(|line| &*line.sides.note).unwrap_or_default())
        }),
    ]
}

/// A side in its role, with the role's sign where it is a verdict or trouble.
fn cell(side: &Side) -> Cell<'_> {
    let text = &*side.text;
    match side.look {
        _ if text.is_empty() => Cell::new(""),
        SideLook::Plain => Cell::new(text),
        SideLook::Runs => Cell::signed(Role::VerdictRun, text),
        SideLook::Waits => Cell::signed(Role::VerdictWait, text),
        SideLook::Never => Cell::signed(Role::VerdictNever, text),
        SideLook::Quiet => Cell::signed(Role::VerdictSkipped, text),
        SideLook::Out => Cell::signed(Role::NodeDown, text),
    }
}
