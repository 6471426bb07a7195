//! The buckets at the position: what each holds, and how many of its nodes are free.
//!
//! ```text
//! ┏ Buckets after step 4, in the order tried ━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 1/6 ┓
//! ┃    # bucket                       queue  priority nodes  free later  busy ┃
//! ┃▸   1 ncpus=8:mem=16gb             -             0    16     9     3     4 ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ┌ Bucket 1 ─────────────────────────────────────────────────────────────────┐
//! │ncpus=8:mem=16gb                                                           │
//! │  free   █ █ █ █ █ █ █ █ █ · · · · · · ·     9                              │
//! │  later  · · · · · · · · · ▒ ▒ ▒ · · · ·     3                              │
//! │  busy   · · · · · · · · · · · · ▪ ▪ ▪ ▪     4                              │
//! │free n[1-9]   later n[10-12]   busy n[13-16]                               │
//! └───────────────────────────────────────────────────────────────────────────┘
//! ```

use std::cell::OnceCell;
use std::rc::Rc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;
use rustc_hash::FxHashSet;

use super::bit_rows::{BITMAPS, bits};
use super::list::{DetailLayout, DetailPlace, ListModel, position_title};
use super::records;
use crate::action::Action;
use crate::bucket_names::BucketNames;
use crate::filter::Filter;
use crate::layout::{cells, cut_rows, indented_inner_area};
use crate::story::{Paragraph, Story, TextPiece};
use crate::theme::Role;
use crate::views::{Effect, Object, Update, ViewContext};
use crate::widgets::frame;
use crate::widgets::table::{Cell, TableColumn, Width};
use crate::widgets::text;
use crate::wording;
use qscope_engine::universe::{Bit, Bucket, Plan};
use qscope_explain::{BucketBits, set_buckets, set_named};
use qscope_session::query::QueryFields;
use qscope_session::records::{BucketRecord, bucket_fields};

/// A bucket at the position.
#[derive(Debug)]
pub(crate) struct BucketLine {
    /// Its place in the order tried, from 1.
    place: usize,
    name: String,
    /// The name without what all names have in common.
    short: String,
    bucket: Bucket<Bit>,
    /// Its nodes by bitmap, folded only once: folding thousands of names is too slow for every frame.
    nodes: OnceCell<Vec<(Role, String)>>,
}

/// The state of the list.
#[derive(Debug, Default)]
pub(crate) struct BucketListModel {
    /// Why the buckets are unused in this cycle, if they are.
    idle: Option<String>,
    /// Columns of the longest short name.
    longest: u16,
    /// The placement set whose buckets are shown; `None` for the buckets of the whole complex.
    set: Option<String>,
}

/// Minimum width at which the nodes of a bucket are named after its counts.
const WIDE: u16 = 140;

/// Maximum columns for the names of a bitmap's nodes; further nodes are counted.
const MAX_LIST: usize = 200;

impl BucketLine {
    /// The nodes by bitmap.
    fn nodes(&self, plan: &Plan) -> &[(Role, String)] {
        self.nodes.get_or_init(|| {
            let bitmaps = [
                ("free", &self.bucket.free, Role::NodeFree),
                ("later", &self.bucket.later, Role::NodeLater),
                ("busy", &self.bucket.busy, Role::NodeBusy),
            ];
            let some = bitmaps.into_iter().filter(|(_, bits, _)| bits.iter().next().is_some());
            some.map(|(word, bits, role)| {
                let names = bits.iter().map(|bit| &**plan.node_name(bit));
                (role, format!("{word} {}  ", wording::folded_within(names, MAX_LIST)))
            })
            .collect()
        })
    }

    /// Draws the whole name, the bitmaps, and the nodes.
    fn draw_bucket(&self, area: Rect, buf: &mut Buffer, cx: ViewContext<'_>) {
        let theme = cx.theme;
        let columns = usize::from(area.width);
        let mut name = Story::new(vec![Paragraph::words(2, [TextPiece::plain(self.name.clone())])]);
        name.fit(columns);
        let (head, rest) = cut_rows(area, cells(name.lines().len()));
        name.draw(0, head, buf, theme);
        let bitmaps = BucketBits::without_moves(self.name.clone(), &self.bucket);
        let (rows, rest) = cut_rows(rest, 3);
        for (row, (word, bitmap)) in rows.rows().zip(BITMAPS) {
            bits(&bitmaps, word, bitmap, theme, row.width).render(row, buf);
        }
        let nodes = self.nodes(cx.plan()).iter().map(|(role, text)| TextPiece::of(*role, text.clone()));
        let mut nodes = Story::new(vec![Paragraph::words(2, nodes.collect::<Vec<_>>())]);
        nodes.fit(columns);
        nodes.draw(0, rest, buf, theme);
        let lines = name.lines().len() + BITMAPS.len() + nodes.lines().len();
        frame::left_out(lines.saturating_sub(usize::from(area.height)), area, buf, theme);
    }
}

impl BucketListModel {
    /// Steps to the next or previous entry of: the complex, then each set with buckets.
    fn show_next(&mut self, forward: bool, cx: ViewContext<'_>) -> Update {
        let mut sets: Vec<&str> = cx.state().sets.iter().map(|set| &*set.shape.name).collect();
        let mut known = FxHashSet::default();
        sets.retain(|name| known.insert(*name));
        if sets.is_empty() {
            return Update::status("no placement set has buckets of its own");
        }
        let here = self.set.as_deref().and_then(|name| sets.iter().position(|set| *set == name));
        let ring = sets.len() + 1;
        let at = here.map_or(0, |at| at + 1);
        let next = if forward { (at + 1) % ring } else { (at + ring - 1) % ring };
        self.set = next.checked_sub(1).and_then(|at| sets.get(at)).map(|name| (*name).to_owned());
        Update::changed()
    }
}

