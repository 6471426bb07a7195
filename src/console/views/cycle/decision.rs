//! The decision on the selected job: a [story](crate::story), scrolled.

use std::cmp::Ordering;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::draw_context::DrawContext;
use crate::layout::{Pane, indented_inner_area};
use crate::screen::CycleRow;
use crate::widgets::frame;
use qscope_engine::cluster::{Id, short_id};
use qscope_engine::cycle::StepIx;
use qscope_explain::turn_words;

/// The keys named in the title, and a shorter form.
const KEYS: &str = "i into · p other path";
const KEYS_SHORT: &str = "i into";

/// Where the selected step is relative to the position; empty for the step just made, which the first line of the
/// screen names.
fn relative_position(step: StepIx, position: usize) -> &'static str {
    match (step.ix() + 1).cmp(&position) {
        _ if position == 0 => "",
        Ordering::Less => ", passed",
        Ordering::Equal => "",
        Ordering::Greater => ", to come",
    }
}

/// Draws the decision.
pub(super) fn draw(context: DrawContext<'_>, area: Rect, buf: &mut Buffer) {
    let DrawContext { view, theme, .. } = context;
    let screen = context.screen();
    if let Some(descent) = view.descent.as_ref().filter(|_| view.paths.is_none()) {
        super::decision_levels::draw(context, descent, area, buf);
        return;
    }
    let focused = context.has_focus(Pane::Detail);
    let title = match (screen.outcome(), screen.subject_name()) {
        (Some(_), Some(name)) => {
            let short = short_id(&name).to_owned();
            match screen.subject {
                _ if view.paths.is_some() => format!("Both paths for {short}"),
                Some(CycleRow::Step(step)) => {
                    let place = relative_position(step, screen.debugger.position());
                    format!("Decision · {short} · {}{place}", turn_words(screen.run(), step))
                }
                _ => format!("Decision · {short}"),
            }
        }
        (None, Some(name)) => format!("Running · {}", short_id(&name)),
        _ => "Decision".to_owned(),
    };
    let lines = view.visible_story().lines();
    let height = usize::from(area.height.saturating_sub(2));
    let last = (view.scroll + height).min(lines.len());
    let note = match lines.len().saturating_sub(last) {
        // The number of the step is worth more than the second key, which the footer names too.
        0 if !frame::fit_side_by_side(area, &title, KEYS) => KEYS_SHORT.to_owned(),
        0 => KEYS.to_owned(),
        more => format!("PgDn: {}", crate::wording::count(more, "more line")),
    };
    let inner = frame::pane(area, buf, theme, &title, &note, focused);
    if lines.is_empty() {
        frame::empty(inner, buf, theme, &["No job selected.", "Choose one in the queue."]);
        return;
    }
    view.visible_story().draw(view.scroll, indented_inner_area(area), buf, theme);
}
