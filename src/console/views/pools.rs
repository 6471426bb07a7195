//! The placement sets at the position, pool by pool in the order tried, with the sums that are compared.
//!
//! ```text
//! ┏ Placement sets after step 4, in the order tried ━━━━━━━━━━━━━━━━━━━━━ 1/6 ┓
//! ┃    # set                     nodes  free  ncpus left of   mem left of     ┃
//! ┃  the server's pool: 6 sets by switch                                      ┃
//! ┃▸   1 switch=sw1                  8     3          12/64       16gb/128gb  ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::widgets::Widget;

use super::listing::{Listing, when};
use crate::cluster::ResourceId;
use crate::console::action::Action;
use crate::console::filter::Filter;
use crate::console::theme::{Role, Theme};
use crate::console::view::{Object, Reply, View, Wish};
use crate::console::widgets::frame;
use crate::console::widgets::table::{Cell, Column, Rows, Table, Width};
use crate::console::widgets::text::Align;
use crate::console::wording;
use crate::console::world::World;
use crate::query::Fields;
use crate::query::records::{SetRecord, set_fields};
use crate::universe::{PlacementSet, Plan, PoolOwner, SetIx, State};

/// A line: the head of a pool, or a set of one.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Line {
    Pool(String),
    Set(Box<SetLine>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct SetLine {
    ix: SetIx,
    pool: String,
    place: usize,
    name: String,
    nodes: usize,
    free: i32,
    /// Left and total of the two resources that everybody asks for.
    cpus: String,
    mem: String,
    buckets: usize,
    first: Option<String>,
}

/// The view's state.
#[derive(Debug, Default)]
pub struct Pools {
    list: Listing<Line>,
    filter: Filter,
}

const fn number(title: &'static str, width: u16, keep: u8) -> Column {
    Column { title, width: Width::Fixed(width), align: Align::Right, keep }
}

const COLUMNS: [Column; 7] = [
    number("#", 4, 30),
    Column { title: "set", width: Width::Fill(16), align: Align::Left, keep: 100 },
    number("nodes", 5, 90),
    number("free", 5, 80),
    number("ncpus left", 13, 70),
    number("mem left", 17, 60),
    number("buckets", 7, 20),
];

/// Left and all of an amount in a set.
fn amount(plan: &Plan, set: &PlacementSet, resource: ResourceId) -> String {
    let kind = plan.snap.catalogue.kind(resource);
    match plan.consumables.ix(resource).and_then(|ix| Some((ix, set.left(ix)?))) {
        Some((ix, left)) => {
            format!("{}/{}", wording::amount(kind, left), wording::amount(kind, set.shape.available[ix]))
        }
        None => "-".to_owned(),
    }
}

fn lines(state: &State) -> Vec<Line> {
    let plan = &state.plan;
    let mut lines = Vec::new();
    for pool in &state.pools {
        let owner = match pool.owner {
            PoolOwner::Server => "server".to_owned(),
            PoolOwner::Queue(queue) => plan.snap.queues[queue].name.to_string(),
        };
        let stale = if pool.refreshed { "" } else { " · sums of the cycle's start" };
        lines
            .push(Line::Pool(format!("pool of {owner}: {}{stale}", wording::count(pool.order.len(), "set"))));
        for (place, ix) in pool.order.iter().enumerate() {
            let set = &state.sets[*ix];
            let line = SetLine {
                ix: *ix,
                pool: owner.clone(),
                place: place + 1,
                name: set.shape.name.to_string(),
                nodes: set.total_nodes(),
                free: set.free_nodes,
                cpus: amount(plan, set, ResourceId::ncpus()),
                mem: amount(plan, set, ResourceId::mem()),
                buckets: set.buckets.len(),
                first: set.shape.members.first().map(|bit| plan.node_name(*bit).to_string()),
            };
            lines.push(Line::Set(Box::new(line)));
        }
    }
    lines
}

fn keeps(filter: &Filter, world: World<'_>, line: &Line) -> bool {
    match line {
        Line::Pool(_) => filter.is_empty(),
        Line::Set(line) => {
            let set = world.state().sets.checked(line.ix);
            set.is_some_and(|set| filter.keeps(&SetRecord::of(world.plan(), &line.pool, set)))
        }
    }
}

fn is_same(a: &Line, b: &Line) -> bool {
    match (a, b) {
        (Line::Set(a), Line::Set(b)) => (&a.name, &a.pool) == (&b.name, &b.pool),
        _ => false,
    }
}

impl Pools {
    fn set(&self) -> Option<&SetLine> {
        match self.list.selected()? {
            Line::Set(line) => Some(line),
            Line::Pool(_) => None,
        }
    }
}

impl Rows for Pools {
    fn len(&self) -> usize {
        self.list.len()
    }

    fn cell(&self, row: usize, column: usize) -> Cell<'_> {
        let Some(Line::Set(line)) = self.list.line(row) else { return Cell::new("") };
        match column {
            0 => Cell::of(Role::TextDim, line.place.to_string()),
            1 => Cell::new(&*line.name),
            2 => Cell::new(line.nodes.to_string()),
            3 if line.free <= 0 => Cell::of(Role::TextDim, "0"),
            3 => Cell::of(Role::NodeFree, line.free.to_string()),
            4 => Cell::new(&*line.cpus),
            5 => Cell::new(&*line.mem),
            _ => Cell::of(Role::TextDim, line.buckets.to_string()),
        }
    }

    fn heading(&self, row: usize) -> Option<Cow<'_, str>> {
        match self.list.line(row)? {
            Line::Pool(words) => Some((&**words).into()),
            Line::Set(_) => None,
        }
    }
}

