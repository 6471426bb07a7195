//! The selection of the map: a node in full, its problems first, or the nodes of a cell.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::draw::names_within;
use super::map::NodeGroupMap;
use crate::bucket_names::BucketNames;
use crate::layout::{cells, cut_rows, indented_inner_area};
use crate::story::{Paragraph, Story, StoryLink, TextPiece};
use crate::theme::Role;
use crate::views::ViewContext;
use crate::views::cycle::node::{draw_facts, lines_with_areas};
use crate::views::list::DetailPlace;
use crate::widgets::frame;
use crate::wording;
use qscope_engine::cluster::{deduplicated, short_id};
use qscope_engine::cycle::Outcome;
use qscope_engine::universe::{Bit, NodeSet, NodeUse};
use qscope_explain::standing_starts;

/// Draws the pane, which may have the keys.
pub(super) fn render(map: &NodeGroupMap, place: DetailPlace, buf: &mut Buffer, cx: ViewContext<'_>) {
    match map.cell() {
        [] => {
            frame::pane(place.area, buf, cx.theme, "Node", "", false);
        }
        [one] => node(*one, place, buf, cx),
        several => cell(map, several, place.area, buf, cx),
    }
}

/// The names in it, with their places.
pub(super) fn links(map: &NodeGroupMap, area: Rect, cx: ViewContext<'_>) -> Vec<StoryLink> {
    let [one] = map.cell() else { return Vec::new() };
    let (_, _, below) = problems(*one, indented_inner_area(area), cx);
    lines_with_areas(cx, *one, below).iter().flat_map(|(story, place)| story.links(*place)).collect()
}

/// The problems of the node with their area, and the area below.
fn problems(bit: Bit, inner: Rect, cx: ViewContext<'_>) -> (Story, Rect, Rect) {
    let mut lines = Vec::new();
    for problem in cx.problems_of_node(cx.plan().node_name(bit)) {
        let role = if problem.is_grave { Role::Error } else { Role::Warning };
        lines.push(Paragraph::words(9, [TextPiece::of(role, format!("problem  {}", problem.sentence))]));
        if let Some(fix) = &problem.fix {
            lines.push(Paragraph::words(9, [TextPiece::plain(format!("fix      {}", fix.words))]));
        }
    }
    let mut story = Story::new(lines);
    story.fit(usize::from(inner.width));
    let rows = cells(story.lines().len()).min(inner.height / 2 + 1);
    let (above, below) = cut_rows(inner, rows);
    (story, above, below)
}

fn node(bit: Bit, DetailPlace { area, has_keys }: DetailPlace, buf: &mut Buffer, cx: ViewContext<'_>) {
    let title = format!("Node {}", cx.plan().node_name(bit));
    frame::pane(area, buf, cx.theme, &title, "Enter: page · a: why", has_keys);
    let (story, above, below) = problems(bit, indented_inner_area(area), cx);
    story.draw(0, above, buf, cx.theme);
    draw_facts(cx, bit, below, buf);
}

/// From this height on the names of nodes with one use have two rows, so that what else is in the cell has room.
const HIGH: u16 = 6;

/// Draws the nodes of a cell by use, then the jobs on them, their sets and their buckets.
fn cell(map: &NodeGroupMap, bits: &[Bit], area: Rect, buf: &mut Buffer, cx: ViewContext<'_>) {
    let title = format!("Cell under the cursor: {}", wording::count(bits.len(), "node"));
    frame::pane(area, buf, cx.theme, &title, "Enter: zoom in, 1 node a cell", false);
    let inner = indented_inner_area(area);
    let (columns, rows) = (usize::from(inner.width), if inner.height < HIGH { 1 } else { 2 });
    let line = |of: NodeUse, word: &str, role: Role| {
        let those: Vec<Bit> = bits.iter().copied().filter(|bit| map.use_of(*bit) == of).collect();
        (!those.is_empty()).then(|| {
            let head = TextPiece::of(role, format!("{word:<HEAD$}"));
            let count = format!("{} of {}  ", those.len(), bits.len());
            let room =
                (columns.saturating_sub(HEAD) * rows).saturating_sub(if rows > 1 { ROW_END } else { 0 });
            let names = names_within(cx, &those, room.saturating_sub(count.len()));
            Paragraph::words(HEAD, [head, TextPiece::plain(format!("{count}{names}"))])
        })
    };
    let lines = [
        line(NodeUse::Out, "out", Role::NodeDown),
        line(NodeUse::Free, "free", Role::NodeFree),
        line(NodeUse::Part, "part", Role::NodeFree),
        line(NodeUse::Full, "full", Role::NodeBusy),
    ];
    let folded = |names: Vec<String>| {
        wording::folded_within(names.iter().map(String::as_str), columns.saturating_sub(HEAD))
    };
    let more = [
        ("jobs", folded(jobs_on(bits, cx))),
        ("sets", folded(sets_of(bits, cx))),
        ("bucket", buckets_of(bits, cx).join(cx.theme.dot())),
    ];
    let more = more.into_iter().filter(|(_, names)| !names.is_empty()).map(|(word, names)| {
        let head = TextPiece::of(Role::TextDim, format!("{word:<HEAD$}"));
        Paragraph::words(HEAD, [head, TextPiece::plain(names)])
    });
    Story::new(lines.into_iter().flatten().chain(more).collect()).render(inner, buf, cx.theme);
}

/// Columns before the names in a line about a cell.
const HEAD: usize = 7;

/// Columns that wrapping between names may leave at the end of a row.
const ROW_END: usize = 10;

/// The jobs on some nodes: those of the dump, then those that the cycle started there before the position.
fn jobs_on(bits: &[Bit], cx: ViewContext<'_>) -> Vec<String> {
    let (run, plan) = (cx.run(), cx.plan());
    let cell = NodeSet::of(plan.nodes.len(), bits.iter().copied());
    let listed = bits.iter().flat_map(|bit| &plan.node(*bit).jobs).map(|job| short_id(job).to_owned());
    let is_here = |outcome: &&Outcome| {
        let placed = outcome.placed.iter().flat_map(|placed| &placed.allocation.pieces);
        !run.is_refused(outcome) && placed.into_iter().any(|piece| cell.contains(piece.bit))
    };
    let starts = standing_starts(run, cx.position()).map(|step| &step.outcome);
    let started = starts.filter(is_here).map(|one| short_id(&one.name(&plan.snap)).to_owned());
    deduplicated(listed.chain(started))
}

/// The placement sets that some nodes are in.
fn sets_of(bits: &[Bit], cx: ViewContext<'_>) -> Vec<String> {
    let sets = bits.iter().flat_map(|bit| cx.state().set_names(*bit));
    deduplicated(sets).into_iter().map(ToString::to_string).collect()
}

/// The buckets of some nodes, in the words of the map.
fn buckets_of(bits: &[Bit], cx: ViewContext<'_>) -> Vec<String> {
    let (state, names) = (cx.state(), BucketNames::of(cx.state()));
    let buckets =
        deduplicated(bits.iter().filter_map(|bit| state.bucket_of.checked(*bit).copied().flatten()));
    // Two buckets can have one name.
    deduplicated(buckets.into_iter().map(|ix| names.full_name(&state.buckets[ix].name(cx.plan()))))
}
