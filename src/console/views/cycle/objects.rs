//! Showing and copying objects: goes to the row of a job or to a node on the map.

use super::pulse_target::PulseTarget;
use super::state::CycleView;
use crate::layout::Pane;
use crate::screen::CycleRow;
use crate::views::{Effect, Object, ViewContext};
use qscope_engine::cluster::Id;
use qscope_exits::ClipboardText;

impl CycleView {
    /// Puts the cursor on an object; false if the view cannot show it.
    pub(super) fn show_object(&mut self, object: &Object, cx: ViewContext<'_>) -> bool {
        match object {
            Object::Job(name) => {
                let Some(row) = CycleRow::named(cx.run(), name) else { return false };
                self.focus = Pane::List;
                self.open_decision(row, cx);
                true
            }
            Object::Node(name) => {
                self.make_map(cx);
                self.focus = Pane::Map;
                self.node_chosen = true;
                self.put_cursor_on(name, cx.plan())
            }
            Object::Queue(name) => {
                self.requests.push(Effect::SetFilter(format!("queue=\"{name}\"")));
                true
            }
            Object::Reservation(name) => {
                let Some(descent) = super::descent::Descent::of_reservation(cx.screen, name) else {
                    return false;
                };
                self.descent = Some(descent);
                self.focus = Pane::Detail;
                self.is_decision_open = true;
                self.forget_map();
                true
            }
            _ => false,
        }
    }

    /// Opens the decision on a job at its step, as Enter in the queue does. A job that was not considered has no step,
    /// and is shown at rest.
    fn open_decision(&mut self, row: CycleRow, cx: ViewContext<'_>) {
        if let CycleRow::Step(step) = row {
            self.requests.push(Effect::Seek(step.ix() + 1));
            return;
        }
        self.requests.push(Effect::SelectJob(row));
        if cx.screen.subject == Some(row) {
            self.is_decision_open = true;
        } else {
            self.open_next = true;
        }
    }

    /// Selects a job again after going back or forward.
    pub(super) fn select_again(&mut self, name: &str, cx: ViewContext<'_>) {
        self.requests.extend(CycleRow::named(cx.run(), name).map(Effect::SelectJob));
    }

    /// The text to copy from the focused pane, and what it is.
    pub(super) fn copied(&self, cx: ViewContext<'_>) -> Option<(&'static str, ClipboardText)> {
        let (what, text) = match self.focus {
            Pane::List => ("job's id", ClipboardText::line(cx.screen.subject_name().unwrap_or_default())),
            Pane::Detail if self.is_at_rest(cx) => {
                let known = self.reasons.known();
                let reason = match self.pulse_target() {
                    Some(PulseTarget::Reason(at)) => known.tally.get(at),
                    _ => None,
                };
                let text = reason.map_or_else(String::new, |one| format!("{}: {}", one.name, one.example));
                ("reason", ClipboardText::line(text))
            }
            Pane::Detail => match self.descent.as_ref().and_then(|descent| descent.depth()?.frame()) {
                Some(frame) => (
                    "line under the cursor",
                    ClipboardText::line(format_args!("{}: {}", frame.label, frame.text)),
                ),
                None => ("decision", self.visible_story().text()),
            },
            Pane::Map | Pane::Side => {
                ("node's name", ClipboardText::line(self.node_name(cx.plan()).unwrap_or_default()))
            }
        };
        (!text.is_empty()).then_some((what, text))
    }
}