impl ListModel for BucketListModel {
    type Line = BucketLine;

    fn lines(&mut self, cx: ViewContext<'_>) -> Vec<Rc<BucketLine>> {
        self.idle = super::idle_buckets(cx.run());
        let (plan, state) = (cx.plan(), cx.state());
        let of_set = self.set.as_deref().and_then(|name| set_buckets(state, name));
        if of_set.is_none() {
            self.set = None;
        }
        let buckets: Vec<Bucket<Bit>> = of_set.unwrap_or_else(|| state.buckets.iter().cloned().collect());
        let names: Vec<String> = buckets.iter().map(|bucket| bucket.name(plan)).collect();
        let (_, short) = BucketNames::of(state).split_common(&names);
        self.longest = cells(short.iter().map(|name| text::width(name)).max().unwrap_or(0));
        let line = |(at, ((bucket, name), short))| {
            Rc::new(BucketLine { place: at + 1, name, short, bucket, nodes: OnceCell::new() })
        };
        buckets.into_iter().zip(names).zip(short).enumerate().map(line).collect()
    }

    fn is_same(a: &BucketLine, b: &BucketLine) -> bool {
        a.name == b.name
    }

    fn matches_filter(filter: &Filter, line: &BucketLine, cx: ViewContext<'_>) -> bool {
        filter.matches(&BucketRecord::of(cx.plan(), &line.bucket))
    }

    fn fields(cx: ViewContext<'_>) -> QueryFields {
        bucket_fields(&cx.snapshot().catalogue)
    }

    fn values(field: &str, cx: ViewContext<'_>) -> Vec<records::ValueCount> {
        let plan = cx.plan();
        let rows = cx.state().buckets.iter().map(|bucket| BucketRecord::of(plan, bucket));
        records::values(rows, field, cx.snapshot())
    }

    fn title(&self, cx: ViewContext<'_>) -> String {
        let of = self.set.as_ref().map_or_else(String::new, |set| format!(" of {set}"));
        format!("Buckets{of} {}", position_title(cx.position()))
    }

    fn order(&self) -> &'static str {
        ", in the order tried"
    }

    fn text_above_table(&self) -> Option<&str> {
        self.idle.as_deref()
    }

    fn columns<'a>(&'a self, cx: ViewContext<'a>, width: u16) -> Vec<TableColumn<'a, Rc<BucketLine>>> {
        let is_wide = width >= WIDE;
        let plan = cx.plan();
        let place = |line: &'a Rc<BucketLine>| Cell::of(Role::TextDim, line.place.to_string());
        let mut columns = vec![TableColumn::numbers("#", 4, 30, place)];
        columns.extend(records::columns(&Self::fields(cx), move |line: &Rc<BucketLine>| {
            BucketRecord::of(plan, &line.bucket)
        }));
        // What all names have in common would use the room of what differs.
        if let Some(name) = columns.iter_mut().find(|column| column.title == "bucket") {
            let room = if is_wide { Width::Between(20, self.longest.max(20)) } else { Width::Fill(20) };
            *name = TableColumn::words("bucket", room, name.keep, |line: &Rc<BucketLine>| {
                Cell::new(&*line.short)
            });
        }
        if is_wide {
            let named = move |line: &'a Rc<BucketLine>| {
                let of = |(_, text): &(Role, String)| text.trim_end().to_owned();
                let named: Vec<String> = line.nodes(plan).iter().map(of).collect();
                Cell::of(Role::TextDim, named.join("  "))
            };
            columns.push(TableColumn::words("which", Width::Fill(20), 10, named));
        }
        columns
    }

    fn why_empty(&self, _: ViewContext<'_>) -> Vec<String> {
        vec!["No node is in any bucket.".to_owned()]
    }

    fn act(&mut self, action: Action, line: Option<&BucketLine>, cx: ViewContext<'_>) -> Option<Update> {
        match action {
            Action::NextLine | Action::PreviousLine => Some(self.show_next(action == Action::NextLine, cx)),
            Action::Select => Some(match (line, &self.set) {
                (Some(line), None) => Update::request(Effect::GoToPage(Object::Bucket(line.name.clone()))),
                (Some(_), Some(set)) => Update::request(Effect::GoToPage(Object::Set(set.clone()))),
                (None, _) => Update::status("no bucket under the cursor"),
            }),
            _ => None,
        }
    }

    fn words(&self, _: Option<&BucketLine>) -> &'static [(Action, &'static str)] {
        if self.set.is_some() { &[(Action::Select, "set page")] } else { &[] }
    }

    fn show_whole(&mut self, object: &Object, cx: ViewContext<'_>) -> bool {
        let Object::Set(name) = object else { return false };
        let exists = set_named(cx.state(), name).is_some();
        if exists {
            self.set = Some(name.clone());
        }
        exists
    }

    fn object(line: &BucketLine, _: ViewContext<'_>) -> Option<Object> {
        Some(Object::Bucket(line.name.clone()))
    }

    fn detail(area: Rect) -> DetailLayout {
        DetailLayout { rows: if area.height < 14 { 0 } else { 8 }, framed: true }
    }

    fn draw_detail(&self, line: &BucketLine, place: DetailPlace, buf: &mut Buffer, cx: ViewContext<'_>) {
        frame::pane(place.area, buf, cx.theme, &format!("Bucket {}", line.place), "", false);
        let inner = indented_inner_area(place.area);
        line.draw_bucket(inner, buf, cx);
    }
}
