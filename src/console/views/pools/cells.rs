//! The cells of each column, made only for visible lines.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::job_trial::{JobSetTrial, sums};
use super::layout::ROOMY;
use super::tree::{PoolLine, SetLine};
use super::{PoolsView, TodayPlace};
use crate::layout::cells;
use crate::theme::{Role, Theme};
use crate::views::ViewContext;
use crate::views::nodes::sign_of;
use crate::widgets::ramp::glyph_and_role;
use crate::widgets::table::{Cell, TableColumn, Width};
use crate::widgets::text::width;
use crate::wording;
use qscope_engine::cluster::ResourceId;
use qscope_engine::universe::{Bit, PlacementSet, State};
use qscope_explain::whole_nodes_in;

/// The title of the map of a set's nodes.
pub(super) const MAP: &str = "nodes";

/// Minimum width for the largest job of whole nodes.
const WIDE: u16 = 140;

/// A column of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PoolField {
    Place,
    Usual,
    Name,
    Free,
    Map,
    /// Amounts left and in total.
    Cpus,
    Mem,
    Buckets,
    Verdict,
    /// The largest job of whole nodes that would start in the set.
    Whole,
}

/// The columns for a width; today's order only if it differs, verdicts only if a job is selected.
pub(super) fn fields(width: u16, sorted: bool, judged: bool) -> Vec<PoolField> {
    let mut fields = vec![PoolField::Place];
    fields.extend(sorted.then_some(PoolField::Usual));
    fields.extend([PoolField::Name, PoolField::Map, PoolField::Free, PoolField::Cpus, PoolField::Mem]);
    fields.extend((width >= ROOMY).then_some(PoolField::Buckets));
    fields.extend(judged.then_some(PoolField::Verdict));
    fields.extend((width >= WIDE).then_some(PoolField::Whole));
    fields
}

/// The widths of the columns' contents.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PoolWidths {
    place: u16,
    name: u16,
    free: u16,
    mem: u16,
    /// Number of nodes of the largest set.
    nodes: usize,
}

/// Maximum number of lines whose names are measured.
const MEASURED: usize = 1000;

impl PoolWidths {
    /// The widths that these lines need.
    pub(super) fn of<'a>(state: &State, lines: impl Iterator<Item = &'a SetLine>) -> Self {
        let digits = |n: usize| cells(n.to_string().len());
        let all = state.pools.iter().flat_map(|pool| pool.order.iter()).map(|set| &state.sets[*set]);
        let mem = state.plan.consumables.ix(ResourceId::mem());
        let kind = state.plan.snap.catalogue.kind(ResourceId::mem());
        let amount =
            |set: &PlacementSet| mem.map_or(0, |ix| wording::amount(kind, set.shape.available[ix]).len());
        let (mut nodes, mut most) = (0, 0);
        for (at, set) in all.enumerate() {
            nodes = nodes.max(set.total_nodes());
            // A smaller amount may have more digits: 20tb, 19264gb.
            most = if at < MEASURED { most.max(amount(set)) } else { most };
        }
        let named = |line: &SetLine| width(&label(state, line));
        let names = lines.take(MEASURED).map(named).max().unwrap_or(0);
        let places = state.pools.iter().map(|pool| pool.order.len()).max().unwrap_or(0);
        Self {
            place: digits(places),
            name: cells(names).clamp(10, 26),
            nodes,
            free: (2 * digits(nodes) + 1).max(4),
            mem: cells(most).clamp(5, 10),
        }
    }

    /// The numbers of nodes per cell in maps of `room` columns, in words; empty if each node has a cell of its own.
    pub(super) fn scale(&self, room: usize) -> String {
        match nodes_a_cell(self.nodes, room) {
            1 => String::new(),
            most => format!("1-{most} a cell"),
        }
    }
}

impl PoolField {
    /// Whether it shows memory, which a cluster need not have as a resource.
    pub(super) fn is_mem(self) -> bool {
        self == Self::Mem
    }

    /// The column with its title, width and cells.
    pub(super) fn column<'a>(
        self,
        sizes: PoolWidths,
        roomy: bool,
        cells: PoolCells<'a>,
    ) -> TableColumn<'a, Rc<PoolLine>> {
        let (title, width, keep) = match self {
            // With room for the sort mark.
            Self::Place => ("try", Width::Fixed(sizes.place.max(3)), 85),
            // The place in the order without node_group_sort_key, as the pane of that title lists it.
            Self::Usual => ("without", Width::Fixed(7), 60),
            Self::Name => ("set", Width::Between(sizes.name, sizes.name), 100),
            // The scheduler's count, which may lag behind the nodes beside it.
            Self::Free => ("count", Width::Fixed(sizes.free.max(5)), 90),
            Self::Map => (MAP, Width::Between(10, 28), 65),
            Self::Cpus if roomy => ("ncpus left", Width::Between(10, 13), 70),
            Self::Cpus => ("ncpus", Width::Between(7, 13), 70),
            Self::Mem if roomy => ("mem left", Width::Fixed(sizes.mem.max(8)), 50),
            Self::Mem => ("mem", Width::Fixed(sizes.mem), 50),
            Self::Buckets => ("buckets", Width::Fixed(7), 20),
            // No wider than its text, so that what follows is read with it.
            Self::Verdict => ("job at its turn", Width::Between(17, 60), 80),
            Self::Whole => ("largest job of whole nodes", Width::Fixed(26), 15),
        };
        let column = TableColumn::words(title, width, keep, move |line: &Rc<PoolLine>| match &**line {
            PoolLine::Set(line) => cells.cell(line, self),
            PoolLine::Pool(..) => Cell::new(""),
        });
        match self {
            Self::Name | Self::Map | Self::Verdict | Self::Usual => column,
            _ => column.at_right(),
        }
    }
}

