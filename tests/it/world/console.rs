//! The console of the world: the real app on a screen in memory, and a user who presses keys.

use std::cell::RefCell;

use qscope::console::action::{Action, TABLE};
use qscope::console::app::{App, AppInput};
use qscope::console::shell::{Shell, ShellMessage};
use qscope::console::theme::{ColorDepth, GlyphSet, Theme, ThemeOptions};
use qscope::console::views::Effect;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Size;

use super::clock;

/// Actions that are not tested here: they end the program or write files.
const NOT_HERE: [Action; 3] = [Action::Quit, Action::Suspend, Action::Export];

pub(super) struct Console {
    app: Shell,
    paper: Terminal<TestBackend>,
    /// Whether the user may have frozen the picture since it last followed.
    pub(super) may_be_frozen: bool,
}

impl Console {
    pub(super) fn new() -> Self {
        let options = ThemeOptions { depth: ColorDepth::None, glyphs: GlyphSet::Unicode };
        let theme = Theme::built_in("default-dark", options).0;
        let mut app = Shell::new("a folder", theme, Box::new(clock::epoch));
        app.update(AppInput::Resize(Size { width: 80, height: 24 }));
        let paper = Terminal::new(TestBackend::new(80, 24)).unwrap();
        Self { app, paper, may_be_frozen: false }
    }

    /// Processes an input and does the requested work of workers at once; returns whether the files are to be
    /// read again.
    pub(super) fn feed(&mut self, input: AppInput<ShellMessage>) -> bool {
        let mut reloads = false;
        for effect in self.app.update(input).effects {
            match effect {
                Effect::Reload => reloads = true,
                Effect::Compute(task) => {
                    let received = RefCell::new(Vec::new());
                    task.run(&|news| received.borrow_mut().push(news));
                    received.into_inner().into_iter().for_each(|news| {
                        reloads |= self.feed(AppInput::Message(news.into()));
                    });
                }
                _ => {}
            }
        }
        reloads
    }

    /// Presses the key of a random action; returns its name, and whether the files are to be read again.
    pub(super) fn press(&mut self, draw: u64) -> (&'static str, bool) {
        let usable: Vec<_> = TABLE.iter().filter(|entry| !NOT_HERE.contains(&entry.action)).collect();
        let entry = usable[draw as usize % usable.len()];
        self.may_be_frozen = true;
        (entry.name, self.feed(AppInput::Action(entry.action)))
    }

    /// Closes whatever is open, and follows again.
    pub(super) fn follow(&mut self) {
        for action in
            [Action::Close, Action::Close, Action::Close, Action::Back, Action::Follow, Action::Follow]
        {
            self.feed(AppInput::Action(action));
        }
        self.may_be_frozen = false;
    }

    /// Returns the versions of the snapshot on the screen.
    pub(super) fn shown(&self) -> Option<super::Shown> {
        super::dumps::versions(&self.app.screen()?.generation.snapshot)
    }

    /// Returns the first lines of the screen.
    pub(super) fn head(&mut self) -> String {
        self.paper.draw(|frame| self.app.draw(frame)).unwrap();
        let buffer = self.paper.backend().buffer();
        let row = |y| (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
        (0..3).map(row).collect::<Vec<_>>().join("\n")
    }
}
