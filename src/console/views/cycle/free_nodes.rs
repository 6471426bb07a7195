//! The free nodes over time, for screens without room for a row per node.
//!
//! ```text
//!            ▄▄▄▄████
//! free nodes ████████ 5 after this cycle, 16 at 02:28
//! ```

use ratatui::text::{Line, Span};

use super::draw_context::DrawContext;
use crate::theme::Role;
use crate::widgets::area::area;
use crate::widgets::text::width;
use crate::wording;
use qscope_explain::Schedule;

/// The label before the lowest row.
const NAME: &str = "free nodes ";

/// The free nodes over time, with their number now and the next larger one.
pub(super) fn free(
    schedule: &Schedule,
    context: DrawContext<'_>,
    (columns, rows): (usize, usize),
) -> impl Iterator<Item = Line<'static>> {
    let theme = context.theme;
    let span = context.view.timeline.span(None).0.max(1);
    let now = schedule.free_at(schedule.now);
    let snap = &context.screen().generation.snapshot;
    let more = schedule.free.iter().find(|(_, free)| *free > now);
    let later = more
        .map_or_else(String::new, |(at, free)| format!(", {free} at {}", wording::time_of_day(snap, *at)));
    // The first line of the screen counts the nodes before the cycle.
    let words = match schedule.is_dedicated_at(schedule.now) {
        true => format!(" 0 in dedicated time{later}"),
        false => format!(" {now} after this cycle{later}"),
    };
    let room = columns.saturating_sub(NAME.len() + width(&words) + 1);
    let at = |x: usize| {
        let since =
            i64::try_from(x).unwrap_or(0).saturating_mul(span) / i64::try_from(room.max(1)).unwrap_or(1);
        schedule.free_at(qscope_engine::cluster::Epoch(schedule.now.0.saturating_add(since)))
    };
    let values: Vec<u64> = (0..room).map(at).collect();
    let most = schedule.free.iter().map(|(_, free)| *free).max().unwrap_or(0);
    let line = move |(at, spark): (usize, String)| {
        let [name, words] = if at + 1 == rows {
            [NAME.to_owned(), words.clone()]
        } else {
            [" ".repeat(NAME.len()), String::new()]
        };
        Line::from(vec![
            Span::styled(name, theme.style(Role::TextDim)),
            Span::styled(spark, theme.style(Role::NodeFree)),
            Span::styled(words, theme.style(Role::TextDim)),
        ])
    };
    area(&values, most, rows, theme).into_iter().enumerate().map(line)
}
