//! Which verdicts are likely and not stated: they could turn with a fact that no file shows. A worker judges them.

use crate::survey::QueueSurvey;
use crate::task::{News, Ticket};
use crate::views::Effect;

/// A view's part in it: it has those of its cycle found, unless another view had them found.
#[derive(Debug, Default)]
pub(super) struct Judged {
    survey: Option<QueueSurvey>,
    ticket: Option<Ticket>,
}

impl Judged {
    /// Begins with another analysis; none when it is known.
    pub(super) fn take(&mut self, survey: &QueueSurvey) -> Option<Effect> {
        if self.survey.as_ref().is_some_and(|have| have.is(survey)) {
            return None;
        }
        *self = Self { survey: Some(survey.clone()), ticket: None };
        let (task, ticket) = survey.judge()?;
        self.ticket = Some(ticket);
        Some(Effect::Compute(task))
    }

    /// Whether the news are that they are known.
    pub(super) fn on_news(&mut self, ticket: u64, news: &News) -> bool {
        Ticket::answer(&mut self.ticket, ticket, news).is_some()
    }
}
