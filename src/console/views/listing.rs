//! What every view of one table does: rows kept by a filter, a cursor that stays on its row, clicks.

use ratatui::layout::{Position, Rect};

use crate::action::Action;
use crate::layout::inside;
use crate::views::effect::Update;
use crate::widgets::table::{Rows, Table, TableState};

/// Rows in the order of the model, those that the filter keeps, and the cursor among them.
#[derive(Debug)]
pub struct Listing<L> {
    all: Vec<L>,
    kept: Vec<usize>,
    /// The cursor.
    pub table: TableState,
}

impl<L> Default for Listing<L> {
    fn default() -> Self {
        Self { all: Vec::new(), kept: Vec::new(), table: TableState::default() }
    }
}

/// Tells the table's arithmetic how rows are drawn; only the geometry counts.
struct Nothing;

impl Rows for Nothing {
    fn len(&self) -> usize {
        0
    }

    fn cell(&self, _: usize, _: usize) -> crate::widgets::table::Cell<'_> {
        crate::widgets::table::Cell::new("")
    }
}

impl<L> Listing<L> {
    /// Other rows; the cursor goes to the one that `same` knows again, if it is kept.
    pub fn set(&mut self, all: Vec<L>, keep: impl Fn(&L) -> bool, same: impl Fn(&L, &L) -> bool) {
        let before = std::mem::replace(&mut self.all, all);
        let under = self.kept.get(self.table.selected).and_then(|at| before.get(*at));
        let found = under.and_then(|under| self.all.iter().position(|line| same(line, under)));
        self.keep(keep);
        if let Some(at) = found.and_then(|at| self.kept.iter().position(|kept| *kept == at)) {
            self.table.selected = at;
        }
    }

    /// Keeps what fits.
    pub fn keep(&mut self, keep: impl Fn(&L) -> bool) {
        let kept = self.all.iter().enumerate().filter(|(_, line)| keep(line)).map(|(at, _)| at);
        self.kept = kept.collect();
        self.table.selected = self.table.selected.min(self.kept.len().saturating_sub(1));
    }

    /// How many rows are kept.
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether none is kept.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Whether there are none at all, whatever the filter.
    pub fn has_nothing(&self) -> bool {
        self.all.is_empty()
    }

    /// A kept row.
    pub fn line(&self, row: usize) -> Option<&L> {
        self.all.get(*self.kept.get(row)?)
    }

    /// The row under the cursor.
    pub fn selected(&self) -> Option<&L> {
        self.line(self.table.selected)
    }

    /// Puts the cursor on the first row that is meant; false when none is kept.
    pub fn put_on(&mut self, meant: impl Fn(&L) -> bool) -> bool {
        let at = self.kept.iter().position(|at| self.all.get(*at).is_some_and(&meant));
        self.table.selected = at.unwrap_or(self.table.selected);
        at.is_some()
    }

    /// Moves the cursor in a pane of that area.
    pub fn go(&mut self, action: Action, pane: Rect) -> Update {
        match action {
            Action::Left | Action::Right => Update::nothing(),
            _ if action.moves() => {
                let height = Table::<Nothing>::height(inside(pane));
                Update::changed_if(self.table.go(action, self.kept.len(), height))
            }
            _ => Update::unknown(),
        }
    }

    /// A click into a pane of that area.
    pub fn click(&mut self, at: Position, pane: Rect) -> Update {
        let area = inside(pane);
        let Some(row) = Table::<Nothing>::row_at(self.table, self.kept.len(), area, at.y) else {
            return Update::nothing();
        };
        let before = self.table;
        self.table.select(row, self.kept.len(), Table::<Nothing>::height(area));
        Update::changed_if(self.table != before)
    }
}

/// The moment that a view of the position shows, for its title.
pub fn when(position: usize) -> String {
    match position {
        0 => "before the first step".to_owned(),
        n => format!("after step {n}"),
    }
}
