//! The page of a reservation: its state and times, its nodes, and how it was confirmed.

use super::rows::PageRow;
use crate::theme::Role;
use crate::views::{Object, World};
use crate::wording;
use qscope_engine::cluster::{Reservation, ResvId};

fn found<'a>(world: World<'a>, name: &str) -> Option<(ResvId, &'a Reservation)> {
    let snap = world.snapshot();
    snap.reservation_named(name).map(|id| (id, &snap.reservations[id]))
}

/// Its state in one word, for the title.
pub(super) fn state_word(world: World<'_>, name: &str) -> String {
    found(world, name).map_or_else(String::new, |(_, one)| one.state.word())
}

/// The facts of a reservation.
pub(super) fn of_reservation(world: World<'_>, name: &str) -> Vec<PageRow> {
    let snap = world.snapshot();
    let Some((id, one)) = found(world, name) else { return vec![PageRow::text("not in this snapshot")] };
    // The result comes first: a key press on it opens the search.
    let mut rows = result(world, id, name);
    rows.push(PageRow::fact("state", one.state.word()));
    let clock = |at| wording::clock(snap, at);
    if let (Some(start), Some(end)) = (one.start, one.end) {
        let text = format!("{} to {} · {}", clock(start), clock(end), wording::duration(end - start));
        rows.push(PageRow::fact("time", text));
    }
    rows.push(PageRow::fact("owner", &*one.owner));
    if let Some(select) = &one.select {
        let place = one.place.as_ref().map_or_else(String::new, |place| format!(" · place {place}"));
        rows.push(PageRow::fact("asks", format!("{}{place}", wording::asks(select, "×"))));
    }
    if let Some(queue) = &one.queue {
        rows.push(PageRow::fact("queue", &**queue).to(Object::Queue(queue.to_string())));
    }
    if let Some(nodes) = &one.nodes {
        let names: Vec<&str> = nodes.parts().map(|part| &*part.vnode).collect();
        let row = PageRow::fact("nodes", wording::compact(names.iter().copied()));
        rows.push(match names.first() {
            Some(first) => row.to(Object::Node((*first).to_owned())),
            None => row,
        });
    }
    rows
}

/// How this cycle confirmed the reservation, or why not.
fn result(world: World<'_>, id: ResvId, name: &str) -> Vec<PageRow> {
    let tried = world.run().confirmations.iter().find(|tried| tried.reservation == id);
    let Some(tried) = tried else { return Vec::new() };
    let (text, role) = match &tried.result {
        Ok(allocation) => {
            let nodes = wording::node_list(world.plan(), &allocation.nodes());
            (format!("confirmed by the node path on {nodes}"), Role::VerdictRun)
        }
        Err(why) => (format!("denied: {}", why.uncut(&world.snapshot().catalogue)), Role::VerdictNever),
    };
    let row = PageRow::fact("result", text).in_role(role);
    vec![
        row.to(Object::Reservation(name.to_owned())),
        PageRow::fact("", "Enter on the result steps into the search"),
    ]
}
