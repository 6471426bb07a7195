//! The layout of an answer: one column, or the present beside the future; and the place of the nodes over time.
//!
//! ```text
//!  ◷ fragmented: 5 of 16 whole nodes     When
//!  Nodes lost at each condition            ◆ 02:43:26, in 39m, on cn[001-016]
//!    32 ████████     vnodes              Nodes × time, after this cycle
//!    27 ██████▊  −4  2 queue             cn[001-008] ▓50       ▏54░░░░░░░░░
//!  Blocked by                            Starts now if
//!    50  alice  8 nodes  until 02:13       1 place=free instead of scatter
//! ```

use ratatui::layout::{Constraint, Layout, Rect};

use super::rows::{Folds, RowLayout, TWO_COLUMNS, WhyKey, WhyRow, rows};
use crate::filter::Filter;
use crate::layout::{cells, cut_rows, inner_area, share};
use crate::views::timeline::{LEAST as LEAST_PICTURE, place};
use qscope_explain::{AnswerSection, AnswerTopic};

/// Rows for the nodes over time if what is below them scrolls: heading, times, a few nodes, free nodes and their
/// numbers, legend.
const PICTURE: u16 = 15;

/// Minimum rows for the sections below the nodes over time.
const LEAST_BELOW: u16 = 8;

/// Stacked rows, and their area.
#[derive(Debug, Clone)]
pub(super) struct WhyColumn {
    pub(super) area: Rect,
    pub(super) rows: Vec<WhyRow>,
}

impl WhyColumn {
    /// The cursor stops of the column: titles and lines, in order.
    pub(super) fn stops(&self) -> Vec<(WhyKey, usize)> {
        let mut stops: Vec<(WhyKey, usize)> = self.rows.iter().map(|row| (row.key, row.line)).collect();
        stops.dedup();
        stops
    }

    /// The range of rows of a stop.
    pub(super) fn rows_of(&self, stop: (WhyKey, usize)) -> std::ops::Range<usize> {
        let is = |row: &WhyRow| (row.key, row.line) == stop;
        let start = self.rows.iter().position(is).unwrap_or(0);
        start..start + self.rows.iter().skip(start).take_while(|row| is(row)).count()
    }

    /// Whether both are stacked, so that the cursor moves from one to the other.
    pub(super) fn is_in_line_with(&self, other: &Self) -> bool {
        self.area.x == other.area.x
    }
}

/// An answer laid out on the screen.
#[derive(Debug, Clone)]
pub(super) struct AnswerLayout {
    /// Its columns, in reading order.
    pub(super) columns: Vec<WhyColumn>,
    /// The place of the nodes over time, if there is room.
    pub(super) picture: Option<Rect>,
}

impl AnswerLayout {
    /// Number of rows of the answer with its frame, and with the picture if there is one.
    pub(super) fn height(&self, has_picture: bool) -> usize {
        let columns = &self.columns;
        let of = |column: &WhyColumn| -> usize {
            columns.iter().filter(|other| other.is_in_line_with(column)).map(|other| other.rows.len()).sum()
        };
        let picture = usize::from(if has_picture { PICTURE } else { 0 });
        let last = columns.last().map_or(0, |last| of(last) + picture);
        columns.iter().map(of).max().unwrap_or(0).max(last) + 2
    }
}

/// A section with its key.
type KeyedSection<'a> = (WhyKey, &'a AnswerSection);

/// The inputs for making the rows of sections.
#[derive(Clone, Copy)]
struct SectionRowBuilder<'a> {
    folds: &'a Folds,
    filter: &'a Filter,
}

