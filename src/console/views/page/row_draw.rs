//! Draws the rows of a page, and marks the selected link of the line under the cursor.

use std::rc::Rc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Modifier;

use super::rows::{NAME, PageRow};
use super::widest;
use crate::layout::{cells, inner_area};
use crate::theme::{Role, Theme};
use crate::views::list::FilteredList;
use crate::views::names::opens_words;
use crate::widgets::bar::{GAP, bar, length};
use crate::widgets::frame;
use crate::widgets::text::{Align, clean, fit, in_set, truncate, width};

/// Draws the rows inside a pane, and on its border how many are below: as a hint to scroll only if the pane has a
/// cursor. The selected one of several links in the line under the cursor is marked.
pub(super) fn draw_in(
    rows: &FilteredList<PageRow>,
    (focused, link): (Option<bool>, usize),
    pane: Rect,
    buf: &mut Buffer,
    theme: &Theme,
) {
    let inner = inner_area(pane);
    draw(rows, focused, inner, buf, theme);
    if focused == Some(true) {
        mark_link(rows, link, inner, buf);
    }
    match focused {
        Some(focused) => {
            let border = frame::more_below(rows_below(rows, inner), pane, buf, theme);
            let links = rows.selected().filter(|_| focused).map_or(&[][..], |row| &row.links);
            let at = if link < links.len() { link } else { 0 };
            let chosen = links.get(at).filter(|_| links.len() > 1).map(|link| &link.object);
            if let Some(words) = opens_words(chosen, (at, links.len()), false) {
                frame::at_left_of_border(&words, border, buf, theme);
            }
        }
        None => frame::left_out(rows_below(rows, inner), inner, buf, theme),
    }
}

/// Columns before the text of a row.
fn before_text(rows: &FilteredList<PageRow>, area: Rect) -> u16 {
    cells(widest(rows).clamp(NAME - 1, usize::from(area.width / 2).max(NAME - 1)) + 2)
}

/// The first column of a link in its row, and its width.
fn columns_of(rows: &FilteredList<PageRow>, row: &PageRow, link: usize, area: Rect) -> Option<(u16, u16)> {
    let place = row.links.get(link)?.at.clone()?;
    let (head, name) = row.text.get(..place.start).zip(row.text.get(place))?;
    let bars = bar_width(rows, area.width.saturating_sub(before_text(rows, area) + 1));
    let bar = if row.gauge.is_some() && bars > 0 { bars + cells(GAP) } else { 0 };
    let from = before_text(rows, area).saturating_add(bar).saturating_add(cells(width(&clean(head))));
    Some((from, cells(width(&clean(name)))))
}

/// Marks the selected link of the line under the cursor, if it has several.
fn mark_link(rows: &FilteredList<PageRow>, link: usize, area: Rect, buf: &mut Buffer) {
    let window = rows.table.window(rows.matching_rows().len(), usize::from(area.height));
    let Some(row) = rows.selected().filter(|row| row.links.len() > 1 && !row.is_heading) else { return };
    let Some((from, width)) = columns_of(rows, row, link, area) else { return };
    let y = area.y.saturating_add(cells(rows.table.selected.saturating_sub(window.start)));
    let at = Rect { x: area.x.saturating_add(from), y, width, height: 1 };
    buf.set_style(at.intersection(area), Modifier::UNDERLINED | Modifier::BOLD);
}

/// The index of the link at that place in the line under the cursor.
pub(super) fn link_at(rows: &FilteredList<PageRow>, pane: Rect, at: Position) -> Option<usize> {
    let area = inner_area(pane);
    let row = rows.selected().filter(|row| !row.is_heading)?;
    let column = at.x.checked_sub(area.x)?;
    let stands_there = |link: &usize| {
        columns_of(rows, row, *link, area).is_some_and(|(from, wide)| (from..from + wide).contains(&column))
    };
    (0..row.links.len()).find(stands_there)
}

/// Number of rows below the visible ones.
fn rows_below(rows: &FilteredList<PageRow>, area: Rect) -> usize {
    let all = rows.matching_rows().len();
    all - rows.table.window(all, usize::from(area.height)).end.min(all)
}

