//! The analysis of the queue for a view that shows its results: reasons, likely verdicts, forecast starts.

use super::cycle::reasons::CycleReasons;
use super::judgement::JudgementRequest;
use crate::task::TaskNews;
use crate::views::{Effect, Update, ViewContext};

/// The part of one view: it requests what is not yet known of the analysis on the screen.
#[derive(Debug, Default)]
pub(super) struct AnalysisRequests {
    judged: JudgementRequest,
    reasons: CycleReasons,
    requests: Vec<Effect>,
}

impl AnalysisRequests {
    /// Starts with the analysis on the screen, unless it is the one it has already.
    pub(super) fn take(&mut self, cx: ViewContext<'_>) {
        let analysis = &cx.screen.analysis;
        self.requests.extend(self.judged.take(&analysis.survey));
        self.requests.extend(self.reasons.take(&analysis.survey));
        self.requests.extend(analysis.starts.ask());
    }

    /// The effects requested since the last call.
    pub(super) fn requests(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.requests)
    }

    /// Takes results, and requests the next slice of the analysis; `None` if the news is about something else.
    pub(super) fn on_news(&mut self, news: &TaskNews, cx: ViewContext<'_>) -> Option<Update> {
        if let Some(next) = self.reasons.on_news(news) {
            return Some(next.map_or_else(Update::changed, |next| Update::changed().with(next)));
        }
        let has_starts = cx.screen.analysis.starts.is_answered_by(news);
        (has_starts || self.judged.on_news(news)).then(Update::changed)
    }
}
