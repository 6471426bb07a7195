//! The opened views, their filters, and the effects that they request.

mod effects;

use std::collections::BTreeMap;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::typing::saved_as;
use super::{CycleMarks, FollowState, Screen, Shell};
use crate::action::Context;
use crate::breakpoints::Breakpoints;
use crate::filter::Filter;
use crate::layout::SizeClass;
use crate::task::TaskNews;
use crate::views::what_if::WhatIfView;
use crate::views::{Effect, FileView, Object, Stamp, Update, View, ViewContext, ViewName};
use crate::widgets::prompt::Prompt;
use qscope_engine::cluster::Epoch;
use qscope_session::query::QueryFields;
use qscope_session::{LogHistory, Opening};

/// The opened views, and the back stack.
#[derive(Debug)]
pub(crate) struct OpenViews {
    /// The view on the screen.
    pub(super) current: ViewName,
    pub(super) slots: BTreeMap<ViewName, ViewSlot>,
    /// The filter line of each view.
    prompts: BTreeMap<ViewName, Prompt>,
    pub(super) back_stack: Vec<ViewPlace>,
    pub(super) ahead: Vec<ViewPlace>,
    /// The object under the cursor of the current view when it was opened.
    pub(super) entry_object: Option<Object>,
    /// Whether the cursor of the queue was moved, or a job explained instead of the first one.
    pub(super) was_job_chosen: bool,
    /// The only view, if files are shown instead of a cluster.
    pub(super) files: Option<Box<dyn FileView>>,
}

impl Default for OpenViews {
    fn default() -> Self {
        let current = ViewName::Cycle;
        let slots = BTreeMap::from([(current, ViewSlot::new(current.make()))]);
        Self {
            current,
            slots,
            prompts: BTreeMap::new(),
            back_stack: Vec::new(),
            ahead: Vec::new(),
            entry_object: None,
            was_job_chosen: false,
            files: None,
        }
    }
}

impl OpenViews {
    pub(super) fn on_files(name: ViewName, view: Box<dyn FileView>) -> Self {
        Self { current: name, slots: BTreeMap::new(), files: Some(view), ..Self::default() }
    }
}

/// A view, and the object under its cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ViewPlace {
    pub(super) view: ViewName,
    pub(super) object: Option<Object>,
}

/// A view that was opened.
#[derive(Debug)]
pub(super) struct ViewSlot {
    pub(super) view: Box<dyn View>,
    /// What it was last refreshed for.
    seen: Option<Stamp>,
    /// The numbers of the tasks that it requested last.
    requested: Vec<u64>,
}

/// Maximum number of tasks of a view whose answers are still expected.
const MAX_REQUESTED: usize = 64;

impl ViewSlot {
    pub(super) fn new(view: Box<dyn View>) -> Self {
        Self { view, seen: None, requested: Vec::new() }
    }

    /// Remembers which tasks the view requests.
    fn note_requests(&mut self, effects: &[Effect]) {
        self.requested.extend(effects.iter().filter_map(|effect| match effect {
            Effect::Compute(task) => Some(task.number()),
            _ => None,
        }));
        self.requested.drain(..self.requested.len().saturating_sub(MAX_REQUESTED));
    }

    fn refresh(&mut self, cx: ViewContext<'_>) {
        self.view.refresh(cx);
        self.seen = Some(cx.stamp());
    }

    /// Passes news of a task. A hidden view still has the rows of the snapshot it was last refreshed for: news that it
    /// requested reach it after it was refreshed, others do not.
    fn on_news(&mut self, news: &TaskNews, cx: ViewContext<'_>) -> Update {
        if !self.seen.is_some_and(|seen| seen.is_of_same_snapshot(cx)) {
            if !self.requested.contains(&news.ticket) {
                return Update::unchanged();
            }
            self.refresh(cx);
        }
        let update = self.view.on_news(news.ticket, &news.news, cx);
        self.note_requests(&update.effects);
        update
    }
}

