//! Layout of the view, and drawing of the parts beside the table of policies.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::widgets::Widget;

use super::PoliciesView;
use super::lines::{self, pick_columns};
use crate::layout::cells;
use crate::theme::Theme;
use crate::widgets::bitmap::{Bitmap, MapState};
use crate::widgets::frame;
use crate::widgets::table::{Table, TableState, height};
use crate::wording::count;

/// Minimum width for nodes beside the policies.
const WIDE: u16 = 130;
/// Minimum height for both table and map.
const TALL: u16 = 34;

/// The areas of the parts; `None` for parts that are not shown.
pub(super) struct PolicyAreas {
    pub table: Option<Rect>,
    pub picks: Option<Rect>,
    pub map: Option<Rect>,
}

impl PoliciesView {
    pub(super) fn areas(&self, area: Rect) -> PolicyAreas {
        if area.width >= WIDE {
            let [left, right] =
                Layout::horizontal([Constraint::Percentage(58), Constraint::Fill(1)]).areas(area);
            let [table, map] = Layout::vertical([Constraint::Max(12), Constraint::Fill(1)]).areas(left);
            return PolicyAreas { table: Some(table), picks: Some(right), map: Some(map) };
        }
        if area.height >= TALL {
            let thirds = [Constraint::Max(12), Constraint::Fill(1), Constraint::Fill(1)];
            let [table, picks, map] = Layout::vertical(thirds).areas(area);
            return PolicyAreas { table: Some(table), picks: Some(picks), map: Some(map) };
        }
        // The map names all policies too, and replaces the table.
        let height = if self.on_map { 13 } else { 12 };
        let [top, rest] = Layout::vertical([Constraint::Max(height), Constraint::Fill(1)]).areas(area);
        let (table, map) = if self.on_map { (None, Some(top)) } else { (Some(top), None) };
        PolicyAreas { table, picks: Some(rest), map }
    }

    pub(super) fn render_picks(&self, area: Rect, buf: &mut Buffer, theme: &Theme) {
        let Some(answer) = self.selected() else { return };
        let title = format!("{}: by {}", answer.policy, answer.ordering_policy().prefers());
        let note = count(self.picks.len(), "node");
        let inner = frame::pane(area, buf, theme, &title, &note, false);
        let reserved = self.snapshot().is_some_and(|snap| !snap.reservations.is_empty());
        let differs = self.picks.iter().any(|pick| !pick.common);
        let mut about =
            lines::notes_and_measures(answer, self.measure_of(self.table.selected), reserved, differs);
        about.fit(inner.width.into());
        let room = cells(about.lines().len()).min(inner.height.saturating_sub(2));
        let [table, text] = Layout::vertical([Constraint::Fill(1), Constraint::Length(room)]).areas(inner);
        if !self.picks.is_empty() {
            let columns = pick_columns();
            let picks = Table::new(&columns, &self.picks, TableState::default(), theme);
            Table { focused: false, has_cursor: false, ..picks }.render(table, buf);
            frame::left_out(self.picks.len().saturating_sub(height(table)), inner, buf, theme);
        }
        about.draw(0, text, buf, theme);
    }

    pub(super) fn render_map(&self, area: Rect, buf: &mut Buffer, theme: &Theme) {
        let note = match (self.node_name(), self.map.node(self.map_state.node)) {
            (Some(name), Some(id)) => match self.map.takers(id) {
                takers if takers.is_empty() => format!("{name}: chosen by none"),
                takers if area.width < 100 => format!("{name}: chosen by {} of 9", takers.len()),
                takers => format!("{name}: chosen by {}", takers.join(" ")),
            },
            _ => String::new(),
        };
        let title = "Nodes chosen, in dump order";
        let inner = frame::pane(area, buf, theme, title, &note, self.on_map);
        let state = MapState { line: self.table.selected, ..self.map_state };
        (&Bitmap { map: &self.map, state, theme, focused: self.on_map }).render(inner, buf);
    }
}
