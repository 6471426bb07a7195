//! The packing view alone, on files: a trace, logs, a scenario. No cluster is open, so nothing can be stepped.

use std::path::Path;

use ratatui::Frame;
use ratatui::layout::{Rect, Size};
use ratatui::widgets::Widget;

use super::action::{Action, Context};
use super::app::{App, Input};
use super::help::Help;
use super::keymap::Keymap;
use super::open::{DisplayOptions, theme_of};
use super::run::run;
use super::task::{self, Task, TaskNews};
use super::terminal::{TerminalError, TerminalOptions};
use super::theme::{Depth, Role, Theme};

use super::views::ViewName;
use super::views::effect::{Effect, Update};
use super::views::packing::{self, study::Study};
use super::widgets::footer::footer;
use super::widgets::frame;
use super::widgets::header::{Fact, header};
use qscope_planning::farm::Wanted;

/// The app.
#[derive(Debug)]
pub struct FarmApp {
    keymap: Keymap,
    theme: Theme,
    area: Rect,
    title: String,
    study: Study,
    help: Option<Help>,
    message: String,
}

/// Opens the packing view on files and returns the exit code when it is left.
///
/// # Errors
/// There is no terminal, or it fails.
pub fn open(wanted: Wanted, looks: &DisplayOptions) -> Result<u8, TerminalError> {
    let (theme, warning, depth) = theme_of(looks);
    let options = TerminalOptions { mouse: looks.mouse, color: depth != Depth::None };
    let ended = run(options, move |post| {
        let mut app = FarmApp::new(wanted, theme);
        app.message = warning.unwrap_or_default();
        let tasks = task::workers(&post).ok();
        let send = move |effect| {
            if let (Effect::Compute(task), Some(tasks)) = (effect, &tasks) {
                // Without workers nothing is computed, and the view goes on showing that.
                drop(tasks.send(task));
            }
        };
        app.study.open().map(Effect::Compute).into_iter().for_each(&send);
        (app, send)
    });
    ended.map(super::app::Exit::code)
}

/// Whether an action needs no cluster.
fn works_on_files(action: Action) -> bool {
    use Action as A;
    matches!(
        action,
        A::Quit
            | A::Suspend
            | A::Redraw
            | A::NextTheme
            | A::Close
            | A::Help
            | A::Copy
            | A::NextPane
            | A::PreviousPane
            | A::Left
            | A::Right
            | A::Up
            | A::Down
            | A::PageUp
            | A::PageDown
            | A::Home
            | A::End
            | A::Select
            | A::NextEvent
            | A::PreviousEvent
            | A::NextMoment
            | A::LongerTtl
            | A::ShorterTtl
            | A::WindowLeft
            | A::WindowRight
            | A::WindowIn
            | A::WindowOut
            | A::NextCriterion
            | A::NextClass
    )
}

impl FarmApp {
    /// An app on files that have not been read yet.
    pub fn new(wanted: Wanted, theme: Theme) -> Self {
        let name =
            |path: &std::path::PathBuf| path.file_name().map(|name| name.to_string_lossy().into_owned());
        let title = wanted.files.first().and_then(name).unwrap_or_default();
        let mut keymap = Keymap::default();
        keymap.keep(Context::View(ViewName::Packing), works_on_files);
        Self {
            keymap,
            theme,
            area: Rect::ZERO,
            title,
            study: Study::of_files(wanted),
            help: None,
            message: String::new(),
        }
    }

    /// The first work: reading the files. Asked for once by whoever opens the app.
    pub fn start(&mut self) -> Option<Task> {
        self.study.open()
    }

    fn body(&self) -> Rect {
        Rect { y: self.area.y + 1, height: self.area.height.saturating_sub(2), ..self.area }
    }

