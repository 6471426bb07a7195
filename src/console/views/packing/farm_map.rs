//! The farm node by node, relaxed and exclusive side by side at the same second.
//!
//! With room, or zoomed in, a node is drawn slot by slot: a letter for each slot in use, brackets if a class holds the
//! node. Else it is one sign: the letter of its class, a capital if the class holds the node, `&` if it shares the node
//! with others.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Modifier, Style};

use super::study::PackingView;
use crate::action::Action;
use crate::layout::{cells, cut_rows, inner_area};
use crate::theme::{Role, Theme};
use crate::widgets::frame;
use crate::widgets::text::clean;
use qscope_engine::cluster::{Column, Id};
use qscope_planning::farm::grid::NodeView;
use qscope_planning::farm::{ClassNo, FarmCase, NodeNo, SufficientNodes};

/// Roles of the classes that pack, in turn.
const ROLES: [Role; 4] = [Role::NodeTaken, Role::NodeFree, Role::NodeLater, Role::NodeRejected];

/// The layout of the nodes in a pane.
struct FarmMapLayout {
    /// Nodes, or cells of several nodes, per row.
    per_row: usize,
    /// Columns of each.
    columns: usize,
    nodes_per_cell: usize,
    /// Whether every slot is shown.
    slots: bool,
    /// The first visible row.
    top: usize,
}

impl FarmMapLayout {
    /// Slot by slot if that fits or when zoomed in, scrolled to the selected node; else one sign per cell.
    fn of(case: &FarmCase, inner: Rect, node: usize, zoomed: bool) -> Self {
        let (width, height) = (usize::from(inner.width).max(1), usize::from(inner.height).max(1));
        let nodes = case.workload.nodes.len();
        let columns = case.workload.nodes.iter().map(|node| node.slots).max().unwrap_or(0) as usize + 3;
        let per_row = width / columns;
        let rows = nodes.div_ceil(per_row.max(1));
        if per_row > 0 && (zoomed || rows <= height) {
            let top = (node / per_row).saturating_sub(height / 2).min(rows.saturating_sub(height));
            return Self { per_row, columns, nodes_per_cell: 1, slots: true, top };
        }
        let nodes_per_cell = nodes.div_ceil(width * height).max(1);
        Self { per_row: width, columns: 1, nodes_per_cell, slots: false, top: 0 }
    }

    /// Where a node is drawn, if it is visible.
    fn place(&self, node: usize, inner: Rect) -> Option<Rect> {
        let cell = node / self.nodes_per_cell;
        let row = (cell / self.per_row).checked_sub(self.top)?;
        let x = inner.x + cells(cell % self.per_row * self.columns);
        let wide = if self.slots { self.columns - 1 } else { 1 };
        (row < usize::from(inner.height)).then(|| Rect::new(x, inner.y + cells(row), cells(wide), 1))
    }
}

/// Rows for the selected node and the legend.
const ABOVE: u16 = 2;

/// The two panes of the farm: relaxed and the policy beside it. What explains them stands above: a message is drawn over the
/// last row of a screen.
fn panes(area: Rect) -> [Rect; 2] {
    let (_, body) = cut_rows(area, ABOVE);
    let half = body.width / 2;
    [Rect { width: half, ..body }, Rect { x: body.x + half, width: body.width - half, ..body }]
}

/// The node that a key moves to.
pub(super) fn moved(case: &FarmCase, node: usize, zoomed: bool, action: Action, area: Rect) -> usize {
    let [left, _] = panes(area);
    let shape = FarmMapLayout::of(case, inner_area(left), node, zoomed);
    let row = shape.per_row * shape.nodes_per_cell;
    let to = match action {
        Action::Left => node.saturating_sub(shape.nodes_per_cell),
        Action::Right => node + shape.nodes_per_cell,
        Action::Up => node.checked_sub(row).unwrap_or(node),
        _ => node + row,
    };
    if to < case.workload.nodes.len() { to } else { node }
}

/// The node under a click into either pane.
pub(super) fn node_at(case: &FarmCase, node: usize, zoomed: bool, at: Position, area: Rect) -> Option<usize> {
    let inner = panes(area).map(inner_area).into_iter().find(|inner| inner.contains(at))?;
    let shape = FarmMapLayout::of(case, inner, node, zoomed);
    let row = usize::from(at.y - inner.y) + shape.top;
    let column = usize::from(at.x - inner.x) / shape.columns;
    let found = (row * shape.per_row + column.min(shape.per_row - 1)) * shape.nodes_per_cell;
    (found < case.workload.nodes.len()).then_some(found)
}

