//! The placement sets at the position, pool by pool in the order tried, with the sums that are compared, and the result
//! of each for the selected job. Under `node_group_sort_key`, sets of combined values are below the set of the first
//! value, and today's order is shown beside with the moves marked.
//!
//! ```text
//! ┏ Placement sets after step 4 · job 5 got no set ━━━━━━━━━━━━━━━━━━━━━━━━ 1/24 ┓
//! ┃  try without set             nodes      count  ncpus  mem job at its turn    ┃
//! ┃▸  17  2 ▲1   - router=rt4    ██····█·     6/8  30/46 40gb ◷ 6 of 8 nodes     ┃
//! ┃    1 new         switch=sw1  ██           2/2  16/16 16gb ✗ 2 of 8 nodes     ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ┌ router=rt4 ──────────────────────────────────────────────────────────────────┐
//! ```

mod absent;
mod analysing;
mod cells;
mod detail;
mod draw;
mod folding;
mod fragments;
mod job_trial;
mod layout;
mod sorting;
mod today_order;
mod tree;

use std::rc::Rc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use rustc_hash::{FxHashMap, FxHashSet};

use super::list::{FilteredList, PendingSlice, SidePage, cut_beside};
use super::table_choices::{TableChoices, TableShape};
use crate::action::Action;
use crate::filter::Filter;
use crate::layout::{cells, inner_area};
use crate::task::TaskNews;
use crate::views::{Effect, Grid, Object, StepStamp, Update, View, ViewContext, ViewName};
use qscope_engine::cluster::Name;
use qscope_engine::universe::{Bit, PoolIx, SetIx};
use qscope_session::query::QueryFields;
use qscope_session::records::{SetRecord, set_fields};

use absent::NoSetsNotice;
use cells::PoolWidths;
use fragments::FragmentationText;
use job_trial::JobSetTrial;
use layout::{DETAIL, PoolAreas, VERY_TALL};
use today_order::TodayOrder;
use tree::{PoolLine, SetLine, SetParents, SetTreeOptions};

/// The place of a set in today's order, and how many places earlier it is in the designed order, among the sets that
/// both orders have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct TodayPlace {
    place: usize,
    moved: isize,
}

/// The view's state.
#[derive(Debug, Default)]
pub(crate) struct PoolsView {
    list: FilteredList<PoolLine>,
    filter: Filter,
    chosen: TableChoices,
    /// The width of the table when last drawn.
    width: u16,
    /// The position when the cursor was last moved to a decision's set.
    position: usize,
    /// Names of sets whose subsets are hidden.
    folded: FxHashSet<Name>,
    usual: FxHashMap<SetIx, TodayPlace>,
    today: TodayOrder,
    /// The nodes that the last step took.
    taken: FxHashSet<Bit>,
    families: SetParents,
    sizes: PoolWidths,
    /// The analysis of the pool under the cursor, or of the pool of the set there.
    fragments: Option<Rc<FragmentationText>>,
    /// What is shown if there are no sets, and the step it was made for.
    absent: Option<(StepStamp, NoSetsNotice)>,
    /// The pools analysed at the step: too slow to repeat at every key press.
    analysed: (Option<StepStamp>, FxHashMap<PoolIx, Rc<FragmentationText>>),
    analysed_pool: Option<PoolIx>,
    analysing: PendingSlice,
    /// The page of the selected set, beside the table.
    side_page: SidePage,
}

fn matches_filter(filter: &Filter, cx: ViewContext<'_>, line: &PoolLine) -> bool {
    match line {
        _ if filter.is_empty() => true,
        PoolLine::Pool(..) => false,
        PoolLine::Set(line) => {
            let state = cx.state();
            let owner = tree::owner(state, &state.pools[line.pool]);
            filter.matches(&SetRecord::of(cx.plan(), &owner, &state.sets[line.ix]))
        }
    }
}

