//! The app: what is shown, the views, and the effect of every key and message.

mod alerts;
mod analysing;
mod boxes;
mod chrome_inputs;
mod commands;
mod configured_tables;
mod follow;
mod input;
mod keys;
mod message;
mod moments;
mod mouse;
mod mouse_boxes;
mod navigate;
mod open_views;
mod play;
mod prefix;
mod report;
mod running;
mod saving;
mod stepping;
mod themes;
mod typing;

use std::time::{Duration, Instant};

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::action::{Action, Context};
use super::app::{App, AppInput};
use super::breakpoints::Breakpoints;
use super::chrome::tabs::ViewBreadcrumb;
use super::chrome::{self, banner};
use super::filter::Filter;
use super::following::FollowState;
use super::input_mode::{Prefix, PromptKind};
use super::keymap::Keymap;
use super::layout::{LayoutParts, divide};
use super::manual::Manual;
use super::overlay::{Overlay, Overlays};
use super::screen::{CycleMarks, Screen};
use super::suggestions::Suggestions;
use super::theme::{Background, Theme};
use super::theme_file::ThemeFileSender as ThemeFiles;
pub use super::theme_file::ThemeText;
use super::tour::Tour;
use super::views::ViewName;
use super::widgets::prompt::Prompt;
use super::wording;
use crate::views::{FileView, Update};
use alerts::AlertFocus;
use analysing::SnapshotRate;
pub use message::ShellMessage;
use moments::PendingMoment;
use open_views::OpenViews;
use play::PlayState;
use qscope_engine::cluster::{Epoch, Seconds};
use qscope_session::SessionEvent;
use qscope_session::query::QueryError;
use saving::SessionStore;

/// Actions without effect in a box of text, and in the box of files.
const BOX_IDLE: &[Action] = &[Action::Select, Action::Filter, Action::Copy, Action::Reload];
const FILES_IDLE: &[Action] = &[Action::Select, Action::Filter, Action::Copy];

/// The hints of a first run, one at a time until the first key (console.md 6, First run).
const HINTS: &[&str] =
    &["a explains the selected job", ". steps through the cycle", "? lists keys, : runs commands"];

/// How long a message is shown.
const MESSAGE_STAYS: Seconds = Seconds(4);

/// Returns the current time; replaced in tests.
pub type ClockFn = Box<dyn Fn() -> Epoch>;

/// The app.
pub struct Shell {
    pub(crate) keymap: Keymap,
    pub(crate) theme: Theme,
    /// The thread that reads theme files, and the file shown.
    theme_files: Option<ThemeFiles>,
    theme_file: Option<String>,
    /// Whether the theme follows the terminal's background.
    follows_ground: bool,
    /// The terminal's background, if known.
    background: Option<Background>,
    pub(crate) clock: ClockFn,
    /// What is being read, in words.
    pub(crate) source: String,
    /// The pages of the manual.
    manual: Manual,
    /// The progress of the tour, if one is running.
    pub(crate) tour: Option<Tour>,
    /// Another moment of a recording that is being read.
    moment: PendingMoment,
    pub(crate) area: Rect,
    pub(crate) screen: Option<Screen>,
    pub(crate) following: FollowState,
    /// How fast snapshots arrive; `None` if each is analysed at once.
    snapshot_rate: Option<SnapshotRate>,
    /// The alert that has the keys.
    alert: Option<AlertFocus>,
    /// The opened views, and the back stack.
    pub(crate) open_views: OpenViews,
    /// The breadcrumb of pages in the line of tabs.
    breadcrumb: Vec<ViewBreadcrumb>,
    pub(crate) typing: bool,
    /// What is wrong with the line being typed.
    pub(crate) prompt_error: Option<QueryError>,
    /// What is being typed.
    pub(crate) prompt_kind: PromptKind,
    /// The completions of the filter.
    pub(crate) suggestions: Suggestions,
    /// The line typed for a view.
    line: Prompt,
    /// The breakpoints, where `c` stops.
    pub(crate) breakpoints: Breakpoints,
    /// History of the command line, oldest first.
    commands: Vec<String>,
    /// What is kept from session to session.
    keeping: SessionStore,
    /// The filter applied last, for the keys that find matches.
    search: Filter,
    pub(crate) overlays: Overlays,
    /// A key that waits for another one.
    pub(crate) prefix: Option<Prefix>,
    /// Marked places.
    pub(crate) cycle_marks: CycleMarks,
    pub(crate) play: PlayState,
    /// A message; the next key clears it.
    pub(crate) status: String,
    /// When the message disappears by itself; `None` if it stays until the next key.
    status_until: Option<Epoch>,
    /// The hints of a first run that are not shown yet.
    hints: &'static [&'static str],
    /// Time and place of the last mouse click.
    last_click: Option<(Instant, Position)>,
}

impl std::fmt::Debug for Shell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shell").field("source", &self.source).finish_non_exhaustive()
    }
}

impl Shell {
    /// An app that has nothing to show yet.
    pub fn new(source: impl Into<String>, theme: Theme, clock: ClockFn) -> Self {
        Self {
            keymap: Keymap::default(),
            theme,
            theme_files: None,
            theme_file: None,
            follows_ground: false,
            background: None,
            moment: PendingMoment::default(),
            manual: Manual::default(),
            tour: None,
            clock,
            source: source.into(),
            area: Rect::ZERO,
            screen: None,
            following: FollowState::default(),
            snapshot_rate: None,
            alert: None,
            open_views: OpenViews::default(),
            breadcrumb: Vec::new(),
            typing: false,
            prompt_error: None,
            prompt_kind: PromptKind::Filter,
            suggestions: Suggestions::default(),
            line: Prompt::default(),
            breakpoints: Breakpoints::default(),
            search: Filter::default(),
            commands: Vec::new(),
            keeping: SessionStore::default(),
            overlays: Overlays::new(),
            prefix: None,
            cycle_marks: CycleMarks::default(),
            play: PlayState::default(),
            status: String::new(),
            status_until: None,
            hints: &[],
            last_click: None,
        }
    }