/// Draws both farms, the selected node, and the legend.
pub(super) fn draw(view: &PackingView, area: Rect, buf: &mut Buffer, theme: &Theme) {
    let (Some(case), Some(grids)) = (&view.case, &view.grids) else { return };
    let letters = ClassLetters::of(case);
    let focused = view.panel == super::study::Panel::Farm;
    let [left, right] = panes(area);
    for (rect, name, grid) in [(left, "R relaxed", &grids.left), (right, "E exclusive", &grids.right)] {
        let note = figures(view, case, grid);
        let inner = frame::pane(rect, buf, theme, name, &note, focused);
        let shape = FarmMapLayout::of(case, inner, view.node, view.zoomed);
        farm(case, grid, &letters, &shape, inner, buf, theme);
        if let Some(cell) = shape.place(view.node, inner) {
            let style = Style::new();
            buf.set_style(cell, if focused { style.reversed() } else { style.underlined() });
        }
    }
    let (above, _) = cut_rows(area, ABOVE);
    frame::empty(above, buf, theme, &[&node_line(view, case), &letters.legend(case)]);
}

/// Describes the selected node under both policies.
fn node_line(study: &PackingView, case: &FarmCase) -> String {
    let node = NodeNo::at(study.node);
    let (Some(grids), Some(about)) = (&study.grids, case.workload.nodes.checked(node)) else {
        return String::new();
    };
    let class = |class: &ClassNo| {
        case.workload.classes.checked(*class).map(|name| clean(name).into_owned()).unwrap_or_default()
    };
    let words = |grid: &Column<NodeNo, NodeView>| {
        let Some(view) = grid.checked(node) else { return String::new() };
        let mut parts: Vec<String> =
            view.slots.iter().map(|(of, slots)| format!("{} {slots}", class(of))).collect();
        parts.push(format!("free {}", about.slots.saturating_sub(view.used())));
        let holders: Vec<String> = view.holders.iter().map(class).collect();
        if !holders.is_empty() {
            parts.push(format!("held by {}", holders.join(" and ")));
        }
        parts.join(", ")
    };
    format!(" {}  R {}  E {}", clean(&about.name), words(&grids.left), words(&grids.right))
}

/// Fill factor, packing index of the class, and free slots on held nodes.
fn figures(study: &PackingView, case: &FarmCase, grid: &Column<NodeNo, NodeView>) -> String {
    let used: u64 = grid.iter().map(|view| u64::from(view.used())).sum();
    let fill = used as f64 / case.workload.total_slots().max(1) as f64;
    let free = |(node, view): (NodeNo, &NodeView)| {
        let slots = case.workload.nodes.checked(node).map_or(0, |node| node.slots);
        if view.holders.is_empty() { 0 } else { u64::from(slots.saturating_sub(view.used())) }
    };
    let held: u64 = grid.enumerate().map(free).sum();
    let index = study.shown_class().and_then(|class| {
        let slots_of = |view: &NodeView| {
            view.slots.iter().find(|(have, _)| *have == class).map(|(_, slots)| u64::from(*slots))
        };
        let (slots, nodes) =
            grid.iter().filter_map(slots_of).fold((0, 0u32), |(sum, nodes), slots| (sum + slots, nodes + 1));
        let least = SufficientNodes::of(&case.workload.nodes).nodes(slots);
        (nodes > 0).then(|| f64::from(least) / f64::from(nodes))
    });
    let index = index.map_or("-".to_owned(), |index| format!("{index:.2}"));
    format!("fill {fill:.2}  index {index}  held free {held}")
}

/// Letters of the classes: each packing class has its own, all others share `o`.
struct ClassLetters {
    packing: Vec<(ClassNo, char)>,
}

impl ClassLetters {
    fn of(case: &FarmCase) -> Self {
        let mut packing: Vec<(ClassNo, char)> = Vec::new();
        for class in &case.packing {
            let name =
                case.workload.classes.checked(*class).map(|name| name.to_lowercase()).unwrap_or_default();
            let free = |letter: &char| *letter != 'o' && packing.iter().all(|(_, have)| have != letter);
            let letter =
                name.chars().chain('a'..='z').filter(char::is_ascii_lowercase).find(free).unwrap_or('x');
            packing.push((*class, letter));
        }
        Self { packing }
    }

    fn letter(&self, class: ClassNo) -> char {
        self.packing.iter().find(|(have, _)| *have == class).map_or('o', |(_, letter)| *letter)
    }

