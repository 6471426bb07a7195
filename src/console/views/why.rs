//! Why a job waits: the cause in one line, the proof, what blocks it, when it would start, what would help; and the
//! reverse question about a node.
//!
//! ```text
//! ┏ Why 16 does not run ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ ann · 8×ncpus=4:ngpus=4 ┓
//! ┃  ◷ insufficient ngpus: 16 of 32 ngpus                                       ┃
//! ┃    32 ngpus requested, 16 left of 32 on the 8 nodes that it may use         ┃
//! ┃  Nodes lost at each condition, 8 × ncpus=4:ngpus=4                          ┃
//! ┃▸       28 ████████████▎   −4 1 queue   queue special  n[021-024]            ┃
//! ┃  When                                                                       ┃
//! ┃    ~ 02:12:26, in 15m · by running 1 cycle forward                          ┃
//! ┃  The decision, stage by stage ... 6 lines                                   ┃
//! ┗━ 1 of 4: Enter: node n021 · a: why · h l: choose ━━━━━━━━━ PgDn: 9 more lines ┛
//! ```
//! The answer comes first; parts that take longer follow from workers as they are found, and Esc stops them. From 150
//! columns on, the sections about the future are beside the others; on high screens the queue is shown below, and
//! moving its cursor explains another job.

mod arrangement;
mod cursor;
mod draw;
mod input;
mod named_line;
mod page;
mod queue_pane;
mod row_wrap;
mod rows;
mod target_choice;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::action::Action;
use crate::filter::Filter;
use crate::task::TaskNews;
use crate::views::timeline::{PictureSubject, SmallPicture};
use crate::views::{Effect, Object, Update, View, ViewContext};
use qscope_exits::ClipboardText;

use arrangement::{AnswerLayout, arranged};
use cursor::WhyCursor;
use page::{WhyPage, WhyTarget};
use queue_pane::QueuePane;
use rows::{Folds, lines_kept};

/// Maximum number of answers kept for going back.
const MAX_PAGES: usize = 8;

/// The view's state.
#[derive(Debug, Default)]
pub(crate) struct WhyView {
    /// The job or node that is explained.
    target: Option<WhyTarget>,
    /// The name of the selected job at the last refresh.
    subject: Option<String>,
    /// Answers for this snapshot, the one on the screen first.
    pages: Vec<WhyPage>,
    /// The places of the cursors in the answers for the cycle before, where answers of this one begin.
    places: Vec<(WhyTarget, WhyCursor)>,
    folds: Folds,
    filter: Filter,
    /// The nodes over time below the sections about the future.
    picture: SmallPicture,
    /// The rows that it needs, once it was made.
    picture_rows: Option<u16>,
    /// The queue below the answer.
    below: QueuePane,
    /// The number of the last snapshot without the target; `None` while the target is there.
    absent_since: Option<u64>,
}

impl WhyView {
    /// Switches to another job or node; the computations for the old one are cancelled.
    fn ask(&mut self, target: WhyTarget, cx: ViewContext<'_>) {
        if let Some(page) = self.pages.first_mut().filter(|page| page.target != target) {
            page.pause();
        }
        match self.pages.iter().position(|page| page.target == target) {
            Some(at) => {
                let page = self.pages.remove(at);
                self.pages.insert(0, page);
            }
            None => {
                let place = self.places.iter().find(|(of, _)| *of == target).map(|(_, place)| *place);
                let mut page = WhyPage::new(target.clone(), cx);
                page.cursor = place.unwrap_or_default();
                self.pages.insert(0, page);
            }
        }
        self.pages.truncate(MAX_PAGES);
        self.target = Some(target);
    }

    fn page(&self) -> Option<&WhyPage> {
        self.pages.first()
    }

    /// The note on the filter; `None` without one.
    fn filter_note(&self, page: &WhyPage) -> Option<String> {
        (!self.filter.is_empty()).then(|| {
            let (kept, all) = lines_kept(&page.sections(), &self.filter);
            self.filter.note(kept, all)
        })
    }

    /// The layout of an answer in an area.
    fn arranged(&self, page: &WhyPage, area: Rect) -> AnswerLayout {
        self.arranged_around(page, area, self.picture_rows)
    }

    /// The same with at most `picture` rows for the nodes over time.
    fn arranged_around(&self, page: &WhyPage, area: Rect, picture: Option<u16>) -> AnswerLayout {
        arranged(&page.sections(), &self.folds, &self.filter, area, picture)
    }
}

impl WhyView {
    /// Draws the answer beside other panes, without the focus.
    pub(crate) fn draw_beside(&self, area: Rect, buf: &mut Buffer, cx: ViewContext<'_>) {
        draw::draw(self, area, buf, cx, false);
    }
}

