//! The lines of the model, taken into the list.

use super::ListView;
use super::model::ListModel;
use crate::views::ViewContext;

impl<M: ListModel> ListView<M> {
    /// Takes the lines of now; the cursor stays on its row.
    pub(super) fn set_lines(&mut self, cx: ViewContext<'_>) {
        self.is_behind = false;
        let made_of = std::mem::replace(&mut self.made_of, M::made_of(cx));
        // The resource that rows were grouped by may not exist in this snapshot.
        self.group = self.group.take().filter(|by| M::groups(cx).contains(by));
        let lines = self.model.lines(cx);
        let Some(lines) = self.sort_later(lines, made_of) else { return self.note_cursor(cx) };
        let is_first = self.list.has_nothing();
        let most = self.slices.first(lines.len(), self.filter.is_empty());
        let before = self.list.selected_row();
        let is_still = before.as_deref().map(|line| M::finds_row(line, self.under.as_ref(), cx));
        let same = |line: &M::Line| is_still.as_ref().is_some_and(|is_still| is_still(line));
        let hidden = self.list.hidden_row();
        self.list.set_some(lines, most, |line| M::matches_filter(&self.filter, line, cx), same);
        if let Some(hidden) = hidden {
            self.list.hide(M::finds_row(&hidden, self.hidden.as_ref(), cx));
        }
        drop(is_still);
        self.slices.request_next(self.list.is_whole());
        self.arrange(cx);
        // The cursor of a list that begins with a heading or with a job that left starts on the first live row.
        if is_first {
            self.list.put_on(M::is_live);
        }
        self.note_cursor(cx);
    }

    /// Keeps what is under the cursor, which the next snapshot may have in another place.
    pub(super) fn note_cursor(&mut self, cx: ViewContext<'_>) {
        self.under = self.list.selected().and_then(|line| M::object(line, cx));
        self.hidden = self.list.hidden_row().and_then(|line| M::object(&line, cx));
    }
}
