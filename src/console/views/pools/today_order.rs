//! The order of the sets without `node_group_sort_key`, which is today's, beside the designed order.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use rustc_hash::FxHashMap;

use super::TodayPlace;
use super::cells::moved_mark;
use crate::theme::{Role, Theme};
use crate::widgets::frame;
use crate::widgets::table::{Cell, Table, TableColumn, TableState, Width};
use qscope_engine::cluster::Name;
use qscope_engine::universe::{SetIx, State};

/// The sets in today's order, each with its place in the designed order.
#[derive(Debug, Default)]
pub(super) struct TodayOrder {
    sets: Vec<TodayLine>,
}

/// A set in both orders.
#[derive(Debug)]
struct TodayLine {
    name: Name,
    /// Its place in the designed order.
    place: usize,
    usual: TodayPlace,
}

/// Compares the orders of every pool that the designed order sorts: by set, and as a list.
pub(super) fn compare(state: &State) -> (FxHashMap<SetIx, TodayPlace>, TodayOrder) {
    let (mut by_set, mut today) = (FxHashMap::default(), TodayOrder::default());
    for pool in state.pools.iter().filter(|pool| pool.ranks.is_some()) {
        let order = pool.usual_order(&state.plan, &state.sets);
        // There may be very many combinations, which today's order does not have.
        let flat = pool.order.iter().copied().zip(1..).filter(|(set, _)| state.sets[*set].shape.dims <= 1);
        let places: FxHashMap<SetIx, usize> = flat.collect();
        let mut among: Vec<(usize, SetIx)> =
            order.iter().filter_map(|set| Some((*places.get(set)?, *set))).collect();
        debug_assert_eq!(among.len(), order.len(), "the designed order has every set of today");
        among.sort_unstable();
        // For each set its place among the common sets, and among all.
        let designed: FxHashMap<SetIx, (isize, usize)> =
            among.into_iter().zip(1..).map(|((place, set), at)| (set, (at, place))).collect();
        for (set, was) in order.iter().zip(1isize..) {
            let Some((at, place)) = designed.get(set).copied() else { continue };
            let usual = TodayPlace { place: was.unsigned_abs(), moved: was - at };
            by_set.insert(*set, usual);
            let name = state.sets[*set].shape.name.clone();
            today.sets.push(TodayLine { name, place, usual });
        }
    }
    (by_set, today)
}

type TodayColumn<'a> = TableColumn<'a, TodayLine>;

fn columns<'a>(theme: &'a Theme) -> [TodayColumn<'a>; 4] {
    let moves = |usual: TodayPlace| match usual.moved {
        0 => Cell::of(Role::TextDim, "="),
        moved => Cell::of(Role::Changed, format!("{}{}", moved_mark(moved, theme), moved.unsigned_abs())),
    };
    let dim = |place: usize| Cell::of(Role::TextDim, place.to_string());
    [
        TodayColumn::words("#", Width::Between(3, 6), 90, move |line| dim(line.usual.place)).at_right(),
        TodayColumn::words("set", Width::Fill(10), 100, |line| Cell::new(&*line.name)),
        TodayColumn::words("moves", Width::Fixed(5), 80, move |line| moves(line.usual)),
        TodayColumn::numbers("tried", 6, 85, move |line| dim(line.place)),
    ]
}

impl TodayOrder {
    /// Draws the list; the cursor is on the set selected in the view, or on its parent.
    pub(super) fn render(&self, area: Rect, buf: &mut Buffer, theme: &Theme, under: &str) {
        let note = crate::wording::count(self.sets.len(), "set");
        let inner = frame::pane(area, buf, theme, "Without node_group_sort_key", &note, false);
        let is_under =
            |line: &TodayLine| *line.name == *under || under.starts_with(&format!("{},", line.name));
        let selected = self.sets.iter().position(is_under).unwrap_or(0);
        let state = TableState { selected, offset: 0 };
        let columns = columns(theme);
        Table { focused: false, ..Table::new(&columns, &self.sets, state, theme) }.render(inner, buf);
    }
}
