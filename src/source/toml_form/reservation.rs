//! `[[reservation]]`.

use super::job::JobContext;
use super::occupancy::{OccupantKind, occupy, unknown_nodes};
use super::request::add_sums;
use super::table::TomlTable;
use crate::attributes::rows;
use crate::reservation::ATTRIBUTES;
use qscope_engine::cluster::{
    Amount, Epoch, ExecVnode, Place, Queue, Reservation, ReservationState, ResourceId, Seconds, Select,
    SelectError, Severity, Value, short_id,
};

/// Reads one `[[reservation]]`: confirmed if it has nodes, running if its start has passed.
pub(super) fn read(mut table: TomlTable<'_>, cx: &mut JobContext<'_>) {
    let Some(name) = table.required("name", "a reservation needs a `name`") else { return };
    table.call(&name);
    if cx.snap.reservations.iter().any(|resv| resv.name == name) {
        table.report_at_key("name", format!("there are two reservations called `{name}`"));
    }
    let mut resv = Reservation { name, ..Reservation::default() };
    read_time(&mut table, &mut resv, cx);
    rows::read_toml(ATTRIBUTES, &mut resv, &mut table, &mut cx.snap.catalogue);
    if table.item("state").is_none() {
        resv.state = usual_state(&resv, cx.clock.now);
    }
    if table.item("substate").is_none() {
        resv.substate = resv.state;
    }
    let first = resv.users.first().cloned();
    resv.owner = table.text("owner").or(first).unwrap_or_else(|| "root".into());
    read_request(&mut table, &mut resv, cx);
    resv.retry = cx.clock.moment(&mut table, "retry");
    let short = short_id(&resv.name);
    let queue = table.text("queue").unwrap_or_else(|| short.into());
    if cx.snap.queue_named(&queue).is_none() {
        cx.snap.queues.push(Queue::named(&queue));
    }
    resv.queue = Some(queue);
    take_nodes(&table, &resv, cx);
    cx.snap.reservations.push(resv);
    table.finish();
}

/// Reads start, end and duration; two of them determine the third.
fn read_time(table: &mut TomlTable<'_>, resv: &mut Reservation, cx: &JobContext<'_>) {
    let start = cx.clock.moment(table, "start");
    let duration = table.seconds("duration");
    let end = cx.clock.moment(table, "end");
    let (start, end) = match (start, duration, end) {
        (Some(start), Some(length), None) => (start, start + length),
        (Some(start), _, Some(end)) => (start, end),
        (None, Some(length), Some(end)) => (end - length, end),
        _ => {
            let message = "a reservation needs `start` and `duration`, or `start` and `end`".to_owned();
            table.report_at_key("start", message);
            return;
        }
    };
    if duration.is_some_and(|length| length != end - start) || end <= start {
        let length = end - start;
        table.report_at_key(
            "end",
            format!("`start`, `duration` and `end` disagree, or its length is {length}"),
        );
    }
    resv.start = Some(start);
    resv.end = Some(end);
    resv.duration = Some(end - start);
    resv.requested.set(ResourceId::walltime(), Value::Amount(Amount((end - start).0 as f64)));
}

/// Reads nodes, select and place; without a select, it is derived from the nodes.
fn read_request(table: &mut TomlTable<'_>, resv: &mut Reservation, cx: &JobContext<'_>) {
    let written = table.text("select").map(|text| Select::parse(&text));
    match written.or_else(|| resv.nodes.as_ref().map(select_of)) {
        Some(Ok(select)) => {
            add_sums(&select, &cx.snap.catalogue, &mut resv.requested);
            resv.select = Some(select);
        }
        Some(Err(error)) => table.report_at_key("select", error.to_string()),
        None => table.report_at_key("select", "a reservation needs `on` or `select`".to_owned()),
    }
    match Place::parse(&table.text("place").unwrap_or_else(|| "free".into())) {
        Ok(place) => resv.place = Some(place),
        Err(error) => table.report_at_key("place", error.to_string()),
    }
}

/// Returns a select with one chunk for each part.
fn select_of(on: &ExecVnode) -> Result<Select, SelectError> {
    Select::of_parts(&on.parts().map(|part| (1, part.resources.clone())).collect::<Vec<_>>())
}

fn usual_state(resv: &Reservation, now: Epoch) -> ReservationState {
    let begun = resv.start.is_some_and(|start| start <= now);
    let over = resv.end.is_some_and(|end| end <= now);
    match (&resv.nodes, begun, over) {
        (None, ..) => ReservationState::Unconfirmed,
        (Some(_), _, true) => ReservationState::Finished,
        (Some(_), true, false) => ReservationState::Running,
        (Some(_), false, false) => ReservationState::Confirmed,
    }
}

/// Adds the reservation to its nodes; a running one takes what it reserved.
fn take_nodes(table: &TomlTable<'_>, resv: &Reservation, cx: &mut JobContext<'_>) {
    let Some(on) = &resv.nodes else { return };
    for name in unknown_nodes(on, cx.index) {
        table.report_at_key("on", cx.index.unknown(name));
    }
    if resv.state == ReservationState::Finished {
        let over = resv.end.map_or(Seconds(0), |end| cx.clock.now - end);
        let message = format!("it ended {over} ago");
        table.remark_at("start", Severity::Warning, "reservation-over", message);
        return;
    }
    for part in on.parts() {
        let Some(id) = cx.index.get(&part.vnode) else { continue };
        let node = &mut cx.snap.nodes[id];
        if !node.reservations.contains(&resv.name) {
            node.reservations.push(resv.name.clone());
        }
    }
    if resv.is_running() {
        let place = resv.place.clone().unwrap_or_default();
        for remark in occupy(cx.snap, cx.index, &resv.name, on, &place, OccupantKind::Reservation) {
            table.remark_at("on", Severity::Warning, "overfull-node", remark);
        }
    }
}
