//! The ramp map: nodes in groups, a cell for one node or for several, its height the share that is free (console.md 4).
//!
//! ```text
//! ncpus=16 priority=10   0 of 8   free  · · · · · · · ·
//! ncpus=32 ngpus=4       3 of 8   free [!]· · · · █ █ █
//! ```
//! The cursor stands around its cell and hides nothing. Each state has a glyph of its own; the free share has one colour.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use super::legend::{self, LegendParts};
use super::put::{put, put_sign};
use super::text::{Align, clean, fit, set_apart, width};
use crate::layout::cells;
use crate::theme::{Role, Theme};

/// So many nodes a cell there may be: few enough that the scale seldom changes.
pub(crate) const STEPS: [usize; 12] = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000];

/// How the brackets around the cursor's cell look.
const CURSOR_ROLE: Role = Role::NodeTaken;

/// What a cell shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sign {
    /// So many eighths of it are free; none is full.
    Free(u8),
    /// Free now, and planned for something.
    Planned,
    /// A node of it is out of service.
    Out,
}

impl Sign {
    /// What shows the mean of free shares, from 0 to 1: the full glyph is for what is free as a whole.
    pub(crate) fn of_share(mean: f64) -> Self {
        let eighths = (1u8..=8).rev().find(|eighths| mean * 8.0 + 0.5 >= f64::from(*eighths));
        let most = if mean < 1.0 { 7 } else { 8 };
        Self::Free(eighths.unwrap_or(u8::from(mean > 0.0)).min(most))
    }
}

/// A line of cells with its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RampGroup {
    pub(crate) label: String,
    /// What sets it apart from others where its label is cut: the name of its first node; empty where nothing does.
    pub(crate) first: String,
    /// How many of its nodes are free.
    pub(crate) note: String,
    pub(crate) cells: Vec<Sign>,
}

impl RampGroup {
    /// What it takes.
    pub(crate) fn extent(&self) -> Extent {
        Extent { label: width(&self.label), note: width(&self.note), cells: self.cells.len() }
    }
}

/// What a group takes: the columns of its name and note, and how many cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) label: usize,
    pub(crate) note: usize,
    pub(crate) cells: usize,
}

/// Where a group's cells stand: a group takes as many rows as its cells need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RampRow {
    pub(crate) group: usize,
    /// The first cell of the row.
    pub(crate) first: usize,
    pub(crate) cells: usize,
}

/// The widths of the parts of a row, and how many cells it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RampShape {
    label: u16,
    note: u16,
    /// Whether a blank stands between two cells.
    spaced: bool,
    cells: usize,
}

/// A cell by its group and its place there.
pub(crate) type Place = (usize, usize);

/// The fewest columns that are of use right of the cells.
const BESIDE: u16 = 16;

impl RampShape {
    /// The shape for groups in so many columns; labels take two fifths, and what the longest row of cells leaves.
    pub(crate) fn new(groups: &[Extent], columns: u16, spaced: bool) -> Self {
        let widest = |part: fn(&Extent) -> usize| {
            u16::try_from(groups.iter().map(part).max().unwrap_or(0)).unwrap_or(columns)
        };
        let note = widest(|group| group.note).min(columns / 4);
        let most = groups.iter().map(|group| group.cells).max().unwrap_or(0);
        let cells = u16::try_from(if spaced { most * 2 } else { most }).unwrap_or(columns);
        let left = columns.saturating_sub(note + 4).saturating_sub(cells);
        // Beyond half of the columns a label leaves names room beside the cells: their sums give way to a whole label.
        let half = columns / 2;
        let left = if left >= half + BESIDE { left - BESIDE } else { left };
        let whole = widest(|group| group.label);
        let shape = |label: u16| {
            // Before the cells a blank and room for the cursor, behind them room for it too.
            let room = usize::from(columns.saturating_sub(label + note + 4));
            Self { label, note, spaced, cells: (if spaced { room / 2 } else { room }).max(1) }
        };
        let cut = shape(whole.min(left.max(columns / 5 * 2)));
        // A label that is longer stands whole where that costs no row.
        let longer = shape(whole.min(half).max(cut.label));
        if longer.height(groups) > cut.height(groups) { cut } else { longer }
    }

    /// How many labels have no room as a whole.
    pub(crate) fn cut(self, groups: &[Extent]) -> usize {
        groups.iter().filter(|group| group.label > usize::from(self.label)).count()
    }

    /// The same cells with notes as wide as those of some groups, as far as labels leave columns blank.
    pub(crate) fn with_notes_of(self, groups: &[Extent]) -> Self {
        let widest = |part: fn(&Extent) -> usize| cells(groups.iter().map(part).max().unwrap_or(0));
        let spare = self.label.saturating_sub(widest(|group| group.label));
        let more = widest(|group| group.note).saturating_sub(self.note).min(spare);
        Self { note: self.note + more, label: self.label - more, ..self }
    }

    /// The columns that the longest row takes, its cursor included.
    pub(crate) fn columns(self, rows: &[RampRow]) -> u16 {
        let longest = rows.iter().map(|row| row.cells).max().unwrap_or(0);
        let cells = if self.spaced { longest * 2 } else { longest + 2 };
        (self.label + self.note + 2).saturating_add(u16::try_from(cells).unwrap_or(u16::MAX))
    }

    /// How many rows a group of so many cells takes.
    pub(crate) fn rows_of(self, cells: usize) -> usize {
        cells.max(1).div_ceil(self.cells)
    }