/// The context of the views, borrowing only the parts of the shell that hold it, so that the others can be changed meanwhile.
pub(super) fn world_of<'a>(
    screen: &'a Option<Screen>,
    following: &'a FollowState,
    (cycle_marks, breakpoints): (&'a CycleMarks, &'a Breakpoints),
    (area, now): (Rect, Epoch),
) -> Option<ViewContext<'a>> {
    let (screen, live, size_class) = (screen.as_ref()?, following.live.as_ref(), SizeClass::of(area));
    let (history, opening, left) = (&following.history, following.opening.as_ref(), following.left);
    let (past, failure) = (following.past.as_ref(), following.failure.as_ref());
    let (old, config_wrong) = (following.old_data(now), &*following.config_wrong);
    let (breakpoint_steps, keeps_pace) =
        (breakpoints.stops(), following.keeps_pace && following.freeze.is_none());
    Some(ViewContext {
        screen,
        cycle_marks,
        breakpoint_steps,
        size_class,
        keeps_pace,
        history,
        live,
        opening,
        is_recording: following.recorded.as_ref().is_some_and(Result::is_ok),
        past,
        left,
        failure,
        old,
        config_wrong,
    })
}

impl Shell {
    /// The view on the screen.
    pub fn view(&self) -> ViewName {
        self.open_views.current
    }

