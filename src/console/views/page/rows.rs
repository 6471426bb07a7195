//! The rows of a page: headings, facts and attributes, a name and a text each.

use std::ops::Range;
use std::rc::Rc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Modifier;

use super::widest;
use crate::bucket_names::BucketNames;
use crate::layout::{cells, inside};
use crate::story::wrap_text;
use crate::theme::{Role, Theme};
use crate::views::Object;
use crate::views::list::Listing;
use crate::views::names::{opens_words, place_in};
use crate::widgets::bar::{GAP, bar, length};
use crate::widgets::frame;
use crate::widgets::text::{Align, clean, fit, in_set, is_in_name, truncate, width};
use qscope_engine::cluster::short_id;
use qscope_session::as_read::Attribute;

/// One row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PageRow {
    /// Empty where the row goes on with the one above.
    pub(super) name: String,
    pub(super) text: String,
    pub(super) role: Role,
    pub(super) is_heading: bool,
    /// What Enter opens: the first one, or another that was chosen.
    pub(super) links: Vec<Object>,
    /// Where it stands in the file.
    pub(super) place: String,
    /// What there is of what there could be, for a bar before the text.
    pub(super) gauge: Option<(f64, f64)>,
}

impl PageRow {
    /// A fact.
    pub(crate) fn fact(name: &str, text: impl Into<String>) -> Self {
        Self {
            name: name.to_owned(),
            text: text.into(),
            role: Role::Text,
            is_heading: false,
            links: Vec::new(),
            place: String::new(),
            gauge: None,
        }
    }

    /// What stands below.
    pub(super) fn heading(text: &str) -> Self {
        Self { is_heading: true, role: Role::Heading, ..Self::fact("", text) }
    }

    /// A text alone.
    pub(super) fn text(text: &str) -> Self {
        Self { role: Role::TextDim, ..Self::fact("", text) }
    }

    /// With a bar of how much there is of how much.
    pub(super) fn with_bar(self, have: f64, of: f64) -> Self {
        Self { gauge: Some((have, of)), ..self }
    }

    pub(crate) fn in_role(self, role: Role) -> Self {
        Self { role, ..self }
    }

    pub(super) fn to(self, object: Object) -> Self {
        self.leading_to([object])
    }

    /// With all that it names.
    pub(super) fn leading_to(self, objects: impl IntoIterator<Item = Object>) -> Self {
        Self { links: objects.into_iter().collect(), ..self }
    }

    /// Where a link of several stands in the text, in bytes.
    fn place_of(&self, link: usize) -> Option<Range<usize>> {
        let name = short_id(self.links.get(link)?.name());
        let is_part = |letter: char| is_in_name(letter) || letter == '[';
        let stands_alone = |at: &usize| {
            let before = self.text.get(..*at).and_then(|text| text.chars().next_back());
            let after = self.text.get(at + name.len()..).and_then(|text| text.chars().next());
            !before.is_some_and(is_part) && !after.is_some_and(is_part)
        };
        // What names jobs stands behind what it is about.
        let at = self.text.rmatch_indices(name).map(|(at, _)| at).find(stands_alone);
        let folded = || place_in(&self.text, self.links.get(link)?, &BucketNames::default());
        at.map(|at| at..at + name.len()).or_else(folded)
    }

    /// An attribute of a file.
    pub(super) fn attribute(found: &Attribute) -> Self {
        let place = found.line.map_or_else(String::new, |line| format!(":{line}"));
        Self { place, ..Self::fact(&found.name, found.value.clone()) }
    }

    pub(super) fn words(&self) -> String {
        format!("{} {}", self.name, self.text)
    }

    /// Whether it is one of what a title counts: no heading, no text alone, and not what goes on from the row above.
    pub(super) fn is_counted(&self) -> bool {
        !self.is_heading && !self.name.is_empty()
    }

    pub(super) fn is_same(a: &Self, b: &Self) -> bool {
        (&a.name, a.is_heading, &a.links) == (&b.name, b.is_heading, &b.links) && !a.name.is_empty()
    }
}

/// The columns of a fact's name.
const NAME: usize = 10;

/// Facts too long for so many columns go on in rows of their own.
pub(super) fn wrapped(rows: Vec<PageRow>, columns: usize) -> Vec<PageRow> {
    let widest = rows.iter().map(|row| width(&row.name)).max().unwrap_or(0);
    let names = widest.clamp(NAME - 1, (columns / 2).max(NAME - 1));
    // Before a name stands the cursor, behind it a blank, and one at the end.
    let room = columns.saturating_sub(names + 3).max(10);
    let mut all = Vec::new();
    for row in rows {
        // A bar stands in one row with its numbers.
        if row.is_heading || row.gauge.is_some() || width(&row.text) <= room {
            all.push(row);
            continue;
        }
        for (at, text) in wrap_text(&row.text, room).into_iter().enumerate() {
            let name = if at == 0 { row.name.clone() } else { String::new() };
            all.push(PageRow { name, text, ..row.clone() });
        }
    }
    all
}

