//! Decodes reservations from `pbs_rstat -F`.

use super::attributes::rows::{self, AttributeRow, row};
use super::context::{AttributeReader, ReadContext};
use super::job::usable;
use super::log::DiagnosticLog;
use super::record::{Attribute, Record};
use qscope_engine::cluster::{Place, Reservation, Select};

/// Decodes a record (rule 1.9).
pub(crate) fn decode(record: &Record<'_>, cx: &mut ReadContext<'_>, log: &mut DiagnosticLog) -> Reservation {
    let mut resv = Reservation { name: cx.name(&record.name), ..Reservation::default() };
    let mut schedselect = None;
    for attribute in &record.attributes {
        match (&*attribute.name, attribute.resource.as_deref()) {
            ("Resource_List", Some("select")) if schedselect.is_none() => schedselect = Some(attribute),
            ("Resource_List", Some("select")) => {}
            ("Resource_List", Some("place")) => resv.place = place(attribute, log),
            ("Resource_List", Some(_)) => {
                AttributeReader { attribute, cx, log }.set_resource(&mut resv.requested);
            }
            ("schedselect", None) => schedselect = Some(attribute),
            _ => {
                take(&mut resv, &mut AttributeReader { attribute, cx, log });
            }
        }
    }
    resv.select = schedselect
        .and_then(|attribute| usable(Select::parse(attribute.value.trim()), attribute.spot(), log));
    resv
}

pub(crate) const ATTRIBUTES: &[AttributeRow<Reservation>] = &[
    row!(Reservation, "reserve_state", state, "its state").toml("state"),
    row!(Reservation, "reserve_start", start, "when it begins"),
    row!(Reservation, "reserve_end", end, "when it ends"),
    row!(Reservation, "resv_nodes", nodes, "its part of each vnode").toml("on"),
    row!(Reservation, "Authorized_Users", users, "who may use it").toml("users"),
    row!(Reservation, "reserve_duration", duration, "its length").reported().not_in_toml(),
    row!(Reservation, "reserve_substate", substate, "its other state").reported().toml("substate"),
    row!(Reservation, "reserve_retry", retry, "when it is tried again").reported(),
    row!(Reservation, queue, "the queue of its jobs").reported().not_in_toml(),
    row!(Reservation, partition, "the partition whose scheduler confirmed it").reported(),
    row!(Reservation, "reserve_rrule", rrule, "how it recurs").reported().read_only().not_in_toml(),
    row!(Reservation, "reserve_index", index, "which of its occurrences it is")
        .reported()
        .read_only()
        .not_in_toml(),
    row!(Reservation, "reserve_count", count, "how many occurrences it has")
        .reported()
        .read_only()
        .not_in_toml(),
    AttributeRow::<Reservation>::custom(
        "Reserve_Owner",
        |one, owner| one.owner = owner.cx.user(owner.value().trim()),
        "its owner",
    )
    .read_only(),
];

/// Attributes without a row that a collected dump keeps.
pub(crate) const UNREAD: &[&str] =
    &["Reserve_Name", "ctime", "egroup", "euser", "mtime", "schedselect", "server"];

/// Reads one attribute; users are stored without their host.
fn take(resv: &mut Reservation, reader: &mut AttributeReader<'_, '_>) -> bool {
    let known = rows::set(ATTRIBUTES, resv, reader);
    if reader.attribute.name == "Authorized_Users" {
        resv.users = resv.users.iter().map(|user| reader.cx.user(user)).collect();
    }
    known
}

/// Sets one attribute; returns whether it exists. Changing the start moves the end; changing the end changes the
/// duration.
pub(crate) fn set(resv: &mut Reservation, reader: &mut AttributeReader<'_, '_>) -> bool {
    if !take(resv, reader) {
        return false;
    }
    match (&*reader.attribute.name, resv.start, resv.end, resv.duration) {
        ("reserve_end", Some(start), Some(end), _) => resv.duration = Some(end - start),
        ("reserve_start" | "reserve_duration", Some(start), _, Some(length)) => {
            resv.end = Some(start + length);
        }
        _ => {}
    }
    true
}

fn place(attribute: &Attribute<'_>, log: &mut DiagnosticLog) -> Option<Place> {
    let place = Place::parse(attribute.value.trim());
    place.map_err(|error| log.warn("place", attribute.spot(), || error.to_string())).ok()
}