fn is_same(a: &PoolLine, b: &PoolLine) -> bool {
    match (a, b) {
        (PoolLine::Set(a), PoolLine::Set(b)) => (&a.name, a.pool) == (&b.name, b.pool),
        (PoolLine::Pool(a, _), PoolLine::Pool(b, _)) => a == b,
        _ => false,
    }
}

fn is_sorted(cx: ViewContext<'_>) -> bool {
    cx.plan().group_order.is_some()
}

impl PoolsView {
    fn set(&self) -> Option<&SetLine> {
        match self.list.selected()? {
            PoolLine::Set(line) => Some(line),
            PoolLine::Pool(..) => None,
        }
    }

    /// The place for the page of the selected set; `None` if there are no sets.
    fn place_beside(&self, area: Rect) -> Option<Rect> {
        cut_beside(area).1.filter(|_| !self.list.has_nothing())
    }

    fn parts(&self, area: Rect, sorted: bool) -> PoolAreas {
        let area = if self.place_beside(area).is_some() { cut_beside(area).0 } else { area };
        let fragments = self.fragments.as_ref().map_or(0, |fragments| fragments.height());
        // With few sets, lower screens have room too: 3 rows are for frame and headings.
        let left = area.height.saturating_sub(cells(self.list.len()).saturating_add(3));
        let detail = match self.set() {
            Some(_) if area.height >= VERY_TALL || left >= DETAIL + fragments => DETAIL + fragments,
            Some(_) => DETAIL,
            None => fragments.max(DETAIL),
        };
        PoolAreas::of(area, sorted, detail)
    }

    /// Which lines the list has: a filter or another order takes sets away from the one above them.
    fn tree_options(&self) -> SetTreeOptions {
        let whole = !self.filter.is_empty();
        SetTreeOptions { whole, nested: !whole && self.chosen.sort.is_none() }
    }

    fn make_lines(&mut self, cx: ViewContext<'_>) {
        let lines = tree::lines(cx.state(), &self.families, &self.folded, self.tree_options());
        let sets = lines.iter().filter_map(|line| match line {
            PoolLine::Set(line) => Some(line),
            PoolLine::Pool(..) => None,
        });
        self.sizes = PoolWidths::of(cx.state(), sets);
        self.list.leave_out(|line| tree::heading(line).is_some());
        self.list.set(
            lines.into_iter().map(Rc::new).collect(),
            |line| matches_filter(&self.filter, cx, line),
            is_same,
        );
        self.arrange(cx);
    }
}

/// Actions without effect if there are no sets; the last one is without effect only if there is no job either.
const NOTHING: [Action; 6] =
    [Action::Select, Action::ToggleMap, Action::Sort, Action::Columns, Action::Filter, Action::AskWhy];

