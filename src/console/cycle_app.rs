//! The cycle view's app: what is shown, and what every key and message does to it.
//!
//! The state is here and in [`Shown`]; `update` changes it and says what the shell shall do; drawing is in
//! [`super::views`] and only reads. What drawing needs and costs time (the story of a decision, the map of nodes) is
//! made in `update`, when its cause changes.

mod cursor;
mod follow;
mod mouse;
mod node_map;
mod rows;
mod shown;
mod stepping;

use std::time::Duration;

use ratatui::Frame;
use ratatui::layout::{Rect, Size};

use super::action::{Action, Context};
use super::app::{App, Effect, Input, Update};
use super::help::Help;
use super::keymap::Keymap;
use super::layout::{Pane, Panes, divide};
use super::overlay::Overlays;
use super::theme::Theme;
use super::views;
use super::widgets::prompt::Prompt;
use super::wording;
use crate::cluster::Epoch;
use crate::session::SessionEvent;

pub(in crate::console) use cursor::{inside, map_parts};
pub(in crate::console) use follow::Freeze;
pub use follow::{Failure, Following};
pub(in crate::console) use node_map::bucket_of;
pub use node_map::{MapLine, MapMode, NodeMap};
pub use rows::Widths;
pub(in crate::console) use rows::reason;
pub use rows::{Queue, Row};
pub use shown::Shown;

/// Asks the real clock; tests bring their own.
pub type Clock = Box<dyn Fn() -> Epoch>;

/// What the app asks of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Work {
    /// Read the files again.
    Reload,
}

/// What lies over the panes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Overlay {
    /// The keys.
    Help(Help),
    /// What was odd in the files and is not modelled, and the first line shown.
    Warnings(usize),
}

/// The app.
pub struct CycleApp {
    pub(in crate::console) keymap: Keymap,
    pub(in crate::console) theme: Theme,
    pub(in crate::console) clock: Clock,
    /// What is being read, in words.
    pub(in crate::console) source: String,
    pub(in crate::console) area: Rect,
    pub(in crate::console) shown: Option<Shown>,
    pub(in crate::console) following: Following,
    pub(in crate::console) focus: Pane,
    pub(in crate::console) filter: Prompt,
    pub(in crate::console) typing: bool,
    pub(in crate::console) overlays: Overlays<Overlay>,
    /// The last thing said; the next key takes it away.
    pub(in crate::console) message: String,
    pub(in crate::console) mode: MapMode,
}

impl std::fmt::Debug for CycleApp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CycleApp").field("source", &self.source).finish_non_exhaustive()
    }
}

impl CycleApp {
    /// An app that has nothing to show yet.
    #[must_use]
    pub fn new(source: impl Into<String>, theme: Theme, clock: Clock) -> Self {
        Self {
            keymap: Keymap::default(),
            theme,
            clock,
            source: source.into(),
            area: Rect::ZERO,
            shown: None,
            following: Following::default(),
            focus: Pane::List,
            filter: Prompt::default(),
            typing: false,
            overlays: Overlays::default(),
            message: String::new(),
            mode: MapMode::Buckets,
        }
    }

    /// Says something in the last line.
    pub fn say(&mut self, text: impl Into<String>) {
        self.message = text.into();
    }

    /// What is shown, if anything could be read yet.
    #[must_use]
    pub fn shown(&self) -> Option<&Shown> {
        self.shown.as_ref()
    }

    /// Where the panes stand now.
    pub(in crate::console) fn panes(&self) -> Panes {
        let banners = views::cycle::banner::banners(self).len();
        let map =
            self.shown.as_ref().map_or(u16::MAX, |shown| cursor::map_wants(&shown.map, self.area.width));
        divide(self.area, self.focus, u16::try_from(banners).unwrap_or(u16::MAX), map)
    }

    fn on_action(&mut self, action: Action) -> Update<Work> {
        let said = !std::mem::take(&mut self.message).is_empty();
        let mut update = self.act(action);
        update.changed |= said || !self.message.is_empty();
        update
    }

    fn act(&mut self, action: Action) -> Update<Work> {
        if self.typing && !matches!(action, Action::Quit | Action::Suspend | Action::Redraw) {
            return Update::changed_if(self.type_in(&Input::Action(action)));
        }
        match action {
            Action::Quit => return Update::nothing().with(Effect::Quit),
            Action::Suspend => return Update::nothing().with(Effect::Suspend),
            Action::Redraw => return Update::nothing().with(Effect::Redraw),
            Action::NextTheme => {
                self.theme = self.theme.next();
                self.say(format!("theme {}", self.theme.name()));
            }
            _ if !self.overlays.is_empty() => return Update::changed_if(self.in_overlay(action)),
            Action::Copy => return self.copy(),
            Action::Reload => {
                self.say(follow::READING_AGAIN);
                return Update::changed().with(Effect::Work(Work::Reload));
            }
            _ => return Update::changed_if(self.in_panes(action)),
        }
        Update::changed()
    }

    fn in_panes(&mut self, action: Action) -> bool {
        match action {
            Action::Help => self.overlays.push(Overlay::Help(Help::about(self.context()))),
            Action::Warnings => self.overlays.push(Overlay::Warnings(0)),
            Action::Filter if self.shown.is_some() => self.typing = true,
            Action::Close => return self.close(),
            Action::Freeze => self.freeze(),
            Action::Follow => self.follow(),
            Action::View1 => self.focus = Pane::List,
            _ if action.view().is_some() => self.say("there is one view so far: 1, the cycle"),
            _ if self.shown.is_none() => self.say("nothing has been read yet"),
            Action::StepForward | Action::StepBack | Action::FirstStep | Action::LastStep => {
                self.step(action);
            }
            Action::NextVerdict | Action::PreviousVerdict => self.step_to_verdict(action),
            Action::Select => self.select(),
            _ => return self.move_cursor(action),
        }
        true
    }

