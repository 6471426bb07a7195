//! The page of the selected object, beside a list on very wide screens, where the list alone would leave most columns
//! empty.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{DetailLayout, LARGE};
use crate::layout::{VERY_WIDE, cut_columns, cut_rows, share};
use crate::task::TaskNews;
use crate::views::page::PageView;
use crate::views::{Effect, Object, Stamp, Update, View, ViewContext};
use crate::widgets::frame;

/// The page, which follows the cursor of the list.
#[derive(Debug, Default)]
pub(crate) struct SidePage {
    page: Box<PageView>,
    /// Whether a page is shown: not every line has one.
    is_shown: bool,
    /// Whether the page would take too long to build between two key presses.
    is_large: bool,
    stamp: Option<Stamp>,
}

/// Splits the area into that of the list and, on a very wide screen, that of the page.
pub(crate) fn split_for_page(area: Rect) -> (Rect, Option<Rect>) {
    if area.width < VERY_WIDE {
        return (area, None);
    }
    let (list, beside) = cut_columns(area, area.width - share(area.width, 2, 5));
    (list, Some(beside))
}

/// Splits the place into that of the list's own details, which come first, and that of the page.
pub(super) fn parts(place: Rect, detail: DetailLayout) -> (Rect, Rect) {
    // Without a frame the details are a table line in full, of which the page shows more: two rows do.
    let rows = if detail.framed { detail.rows } else { detail.rows.min(2) };
    let frame = if detail.framed || rows == 0 { 0 } else { 2 };
    cut_rows(place, rows + frame)
}

impl SidePage {
    /// Shows the page of the object under the cursor.
    pub(crate) fn follow(&mut self, object: Option<Object>, place: Rect, cx: ViewContext<'_>) {
        self.page.follow_list();
        let stamp = Some(cx.stamp());
        let is_new = std::mem::replace(&mut self.stamp, stamp) != stamp;
        // These pages count all waiting jobs, or list all nodes.
        let is_whole = matches!(object, Some(Object::Queue(_) | Object::Set(_)));
        let snap = cx.snapshot();
        self.is_large = is_whole && snap.nodes.len().max(snap.jobs.len()) >= LARGE;
        let object = object.filter(|_| !self.is_large);
        self.is_shown = object.is_some_and(|object| self.page.show(&object, cx));
        if !self.is_shown {
            self.page.give_keys(false);
        }
        if self.is_shown {
            if is_new {
                self.page.refresh(cx);
            }
            self.page.prepare(place, cx);
        }
    }

    /// Hides the page while there is no place for it.
    pub(crate) fn hide(&mut self) {
        self.is_shown = false;
        self.page.give_keys(false);
    }

    /// Whether a page is shown.
    pub(super) fn is_shown(&self) -> bool {
        self.is_shown
    }

    /// Whether keys go to the page.
    pub(super) fn has_keys(&self) -> bool {
        self.page.has_keys()
    }

    /// Gives the keys to the page if it is shown, or takes them away.
    pub(super) fn give_keys(&mut self, has_keys: bool) {
        self.page.give_keys(has_keys && self.is_shown);
    }

    /// Whether the pane of it that has the keys is its last one.
    pub(super) fn is_in_last_pane(&self, place: Rect) -> bool {
        self.page.is_in_last_pane(place)
    }

    /// Moves the keys into, within or out of the page; returns whether it has them afterwards.
    pub(super) fn move_focus(&mut self, forward: bool, place: Rect) -> bool {
        self.is_shown && self.page.move_focus(forward, place)
    }

    /// The object named under its cursor, while it has the keys.
    pub(super) fn named(&self) -> Option<Object> {
        self.page.chosen_link().filter(|_| self.has_keys())
    }

    /// The page, for keys and mouse.
    pub(super) fn page(&mut self) -> &mut PageView {
        &mut self.page
    }

    pub(crate) fn requests(&mut self) -> Vec<Effect> {
        self.page.requests()
    }

    pub(crate) fn on_news(&mut self, news: &TaskNews, cx: ViewContext<'_>) -> Update {
        self.page.on_news(news, cx)
    }

    pub(crate) fn draw(&self, place: Rect, buf: &mut Buffer, cx: ViewContext<'_>) {
        if self.is_shown {
            return self.page.render(place, buf, cx);
        }
        let inner = frame::pane(place, buf, cx.theme, "Page", "", false);
        let why = match self.is_large {
            true => "Enter opens its page.",
            false => "No job, node, queue or set under the cursor.",
        };
        frame::empty(inner, buf, cx.theme, &[why]);
    }
}
