//! The placement sets at the position, pool by pool in the order tried, with the sums that are compared, and what
//! became of each for the selected job. Under `node_group_sort_key` sets of combined values stand below the
//! set of the first one, and today's order stands beside with the moves marked.
//!
//! ```text
//! ┏ Placement sets after step 4 · job 5 got no set ━━━━━━━━━━━━━━━━━━━━━━━━ 1/24 ┓
//! ┃    #  today set          free nodes   ncpus left  mem left    for the job    ┃
//! ┃▸  17  2 ▲1  - rt4         6/8 ░░▓▓░░░░     30/46  40gb/58gb  ◷ nodes 6<8     ┃
//! ┃    1  new       rt4-sw1   2/2 ░░            16/16  16gb/16gb ✗ nodes 2<8 in… ┃
//! ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
//! ┌ router=rt4 ──────────────────────────────────────────────────────────────────┐
//! ```

mod cells;
mod detail;
mod fragments;
mod meeting;
mod parts;
mod today;
mod tree;

use std::rc::Rc;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use rustc_hash::{FxHashMap, FxHashSet};

use super::list::{Beside, Listing, NO_MATCH, cut_beside, when};
use crate::action::Action;
use crate::filter::Filter;
use crate::theme::Theme;
use crate::views::ViewName;
use crate::views::effect::{Effect, Update};
use crate::views::object::Object;
use crate::views::view::View;
use crate::views::world::{StepStamp, World};
use crate::widgets::frame;
use crate::widgets::table::{Column, Table, width_of};
use qscope_engine::cluster::{Name, ResourceId};
use qscope_engine::universe::{PoolIx, SetIx};
use qscope_session::query::Fields;
use qscope_session::records::{SetRecord, set_fields};

use cells::{Cells, Sizes};
use fragments::Fragments;
use meeting::Meeting;
use parts::{DETAIL, Parts, ROOMY};
use today::Today;
use tree::{Families, Line, SetLine};

/// Where a set stands in today's order, and how many places it comes sooner in the designed one, among the sets that
/// both have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Usual {
    place: usize,
    moved: isize,
}

/// The view's state.
#[derive(Debug, Default)]
pub(crate) struct Pools {
    list: Listing<Line>,
    filter: Filter,
    /// Sets below which nothing is shown, by name.
    folded: FxHashSet<Name>,
    usual: FxHashMap<SetIx, Usual>,
    today: Today,
    families: Families,
    sizes: Sizes,
    /// Of the pool whose head is under the cursor.
    fragments: Option<Rc<Fragments>>,
    /// What was analysed at the step: between two keys there is no time for it again.
    analysed: (Option<StepStamp>, FxHashMap<PoolIx, Rc<Fragments>>),
    /// The page of the set under the cursor, beside the table.
    beside: Beside,
}

fn keeps(filter: &Filter, world: World<'_>, line: &Line) -> bool {
    match line {
        _ if filter.is_empty() => true,
        Line::Pool(..) => false,
        Line::Set(line) => {
            let state = world.state();
            let owner = tree::owner(state, &state.pools[line.pool]);
            filter.keeps(&SetRecord::of(world.plan(), &owner, &state.sets[line.ix]))
        }
    }
}

fn is_same(a: &Line, b: &Line) -> bool {
    match (a, b) {
        (Line::Set(a), Line::Set(b)) => (&a.name, a.pool) == (&b.name, b.pool),
        (Line::Pool(a, _), Line::Pool(b, _)) => a == b,
        _ => false,
    }
}

fn is_sorted(world: World<'_>) -> bool {
    world.plan().group_order.is_some()
}

impl Pools {
    fn set(&self) -> Option<&SetLine> {
        match self.list.selected()? {
            Line::Set(line) => Some(line),
            Line::Pool(..) => None,
        }
    }

