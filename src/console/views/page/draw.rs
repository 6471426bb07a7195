//! Layout of a page: its facts, its attributes and the nodes over time.

use std::rc::Rc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::title::title;
use super::{PageRow, PageView, row_draw};
use crate::layout::{cells, cut_rows, inner_area};
use crate::views::list::NO_MATCH;
use crate::views::timeline::place;
use crate::views::{Object, ViewContext};
use crate::widgets::frame;

/// Minimum width for attributes beside the facts.
const BESIDE: u16 = 140;

/// Minimum rows of attributes, with their frame.
const LEAST_ATTRIBUTES: u16 = 5;

impl PageView {
    /// The areas of the facts and of the attributes: side by side where there is room, else stacked.
    pub(super) fn parts(&self, area: Rect) -> (Rect, Rect) {
        if area.width >= BESIDE {
            let left = Rect { width: area.width / 2, ..area };
            return (left, Rect { x: left.right(), width: area.width - left.width, ..area });
        }
        let wanted = cells(self.facts.len() + 2);
        // Without a cursor nothing scrolls: the attributes get what the facts leave, if it is enough.
        if self.follows_cursor {
            let is_enough = area.height.saturating_sub(wanted) >= LEAST_ATTRIBUTES;
            return cut_rows(area, if is_enough { wanted } else { area.height });
        }
        cut_rows(area, wanted.clamp(5, area.height.saturating_sub(6).max(5)))
    }

    /// The place for the nodes over time, if there is room: below the facts of a job or a node, with the attributes
    /// beside them.
    pub(super) fn picture_place(&self, area: Rect) -> Option<Rect> {
        let beside = area.width >= BESIDE && matches!(self.subject, Some(Object::Job(_) | Object::Node(_)));
        place(inner_area(self.parts(area).0), self.facts.len()).filter(|_| beside)
    }

    /// The note on the attributes: the filter, else their place in a file.
    fn note(&self) -> String {
        if !self.filter.is_empty() {
            let count = |rows: &[Rc<PageRow>]| rows.iter().filter(|row| row.is_counted()).count();
            return self.filter.note(count(self.attributes.matching_rows()), count(self.attributes.all()));
        }
        match self.answer.as_deref().map(|found| &found.attributes) {
            Some(Ok(found)) => format!("{}, record {}", found.file, found.record),
            _ => String::new(),
        }
    }

    /// Draws the page.
    pub(super) fn draw(&self, area: Rect, buf: &mut Buffer, cx: ViewContext<'_>) {
        let theme = cx.theme;
        let (facts, attributes) = self.parts(area);
        let (title, note) = self
            .subject
            .as_ref()
            .map_or_else(|| ("Page".to_owned(), String::new()), |subject| title(cx, subject));
        let inner = frame::pane(facts, buf, theme, &title, &note, self.focus(false) == Some(true));
        match self.subject {
            None => frame::empty(
                inner,
                buf,
                theme,
                &["Enter on a job, node, set, bucket, queue or reservation opens its page."],
            ),
            Some(_) if self.facts.is_empty() => frame::empty(inner, buf, theme, &[NO_MATCH]),
            Some(_) => row_draw::draw_in(&self.facts, (self.focus(false), self.link), facts, buf, theme),
        }
        if let Some(place) = self.picture_place(area) {
            let place = Rect { x: place.x + 1, width: place.width.saturating_sub(2), ..place };
            self.picture.draw(place, buf, cx);
        }
        let what = match self.subject {
            Some(Object::Set(_) | Object::Bucket(_)) => "Nodes",
            _ => "All attributes",
        };
        let count = self.attributes.matching_rows().iter().filter(|row| row.is_counted()).count();
        // The note on a filter has both numbers.
        let title = if count == 0 || !self.filter.is_empty() {
            what.to_owned()
        } else {
            format!("{what} · {count}")
        };
        let inner = frame::pane(attributes, buf, theme, &title, &self.note(), self.focus(true) == Some(true));
        match self.attributes.is_empty() {
            true if self.subject.is_none() => {}
            true => frame::empty(inner, buf, theme, &[NO_MATCH]),
            false => {
                row_draw::draw_in(&self.attributes, (self.focus(true), self.link), attributes, buf, theme);
            }
        }
    }
}
