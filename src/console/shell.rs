//! The app: what is shown, the views on it, and what every key and message does.
//!
//! The state is here and in [`Shown`]; `update` changes it and says what the event loop shall do; drawing is in
//! [`super::chrome`] and [`super::views`] and only reads. What drawing needs and costs time (the story of a decision,
//! the map of nodes) is made in `update`, when its cause changes. Stepping, following, the filter line and the
//! overlays are the shell's own and work in every view; what else is pressed goes to the view on the screen.

mod cursor;
mod descent;
mod follow;
mod mouse;
mod navigate;
mod node_map;
mod rows;
mod running;
mod shown;
mod stepping;
mod two_paths;

use std::time::{Duration, Instant};

use ratatui::Frame;
use ratatui::layout::{Rect, Size};

use super::action::{Action, Context};
use super::app::{App, Effect, Input, Update};
use super::help::Help;
use super::keymap::Keymap;
use super::layout::{Pane, Panes, divide};
use super::overlay::Overlays;
use super::palette::{Command, Palette};
use super::task::{Task, TaskNews};
use super::theme::Theme;
use super::views::ViewName;
use super::widgets::prompt::Prompt;
use super::{chrome, wording};
use crate::cluster::Epoch;
use crate::query::{Query, QueryError};
use crate::session::SessionEvent;
use navigate::Desk;

pub(in crate::console) use cursor::{inside, map_parts};
pub use descent::{Depth, Descent};
pub(in crate::console) use follow::Freeze;
pub use follow::{Failure, Following};
pub(in crate::console) use node_map::bucket_of;
pub use node_map::{MapLine, MapMode, NodeMap};
pub use rows::Widths;
pub(in crate::console) use rows::reason;
pub use rows::{Queue, Row};
pub use shown::Shown;
pub use two_paths::TwoPaths;

/// Asks the real clock; tests bring their own.
pub type Clock = Box<dyn Fn() -> Epoch>;

/// What the app asks of workers.
#[derive(Debug, Clone, PartialEq)]
pub enum Work {
    /// Read the files again.
    Reload,
    /// Compute something for a view.
    Task(Task),
}

/// What the app hears from workers.
#[derive(Debug, Clone)]
pub enum Message {
    /// From the session.
    Session(SessionEvent),
    /// About something that a view asked for.
    Task(TaskNews),
}

impl From<SessionEvent> for Message {
    fn from(event: SessionEvent) -> Self {
        Self::Session(event)
    }
}

impl From<TaskNews> for Message {
    fn from(news: TaskNews) -> Self {
        Self::Task(news)
    }
}

/// What lies over the panes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Overlay {
    /// The keys.
    Help(Help),
    /// What was odd in the files and is not modelled, and the first line shown.
    Warnings(usize),
    /// The palette.
    Palette(Palette),
}

/// What is typed into the last line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::console) enum Asking {
    /// A filter of the view.
    Filter,
    /// A condition to run to.
    Condition,
}

/// The app.
pub struct Shell {
    pub(in crate::console) keymap: Keymap,
    pub(in crate::console) theme: Theme,
    pub(in crate::console) clock: Clock,
    /// What is being read, in words.
    pub(in crate::console) source: String,
    pub(in crate::console) area: Rect,
    pub(in crate::console) shown: Option<Shown>,
    pub(in crate::console) following: Following,
    pub(in crate::console) focus: Pane,
    /// The views other than the cycle, which is on the screen, and the way back.
    pub(in crate::console) desk: Desk,
    pub(in crate::console) typing: bool,
    /// What is wrong with what is typed.
    pub(in crate::console) filter_error: Option<QueryError>,
    /// What is being typed.
    pub(in crate::console) asking: Asking,
    /// The condition as typed.
    asked: Prompt,
    /// What `c` runs to.
    pub(in crate::console) condition: Query,
    pub(in crate::console) overlays: Overlays<Overlay>,
    /// The last thing said; the next key takes it away.
    pub(in crate::console) message: String,
    pub(in crate::console) mode: MapMode,
    /// When and where the mouse was clicked last.
    last_click: Option<(Instant, u16, u16)>,
}

impl std::fmt::Debug for Shell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shell").field("source", &self.source).finish_non_exhaustive()
    }
}