    fn act(&mut self, action: Action) -> Update {
        let said = !std::mem::take(&mut self.message).is_empty();
        let (area, keymap) = (self.area, &self.keymap);
        let update = match action {
            Action::Quit => Update::nothing().with(Effect::Quit),
            Action::Suspend => Update::nothing().with(Effect::Suspend),
            Action::Redraw => Update::nothing().with(Effect::Redraw),
            Action::NextTheme => {
                self.theme = self.theme.next();
                self.message = format!("theme {}", self.theme.name());
                Update::changed()
            }
            Action::Close if self.help.as_ref().is_some_and(|help| !help.holds_close()) => {
                self.help = None;
                Update::changed()
            }
            _ if self.help.is_some() => {
                let help = self.help.as_mut();
                let input: Input<TaskNews> = Input::Action(action);
                Update::changed_if(help.is_some_and(|help| help.take(&input, keymap, area)))
            }
            Action::Help => {
                self.help = Some(Help::about(self.context()));
                Update::changed()
            }
            Action::Copy => {
                self.message = "sent the figures to the terminal's clipboard".to_owned();
                Update::changed().with(Effect::Copy("figures", self.study.words().iter().collect()))
            }
            Action::Close => {
                self.message = "nothing to close; q leaves qscope".to_owned();
                Update::changed()
            }
            _ => {
                let reply = self.study.act(action, self.body());
                self.execute(reply)
            }
        };
        Update { changed: update.changed || said, ..update }
    }

    fn execute(&mut self, mut update: Update) -> Update {
        if update.unknown {
            self.message = "not used here; ? lists keys".to_owned();
        }
        update.changed |= update.unknown || !update.effects.is_empty();
        update.effects.retain(|effect| match effect {
            Effect::SetStatus(text) => {
                self.message.clone_from(text);
                false
            }
            effect => matches!(effect, Effect::Compute(_)),
        });
        update
    }
}

impl App for FarmApp {
    type Message = TaskNews;

    fn context(&self) -> Context {
        self.help.as_ref().map_or(Context::View(ViewName::Packing), Help::context)
    }

    fn keymap(&self) -> &Keymap {
        &self.keymap
    }

    fn update(&mut self, input: Input<TaskNews>) -> Update {
        match input {
            Input::Action(action) => self.act(action),
            Input::Letter(_) | Input::Paste(_) => {
                let (area, keymap) = (self.area, &self.keymap);
                Update::changed_if(self.help.as_mut().is_some_and(|help| help.take(&input, keymap, area)))
            }
            Input::Unbound(key) => {
                self.message = format!("{key} is not used here; ? lists keys");
                Update::changed()
            }
            Input::Mouse(event) => {
                use crossterm::event::MouseEventKind;
                if !matches!(event.kind, MouseEventKind::Down(_)) {
                    return Update::nothing();
                }
                let reply = self.study.click((event.column, event.row).into(), self.body());
                self.execute(reply)
            }
            Input::Resize(Size { width, height }) => {
                let area = Rect::new(0, 0, width, height);
                Update::changed_if(std::mem::replace(&mut self.area, area) != area)
            }
            Input::Message(news) => {
                let reply = self.study.on_news(news.ticket, &news.news);
                self.execute(reply)
            }
            Input::WorkerFailed { name, text } => {
                self.message = format!("{name} stopped working: {text}");
                Update::changed()
            }
            Input::Resumed | Input::Tick => Update::changed(),
        }
    }

    fn render(&self, frame: &mut Frame<'_>) {
        let area = frame.area();
        let buf = frame.buffer_mut();
        buf.set_style(area, self.theme.style(Role::Text));
        if area.width < 40 || area.height < 10 {
            frame::too_small(area, buf, &self.theme);
            return;
        }
        let facts = self.study.facts();
        let mut all = vec![Fact::new(self.title.clone(), 90)];
        all.extend(facts.into_iter().map(|(text, keep)| Fact::new(text, keep)));
        let row = |y: u16| Rect { y, height: 1, ..area };
        header(&all, area.width, &self.theme).render(row(area.y), buf);
        let body = Rect { y: area.y + 1, height: area.height - 2, ..area };
        packing::render(&self.study, body, buf, &self.theme);
        let line = footer(&self.keymap, self.context(), &self.message, area.width, &self.theme);
        line.render(row(area.bottom() - 1), buf);
        if let Some(help) = &self.help {
            help.render(area, buf, &self.theme, &self.keymap);
        }
    }
}

/// Whether something that somebody wants to open is for this app: a file, or a folder of accounting logs.
pub fn is_for_files(path: &Path) -> bool {
    path.is_file() || qscope_planning::farm::trace::holds_logs(path)
}
