//! The buckets at the position: what each holds, and how much of it is free.
//!
//! ```text
//! ┏ Buckets, after step 4 ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 1/6 ┓
//! ┃    # bucket                       queue   prio  nodes  free later  busy   ┃
//! ┃▸   1 ncpus=8:mem=16gb             -          0     16     9     3     4   ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::widgets::Widget;

use crate::console::action::Action;
use crate::console::filter::Filter;
use crate::console::shell::inside;
use crate::console::theme::{Role, Theme};
use crate::console::view::{Object, Reply, View, Wish};
use crate::console::widgets::frame;
use crate::console::widgets::table::{Cell, Column, Rows, Table, TableState, Width};
use crate::console::widgets::text::Align;
use crate::console::wording;
use crate::console::world::World;
use crate::query::Fields;
use crate::query::records::{BucketRecord, bucket_fields};
use crate::universe::{Bit, Bucket, BucketIx};

/// One bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    name: String,
    /// The name without what all buckets have in common.
    short: String,
    queue: String,
    priority: i64,
    total: u32,
    free: usize,
    later: usize,
    busy: usize,
    first: Option<String>,
    /// Its place among the buckets of the state.
    at: BucketIx,
}

/// The view's state.
#[derive(Debug, Default)]
pub struct Buckets {
    all: Vec<Line>,
    lines: Vec<Line>,
    table: TableState,
    filter: Filter,
    position: usize,
}

const fn number(title: &'static str, keep: u8) -> Column {
    Column { title, width: Width::Fixed(6), align: Align::Right, keep }
}

const COLUMNS: [Column; 8] = [
    Column { title: "#", width: Width::Fixed(4), align: Align::Right, keep: 30 },
    Column { title: "bucket", width: Width::Fill(20), align: Align::Left, keep: 100 },
    Column { title: "queue", width: Width::Between(5, 10), align: Align::Left, keep: 20 },
    number("prio", 10),
    number("nodes", 90),
    number("free", 80),
    number("later", 60),
    number("busy", 70),
];

impl Rows for Buckets {
    fn len(&self) -> usize {
        self.lines.len()
    }

    fn cell(&self, row: usize, column: usize) -> Cell<'_> {
        let Some(line) = self.lines.get(row) else { return Cell::new("") };
        let number = |n: usize, role| {
            if n == 0 { Cell::of(Role::TextDim, "0") } else { Cell::of(role, n.to_string()) }
        };
        match column {
            0 => Cell::of(Role::TextDim, (row + 1).to_string()),
            1 => Cell::new(&*line.short),
            2 => Cell::new(&*line.queue),
            3 => Cell::of(Role::TextDim, line.priority.to_string()),
            4 => Cell::new(line.total.to_string()),
            5 => number(line.free, Role::NodeFree),
            6 => number(line.later, Role::NodeLater),
            _ => number(line.busy, Role::NodeBusy),
        }
    }
}

impl Buckets {
    fn keep_matching(&mut self, world: World<'_>) {
        let bucket = |line: &Line| world.state().buckets.checked(line.at);
        let fits = |bucket| self.filter.keeps(&BucketRecord::of(world.plan(), bucket));
        let keeps = |line: &&Line| bucket(line).is_some_and(fits);
        self.lines = self.all.iter().filter(keeps).cloned().collect();
        self.table.selected = self.table.selected.min(self.lines.len().saturating_sub(1));
    }

    fn line(&self) -> Option<&Line> {
        self.lines.get(self.table.selected)
    }

    fn put_cursor_on(&mut self, name: &str) -> bool {
        let at = self.lines.iter().position(|line| line.name == name);
        self.table.selected = at.unwrap_or(self.table.selected);
        at.is_some()
    }
}

impl View for Buckets {
    fn look(&mut self, world: World<'_>) {
        let (state, plan) = (world.state(), world.plan());
        let under = self.line().map(|line| line.name.clone());
        let line = |(at, bucket): (BucketIx, &Bucket<Bit>)| Line {
            at,
            name: bucket.name(plan),
            short: String::new(),
            queue: bucket.queue.map_or("-".to_owned(), |queue| plan.snap.queues[queue].name.to_string()),
            priority: bucket.priority,
            total: bucket.total,
            free: bucket.free.count(),
            later: bucket.later.count(),
            busy: bucket.busy.count(),
            first: bucket.members.iter().next().map(|bit| plan.node_name(bit).to_string()),
        };
        self.all = state.buckets.enumerate().map(line).collect();
        let names: Vec<String> = self.all.iter().map(|line| line.name.clone()).collect();
        for (line, short) in self.all.iter_mut().zip(wording::without_common(&names).1) {
            line.short = short;
        }
        self.position = world.position();
        self.keep_matching(world);
        if let Some(name) = under {
            self.put_cursor_on(&name);
        }
    }

    fn act(&mut self, action: Action, area: Rect, _: World<'_>) -> Reply {
        let height = Table::<Self>::height(inside(area));
        match action {
            Action::Select => match self.line().and_then(|line| line.first.clone()) {
                Some(node) => Reply::wish(Wish::Go(Object::Node(node))),
                None => Reply::say("no bucket under the cursor"),
            },
            Action::Left | Action::Right => Reply::nothing(),
            _ if action.moves() => Reply::changed_if(self.table.go(action, self.lines.len(), height)),
            _ => Reply::unknown(),
        }
    }

    fn fields(&self, world: World<'_>) -> Fields {
        bucket_fields(&world.snapshot().catalogue)
    }

    fn filter(&mut self, filter: &Filter, world: World<'_>) {
        self.filter = filter.clone();
        self.keep_matching(world);
    }

    fn show(&mut self, object: &Object, _: World<'_>) -> bool {
        matches!(object, Object::Bucket(name) if self.put_cursor_on(name))
    }

    fn here(&self, _: World<'_>) -> Option<Object> {
        self.line().map(|line| Object::Bucket(line.name.clone()))
    }

    fn click(&mut self, at: Position, area: Rect, _: World<'_>) -> Reply {
        let area = inside(area);
        let Some(row) = Table::<Self>::row_at(self.table, self.lines.len(), area, at.y) else {
            return Reply::nothing();
        };
        let before = self.table;
        self.table.select(row, self.lines.len(), Table::<Self>::height(area));
        Reply::changed_if(self.table != before)
    }

    fn render(&self, area: Rect, buf: &mut Buffer, _: World<'_>, theme: &Theme) {
        let title = match self.position {
            0 => "Buckets before the first step, in the order tried".to_owned(),
            n => format!("Buckets after step {n}, in the order tried"),
        };
        let inner = frame::pane(area, buf, theme, &title, &self.table.position(self.lines.len()), true);
        if self.lines.is_empty() {
            let why = if self.all.is_empty() { "No node is in any bucket." } else { "No bucket matches." };
            frame::empty(inner, buf, theme, &[why]);
            return;
        }
        let table = Table { columns: &COLUMNS, rows: self, state: self.table, theme, focused: true };
        table.render(inner, buf);
    }
}
