//! The farm node by node, relaxed and exclusive side by side at the same second.
//!
//! With room, a node is its slots: a letter for each in use, brackets where a class holds the node. Without, it is
//! one sign: the class's letter, a capital where it holds the node, `&` where it shares it with others.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::study::Study;
use crate::cluster::{Column, Id};
use crate::console::theme::{Role, Theme};
use crate::console::widgets::frame;
use crate::console::widgets::text::{Align, fit};
use crate::farm::grid::NodeView;
use crate::farm::{Case, ClassNo, NodeNo, Sufficient};

/// Roles for the classes that pack, in turn.
const ROLES: [Role; 4] = [Role::NodeTaken, Role::NodeFree, Role::NodeLater, Role::NodeRejected];

/// Draws both farms and the legend.
pub(super) fn draw(study: &Study, area: Rect, buf: &mut Buffer, theme: &Theme) {
    let (Some(case), Some(grids)) = (&study.case, &study.grids) else { return };
    let letters = Letters::of(case);
    let legend = letters.legend(case);
    let body = Rect { height: area.height.saturating_sub(1), ..area };
    let half = body.width / 2;
    let left = Rect { width: half, ..body };
    let right = Rect { x: body.x + half, width: body.width - half, ..body };
    let focused = study.panel == super::study::Panel::Farm;
    for (rect, name, grid) in [(left, "R relaxed", &grids.left), (right, "E exclusive", &grids.right)] {
        let note = figures(study, case, grid);
        let inner = frame::pane(rect, buf, theme, name, &note, focused);
        farm(case, grid, &letters, inner, buf, theme);
    }
    let columns = usize::from(area.width);
    let text = fit(&legend, columns, Align::Left, theme.ellipsis());
    buf.set_stringn(area.x, body.bottom(), text, columns, theme.style(Role::TextDim));
}

/// Fill, index of the class, and free slots on held nodes.
fn figures(study: &Study, case: &Case, grid: &Column<NodeNo, NodeView>) -> String {
    let used: u64 = grid.iter().map(|view| u64::from(view.used())).sum();
    let fill = used as f64 / case.workload.total_slots().max(1) as f64;
    let free = |(node, view): (NodeNo, &NodeView)| {
        let slots = case.workload.nodes.checked(node).map_or(0, |node| node.slots);
        if view.holders.is_empty() { 0 } else { u64::from(slots.saturating_sub(view.used())) }
    };
    let held: u64 = grid.enumerate().map(free).sum();
    let index = study.shown_class().and_then(|class| {
        let of = |view: &NodeView| {
            view.slots.iter().find(|(have, _)| *have == class).map(|(_, slots)| u64::from(*slots))
        };
        let (slots, nodes) =
            grid.iter().filter_map(of).fold((0, 0u32), |(sum, nodes), slots| (sum + slots, nodes + 1));
        let least = Sufficient::of(&case.workload.nodes).nodes(slots);
        (nodes > 0).then(|| f64::from(least) / f64::from(nodes))
    });
    let index = index.map_or("-".to_owned(), |index| format!("{index:.2}"));
    format!("FF {fill:.2} PI {index} _ {held}")
}

/// A letter for each class: the packing ones their own, all others `o`.
struct Letters {
    packing: Vec<(ClassNo, char)>,
}

impl Letters {
    fn of(case: &Case) -> Self {
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

    fn legend(&self, case: &Case) -> String {
        let name = |(class, letter): &(ClassNo, char)| {
            let name = case.workload.classes.checked(*class).map(ToString::to_string).unwrap_or_default();
            format!("{letter} {name}")
        };
        let names: Vec<String> = self.packing.iter().map(name).collect();
        format!(
            " {}  o others  . free  [ ] or capital: held  _ free on a held node  & shared",
            names.join("  ")
        )
    }
}

fn farm(
    case: &Case,
    grid: &Column<NodeNo, NodeView>,
    letters: &Letters,
    area: Rect,
    buf: &mut Buffer,
    theme: &Theme,
) {
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    if width == 0 || height == 0 {
        return;
    }
    let widest = case.workload.nodes.iter().map(|node| node.slots).max().unwrap_or(0) as usize + 3;
    let per_row = width / widest.max(1);
    if per_row > 0 && grid.len().div_ceil(per_row) <= height {
        for (node, view) in grid.enumerate() {
            let (row, column) = (node.ix() / per_row, node.ix() % per_row * widest);
            slots(case, node, view, letters, (area.x + narrow(column), area.y + narrow(row)), buf, theme);
        }
        return;
    }
    // Several nodes in one sign where there are more than cells: the one with most to say.
    let each = grid.len().div_ceil(width * height).max(1);
    for (cell, nodes) in grid.as_slice().chunks(each).enumerate() {
        let telling =
            nodes.iter().max_by_key(|view| (!view.holders.is_empty(), letters.packs(view), view.used()));
        let Some(view) = telling else { continue };
        let (sign, style) = sign(view, letters, theme);
        let (x, y) = (area.x + narrow(cell % width), area.y + narrow(cell / width));
        buf.set_stringn(x, y, sign.encode_utf8(&mut [0; 4]), 1, style);
    }
}

fn narrow(number: usize) -> u16 {
    u16::try_from(number).unwrap_or(u16::MAX)
}

impl Letters {
    fn packs(&self, view: &NodeView) -> bool {
        view.slots.iter().any(|(class, _)| self.letter(*class) != 'o')
    }

    /// The packing class with most slots on a node, else the one with most.
    fn main(&self, view: &NodeView) -> Option<ClassNo> {
        let key = |(class, slots): &&(ClassNo, u32)| (self.letter(*class) != 'o', *slots);
        view.slots.iter().max_by_key(key).map(|(class, _)| *class)
    }
}

/// One sign for a node.
fn sign(view: &NodeView, letters: &Letters, theme: &Theme) -> (char, Style) {
    let Some(class) = letters.main(view) else { return ('.', theme.style(Role::TextDim)) };
    let letter = letters.letter(class);
    let style = theme.style(letters.role(class));
    match (view.holders.is_empty(), letter, view.slots.len()) {
        (false, letter, _) => (letter.to_ascii_uppercase(), style.add_modifier(Modifier::BOLD)),
        (true, 'o', _) => ('o', style),
        (true, letter, 1) => (letter, style),
        (true, ..) => ('&', style),
    }
}

/// All slots of a node: a letter each, `.` free, `_` free on a held node, brackets around a held one.
fn slots(
    case: &Case,
    node: NodeNo,
    view: &NodeView,
    letters: &Letters,
    (x, y): (u16, u16),
    buf: &mut Buffer,
    theme: &Theme,
) {
    let held = !view.holders.is_empty();
    let size = case.workload.nodes.checked(node).map_or(0, |node| node.slots);
    let dim = theme.style(Role::TextDim);
    let mut cells: Vec<(char, Style)> = vec![(if held { '[' } else { ' ' }, dim)];
    for (class, slots) in &view.slots {
        let style = theme.style(letters.role(*class));
        cells.extend((0..*slots).map(|_| (letters.letter(*class), style)));
    }
    let free = size.saturating_sub(view.used());
    let (sign, style) = if held { ('_', theme.style(Role::Warning)) } else { ('.', dim) };
    cells.extend((0..free).map(|_| (sign, style)));
    cells.push((if held { ']' } else { ' ' }, dim));
    for (at, (sign, style)) in cells.into_iter().enumerate() {
        buf.set_stringn(x.saturating_add(narrow(at)), y, sign.encode_utf8(&mut [0; 4]), 1, style);
    }
}
