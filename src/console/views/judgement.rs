//! Which verdicts are likely rather than certain, because a fact that no file shows could change them. A worker judges
//! them.

use crate::survey::QueueSurvey;
use crate::task::TaskNews;
use crate::views::{Effect, Pending};

/// The part of one view: it requests the judgement of its cycle, unless another view did.
#[derive(Debug, Default)]
pub(super) struct JudgementRequest {
    survey: Option<QueueSurvey>,
    pending: Pending<()>,
}

impl JudgementRequest {
    /// Starts with another survey; `None` if its judgement is known or under way.
    pub(super) fn take(&mut self, survey: &QueueSurvey) -> Option<Effect> {
        if self.survey.as_ref().is_some_and(|have| have.is_same_analysis(survey)) {
            return None;
        }
        *self = Self { survey: Some(survey.clone()), ..Self::default() };
        survey.judge().map(|judged| self.pending.start(judged))
    }

    /// Whether the news is that the judgement is known.
    pub(super) fn on_news(&mut self, news: &TaskNews) -> bool {
        self.pending.take(news).is_some()
    }
}