impl View for Pools {
    fn look(&mut self, world: World<'_>) {
        let began = self.list.has_nothing();
        self.list.set(lines(world.state()), |line| keeps(&self.filter, world, line), is_same);
        if began {
            self.list.put_on(|line| matches!(line, Line::Set(_)));
        }
    }

    fn act(&mut self, action: Action, area: Rect, _: World<'_>) -> Reply {
        match (action, self.set().and_then(|line| line.first.clone())) {
            (Action::Select, Some(node)) => Reply::wish(Wish::Go(Object::Node(node))),
            (Action::Select, None) => Reply::say("no set under the cursor"),
            _ => self.list.go(action, area),
        }
    }

    fn fields(&self, world: World<'_>) -> Fields {
        set_fields(&world.snapshot().catalogue)
    }

    fn filter(&mut self, filter: &Filter, world: World<'_>) {
        self.filter = filter.clone();
        self.list.keep(|line| keeps(filter, world, line));
    }

    fn show(&mut self, object: &Object, _: World<'_>) -> bool {
        let Object::Set(name) = object else { return false };
        self.list.put_on(|line| matches!(line, Line::Set(line) if line.name == *name))
    }

    fn here(&self, _: World<'_>) -> Option<Object> {
        self.set().map(|line| Object::Set(line.name.clone()))
    }

    fn click(&mut self, at: Position, area: Rect, _: World<'_>) -> Reply {
        self.list.click(at, area)
    }

    fn render(&self, area: Rect, buf: &mut Buffer, world: World<'_>, theme: &Theme) {
        let title = format!("Placement sets {}, in the order tried", when(world.position()));
        let note = self.list.table.position(self.list.len());
        let inner = frame::pane(area, buf, theme, &title, &note, true);
        if self.list.is_empty() {
            let server = &world.snapshot().server;
            let why = match (self.list.has_nothing(), server.node_group_enable) {
                (false, _) => "No set matches; Esc takes the filter away.",
                (true, false) => "There are no placement sets: node_group_enable is off.",
                (true, true) => "There are no placement sets: no node_group_key is set.",
            };
            frame::empty(inner, buf, theme, &[why]);
            return;
        }
        Table { columns: &COLUMNS, rows: self, state: self.list.table, theme, focused: true }
            .render(inner, buf);
    }
}
