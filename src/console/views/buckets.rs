//! The buckets at the position: what each holds, and how much of it is free.
//!
//! ```text
//! ┏ Buckets after step 4, in the order tried ━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 1/6 ┓
//! ┃    # bucket                       queue  priority nodes  free later  busy ┃
//! ┃▸   1 ncpus=8:mem=16gb             -             0    16     9     3     4 ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ┌ Bucket 1 ─────────────────────────────────────────────────────────────────┐
//! │ncpus=8:mem=16gb                                                           │
//! │free n[1-9]   later n[10-12]   busy n[13-16]                               │
//! └───────────────────────────────────────────────────────────────────────────┘
//! ```

use std::rc::Rc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::list::{Detail, ListModel, when};
use super::records;
use crate::action::Action;
use crate::filter::Filter;
use crate::story::{Paragraph, Piece, Story};
use crate::theme::{Role, Theme};
use crate::views::effect::{Effect, Update};
use crate::views::object::Object;
use crate::views::world::World;
use crate::widgets::frame;
use crate::widgets::table::{Cell, Column, Width};
use crate::wording;
use qscope_engine::universe::{Bit, Bucket, BucketIx, Plan};
use qscope_session::query::Fields;
use qscope_session::records::{BucketRecord, bucket_fields};

/// A bucket by its names: the state at the position has the rest.
#[derive(Debug)]
pub(crate) struct Line {
    at: BucketIx,
    name: String,
    /// The name without what all buckets have in common.
    short: String,
    first: Option<String>,
}

/// What the list shows beside the state.
#[derive(Debug, Default)]
pub(crate) struct Buckets {
    /// Why buckets do nothing in this cycle, if they do nothing.
    idle: Option<String>,
}

/// A bucket in full: its whole name, and its nodes.
/// The nodes of a bitmap are named in so many columns; the rest is counted, so that a frame wraps no long list.
const MAX_LIST: usize = 200;

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
            let names = bits.iter().map(|bit| &**plan.node_name(*bit));
            nodes.push(Piece::plain(format!("{}  ", wording::folded_within(names, MAX_LIST))));
        }
    }
    let name = Paragraph::words(2, [Piece::plain(bucket.name(plan))]);
    Story::new(vec![name, Paragraph::words(2, nodes)])
}

impl ListModel for Buckets {
    type Line = Line;

    fn lines(&mut self, world: World<'_>) -> Vec<Rc<Line>> {
        self.idle = super::idle_buckets(world.run());
        let (plan, buckets) = (world.plan(), &world.state().buckets);
        let names: Vec<String> = buckets.iter().map(|bucket| bucket.name(plan)).collect();
        let (_, short) = wording::without_common(&names);
        let line = |(((at, bucket), name), short): (((BucketIx, &Bucket<Bit>), String), String)| {
            let first = bucket.members.iter().next().map(|bit| plan.node_name(bit).to_string());
            Rc::new(Line { at, name, short, first })
        };
        buckets.enumerate().zip(names).zip(short).map(line).collect()
    }

    fn is_same(a: &Line, b: &Line) -> bool {
        a.name == b.name
    }

    fn keeps(filter: &Filter, line: &Line, world: World<'_>) -> bool {
        filter.keeps(&BucketRecord::of(world.plan(), &world.state().buckets[line.at]))
    }

    fn fields(world: World<'_>) -> Fields {
        bucket_fields(&world.snapshot().catalogue)
    }

    fn title(&self, world: World<'_>) -> String {
        format!("Buckets {}, in the order tried", when(world.position()))
    }

    fn above(&self) -> Option<&str> {
        self.idle.as_deref()
    }

    fn columns<'a>(&'a self, world: World<'a>, _: &'a Theme, _: u16) -> Vec<Column<'a, Rc<Line>>> {
        let (plan, buckets) = (world.plan(), &world.state().buckets);
        let place = |line: &'a Rc<Line>| Cell::of(Role::TextDim, (line.at.0 + 1).to_string());
        let mut columns = vec![Column::numbers("#", 4, 30, place)];
        columns.extend(records::columns(&Self::fields(world), move |line: &Rc<Line>| {
            BucketRecord::of(plan, &buckets[line.at])
        }));
        // What all buckets have in common would take the room of what differs.
        if let Some(name) = columns.iter_mut().find(|column| column.title == "bucket") {
            *name = Column::words("bucket", Width::Fill(20), name.keep, |line: &Rc<Line>| {
                Cell::new(&*line.short)
            });
        }
        columns
    }

    fn why_empty(&self, _: World<'_>) -> Vec<String> {
        vec!["No node is in any bucket.".to_owned()]
    }

    fn act(&mut self, action: Action, line: Option<&Line>, _: World<'_>) -> Option<Update> {
        let node = line.and_then(|line| line.first.clone());
        (action == Action::Select).then(|| match node {
            Some(node) => Update::request(Effect::GoTo(Object::Node(node))),
            None => Update::status("no bucket under the cursor"),
        })
    }

    fn object(line: &Line) -> Option<Object> {
        Some(Object::Bucket(line.name.clone()))
    }

    fn detail(area: Rect) -> Detail {
        Detail { rows: if area.height < 12 { 0 } else { 5 }, framed: true }
    }

    fn draw_detail(&self, line: &Line, area: Rect, buf: &mut Buffer, world: World<'_>, theme: &Theme) {
        let inner = frame::pane(area, buf, theme, &format!("Bucket {}", line.at.0 + 1), "", false);
        in_full(world.plan(), &world.state().buckets[line.at]).render(inner, buf, theme);
    }
}
