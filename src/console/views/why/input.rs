//! The keys for an answer as a whole, and for the selected link in it.

use super::WhyView;
use super::page::WhyTarget;
use crate::views::{Effect, Object, Update, ViewContext, ViewName};
use qscope_explain::as_markdown;

impl WhyView {
    /// Opens what is chosen under the cursor; folds the section where that is its title and names nothing, or nothing is
    /// chosen.
    pub(super) fn open_chosen(&mut self, cx: ViewContext<'_>) -> Update {
        let on_title =
            self.page().is_some_and(|page| page.cursor.line == 0 && page.named(cx).links.is_empty());
        match self.chosen(cx).filter(|_| !on_title) {
            Some(object) if object.has_page() => Update::request(Effect::GoToPage(object)),
            Some(object) => Update::request(Effect::GoTo(object)),
            None => self.fold_one(),
        }
    }

    /// Whether the selected link is another job or node than the one explained.
    pub(super) fn explains_other(&self, cx: ViewContext<'_>) -> bool {
        let explained = self.target.as_ref().map(WhyTarget::object);
        self.chosen(cx).is_some_and(|object| object.has_why() && Some(&object) != explained.as_ref())
    }

    /// Explains the job or node of the selected link.
    pub(super) fn explain_chosen(&self, cx: ViewContext<'_>) -> Update {
        match self.chosen(cx) {
            Some(object @ (Object::Job(_) | Object::Node(_))) => {
                Update::request(Effect::GoToIn(ViewName::Why, object))
            }
            _ => Update::status("no job or node under the cursor"),
        }
    }

    /// Folds or unfolds the section under the cursor.
    pub(super) fn fold_one(&mut self) -> Update {
        let Some(page) = self.pages.first_mut() else { return Update::unchanged() };
        self.folds.toggle(page.cursor.key);
        page.cursor.line = 0;
        Update::changed()
    }

    /// Folds or unfolds all sections.
    pub(super) fn fold_all(&mut self) -> Update {
        let Some(page) = self.pages.first_mut() else { return Update::unchanged() };
        self.folds.toggle_all(&page.sections());
        page.cursor.line = 0;
        Update::changed()
    }

    /// Explains the next or previous object of the same kind.
    pub(super) fn go_to_sibling(&mut self, is_forward: bool, cx: ViewContext<'_>) -> Update {
        match self.target.as_ref().and_then(|target| target.sibling(is_forward, cx)) {
            Some(target) => {
                self.ask(target, cx);
                Update::changed()
            }
            None => Update::status("no other that way"),
        }
    }

    /// Copies the whole answer as Markdown.
    pub(super) fn copy_markdown(&self) -> Update {
        let Some(page) = self.page() else { return Update::unchanged() };
        Update::request(Effect::Copy("answer as Markdown", as_markdown(&page.sections_once()).into()))
    }
}
