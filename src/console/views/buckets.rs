//! The buckets at the position: what each holds, and how much of it is free.
//!
//! ```text
//! ┏ Buckets after step 4, in the order tried ━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 1/6 ┓
//! ┃    # bucket                       queue   prio  nodes  free later  busy   ┃
//! ┃▸   1 ncpus=8:mem=16gb             -          0     16     9     3     4   ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ┌ Bucket 1 ─────────────────────────────────────────────────────────────────┐
//! │ncpus=8:mem=16gb                                                           │
//! │free n[1-9]   later n[10-12]   busy n[13-16]                               │
//! └───────────────────────────────────────────────────────────────────────────┘
//! ```

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::widgets::Widget;

use super::cycle::decision::styled;
use super::listing::{Listing, when};
use crate::action::Action;
use crate::filter::Filter;
use crate::layout::cut_rows;
use crate::story::{Paragraph, Piece, Story};
use crate::theme::{Role, Theme};
use crate::views::effect::{Effect, Update};
use crate::views::object::Object;
use crate::views::view::View;
use crate::views::world::World;
use crate::widgets::frame;
use crate::widgets::table::{Cell, Column, Rows, Table, Width};
use crate::wording;
use qscope_engine::universe::{Bit, Bucket, BucketIx, Plan};
use qscope_session::query::Fields;
use qscope_session::records::{BucketRecord, bucket_fields};

/// One bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    at: BucketIx,
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
}

/// The view's state.
#[derive(Debug, Default)]
pub struct Buckets {
    list: Listing<Line>,
    filter: Filter,
    /// Why buckets do nothing in this cycle, if they do nothing.
    idle: Option<String>,
}

const COLUMNS: [Column; 8] = [
    Column::numbers("#", 4, 30),
    Column::words("bucket", Width::Fill(20), 100),
    Column::words("queue", Width::Between(5, 10), 20),
    Column::numbers("prio", 6, 10),
    Column::numbers("nodes", 6, 90),
    Column::numbers("free", 6, 80),
    Column::numbers("later", 6, 60),
    Column::numbers("busy", 6, 70),
];

impl Rows for Buckets {
    fn len(&self) -> usize {
        self.list.len()
    }

    fn cell(&self, row: usize, column: usize) -> Cell<'_> {
        let Some(line) = self.list.line(row) else { return Cell::new("") };
        let number = |n: usize, role| {
            if n == 0 { Cell::of(Role::TextDim, "0") } else { Cell::of(role, n.to_string()) }
        };
        match column {
            0 => Cell::of(Role::TextDim, (line.at.0 + 1).to_string()),
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

/// The table's pane and the one of the bucket under the cursor, which goes first where there is little room.
fn parts(area: Rect) -> (Rect, Rect) {
    let detail = if area.height < 12 { 0 } else { 5 };
    cut_rows(area, area.height - detail)
}

/// A bucket in full: its whole name, and its nodes.
fn in_full(plan: &Plan, bucket: &Bucket<Bit>) -> Story {
    let mut nodes = Vec::new();
    let availabilities = [
        ("free", &bucket.free, Role::NodeFree),
        ("later", &bucket.later, Role::NodeLater),
        ("busy", &bucket.busy, Role::NodeBusy),
    ];
    for (word, availability, role) in availabilities {
        let bits: Vec<Bit> = availability.iter().collect();
        if !bits.is_empty() {
            nodes.push(Piece::of(role, format!("{word} ")));
            nodes.push(Piece::plain(format!("{}  ", wording::node_list(plan, &bits))));
        }
    }
    let line = |pieces| Paragraph::Words { hang: 2, pieces };
    Story::new(vec![line(vec![Piece::plain(bucket.name(plan))]), line(nodes)])
}

fn draw(story: &mut Story, area: Rect, buf: &mut Buffer, theme: &Theme) {
    story.fit(usize::from(area.width));
    for (line, at) in story.lines().iter().zip(area.rows()) {
        styled(line, theme).render(at, buf);
    }
}

fn keeps(filter: &Filter, world: World<'_>, line: &Line) -> bool {
    let bucket = world.state().buckets.checked(line.at);
    bucket.is_some_and(|bucket| filter.keeps(&BucketRecord::of(world.plan(), bucket)))
}

impl View for Buckets {
    fn refresh(&mut self, world: World<'_>) {
        let plan = world.plan();
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
        let mut lines: Vec<Line> = world.state().buckets.enumerate().map(line).collect();
        let names: Vec<String> = lines.iter().map(|line| line.name.clone()).collect();
        for (line, short) in lines.iter_mut().zip(wording::without_common(&names).1) {
            line.short = short;
        }
        self.list.set(lines, |line| keeps(&self.filter, world, line), |a, b| a.name == b.name);
        self.idle = super::idle_buckets(world.run());
    }

    fn act(&mut self, action: Action, area: Rect, _: World<'_>) -> Update {
        match (action, self.list.selected().and_then(|line| line.first.clone())) {
            (Action::Select, Some(node)) => Update::request(Effect::GoTo(Object::Node(node))),
            (Action::Select, None) => Update::status("no bucket under the cursor"),
            _ => self.list.go(action, parts(area).0),
        }
    }

    fn fields(&self, world: World<'_>) -> Fields {
        bucket_fields(&world.snapshot().catalogue)
    }

    fn filter(&mut self, filter: &Filter, world: World<'_>) {
        self.filter = filter.clone();
        self.list.keep(|line| keeps(filter, world, line));
    }

    fn show(&mut self, object: &Object, _: World<'_>) -> bool {
        matches!(object, Object::Bucket(name) if self.list.put_on(|line| line.name == *name))
    }

    fn here(&self, _: World<'_>) -> Option<Object> {
        self.list.selected().map(|line| Object::Bucket(line.name.clone()))
    }

    fn click(&mut self, at: Position, area: Rect, _: World<'_>) -> Update {
        self.list.click(at, parts(area).0)
    }

    fn render(&self, area: Rect, buf: &mut Buffer, world: World<'_>, theme: &Theme) {
        let title = format!("Buckets {}, in the order tried", when(world.position()));
        let note = self.list.table.position(self.list.len());
        let (pane, detail) = parts(area);
        let mut inner = frame::pane(pane, buf, theme, &title, &note, true);
        if self.list.is_empty() {
            let why =
                if self.list.has_nothing() { "No node is in any bucket." } else { "No bucket matches." };
            frame::empty(inner, buf, theme, &[why]);
            return;
        }
        if let Some(idle) = &self.idle {
            let mut story = Story::new(vec![Paragraph::Words { hang: 0, pieces: vec![Piece::plain(idle)] }]);
            story.fit(usize::from(inner.width));
            let (words, rest) = cut_rows(inner, u16::try_from(story.lines().len()).unwrap_or(1).min(4));
            draw(&mut story, words, buf, theme);
            inner = rest;
        }
        let table = Table { columns: &COLUMNS, rows: self, state: self.list.table, theme, focused: true };
        table.render(inner, buf);
        self.draw_detail(detail, buf, world, theme);
    }
}

impl Buckets {
    fn draw_detail(&self, area: Rect, buf: &mut Buffer, world: World<'_>, theme: &Theme) {
        let Some(line) = self.list.selected() else { return };
        let inner = frame::pane(area, buf, theme, &format!("Bucket {}", line.at.0 + 1), "", false);
        if let Some(bucket) = world.state().buckets.checked(line.at) {
            draw(&mut in_full(world.plan(), bucket), inner, buf, theme);
        }
    }
}
