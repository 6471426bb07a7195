//! The position bar: the whole cycle in one line, a sign for each step's verdict, the step made last reversed.
//!
//! ```text
//! ┗━ ✓✓✓▸✓✓◷◷✓◷✗ ━━━━━┛
//! ```
//! Where steps do not fit, a cell stands for several: their common verdict, or that they differ.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::draw::Drawing;
use crate::theme::Role;

/// Draws the bar over the lower line of a pane; marks stand there by their letters.
pub(super) fn draw(drawing: Drawing<'_>, pane: Rect, buf: &mut Buffer) {
    let (screen, marks, theme) = (drawing.screen(), drawing.world.marks, drawing.theme);
    let room = usize::from(pane.width.saturating_sub(6));
    let len = screen.summary.verdicts.len();
    if room == 0 || len == 0 || pane.height < 2 {
        return;
    }
    let per_cell = len.div_ceil(room);
    let here = screen.debugger.position().checked_sub(1).map(|last| last / per_cell);
    let y = pane.bottom().saturating_sub(1);
    let letter_at = |cell: usize| {
        let mut named = marks.iter().filter(|(letter, _)| letter.is_alphanumeric());
        named.find(|(_, mark)| {
            let last = mark.done.and_then(|done| done.checked_sub(1));
            last.map(|last| last / per_cell) == Some(cell)
        })
    };
    let cells = screen.summary.verdicts.chunks(per_cell).enumerate();
    for ((cell, verdicts), x) in cells.zip(pane.x + 3..) {
        let role = common(verdicts);
        let style = theme.style(role);
        let style = if Some(cell) == here { style.reversed() } else { style };
        match letter_at(cell) {
            Some((letter, _)) => {
                let style = theme.style(Role::Key);
                let style = if Some(cell) == here { style.reversed() } else { style };
                buf.set_stringn(x, y, letter.encode_utf8(&mut [0; 4]), 1, style);
            }
            None => {
                buf.set_stringn(x, y, theme.glyph(role), 1, style);
            }
        }
    }
}

/// The common verdict of some steps.
fn common(verdicts: &[Role]) -> Role {
    match verdicts.split_first() {
        None => Role::Verdict,
        Some((first, rest)) if rest.iter().all(|role| role == first) => *first,
        Some(_) => Role::NodeMixed,
    }
}
