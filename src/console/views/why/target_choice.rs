//! Which job or node is explained, and the keys on its page.

use super::WhyView;
use super::arrangement::WhyColumn;
use super::rows::{MARGIN, WhyKey};
use crate::action::Action;
use crate::filter::Filter;
use crate::views::{Object, Update, ViewContext};
use crate::widgets::text::width;
use qscope_engine::cycle::Verdict;
use ratatui::layout::{Position, Rect};

impl WhyView {
    /// The selected job if it waits; a node is then explained with respect to it.
    pub(super) fn waiting_subject(cx: ViewContext<'_>) -> Option<String> {
        let waits = |outcome: &&qscope_engine::cycle::Outcome| cx.run().verdict(outcome) != Verdict::Run;
        cx.subject().filter(waits).map(|outcome| cx.snapshot().jobs[outcome.job].name.to_string())
    }

    /// The object under the cursor: the selected link of the line, or the explained object.
    pub(super) fn chosen(&self, cx: ViewContext<'_>) -> Option<Object> {
        let page = self.page()?;
        let found = page.named(cx);
        found.object(page.cursor.choice).cloned().or_else(|| Some(page.target.object()))
    }

    /// The rows of the answer, laid out in an area.
    fn columns(&self, area: Rect) -> Option<Vec<WhyColumn>> {
        self.page().map(|page| self.arranged(page, area).columns)
    }

    /// Puts the cursor on the clicked row, and selects the link under the mouse.
    pub(super) fn click_in_answer(&mut self, at: Position, area: Rect, cx: ViewContext<'_>) -> bool {
        let Some(columns) = self.columns(area) else { return false };
        let Some(page) = self.pages.first_mut() else { return false };
        let Some(place) = page.cursor.row_at(&columns, at) else { return false };
        let before = page.cursor.choice;
        let has_moved = page.cursor.put_on(&columns, place);
        let named = page.named(cx);
        let row = columns.get(place.0).and_then(|column| Some((column, column.rows.get(place.1)?)));
        if let Some((column, row)) = row.filter(|_| !named.links.is_empty()) {
            let stop = column.rows_of((row.key, row.line));
            let rows = column.rows.get(stop.clone()).unwrap_or_default();
            let into = usize::from(at.x.saturating_sub(column.area.x.saturating_add(MARGIN + row.sign())));
            let column_of = |byte: usize| width(row.text.get(..byte).unwrap_or_default());
            let is_under = |link: &usize| {
                named.in_rows(*link, rows).is_some_and(|(nth, name)| {
                    stop.start + nth == place.1
                        && (column_of(name.start)..column_of(name.end)).contains(&into)
                })
            };
            page.cursor.choice = (0..named.links.len()).find(is_under).unwrap_or(0);
        }
        has_moved || before != page.cursor.choice
    }

    /// Moves the cursor to the next or previous line that matches, going round; false if there is none. Lines of folded
    /// sections are not searched.
    pub(super) fn next_match(&mut self, search: &Filter, forward: bool) -> bool {
        let Some(page) = self.pages.first_mut() else { return false };
        let sections = page.sections();
        // In reading order.
        let (ahead, now): (Vec<_>, Vec<_>) =
            WhyKey::all(&sections).into_iter().partition(|(key, _)| key.is_ahead());
        let mut stops: Vec<((WhyKey, usize), bool)> = Vec::new();
        for (key, section) in now.into_iter().chain(ahead) {
            let shows = |text: &str| match self.filter.is_empty() {
                true => !self.folds.has(key),
                false => self.filter.keeps_text(&section.title) || self.filter.keeps_text(text),
            };
            stops.push(((key, 0), search.keeps_text(&section.title)));
            let lines = section.lines.iter().map(|line| search.keeps_text(&line.text) && shows(&line.text));
            stops.extend(lines.enumerate().map(|(at, is_meant)| ((key, at + 1), is_meant)));
        }
        let here = (page.cursor.key, page.cursor.line);
        let (here, len) = (stops.iter().position(|(stop, _)| *stop == here).unwrap_or(0), stops.len());
        let place = |by: usize| if forward { (here + by) % len } else { (here + len - by) % len };
        let mut round = (1..=len).filter_map(|by| stops.get(place(by)));
        let Some(((key, line), _)) = round.find(|(_, is_meant)| *is_meant) else { return false };
        (page.cursor.key, page.cursor.line, page.cursor.choice) = (*key, *line, 0);
        true
    }

    /// Moves the cursor to the other column, if it has rows.
    pub(super) fn other_column(&mut self, area: Rect) -> bool {
        let Some(columns) = self.columns(area) else { return false };
        let Some(page) = self.pages.first_mut() else { return false };
        page.cursor.other_column(&columns)
    }

    pub(super) fn act_on_page(&mut self, action: Action, area: Rect, cx: ViewContext<'_>) -> Update {
        if matches!(action, Action::NextPane | Action::PreviousPane) {
            return Update::changed_if(self.other_column(area));
        }
        let Some(columns) = self.columns(area) else { return Update::unchanged() };
        let Some(page) = self.pages.first_mut() else { return Update::unchanged() };
        match action {
            Action::Left | Action::Right => {
                let links = page.named(cx).links.len();
                Update::changed_if(page.cursor.sideways(&mut self.folds, action, links))
            }
            _ if action.moves() => Update::changed_if(page.cursor.move_cursor(&columns, action)),
            _ => Update::unknown(),
        }
    }
}