    /// An app that shows one view on files.
    pub fn on_files(name: ViewName, view: Box<dyn FileView>, theme: Theme, clock: ClockFn) -> Self {
        let mut app = Self::new("", theme, clock);
        app.keymap.retain_actions(Context::View(name), |action| view.has(action));
        app.open_views = OpenViews::on_files(name, view);
        app
    }

    /// Lets `:help` show the pages of a manual.
    pub fn shows_manual(&mut self, manual: Manual) {
        self.manual = manual;
    }

    /// Starts the tour, whose footer shows what to press next.
    pub fn begin_tour(&mut self) {
        self.tour = Some(Tour::default());
    }

    /// Shows a message until the next key, at most for a few seconds (console.md 4, toast).
    pub fn set_status(&mut self, text: impl Into<String>) {
        self.status = text.into();
        self.status_until = Some((self.clock)() + MESSAGE_STAYS);
    }

    /// Shows an error message until the next key.
    pub fn set_failure(&mut self, text: impl Into<String>) {
        self.status = text.into();
        self.status_until = None;
    }

    /// Whether a message is shown.
    pub(crate) fn has_message(&self) -> bool {
        !self.status.is_empty()
    }

    /// Removes a message whose time is over.
    fn expire_status(&mut self) {
        if self.status_until.is_some_and(|until| (self.clock)() >= until) {
            self.status.clear();
            self.status_until = None;
            self.next_hint();
        }
    }

    /// Shows the next hint of a first run, where no message is shown.
    fn next_hint(&mut self) {
        if self.screen.as_ref().is_some_and(|screen| screen.debugger.is_empty()) {
            // All but the last need a job of the cycle.
            self.hints = self.hints.last().map(std::slice::from_ref).unwrap_or_default();
        }
        if let Some((hint, rest)) = self.hints.split_first().filter(|_| self.status.is_empty()) {
            self.set_status(*hint);
            self.hints = rest;
        }
    }

    /// What is shown, if anything could be read yet.
    pub fn screen(&self) -> Option<&Screen> {
        self.screen.as_ref()
    }

    /// The current layout of the screen.
    pub(crate) fn parts(&self) -> LayoutParts {
        let banners = banner::rows(&self.chrome(), self.area);
        let tabs = self.open_views.files.is_none();
        divide(self.area, tabs, banners)
    }

    /// Prepares what drawing needs for the current layout and snapshot.
    fn prepare(&mut self) {
        self.alert = self.alert.take().filter(|_| self.last_alert().is_some());
        let area = self.parts().body;
        self.with_view(|view, cx| view.prepare(area, cx));
        self.breadcrumb = self.find_way();
    }
}

impl App for Shell {
    type Message = ShellMessage;

    fn context(&self) -> Context {
        match self.overlays.last() {
            Some(Overlay::Help(help)) => help.context(),
            Some(Overlay::Files(_) | Overlay::Text(_)) => Context::Overlay,
            Some(Overlay::Columns(_)) => Context::Rows,
            Some(Overlay::Palette(_)) => Context::Prompt,
            Some(Overlay::Breakpoints(list)) => list.context(),
            None if self.typing || self.prefix.is_some() => Context::Prompt,
            None => self.pane_context().unwrap_or(Context::View(self.view())),
        }
    }

    fn keymap(&self) -> &Keymap {
        &self.keymap
    }

    fn has_failed(&self) -> bool {
        self.screen.is_none() && self.following.failure.is_some()
    }

    fn is_whole(message: &ShellMessage) -> bool {
        matches!(message, ShellMessage::Session(SessionEvent::Loaded(_)) | ShellMessage::Loaded(_))
    }

    fn update(&mut self, input: AppInput<ShellMessage>) -> Update {
        self.take_input(input)
    }

    fn render(&self, frame: &mut Frame<'_>) {
        let parts = self.parts();
        let draw = |buf: &mut Buffer| {
            chrome::render(&self.chrome(), &parts, (self.area, buf), |area, buf| self.draw_view(area, buf));
        };
        if self.area.intersection(frame.area()) == self.area {
            return draw(frame.buffer_mut());
        }
        // The terminal has shrunk already, but the resize event is still to come.
        let mut laid_out = Buffer::empty(self.area);
        draw(&mut laid_out);
        chrome_inputs::copy(&laid_out, frame.buffer_mut());
    }

    /// When the next step is played, the age in the header changes, or a message disappears; zero if a step is still to
    /// be examined.
    fn wake_in(&self) -> Option<Duration> {
        if self.is_to_examine() {
            return Some(Duration::ZERO);
        }
        let message = self.status_until.filter(|_| !self.status.is_empty()).map(|until| {
            let left = u64::try_from((until - (self.clock)()).0).unwrap_or_default();
            Duration::from_secs(left.max(1))
        });
        let screen = self.screen.as_ref();
        let next = screen.map(|screen| {
            if self.play.on {
                return self.play.step_interval();
            }
            let now = (self.clock)();
            let ages = [Some(now - screen.generation.snapshot.now), self.following.failing_for(now)];
            let changes = ages.into_iter().flatten().map(wording::span_changes_in).min();
            Duration::from_secs(changes.unwrap_or_default())
        });
        next.into_iter().chain(message).chain(self.analysed_in()).min()
    }
}