    /// The context that views read, if anything could be read yet.
    pub fn cx(&self) -> Option<ViewContext<'_>> {
        world_of(
            &self.screen,
            &self.following,
            (&self.cycle_marks, &self.breakpoints),
            (self.area, (self.clock)()),
        )
    }

    /// The content of the last line: the filter of this view, or a line for it.
    pub(crate) fn prompt(&self) -> &Prompt {
        const EMPTY: &Prompt = &Prompt::EMPTY;
        if self.takes_line() {
            return &self.line;
        }
        self.open_views.prompts.get(&self.open_views.current).unwrap_or(EMPTY)
    }

    pub(super) fn prompt_mut(&mut self) -> &mut Prompt {
        if self.takes_line() {
            return &mut self.line;
        }
        self.open_views.prompts.entry(self.open_views.current).or_default()
    }

    /// Applies the filter line; if it cannot be parsed, the last valid filter stays.
    pub(super) fn refilter(&mut self) {
        if self.takes_line() {
            let text = self.line.text().to_owned();
            self.prompt_error = self.with_view(|view, cx| view.typed(&text, false, cx)).flatten();
            return;
        }
        self.prompt_error = None;
        let Some(cx) = self.cx() else { return };
        let fields = self.open_view().map_or_else(QueryFields::default, |view| view.fields(cx));
        let text = self.prompt().text();
        match Filter::parse(saved_as(text).map_or(text, |(filter, _)| filter), &fields) {
            Ok(filter) => {
                self.with_view(|view, cx| view.filter(&filter, cx));
            }
            Err(error) => self.prompt_error = Some(error),
        }
        if self.typing {
            self.suggest();
            self.filter_before_mistake();
        }
    }

    /// If the last clause of a filter is wrong, applies the clauses before it, instead of what an earlier state of the
    /// clause left.
    fn filter_before_mistake(&mut self) {
        let wrong = self.prompt_error.as_ref().filter(|error| !self.suggestions.replaces_error(Some(error)));
        let text = self.prompt().text();
        // An error at the very end may just be incomplete.
        let start = wrong.map(|error| error.span.start).filter(|start| *start < text.trim_end().len());
        let Some(start) = start else { return };
        let end = text.get(..start).and_then(|head| head.rfind(char::is_whitespace)).unwrap_or(0);
        let before = text.get(..end).unwrap_or_default().to_owned();
        self.with_view(|view, cx| {
            if let Ok(filter) = Filter::parse(&before, &view.fields(cx)) {
                view.filter(&filter, cx);
            }
        });
    }

    /// Sets what is being read, so that other moments of it can be loaded.
    pub fn reads(&mut self, opening: Opening) {
        self.following.opening = Some(opening);
    }

    /// Sets logs of the past, to draw run times from.
    pub fn set_log_history(&mut self, history: LogHistory) {
        self.following.past = Some(Arc::new(history));
    }

    /// Starts in the view of times; going back leads to the cycle.
    pub fn begin_with_time(&mut self) {
        let view = ViewName::Time;
        self.open_views.slots.insert(view, ViewSlot::new(view.make()));
        self.open_views.back_stack.push(ViewPlace { view: ViewName::Cycle, object: None });
        self.open_views.current = view;
    }

    /// Starts with a what-if: as soon as there is a cycle, it is run again with these settings and shown instead.
    pub fn begin_with(&mut self, settings: Vec<String>) {
        let mut view = WhatIfView::entering(settings);
        view.set_saved(self.keeping.stored.what_ifs.clone());
        let view: Box<dyn View> = Box::new(view);
        self.open_views.slots.insert(ViewName::WhatIf, ViewSlot::new(view));
        self.open_views.current = ViewName::WhatIf;
    }

    /// Calls the view on the screen after refreshing it; `None` while there is no snapshot.
    pub(super) fn with_view<T>(
        &mut self,
        act: impl FnOnce(&mut dyn View, ViewContext<'_>) -> T,
    ) -> Option<T> {
        let cx = world_of(
            &self.screen,
            &self.following,
            (&self.cycle_marks, &self.breakpoints),
            (self.area, (self.clock)()),
        )?;
        let slot = self.open_views.slots.get_mut(&self.open_views.current)?;
        if slot.seen != Some(cx.stamp()) {
            slot.refresh(cx);
        }
        Some(act(&mut *slot.view, cx))
    }

    /// Causes the view on the screen to be refreshed once more.
    pub(super) fn forget_refresh(&mut self) {
        if let Some(slot) = self.open_views.slots.get_mut(&self.open_views.current) {
            slot.seen = None;
        }
    }

    /// The view on the screen, read-only.
    pub(super) fn open_view(&self) -> Option<&dyn View> {
        self.open_views.slots.get(&self.open_views.current).map(|slot| &*slot.view)
    }

    /// Refreshes the view on the screen, if anything changed.
    pub(super) fn refresh_view(&mut self) {
        self.with_view(|_, _| ());
    }

    pub(crate) fn draw_view(&self, area: Rect, buf: &mut Buffer) {
        if let Some(files) = &self.open_views.files {
            return files.render(area, buf, &self.theme);
        }
        let slot = self.open_views.slots.get(&self.open_views.current);
        if let (Some(slot), Some(cx)) = (slot, self.cx()) {
            slot.view.render(area, buf, cx, &self.theme);
        }
    }

    pub(super) fn view_area(&self) -> Rect {
        self.parts().body
    }

    /// The context of the focused pane, if the view has several.
    pub(super) fn pane_context(&self) -> Option<Context> {
        self.open_views.slots.get(&self.open_views.current)?.view.pane_context()
    }

    /// Whether step keys move through lines of the view.
    pub(super) fn view_takes_steps(&self) -> bool {
        self.open_views.slots.get(&self.open_views.current).is_some_and(|slot| slot.view.takes_steps())
    }

    /// The state of an opened view.
    pub fn opened<V: View>(&self, name: ViewName) -> Option<&V> {
        let view: &dyn std::any::Any = &*self.open_views.slots.get(&name)?.view;
        view.downcast_ref()
    }

    /// The what-if view, if it was opened.
    pub(super) fn what_if_view(&mut self) -> Option<&mut WhatIfView> {
        let view: &mut dyn std::any::Any = &mut *self.open_views.slots.get_mut(&ViewName::WhatIf)?.view;
        view.downcast_mut()
    }

    /// Calls the view on the screen and executes what it requests.
    pub(super) fn update_view(
        &mut self,
        call: impl FnOnce(&mut dyn View, Rect, ViewContext<'_>) -> Update,
    ) -> Update {
        let area = self.view_area();
        let update = self.with_view(|view, cx| call(view, area, cx)).unwrap_or_default();
        self.execute(update)
    }

    /// Remembers which tasks the view on the screen requests.
    fn note_requests(&mut self, effects: &[Effect]) {
        if let Some(slot) = self.open_views.slots.get_mut(&self.open_views.current) {
            slot.note_requests(effects);
        }
    }

    /// Calls the view on files and executes what it requests; `None` if a cluster is shown.
    pub(super) fn update_files(
        &mut self,
        call: impl FnOnce(&mut dyn FileView, Rect) -> Update,
    ) -> Option<Update> {
        let area = self.view_area();
        let update = call(&mut **self.open_views.files.as_mut()?, area);
        Some(self.execute(update))
    }
}
