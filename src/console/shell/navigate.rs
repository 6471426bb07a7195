//! Between views: the objects that lead from one to another, and the way back.

use super::open_views::Slot;
use super::{Row, Shell, Shown, Work};
use crate::action::Action;
use crate::app::Update;
use crate::layout::Pane;
use crate::view::Object;
use crate::views::ViewName;
use crate::widgets::prompt::Prompt;

/// Where somebody was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    view: ViewName,
    object: Option<Object>,
}

/// So far back one can go.
const TRAIL_MOST: usize = 100;

impl Shell {
    /// The view of a number key.
    pub(super) fn open_numbered(&mut self, action: Action) {
        let number = action.view().unwrap_or(0);
        match ViewName::numbered(number) {
            Some(ViewName::Cycle) if self.view() == ViewName::Cycle => self.focus = Pane::List,
            Some(view) => self.go_to_object(&Object::View(view)),
            None => {
                let last = ViewName::ALL.len().min(9);
                self.say(format!("there is no view {number}; they are 1 to {last}"));
            }
        }
    }

    /// Goes to an object in the view that is its home, or to a view.
    pub(crate) fn go_to_object(&mut self, object: &Object) {
        let view = match object {
            Object::View(view) => *view,
            Object::Bucket(_) => ViewName::Buckets,
            Object::Node(_) => ViewName::Nodes,
            Object::Set(_) => ViewName::Pools,
            Object::Queue(_) => ViewName::Queue,
            // A job that ran before the cycle has no decision, but an end and nodes.
            Object::Job(name) if self.ran_before(name) => ViewName::Calendar,
            Object::Job(_) => ViewName::Cycle,
            Object::Cause(_) => ViewName::Board,
        };
        self.go_in(view, object);
    }

    fn ran_before(&self, name: &str) -> bool {
        self.shown.as_ref().is_some_and(|shown| shown.run().ran_before().any(|job| *job.name == *name))
    }

    /// Goes to an object in a view; the back stack remembers where from.
    pub(crate) fn go_in(&mut self, view: ViewName, object: &Object) {
        if self.shown.is_none() {
            self.say("nothing has been read yet");
            return;
        }
        let from = self.place();
        if from.view == view && matches!(object, Object::View(_)) {
            return;
        }
        self.enter(view);
        if !matches!(object, Object::View(_)) && !self.show_object(object) {
            self.say(format!("there is no {} {} here", object.kind(), object.name()));
        }
        self.open_views.behind.push(from);
        if self.open_views.behind.len() > TRAIL_MOST {
            self.open_views.behind.remove(0);
        }
        self.open_views.ahead.clear();
    }

    /// Asks why about the job or the node under the cursor.
    pub(super) fn ask_why(&mut self) -> Update<Work> {
        let on_map = self.open_views.open.is_none() && matches!(self.focus, Pane::Map | Pane::Side);
        let object = match on_map {
            true => self.shown.as_ref().and_then(Shown::node_name).map(Object::Node),
            false => self.place().object,
        };
        match object {
            Some(object @ (Object::Job(_) | Object::Node(_))) => self.go_in(ViewName::Why, &object),
            _ if self.shown.is_none() => self.say("nothing has been read yet"),
            _ => self.say("why is asked about a job or a node: put the cursor on one"),
        }
        Update::changed()
    }

    fn enter(&mut self, view: ViewName) {
        (self.typing, self.filter_error) = (false, None);
        self.open_views.open = (view != ViewName::Cycle).then_some(view);
        if let Some(made) = view.make().filter(|_| !self.open_views.slots.contains_key(&view)) {
            self.open_views.slots.insert(view, Slot { view: made, seen: None });
        }
        self.look_again();
    }

    fn show_object(&mut self, object: &Object) -> bool {
        if self.open_views.open.is_some() {
            return self.with_view(|view, world| view.show(object, world)).unwrap_or(false);
        }
        let Some(shown) = &mut self.shown else { return false };
        match object {
            Object::Job(name) => {
                let Some(row) = Row::named(shown.run(), name) else { return false };
                shown.look_at(row);
                shown.show_subject();
                self.focus = Pane::List;
                true
            }
            Object::Node(name) => {
                shown.map_as(self.mode);
                self.focus = Pane::Map;
                shown.put_cursor_on(name)
            }
            Object::Queue(name) => {
                *self.prompt_mut() = Prompt::with(&format!("queue=\"{name}\""));
                self.refilter();
                true
            }
            _ => false,
        }
    }

    fn place(&mut self) -> Place {
        let view = self.view();
        let object = match self.open_views.open {
            Some(_) => self.with_view(|view, world| view.here(world)).flatten(),
            None => self.shown.as_ref().and_then(Shown::subject_name).map(Object::Job),
        };
        Place { view, object }
    }

    /// Back to where somebody was before.
    pub(super) fn back(&mut self) {
        let Some(to) = self.open_views.behind.pop() else {
            self.say("this is where you began");
            return;
        };
        let from = self.place();
        self.open_views.ahead.push(from);
        self.return_to(&to);
    }

    /// Forward again.
    pub(super) fn forward(&mut self) {
        let Some(to) = self.open_views.ahead.pop() else {
            self.say("nowhere to go forward to");
            return;
        };
        let from = self.place();
        self.open_views.behind.push(from);
        self.return_to(&to);
    }

    fn return_to(&mut self, place: &Place) {
        let focus = self.focus;
        self.enter(place.view);
        if let Some(object) = &place.object {
            // What is gone by now is not worth a word: the view is.
            self.show_object(object);
        }
        self.focus = focus;
    }
}
