//! The nodes as a table, problems first.

mod cells;
mod last;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::super::list::{GroupNameFn, ListModel, ListStamp, RowPredicate};
use super::super::records::{ValueCount, key, node_values, on_request, show};
use super::groups::{self, NodeGrouping};
use super::use_words::{RANKS, rank, role_of, word_of, words_of};
use crate::action::Action;
use crate::filter::Filter;
use crate::screen::RowSign;
use crate::theme::Role;
use crate::views::{Effect, Object, QuickFilter, StepStamp, Update, ViewContext};
use crate::widgets::bar::bar;
use crate::widgets::table::{Cell, SortKey, TableColumn, Width};
use crate::wording;
use cells::{amounts, consumable, planned, record, share_used, sign_of, started, used_of_all};
use qscope_engine::cluster::{Column as PerNode, Epoch, Id, Name};
use qscope_engine::universe::{Bit, NodeUse, Occupant, Plan};
use qscope_explain::words::time_of_day;
use qscope_session::node_facts::free_at;
use qscope_session::query::{QueryFields, QueryRecord};
use qscope_session::records::{NodeRecord, node_fields};

type NodeLineColumn<'a> = TableColumn<'a, Rc<NodeLine>>;

/// A line of the table.
type NodeLineRef<'a> = &'a Rc<NodeLine>;

/// A node by its bit, which gives access to everything else. There may be a hundred thousand lines, so it is small.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NodeLine {
    bit: Bit,
    /// The text, if the line is a heading.
    heading: Option<Name>,
}

impl NodeLine {
    fn is_heading(&self) -> bool {
        self.heading.is_some()
    }
}

/// What the columns need beside the state.
#[derive(Debug, Default)]
pub(crate) struct NodeTable {
    uses: PerNode<Bit, NodeUse>,
    /// When the last job on the node ends by its walltime.
    free_at: PerNode<Bit, Option<Epoch>>,
    /// Who uses a node exclusively; computed when a visible row needs it.
    whole_by: OnceCell<PerNode<Bit, Option<Occupant>>>,
    /// The jobs that the cycle has started on a node so far.
    started: FxHashMap<Bit, Vec<String>>,
    /// The nodes that the last step took.
    taken: Vec<Bit>,
    /// The lines of all nodes, and the step they were made at: other steps of the cycle reuse them in another order.
    nodes: PerNode<Bit, Rc<NodeLine>>,
    made_at: Option<StepStamp>,
    /// Whether any node has accelerators named `ngpus`.
    has_gpus: bool,
    /// Whether there are placement sets.
    has_sets: bool,
    /// Whether any node is bound to a queue.
    has_queues: bool,
}

/// The default columns; every other field has a column on request.
const USUAL: [&str; 12] = [
    "node",
    "state",
    "ncpus",
    "ncpus.free",
    "ngpus",
    "jobs",
    "job",
    "next",
    "queue",
    "set",
    "priority",
    "comment",
];

impl ListModel for NodeTable {
    type Line = NodeLine;

    const HAS_PAGE: bool = true;

    const PAGE_BELOW: bool = true;

    fn lines(&mut self, cx: ViewContext<'_>) -> Vec<Rc<NodeLine>> {
        let (plan, state) = (cx.plan(), cx.state());
        self.uses = state.node_uses();
        self.free_at = free_at(state);
        self.whole_by = OnceCell::new();
        self.started = started(cx);
        self.taken = cx.taken_by_last_step();
        self.has_sets = !state.pools.is_empty();
        self.take_nodes(cx);
        let mut lines = Vec::with_capacity(plan.nodes.len());
        for wanted in RANKS {
            let bits = plan.nodes.ids().filter(|bit| rank(self.uses[*bit]) == wanted);
            lines.extend(bits.map(|bit| self.nodes[bit].clone()));
        }
        lines
    }

    fn made_of(cx: ViewContext<'_>) -> Option<ListStamp> {
        Some(ListStamp::Step(cx.step_stamp()))
    }

    fn is_same(a: &NodeLine, b: &NodeLine) -> bool {
        a == b
    }

