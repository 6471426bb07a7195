//! The lines of the help and their layout: one or two columns, in a box as high as needed.

use std::borrow::Cow;

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::action::Action;
use crate::layout::cells;
use crate::theme::{Role, Theme};
use crate::widgets::text::{Align, fit};

/// Width of a box with one column of lines.
const WIDTH: u16 = 76;
/// Minimum width for two columns of lines.
const TWO_COLUMNS: u16 = 100;
/// Width of the keys before a text.
const KEYS: usize = 12;

/// Rows taken by the border and the search line.
const AROUND: u16 = 3;

/// The number and width of the columns.
#[derive(Clone, Copy)]
pub(super) struct HelpColumns {
    pub(super) count: u16,
    pub(super) width: u16,
}

impl HelpColumns {
    pub(super) fn of(area: Rect) -> Self {
        let count = if area.width >= TWO_COLUMNS { 2 } else { 1 };
        let width = box_width(count, area).saturating_sub(2) / count;
        Self { count, width }
    }

    /// Returns the lines of keys or a word: as many as the longer of label and text needs.
    pub(super) fn entry(self, what: &str, doc: &str, actions: &[Action]) -> Vec<HelpEntry> {
        // A blank on either side of the keys, and one before the next column.
        let room = usize::from(self.width).saturating_sub(KEYS + 4).max(1);
        let (what, doc) = (textwrap::wrap(what, KEYS), textwrap::wrap(doc, room));
        let part = |parts: &[Cow<'_, str>], nth: usize| parts.get(nth).map(|part| part.clone().into_owned());
        let line = |nth: usize| HelpEntry::Line {
            what: part(&what, nth).unwrap_or_default(),
            doc: part(&doc, nth).unwrap_or_default(),
            actions: if nth == 0 { actions.to_vec() } else { Vec::new() },
        };
        (0..what.len().max(doc.len())).map(line).collect()
    }
}

fn box_width(columns: u16, area: Rect) -> u16 {
    (WIDTH * columns).min(area.width.saturating_sub(2)).max(WIDTH)
}

/// The size of the box.
pub(super) struct HelpLayout {
    columns: HelpColumns,
    pub(super) width: u16,
    pub(super) height: u16,
}

impl HelpLayout {
    /// Returns the layout for this number of lines: as high as they need, with a margin above and below if the area
    /// allows.
    pub(super) fn of(lines: usize, columns: HelpColumns, area: Rect) -> Self {
        let wanted = cells(lines.div_ceil(usize::from(columns.count))).saturating_add(AROUND);
        let height = wanted.min(area.height.saturating_sub(2)).max(6).min(area.height);
        Self { columns, width: box_width(columns.count, area), height }
    }

    /// The number of visible lines.
    pub(super) fn page(&self) -> usize {
        usize::from(self.height.saturating_sub(AROUND)) * usize::from(self.columns.count)
    }
}

/// A line of the help.
pub(super) enum HelpEntry {
    Heading(&'static str),
    /// A key, a pair's keys or a word, and the explanation. Without actions it may continue the line above.
    Line {
        what: String,
        doc: String,
        actions: Vec<Action>,
    },
}

impl HelpEntry {
    /// The actions of its keys; empty for headings, words and continuation lines.
    pub(super) fn actions(&self) -> &[Action] {
        match self {
            Self::Line { actions, .. } => actions,
            Self::Heading(_) => &[],
        }
    }

    /// The action of its first key.
    pub(super) fn action(&self) -> Option<Action> {
        self.actions().first().copied()
    }

    /// The opposite of that action.
    pub(super) fn second(&self) -> Option<Action> {
        self.actions().get(1).copied()
    }

    /// Whether one of its keys has this action.
    pub(super) fn has(&self, action: Action) -> bool {
        self.actions().contains(&action)
    }

    pub(super) fn draw(&self, theme: &Theme) -> Line<'_> {
        match self {
            Self::Heading(title) => Line::from(Span::styled(*title, theme.style(Role::Heading))),
            Self::Line { what, doc, .. } => {
                let what = fit(what, KEYS, Align::Left, theme.ellipsis());
                Line::from(vec![
                    Span::styled(format!("  {what} "), theme.style(Role::Key)),
                    Span::styled(doc.as_str(), theme.style(Role::Text)),
                ])
            }
        }
    }
}
