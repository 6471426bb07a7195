//! Draws the sets of all pools, the order without the key beside them, and the selected set or pool below.

use std::rc::Rc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::job_trial::JobSetTrial;
use super::layout::ROOMY;
use super::tree::PoolLine;
use super::{PoolsView, is_sorted, tree};
use crate::layout::{indented_inner_area, inner_area};
use crate::theme::Role;
use crate::views::ViewContext;
use crate::views::list::{NO_MATCH, cut_beside, position_title};
use crate::widgets::frame;
use crate::widgets::ramp::{RampCell, legend_of_signs};
use crate::widgets::table::Table;

impl PoolsView {
    /// The filter, else the position of the cursor.
    fn position(&self) -> String {
        if self.filter.is_empty() {
            return self.list.position();
        }
        let sets = self.list.all().iter().filter(|line| matches!(***line, PoolLine::Set(_)));
        self.filter.note(self.list.rows(), sets.count())
    }

    pub(super) fn draw(&self, area: Rect, buf: &mut Buffer, cx: ViewContext<'_>) {
        let theme = cx.theme;
        let sorted = is_sorted(cx);
        let parts = self.parts(area, sorted);
        let meeting = JobSetTrial::of(cx);
        let job = meeting.as_ref().map_or(String::new(), |meeting| format!(" · {}", meeting.headline()));
        let is_in_order = self.chosen.sort.is_none() && !self.list.has_nothing();
        let order = if is_in_order { ", in the order tried" } else { "" };
        let title = match area.width {
            ..ROOMY => format!("Sets {}{job}", position_title(cx.position())),
            _ => format!("Placement sets {}{order}{job}", position_title(cx.position())),
        };
        let at = self.position() + &self.chosen.sort_note(theme);
        let inside_table = inner_area(parts.table).width;
        let columns = self.columns(cx, meeting.as_ref(), inside_table);
        let note = match self.scale(&columns, inside_table) {
            scale if scale.is_empty() => at,
            scale => match format!("{scale}{}{at}", theme.dot()) {
                both if frame::fit_side_by_side(parts.table, &title, &both) => both,
                _ => at,
            },
        };
        if let Some(place) = self.place_beside(area) {
            self.side_page.draw(place, buf, cx);
        }
        if self.list.is_empty() {
            let area = if self.place_beside(area).is_some() { cut_beside(area).0 } else { area };
            let inner = frame::pane(area, buf, theme, &title, &note, true);
            match &self.absent {
                Some((_, absent)) if self.list.has_nothing() => {
                    absent.render(indented_inner_area(area), buf, theme);
                }
                _ => frame::empty(inner, buf, theme, &[NO_MATCH]),
            }
            return;
        }
        let inner = frame::pane(parts.table, buf, theme, &title, &note, true);
        let (table, sort) = (self.list.table(&columns, theme), self.chosen.sort.as_ref());
        Table { heading: &|line: &'_ Rc<PoolLine>| tree::heading(line), sort, ..table }.render(inner, buf);
        let border = frame::more_below(self.list.rows_below(inner), parts.table, buf, theme);
        let signs = [RampCell::Free(8), RampCell::Free(1), RampCell::Free(0), RampCell::OutOfService];
        let taken = match self.taken.is_empty() {
            true => String::new(),
            false => format!("  {} taken", theme.glyph(Role::NodeTaken)),
        };
        let key = if sorted { "  without: place without the sort key" } else { "" };
        let legend = format!("{}{taken}  count: PBS{key}", legend_of_signs(&signs, theme).trim_end());
        frame::at_left_of_border(&legend, border, buf, theme);
        if let Some(area) = parts.today {
            self.today.render(area, buf, theme, self.set().map_or("", |line| &line.name));
        }
        match (parts.detail, &self.fragments, self.set()) {
            (Some(area), Some(fragments), None) => fragments.render(area, buf, theme),
            (Some(area), ..) => self.render_detail(area, buf, cx, meeting.as_ref()),
            _ => {}
        }
    }
}
