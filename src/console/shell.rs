//! The app: what is shown, the views on it, and what every key and message does.
//!
//! The state is here and in [`Shown`]; `update` changes it and says what the event loop shall do; drawing is in
//! [`super::chrome`] and [`super::views`] and only reads. What drawing needs and costs time (the story of a decision,
//! the map of nodes) is made in `update`, when its cause changes. Stepping, following, the filter line and the
//! overlays are the shell's own and work in every view; what else is pressed goes to the view on the screen.

mod collecting;
mod cursor;
mod descent;
mod follow;
mod keys;
mod mouse;
mod navigate;
mod node_map;
mod open_views;
mod playing;
mod prefix;
mod rows;
mod running;
mod shown;
mod stepping;
mod summary;
mod two_paths;
mod typing;

use std::time::{Duration, Instant};

use ratatui::Frame;
use ratatui::layout::{Rect, Size};

use super::action::Context;
use super::app::{App, Input, Update};
use super::help::Help;
use super::keymap::Keymap;
use super::layout::{Pane, Panes, divide};
use super::overlay::Overlays;
use super::palette::Palette;
use super::task::{Task, TaskNews};
use super::theme::Theme;
use super::views::ViewName;
use super::widgets::prompt::Prompt;
use super::{chrome, wording};
use open_views::OpenViews;
use playing::Play;
use qscope_engine::cluster::Epoch;
use qscope_session::SessionEvent;
use qscope_session::query::{Query, QueryError};

pub use collecting::{ClientState, Collection};
pub(crate) use cursor::{inside, map_parts};
pub use descent::{Depth, Descent};
pub(crate) use follow::Freeze;
pub use follow::{Failure, Following};
pub(crate) use keys::scroll;
pub use node_map::{MapLine, MapMode, NodeMap};
pub(crate) use node_map::{bucket_of, roles, set_role};
pub(crate) use prefix::{Marks, Prefix};
pub use rows::Widths;
pub(crate) use rows::reason;
pub use rows::{Queue, Row};
pub use shown::Shown;
pub(crate) use summary::Summary;
pub use two_paths::TwoPaths;
pub(crate) use typing::Asking;

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
    /// The files and the clients that make them, and the first line shown.
    Files(usize),
    /// The palette.
    Palette(Palette),
}

/// The app.
pub struct Shell {
    pub(crate) keymap: Keymap,
    pub(crate) theme: Theme,
    pub(crate) clock: Clock,
    /// What is being read, in words.
    pub(crate) source: String,
    pub(crate) area: Rect,
    pub(crate) shown: Option<Shown>,
    pub(crate) following: Following,
    pub(crate) focus: Pane,
    /// The views other than the cycle, which is on the screen, and the way back.
    pub(crate) open_views: OpenViews,
    pub(crate) typing: bool,
    /// What is wrong with what is typed.
    pub(crate) filter_error: Option<QueryError>,
    /// What is being typed.
    pub(crate) asking: Asking,
    /// The condition as typed.
    asked: Prompt,
    /// The line for the view as typed.
    line: Prompt,
    /// What `c` runs to.
    pub(crate) condition: Query,
    pub(crate) overlays: Overlays<Overlay>,
    /// A key that waits for another one.
    pub(crate) prefix: Option<Prefix>,
    /// Places to come back to.
    pub(crate) marks: Marks,
    pub(crate) play: Play,
    /// The last thing said; the next key takes it away.
    pub(crate) message: String,
    pub(crate) mode: MapMode,
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
            open_views: OpenViews::default(),
            typing: false,
            filter_error: None,
            asking: Asking::Filter,
            asked: Prompt::default(),
            line: Prompt::default(),
            condition: Query::default(),
            overlays: Overlays::default(),
            prefix: None,
            marks: Marks::default(),
            play: Play::default(),
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
    pub(crate) fn panes(&self) -> Panes {
        let banners = chrome::banner::banners(self).len();
        let map =
            self.shown.as_ref().map_or(u16::MAX, |shown| cursor::map_wants(&shown.map, self.area.width));
        divide(self.area, self.focus, u16::try_from(banners).unwrap_or(u16::MAX), map)
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

impl App for Shell {
    type Message = Message;
    type Work = Work;

    fn context(&self) -> Context {
        match self.overlays.top() {
            Some(Overlay::Help(help)) => help.context(),
            Some(Overlay::Warnings(_) | Overlay::Files(_)) => Context::Overlay,
            Some(Overlay::Palette(_)) => Context::Prompt,
            None if self.typing || self.prefix.is_some() => Context::Prompt,
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
            Input::Action(_) | Input::Letter(_) | Input::Paste(_) if self.prefix.is_some() => {
                self.in_prefix(&input)
            }
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
            Input::Tick if self.play.on => {
                self.play_on();
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

    /// When the next step is played, or the age in the header says something else.
    fn wake_in(&self) -> Option<Duration> {
        let shown = self.shown.as_ref()?;
        if self.play.on {
            return Some(self.play.every());
        }
        let age = (self.clock)() - shown.generation.snapshot.now;
        Some(Duration::from_secs(wording::span_changes_in(age)))
    }
}