/// The common width of all bars in `columns` columns.
fn bar_width(rows: &FilteredList<PageRow>, columns: u16) -> u16 {
    let texts = rows.matching_rows().iter().filter(|row| row.gauge.is_some()).map(|row| width(&row.text));
    cells(length(usize::from(columns), texts.max().unwrap_or(0)))
}

/// Draws the bar before a text; returns its width with the gap after it.
fn draw_bar((have, of): (f64, f64), wide: u16, at: Rect, buf: &mut Buffer, theme: &Theme) -> u16 {
    if wide == 0 {
        return 0;
    }
    let (filled, rest) = bar(have, of, usize::from(wide), theme);
    let behind = at.x.saturating_add(cells(width(&filled)));
    buf.set_stringn(at.x, at.y, filled, usize::from(wide), theme.style(Role::NodeBusy));
    buf.set_stringn(behind, at.y, rest, usize::from(wide), theme.style(Role::TextDim));
    wide + cells(GAP)
}

/// Draws the rows around the cursor, which is invisible if `focused` is `None`.
fn draw(rows: &FilteredList<PageRow>, focused: Option<bool>, area: Rect, buf: &mut Buffer, theme: &Theme) {
    if area.is_empty() {
        return;
    }
    let window = rows.table.window(rows.matching_rows().len(), usize::from(area.height));
    let names = widest(rows).clamp(NAME - 1, usize::from(area.width / 2).max(NAME - 1));
    let glyphs = theme.theme_options().glyphs;
    let bars = bar_width(rows, area.width.saturating_sub(cells(names) + 3));
    let shown: Vec<&Rc<PageRow>> =
        rows.matching_rows().iter().skip(window.start).take(window.len()).collect();
    for ((row, at), number) in shown.into_iter().zip(area.rows()).zip(window.start..) {
        let selected = focused.is_some() && number == rows.table.selected;
        let columns = usize::from(area.width);
        let mark = if selected { theme.glyph(Role::Cursor) } else { " " };
        buf.set_stringn(at.x, at.y, mark, 1, theme.style(Role::Text));
        let room = columns.saturating_sub(1);
        if row.is_heading {
            let text = truncate(&in_set(&clean(&row.text), glyphs), room, theme.ellipsis()).into_owned();
            buf.set_stringn(at.x + 1, at.y, text, room, theme.style(Role::Heading));
        } else {
            let lone = row.name.is_empty() && row.role == Role::TextDim && widest(rows) == 0;
            let names = if lone { 0 } else { names + 1 };
            let name = fit(&in_set(&clean(&row.name), glyphs), names, Align::Left, theme.ellipsis());
            buf.set_stringn(at.x + 1, at.y, name, room, theme.style(Role::TextDim));
            let rest = room.saturating_sub(names + width(&row.place) + 1);
            let x = at.x.saturating_add(1).saturating_add(cells(names));
            let bar = row
                .gauge
                .map_or(0, |gauge| draw_bar(gauge, bars, Rect { x, width: cells(rest), ..at }, buf, theme));
            let (x, rest) = (x.saturating_add(bar), rest.saturating_sub(usize::from(bar)));
            let text = truncate(&in_set(&clean(&row.text), glyphs), rest, theme.ellipsis()).into_owned();
            buf.set_stringn(x, at.y, text, rest, theme.style(row.role));
            let end = at.right().saturating_sub(u16::try_from(width(&row.place)).unwrap_or(0));
            buf.set_stringn(end, at.y, &row.place, width(&row.place), theme.style(Role::TextDim));
        }
        if selected {
            let role = if focused == Some(true) { Role::Cursor } else { Role::CursorOther };
            buf.set_style(at, theme.style(role));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::GlyphSet;
    use crate::widgets::margin::MarginBuffer;

    #[test]
    fn rows_are_drawn_in_every_width() {
        let theme = Theme::mono(GlyphSet::Unicode);
        let mut rows: FilteredList<PageRow> = FilteredList::default();
        let all = [PageRow::fact("ncpus", "0 of 32 in use").with_bar(0.0, 32.0), PageRow::fact("a", "b")];
        rows.set(all.map(Rc::new).into(), |_| true, PageRow::is_same);
        for width in 0..40 {
            let mut pane = MarginBuffer::around(width, 2);
            draw(&rows, Some(true), pane.area, &mut pane.buf, &theme);
            pane.assert_margin_is_untouched();
        }
    }
}
