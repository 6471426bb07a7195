//! A recording or simulation from end to end: how many jobs waited, how busy the cores were, where alerts were. Every
//! moment of it can be opened and stepped like a snapshot.
//!
//! ```text
//! ┏ Recording of 1440 snapshots, taken 21 Nov 02:00 to 22 Nov 02:00 ━ 120 of 512 read · Esc ┓
//! ┃ waiting 34 ▁▂▃▅▆▇██▇▆▅▅▄▄▃▃▂▂▁▁▁▁▁▂▂▃▃▄▄▅▅▆▆▇▇▇▆▆▅▅▄▃▂▁▁▁▂▃▄▄▅▅▆▆▇▇▆▅▄▃▂▁▁▂▂▃▃▄▅▆▇ ┃
//! ┃ busy 100 % ▇▇▇▇█████████▇▇▇▇▆▆▅▅▅▅▆▆▆▇▇▇▇████████████▇▇▇▇▆▆▆▅▅▅▆▆▇▇▇█████▇▇▇▆▆▅▅▆▆▇▇ ┃
//! ┃ alerts       ·!!··································· ! ································· ┃
//! ┃            02:00          ╷06:00          ╷10:00          ╷14:00          ╷18:00          ┃
//! ┃                           ▲                                                               ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```

mod draw;
mod scale;
mod survey;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::action::Action;
use crate::task::TaskNews;
use crate::views::{Effect, MomentPurpose, Update, View, ViewContext};
use qscope_session::TapeTarget;
use scale::TimeScale;
use survey::TimeSurvey;

/// A moment has no answer, no verdict and no text to copy.
const WITH_TAPE: &[Action] = &[Action::AskWhy, Action::NextVerdict, Action::Copy];

/// With a single moment there is also nothing to move to, open or compare.
const WITHOUT_TAPE: &[Action] = &[
    Action::Left,
    Action::Right,
    Action::Changes,
    Action::OlderSnapshot,
    Action::NewerSnapshot,
    Action::Select,
    Action::AskWhy,
    Action::Play,
    Action::Copy,
    Action::NextVerdict,
    Action::Close,
];

/// The view.
#[derive(Debug, Default)]
pub struct TimeView {
    survey: TimeSurvey,
    /// The index of the moment under the cursor, in chronological order.
    at: usize,
    /// The index of the moment shown in all other views.
    shown: Option<usize>,
    /// The number of the snapshot that `shown` was determined for.
    of: Option<u64>,
    area: Rect,
}

impl TimeView {
    /// Puts the cursor on a moment; returns whether it moved.
    fn move_to(&mut self, at: usize) -> Update {
        let at = at.min(self.survey.len().saturating_sub(1));
        Update::changed_if(std::mem::replace(&mut self.at, at) != at)
    }

    /// Moves to the first moment that is at least `columns` columns away.
    fn go_column(&mut self, area: Rect, columns: usize, is_right: bool) -> Update {
        let scale = self.scale(area);
        let all = self.survey.moments();
        let here = scale.column(all, self.at);
        let far = |at: usize| scale.column(all, at).abs_diff(here) >= columns;
        let to = match is_right {
            true => (self.at..all.len()).find(|at| far(*at)).unwrap_or(all.len().saturating_sub(1)),
            false => (0..self.at).rev().find(|at| far(*at)).unwrap_or(0),
        };
        self.move_to(to)
    }

    fn scale(&self, area: Rect) -> TimeScale {
        TimeScale::new(self.survey.moments(), draw::columns(area))
    }

    /// Puts the cursor on the moment nearest to a column of the screen.
    fn point(&mut self, at: Position, area: Rect) -> Update {
        let Some(column) = draw::column_at(at, area) else { return Update::unchanged() };
        match self.scale(area).nearest(self.survey.moments(), column) {
            Some(nth) => self.move_to(nth),
            None => Update::unchanged(),
        }
    }
}

impl View for TimeView {
    fn inactive_actions(&self, _: ViewContext<'_>) -> &'static [Action] {
        if self.survey.has_tape() { WITH_TAPE } else { WITHOUT_TAPE }
    }

    fn refresh(&mut self, cx: ViewContext<'_>) {
        self.survey.open(cx);
        let number = cx.generation().number;
        if self.of != Some(number) || self.shown.is_none() {
            self.shown = self.survey.place_of(cx.generation());
            (self.of, self.at) = (Some(number), self.shown.unwrap_or(self.at));
        }
    }

    fn requests(&mut self) -> Vec<Effect> {
        self.survey.request(self.at).into_iter().collect()
    }

    fn prepare(&mut self, area: Rect, _: ViewContext<'_>) {
        self.area = area;
    }

    fn act(&mut self, action: Action, area: Rect, _: ViewContext<'_>) -> Update {
        let columns = draw::columns(area);
        match action {
            _ if self.survey.is_empty() => Update::unknown(),
            Action::Left | Action::Up => self.go_column(area, 1, false),
            Action::Right | Action::Down => self.go_column(area, 1, true),
            Action::PageUp => self.go_column(area, columns / 8, false),
            Action::PageDown => self.go_column(area, columns / 8, true),
            Action::Home => self.move_to(0),
            Action::End => self.move_to(usize::MAX),
            Action::Select if self.shown == Some(self.at) => {
                Update::request(Effect::GoTo(super::Object::View(super::ViewName::Cycle)))
            }
            Action::Select => {
                Update::request(Effect::ShowMoment(TapeTarget::Index(self.at), MomentPurpose::StepCycle))
            }
            Action::Changes if self.shown == Some(self.at) => {
                Update::status("this moment is shown; move the cursor to the one to compare it with")
            }
            Action::Changes => {
                Update::request(Effect::ShowMoment(TapeTarget::Index(self.at), MomentPurpose::Compare))
            }
            _ => Update::unknown(),
        }
    }

    fn stop(&mut self) -> bool {
        self.survey.stop()
    }

    fn resume(&mut self) -> bool {
        self.survey.resume()
    }

    fn click(&mut self, at: Position, area: Rect, _: ViewContext<'_>) -> Update {
        self.point(at, area)
    }

    fn drag(&mut self, at: Position, area: Rect, _: ViewContext<'_>) -> Update {
        self.point(at, area)
    }

    fn on_news(&mut self, news: &TaskNews, cx: ViewContext<'_>) -> Update {
        let changed = self.survey.take(news);
        if changed && self.shown.is_none() {
            self.shown = self.survey.place_of(cx.generation());
            self.at = self.shown.unwrap_or(self.at);
        }
        Update::changed_if(changed)
    }

    fn render(&self, area: Rect, buf: &mut Buffer, cx: ViewContext<'_>) {
        draw::draw(&self.survey, (self.at, self.shown), area, buf, cx);
    }
}