    /// Takes away what lies on top, else the filter.
    fn close(&mut self) -> bool {
        if self.filter.text().is_empty() {
            self.say("nothing to close; q leaves qscope");
        } else {
            self.filter = Prompt::default();
            self.refilter();
        }
        true
    }

    fn in_overlay(&mut self, action: Action) -> bool {
        let area = self.area;
        let rows = usize::from(area.height);
        match self.overlays.top_mut() {
            Some(Overlay::Help(help)) if action == Action::Close && help.holds_close() => {
                help.take::<()>(&Input::Action(action), &self.keymap, area)
            }
            Some(_) if action == Action::Close => self.overlays.pop().is_some(),
            Some(Overlay::Help(help)) => help.take::<()>(&Input::Action(action), &self.keymap, area),
            Some(Overlay::Warnings(top)) => {
                let lines = views::cycle::warnings::lines(self.shown.as_ref(), usize::from(area.width)).len();
                scroll(top, action, lines, rows.saturating_sub(4))
            }
            None => false,
        }
    }

    /// Letters and editing keys of the line that is being typed.
    fn type_in(&mut self, input: &Input<SessionEvent>) -> bool {
        if let Some(Overlay::Help(help)) = self.overlays.top_mut() {
            return help.take(input, &self.keymap, self.area);
        }
        match input {
            Input::Action(Action::Accept) => self.typing = false,
            Input::Action(Action::Close) => {
                self.typing = false;
                self.filter = Prompt::default();
                self.refilter();
            }
            _ => {
                let before = self.filter.text().to_owned();
                let changed = self.filter.take(input);
                if self.filter.text() != before {
                    self.refilter();
                }
                return changed;
            }
        }
        true
    }

    fn refilter(&mut self) {
        let text = self.filter.text().to_owned();
        if let Some(shown) = &mut self.shown {
            shown.filter(&text);
        }
    }

    fn copy(&mut self) -> Update<Work> {
        let Some(shown) = &self.shown else {
            self.say("nothing has been read yet");
            return Update::changed();
        };
        let (what, text) = match self.focus {
            Pane::List => ("the job's id", shown.subject_name().unwrap_or_default()),
            Pane::Detail => ("the decision", shown.story.text()),
            Pane::Map | Pane::Side => ("the node's name", shown.node_name().unwrap_or_default()),
        };
        if text.is_empty() {
            self.say("nothing under the cursor to copy");
            return Update::changed();
        }
        self.say(format!("sent {what} to the terminal's clipboard"));
        Update::changed().with(Effect::Copy(text))
    }

    /// Makes what drawing needs for the size and the subject that there are now.
    fn prepare(&mut self) {
        if let Some(shown) = &mut self.shown {
            shown.map_as(self.mode);
        }
        let panes = self.panes();
        if let (Some(shown), Some(area)) = (&mut self.shown, panes.rect(Pane::Detail)) {
            shown.fit_story(area);
        }
    }
}

/// Moves the first line shown; whether it moved.
pub(in crate::console) fn scroll(top: &mut usize, action: Action, lines: usize, height: usize) -> bool {
    let last = lines.saturating_sub(height);
    let page = height.saturating_sub(1).max(1);
    let to = match action {
        Action::Up => top.saturating_sub(1),
        Action::Down => *top + 1,
        Action::PageUp => top.saturating_sub(page),
        Action::PageDown => *top + page,
        Action::Home => 0,
        Action::End => last,
        _ => return false,
    };
    std::mem::replace(top, to.min(last)) != to.min(last)
}

impl App for CycleApp {
    type Message = SessionEvent;
    type Work = Work;

    fn context(&self) -> Context {
        match self.overlays.top() {
            Some(Overlay::Help(help)) => help.context(),
            Some(Overlay::Warnings(_)) => Context::Overlay,
            None if self.typing => Context::Prompt,
            None => match self.focus {
                Pane::List => Context::List,
                Pane::Detail | Pane::Side => Context::Detail,
                Pane::Map => Context::Map,
            },
        }
    }

    fn keymap(&self) -> &Keymap {
        &self.keymap
    }

    fn update(&mut self, input: Input<SessionEvent>) -> Update<Work> {
        let update = match input {
            Input::Action(action) => self.on_action(action),
            Input::Letter(_) | Input::Paste(_) => Update::changed_if(self.type_in(&input)),
            Input::Unbound(key) => {
                self.say(format!("{key} does nothing here; ? shows what does"));
                Update::changed()
            }
            Input::Mouse(event) => Update::changed_if(self.on_mouse(event)),
            Input::Resize(Size { width, height }) => {
                let area = Rect::new(0, 0, width, height);
                Update::changed_if(std::mem::replace(&mut self.area, area) != area)
            }
            Input::Message(event) => Update::changed_if(self.hear(event)),
            Input::WorkerFailed { name, text } => {
                self.fail(format!("{name} stopped working: {text}"));
                Update::changed()
            }
            Input::Resumed | Input::Tick => Update::changed(),
        };
        if update.changed {
            self.prepare();
        }
        update
    }

    fn render(&self, frame: &mut Frame<'_>) {
        views::render(self, frame);
    }

    /// When the age in the header says something else.
    fn wake_in(&self) -> Option<Duration> {
        let shown = self.shown.as_ref()?;
        let age = (self.clock)() - shown.generation.snapshot.now;
        Some(Duration::from_secs(wording::span_changes_in(age)))
    }
}
