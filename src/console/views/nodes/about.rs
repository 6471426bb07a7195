//! The selection of the map: a node in full, its problems first, or the nodes of a cell.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::draw::names;
use super::map::Map;
use crate::layout::{cells, cut_rows, inside_indented};
use crate::story::{Paragraph, Piece, Story, StoryLink};
use crate::theme::{Role, Theme};
use crate::views::World;
use crate::views::cycle::node::{draw_facts, laid_out};
use crate::views::list::DetailPlace;
use crate::widgets::frame;
use crate::wording;
use qscope_engine::universe::{Bit, NodeUse};

/// Draws the pane, which may have the keys.
pub(super) fn render(map: &Map, place: DetailPlace, buf: &mut Buffer, world: World<'_>, theme: &Theme) {
    match map.cell() {
        [] => {
            frame::pane(place.area, buf, theme, "Node", "", false);
        }
        [one] => node(*one, place, buf, world, theme),
        several => cell(map, several, place.area, buf, world, theme),
    }
}

/// The names in it, with their places.
pub(super) fn links(map: &Map, area: Rect, world: World<'_>) -> Vec<StoryLink> {
    let [one] = map.cell() else { return Vec::new() };
    let (_, _, below) = problems(*one, inside_indented(area), world);
    laid_out(world, *one, below).iter().flat_map(|(story, place)| story.links(*place)).collect()
}

/// The problems of the node with their area, and the area below.
fn problems(bit: Bit, inner: Rect, world: World<'_>) -> (Story, Rect, Rect) {
    let mut lines = Vec::new();
    for problem in world.problems_of_node(world.plan().node_name(bit)) {
        let role = if problem.is_grave { Role::Error } else { Role::Warning };
        lines.push(Paragraph::words(9, [Piece::of(role, format!("problem  {}", problem.sentence))]));
        if let Some(fix) = &problem.fix {
            lines.push(Paragraph::words(9, [Piece::plain(format!("fix      {fix}"))]));
        }
    }
    let mut story = Story::new(lines);
    story.fit(usize::from(inner.width));
    let rows = cells(story.lines().len()).min(inner.height / 2 + 1);
    let (above, below) = cut_rows(inner, rows);
    (story, above, below)
}

fn node(
    bit: Bit,
    DetailPlace { area, has_keys }: DetailPlace,
    buf: &mut Buffer,
    world: World<'_>,
    theme: &Theme,
) {
    let title = format!("Node {}", world.plan().node_name(bit));
    frame::pane(area, buf, theme, &title, "Enter: page · a: why", has_keys);
    let (story, above, below) = problems(bit, inside_indented(area), world);
    story.draw(0, above, buf, theme);
    draw_facts(world, bit, below, buf, theme);
}

fn cell(map: &Map, bits: &[Bit], area: Rect, buf: &mut Buffer, world: World<'_>, theme: &Theme) {
    let title = format!("Cell under the cursor: {}", wording::count(bits.len(), "node"));
    frame::pane(area, buf, theme, &title, "Enter: zoom in, 1 node a cell", false);
    let line = |of: NodeUse, word: &str, role: Role| {
        let those: Vec<Bit> = bits.iter().copied().filter(|bit| map.use_of(*bit) == of).collect();
        (!those.is_empty()).then(|| {
            let head = Piece::of(role, format!("{word:<5}"));
            let text = Piece::plain(format!("{} of {}  {}", those.len(), bits.len(), names(world, &those)));
            Paragraph::words(6, [head, text])
        })
    };
    let lines = [
        line(NodeUse::Out, "out", Role::NodeDown),
        line(NodeUse::Free, "free", Role::NodeFree),
        line(NodeUse::Part, "part", Role::NodeFree),
        line(NodeUse::Full, "full", Role::NodeBusy),
    ];
    Story::new(lines.into_iter().flatten().collect()).render(inside_indented(area), buf, theme);
}
