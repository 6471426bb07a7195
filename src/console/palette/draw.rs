//! The box of the command line.

use std::borrow::Cow;

use super::entry::PaletteEntry;
use super::{KEYS, LEAST_NAME, MAX_WIDTH, Palette, WIDTH};
use crate::layout::{cells, inner_area};
use crate::story::wrap_text;
use crate::theme::{Role, Theme};
use crate::widgets::frame;
use crate::widgets::text::{Align, clean, fit, in_set, truncate, width};
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

impl Palette {
    /// Draws the palette over the area.
    pub(crate) fn render(&self, area: Rect, buf: &mut Buffer, theme: &Theme) {
        let (wide, high) = self.size(area);
        let place = frame::overlay(area, buf, theme, "Command", wide, high);
        let mut rows = place.rows();
        let Some(first) = rows.next() else { return };
        let typed = Line::from(vec![
            Span::styled(":", theme.style(Role::Key)),
            Span::styled(clean(self.prompt.text()).into_owned(), theme.style(Role::Text)),
            Span::styled(" ", theme.style(Role::Text).reversed()),
        ]);
        typed.render(first, buf);
        let mut rows: Vec<Rect> = rows.collect();
        let last = self.last_lines(theme, usize::from(place.width));
        // At least one entry stays visible.
        let below = rows.split_off(rows.len().saturating_sub(last.len()).max(1).min(rows.len()));
        for (line, row) in last.into_iter().zip(below) {
            line.render(row, buf);
        }
        let (top, page) = self.page(rows.len());
        // Names get what they need, up to half the width or what the descriptions leave, because names are what the
        // user reads.
        let longest = |of: fn(&PaletteEntry) -> &str| {
            self.found.iter().map(|found| width(&clean(of(found)))).max().unwrap_or(0)
        };
        let left = usize::from(place.width)
            .saturating_sub(longest(|found| &found.doc) + longest(|found| &found.keys) + AROUND_NAME);
        let most = usize::from(place.width / 2).max(left).max(LEAST_NAME);
        let name = longest(|found| &found.name).clamp(LEAST_NAME, most);
        let docs =
            self.found.iter().filter(|found| !found.job_summary.is_empty()).map(|found| width(&found.doc));
        let columns = PaletteWidths { name, doc: docs.max().unwrap_or(0), all: usize::from(place.width) };
        let below = self.found.len().saturating_sub(top + page);
        frame::more_below_inside(below, place, buf, theme);
        for ((at, found), row) in self.found.iter().enumerate().skip(top).zip(rows) {
            let mark = if at == self.selected { theme.glyph(Role::Cursor) } else { " " };
            line(found, mark, theme, columns).render(row, buf);
            if at == self.selected {
                buf.set_style(row, theme.style(Role::Cursor));
            }
        }
    }

    /// The width and height of the box.
    fn size(&self, area: Rect) -> (u16, u16) {
        let width = WIDTH.max(area.width.saturating_sub(24).min(MAX_WIDTH));
        let last = self.last_text().map_or(1, |wrong| wrap_text(&wrong, usize::from(width - 2)).len());
        let height = cells(self.found.len().clamp(1, 14) + 3 + last);
        (width, height.clamp(5, area.height.saturating_sub(4).max(5)))
    }

    pub(crate) fn place(&self, area: Rect) -> Rect {
        let (width, height) = self.size(area);
        frame::overlay_place(area, width, height)
    }

    /// Returns the first entry visible in this number of rows, and how many are visible.
    fn page(&self, rows: usize) -> (usize, usize) {
        let page = rows.max(1);
        ((self.selected + 1).saturating_sub(page), page)
    }

    /// Puts the cursor on the entry at a position; returns whether there is one.
    pub(crate) fn pick(&mut self, at: Position, area: Rect) -> bool {
        // The first row is the input; the last ones show the keys, or what is wrong.
        let inside = inner_area(self.place(area));
        let last = self.last_text().map_or(1, |wrong| wrap_text(&wrong, usize::from(inside.width)).len());
        let (top, page) = self.page(usize::from(inside.height).saturating_sub(1 + last));
        self.choose(frame::row_below_first(inside, at).filter(|row| *row < page).map(|row| top + row))
    }

    /// What is wrong with the line, if anything.
    fn last_text(&self) -> Option<Cow<'_, str>> {
        let error = self.error.as_deref().map(clean);
        error.or_else(|| self.prompt.refusal().map(Cow::Owned))
    }

    /// The lines at the bottom: what is wrong with the input, wrapped, or else the keys.
    pub(super) fn last_lines(&self, theme: &Theme, columns: usize) -> Vec<Line<'static>> {
        if let Some(wrong) = self.last_text() {
            let styled = |line: String| Line::styled(line, theme.style(Role::Error));
            return wrap_text(&wrong, columns).into_iter().map(styled).collect();
        }
        let keys = ["Tab completes", "Enter runs", "Alt-Enter why", "Up history"].join(theme.dot());
        let keys = truncate(&keys, columns, theme.ellipsis()).into_owned();
        vec![Line::styled(keys, theme.style(Role::TextDim))]
    }
}

/// The widths of the parts of a line.
#[derive(Debug, Clone, Copy)]
struct PaletteWidths {
    name: usize,
    /// Width of a job's verdict, before what it requests.
    doc: usize,
    all: usize,
}

/// The mark before a name, a blank after it, and one before the keys.
const AROUND_NAME: usize = 3;
/// Minimum width for what a job requests; with less room it is omitted.
const LEAST_ASKS: usize = 14;

fn line(entry: &PaletteEntry, mark: &str, theme: &Theme, columns: PaletteWidths) -> Line<'static> {
    let PaletteWidths { name, doc, all } = columns;
    let glyphs = theme.theme_options().glyphs;
    // Most have one key or none: a column for the longest keys would take room from the text.
    let spare = all.saturating_sub(name + 3 + width(&entry.doc));
    let keys = width(&entry.keys).min(spare.max(KEYS));
    let room = all.saturating_sub(name + keys + 3);
    let name = fit(&clean(&entry.name), name, Align::Left, theme.ellipsis());
    let left = room.saturating_sub(doc + 2);
    let text = match entry.job_summary.is_empty() || left < LEAST_ASKS {
        true => entry.doc.clone(),
        false => format!("{}  {}", fit(&clean(&entry.doc), doc, Align::Left, ""), entry.job_summary),
    };
    let text = clean(&text);
    let text = fit(&in_set(&text, glyphs), room, Align::Left, theme.ellipsis());
    let keys = fit(&entry.keys, keys, Align::Right, theme.ellipsis());
    Line::from(vec![
        Span::styled(format!("{mark}{name} "), theme.style(Role::Text)),
        Span::styled(text, theme.style(Role::TextDim)),
        Span::styled(format!(" {keys}"), theme.style(Role::Key)),
    ])
}
