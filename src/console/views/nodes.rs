//! The machine at the position: every node, bucket by bucket, set by set or by name, and the one under the cursor in
//! full.
//!
//! ```text
//! ┏ Nodes by bucket after step 4 ━━━━━━━━━━━━━━━━━━━━━━━━━━━ b: bucket, set, name ┓
//! ┃ ncpus=8:mem=16gb ░░░░▒▒▒▓▓▓▓▓▓▓▓ 7/15                                         ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ┌ Node n7 ──────────────────────────────────────────────────────────────────────┐
//! │ state    free                                                                 │
//! └───────────────────────────────────────────────────────────────────────────────┘
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::widgets::Widget;

use super::cycle::node::draw_facts;
use super::list::{NO_MATCH, when};
use crate::action::Action;
use crate::filter::Filter;
use crate::layout::cut_rows;
use crate::layout::inside;
use crate::node_map::{MapMode, NodeMap};
use crate::theme::Theme;
use crate::views::effect::{Effect, Update};
use crate::views::object::Object;
use crate::views::view::View;
use crate::views::world::World;
use crate::widgets::bitmap::{Bitmap, Geometry, MapState};
use crate::widgets::frame;
use qscope_engine::cluster::Id;
use qscope_engine::universe::Bit;
use qscope_session::query::Fields;
use qscope_session::records::{NodeRecord, node_fields};

/// The view's state.
#[derive(Debug, Default)]
pub(crate) struct Nodes {
    mode: MapMode,
    map: NodeMap,
    state: MapState,
    filter: Filter,
    kept: usize,
}

/// The map's pane and the node's.
fn parts(area: Rect) -> (Rect, Rect) {
    if area.width >= 140 {
        let left = Rect { width: area.width - 60, ..area };
        return (left, Rect { x: left.right(), width: 60, ..area });
    }
    cut_rows(area, area.height.saturating_sub((area.height / 2).min(13)))
}

impl Nodes {
    fn bit(&self) -> Option<Bit> {
        self.map.node(self.state.line, self.state.node)
    }

    fn make_map(&mut self, world: World<'_>) {
        let under = self.bit();
        self.map = NodeMap::of(world.state(), self.mode);
        if !self.filter.is_empty() {
            let state = world.state();
            self.map.keep(|bit| self.filter.keeps(&NodeRecord::of(state, bit)));
        }
        self.kept = self.map.lines.iter().map(|line| line.nodes.len()).sum();
        (self.state.line, self.state.node) =
            under.and_then(|bit| self.map.find(bit, self.state.line)).unwrap_or((0, 0));
    }

    fn geometry(&self, area: Rect) -> Geometry {
        Geometry::new(&self.map, inside(parts(area).0))
    }

    fn name(&self, world: World<'_>) -> Option<String> {
        self.bit().map(|bit| world.plan().node_name(bit).to_string())
    }
}

impl View for Nodes {
    fn refresh(&mut self, world: World<'_>) {
        self.make_map(world);
    }

    fn act(&mut self, action: Action, area: Rect, world: World<'_>) -> Update {
        match action {
            Action::ToggleMap => {
                self.mode = self.mode.next();
                self.make_map(world);
                Update::changed()
            }
            Action::Select => {
                match self.bit().map(|bit| (world.plan().node_name(bit), world.next_taker(bit))) {
                    Some((name, Some(step))) => Update::request(Effect::Seek(step.ix() + 1))
                        .with(Effect::SetStatus(format!("the step that takes {name}"))),
                    Some((name, None)) => Update::status(format!("no job of this cycle takes {name}")),
                    None => Update::status("no node under the cursor"),
                }
            }
            _ if action.moves() || matches!(action, Action::NextLine | Action::PreviousLine) => {
                let geometry = self.geometry(area);
                Update::changed_if(self.state.go(action, &geometry))
            }
            _ => Update::unknown(),
        }
    }

    fn fields(&self, world: World<'_>) -> Fields {
        node_fields(&world.snapshot().catalogue)
    }

    fn filter(&mut self, filter: &Filter, world: World<'_>) {
        self.filter = filter.clone();
        self.make_map(world);
    }

    fn show(&mut self, object: &Object, world: World<'_>) -> bool {
        let Object::Node(name) = object else { return false };
        let Some(bit) = world.plan().bit_named.get(&**name).copied() else { return false };
        let found = self.map.find(bit, self.state.line);
        if let Some(at) = found {
            (self.state.line, self.state.node) = at;
        }
        found.is_some()
    }

    fn here(&self, world: World<'_>) -> Option<Object> {
        self.name(world).map(Object::Node)
    }

    fn click(&mut self, at: Position, area: Rect, _: World<'_>) -> Update {
        Update::changed_if(self.state.click(at, &self.geometry(area)))
    }

    fn render(&self, area: Rect, buf: &mut Buffer, world: World<'_>, theme: &Theme) {
        let (map, detail) = parts(area);
        let by = self.mode.word();
        let title = format!("Nodes by {by} {}", when(world.position()));
        let note = match self.filter.is_empty() {
            true => "b: bucket, set, name".to_owned(),
            false => format!("{} of {} nodes", self.kept, world.plan().nodes.len()),
        };
        let inner = frame::pane(map, buf, theme, &title, &note, true);
        if self.map.lines.is_empty() {
            let why = match (self.mode, self.filter.is_empty()) {
                (_, false) => NO_MATCH,
                (MapMode::Sets, _) => "There are no placement sets; b shows the nodes by name.",
                _ => "There are no nodes in the scheduler's partition.",
            };
            frame::empty(inner, buf, theme, &[why]);
        } else {
            let bitmap = Bitmap { map: &self.map, state: self.state, theme, focused: true };
            bitmap.render(inner, buf);
        }
        let title = self.name(world).map_or_else(|| "Node".to_owned(), |name| format!("Node {name}"));
        let inner = frame::pane(detail, buf, theme, &title, "", false);
        if let Some(bit) = self.bit() {
            draw_facts(world, bit, inner, buf, theme);
        }
    }
}
