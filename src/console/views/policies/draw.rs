//! Where the parts of the view stand, and the two that are not the table of policies.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::widgets::Widget;

use super::Policies;
use super::lines::{self, PICK_COLUMNS};
use crate::theme::Theme;
use crate::views::world::World;
use crate::widgets::bitmap::{Bitmap, MapState};
use crate::widgets::frame;
use crate::widgets::table::{Table, TableState};

/// From this width on the nodes stand beside the policies.
const WIDE: u16 = 130;
/// From this height on list and map are both on the screen.
const TALL: u16 = 34;

/// Where the parts stand; what is not on the screen is none.
pub(super) struct Areas {
    pub table: Option<Rect>,
    pub picks: Option<Rect>,
    pub map: Option<Rect>,
}

impl Policies {
    pub(super) fn areas(&self, area: Rect) -> Areas {
        if area.width >= WIDE {
            let [left, right] =
                Layout::horizontal([Constraint::Percentage(58), Constraint::Fill(1)]).areas(area);
            let [table, map] = Layout::vertical([Constraint::Max(12), Constraint::Fill(1)]).areas(left);
            return Areas { table: Some(table), picks: Some(right), map: Some(map) };
        }
        if area.height >= TALL {
            let thirds = [Constraint::Max(12), Constraint::Fill(1), Constraint::Fill(1)];
            let [table, picks, map] = Layout::vertical(thirds).areas(area);
            return Areas { table: Some(table), picks: Some(picks), map: Some(map) };
        }
        // The map names all policies too, and takes the place of the table.
        let height = if self.on_map { 13 } else { 12 };
        let [top, rest] = Layout::vertical([Constraint::Max(height), Constraint::Fill(1)]).areas(area);
        let (table, map) = if self.on_map { (None, Some(top)) } else { (Some(top), None) };
        Areas { table, picks: Some(rest), map }
    }

    pub(super) fn render_picks(&self, area: Rect, buf: &mut Buffer, theme: &Theme) {
        let Some(answer) = self.selected() else { return };
        let title = format!("{}: by {}", answer.policy, answer.policy.prefers());
        let note = format!("{} nodes", self.picks.0.len());
        let inner = frame::pane(area, buf, theme, &title, &note, false);
        let about =
            lines::wrapped(&lines::about(answer, self.measure_of(self.table.selected)), inner.width.into());
        let room = u16::try_from(about.len()).unwrap_or(u16::MAX).min(inner.height.saturating_sub(2));
        let [table, text] = Layout::vertical([Constraint::Fill(1), Constraint::Length(room)]).areas(inner);
        if !self.picks.0.is_empty() {
            let state = TableState::default();
            Table { columns: &PICK_COLUMNS, rows: &self.picks, state, theme, focused: false }
                .render(table, buf);
        }
        let about: Vec<&str> = about.iter().map(String::as_str).collect();
        frame::empty(text, buf, theme, &about);
    }

    pub(super) fn render_map(&self, area: Rect, buf: &mut Buffer, world: World<'_>, theme: &Theme) {
        let note = match (self.node_name(world), self.map.node(self.map_state.node)) {
            (Some(name), Some(id)) => match self.map.takers(id) {
                takers if takers.is_empty() => format!("{name}: nobody's choice"),
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
