//! Navigation between views: following objects, and going back and forward.

use super::Shell;
use super::open_views::{ViewPlace, ViewSlot};
use crate::action::Action;
use crate::chrome::tabs::ViewBreadcrumb;
use crate::screen::CycleRow;
use crate::views::{Object, Update, ViewName};
use qscope_engine::cluster::short_id;
use qscope_engine::cycle::Verdict;

/// Maximum number of steps back.
const MAX_TRAIL: usize = 100;

impl Shell {
    /// Opens the view of a number key.
    pub(super) fn open_numbered(&mut self, number: usize) {
        match ViewName::numbered(number) {
            // The difference that settings make comes before that of two snapshots.
            Some(ViewName::Compare) if self.view() != ViewName::WhatIf && self.tries_settings() => {
                self.go_to_object(&Object::View(ViewName::WhatIf));
            }
            Some(view) if view == self.view() => {
                self.with_view(|view, _| view.reset_focus());
            }
            Some(view) => self.go_to_object(&Object::View(view)),
            None => {
                let last = ViewName::ALL.len().min(9);
                self.set_status(format!("there is no view {number}; they are 1 to {last}"));
            }
        }
    }

    /// Whether the what-if has settings.
    fn tries_settings(&mut self) -> bool {
        self.what_if_view().is_some_and(|view| view.has_settings())
    }

    /// Goes to an object in the view that is its home, or to a view.
    pub(crate) fn go_to_object(&mut self, object: &Object) {
        let view = match object {
            Object::View(view) => *view,
            Object::Bucket(_) => ViewName::Buckets,
            Object::Node(_) => ViewName::Nodes,
            Object::Set(_) => ViewName::Pools,
            Object::Queue(_) => ViewName::Queue,
            Object::Reservation(_) => ViewName::Page,
            // A job that ran before the cycle has no decision, but an end and nodes.
            Object::Job(name) if self.ran_before(name) => ViewName::Calendar,
            Object::Job(_) => ViewName::Cycle,
            Object::Cause(_) => ViewName::Board,
            Object::Entity(_) => ViewName::Fairshare,
            Object::File(_) => ViewName::Problems,
        };
        self.go_to_in_view(view, object);
    }

    fn ran_before(&self, name: &str) -> bool {
        self.screen
            .as_ref()
            .is_some_and(|screen| screen.run().continuing_jobs().any(|job| *job.name == *name))
    }

    /// Goes to an object in a given view; the back stack remembers where from.
    pub(crate) fn go_to_in_view(&mut self, view: ViewName, object: &Object) {
        if self.screen.is_none() {
            self.set_still_reading();
            return;
        }
        let from = self.place();
        if from.view == view && matches!(object, Object::View(_)) {
            return;
        }
        if selects(from.view, view)
            && let Some(Object::Job(name)) = &from.object
        {
            self.select_job(name);
        }
        self.select_chosen();
        self.enter(view);
        match (view, object) {
            (ViewName::Jobs, Object::View(_)) => self.show_selected(),
            (ViewName::Page | ViewName::Why | ViewName::Calendar, Object::Job(name)) => self.select_job(name),
            _ => {}
        }
        if !matches!(object, Object::View(_)) && !self.show_object(object) {
            self.set_status(format!("there is no {} {} here", object.kind(), object.name()));
        }
        self.open_views.back_stack.push(from);
        if self.open_views.back_stack.len() > MAX_TRAIL {
            self.open_views.back_stack.remove(0);
        }
        self.open_views.ahead.clear();
        self.open_views.entry_object = self.place().object;
    }

    /// Selects a job. There is one selected job for the whole program: views about a job select it, and others show it.
    fn select_job(&mut self, name: &str) {
        if let Some(screen) = &mut self.screen
            && let Some(row) = CycleRow::named(screen.run(), name)
        {
            screen.select(row);
        }
    }

    /// Selects the job under the cursor of the list of jobs, the only view in which moving the cursor does not do so.
    pub(super) fn select_chosen(&mut self) {
        if self.view() != ViewName::Jobs {
            return;
        }
        let chosen = self.place().object;
        if let Some(Object::Job(name)) = &chosen
            && chosen != self.open_views.entry_object
        {
            self.select_job(name);
            self.forget_chosen();
        }
    }

    /// Stops treating the job under the cursor of the list of jobs as chosen, because another one was selected since.
    pub(super) fn forget_chosen(&mut self) {
        if self.view() == ViewName::Jobs {
            self.open_views.entry_object = self.place().object;
        }
    }

    /// Puts the cursor of the list of jobs on the selected job, if it was selected by the user and the list has it.
    fn show_selected(&mut self) {
        let Some(screen) = &self.screen else { return };
        let chosen = screen.subject != CycleRow::first(screen.run());
        if let Some(name) = screen.subject_name().filter(|_| chosen) {
            self.show_object(&Object::Job(name));
        }
    }

    /// Explains the job or node under the cursor.
    pub(super) fn ask_why(&mut self) -> Update {
        let object = self.with_view(|view, cx| view.object_to_explain(cx)).flatten();
        if let Some((first, waiting)) = self.first_waiting_instead(object.as_ref()) {
            self.open_views.was_job_chosen = true;
            self.go_to_in_view(ViewName::Why, &Object::Job(waiting.clone()));
            self.set_status(format!(
                "{} starts; the first waiting job is {}",
                short_id(&first),
                short_id(&waiting)
            ));
            return Update::changed();
        }
        match object {
            Some(object @ (Object::Job(_) | Object::Node(_))) => self.go_to_in_view(ViewName::Why, &object),
            _ if self.screen.is_none() => self.set_still_reading(),
            Some(object) => {
                self.set_status(format!("why explains a job or a node; this is a {}", object.kind()));
            }
            None => self.set_status("no job or node under the cursor to explain"),
        }
        Update::changed()
    }

