//! The ramp map: nodes in groups, with a cell for one node or for several, whose height is the free share (console.md
//! 4).
//!
//! ```text
//! ncpus=16 priority=10   0 of 8   free  · · · · · · · ·
//! ncpus=32 ngpus=4       3 of 8   free [!]· · · · █ █ █
//! ```
//! The cursor is drawn around its cell and hides nothing. Each state has its own glyph; free shares have one colour.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::cell_text::{put, put_sign};
use super::text::{Align, clean, distinguish_label, fit, width};
use crate::theme::{Role, Theme};

mod layout;
mod legend;

pub(crate) use layout::{GroupExtent, RampRow, RampShape};
pub(crate) use legend::{legend, legend_of_signs};

/// Possible numbers of nodes per cell: few, so that the scale seldom changes.
pub(crate) const STEPS: [usize; 12] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];

/// The role of the brackets around the cursor's cell.
const CURSOR_ROLE: Role = Role::NodeTaken;

/// The content of a cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RampCell {
    /// The free share in eighths; 0 is full.
    Free(u8),
    /// Free now, and planned for something.
    Planned,
    /// A node in the cell is out of service.
    OutOfService,
}

impl RampCell {
    /// The sign of a mean free share, from 0 to 1; the full glyph is reserved for what is entirely free.
    pub(crate) fn of_share(mean: f64) -> Self {
        let eighths = (1u8..=8).rev().find(|eighths| mean * 8.0 + 0.5 >= f64::from(*eighths));
        let most = if mean < 1.0 { 7 } else { 8 };
        Self::Free(eighths.unwrap_or(u8::from(mean > 0.0)).min(most))
    }

    /// Its glyphs in Unicode and in ASCII.
    fn glyphs(self) -> (&'static str, &'static str) {
        match self {
            Self::Free(eighths) => RAMP.get(usize::from(eighths)).copied().unwrap_or(("█", "8")),
            Self::Planned => ("▒", "p"),
            Self::OutOfService => ("!", "!"),
        }
    }

    /// Its glyph within a text, which is converted to the theme's glyph set when it is drawn.
    pub(crate) fn in_text(self) -> &'static str {
        // A dot of a picture, unlike one between words.
        if self == Self::Free(0) { "∙" } else { self.glyphs().0 }
    }
}

/// A group of cells with its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RampGroup {
    pub(crate) label: String,
    /// The name of its first node, which distinguishes its label from others that are cut to the same text; or empty.
    pub(crate) first: String,
    /// How many of its nodes are free.
    pub(crate) note: String,
    pub(crate) cells: Vec<RampCell>,
}

impl RampGroup {
    /// The sizes of its parts.
    pub(crate) fn extent(&self) -> GroupExtent {
        GroupExtent { label: width(&self.label), note: width(&self.note), cells: self.cells.len() }
    }
}

/// A cell, by its group and its index there.
pub(crate) type RampIndex = (usize, usize);

/// The inputs for drawing a map.
pub(crate) struct Ramp<'a> {
    pub(crate) groups: &'a [RampGroup],
    pub(crate) shape: RampShape,
    pub(crate) cursor: Option<RampIndex>,
    pub(crate) theme: &'a Theme,
}

impl Ramp<'_> {
    /// Draws rows from the top of the area.
    pub(crate) fn render(&self, rows: &[RampRow], area: Rect, buf: &mut Buffer) {
        for (row, at) in rows.iter().zip(area.intersection(buf.area).rows()) {
            self.row(*row, at, buf);
        }
    }

    fn row(&self, row: RampRow, at: Rect, buf: &mut Buffer) {
        let Some(group) = self.groups.get(row.group) else { return };
        let here = self.cursor.filter(|(group, _)| *group == row.group);
        if row.first == 0 {
            let role = if here.is_some() { Role::Heading } else { Role::Text };
            let columns = usize::from(self.shape.label);
            let is_of_several = |kept: &str| {
                self.groups.iter().filter(|other| other.label.starts_with(kept)).nth(1).is_some()
            };
            let room = (columns, self.theme.ellipsis());
            let label = distinguish_label(&group.label, &group.first, room, is_of_several);
            self.text(buf, (at.x, at.y), self.shape.label, &label, Align::Left, role);
            let x = at.x.saturating_add(self.shape.label + 1);
            self.text(buf, (x, at.y), self.shape.note, &group.note, Align::Right, Role::TextDim);
        }
        let cursor = here.and_then(|(_, cell)| cell.checked_sub(row.first)).filter(|cell| *cell < row.cells);
        let mut x = self.shape.start(at);
        let mut next = |sign: &str, style: Style| {
            if x < at.right() {
                put_sign(buf, (x, at.y), sign, style);
            }
            x = x.saturating_add(1);
        };
        let bracket = self.theme.style(CURSOR_ROLE);
        for (place, sign) in group.cells.iter().skip(row.first).take(row.cells).enumerate() {
            let (glyph, role) = glyph_and_role(*sign, self.theme);
            let is_here = cursor == Some(place);
            let is_after = place > 0 && cursor == Some(place - 1);
            match (self.shape.spaced, is_here, is_after) {
                (_, true, _) => next("[", bracket),
                (true, _, true) => next("]", bracket),
                (true, ..) => next(" ", Style::new()),
                (false, ..) => {}
            }
            next(glyph, self.theme.style(role));
            let is_last = place + 1 == row.cells;
            if is_here && (is_last || !self.shape.spaced) {
                next("]", bracket);
            }
        }
    }

    fn text(&self, buf: &mut Buffer, (x, y): (u16, u16), columns: u16, text: &str, align: Align, role: Role) {
        let text = fit(&clean(text), usize::from(columns), align, self.theme.ellipsis());
        put(buf, (x, y), &text, usize::from(columns), self.theme.style(role));
    }
}

/// The glyphs of free shares in eighths, in Unicode and in ASCII.
const RAMP: [(&str, &str); 9] = [
    ("·", "."),
    ("▁", "1"),
    ("▂", "2"),
    ("▃", "3"),
    ("▄", "4"),
    ("▅", "5"),
    ("▆", "6"),
    ("▇", "7"),
    ("█", "8"),
];

/// The glyph and role of a sign.
pub(crate) fn glyph_and_role(sign: RampCell, theme: &Theme) -> (&'static str, Role) {
    let (unicode, ascii) = sign.glyphs();
    let role = match sign {
        RampCell::Free(0) => Role::NodeBusy,
        RampCell::Free(_) => Role::NodeFree,
        RampCell::Planned => Role::NodeLater,
        RampCell::OutOfService => Role::NodeDown,
    };
    (theme.by_set(unicode, ascii), role)
}

/// The row at a place on the screen.
pub(crate) fn row_at(rows: &[RampRow], offset: usize, area: Rect, at: Position) -> Option<RampRow> {
    let line = usize::from(at.y.checked_sub(area.y)?);
    rows.get(offset + line).copied().filter(|_| area.contains(at))
}

#[cfg(test)]
mod tests;
