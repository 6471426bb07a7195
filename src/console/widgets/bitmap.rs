//! Nodes as a map: a line for each bucket or set, a cell for each node, or for several if they do not fit.
//!
//! ```text
//! sw00 ▓▓▓▓▓▓▓▒ 0/8   sw01 ░░░░▓▓▓▓ 4/8   sw02 ▓▓▓▓▓▓▓! 0/8
//! 1 node a cell  ░ free  ▒ later  ▓ busy  ! down  █ taken  × rejected
//! ```
//! Every state has its own sign; the legend is always shown.

mod geometry;
mod state;

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Widget;

pub(crate) use geometry::Geometry;
pub(crate) use state::MapState;

use super::cell_text::{put, put_sign};
use super::legend::joint;
use super::text::{Align, clean, distinguish_label, fit, width};
use crate::theme::{Role, Theme};

/// The lines and nodes of a map. Called in every frame; everything but the lengths only for visible lines.
pub trait Map {
    /// Number of lines.
    fn lines(&self) -> usize;

    fn nodes(&self, line: usize) -> usize;

    fn label(&self, line: usize) -> Cow<'_, str>;

    /// The headings of the value columns in short labels; empty if there are no such labels.
    fn headings(&self) -> &str {
        ""
    }

    /// The label of a line as values in columns, used if whole labels do not fit.
    fn values(&self, line: usize) -> Cow<'_, str> {
        self.label(line)
    }

    /// The name of a line's first node, which distinguishes its label from others that are cut to the same text; may be
    /// empty.
    fn begins_with(&self, _line: usize) -> Cow<'_, str> {
        "".into()
    }

    /// The text after a line's cells, such as `61/64`.
    fn note(&self, line: usize) -> Cow<'_, str>;

    /// The meaning of that text for the legend; empty if it needs none.
    fn note_words(&self) -> &'static str {
        ""
    }

    /// The state of a node: one of [`Role::NODES`].
    fn state(&self, line: usize, node: usize) -> Role;

    /// Whether lines are compared with each other, and are therefore always stacked.
    fn stacks(&self) -> bool {
        false
    }

    /// A sign that replaces the one of the state, if a cell is one node.
    fn sign(&self, line: usize, node: usize, theme: &Theme) -> Option<&'static str> {
        let _ = (line, node, theme);
        None
    }

    /// Whether those signs show the free share of partly used nodes.
    fn shows_shares(&self) -> bool {
        false
    }
}

/// A map, ready to draw.
#[derive(Debug)]
pub struct Bitmap<'a, M> {
    /// The lines and nodes.
    pub map: &'a M,
    /// Cursor and scroll position.
    pub state: MapState,
    pub theme: &'a Theme,
    /// Whether the table has the focus.
    pub focused: bool,
}

impl<M: Map> Bitmap<'_, M> {
    fn line(&self, at: Rect, buf: &mut Buffer, geometry: &Geometry, line: usize, first: usize) {
        let (label, cells, note) = geometry.parts(at);
        if first == 0 {
            let text = geometry.label_of(self.map, line);
            let is_of_several = |kept: &str| {
                let mut lines = 0..self.map.lines();
                lines.any(|other| other != line && geometry.label_of(self.map, other).starts_with(kept))
            };
            let room = (usize::from(label.width), self.theme.ellipsis());
            let text = distinguish_label(&text, &self.map.begins_with(line), room, is_of_several);
            self.text(label, buf, &text, Align::Left, Role::Text);
            self.text(note, buf, &self.map.note(line), Align::Right, Role::TextDim);
        }
        let per_cell = geometry.per_cell();
        let nodes = self.map.nodes(line);
        let starts = (first * per_cell..nodes).step_by(per_cell);
        for (from, x) in starts.zip(cells.left()..cells.right()) {
            let role = cell_role(self.map, line, from..(from + per_cell).min(nodes));
            let own = if per_cell == 1 { self.map.sign(line, from, self.theme) } else { None };
            let sign = own.unwrap_or_else(|| self.theme.glyph(role));
            put_sign(buf, (x, at.y), sign, self.theme.style(role));
            if line == self.state.line && (from..from + per_cell).contains(&self.state.node) {
                self.cursor(Rect::new(x, at.y, 1, 1), buf);
            }
        }
    }

    /// The cell under the cursor is bold and underlined, but not reversed: a reversed glyph would look like another
    /// state.
    fn cursor(&self, at: Rect, buf: &mut Buffer) {
        let style = ratatui::style::Style::new();
        buf.set_style(at, if self.focused { style.bold().underlined() } else { style.underlined() });
    }

    fn text(&self, at: Rect, buf: &mut Buffer, text: &str, align: Align, role: Role) {
        let columns = usize::from(at.width);
        let text = fit(&clean(text), columns, align, self.theme.ellipsis());
        put(buf, (at.x, at.y), &text, columns, self.theme.style(role));
    }
}