impl View for WhyView {
    fn refresh(&mut self, cx: ViewContext<'_>) {
        let selected = cx.screen.subject.and_then(|row| row.job(cx.run()));
        let subject = selected.map(|job| cx.snapshot().jobs[job].name.to_string());
        let other_run = self.page().is_some_and(|page| !page.is_of(cx));
        if other_run {
            self.places = self.pages.drain(..).map(|page| (page.target, page.cursor)).collect();
            self.below.forget_heights();
        }
        let number = cx.generation().number;
        // A job that left is no choice of the one selected in its place.
        let is_over = |name| cx.job_meant(name).is_none_or(|job| cx.snapshot().jobs[job].state.is_over());
        let moved = subject != self.subject
            && !other_run
            && !self.subject.as_deref().is_some_and(is_over)
            && self.absent_since.is_none_or(|gone| gone == number);
        self.subject.clone_from(&subject);
        // A cursor that moved because its job left does not choose another job.
        let has_left = |target: &WhyTarget| !self.below.is_left_out() && !moved && !target.exists(cx);
        if self.target.as_ref().is_some_and(has_left) {
            self.absent_since = Some(number);
            self.pages.clear();
            return;
        }
        let returns = self.absent_since.take().is_some();
        // A subjob is explained by its own name, while its array is the selected job.
        let is_of_it = |target: &WhyTarget| selected.is_some_and(|job| target.is_about(job, cx));
        let kept = self.target.clone().filter(|target| (!moved || is_of_it(target)) && target.exists(cx));
        if let Some(target) = kept.or(subject.map(WhyTarget::Job))
            && (other_run || returns || Some(&target) != self.target.as_ref())
        {
            self.ask(target, cx);
        }
        self.follow_in_queue(cx);
    }

