//! The views that are open: what each is filtered by, what it looks at, and what it wishes.

use std::collections::BTreeMap;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::navigate::Place;
use super::{Asking, Clock, Following, Shell, Shown, Work};
use crate::action::Action;
use crate::app::{Effect, Update};
use crate::filter::Filter;
use crate::task::TaskNews;
use crate::view::{Reply, View, Wish};
use crate::views::ViewName;
use crate::views::what_if::WhatIf;
use crate::widgets::prompt::Prompt;
use crate::world::{Stamp, World};
use qscope_session::records::job_fields;

/// The views other than the cycle, and the way between them.
#[derive(Debug, Default)]
pub(crate) struct OpenViews {
    /// The view on the screen; none is the cycle.
    pub(super) open: Option<ViewName>,
    pub(super) slots: BTreeMap<ViewName, Slot>,
    /// What each view is filtered by.
    prompts: BTreeMap<Option<ViewName>, Prompt>,
    pub(super) behind: Vec<Place>,
    pub(super) ahead: Vec<Place>,
}

/// A view that was opened.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) view: Box<dyn View>,
    /// What it saw last.
    pub(super) seen: Option<Stamp>,
}

/// The world, from the parts of the shell that hold it, so that the others can be changed meanwhile.
pub(super) fn world_of<'a>(
    shown: &'a Option<Shown>,
    following: &'a Following,
    clock: &Clock,
) -> Option<World<'a>> {
    let shown = shown.as_ref()?;
    Some(World { shown, history: &following.history, live: following.live.as_ref(), clock: clock() })
}

impl Shell {
    /// The view on the screen.
    #[must_use]
    pub fn view(&self) -> ViewName {
        self.open_views.open.unwrap_or(ViewName::Cycle)
    }

