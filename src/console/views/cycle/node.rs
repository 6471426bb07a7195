//! The node under the map's cursor: its state, jobs and amounts, in one line or in a pane of its own.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::cluster::Node;
use crate::console::layout::Pane;
use crate::console::shell::{Shell, Shown, bucket_of};
use crate::console::theme::Role;
use crate::console::widgets::frame;
use crate::console::widgets::text::{clean, truncate};
use crate::console::wording;
use crate::universe::{Bit, Party};

fn snapshot_node(shown: &Shown, bit: Bit) -> &Node {
    &shown.generation.snapshot.nodes[shown.run().plan.nodes[bit].id]
}

/// The node in one line: `n7 free · jobs 12 15 · ncpus 4/8 mem 1gb/16gb`.
#[must_use]
pub(super) fn one_line(shown: &Shown) -> Option<String> {
    let bit = shown.node()?;
    let mut text = format!("{} {}", shown.node_name()?, shown.lens.state().floor.states[bit]);
    if let Some(word) = decision_word(shown) {
        text.push_str(&format!(", {word}"));
    }
    let jobs = jobs(shown, bit);
    if !jobs.is_empty() {
        text.push_str(&format!("; jobs {}", jobs.join(" ")));
    }
    for (name, used, total) in amounts(shown, bit) {
        text.push_str(&format!("; {name} {used} of {total} used"));
    }
    Some(clean(&text).into_owned())
}

/// What the decision did to it.
fn decision_word(shown: &Shown) -> Option<&'static str> {
    match shown.map.role(shown.map_state.line, shown.map_state.node)? {
        Role::NodeTaken => Some("taken by this decision"),
        Role::NodeRejected => Some("turned down by this decision"),
        Role::NodeFree | Role::NodeLater if !state_is_free(shown) => {
            Some("yet free in this bitmap, which lags behind")
        }
        Role::NodeLater => Some("wanted later"),
        _ => None,
    }
}

fn state_is_free(shown: &Shown) -> bool {
    shown.node().is_some_and(|bit| shown.lens.state().floor.states[bit].is_free())
}

/// Jobs on it: those of the dump, and those that the cycle has started there before this decision.
fn jobs(shown: &Shown, bit: Bit) -> Vec<String> {
    let short = |name: &str| name.split_once('.').map_or(name, |(id, _)| id).to_owned();
    let mut jobs: Vec<String> = snapshot_node(shown, bit).jobs.iter().map(|name| short(name)).collect();
    let snap = &shown.generation.snapshot;
    for step in shown.run().steps.iter().take(shown.lens.position()) {
        let placed = step.outcome.placed.iter().flat_map(|placed| &placed.allocation.pieces);
        if placed.into_iter().any(|piece| piece.bit == bit) {
            jobs.push(format!("+{}", short(&step.outcome.name(snap))));
        }
    }
    jobs
}

/// What is assigned and what there is, by consumable.
fn amounts(shown: &Shown, bit: Bit) -> Vec<(String, String, String)> {
    let state = shown.lens.state();
    let plan = &state.plan;
    let one = |ix| {
        let total = plan.capacity.available(ix, bit);
        let resource = plan.consumables.resource(ix);
        let kind = plan.snap.catalogue.kind(resource);
        let used = state.floor.assigned[ix][plan.capacity.home(ix, bit)];
        let name = plan.snap.catalogue.name(resource).to_string();
        (!total.is_nan()).then(|| (name, wording::amount(kind, used), wording::amount(kind, total)))
    };
    plan.consumables.ids().filter_map(one).collect()
}

/// Draws the node's pane.
pub(super) fn draw(app: &Shell, shown: &Shown, area: Rect, buf: &mut Buffer) {
    let focused = app.focus == Pane::Side;
    let title = shown.node_name().map_or("Node".to_owned(), |name| format!("Node {name}"));
    let inner = frame::pane(area, buf, &app.theme, &title, "", focused);
    let Some(bit) = shown.node() else {
        frame::empty(inner, buf, &app.theme, &["No node is under the map's cursor.", "Tab goes to the map."]);
        return;
    };
    for ((role, text), at) in lines(shown, bit).iter().zip(inner.rows()) {
        let text = clean(text);
        let text = truncate(&text, usize::from(at.width), app.theme.ellipsis());
        buf.set_stringn(at.x, at.y, text, usize::from(at.width), app.theme.style(*role));
    }
}

fn lines(shown: &Shown, bit: Bit) -> Vec<(Role, String)> {
    let state = shown.lens.state();
    let plan = &state.plan;
    let node = snapshot_node(shown, bit);
    let mut lines = vec![(Role::Text, format!("state    {}", state.floor.states[bit]))];
    if let Some(word) = decision_word(shown) {
        lines.push((Role::Heading, format!("         {word}")));
    }
    let bucket = bucket_of(state, bit).map_or("in none".to_owned(), |ix| state.buckets[ix].name(plan));
    lines.push((Role::Text, format!("bucket   {bucket}")));
    lines.push((Role::TextDim, format!("sharing  {}", node.sharing.word())));
    if let Some(queue) = &node.queue {
        lines.push((Role::Text, format!("queue    {queue}")));
    }
    lines.push((Role::TextDim, format!("rank     {} in the scheduler's node order", bit.0 + 1)));
    for (name, used, total) in amounts(shown, bit) {
        lines.push((Role::Text, format!("{name:<8} {used} of {total} used")));
    }
    let jobs = jobs(shown, bit);
    let jobs = if jobs.is_empty() { "none".to_owned() } else { jobs.join(" ") };
    lines.push((Role::Text, format!("jobs     {jobs}")));
    for event in state.node_events[bit].iter().flat_map(|events| events.iter()).take(4) {
        let who = match event.party {
            Party::Job(job, _) => format!("job {}", plan.job(job).short_name()),
            Party::Reservation(id) => format!("reservation {}", plan.snap.reservations[id].name),
        };
        lines.push((Role::NodeLater, format!("later    {who} at {}", wording::moment(&plan.snap, event.at))));
    }
    for set in state.sets_of[bit].iter().take(6) {
        lines.push((Role::TextDim, format!("set      {}", state.sets[*set].shape.name)));
    }
    if let Some(comment) = &node.comment {
        lines.push((Role::TextDim, format!("comment  {comment}")));
    }
    lines
}
