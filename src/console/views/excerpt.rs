//! The lines of a file around a given one: a worker reads them, and a box shows them.

use std::sync::Arc;

use crate::task::{News, Task, Ticket};
use crate::views::{Effect, Update};
use qscope_session::Generation;
use qscope_session::as_read::excerpt;

/// Lines with their numbers, or why they cannot be read.
type ExcerptResult = Result<Vec<(usize, String)>, String>;

/// The pending request: ticket, file, line.
#[derive(Debug, Default)]
pub(crate) struct ExcerptRequest(Option<(Ticket, String, usize)>);

impl ExcerptRequest {
    /// Requests the lines around one of a file.
    pub(crate) fn open(&mut self, of: &Arc<Generation>, file: &str, line: usize) -> Update {
        let (of, name) = (of.clone(), file.to_owned());
        let (task, ticket) = Task::new(format!("reading {file}"), move |_| Some(excerpt(&of, &name, line)));
        self.0 = Some((ticket, file.to_owned(), line));
        Update::request(Effect::Compute(task))
    }

    /// Shows the lines in a box, or why there are none; `None` if the news is not for this.
    pub(crate) fn on_news(&mut self, ticket: u64, news: &News) -> Option<Update> {
        let News::Answer(answer) = news else { return None };
        let (_, file, line) = self.0.take_if(|(mine, ..)| Ticket::is_of(Some(mine), ticket))?;
        Some(match answer.downcast_ref::<ExcerptResult>() {
            Some(Ok(found)) => {
                let lines = found.iter().map(|(number, text)| format!("{number:>5}  {text}")).collect();
                let marked = found.iter().position(|(number, _)| *number == line);
                Update::request(Effect::ShowText { title: format!("{file}:{line}"), lines, marked })
            }
            Some(Err(why)) => Update::status(why.clone()),
            None => Update::unchanged(),
        })
    }
}