    /// What views may look at, if anything could be read yet.
    #[must_use]
    pub fn world(&self) -> Option<World<'_>> {
        world_of(&self.shown, &self.following, &self.clock)
    }

    /// What is typed into the last line: the filter of this view, or a condition.
    pub(crate) fn prompt(&self) -> &Prompt {
        const EMPTY: &Prompt = &Prompt::EMPTY;
        if self.typing && self.asking == Asking::Condition {
            return &self.asked;
        }
        if self.takes_line() {
            return &self.line;
        }
        self.open_views.prompts.get(&self.open_views.open).unwrap_or(EMPTY)
    }

    pub(super) fn prompt_mut(&mut self) -> &mut Prompt {
        if self.typing && self.asking == Asking::Condition {
            return &mut self.asked;
        }
        if self.takes_line() {
            return &mut self.line;
        }
        self.open_views.prompts.entry(self.open_views.open).or_default()
    }

    /// Applies what is typed into the filter line, unless it cannot be read: then what was kept stays.
    pub(super) fn refilter(&mut self) {
        if self.typing && self.asking == Asking::Condition {
            self.filter_error = self.read_condition().err();
            return;
        }
        if self.takes_line() {
            let text = self.line.text().to_owned();
            self.filter_error = self.with_view(|view, world| view.typed(&text, world)).flatten();
            return;
        }
        self.filter_error = None;
        let Some(world) = world_of(&self.shown, &self.following, &self.clock) else { return };
        let fields = match self.open_views.open.and_then(|open| self.open_views.slots.get(&open)) {
            Some(slot) => slot.view.fields(world),
            None => job_fields(&world.snapshot().catalogue),
        };
        match Filter::parse(self.prompt().text(), &fields) {
            Ok(filter) => self.apply(&filter),
            Err(error) => self.filter_error = Some(error),
        }
    }

    fn apply(&mut self, filter: &Filter) {
        if self.open_views.open.is_some() {
            self.with_view(|view, world| view.filter(filter, world));
        } else if let Some(shown) = &mut self.shown {
            shown.filter(filter);
        }
    }

    /// Begins with a what-if: as soon as there is a cycle, it is run again with these settings and shown in its place.
    pub fn begin_with(&mut self, settings: Vec<String>) {
        let view: Box<dyn View> = Box::new(WhatIf::entering(settings));
        self.open_views.slots.insert(ViewName::WhatIf, Slot { view, seen: None });
        self.open_views.open = Some(ViewName::WhatIf);
    }

    /// Does something with the view on the screen, after it has looked; nothing for the cycle.
    pub(super) fn with_view<T>(&mut self, act: impl FnOnce(&mut dyn View, World<'_>) -> T) -> Option<T> {
        let world = world_of(&self.shown, &self.following, &self.clock)?;
        let slot = self.open_views.slots.get_mut(&self.open_views.open?)?;
        if slot.seen != Some(world.stamp()) {
            slot.view.look(world);
            slot.seen = Some(world.stamp());
        }
        Some(act(&mut *slot.view, world))
    }

    /// Lets the view on the screen look, if something changed.
    pub(super) fn look_again(&mut self) {
        self.with_view(|_, _| ());
    }

    pub(crate) fn draw_view(&self, area: Rect, buf: &mut Buffer) {
        let slot = self.open_views.open.and_then(|open| self.open_views.slots.get(&open));
        if let (Some(slot), Some(world)) = (slot, self.world()) {
            slot.view.render(area, buf, world, &self.theme);
        }
    }

    /// Where the view on the screen stands.
    pub(super) fn view_area(&self) -> Rect {
        self.panes().body
    }

    /// A key for the view on the screen.
    pub(super) fn in_view(&mut self, action: Action) -> Update<Work> {
        let area = self.view_area();
        let reply = if action == Action::Copy {
            self.with_view(|view, world| match view.copy(world) {
                Some((what, text)) => Reply::wish(Wish::Copy(what, text)),
                None => Reply::say("nothing under the cursor to copy"),
            })
        } else {
            self.with_view(|view, world| view.act(action, area, world))
        };
        let reply = reply.unwrap_or_default();
        if reply.unknown {
            self.say(format!("{} means nothing in this view; ? shows what does", action.entry().name));
        }
        self.grant(reply)
    }

    /// Something for the view on the screen from the mouse.
    pub(super) fn click_view(&mut self, x: u16, y: u16) -> Update<Work> {
        let area = self.view_area();
        let reply = self.with_view(|view, world| view.click((x, y).into(), area, world));
        self.grant(reply.unwrap_or_default())
    }

    /// News about a task, for whichever view asked for it.
    pub(super) fn pass_on(&mut self, news: &TaskNews) -> Update<Work> {
        if self.hear_rehearsal(news) {
            return Update::changed();
        }
        let Some(world) = world_of(&self.shown, &self.following, &self.clock) else {
            return Update::nothing();
        };
        let hear = |slot: &mut Slot| slot.view.hear(news.ticket, &news.news, world);
        let replies: Vec<Reply> = self.open_views.slots.values_mut().map(hear).collect();
        replies.into_iter().fold(Update::nothing(), |update, reply| update.and(self.grant(reply)))
    }

    /// Does what the view on the screen has wished for while it looked.
    pub(super) fn wishes_of_view(&mut self) -> Update<Work> {
        let wishes = self.with_view(|view, _| view.wishes()).unwrap_or_default();
        self.grant(Reply { wishes, ..Reply::default() })
    }

    /// Does what a view wishes.
    pub(super) fn grant(&mut self, reply: Reply) -> Update<Work> {
        let mut update = Update::changed_if(reply.changed || reply.unknown || !reply.wishes.is_empty());
        for wish in reply.wishes {
            match wish {
                Wish::Say(text) => self.say(text),
                Wish::Go(object) => self.go_to_object(&object),
                Wish::GoIn(view, object) => self.go_in(view, &object),
                Wish::Seek(done) => self.go_to(done),
                Wish::Type { label, text } => self.begin_line(label, &text),
                Wish::LookInto(generation) => self.look_into(generation),
                Wish::Ask(task) => update.effects.push(Effect::Work(Work::Task(task))),
                Wish::Copy(what, text) => {
                    self.say(format!("sent the {what} to the terminal's clipboard"));
                    update.effects.push(Effect::Copy(text));
                }
            }
        }
        update
    }
}
