//! What the cells of a node are made of.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::super::map::sign_of_one;
use super::super::use_words::sign;
use super::{NodeLine, NodeLineColumn};
use crate::theme::{GlyphSet, Role, Theme};
use crate::views::ViewContext;
use crate::widgets::ramp::glyph_and_role;
use crate::widgets::table::{Cell, SortKey, number};
use qscope_engine::cluster::short_id;
use qscope_engine::universe::{Bit, ConsIx, NodeUse, Occupant, Plan, State};
use qscope_explain::standing_starts;
use qscope_explain::words::time_of_day;
use qscope_session::node_facts::free_share;
use qscope_session::records::NodeRecord;

/// The sign of a node's use; for one in part that of the map, with the height of its free share.
pub(super) fn sign_of(state: &State, bit: Bit, node_use: NodeUse, theme: &Theme) -> &'static str {
    match (node_use, theme.theme_options().glyphs) {
        (NodeUse::Part, GlyphSet::Unicode) => {
            glyph_and_role(sign_of_one(node_use, Some(free_share(state, bit))), theme).0
        }
        _ => sign(node_use, theme),
    }
}

/// What columns and filters read of a node.
pub(super) fn record<'a>(state: &'a State) -> impl Fn(&'a Rc<NodeLine>) -> NodeRecord<'a> + Copy {
    move |line| NodeRecord::of(state, line.bit)
}

/// A consumable by its name, found once for all rows.
pub(super) fn consumable(plan: &Plan, name: &str) -> Option<ConsIx> {
    plan.consumables.ix(plan.snap.catalogue.id(name)?)
}

/// What is used and what there is of a resource, as numbers.
pub(super) fn amounts(state: &State, bit: Bit, of: Option<ConsIx>) -> Option<(f64, f64)> {
    NodeRecord::of(state, bit).used_and_total(of?)
}

/// A column with both as a fraction, sorted by what is used; exported as two numbers under these names.
pub(super) fn used_of_all<'a>(
    [used, all]: [&'static str; 2],
    (width, keep): (u16, u8),
    state: &'a State,
    of: Option<ConsIx>,
) -> NodeLineColumn<'a> {
    let amounts = move |line: &NodeLine| amounts(state, line.bit, of);
    let fraction = move |line| amounts(line).map_or_else(String::new, |(used, all)| format!("{used}/{all}"));
    NodeLineColumn::numbers(all, width, keep, move |line: &Rc<NodeLine>| Cell::new(fraction(line)))
        .sorted_by(move |line| SortKey::number(amounts(line).map(|(used, _)| used)))
        .in_parts(vec![
            (used, Box::new(move |line| number(amounts(line).map(|(used, _)| used)))),
            (all, Box::new(move |line| number(amounts(line).map(|(_, all)| all)))),
        ])
}

/// The used share of a resource.
pub(super) fn share_used(state: &State, bit: Bit, of: Option<ConsIx>) -> Option<f64> {
    amounts(state, bit, of).map(|(used, all)| used / all)
}

/// The jobs that the cycle has started up to the position, by node.
pub(super) fn started(cx: ViewContext<'_>) -> FxHashMap<Bit, Vec<String>> {
    let run = cx.run();
    let mut found: FxHashMap<Bit, Vec<String>> = FxHashMap::default();
    let steps = standing_starts(run, cx.position()).filter(|step| !run.is_refused(&step.outcome));
    for step in steps {
        let Some(placed) = &step.outcome.placed else { continue };
        let name = step.outcome.name(&run.plan.snap);
        for bit in placed.allocation.nodes() {
            found.entry(bit).or_default().push(short_id(&name).to_owned());
        }
    }
    found
}

/// What is planned on it next, and when: at rest what this cycle plans.
pub(super) fn planned(state: &State, line: &NodeLine) -> Cell<'static> {
    let snap = &state.plan.snap;
    let text = state.first_event(line.bit).map(|event| {
        let who = match event.occupant {
            Occupant::Job(job, _) => state.plan.job(job).short_name().to_owned(),
            Occupant::Reservation(id) => short_id(&snap.reservations[id].name).to_owned(),
        };
        format!("{who} {}", time_of_day(snap, event.at))
    });
    Cell::of(Role::NodeLater, text.unwrap_or_default())
}