    /// Compares both paths of the explained job, in the view of its decision.
    pub(super) fn compare_paths(&mut self) -> Update {
        let object = self.with_view(|view, cx| view.object_at_cursor(cx)).flatten();
        let row = match (&object, &self.screen) {
            (Some(Object::Job(name)), Some(screen)) => CycleRow::named(screen.run(), name),
            _ => None,
        };
        match object.filter(|_| matches!(row, Some(CycleRow::Step(_)))) {
            Some(job) => {
                self.go_to_object(&job);
                // The decision must be at its step before the other path is compared with it.
                let update = self.execute_requests();
                update.followed_by(self.act_in_view(Action::TwoPaths)).and_changed()
            }
            None => {
                self.set_status("only a job that was considered has two paths to compare");
                Update::changed()
            }
        }
    }

    /// At rest, the first job of the queue is under the cursor until another one is selected. If that job starts, the
    /// first waiting job is explained instead (console.md 8.3): returns both names.
    fn first_waiting_instead(&self, object: Option<&Object>) -> Option<(String, String)> {
        let screen = self.screen.as_ref()?;
        let run = screen.run();
        let is_untouched = !self.open_views.was_job_chosen;
        let at_rest = is_untouched && self.view() == ViewName::Cycle && screen.debugger.position() == 0;
        let first = screen.subject.filter(|row| at_rest && Some(*row) == CycleRow::first(run))?;
        let waits = |verdict| matches!(verdict, Verdict::NotNow | Verdict::Never);
        first.outcome(run).filter(|outcome| !waits(run.verdict(outcome)))?;
        let name = first.name(run).filter(|name| object == Some(&Object::Job(name.clone())))?;
        let waiting = run.outcomes().find(|outcome| waits(run.verdict(outcome)))?;
        Some((name, run.plan.job(waiting.job).name.to_string()))
    }

    fn enter(&mut self, view: ViewName) {
        (self.typing, self.prompt_error) = (false, None);
        if self.open_views.current != view {
            self.analyse_for(view);
        }
        self.open_views.current = view;
        let is_new = !self.open_views.slots.contains_key(&view);
        self.open_views.slots.entry(view).or_insert_with(|| ViewSlot::new(view.make()));
        self.refresh_view();
        if is_new {
            self.restore_table();
            if view == ViewName::WhatIf && !self.keeping.stored.what_ifs.is_empty() {
                let kept = self.keeping.stored.what_ifs.clone();
                if let Some(view) = self.what_if_view() {
                    view.set_saved(kept);
                }
            }
        }
    }

    fn show_object(&mut self, object: &Object) -> bool {
        self.with_view(|view, cx| view.show(object, cx)).unwrap_or(false)
    }

    fn place(&mut self) -> ViewPlace {
        let object = self.with_view(|view, cx| view.object_at_cursor(cx)).flatten();
        ViewPlace { view: self.view(), object }
    }

    /// The breadcrumb from the last view with a number key to the current page; of adjacent pages of one kind only the
    /// last.
    pub(super) fn find_way(&mut self) -> Vec<ViewBreadcrumb> {
        if self.screen.is_none() || self.view().number().is_some() {
            return Vec::new();
        }
        let here = self.place();
        let kind = |place: &ViewPlace| (place.view, place.object.as_ref().map(Object::kind));
        let mut last = kind(&here);
        let mut way = vec![ViewBreadcrumb { name: name_of(&here), steps_back: Some(0) }];
        let behind = self.open_views.back_stack.iter().rev().enumerate();
        for (at, place) in behind.take_while(|(_, place)| place.view.number().is_none()) {
            if kind(place) != last {
                last = kind(place);
                way.push(ViewBreadcrumb { name: name_of(place), steps_back: Some(at + 1) });
            }
        }
        way.reverse();
        way
    }

    /// Goes back `times` times.
    pub(super) fn go_back_by(&mut self, times: usize) {
        (0..times).for_each(|_| self.go_back());
    }

    /// Goes back to the previous view and object.
    pub(super) fn go_back(&mut self) {
        let Some(to) = self.open_views.back_stack.pop() else {
            self.set_status("this is the first view");
            return;
        };
        let from = self.place();
        self.open_views.ahead.push(from);
        self.return_to(&to);
    }

    /// Goes forward again.
    pub(super) fn forward(&mut self) {
        let Some(to) = self.open_views.ahead.pop() else {
            self.set_status("this is the last view");
            return;
        };
        let from = self.place();
        self.open_views.back_stack.push(from);
        self.return_to(&to);
    }

    fn return_to(&mut self, place: &ViewPlace) {
        self.enter(place.view);
        if let Some(object) = &place.object {
            self.with_view(|view, cx| view.return_to(object, cx));
        }
        self.forget_chosen();
    }
}

/// The name of a place in the breadcrumb: the object of a page, else the view.
fn name_of(place: &ViewPlace) -> String {
    match (&place.object, place.view) {
        (Some(object), ViewName::Page) => object.brief_name().into_owned(),
        (_, view) => view.title().to_owned(),
    }
}

/// Whether leaving a view for another one selects the job it is about. The answer and the page of a job always do; the
/// list of jobs does if the other view is about the selected job.
fn selects(from: ViewName, to: ViewName) -> bool {
    let is_about_it =
        matches!(to, ViewName::Pools | ViewName::Calendar | ViewName::Nodes | ViewName::Buckets);
    matches!(from, ViewName::Why | ViewName::Page) || from == ViewName::Jobs && is_about_it
}
