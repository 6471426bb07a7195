//! The buckets as text: a line for each, then the node array and the bitmaps.

use qscope_engine::cluster::JobId;
use qscope_engine::cycle::StepIx;
use qscope_exits::Lines;
use qscope_explain::words::{compact, count};
use qscope_explain::{MappedBucket, bitmap_word, busy_later_words, turn_words};
use qscope_session::Generation;
use qscope_session::records::{BucketRecord, bucket_fields};

use super::{BucketsView, later_nodes};
use crate::command::table::table;

/// Maximum length of a node array that is drawn bit by bit.
const DRAWN: usize = 96;

/// Maximum number of busy-later nodes, and of moved bits, that are named one by one.
const NAMED: usize = 16;

pub(super) fn page(generation: &Generation, views: &[BucketsView], turn: Option<(JobId, StepIx)>) -> Lines {
    let mut text = Lines::new();
    let (Some(first), Some(last)) = (views.first(), views.last()) else { return text };
    let job = turn.map(|(job, _)| job);
    if let Some((job, step)) = turn {
        let (turn, name) = (turn_words(&generation.run, step), &generation.snapshot.jobs[job].name);
        text.line(format_args!("{turn} of job {name}: before -> after"));
        text.blank();
    }
    if last.map.set.is_none() {
        text.append(&summary(last));
    }
    text.append(&array(last));
    for (at, after) in last.map.buckets.iter().enumerate() {
        text.blank();
        let queue = after.queue.as_ref().map_or(String::new(), |queue| format!(", queue {queue}"));
        let part = match after.part {
            0 => String::new(),
            part => format!("; {part} of the busy ones partly free"),
        };
        let nodes = count(after.all.len(), "node");
        text.line(format_args!("bucket {}: {}{queue}, {nodes}{part}", at + 1, after.name));
        let before = first.map.buckets.get(at).filter(|_| views.len() > 1);
        text.append(&bitmaps(last, before, after));
        let found = later_nodes(views, at, job);
        for (bit, later, job) in found.iter().take(NAMED) {
            let name = first.state.plan.node_name(*bit);
            text.line(format_args!("  {name}: {}", busy_later_words(&first.state, later, *job)));
        }
        let more = found.len().saturating_sub(NAMED);
        if more > 0 {
            text.line(format_args!("  and {more} more busy-later nodes"));
        }
    }
    text
}

/// Returns a line for each bucket of the complex.
fn summary(view: &BucketsView) -> Lines {
    let plan = &view.state.plan;
    let rows = view.state.buckets.iter().map(|bucket| BucketRecord::of(plan, bucket));
    let fields = bucket_fields(&plan.snap.catalogue);
    let mut text = table(&fields, &["nodes", "free", "later", "busy", "bucket"], rows);
    text.blank();
    text
}

/// Returns the node array with its indices.
fn array(view: &BucketsView) -> Lines {
    let map = &view.map;
    let owner = map.set.as_ref().map_or("the complex".to_owned(), |set| format!("set {set}"));
    let mut text = Lines::new();
    text.line(format_args!(
        "node array of {owner}, {}; bits stand in this order",
        qscope_explain::words::count(map.array.len(), "node")
    ));
    let width = map.array.len().saturating_sub(1).to_string().len();
    let names: Vec<String> =
        map.array.iter().map(|bit| view.state.plan.node_name(*bit).to_string()).collect();
    if names.len() > DRAWN {
        text.line(format_args!("  {}", compact(names.iter().map(String::as_str))));
        return text;
    }
    let column = names.iter().map(String::len).max().unwrap_or(0) + width + 3;
    let each = (76 / column.max(1)).max(1);
    for (row, line) in names.chunks(each).enumerate() {
        let cells = line.iter().enumerate().map(|(at, name)| {
            let cell = format!("{:>width$} {name}", row * each + at);
            format!("{cell:<column$}")
        });
        text.line(format_args!("  {}", cells.collect::<String>().trim_end()));
    }
    text
}

/// Returns the four bitmaps, and below them the bits that moved.
fn bitmaps(view: &BucketsView, before: Option<&MappedBucket>, after: &MappedBucket) -> Lines {
    let mut text = Lines::new();
    let mut row = |word: &str, old: Option<&Vec<usize>>, new: &Vec<usize>| {
        if let Some(old) = old {
            text.line(format_args!("  {word:<10}  {} ->", bitmap_text(view, old)));
            text.line(format_args!("  {:<10}  {}", "", bitmap_text(view, new)));
        } else {
            text.line(format_args!("  {word:<10}  {}", bitmap_text(view, new)));
        }
    };
    row("all", None, &after.all);
    row("free", before.map(|bucket| &bucket.free), &after.free);
    row("busy-later", before.map(|bucket| &bucket.busy_later), &after.busy_later);
    row("busy", before.map(|bucket| &bucket.busy), &after.busy);
    let Some(before) = before else { return text };
    let moved = before.moved(after);
    if view.map.array.len() <= DRAWN && !moved.is_empty() {
        let mark = |at: usize| if moved.iter().any(|(bit, ..)| *bit == at) { '^' } else { ' ' };
        let marks: String = (0..view.map.array.len()).map(mark).collect();
        text.line(format_args!("  {:<10}  {}", "moved", marks.trim_end()));
    }
    for (at, from, to) in moved.iter().take(NAMED) {
        for name in view.map.names(&view.state, &[*at]) {
            text.line(format_args!("  {name}: {} -> {}", bitmap_word(*from), bitmap_word(*to)));
        }
    }
    match moved.len() {
        0 => text.line("  no bit moves"),
        more if more > NAMED => text.line(format_args!("  and {} more bits moved", more - NAMED)),
        _ => {}
    }
    text
}

/// Returns a bitmap: its bits if the array is short, their count, and the nodes.
fn bitmap_text(view: &BucketsView, bits: &[usize]) -> String {
    let map = &view.map;
    let names: Vec<&str> = map.names(&view.state, bits).map(|name| &**name).collect();
    let names = if names.is_empty() { "-".to_owned() } else { compact(names.into_iter()) };
    if map.array.len() > DRAWN {
        return format!("{:>5}  {names}", bits.len());
    }
    let mut drawn = vec!['.'; map.array.len()];
    for at in bits {
        if let Some(slot) = drawn.get_mut(*at) {
            *slot = '1';
        }
    }
    format!("{}  {names}", drawn.into_iter().collect::<String>())
}