impl SectionRowBuilder<'_> {
    /// The rows of each section, in a column of that width.
    fn rows(self, sections: &[KeyedSection<'_>], width: u16, wraps: bool) -> Vec<Vec<WhyRow>> {
        let of = |(key, section): &KeyedSection<'_>| {
            rows(*key, section, (self.folds, self.filter), RowLayout { width, wraps })
        };
        sections.iter().map(of).collect()
    }

    /// Minimum number of rows of the sections.
    fn count(self, sections: &[KeyedSection<'_>], width: u16) -> u16 {
        cells(self.rows(sections, width, false).iter().map(Vec::len).sum())
    }

    /// Lays out sections in an area; table rows are uncut if there is room for that and for the picture.
    fn column(self, area: Rect, sections: &[KeyedSection<'_>], has_picture: bool) -> WhyColumn {
        let (cut, whole) = (self.rows(sections, area.width, false), self.rows(sections, area.width, true));
        WhyColumn { area, rows: uncut_rows_that_fit(cut, whole, area, has_picture) }
    }
}

/// Lays out an answer in an area; the picture gets at most `picture` rows, if that is known.
pub(super) fn arranged(
    sections: &[AnswerSection],
    folds: &Folds,
    filter: &Filter,
    area: Rect,
    picture: Option<u16>,
) -> AnswerLayout {
    let body = inner_area(area);
    let all = WhyKey::all(sections);
    let (ahead, now): (Vec<_>, Vec<_>) = all.iter().partition(|(key, _)| key.is_ahead());
    let folds = &folds.for_screen(sections, filter, area);
    let making = SectionRowBuilder { folds, filter };
    if body.width < TWO_COLUMNS || ahead.is_empty() {
        let column = making.column(body, &all, true);
        let picture = place(column.area, column.rows.len());
        return AnswerLayout { columns: vec![column], picture };
    }
    let [left, _, right] =
        Layout::horizontal([Constraint::Fill(11), Constraint::Length(2), Constraint::Fill(9)]).areas(body);
    let (when, rest): (Vec<_>, Vec<_>) =
        ahead.iter().partition(|(key, _)| key.topic() == AnswerTopic::Estimate);
    let upper = making.count(&when, right.width);
    let below_left = place(left, usize::from(making.count(&now, left.width)));
    let lower = making.count(&rest, right.width);
    match picture_rows(right, (upper, lower), picture.unwrap_or(PICTURE), below_left.is_some()) {
        Some(rows) if upper > 0 => {
            let (when_at, below) = cut_rows(right, upper);
            let (picture, rest_at) = cut_rows(below, rows);
            let left = making.column(left, &now, false);
            let when = making.column(when_at, &when, false);
            let rest = making.column(rest_at, &rest, false);
            let columns = [left, when, rest].into_iter().filter(|column| !column.rows.is_empty());
            AnswerLayout { columns: columns.collect(), picture: Some(picture) }
        }
        _ => {
            let columns = vec![making.column(left, &now, true), making.column(right, &ahead, true)];
            // Below the sections about the future, or else below the others.
            let picture = columns.iter().rev().find_map(|column| place(column.area, column.rows.len()));
            AnswerLayout { columns, picture }
        }
    }
}

/// Rows for the nodes over time between the start and the changes that would help; `None` if there is room elsewhere,
/// or too little room for both.
fn picture_rows(area: Rect, (upper, lower): (u16, u16), wanted: u16, is_elsewhere: bool) -> Option<u16> {
    let below = area.height.saturating_sub(upper);
    place(area, usize::from(upper))?;
    let left = below.saturating_sub(lower);
    match left >= LEAST_PICTURE {
        true => Some(left.min(wanted)),
        false if is_elsewhere => None,
        false => {
            let rows = share(below, 2, 5).clamp(LEAST_PICTURE, PICTURE).min(wanted);
            (below.saturating_sub(rows) >= LEAST_BELOW).then_some(rows)
        }
    }
}

/// Chooses the uncut table rows of each section if they fit into the area and do not displace the nodes over time.
fn uncut_rows_that_fit(
    cut: Vec<Vec<WhyRow>>,
    whole: Vec<Vec<WhyRow>>,
    area: Rect,
    has_picture: bool,
) -> Vec<WhyRow> {
    let mut used: usize = cut.iter().map(Vec::len).sum();
    let has_place = |rows: usize| has_picture && place(area, rows).is_some();
    let picture = has_place(used);
    let fits = |rows: usize| rows <= usize::from(area.height) && has_place(rows) == picture;
    let mut found = Vec::with_capacity(used);
    for (cut, whole) in cut.into_iter().zip(whole) {
        let with_whole = used - cut.len() + whole.len();
        let chosen = if fits(with_whole) { whole } else { cut };
        used = if fits(with_whole) { with_whole } else { used };
        found.extend(chosen);
    }
    found
}
