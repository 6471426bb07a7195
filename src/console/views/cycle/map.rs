//! The nodes as bitmaps, bucket by bucket or set by set, as the job that is looked at found them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

use super::node;
use crate::console::layout::Pane;
use crate::console::shell::{MapMode, Row, Shell, Shown, inside, map_parts};
use crate::console::widgets::bitmap::Bitmap;
use crate::console::widgets::frame;
use crate::placement::{Path, PathRule};

/// Draws the map.
pub(super) fn draw(app: &Shell, shown: &Shown, area: Rect, buf: &mut Buffer) {
    let focused = app.focus == Pane::Map;
    let by = match app.mode {
        MapMode::Buckets => "bucket",
        MapMode::Sets => "set",
    };
    let title = format!("Nodes by {by}, {}", when(shown));
    let note = idle(shown).filter(|_| app.mode == MapMode::Buckets).unwrap_or("b: by bucket or set");
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
            format!("as {} found them", name.split_once('.').map_or(&*name, |(id, _)| id))
        }
        _ => match shown.lens.position() {
            0 => "before the first step".to_owned(),
            n => format!("after step {n}"),
        },
    }
}

/// Why buckets do nothing in this cycle, if they do nothing.
fn idle(shown: &Shown) -> Option<&'static str> {
    let mut choices = shown.run().steps.iter().filter_map(|step| step.outcome.would_use).peekable();
    let first = *choices.peek()?;
    if choices.any(|choice| choice.path == Path::Bucket) {
        return None;
    }
    Some(match first.rule {
        PathRule::PerJobSort => "buckets idle: node_sort_key sorts per job",
        PathRule::AvoidProvision => "buckets idle: provision_policy",
        PathRule::MultiVnode => "buckets idle: a host has several vnodes",
        _ => "buckets idle: no job asks for excl alone",
    })
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
        MapMode::Buckets => ["There are no nodes in the scheduler's partition.", "r reads the files again."],
    }
}
