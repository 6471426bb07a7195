//! The strip: the whole cycle in one or two lines, with a sign for each step's verdict and a mark for the position.
//!
//! ```text
//! ┗━◷──◷──◷──✓▲─✓━━━━━┛          one row, on the border
//! ┃ ◷───◷───◷───✓───✓            two rows in a high view: signs,
//! ┃     a       ▲       5        and below them marks, the position, every fifth number
//! ```
//! Where the steps do not fit, a cell represents several, and shows the worst of their verdicts.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::draw_context::DrawContext;
use crate::layout::cells;
use crate::theme::Role;
use qscope_engine::cluster::Id;
use qscope_engine::cycle::StepIx;

/// Minimum rows of the view for a strip of two rows.
const HIGH: u16 = 26;

/// Columns for the number of steps per cell, ` ×12`.
const FOLDED: usize = 6;

/// Number of rows of the strip in a view of `height` rows; a single row is drawn on the border.
pub(super) fn rows(steps: usize, height: u16) -> u16 {
    match steps {
        0 => 0,
        _ if height >= HIGH => 2,
        _ => 1,
    }
}

/// Maps steps to columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StripScale {
    /// Steps per cell.
    per_cell: usize,
    /// Columns from one cell to the next.
    pitch: usize,
}

impl StripScale {
    pub(super) fn new(steps: usize, columns: usize) -> Self {
        if columns == 0 || steps > columns {
            let columns = columns.saturating_sub(FOLDED).max(1);
            return Self { per_cell: steps.div_ceil(columns).max(1), pitch: 1 };
        }
        let pitch = (columns / steps.max(1)).clamp(1, 4);
        Self { per_cell: 1, pitch }
    }

    fn column(self, step: usize) -> usize {
        step / self.per_cell * self.pitch
    }

    /// The first step of the cell under a column.
    fn step_at(self, column: usize, steps: usize) -> Option<StepIx> {
        let step = column / self.pitch * self.per_cell;
        (step < steps).then(|| StepIx::at(step))
    }
}

/// Draws the strip over the last rows of a pane's inside, or over its lower border.
pub(super) fn draw(context: DrawContext<'_>, pane: Rect, height: u16, buf: &mut Buffer) {
    let (screen, theme) = (context.screen(), context.theme);
    let verdicts = &screen.summary().verdicts;
    let rows = rows(verdicts.len(), height);
    if rows == 0 || pane.height < 4 || pane.width < 8 {
        return;
    }
    let columns = usize::from(pane.width.saturating_sub(5));
    let scale = StripScale::new(verdicts.len(), columns);
    let y = pane.bottom().saturating_sub(if rows == 2 { 3 } else { 1 });
    let between = theme.by_set("─", "-");
    for (cell, roles) in verdicts.chunks(scale.per_cell).enumerate() {
        let role = worst(roles);
        let x = pane.x.saturating_add(2 + cells(cell * scale.pitch));
        buf.set_stringn(x, y, theme.glyph(role), 1, theme.style(role));
        for gap in 1..scale.pitch {
            let x = x.saturating_add(u16::try_from(gap).unwrap_or(0));
            buf.set_stringn(x, y, between, 1, theme.style(Role::Border));
        }
    }
    let below = StripMarks { drawing: context, scale, pane, steps: verdicts.len() };
    if rows == 2 { below.draw(y + 1, buf) } else { below.draw_beside(y, buf) }
}

/// The position after the step at that place of the strip; `None` outside the strip.
pub(super) fn step_under(at: Position, pane: Rect, height: u16, steps: usize) -> Option<usize> {
    let rows = rows(steps, height);
    let y = pane.bottom().saturating_sub(if rows == 2 { 3 } else { 1 });
    let on_it = rows > 0 && (y..y + rows).contains(&at.y);
    let column = at.x.checked_sub(pane.x + 2).filter(|_| on_it)?;
    let scale = StripScale::new(steps, usize::from(pane.width.saturating_sub(5)));
    scale.step_at(usize::from(column), steps).map(|step| step.ix() + 1)
}

/// The worst verdict of some steps: never, then wait, then run.
fn worst(roles: &[Role]) -> Role {
    let rank = |role: &&Role| match role {
        Role::VerdictNever => 3,
        Role::VerdictWait => 2,
        Role::VerdictRun => 1,
        _ => 0,
    };
    roles.iter().max_by_key(rank).copied().unwrap_or(Role::Verdict)
}

/// What is drawn below the signs.
struct StripMarks<'a> {
    drawing: DrawContext<'a>,
    scale: StripScale,
    pane: Rect,
    steps: usize,
}