    /// Where the page of the set under the cursor stands: not where there are none.
    fn place_beside(&self, area: Rect) -> Option<Rect> {
        cut_beside(area).1.filter(|_| !self.list.has_nothing())
    }

    fn parts(&self, area: Rect, sorted: bool) -> Parts {
        let area = if self.place_beside(area).is_some() { cut_beside(area).0 } else { area };
        Parts::of(area, sorted, self.fragments.as_ref().map_or(DETAIL, |fragments| fragments.height()))
    }

    fn make_lines(&mut self, world: World<'_>) {
        let lines = tree::lines(world.state(), &self.families, &self.folded, !self.filter.is_empty());
        let sets = lines.iter().filter_map(|line| match line {
            Line::Set(line) => Some(line),
            Line::Pool(..) => None,
        });
        self.sizes = Sizes::of(world.state(), sets);
        self.list.set(
            lines.into_iter().map(Rc::new).collect(),
            |line| keeps(&self.filter, world, line),
            is_same,
        );
    }

    /// Analyses the free nodes of the pool whose head is under the cursor.
    fn analyse_pool(&mut self, world: World<'_>) {
        let state = world.state();
        let (stamp, known) = &mut self.analysed;
        let now = Some(world.step_stamp());
        if std::mem::replace(stamp, now) != now {
            known.clear();
        }
        self.fragments = match self.list.selected() {
            Some(Line::Pool(pool, _)) if state.pools.checked(*pool).is_some() => {
                let found = known.entry(*pool).or_insert_with(|| Rc::new(Fragments::of(state, *pool)));
                Some(found.clone())
            }
            _ => None,
        };
    }

    /// Folds what stands below a set away, or shows it; from a set with nothing below, left leads to the one above.
    fn fold(&mut self, action: Action, world: World<'_>) -> Update {
        let Some(line) = self.set().cloned() else { return Update::nothing() };
        let changed = match (action, line.below > 0, line.folded) {
            (Action::Left, true, false) => self.folded.insert(line.name),
            (Action::Right, true, true) => self.folded.remove(&line.name),
            (Action::Left, ..) => return self.go_above(&line),
            _ => false,
        };
        if changed {
            self.make_lines(world);
        }
        Update::changed_if(changed)
    }

    fn go_above(&mut self, line: &SetLine) -> Update {
        let mut name = &*line.name;
        while let Some((above, _)) = name.rsplit_once(',') {
            let meant = |other: &Line| matches!(other, Line::Set(set) if &*set.name == above && set.pool == line.pool);
            if self.list.put_on(meant) {
                return Update::changed();
            }
            name = above;
        }
        Update::nothing()
    }
}

impl View for Pools {
    fn refresh(&mut self, world: World<'_>) {
        let began = self.list.has_nothing();
        (self.usual, self.today) = today::compare(world.state());
        // What a filter tests may change with every step; the tree only with the order.
        if self.families.follow(world.state()) || !self.filter.is_empty() {
            self.make_lines(world);
        }
        if began {
            self.list.put_on(|line| matches!(line, Line::Set(_)));
        }
        self.analyse_pool(world);
    }

    fn act(&mut self, action: Action, area: Rect, world: World<'_>) -> Update {
        let set = self.set().map(|line| Object::Set(line.name.to_string()));
        match (action, set) {
            (Action::Select, Some(set)) => Update::request(Effect::GoToPage(set)),
            (Action::ToggleMap, Some(set)) => Update::request(Effect::GoToIn(ViewName::Buckets, set)),
            (Action::ToggleMap | Action::Select, None) => Update::status("no set under the cursor"),
            (Action::Left | Action::Right, _) => self.fold(action, world),
            _ => {
                let reply = self.list.go(action, self.parts(area, is_sorted(world)).table);
                self.analyse_pool(world);
                reply
            }
        }
    }

    fn prepare(&mut self, area: Rect, world: World<'_>) {
        if let Some(place) = self.place_beside(area) {
            let set = self.here(world);
            self.beside.follow(set, place, world);
        }
    }

