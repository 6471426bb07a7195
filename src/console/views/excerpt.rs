//! The lines of a file around a given one: a worker reads them, and a box shows them.

use std::sync::Arc;

use crate::task::{Computation, TaskNews};
use crate::views::{Effect, Pending, Update};
use qscope_session::Generation;
use qscope_session::as_read::excerpt;

/// Lines with their numbers, or why they cannot be read.
type ExcerptResult = Result<Vec<(usize, String)>, String>;

/// The pending request: file and line.
#[derive(Debug, Default)]
pub(crate) struct ExcerptRequest(Pending<ExcerptResult, (String, usize)>);

impl ExcerptRequest {
    /// Requests the lines around one of a file.
    pub(crate) fn open(&mut self, of: &Arc<Generation>, file: &str, line: usize) -> Update {
        let (of, name) = (of.clone(), file.to_owned());
        let lines = Computation::new(format!("reading {file}"), move |_| Some(excerpt(&of, &name, line)));
        Update::request(self.0.start_for((file.to_owned(), line), lines))
    }

    /// Shows the lines in a box, or why there are none; `None` if the news is not for this.
    pub(crate) fn on_news(&mut self, news: &TaskNews) -> Option<Update> {
        let ((file, line), found) = self.0.take_with_key(news)?;
        Some(match &*found {
            Ok(found) => {
                let lines = found.iter().map(|(number, text)| format!("{number:>5}  {text}")).collect();
                let marked = found.iter().position(|(number, _)| *number == line);
                Update::request(Effect::ShowText { title: format!("{file}:{line}"), lines, marked })
            }
            Err(why) => Update::status(why.clone()),
        })
    }
}