impl Shell {
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
            desk: Desk::default(),
            typing: false,
            filter_error: None,
            asking: Asking::Filter,
            asked: Prompt::default(),
            condition: Query::default(),
            overlays: Overlays::default(),
            message: String::new(),
            mode: MapMode::Buckets,
            last_click: None,
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
        let banners = chrome::banner::banners(self).len();
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
        let typed = !matches!(action, Action::Quit | Action::Suspend | Action::Redraw);
        if typed && matches!(self.overlays.top(), Some(Overlay::Palette(_))) {
            return self.in_palette(&Input::Action(action));
        }
        if self.typing && typed {
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
            Action::Copy if self.view() == ViewName::Cycle => return self.copy(),
            Action::Reload => {
                self.say(follow::READING_AGAIN);
                return Update::changed().with(Effect::Work(Work::Reload));
            }
            Action::StepInto if self.view() == ViewName::Cycle => return self.step_into(),
            _ if self.is_shells(action) => return Update::changed_if(self.in_panes(action)),
            _ => return self.in_view(action),
        }
        Update::changed()
    }

    /// Whether an action is the shell's own, whatever view is on the screen.
    fn is_shells(&self, action: Action) -> bool {
        use Action as A;
        let moves = action.moves()
            || matches!(action, A::Select | A::NextPane | A::PreviousPane | A::NextLine | A::PreviousLine);
        let own = moves || matches!(action, A::ToggleMap | A::Copy | A::TwoPaths) || action.is_of_a_view();
        self.view() == ViewName::Cycle || self.shown.is_none() || !own
    }

    fn in_panes(&mut self, action: Action) -> bool {
        match action {
            Action::Palette => {
                let palette = Palette::new(self.context(), &self.keymap, self.world());
                self.overlays.push(Overlay::Palette(palette));
            }
            Action::Back => self.back(),
            Action::Forward => self.forward(),
            Action::Help => self.overlays.push(Overlay::Help(Help::about(self.context()))),
            Action::Warnings => self.overlays.push(Overlay::Warnings(0)),
            Action::Filter if self.shown.is_some() => (self.typing, self.asking) = (true, Asking::Filter),
            Action::Condition if self.shown.is_some() => {
                (self.typing, self.asking) = (true, Asking::Condition);
                self.refilter();
            }
            Action::Close => return self.close(),
            Action::QuickFilter if self.view() == ViewName::Cycle => self.quick_filter(),
            Action::Freeze => self.freeze(),
            Action::Follow => self.follow(),
            _ if action.view().is_some() => self.open_numbered(action),
            _ if self.shown.is_none() => self.say("nothing has been read yet"),
            Action::StepForward | Action::StepBack if self.is_inside() => self.step_over(action),
            Action::StepForward | Action::StepBack | Action::FirstStep | Action::LastStep => {
                self.step(action);
            }
            Action::NextVerdict | Action::PreviousVerdict => self.step_to_verdict(action),
            Action::NextWaiting
            | Action::PreviousWaiting
            | Action::NextNodePath
            | Action::PreviousNodePath
            | Action::Continue
            | Action::ContinueBack => self.run_to(action),
            Action::TwoPaths => self.toggle_paths(),
            Action::StepOut => {
                if !self.step_out() {
                    self.say("this is the outermost level; i goes into the decision");
                }
            }
            Action::Select => self.select(),
            _ => return self.move_cursor(action),
        }
        true
    }

    /// The next of the filters that one needs most.
    fn quick_filter(&mut self) {
        const FILTERS: [&str; 4] = ["path=node verdict=run", "path=bucket verdict=run", "wait", ""];
        let now = self.prompt().text();
        let at = FILTERS.iter().position(|text| *text == now && !text.is_empty());
        let next = FILTERS.get(at.map_or(0, |at| at + 1)).copied().unwrap_or("");
        *self.prompt_mut() = Prompt::with(next);
        self.refilter();
    }

    /// Takes away what lies on top, else the filter.
    fn close(&mut self) -> bool {
        if !self.prompt().text().is_empty() {
            *self.prompt_mut() = Prompt::default();
            self.refilter();
        } else if self.view() != ViewName::Cycle {
            self.back();
        } else if self.shown.as_mut().is_some_and(Shown::close_paths) || self.step_out() {
        } else {
            self.say("nothing to close; q leaves qscope");
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
                let lines = chrome::warnings::lines(self.shown.as_ref(), usize::from(area.width)).len();
                scroll(top, action, lines, rows.saturating_sub(4))
            }
            Some(Overlay::Palette(_)) | None => false,
        }
    }

    /// Letters and editing keys of the line that is being typed.
    fn type_in(&mut self, input: &Input<Message>) -> bool {
        if let Some(Overlay::Help(help)) = self.overlays.top_mut() {
            return help.take(input, &self.keymap, self.area);
        }
        match input {
            Input::Action(Action::Accept) if self.asking == Asking::Condition => self.accept_condition(),
            Input::Action(Action::Close) if self.asking == Asking::Condition => {
                (self.typing, self.asking, self.filter_error) = (false, Asking::Filter, None);
            }
            Input::Action(Action::Accept) => self.typing = self.filter_error.is_some(),
            Input::Action(Action::Close) => {
                self.typing = false;
                *self.prompt_mut() = Prompt::default();
                self.refilter();
            }
            _ => {
                let before = self.prompt().text().to_owned();
                let changed = self.prompt_mut().take(input);
                if self.prompt().text() != before {
                    self.refilter();
                }
                return changed;
            }
        }
        true
    }

    /// What is typed into the palette; Enter does what it offers.
    fn in_palette(&mut self, input: &Input<Message>) -> Update<Work> {
        let world = navigate::world_of(&self.shown, &self.following, &self.clock);
        let Some(Overlay::Palette(palette)) = self.overlays.top_mut() else { return Update::nothing() };
        match input {
            Input::Action(Action::Close) => {
                self.overlays.pop();
                Update::changed()
            }
            Input::Action(Action::Accept) => {
                let command = palette.command().cloned();
                self.overlays.pop();
                match command {
                    Some(Command::Act(action)) => self.act(action),
                    Some(Command::Go(object)) => {
                        self.go_to_object(&object);
                        Update::changed()
                    }
                    None => Update::changed(),
                }
                .and_changed()
            }
            _ => Update::changed_if(palette.take(input, &self.keymap, world)),
        }
    }

    fn copy(&mut self) -> Update<Work> {
        let Some(shown) = &self.shown else {
            self.say("nothing has been read yet");
            return Update::changed();
        };
        let (what, text) = match self.focus {
            Pane::List => ("the job's id", shown.subject_name().unwrap_or_default()),
            Pane::Detail => match shown.descent.as_ref().and_then(Descent::depth).and_then(Depth::frame) {
                Some(frame) => ("what stands under the cursor", format!("{}: {}", frame.label, frame.text)),
                None => ("the decision", shown.told().text()),
            },
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
        if self.view() != ViewName::Cycle {
            self.look_again();
            return;
        }
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

impl App for Shell {
    type Message = Message;
    type Work = Work;

    fn context(&self) -> Context {
        match self.overlays.top() {
            Some(Overlay::Help(help)) => help.context(),
            Some(Overlay::Warnings(_)) => Context::Overlay,
            Some(Overlay::Palette(_)) => Context::Prompt,
            None if self.typing => Context::Prompt,
            None if self.view() != ViewName::Cycle => Context::View(self.view()),
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

    fn has_failed(&self) -> bool {
        self.shown.is_none() && self.following.failure.is_some()
    }

    fn update(&mut self, input: Input<Message>) -> Update<Work> {
        let update = match input {
            Input::Action(action) => self.on_action(action),
            Input::Letter(_) | Input::Paste(_)
                if matches!(self.overlays.top(), Some(Overlay::Palette(_))) =>
            {
                self.in_palette(&input)
            }
            Input::Letter(_) | Input::Paste(_) => Update::changed_if(self.type_in(&input)),
            Input::Unbound(key) => {
                self.say(format!("{key} does nothing here; ? shows what does"));
                Update::changed()
            }
            Input::Mouse(event) => self.on_mouse(event),
            Input::Resize(Size { width, height }) => {
                let area = Rect::new(0, 0, width, height);
                Update::changed_if(std::mem::replace(&mut self.area, area) != area)
            }
            Input::Message(Message::Session(event)) => Update::changed_if(self.hear(event)),
            Input::Message(Message::Task(news)) => self.pass_on(&news),
            Input::WorkerFailed { name, text } => {
                self.fail(format!("{name} stopped working: {text}"));
                Update::changed()
            }
            Input::Resumed | Input::Tick => Update::changed(),
        };
        if update.changed {
            self.prepare();
            return update.and(self.wishes_of_view());
        }
        update
    }

    fn render(&self, frame: &mut Frame<'_>) {
        chrome::render(self, frame);
    }

    /// When the age in the header says something else.
    fn wake_in(&self) -> Option<Duration> {
        let shown = self.shown.as_ref()?;
        let age = (self.clock)() - shown.generation.snapshot.now;
        Some(Duration::from_secs(wording::span_changes_in(age)))
    }
}
