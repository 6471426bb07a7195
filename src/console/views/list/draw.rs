//! Draws the list with what is above, below and beside it.

use super::head::ListHead;
use super::model::ListModel;
use super::panes::rows_of;
use super::{ListView, NO_MATCH};
use crate::layout::cut_rows;
use crate::theme::{Role, Theme};
use crate::views::ViewContext;
use crate::views::records::sign_cell;
use crate::widgets::frame;
use crate::widgets::table::Table;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use std::rc::Rc;

impl<M: ListModel> ListView<M> {
    /// Draws everything.
    pub(super) fn draw_all(&self, area: Rect, buf: &mut Buffer, cx: ViewContext<'_>) {
        let theme = cx.theme;
        let (area, foot) = self.cut_foot(area);
        if foot.height > 0 {
            self.model.draw_foot(foot, buf, cx);
        }
        let below = self.detail_layout(area, cx);
        let head = self.model.head_pane(cx);
        let head_rows = ListHead::rows(head.as_ref(), area.height);
        let (area, beside) = self.split_area(area, cx);
        if let Some(place) = beside {
            self.draw_beside(place, buf, cx);
        }
        let (top, area) = cut_rows(area, head_rows);
        if let Some(head) = head.filter(|_| top.height > 0) {
            head.draw(top, buf, theme);
        }
        let (pane, framed) =
            cut_rows(area, area.height.saturating_sub(if below.framed { below.rows } else { 0 }));
        let order = if self.chosen.sort.is_none() && self.group.is_none() { self.model.order() } else { "" };
        let title = format!("{}{order}", self.model.title(cx));
        let inner = frame::pane(pane, buf, theme, &title, &self.note(theme), !self.lower.has_keys());
        if self.list.is_empty() {
            let why =
                if self.list.has_nothing() { self.model.why_empty(cx) } else { vec![NO_MATCH.to_owned()] };
            let why: Vec<&str> = why.iter().map(String::as_str).collect();
            frame::empty(inner, buf, theme, &why);
            return;
        }
        let story = self.wrapped_text_above(area);
        let (above, rest) = cut_rows(inner, rows_of(&story));
        story.draw(0, Rect { x: above.x + 1, width: above.width.saturating_sub(1), ..above }, buf, theme);
        let within = if below.framed { 0 } else { below.rows };
        let (place, unframed) = cut_rows(rest, rest.height.saturating_sub(within));
        let columns = self.columns(cx, place.width);
        let table = self.list.table(&columns, theme);
        let sort = self.chosen.sort.as_ref();
        let mark = |line: &'_ Rc<M::Line>| self.model.mark(line, cx).map(|sign| sign_cell(sign, theme));
        Table { heading: &|line: &'_ Rc<M::Line>| M::heading(line), mark: &mark, sort, ..table }
            .render(place, buf);
        let border = frame::more_below(self.list.rows_below(place), pane, buf, theme);
        let legend = M::legend(self.list.matching_rows(), theme);
        if !legend.is_empty() {
            frame::at_left_of_border(&legend, border, buf, theme);
        }
        if let Some(line) = self.list.selected().filter(|_| below.rows > 0) {
            let detail = if below.framed { framed } else { unframed };
            self.draw_words(line, detail, buf, cx);
        }
    }

    /// The cursor's position, the filter and the order, for the frame.
    fn note(&self, theme: &Theme) -> String {
        let is_sorted = !(self.is_to_sort || self.chosen.sort.is_some() && self.model.awaits_keys());
        let position = match self.filter.is_empty() {
            true if !is_sorted => "sorting ...".to_owned(),
            true => match &*self.list.position() {
                "" => String::new(),
                position => format!("{} {position}", theme.glyph(Role::Cursor)),
            },
            false if self.list.is_whole() => self.filter.note(self.list.rows(), self.list.len()),
            false => {
                format!("/{}  filtering ... {} so far", self.filter.text(), self.list.matching_rows().len())
            }
        };
        let group = self.group.as_ref().map_or_else(String::new, |by| format!("{}by {by}", theme.dot()));
        format!("{position}{group}{}", self.chosen.sort_note(theme))
    }
}
