//! The nodes as bitmaps, bucket by bucket or set by set, as the job that is looked at found them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

use super::node;
use crate::layout::Pane;
use crate::shell::{MapMode, Row, Shell, Shown, inside, map_parts};
use crate::views::idle_buckets;
use crate::widgets::bitmap::Bitmap;
use crate::widgets::frame;
use qscope_engine::cluster::short_id;

/// Draws the map.
pub(super) fn draw(app: &Shell, shown: &Shown, area: Rect, buf: &mut Buffer) {
    let focused = app.focus == Pane::Map;
    let by = app.mode.word();
    let title = format!("Nodes by {by}, {}", when(shown));
    let note = match idle_buckets(shown.run()).filter(|_| app.mode == MapMode::Buckets) {
        Some(_) => "buckets idle; 3 says why",
        None if shown.map.shows_owners() => "numbers: parts of the select",
        None => "b: bucket, set, name",
    };
    frame::pane(area, buf, &app.theme, &title, note, focused);
    let (line, map) = map_parts(area);
    if shown.map.lines.is_empty() {
        frame::empty(inside(area), buf, &app.theme, &why_empty(app, shown));
        return;
    }
    if let Some(text) = node::one_line(shown) {
        frame::empty(line, buf, &app.theme, &[&text]);
    }
    let bitmap = Bitmap { map: &shown.map, state: shown.map_state, theme: &app.theme, focused };
    bitmap.render(map, buf);
}

/// The moment that the map shows.
fn when(shown: &Shown) -> String {
    match (shown.subject, shown.subject_name()) {
        (Some(Row::Step(_)), Some(name)) => {
            format!("as {} found them", short_id(&name))
        }
        _ => match shown.subject_state.position() {
            0 => "before the first step".to_owned(),
            n => format!("after step {n}"),
        },
    }
}

fn why_empty(app: &Shell, shown: &Shown) -> [&'static str; 2] {
    let server = &shown.generation.snapshot.server;
    match app.mode {
        MapMode::Sets if !server.node_group_enable => {
            ["There are no placement sets: node_group_enable is off.", "b shows the nodes by bucket."]
        }
        MapMode::Sets => {
            ["There are no placement sets: no node_group_key is set.", "b shows the nodes by bucket."]
        }
        MapMode::Buckets | MapMode::Names => {
            ["There are no nodes in the scheduler's partition.", "r reads the files again."]
        }
    }
}
