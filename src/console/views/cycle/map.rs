//! The nodes by bucket, placement set or another grouping, before the step of the selected job.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

use super::cursor::map_parts;
use super::draw_context::DrawContext;
use super::node;
use crate::layout::Pane;
use crate::layout::inner_area;
use crate::screen::{CycleRow, Screen};
use crate::views::idle_buckets;
use crate::views::nodes::groups::NodeGrouping;
use crate::widgets::bitmap::Bitmap;
use crate::widgets::frame;
use qscope_engine::cluster::{Id, short_id};
use qscope_explain::BucketBits;

pub(super) fn draw(context: DrawContext<'_>, area: Rect, buf: &mut Buffer) {
    let DrawContext { view, theme, .. } = context;
    let screen = context.screen();
    let focused = context.has_focus(Pane::Map);
    let by = view.grouping.word(&context.cx.snapshot().catalogue);
    let has_moves = view.grouping == NodeGrouping::Bucket && context.cx.position() > 0;
    let bits: &[BucketBits] = if has_moves { &view.bits } else { &[] };
    let moved = match bits.iter().map(BucketBits::moved).sum() {
        0 => String::new(),
        moved => format!(" · moved {}", crate::wording::count(moved, "bit")),
    };
    let title = format!("Nodes by {by} · {}{moved}", moment_title(screen));
    let note = match idle_buckets(screen.run()).filter(|_| view.grouping == NodeGrouping::Bucket) {
        Some(_) => "buckets unused; :buckets shows why",
        None if view.map.shows_owners() => "numbers: chunks",
        None => "b: next grouping",
    };
    // Drop the hint before cutting the title.
    let fits = frame::fit_side_by_side(area, &title, note);
    frame::pane(area, buf, theme, &title, if fits { note } else { "" }, focused);
    let (line, map) = map_parts(area);
    if view.map.lines.is_empty() {
        frame::empty(inner_area(area), buf, theme, &why_empty(view.grouping, screen));
        return;
    }
    if let Some(text) = node::one_line(context) {
        frame::empty(line, buf, theme, &[&text]);
    }
    if view.shows_bits(map, context.cx) {
        super::bits::draw(context, map, focused, buf);
        return;
    }
    let bitmap = Bitmap { map: &view.map, state: view.map_state, theme, focused };
    bitmap.render(map, buf);
    if let Some(place) = view.place_inside(map, context.cx) {
        view.after_step.draw(place, buf, context.cx);
    }
}

/// The moment that the map shows.
fn moment_title(screen: &Screen) -> String {
    match (screen.subject, screen.subject_name()) {
        (Some(CycleRow::Step(step)), Some(name)) => {
            format!("before step {} ({})", step.ix() + 1, short_id(&name))
        }
        _ => match screen.subject_state.position() {
            0 => "before the first step".to_owned(),
            n => format!("after step {n}"),
        },
    }
}

fn why_empty(grouping: NodeGrouping, screen: &Screen) -> [&'static str; 2] {
    let server = &screen.generation.snapshot.server;
    match grouping {
        NodeGrouping::Set => [crate::wording::no_sets(server), "b groups the nodes by host."],
        _ => ["There are no nodes in the scheduler's partition.", "r reads the files again."],
    }
}
