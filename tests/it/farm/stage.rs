//! The packing view on a screen in memory; what workers would compute is computed at once.

use std::cell::RefCell;
use std::path::Path;

use qscope::console::action::Action;
use qscope::console::app::{App, Input};
use qscope::console::farm_app::FarmApp;
use qscope::console::task::Task;
use qscope::console::theme::{Depth, GlyphSet, Theme, ThemeOptions};
use qscope::console::views::effect::{Effect, Update};
use qscope::farm::Wanted;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Size;

pub(crate) struct Stage {
    app: FarmApp,
    pub(crate) paper: Terminal<TestBackend>,
}

impl Stage {
    /// The view of a file, and what its worker has to compute first.
    pub(crate) fn new(file: &Path, size: Size, depth: Depth) -> (Self, Task) {
        let theme = Theme::built_in("default-dark", ThemeOptions { depth, glyphs: GlyphSet::Unicode }).0;
        let wanted = Wanted { files: vec![file.to_owned()], ..Wanted::default() };
        let app = FarmApp::new(wanted, theme);
        let paper = Terminal::new(TestBackend::new(size.width, size.height)).unwrap();
        let mut stage = Self { app, paper };
        stage.app.update(Input::Resize(size));
        let first = stage.app.start().unwrap();
        (stage, first)
    }

    pub(crate) fn compute(&mut self, task: &Task) {
        let heard = RefCell::new(Vec::new());
        task.run(&|news| heard.borrow_mut().push(news));
        for news in heard.into_inner() {
            let update = self.app.update(Input::Message(news));
            self.follow(update);
        }
    }

    fn follow(&mut self, update: Update) {
        for effect in update.effects {
            if let Effect::Compute(task) = effect {
                self.compute(&task);
            }
        }
    }

    pub(crate) fn act(&mut self, actions: &[Action]) -> &mut Self {
        for action in actions {
            let update = self.app.update(Input::Action(*action));
            self.follow(update);
        }
        self
    }

    pub(crate) fn draw(&mut self) {
        self.paper.draw(|frame| self.app.render(frame)).unwrap();
    }
}