impl<M: Map> Widget for &Bitmap<'_, M> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let area = area.intersection(buf.area);
        if area.is_empty() {
            return;
        }
        buf.set_style(area, self.theme.style(Role::Text));
        let geometry = Geometry::new(self.map, area);
        let top = self.state.top(&geometry);
        for (y, at) in geometry.body().rows().enumerate() {
            for (line, first, slot) in geometry.row(top + y, at) {
                self.line(slot, buf, &geometry, line, first);
            }
        }
        let heads = format!("columns: {}", self.map.headings());
        Line::styled(heads, self.theme.style(Role::TextDim)).render(geometry.heading_rect(), buf);
        let legend = legend(self.map, geometry.per_cell(), area.width, self.theme);
        for (line, at) in legend.iter().zip(geometry.legend().rows()) {
            line.render(at, buf);
        }
    }
}

/// The role of a cell of several nodes: taken or rejected if any node is, else the common state, or mixed.
fn cell_role<M: Map>(map: &M, line: usize, nodes: std::ops::Range<usize>) -> Role {
    let mut common = None;
    let mut rejected = false;
    for node in nodes {
        let state = map.state(line, node);
        match state {
            Role::NodeTaken => return state,
            Role::NodeRejected => rejected = true,
            _ => {}
        }
        common = match common {
            None => Some(state),
            Some(known) if known == state => common,
            Some(_) => Some(Role::NodeMixed),
        };
    }
    if rejected { Role::NodeRejected } else { common.unwrap_or(Role::Node) }
}

/// The states in the legend.
const LEGEND: [(Role, &str); 7] = [
    (Role::NodeFree, "free"),
    (Role::NodeLater, "later"),
    (Role::NodeBusy, "full"),
    (Role::NodeDown, "out"),
    (Role::NodeTaken, "taken"),
    (Role::NodeRejected, "refused"),
    (Role::NodeMixed, "part"),
];

/// The columns of an entry, with room for the signs of shares if they may occur.
fn room_of(role: Role, word: &str, by_share: bool) -> usize {
    width(word) + if by_share && role == Role::NodeMixed { 6 } else { 4 }
}

/// The legend in as many lines as needed.
fn legend<M: Map>(map: &M, per_cell: usize, columns: u16, theme: &Theme) -> Vec<Line<'static>> {
    let by_share = map.shows_shares();
    let mut scale =
        if per_cell == 1 { "1 node a cell".to_owned() } else { format!("{per_cell} nodes a cell") };
    if !map.note_words().is_empty() {
        scale.push_str(&format!("  {}", map.note_words()));
    }
    let mut lines = vec![Line::from(Span::styled(scale, theme.style(Role::TextDim)))];
    for (role, word) in &LEGEND {
        let used = lines.last().map_or(0, Line::width);
        let next = room_of(*role, word, by_share);
        if used + next > usize::from(columns) {
            lines.push(Line::default());
        }
        if let Some(line) = lines.last_mut() {
            let gap = if line.width() == 0 { "" } else { "  " };
            line.push_span(Span::raw(gap));
            let sign = match *role == Role::NodeMixed && by_share && per_cell == 1 {
                true => theme.by_set("▁…▇", "1-7"),
                false => theme.glyph(*role),
            };
            line.push_span(Span::styled(sign.to_owned(), theme.style(*role)));
            line.push_span(Span::styled(format!("{}{word}", joint(sign)), theme.style(Role::TextDim)));
        }
    }
    lines
}

/// Maximum number of lines of the legend; independent of the scale, so that the map does not jump.
fn legend_height<M: Map>(map: &M, columns: u16) -> u16 {
    let by_share = map.shows_shares();
    let mut lines = 1;
    let mut used = width("9999 nodes a cell  ") + width(map.note_words());
    for (role, word) in LEGEND {
        let next = room_of(role, word, by_share);
        if used + next > usize::from(columns) {
            lines += 1;
            used = 0;
        }
        used += next;
    }
    lines
}

#[cfg(test)]
mod tests;
