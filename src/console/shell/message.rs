//! What workers send to the app.

use std::sync::Arc;

use crate::chrome::alerts::clauses;
use crate::screen::{MakeReady, Ready};
use crate::task::TaskNews;
use crate::theme_file::ThemeText;
use qscope_session::{Generation, SessionEvent};

/// What workers send to the app.
#[derive(Debug, Clone)]
pub enum ShellMessage {
    /// From the session.
    Session(SessionEvent),
    /// A new snapshot from the session, with what the screen needs of it.
    Loaded(Ready),
    /// About a computation that a view requested.
    Task(TaskNews),
    /// The theme's file was read.
    Theme(ThemeText),
}

impl ShellMessage {
    /// A snapshot with everything that the screen needs of it, as the thread that read it makes it.
    pub fn ready(generation: Arc<Generation>) -> Self {
        Self::Loaded(MakeReady::default().make(generation, clauses))
    }
}

impl From<SessionEvent> for ShellMessage {
    fn from(event: SessionEvent) -> Self {
        Self::Session(event)
    }
}

impl From<TaskNews> for ShellMessage {
    fn from(news: TaskNews) -> Self {
        Self::Task(news)
    }
}