impl StripMarks<'_> {
    fn column_of_step(&self, step: usize) -> u16 {
        self.pane.x.saturating_add(2 + cells(self.scale.column(step)))
    }

    /// The marks, each with the last step made when it was set.
    fn letters(&self) -> impl Iterator<Item = (char, usize)> {
        let marks = self.drawing.cx.cycle_marks.iter().filter(|(letter, _)| letter.is_alphanumeric());
        marks.filter_map(|(letter, mark)| Some((*letter, mark.position?.checked_sub(1)?)))
    }

    /// Draws in a row of its own: numbers, breakpoints, marks, the position.
    fn draw(&self, y: u16, buf: &mut Buffer) {
        let theme = self.drawing.theme;
        let right = self.pane.right().saturating_sub(2);
        let every = (1..).map(|n| 5 * n).find(|every| every * self.scale.pitch / self.scale.per_cell >= 8);
        let every = every.unwrap_or(5);
        for step in (every..=self.steps).step_by(every) {
            let (x, text) = (self.column_of_step(step - 1), step.to_string());
            if usize::from(right.saturating_sub(x)) >= text.len() {
                buf.set_stringn(x, y, &text, text.len(), theme.style(Role::TextDim));
            }
        }
        self.stops(0, y, buf);
        self.letters_at(y, buf);
        if let Some(last) = self.drawing.cx.position().checked_sub(1) {
            let here = theme.by_set("▲", "^");
            buf.set_stringn(self.column_of_step(last), y, here, 1, theme.style(Role::StepHere));
        }
        self.draw_scale(y, buf);
    }

    /// Draws the number of steps per cell at the right end.
    fn draw_scale(&self, y: u16, buf: &mut Buffer) {
        if self.scale.per_cell > 1 {
            let theme = self.drawing.theme;
            let text = format!("×{}", self.scale.per_cell).replace('×', theme.by_set("×", "x"));
            let columns = cells(text.chars().count());
            let x = self.pane.right().saturating_sub(2 + columns);
            buf.set_stringn(x, y, &text, usize::from(columns), theme.style(Role::TextDim));
        }
    }

    /// Draws the breakpoints, `before` columns before their steps.
    fn stops(&self, before: u16, y: u16, buf: &mut Buffer) {
        let theme = self.drawing.theme;
        let stops = self.drawing.cx.breakpoint_steps.iter().filter_map(|step| step.checked_sub(1));
        for step in stops.filter(|step| *step < self.steps) {
            let x = self.column_of_step(step).saturating_sub(before);
            buf.set_stringn(x, y, theme.by_set("●", "*"), 1, theme.style(Role::Key));
        }
    }

    fn letters_at(&self, y: u16, buf: &mut Buffer) {
        let theme = self.drawing.theme;
        for (letter, step) in self.letters() {
            buf.set_stringn(
                self.column_of_step(step),
                y,
                letter.encode_utf8(&mut [0; 4]),
                1,
                theme.style(Role::Key),
            );
        }
    }

    /// Draws on the border: marks replace signs, a breakpoint goes before its sign and the position after it; without
    /// gaps, a breakpoint replaces its sign, and the sign of the position is reversed.
    fn draw_beside(&self, y: u16, buf: &mut Buffer) {
        let theme = self.drawing.theme;
        self.stops(u16::from(self.scale.pitch > 1), y, buf);
        self.letters_at(y, buf);
        self.draw_scale(y, buf);
        let Some(last) = self.drawing.cx.position().checked_sub(1) else { return };
        if self.scale.pitch > 1 {
            let here = theme.by_set("▲", "^");
            buf.set_stringn(self.column_of_step(last) + 1, y, here, 1, theme.style(Role::StepHere));
        } else if let Some(cell) = buf.cell_mut((self.column_of_step(last), y)) {
            cell.set_style(ratatui::style::Style::new().reversed());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use qscope_engine::cluster::Id;

    #[test]
    fn steps_spread_over_the_width_or_share_cells() {
        assert_eq!(StripScale::new(19, 75), StripScale { per_cell: 1, pitch: 3 });
        assert_eq!(StripScale::new(5, 75), StripScale { per_cell: 1, pitch: 4 });
        assert_eq!(StripScale::new(200, 75), StripScale { per_cell: 3, pitch: 1 });
        assert_eq!(StripScale::new(0, 0).per_cell, 1);
        assert_eq!(StripScale::new(19, 75).step_at(3, 19).map(Id::ix), Some(1));
        assert_eq!(StripScale::new(19, 75).step_at(70, 19), None);
    }

    #[test]
    fn the_worst_verdict_of_a_cell_is_seen() {
        assert_eq!(worst(&[Role::VerdictRun, Role::VerdictNever, Role::VerdictWait]), Role::VerdictNever);
        assert_eq!(worst(&[Role::VerdictRun, Role::VerdictWait]), Role::VerdictWait);
        assert_eq!(worst(&[Role::VerdictRun]), Role::VerdictRun);
    }
}
