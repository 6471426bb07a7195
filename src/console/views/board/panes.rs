//! Lays out and draws the list and the pane below it.

use super::grouped::JobGrouping;
use super::lines::{MAX_REASON, core_hours_of};
use super::{
    ABOUT, BAR, BoardView, MEDIUM, MIN_REASON, NARROW_BAR, OTHERS, ROOMY, SUMS, TALL, WIDE, WIDE_BAR,
};
use crate::layout::{cells, cut_columns, cut_rows, indented_inner_area};
use crate::views::ViewContext;
use crate::widgets::frame;
use crate::widgets::table::Table;
use crate::widgets::text::width;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

impl BoardView {
    /// The area of the list, as high as its rows, and the rest for the selected row.
    pub(super) fn areas(&self, area: Rect) -> [Rect; 2] {
        // Without rows there is nothing to describe below.
        if area.height < 2 * ABOUT || (self.causes.is_empty() && self.slice.is_done) {
            return [area, Rect { y: area.bottom(), height: 0, ..area }];
        }
        let rows = self.jobs.as_ref().map_or(self.causes.len(), |(_, jobs)| jobs.len());
        let (list, about) = cut_rows(area, cells(rows + 3).clamp(5, area.height - ABOUT));
        [list, about]
    }

    /// Draws both.
    pub(super) fn draw_panes(&self, area: Rect, buf: &mut Buffer, cx: ViewContext<'_>) {
        let theme = cx.theme;
        let [table, about] = self.areas(area);
        let note = match cx.screen.analysed_at() {
            Some(moment) => format!("{moment} · {}", self.note(theme)),
            None => self.note(theme),
        };
        let [long, short] = ["core-hours", "c-h"].map(|unit| self.title(unit, cx));
        let title = if frame::fit_side_by_side(table, &long, &note) { long } else { short };
        let inner = frame::pane(table, buf, theme, &title, &note, true);
        let sort = self.chosen.sort.as_ref();
        match &self.jobs {
            Some((_, jobs)) if !jobs.is_empty() => {
                Table { sort, ..jobs.table(&self.shown_job_columns(), theme) }.render(inner, buf);
            }
            None if !self.causes.is_empty() => {
                let most = self.lines.iter().map(core_hours_of).fold(0.0, f64::max);
                let bar = match area.width {
                    WIDE.. => WIDE_BAR,
                    // The reasons of a user take more room than one example; on narrow screens examples need that room
                    // too.
                    _ if self.grouping != JobGrouping::Reason || area.width < MEDIUM => NARROW_BAR,
                    _ => BAR,
                };
                // The bar shrinks where examples would be cut.
                let longest = self.lines.iter().map(|line| width(&line.brief)).max().unwrap_or(0);
                let reasons = self.lines.iter().map(|line| width(&line.reason())).max().unwrap_or(0);
                let others = OTHERS + cells(reasons).clamp(MIN_REASON, MAX_REASON) + cells(longest);
                let bar = area.width.saturating_sub(others).clamp(bar.min(BAR), bar);
                let columns = self.shown_cause_columns(most, bar, theme);
                Table { sort, ..self.causes.table(&columns, theme) }.render(inner, buf);
            }
            _ => frame::empty(inner, buf, theme, &[self.why_empty(cx)]),
        }
        if about.height > 0 {
            let beside = about.width >= ROOMY && about.height >= TALL;
            // Bars stay readable in few columns, and what stops a job does not.
            let (about, sums) = cut_columns(about, if beside { about.width - SUMS } else { about.width });
            if !sums.is_empty() {
                self.sums.render(sums, buf, theme);
            }
            let hint = if self.jobs.is_some() { "Enter: its step" } else { "Enter: its jobs" };
            frame::pane(about, buf, theme, self.grouping.title(), hint, false);
            let inner = indented_inner_area(about);
            let most = if about.height >= TALL { 3 } else { 2 };
            let shares = if self.jobs.is_some() { 0 } else { self.rows_of_shares(inner.width, most, theme) };
            let (all, one) = cut_rows(inner, shares);
            self.shares(all, buf, theme);
            self.draw_reason(one, buf, theme);
        }
    }
}
