//! What the cells of a node are made of.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::super::map::sign_of_one;
use super::super::use_words::sign;
use super::NodeLine;
use crate::theme::{GlyphSet, Role, Theme};
use crate::views::World;
use crate::widgets::ramp::look;
use crate::widgets::table::{Cell, SortKey};
use qscope_engine::cluster::short_id;
use qscope_engine::universe::{Bit, ConsIx, NodeUse, Occupant, Plan, State};
use qscope_explain::standing_starts;
use qscope_explain::words::time_of_day;
use qscope_session::node_facts::free_share;
use qscope_session::records::NodeRecord;

/// The sign of a node's use; for one in part that of the map, with the height of its free share.
pub(super) fn sign_of(state: &State, bit: Bit, found: NodeUse, theme: &Theme) -> &'static str {
    match (found, theme.theme_options().glyphs) {
        (NodeUse::Part, GlyphSet::Unicode) => look(sign_of_one(found, Some(free_share(state, bit))), theme).0,
        _ => sign(found, theme),
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
    NodeRecord::of(state, bit).in_use(of?)
}

/// The two as a fraction.
pub(super) fn used_of(state: &State, bit: Bit, of: Option<ConsIx>) -> Cell<'static> {
    Cell::new(amounts(state, bit, of).map_or_else(String::new, |(used, all)| format!("{used}/{all}")))
}

/// What is used, to sort by.
pub(super) fn used_key(state: &State, bit: Bit, of: Option<ConsIx>) -> SortKey {
    SortKey::number(amounts(state, bit, of).map(|(used, _)| used))
}

/// The jobs that the cycle has started up to the position, by node.
pub(super) fn started(world: World<'_>) -> FxHashMap<Bit, String> {
    let run = world.run();
    let mut found: FxHashMap<Bit, String> = FxHashMap::default();
    let steps = standing_starts(run, world.position()).filter(|step| !run.is_refused(&step.outcome));
    for step in steps {
        let Some(placed) = &step.outcome.placed else { continue };
        let name = step.outcome.name(&run.plan.snap);
        for bit in placed.allocation.nodes() {
            found.entry(bit).or_default().push_str(&format!(" +{}", short_id(&name)));
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