    fn requests(&mut self) -> Vec<Effect> {
        self.beside.requests()
    }

    fn fields(&self, world: World<'_>) -> Fields {
        set_fields(&world.snapshot().catalogue)
    }

    fn filter(&mut self, filter: &Filter, world: World<'_>) {
        self.filter = filter.clone();
        self.make_lines(world);
    }

    fn show(&mut self, object: &Object, world: World<'_>) -> bool {
        let Object::Set(name) = object else { return false };
        let is_it = |line: &Line| matches!(line, Line::Set(line) if *line.name == **name);
        if self.list.put_on(is_it) {
            return true;
        }
        self.folded.clear();
        self.make_lines(world);
        self.list.put_on(is_it)
    }

    fn here(&self, _: World<'_>) -> Option<Object> {
        self.set().map(|line| Object::Set(line.name.to_string()))
    }

    fn click(&mut self, at: Position, area: Rect, world: World<'_>) -> Update {
        let table = self.parts(area, is_sorted(world)).table;
        if !table.contains(at) {
            return Update::nothing();
        }
        let reply = self.list.click(at, table);
        self.analyse_pool(world);
        reply
    }

    fn render(&self, area: Rect, buf: &mut Buffer, world: World<'_>, theme: &Theme) {
        let sorted = is_sorted(world);
        let parts = self.parts(area, sorted);
        let meeting = Meeting::of(world);
        let job = meeting.as_ref().map_or(String::new(), |meeting| format!(" · {}", meeting.headline()));
        let title = match area.width {
            ..ROOMY => format!("Sets {}{job}", when(world.position())),
            _ => format!("Placement sets {}, in the order tried{job}", when(world.position())),
        };
        let note = self.list.position();
        if let Some(place) = self.place_beside(area) {
            self.beside.draw(place, buf, world, theme);
        }
        if self.list.is_empty() {
            let area = if self.place_beside(area).is_some() { cut_beside(area).0 } else { area };
            let inner = frame::pane(area, buf, theme, &title, &note, true);
            let server = &world.snapshot().server;
            let why = match (self.list.has_nothing(), server.node_group_enable) {
                (false, _) => NO_MATCH,
                (true, false) => "There are no placement sets: node_group_enable is off.",
                (true, true) => "There are no placement sets: no node_group_key is set.",
            };
            frame::empty(inner, buf, theme, &[why]);
            return;
        }
        let inner = frame::pane(parts.table, buf, theme, &title, &note, true);
        let mut fields = cells::fields(inner.width, sorted, meeting.is_some());
        // Nothing but dashes would stand in it.
        let state = world.state();
        if !state.sets.ids().any(|set| meeting::sums(state, set, ResourceId::mem()).is_some()) {
            fields.retain(|field| !field.is_mem());
        }
        let cells = |room| Cells { view: self, world, theme, meeting: meeting.as_ref(), room };
        let columns = |room| -> Vec<Column<'_, Rc<Line>>> {
            fields.iter().map(|field| field.column(self.sizes, cells(room))).collect()
        };
        // How much a map or a bar shows depends on the room that its column gets.
        let measured = columns((0, 0));
        let room_of = |title| width_of(&measured, title, inner.width);
        let columns = columns((room_of(cells::MAP), room_of("")));
        Table { heading: &|line: &'_ Rc<Line>| tree::heading(line), ..self.list.table(&columns, theme) }
            .render(inner, buf);
        if let Some(area) = parts.today {
            self.today.render(area, buf, theme, self.set().map_or("", |line| &line.name));
        }
        if let (Some(area), Some(fragments)) = (parts.detail, &self.fragments) {
            fragments.render(area, buf, theme);
        } else if let Some(area) = parts.detail {
            self.render_detail(area, buf, world, theme, meeting.as_ref());
        }
    }
}