    fn inactive_actions(&self, cx: ViewContext<'_>) -> &'static [Action] {
        match self.page() {
            None => UNEXPLAINED,
            Some(_) if self.below.has_focus() || self.explains_other(cx) => &[],
            Some(_) => &[Action::AskWhy],
        }
    }

    fn requests(&mut self) -> Vec<Effect> {
        let tasks = self.pages.first_mut().map(WhyPage::resume).unwrap_or_default();
        tasks.into_iter().map(Effect::Compute).chain(self.below.requests()).collect()
    }

    fn prepare(&mut self, area: Rect, cx: ViewContext<'_>) {
        let Some(page) = self.pages.first() else {
            // Of a job that left there is no page, and the queue below goes on.
            self.below.keep_current(area, cx);
            return;
        };
        let rows = page.is_answered().then(|| self.arranged(page, area).height(page.target.is_job()));
        self.below.make_room(area, rows, cx);
        self.follow_in_queue(cx);
        let Some(page) = self.pages.first() else { return };
        let (area, _) = self.below.parts(area);
        // It is made for all the room there is; afterwards its place is only as high as needed.
        let place = self.arranged_around(page, area, Some(u16::MAX)).picture;
        let fit = page.fit(cx);
        let job = page.target.job().and_then(|job| cx.job_meant(job)).map(PictureSubject::Job);
        self.picture.make(place, job, fit, cx);
        self.picture_rows = self.picture.rows().filter(|_| place.is_some());
    }

    fn act(&mut self, action: Action, area: Rect, cx: ViewContext<'_>) -> Update {
        let (area, queue) = self.below.parts(area);
        if let Some(page) = self.pages.first() {
            self.folds = self.folds.for_screen(&page.sections(), &self.filter, area);
        }
        if let Some(update) = self.act_below(action, area, queue, cx) {
            return update;
        }
        match action {
            Action::Select => self.open_chosen(cx),
            Action::AskWhy => self.explain_chosen(cx),
            Action::Fold => self.fold_one(),
            Action::FoldAll => self.fold_all(),
            Action::NextLine | Action::PreviousLine => self.go_to_sibling(action == Action::NextLine, cx),
            Action::CopyMarkdown => self.copy_markdown(),
            _ => self.act_on_page(action, area, cx),
        }
    }

    fn is_last_pane(&self, forward: bool, area: Rect, _: ViewContext<'_>) -> bool {
        let (answer, queue) = self.below.parts(area);
        match (forward, queue) {
            (true, Some(_)) => self.below.has_focus(),
            _ => !self.below.has_focus() && self.is_at_edge(forward, answer),
        }
    }

    fn has_more_panes(&self) -> bool {
        true
    }

    fn words(&self, _: ViewContext<'_>) -> &'static [(Action, &'static str)] {
        let has_none = self.page().is_some_and(WhyPage::is_on_change_without_setting);
        if has_none && !self.below.has_focus() { &[(Action::WhatIf, "set")] } else { &[] }
    }

    fn settings_here(&self, _: ViewContext<'_>) -> Vec<String> {
        let page = self.page().filter(|_| !self.below.has_focus());
        page.map(WhyPage::settings_here).unwrap_or_default()
    }

    fn stop(&mut self) -> bool {
        let stops_queue = self.below.stop();
        self.pages.first_mut().is_some_and(WhyPage::stop) || stops_queue
    }

    fn resume(&mut self) -> bool {
        let resumes_queue = self.below.resume();
        self.pages.first_mut().is_some_and(WhyPage::continue_computing) || resumes_queue
    }

    fn filter(&mut self, filter: &Filter, _: ViewContext<'_>) {
        self.filter = filter.clone();
    }

    fn find(&mut self, filter: &Filter, forward: bool, _: ViewContext<'_>) -> Option<bool> {
        Some(self.next_match(filter, forward))
    }

    fn show(&mut self, object: &Object, cx: ViewContext<'_>) -> bool {
        let target = match object {
            Object::Job(name) => WhyTarget::of_job(name, cx.snapshot()),
            Object::Node(name) => {
                let job = match self.page().map(|page| &page.target) {
                    Some(WhyTarget::Job(job)) => Some(job.clone()),
                    _ => Self::waiting_subject(cx),
                };
                WhyTarget::Node { node: name.clone(), job }
            }
            _ => return false,
        };
        let exists = target.exists(cx);
        if exists {
            self.ask(target, cx);
        } else if target.last_seen(cx).is_some() {
            self.absent_since = Some(cx.generation().number);
            self.pages.clear();
            self.target = Some(target);
            return true;
        }
        exists
    }

    /// An answer about a node is shown as it was, even if another job is selected by now.
    fn return_to(&mut self, object: &Object, cx: ViewContext<'_>) {
        let known = self.pages.iter().find(|page| page.target.object() == *object);
        match known.map(|page| page.target.clone()).filter(|target| target.exists(cx)) {
            Some(target) => self.ask(target, cx),
            None if self.show(object, cx) => {}
            None => {
                self.target = WhyTarget::of_object(object, cx);
                self.refresh(cx);
            }
        }
    }

    fn object_at_cursor(&self, _: ViewContext<'_>) -> Option<Object> {
        self.target.as_ref().map(WhyTarget::object)
    }

    fn wheel(&mut self, action: Action, at: Position, area: Rect, cx: ViewContext<'_>) -> Update {
        let (answer, queue) = self.below.parts(area);
        match queue.filter(|queue| queue.contains(at)) {
            Some(queue) => self.below.act(action, queue, cx),
            None => self.act_on_page(action, answer, cx),
        }
    }

    fn click(&mut self, at: Position, area: Rect, cx: ViewContext<'_>) -> Update {
        let (area, queue) = self.below.parts(area);
        if let Some(queue) = queue.filter(|queue| queue.contains(at)) {
            return self.below.click(at, queue, cx);
        }
        let left = self.below.focus(false);
        Update::changed_if(self.click_in_answer(at, area, cx) || left)
    }

    fn is_heading(&self, at: Position, area: Rect, _: ViewContext<'_>) -> bool {
        self.below.parts(area).1.is_some_and(|queue| queue.y + 1 == at.y)
    }

    fn reset_focus(&mut self) {
        self.below.focus(false);
    }

    fn on_news(&mut self, news: &TaskNews, cx: ViewContext<'_>) -> Update {
        if self.pages.first_mut().is_some_and(|page| page.on_news(news)) {
            return Update::changed();
        }
        self.below.on_news(news, cx)
    }

    fn copy(&self, _: ViewContext<'_>) -> Option<(&'static str, ClipboardText)> {
        self.page().map(|page| {
            (
                "answer",
                qscope_explain::as_text(&page.sections_once(), COPIED_COLUMNS, Some(COPIED_COLUMNS)).into(),
            )
        })
    }

    fn render(&self, area: Rect, buf: &mut Buffer, cx: ViewContext<'_>) {
        let (area, queue) = self.below.parts(area);
        draw::draw(self, area, buf, cx, !self.below.has_focus());
        if let Some(queue) = queue {
            self.below.draw(queue, buf, cx);
        }
    }
}

/// Actions without effect while nothing is explained.
const UNEXPLAINED: &[Action] = &[
    Action::Select,
    Action::PreviousLine,
    Action::NextLine,
    Action::Left,
    Action::Right,
    Action::Fold,
    Action::CopyMarkdown,
    Action::AskWhy,
    Action::Filter,
    Action::NextVerdict,
    Action::NextPane,
];

/// Columns of the copied text.
const COPIED_COLUMNS: usize = 100;
