//! Messages from workers to the app.

use std::sync::Arc;

use crate::chrome::alerts::clauses;
use crate::screen::{PreparedSnapshot, SnapshotPreparer};
use crate::task::TaskNews;
use crate::theme_file::ThemeText;
use qscope_session::{Generation, SessionEvent};

/// A message from a worker to the app.
#[derive(Debug, Clone)]
pub enum ShellMessage {
    Session(SessionEvent),
    /// A new snapshot of the session, with what the screen needs of it.
    Loaded(PreparedSnapshot),
    /// News about a computation that a view requested.
    Task(TaskNews),
    /// The content of the theme's file.
    Theme(ThemeText),
}

impl ShellMessage {
    /// A snapshot with everything that the screen needs of it, prepared on the thread that read it.
    pub fn ready(generation: Arc<Generation>) -> Self {
        Self::Loaded(SnapshotPreparer::default().make(generation, clauses))
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