    /// How many rows all groups take.
    pub(crate) fn height(self, groups: &[Extent]) -> usize {
        groups.iter().map(|group| self.rows_of(group.cells)).sum()
    }

    /// The rows of all groups.
    pub(crate) fn rows(&self, groups: &[Extent]) -> Vec<RampRow> {
        let mut rows = Vec::new();
        for (at, group) in groups.iter().enumerate() {
            let all = group.cells;
            for first in (0..all.max(1)).step_by(self.cells) {
                rows.push(RampRow { group: at, first, cells: self.cells.min(all.saturating_sub(first)) });
            }
        }
        rows
    }

    /// Where the cells begin.
    fn start(&self, area: Rect) -> u16 {
        area.x.saturating_add(self.label + self.note + 2)
    }

    /// The cell at a column of a row; the cursor's brackets count as its cell.
    pub(crate) fn cell_at(&self, row: RampRow, area: Rect, x: u16, cursor: Option<Place>) -> Option<Place> {
        let column = usize::from(x.checked_sub(self.start(area))?);
        let before = cursor.filter(|(group, cell)| *group == row.group && *cell >= row.first);
        let at = match before.map(|(_, cell)| cell - row.first) {
            _ if self.spaced => column / 2,
            // The cursor's brackets stand before and behind its cell.
            Some(here) if column > here + 2 => column - 2,
            Some(here) if column > here => here,
            _ => column,
        };
        (at < row.cells).then_some((row.group, row.first + at))
    }
}

/// A map, ready to draw.
pub(crate) struct Ramp<'a> {
    pub(crate) groups: &'a [RampGroup],
    pub(crate) shape: RampShape,
    pub(crate) cursor: Option<Place>,
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
            let label = set_apart(&group.label, &group.first, room, is_of_several);
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
            let (glyph, role) = look(*sign, self.theme);
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

/// How a sign looks.
pub(crate) fn look(sign: Sign, theme: &Theme) -> (&'static str, Role) {
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
    match sign {
        Sign::Free(eighths) => {
            let (unicode, ascii) = RAMP.get(usize::from(eighths)).copied().unwrap_or(("█", "8"));
            (theme.by_set(unicode, ascii), if eighths == 0 { Role::NodeBusy } else { Role::NodeFree })
        }
        Sign::Planned => (theme.by_set("▒", "p"), Role::NodeLater),
        Sign::Out => ("!", Role::NodeDown),
    }
}

/// What the signs of a map mean, in so many columns: what the map does not show is left out first, then words are
/// shortened, then the cursor goes without a word.
pub(crate) fn legend(groups: &[RampGroup], columns: usize, theme: &Theme) -> LegendParts {
    let all = legend_of(|_| true, OUT, CURSOR, theme);
    let is_there =
        |entry: &RampEntry| groups.iter().flat_map(|group| &group.cells).any(|sign| entry.means(*sign));
    let forms = [(OUT, CURSOR), (OUT_SHORT, CURSOR), (OUT_SHORT, "")];
    let shorter = || {
        let texts = forms.map(|(out, cursor)| legend_of(is_there, out, cursor, theme));
        let last = texts.last().cloned();
        texts.into_iter().find(|text| legend::columns(text) <= columns).or(last)
    };
    if legend::columns(&all) <= columns { all } else { shorter().unwrap_or_default() }
}

/// What signs beside words mean, which stand in no cells, in one text: those that are there.
pub(crate) fn legend_of_signs(signs: &[Sign], theme: &Theme) -> String {
    let is_there = |entry: &RampEntry| signs.iter().any(|sign| entry.means(*sign));
    legend_of(is_there, OUT_SHORT, "", theme).into_iter().map(|(_, text)| text).collect()
}

const OUT: &str = "out or kept";
const OUT_SHORT: &str = "out";
const CURSOR: &str = "cursor";

/// What a legend has a word for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RampEntry {
    Free,
    Part,
    Full,
    Out,
    Planned,
}

impl RampEntry {
    fn means(self, sign: Sign) -> bool {
        match sign {
            Sign::Free(0) => self == Self::Full,
            Sign::Free(1..=7) => self == Self::Part,
            Sign::Free(_) => self == Self::Free,
            Sign::Out => self == Self::Out,
            Sign::Planned => self == Self::Planned,
        }
    }
}

fn legend_of(is_named: impl Fn(&RampEntry) -> bool, out: &str, cursor: &str, theme: &Theme) -> LegendParts {
    let looks = |sign| look(sign, theme);
    let (free, full) = (looks(Sign::Free(8)), looks(Sign::Free(0)));
    let (gone, planned) = (looks(Sign::Out), looks(Sign::Planned));
    let entries = [
        (RampEntry::Free, free, "free"),
        (RampEntry::Part, (theme.by_set("▁…▇", "1-7"), looks(Sign::Free(1)).1), "part"),
        (RampEntry::Full, full, "full"),
        (RampEntry::Out, gone, out),
        (RampEntry::Planned, planned, "planned"),
    ];
    let named = entries.iter().filter(|(entry, ..)| is_named(entry));
    let named = named.map(|(_, (sign, role), word)| (*role, *sign, *word));
    legend::signs(named.chain((!cursor.is_empty()).then_some((CURSOR_ROLE, "[ ]", cursor))))
}

/// The row of a place on the screen.
pub(crate) fn row_at(rows: &[RampRow], offset: usize, area: Rect, at: Position) -> Option<RampRow> {
    let line = usize::from(at.y.checked_sub(area.y)?);
    rows.get(offset + line).copied().filter(|_| area.contains(at))
}

#[cfg(test)]
mod tests;