    fn role(&self, class: ClassNo) -> Role {
        let at = self.packing.iter().position(|(have, _)| *have == class);
        at.and_then(|at| ROLES.get(at % ROLES.len()).copied()).unwrap_or(Role::NodeBusy)
    }

    fn legend(&self, case: &FarmCase) -> String {
        let name = |(class, letter): &(ClassNo, char)| {
            let name = case.workload.classes.checked(*class).map(ToString::to_string).unwrap_or_default();
            format!("{letter} {name}")
        };
        let names: Vec<String> = self.packing.iter().map(name).collect();
        format!(" {}  o others  . free  _ held free  [] capital: held  & mixed", names.join("  "))
    }
}

fn farm(
    case: &FarmCase,
    grid: &Column<NodeNo, NodeView>,
    letters: &ClassLetters,
    shape: &FarmMapLayout,
    inner: Rect,
    buf: &mut Buffer,
    theme: &Theme,
) {
    // If there are more nodes than cells, a cell shows its fullest node.
    for (cell, nodes) in grid.as_slice().chunks(shape.nodes_per_cell).enumerate() {
        let first = cell * shape.nodes_per_cell;
        let fullest =
            nodes.iter().max_by_key(|view| (!view.holders.is_empty(), letters.packs(view), view.used()));
        let (Some(view), Some(at)) = (fullest, shape.place(first, inner)) else { continue };
        if shape.slots {
            slots(case, NodeNo::at(first), view, letters, (at.x, at.y), buf, theme);
        } else {
            let free =
                case.workload.nodes.checked(NodeNo::at(first)).is_some_and(|node| view.used() < node.slots);
            let (sign, style) = sign(view, free, letters, theme);
            buf.set_stringn(at.x, at.y, sign.encode_utf8(&mut [0; 4]), 1, style);
        }
    }
}

impl ClassLetters {
    fn packs(&self, view: &NodeView) -> bool {
        view.slots.iter().any(|(class, _)| self.letter(*class) != 'o')
    }

    /// The packing class with most slots on a node, or else the class with most.
    fn main(&self, view: &NodeView) -> Option<ClassNo> {
        let key = |(class, slots): &&(ClassNo, u32)| (self.letter(*class) != 'o', *slots);
        view.slots.iter().max_by_key(key).map(|(class, _)| *class)
    }
}

/// One sign for a node; a held node with free slots is underlined.
fn sign(view: &NodeView, free: bool, letters: &ClassLetters, theme: &Theme) -> (char, Style) {
    let Some(class) = letters.main(view) else { return ('.', theme.style(Role::TextDim)) };
    let letter = letters.letter(class);
    let style = theme.style(letters.role(class));
    match (view.holders.is_empty(), letter, view.slots.len()) {
        (false, letter, _) if free => {
            (letter.to_ascii_uppercase(), style.add_modifier(Modifier::BOLD | Modifier::UNDERLINED))
        }
        (false, letter, _) => (letter.to_ascii_uppercase(), style.add_modifier(Modifier::BOLD)),
        (true, 'o', _) => ('o', style),
        (true, letter, 1) => (letter, style),
        (true, ..) => ('&', style),
    }
}

/// Draws all slots of a node: a letter each, `.` free, `_` free on a held node, brackets around a held one.
fn slots(
    case: &FarmCase,
    node: NodeNo,
    view: &NodeView,
    letters: &ClassLetters,
    (x, y): (u16, u16),
    buf: &mut Buffer,
    theme: &Theme,
) {
    let held = !view.holders.is_empty();
    let size = case.workload.nodes.checked(node).map_or(0, |node| node.slots);
    let dim = theme.style(Role::TextDim);
    let mut signs: Vec<(char, Style)> = vec![(if held { '[' } else { ' ' }, dim)];
    for (class, slots) in &view.slots {
        let style = theme.style(letters.role(*class));
        signs.extend((0..*slots).map(|_| (letters.letter(*class), style)));
    }
    let free = size.saturating_sub(view.used());
    let (sign, style) = if held { ('_', theme.style(Role::Warning)) } else { ('.', dim) };
    signs.extend((0..free).map(|_| (sign, style)));
    signs.push((if held { ']' } else { ' ' }, dim));
    for (at, (sign, style)) in signs.into_iter().enumerate() {
        buf.set_stringn(x.saturating_add(cells(at)), y, sign.encode_utf8(&mut [0; 4]), 1, style);
    }
}
