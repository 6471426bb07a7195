//! The packing view on a screen in memory; the work of workers is done at once.

use std::cell::RefCell;
use std::path::Path;

use qscope::cluster::Epoch;
use qscope::console::action::Action;
use qscope::console::app::{App, AppInput};
use qscope::console::shell::Shell;
use qscope::console::task::Task;
use qscope::console::theme::{ColorDepth, GlyphSet, Theme, ThemeOptions};
use qscope::console::views::packing::PackingView;
use qscope::console::views::{Effect, Update, ViewName};
use qscope::farm::CaseInput;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Size;

pub(crate) struct Stage {
    app: Shell,
    pub(crate) paper: Terminal<TestBackend>,
}

impl Stage {
    /// Opens the view of a file; returns it with what its worker must compute first.
    pub(crate) fn new(file: &Path, size: Size, depth: ColorDepth) -> (Self, Task) {
        let theme = Theme::built_in("default-dark", ThemeOptions { depth, glyphs: GlyphSet::Unicode }).0;
        let wanted = CaseInput { files: vec![file.to_owned()], ..CaseInput::default() };
        let view = Box::new(PackingView::of_files(wanted));
        let app = Shell::on_files(ViewName::Packing, view, theme, Box::new(|| Epoch(0)));
        let paper = Terminal::new(TestBackend::new(size.width, size.height)).unwrap();
        let mut stage = Self { app, paper };
        // The files are read first.
        let requested = stage.app.update(AppInput::Resize(size)).effects;
        let task = |effect| if let Effect::Compute(task) = effect { Some(task) } else { None };
        let first = requested.into_iter().find_map(task).unwrap();
        (stage, first)
    }

    pub(crate) fn compute(&mut self, task: &Task) {
        let news_of_task = RefCell::new(Vec::new());
        task.run(&|news| news_of_task.borrow_mut().push(news));
        for news in news_of_task.into_inner() {
            let update = self.app.update(AppInput::Message(news.into()));
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
            let update = self.app.update(AppInput::Action(*action));
            self.follow(update);
        }
        self
    }

    pub(crate) fn draw(&mut self) {
        self.paper.draw(|frame| self.app.render(frame)).unwrap();
    }
}