    fn finds_row<'a>(
        _: &'a NodeLine,
        object: Option<&'a Object>,
        cx: ViewContext<'a>,
    ) -> RowPredicate<'a, NodeLine> {
        match object {
            Some(object) => Self::shown_by(object, cx),
            None => Box::new(|_| false),
        }
    }

    fn heading(line: &NodeLine) -> Option<Cow<'_, str>> {
        line.heading.as_deref().map(Cow::Borrowed)
    }

    fn mark(&self, line: &NodeLine, cx: ViewContext<'_>) -> Option<RowSign> {
        (!line.is_heading()).then(|| cx.screen.sign_of_node(line.bit, &self.taken)).flatten()
    }

    fn groups(cx: ViewContext<'_>) -> Vec<Name> {
        let plan = cx.plan();
        let places = groups::places(plan).map(|id| plan.snap.catalogue.name(id).clone());
        ["state", "bucket", "set", "host"].map(Name::from).into_iter().chain(places).collect()
    }

    fn group_names<'a>(&'a self, by: &'a str, cx: ViewContext<'a>) -> GroupNameFn<'a, NodeLine> {
        let state = cx.state();
        let Some(by) = NodeGrouping::named(by, &state.plan.snap.catalogue).filter(|_| by != "state") else {
            return Box::new(move |line| word_of(state, self.uses[line.bit], line.bit));
        };
        let names = groups::names(state, by);
        Box::new(move |line| names(line.bit).unwrap_or_else(|| "in none".to_owned()))
    }

    fn group_heading(name: &str, rows: &[&NodeLine], _: ViewContext<'_>) -> Option<NodeLine> {
        let text = format!("{} · {name}", wording::count(rows.len(), "vnode"));
        Some(NodeLine { bit: Bit::at(0), heading: Some(text.into()) })
    }

    fn matches_filter(filter: &Filter, line: &NodeLine, cx: ViewContext<'_>) -> bool {
        filter.matches(&NodeRecord::of(cx.state(), line.bit))
    }

    fn fields(cx: ViewContext<'_>) -> QueryFields {
        node_fields(&cx.snapshot().catalogue).by_clock_of(cx.snapshot())
    }

    fn values(field: &str, cx: ViewContext<'_>) -> Vec<ValueCount> {
        node_values(cx.state(), field)
    }

    fn title(&self, _: ViewContext<'_>) -> String {
        format!("Nodes · {}", wording::count(self.uses.len(), "vnode"))
    }

    fn order(&self) -> &'static str {
        ", problems first"
    }

    fn quick_filters() -> &'static [QuickFilter] {
        &[("free", "use=free"), ("part", "use=part"), ("full", "use=full"), ("out", "use=out")]
    }

    fn columns<'a>(&'a self, cx: ViewContext<'a>, width: u16) -> Vec<NodeLineColumn<'a>> {
        let (state, theme) = (cx.state(), cx.theme);
        let record = record(state);
        let snap = &state.plan.snap;
        let plans = cx.displayed_state();
        let text = move |field: &'static str| {
            move |line: NodeLineRef<'a>| {
                Cell::new(record(line).fact(field).map_or_else(String::new, |fact| show(&fact, snap)))
            }
        };
        let by = move |field: &'static str| move |line: NodeLineRef<'a>| key(record(line).fact(field));
        let [ncpus, ngpus] = ["ncpus", "ngpus"].map(|name| consumable(&state.plan, name));
        let wide = bar_width(width);
        let mut columns = vec![
            NodeLineColumn::words("vnode", Width::Between(7, 14), 98, move |line: NodeLineRef<'a>| {
                Cell::new(&**state.plan.node_name(line.bit))
            }),
            NodeLineColumn::words("state", Width::Between(8, 16), 96, move |line: NodeLineRef<'a>| {
                let found = self.uses[line.bit];
                let text =
                    format!("{} {}", sign_of(state, line.bit, found, theme), word_of(state, found, line.bit));
                Cell::of(words_of(found), text).with_leading_role(role_of(found), 1)
            })
            .sorted_by(|line: NodeLineRef<'a>| SortKey::Number(-f64::from(rank(self.uses[line.bit]))))
            .valued(move |line: NodeLineRef<'a>| word_of(state, self.uses[line.bit], line.bit).into()),
            used_of_all(["ncpus used", "ncpus"], (7, 90), state, ncpus),
            NodeLineColumn::words("used", Width::Fixed(wide), 60, move |line: NodeLineRef<'a>| {
                let (used, all) = amounts(state, line.bit, ncpus).unwrap_or_default();
                let (filled, rest) = bar(used, all, usize::from(wide), theme);
                Cell::of(Role::NodeBusy, filled + &rest)
            })
            .valued_by(move |line: NodeLineRef<'a>| SortKey::number(share_used(state, line.bit, ncpus))),
        ];
        if self.has_gpus {
            columns.push(used_of_all(["gpus used", "gpus"], (5, 70), state, ngpus));
        }
        if width >= 160 {
            columns.push(NodeLineColumn::numbers("mem", 8, 40, text("mem")).valued_by(by("mem")));
        }
        columns.extend([
            NodeLineColumn::words("jobs", Width::Between(6, 14), 85, move |line: NodeLineRef<'a>| {
                let jobs = record(line).fact("job").map_or_else(String::new, |fact| show(&fact, snap));
                let started = self.started.get(&line.bit).into_iter().flatten();
                let started = started.map(|job| format!("{}{job}", theme.glyph(Role::VerdictRun)));
                let all = (!jobs.is_empty()).then_some(jobs).into_iter().chain(started);
                Cell::new(all.collect::<Vec<_>>().join(" "))
            }),
            NodeLineColumn::words("free at", Width::Between(7, 11), 75, move |line: NodeLineRef<'a>| {
                Cell::new(self.free_at[line.bit].map_or_else(String::new, |at| time_of_day(snap, at)))
            })
            .valued_by(|line: NodeLineRef<'a>| SortKey::number(self.free_at[line.bit].map(|at| at.0 as f64))),
            NodeLineColumn::words("planned", Width::Between(7, 18), 65, move |line: NodeLineRef<'a>| {
                planned(plans, line)
            })
            .sorted_by(by("next")),
        ]);
        columns.extend(last::last(self, state, cx, width));
        columns.extend(on_request(&Self::fields(cx), &USUAL, record));
        columns
    }

    fn why_empty(&self, _: ViewContext<'_>) -> Vec<String> {
        vec!["No nodes in the scheduler's partition.".to_owned()]
    }

    fn act(&mut self, action: Action, line: Option<&NodeLine>, cx: ViewContext<'_>) -> Option<Update> {
        (action == Action::Select).then(|| match line.and_then(|line| Self::object(line, cx)) {
            Some(node) => Update::request(Effect::GoToPage(node)),
            None => Update::status("no node under the cursor"),
        })
    }

    fn object(line: &NodeLine, cx: ViewContext<'_>) -> Option<Object> {
        (!line.is_heading()).then(|| Object::Node(cx.plan().node_name(line.bit).to_string()))
    }

    fn has_why(line: &NodeLine, _: ViewContext<'_>) -> bool {
        !line.is_heading()
    }

    fn shown_by<'a>(object: &'a Object, cx: ViewContext<'a>) -> RowPredicate<'a, NodeLine> {
        let bit = match object {
            Object::Node(name) => cx.plan().bit_named.get(&**name).copied(),
            _ => None,
        };
        Box::new(move |line| !line.is_heading() && bit == Some(line.bit))
    }
}

impl NodeTable {
    /// Rebuilds what no step changes, unless it is of this cycle already.
    fn take_nodes(&mut self, cx: ViewContext<'_>) {
        let now = cx.step_stamp();
        if self.made_at.replace(now).is_some_and(|before| before.is_of_same_cycle(now)) {
            return;
        }
        let plan = cx.plan();
        let line = |bit| Rc::new(NodeLine { bit, heading: None });
        self.nodes = plan.nodes.ids().map(line).collect();
        self.has_gpus = has_gpus(plan);
        self.has_queues = cx.snapshot().nodes.iter().any(|node| node.queue.is_some());
    }
}

/// Columns of the bar of used cores in a table of that width.
fn bar_width(width: u16) -> u16 {
    match width {
        160.. => 16,
        100.. => 10,
        _ => 8,
    }
}

/// Whether any node has accelerators named `ngpus`.
fn has_gpus(plan: &Plan) -> bool {
    consumable(plan, "ngpus")
        .is_some_and(|ix| plan.nodes.ids().any(|bit| plan.capacity.available(ix, bit) > 0.0))
}
