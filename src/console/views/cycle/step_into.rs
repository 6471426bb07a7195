//! Stepping into a decision and out again, and the comparison with the other path.

use super::descent::{Descent, DescentLevel, DescentOutcome};
use super::state::CycleView;
use super::two_paths::PathComparison;
use crate::action::Action;
use crate::layout::Pane;
use crate::screen::CycleRow;
use crate::task::{Computation, News, TaskNews};
use crate::views::{Effect, Object, Pending, Update, ViewContext};
use qscope_engine::cycle::SimulationFocus;

impl CycleView {
    /// Steps out by one level; returns whether there was one.
    pub(super) fn leave_depth(&mut self) -> bool {
        let Some(descent) = &mut self.descent else { return false };
        descent.depths.pop();
        descent.waiting = Pending::default();
        if descent.depths.is_empty() {
            self.descent = None;
        }
        self.forget_map();
        true
    }

    /// Steps out to `level` (0 is the outermost); returns whether the cursor was further in.
    pub(super) fn leave_to(&mut self, level: usize) -> bool {
        let Some(descent) = self.descent.as_mut().filter(|descent| descent.depths.len() > level + 1) else {
            return false;
        };
        descent.depths.truncate(level + 1);
        descent.waiting = Pending::default();
        self.focus = Pane::Detail;
        self.forget_map();
        true
    }

    fn innermost(&mut self) -> Option<&mut DescentLevel> {
        self.descent.as_mut()?.depths.last_mut()
    }

    /// Moves the cursor of the innermost level; returns whether it moved, `None` outside a decision.
    pub(super) fn move_in_depth(&mut self, action: Action, height: usize) -> Option<bool> {
        let depth = self.innermost()?;
        let action = match action {
            Action::StepForward => Action::Down,
            Action::StepBack => Action::Up,
            other => other,
        };
        let moved = depth.table.move_cursor(action, depth.level.frames.len(), height);
        if moved {
            depth.test_node();
            self.forget_map();
        }
        Some(moved)
    }

    /// Puts the cursor of the innermost level on a line; returns whether it moved.
    pub(super) fn select_in_depth(&mut self, row: usize, height: usize) -> bool {
        let Some(depth) = self.innermost() else { return false };
        let before = depth.table;
        depth.table.select(row, depth.level.frames.len(), height);
        let moved = depth.table != before;
        if moved {
            depth.test_node();
            self.forget_map();
        }
        moved
    }

    /// Steps into the decision, or one level deeper.
    pub(super) fn step_into(&mut self, cx: ViewContext<'_>) -> Update {
        if let Some(CycleRow::Running(job)) = cx.screen.subject {
            let name = cx.plan().job(job).short_name();
            return Update::status(format!("{name} runs already: no decision in this cycle"));
        }
        self.focus = Pane::Detail;
        self.is_decision_open = true;
        let update = Update::changed().with(Effect::Freeze);
        let Some(descent) = &mut self.descent else {
            self.descent = Descent::begin(cx.screen).or_else(|| Descent::of_cycle_end(cx.screen));
            self.forget_map();
            return match self.descent {
                Some(_) => update,
                None => update.with(Effect::SetStatus("this job was not considered: no decision".to_owned())),
            };
        };
        match descent.enter() {
            DescentOutcome::Level => self.forget_map(),
            DescentOutcome::Nothing => {
                return update.with(Effect::SetStatus("innermost level; o steps out".to_owned()));
            }
            DescentOutcome::Rehearse(focus) => return update.followed_by(self.rehearse(focus, cx)),
        }
        update
    }

    /// Opens the line under the cursor of the innermost level: the page of a node, and else the next level.
    pub(super) fn open_line(&mut self, cx: ViewContext<'_>) -> Update {
        match self.node_inside() {
            Some(bit) => {
                let name = cx.plan().node_name(bit).to_string();
                Update::request(Effect::GoToPage(Object::Node(name)))
            }
            None => self.step_into(cx),
        }
    }

    /// Computes the step again on a worker, with its simulations recorded.
    fn rehearse(&mut self, focus: SimulationFocus, cx: ViewContext<'_>) -> Update {
        let (Some(CycleRow::Step(step)), Some(descent)) = (cx.screen.subject, &mut self.descent) else {
            return Update::unchanged();
        };
        let run = cx.run().clone();
        let what = "running the cycle again up to this step";
        let rehearsal = Computation::new(what, move |_| run.rehearse(step, focus));
        Update::status(what).with(descent.waiting.start_for(focus, rehearsal))
    }

    /// Takes the answer of a step computed again.
    pub(super) fn on_rehearsal(&mut self, news: &TaskNews) -> Update {
        let Some(descent) = &mut self.descent else { return Update::unchanged() };
        if matches!(news.news, News::Progress(..)) {
            return Update::changed_if(descent.waiting.is_about(news));
        }
        let Some((focus, rehearsal)) = descent.waiting.take_with_key(news) else {
            return Update::unchanged();
        };
        descent.rehearsed(focus, &rehearsal);
        self.forget_map();
        Update::status("")
    }

    /// Shows both paths instead of the decision, or the decision again.
    pub(super) fn toggle_paths(&mut self, cx: ViewContext<'_>) -> Update {
        if self.close_paths() {
            return Update::changed();
        }
        let update = Update::changed().with(Effect::Freeze);
        self.is_decision_open = true;
        self.paths = PathComparison::compare(cx.screen);
        if self.paths.is_none() {
            return update
                .with(Effect::SetStatus("this job was not considered: no path to compare".to_owned()));
        }
        self.scroll = 0;
        self.forget_map();
        self.focus = Pane::Detail;
        update
    }

    /// Returns to the decision; returns whether both paths were shown.
    pub(super) fn close_paths(&mut self) -> bool {
        let shown = self.paths.take().is_some();
        if shown {
            self.scroll = 0;
            self.forget_map();
        }
        shown
    }
}