/// Draws the rows inside a pane, and on its border how many have no room: keys scroll those alone that have a cursor. Of
/// several links of the line under it the chosen one is marked.
pub(super) fn draw_in(
    rows: &Listing<PageRow>,
    (focused, link): (Option<bool>, usize),
    pane: Rect,
    buf: &mut Buffer,
    theme: &Theme,
) {
    let inner = inside(pane);
    draw(rows, focused, inner, buf, theme);
    if focused == Some(true) {
        mark_link(rows, link, inner, buf);
    }
    match focused {
        Some(focused) => {
            let border = frame::more_below(below(rows, inner), pane, buf, theme);
            let links = rows.selected().filter(|_| focused).map_or(&[][..], |row| &row.links);
            let chosen = links.get(link).or(links.first()).filter(|_| links.len() > 1);
            if let Some(words) = opens_words(links, chosen, false) {
                frame::at_left_of_border(&words, border, buf, theme);
            }
        }
        None => frame::left_out(below(rows, inner), inner, buf, theme),
    }
}

/// The columns before the text of a row.
fn before_text(rows: &Listing<PageRow>, area: Rect) -> u16 {
    cells(widest(rows).clamp(NAME - 1, usize::from(area.width / 2).max(NAME - 1)) + 2)
}

/// Marks the chosen one of several links of the line under the cursor.
fn mark_link(rows: &Listing<PageRow>, link: usize, area: Rect, buf: &mut Buffer) {
    let window = rows.table.window(rows.kept().len(), usize::from(area.height));
    let Some(row) = rows.selected().filter(|row| row.links.len() > 1 && !row.is_heading) else { return };
    let Some(place) = row.place_of(link) else { return };
    let Some((head, name)) = row.text.get(..place.start).zip(row.text.get(place)) else { return };
    let x = area.x.saturating_add(before_text(rows, area)).saturating_add(cells(width(&clean(head))));
    let y = area.y.saturating_add(cells(rows.table.selected.saturating_sub(window.start)));
    let at = Rect { x, y, width: cells(width(&clean(name))), height: 1 };
    buf.set_style(at.intersection(area), Modifier::UNDERLINED | Modifier::BOLD);
}

/// Which of the links of the line under the cursor stands at a place.
pub(super) fn link_at(rows: &Listing<PageRow>, pane: Rect, at: Position) -> Option<usize> {
    let area = inside(pane);
    let row = rows.selected().filter(|row| !row.is_heading)?;
    let column = at.x.checked_sub(area.x.saturating_add(before_text(rows, area)))?;
    let stands_there = |link: &usize| {
        let Some(place) = row.place_of(*link) else { return false };
        let from = width(&clean(row.text.get(..place.start).unwrap_or_default()));
        let wide = width(&clean(row.text.get(place).unwrap_or_default()));
        (from..from + wide).contains(&usize::from(column))
    };
    (0..row.links.len()).find(stands_there)
}

/// How many rows stand below those on the screen.
fn below(rows: &Listing<PageRow>, area: Rect) -> usize {
    let all = rows.kept().len();
    all - rows.table.window(all, usize::from(area.height)).end.min(all)
}

/// How wide all bars are in so many columns.
fn bar_width(rows: &Listing<PageRow>, columns: u16) -> u16 {
    let texts = rows.kept().iter().filter(|row| row.gauge.is_some()).map(|row| width(&row.text));
    cells(length(usize::from(columns), texts.max().unwrap_or(0)))
}

/// Draws the bar before a text; how many columns it takes with the blanks behind it.
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

/// Draws the rows around the cursor, which is not seen where `focused` is none.
fn draw(rows: &Listing<PageRow>, focused: Option<bool>, area: Rect, buf: &mut Buffer, theme: &Theme) {
    let window = rows.table.window(rows.kept().len(), usize::from(area.height));
    let names = widest(rows).clamp(NAME - 1, usize::from(area.width / 2).max(NAME - 1));
    let glyphs = theme.theme_options().glyphs;
    let bars = bar_width(rows, area.width.saturating_sub(cells(names) + 3));
    let shown: Vec<&Rc<PageRow>> = rows.kept().iter().skip(window.start).take(window.len()).collect();
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

    /// No line begins with the end of what stands before it, as a bracket.
    #[test]
    fn an_exec_vnode_breaks_between_its_chunks() {
        let comment =
            "Job run at 01:57 on (cn003:ncpus=16)+(cn006:ncpus=16)+(cn009:ncpus=16)+(cn012:ncpus=16)";
        let rows = wrapped(vec![PageRow::fact("PBS", comment)], 78);
        let texts: Vec<&str> = rows.iter().map(|row| row.text.trim_end()).collect();
        let parts =
            ["Job run at 01:57 on (cn003:ncpus=16)+(cn006:ncpus=16)+", "(cn009:ncpus=16)+(cn012:ncpus=16)"];
        assert_eq!(texts, parts);
    }

    #[test]
    fn rows_are_drawn_in_every_width() {
        let theme = Theme::mono(GlyphSet::Unicode);
        let mut rows: Listing<PageRow> = Listing::default();
        let all = [PageRow::fact("ncpus", "0 of 32 in use").with_bar(0.0, 32.0), PageRow::fact("a", "b")];
        rows.set(all.map(Rc::new).into(), |_| true, PageRow::is_same);
        for width in 0..40 {
            let area = Rect::new(0, 0, width, 2);
            draw(&rows, Some(true), area, &mut Buffer::empty(area), &theme);
        }
    }
}