impl View for PoolsView {
    fn inactive_actions(&self, cx: ViewContext<'_>) -> &'static [Action] {
        let [without_sets @ .., _] = &NOTHING;
        match self.set() {
            _ if self.list.has_nothing() && cx.screen.subject.is_none() => &NOTHING,
            _ if self.list.has_nothing() => without_sets,
            // The cursor is on the heading of a pool.
            None => &[Action::Select, Action::ToggleMap],
            Some(_) => &[],
        }
    }

    fn refresh(&mut self, cx: ViewContext<'_>) {
        let began = self.list.has_nothing();
        (self.usual, self.today) = today_order::compare(cx.state());
        self.taken = cx.taken_by_last_step().into_iter().collect();
        // The rows that match a filter may change with every step; the tree changes only with the order.
        if self.families.follow(cx.state()) || !self.filter.is_empty() {
            self.make_lines(cx);
        }
        if began {
            self.list.put_on(|line| matches!(line, PoolLine::Set(_)));
        }
        self.follow_decision(cx);
        self.analyse_pool(cx);
        let stamp = cx.step_stamp();
        if self.list.has_nothing() && self.absent.as_ref().is_none_or(|(known, _)| *known != stamp) {
            self.absent = Some((stamp, NoSetsNotice::of(cx)));
        }
    }

    fn act(&mut self, action: Action, area: Rect, cx: ViewContext<'_>) -> Update {
        let set = self.set().map(|line| Object::Set(line.name.to_string()));
        match (action, set) {
            (Action::Select, Some(set)) => Update::request(Effect::GoToPage(set)),
            (Action::ToggleMap, Some(set)) => Update::request(Effect::GoToIn(ViewName::Buckets, set)),
            (Action::ToggleMap | Action::Select, None) => Update::status("no set under the cursor"),
            (Action::Left | Action::Right, _) => self.fold(action, cx),
            (Action::Sort | Action::SortReverse, _) => self.sort(action, cx),
            _ => {
                let reply = self.list.move_cursor(action, self.parts(area, is_sorted(cx)).table);
                self.analyse_pool(cx);
                reply
            }
        }
    }

    fn prepare(&mut self, area: Rect, cx: ViewContext<'_>) {
        self.width = inner_area(self.parts(area, is_sorted(cx)).table).width;
        if let Some(place) = self.place_beside(area) {
            let set = self.object_at_cursor(cx);
            self.side_page.follow(set, place, cx);
        }
    }

    fn requests(&mut self) -> Vec<Effect> {
        let mut all = self.side_page.requests();
        all.extend(self.analysing.request());
        all
    }

    fn on_news(&mut self, news: &TaskNews, cx: ViewContext<'_>) -> Update {
        if !self.analysing.is_next(news) {
            return self.side_page.on_news(news, cx);
        }
        self.analyse(cx, true);
        Update::changed()
    }

    fn fields(&self, cx: ViewContext<'_>) -> QueryFields {
        set_fields(&cx.snapshot().catalogue)
    }

    fn filter(&mut self, filter: &Filter, cx: ViewContext<'_>) {
        self.filter = filter.clone();
        self.make_lines(cx);
        self.analyse_pool(cx);
    }

    fn table(&self, cx: ViewContext<'_>) -> Option<TableShape> {
        let job = JobSetTrial::of(cx);
        let columns = self.columns(cx.undrawn(), job.as_ref(), self.width);
        Some(self.chosen.shape(&columns))
    }

    fn grid(&self, cx: ViewContext<'_>) -> Option<Grid> {
        let job = JobSetTrial::of(cx);
        let columns = self.columns(cx.undrawn(), job.as_ref(), u16::MAX);
        // The signs of the nodes are no values.
        let columns = columns.iter().filter(|column| column.title != cells::MAP);
        let is_set = |line: &&Rc<PoolLine>| matches!(***line, PoolLine::Set(_));
        Some(Grid::of(columns, self.list.matching_rows().iter().filter(is_set)))
    }

    fn set_table(&mut self, choices: &TableChoices, cx: ViewContext<'_>) {
        self.chosen = choices.clone();
        self.sort_by(choices.sort.clone(), cx);
    }

    fn show(&mut self, object: &Object, cx: ViewContext<'_>) -> bool {
        let Object::Set(name) = object else { return false };
        let is_it = |line: &PoolLine| matches!(line, PoolLine::Set(line) if *line.name == **name);
        if self.list.put_on(is_it) {
            return true;
        }
        self.folded.clear();
        self.make_lines(cx);
        self.list.put_on(is_it)
    }

    /// The view is about the selected job.
    fn object_to_explain(&self, cx: ViewContext<'_>) -> Option<Object> {
        cx.screen.subject_name().map(Object::Job)
    }

    fn object_at_cursor(&self, _: ViewContext<'_>) -> Option<Object> {
        self.set().map(|line| Object::Set(line.name.to_string()))
    }

    fn click(&mut self, at: Position, area: Rect, cx: ViewContext<'_>) -> Update {
        let table = self.parts(area, is_sorted(cx)).table;
        if !table.contains(at) {
            return Update::unchanged();
        }
        let reply = self.list.click(at, table);
        self.analyse_pool(cx);
        reply
    }

    fn render(&self, area: Rect, buf: &mut Buffer, cx: ViewContext<'_>) {
        self.draw(area, buf, cx);
    }
}
