//! The keys of the cycle view: which have no effect in the focused pane, and the words for the others.

use super::CycleView;
use super::pulse_target::PulseTarget;
use crate::action::Action;
use crate::layout::Pane;
use crate::screen::CycleRow;
use crate::views::ViewContext;
use qscope_engine::cluster::Id;
use qscope_engine::universe::Bit;

/// Actions without effect while there is no job.
const NO_JOB: &[Action] = &[
    Action::StepOut,
    Action::Select,
    Action::AskWhy,
    Action::Filter,
    Action::Sort,
    Action::NextVerdict,
    Action::NextLine,
    Action::ToggleMap,
];

impl CycleView {
    /// Actions without effect in the focused pane.
    pub(super) fn idle_keys(&self, cx: ViewContext<'_>) -> &'static [Action] {
        let (is_inside, is_at_rest) = (self.descent.is_some(), self.is_at_rest(cx));
        match (self.focus, cx.screen.subject) {
            _ if self.rows.is_empty() && self.filter.is_empty() => NO_JOB,
            (Pane::List, None) if !is_inside => {
                if is_at_rest {
                    &[Action::StepOut, Action::Select, Action::NextLine]
                } else {
                    &[Action::StepOut, Action::Select]
                }
            }
            (Pane::List, Some(CycleRow::Step(step))) if step.ix() + 1 == cx.position() => {
                if is_inside {
                    &[Action::Select]
                } else {
                    &[Action::StepOut, Action::Select]
                }
            }
            // At rest there is no map of buckets to move through.
            _ if is_at_rest => &[Action::StepOut, Action::NextLine],
            _ if !is_inside => &[Action::StepOut],
            (Pane::Detail, _) if self.node_inside().is_some() => &[Action::StepInto],
            _ => &[],
        }
    }

    /// The node under the cursor inside a decision, at the innermost level.
    pub(in crate::views::cycle) fn node_inside(&self) -> Option<Bit> {
        self.descent.as_ref()?.depth()?.node()
    }

    /// The words for actions in the focused pane.
    pub(super) fn key_words(&self, cx: ViewContext<'_>) -> &'static [(Action, &'static str)] {
        match (self.focus, cx.screen.subject, self.is_at_rest(cx)) {
            (Pane::Map, _, true) => &[(Action::Select, "calendar")],
            (Pane::Detail, _, true) => match self.pulse_target() {
                Some(PulseTarget::Reason(_)) => &[(Action::Select, "its jobs")],
                _ => &[(Action::Select, "open")],
            },
            (Pane::Map, _, false) => &[(Action::Select, "next taker")],
            // Inside a decision stepping moves from line to line.
            (Pane::Detail, _, false) if self.node_inside().is_some() => {
                &[(Action::StepForward, "next, previous"), (Action::Select, "node page")]
            }
            (Pane::Detail, _, false) if self.descent.is_some() => &[(Action::StepForward, "next, previous")],
            (Pane::List, Some(CycleRow::Running(_) | CycleRow::NotConsidered(_)), false) => {
                &[(Action::Select, "job page")]
            }
            (Pane::List, Some(CycleRow::Running(_) | CycleRow::NotConsidered(_)), true) => {
                &[(Action::Select, "job page"), (Action::ToggleMap, "free nodes")]
            }
            (_, _, true) => &[(Action::Select, "its step"), (Action::ToggleMap, "free nodes")],
            _ => &[(Action::Select, "its step")],
        }
    }
}
