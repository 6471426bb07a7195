//! Changes side by side: left, right, and a note.
//!
//! ```text
//! ┃ job or node   left                    right                     note         ┃
//! ┃ started 13                                                                   ┃
//! ┃▸58            ◷ waits                 ✓ runs on cn[018-019]     as modelled  ┃
//! ```

use std::rc::Rc;

use crate::layout::share;
use crate::theme::{Role, Theme};
use crate::widgets::legend::joint;
use crate::widgets::ramp::{RampCell, glyph_and_role};
use crate::widgets::table::{Cell, SortKey, TableColumn, Width};
use qscope_session::compare::changes::{ChangeLine, ChangeSide, SideStyle};

/// Below this width notes are left out.
const NARROW: u16 = 64;

/// The columns of rows that may be changes, in a table of that width; other rows are headings. Nodes have their map
/// sign on each side.
pub(super) fn columns<'a, R>(
    change: fn(&R) -> Option<&ChangeLine>,
    signs: fn(&R) -> [Option<RampCell>; 2],
    theme: &'a Theme,
    width: u16,
) -> Vec<TableColumn<'a, Rc<R>>> {
    let side = move |title: &'static str, width, keep, side: fn(&ChangeLine) -> &ChangeSide, at: usize| {
        let text = move |row: &Rc<R>| change(row).map(|line| side(line).text.clone()).unwrap_or_default();
        TableColumn::words(title, width, keep, move |row: &'a Rc<R>| match change(row) {
            Some(line) => cell(side(line), signs(row).get(at).copied().flatten(), theme),
            None => Cell::new(""),
        })
        // Sorting and export ignore the sign.
        .sorted_by(move |row| SortKey::of_text(&text(row)))
        .valued(move |row| text(row).into())
    };
    // Without room for notes, the right side gets the rest.
    let right = if width < NARROW { Width::Fill(22) } else { Width::Between(22, (width / 2).max(22)) };
    // A setting and its old value have room.
    let left = Width::Between(10, share(width, 3, 10).max(10));
    vec![
        TableColumn::words("job or node", Width::Between(11, 40), 100, move |row: &'a Rc<R>| {
            Cell::new(change(row).map(|line| &*line.name).unwrap_or_default())
        }),
        side("left", left, 95, |line| &line.sides.left, 0),
        side("right", right, 98, |line| &line.sides.right, 1),
        TableColumn::words("note", Width::Fill(12), 60, move |row: &'a Rc<R>| {
            Cell::of(Role::TextDim, change(row).map(|line| &*line.sides.note).unwrap_or_default())
        }),
    ]
}

/// One side with its role and, for verdicts and trouble, the sign of the role; for a node the sign of its free share.
fn cell<'a>(side: &'a ChangeSide, sign: Option<RampCell>, theme: &'a Theme) -> Cell<'a> {
    let text = &*side.text;
    match (side.look, sign) {
        (SideStyle::Plain, Some(sign)) if !text.is_empty() => {
            let (glyph, role) = glyph_and_role(sign, theme);
            // A digit directly before a word would be read as its number.
            let gap = if joint(glyph) == " " { " " } else { ": " };
            return Cell::new(format!("{glyph}{gap}{text}")).with_leading_role(role, 1);
        }
        _ => {}
    }
    match side.look {
        _ if text.is_empty() => Cell::new(""),
        SideStyle::Plain => Cell::new(text),
        SideStyle::Running => Cell::signed(Role::VerdictRun, text),
        SideStyle::Waiting => Cell::signed(Role::VerdictWait, text),
        SideStyle::Never => Cell::signed(Role::VerdictNever, text),
        SideStyle::Muted => Cell::signed(Role::VerdictSkipped, text),
        SideStyle::OutOfService => Cell::signed(Role::NodeDown, text),
    }
}