/// The data that the cells of a line are made from.
#[derive(Clone, Copy)]
pub(super) struct PoolCells<'a> {
    pub view: &'a PoolsView,
    pub cx: ViewContext<'a>,
    pub theme: &'a Theme,
    pub meeting: Option<&'a JobSetTrial<'a>>,
    /// Columns of the map of nodes.
    pub room: usize,
}

impl PoolCells<'_> {
    fn cell(&self, line: &SetLine, field: PoolField) -> Cell<'static> {
        let state = self.cx.state();
        let set = &state.sets[line.ix];
        let (of, dim) =
            (|role, text: String| Cell::of(role, text), |text: String| Cell::of(Role::TextDim, text));
        let left_of_all = |resource| match sums(state, line.ix, resource) {
            Some([all, _, left]) => Cell::new(format!("{left}/{all}")),
            None => dim("-".to_owned()),
        };
        match field {
            PoolField::Place => dim(line.place.to_string()),
            PoolField::Usual => today_cell(self.view.usual.get(&line.ix), self.theme),
            PoolField::Name => Cell::new(label(state, line)),
            PoolField::Free => {
                let role = if set.free_nodes > 0 { Role::NodeFree } else { Role::TextDim };
                of(role, format!("{}/{}", set.free_nodes.max(0), set.total_nodes()))
            }
            PoolField::Map => map_cell(&signs(state, set, (self.room, &self.view.taken), self.theme)),
            PoolField::Cpus => left_of_all(ResourceId::ncpus()),
            PoolField::Mem => match sums(state, line.ix, ResourceId::mem()) {
                Some([_, _, left]) => Cell::new(left),
                None => dim("-".to_owned()),
            },
            PoolField::Whole => Cell::new(whole_nodes_in(state, set).to_string()),
            PoolField::Buckets => dim(set.bucket_count().to_string()),
            PoolField::Verdict => {
                match self.meeting.and_then(|meeting| meeting.verdict(line.pool, line.ix)) {
                    Some((role, words)) => Cell::signed(role, words),
                    None => dim("-".to_owned()),
                }
            }
        }
    }
}

/// The name, indented below its parents and without theirs: with `+` if subsets are hidden, with `-` if they are shown.
fn label(state: &State, line: &SetLine) -> String {
    if state.plan.group_order.is_none() {
        return line.name.to_string();
    }
    let (mark, hidden) = match (line.descendants, line.folded) {
        (0, _) => (" ", String::new()),
        (below, true) => ("+", format!(" ({below})")),
        (_, false) => ("-", String::new()),
    };
    format!("{:indent$}{mark} {}{hidden}", "", line.own_name(), indent = line.depth * 2)
}

/// The place in the order without the key, and how the set moved among the sets that exist today.
fn today_cell(usual: Option<&TodayPlace>, theme: &Theme) -> Cell<'static> {
    match usual {
        None => Cell::of(Role::Changed, "new"),
        Some(TodayPlace { place, moved: 0 }) => Cell::of(Role::TextDim, format!("{place:>2} =")),
        Some(TodayPlace { place, moved }) => {
            let mark = moved_mark(*moved, theme);
            Cell::of(Role::Changed, format!("{place:>2} {mark}{}", moved.unsigned_abs()))
        }
    }
}

/// The mark for a move up, down, or neither.
pub(super) fn moved_mark(moved: isize, theme: &Theme) -> &'static str {
    match moved {
        0 => "=",
        1.. => theme.by_set("▲", "^"),
        _ => theme.by_set("▼", "v"),
    }
}

/// The free share of a set, as a bar.
pub(super) fn bar(set: &PlacementSet, room: usize, theme: &Theme) -> String {
    // The scheduler's count drifts and may fall below zero.
    let free = usize::try_from(set.free_nodes.max(0)).unwrap_or_default();
    let filled = (free * room).div_ceil(set.total_nodes().max(1)).min(room);
    format!("{}{}", theme.glyph(Role::Gauge).repeat(filled), theme.by_set("·", ".").repeat(room - filled))
}

/// The nodes of a set, one sign each, or one for several if they do not fit; those that the last step took are marked.
pub(super) fn map(
    state: &State,
    set: &PlacementSet,
    room_and_taken: (usize, &FxHashSet<Bit>),
    theme: &Theme,
) -> String {
    signs(state, set, room_and_taken, theme).into_iter().map(|(glyph, _)| glyph).collect()
}

/// The same signs with their roles.
fn signs<'t>(
    state: &State,
    set: &PlacementSet,
    (room, taken): (usize, &FxHashSet<Bit>),
    theme: &'t Theme,
) -> Vec<(&'t str, Role)> {
    let members = &set.shape.members;
    let sign = |several: &[Bit]| match several.iter().any(|bit| taken.contains(bit)) {
        true => (theme.glyph(Role::NodeTaken), Role::NodeTaken),
        false => glyph_and_role(sign_of(state, several), theme),
    };
    members.chunks(nodes_a_cell(members.len(), room)).map(sign).collect()
}

/// A cell with one role for each run of equal roles.
fn map_cell(signs: &[(&str, Role)]) -> Cell<'static> {
    let cell = Cell::new(signs.iter().map(|(glyph, _)| *glyph).collect::<String>());
    let mut from = 0;
    signs.chunk_by(|(_, a), (_, b)| a == b).fold(cell, |cell, run| {
        let (start, columns) = (from, cells(run.len()));
        from += columns;
        match run.first() {
            Some((_, role)) => cell.with_part(*role, start, columns),
            None => cell,
        }
    })
}

/// Number of nodes per cell of a map in `room` columns.
fn nodes_a_cell(nodes: usize, room: usize) -> usize {
    nodes.div_ceil(room.max(1)).max(1)
}
