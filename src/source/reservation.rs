//! Reservations from `pbs_rstat -F`.

use super::context::Context;
use super::log::Log;
use super::record::{Attribute, Record};
use qscope_engine::cluster::{ExecVnode, Place, Reservation, ReservationState, Seconds, Select};

/// Types one record (rule 1.9).
pub(crate) fn decode(record: &Record<'_>, cx: &mut Context<'_>, log: &mut Log) -> Reservation {
    let mut resv = Reservation { name: cx.name(&record.name), ..Reservation::default() };
    let mut schedselect = None;
    for attribute in &record.attributes {
        match (&*attribute.name, attribute.resource.as_deref()) {
            ("Resource_List", Some("select")) if schedselect.is_none() => schedselect = Some(attribute),
            ("Resource_List", Some("select")) => {}
            ("Resource_List", Some("place")) => resv.place = place(attribute, log),
            ("Resource_List", Some(_)) => cx.set_resource(&mut resv.requested, attribute, log),
            ("schedselect", None) => schedselect = Some(attribute),
            (_, None) if !times(&mut resv, attribute, cx, log) => {
                plain(&mut resv, attribute, cx, log);
            }
            _ => {}
        }
    }
    resv.select = schedselect.and_then(|attribute| match Select::parse(attribute.value.trim()) {
        Ok(select) => Some(select),
        Err(error) => {
            log.warn("select", attribute.spot(), || error.to_string());
            None
        }
    });
    resv
}

/// The attributes of reservations that can be set.
pub(crate) const NAMES: &[&str] = &[
    "reserve_start",
    "reserve_end",
    "reserve_duration",
    "reserve_state",
    "reserve_substate",
    "reserve_retry",
    "queue",
    "Authorized_Users",
    "resv_nodes",
    "partition",
];

/// Sets one attribute; whether there is such a one. A start moves the end, an end makes it as long as that.
pub(crate) fn set(
    resv: &mut Reservation,
    attribute: &Attribute<'_>,
    cx: &mut Context<'_>,
    log: &mut Log,
) -> bool {
    if !NAMES.contains(&&*attribute.name) {
        return false;
    }
    if times(resv, attribute, cx, log) {
        match (&*attribute.name, resv.start, resv.end, resv.duration) {
            ("reserve_end", Some(start), Some(end), _) => resv.duration = Some(end - start),
            ("reserve_duration", _, _, None) => {
                log.warn("duration", attribute.spot(), || {
                    format!("reserve_duration: found `{}`; expected a time such as 01:30:00", attribute.value)
                });
            }
            ("reserve_start" | "reserve_duration", Some(start), _, Some(length)) => {
                resv.end = Some(start + length);
            }
            _ => {}
        }
    } else {
        plain(resv, attribute, cx, log);
    }
    true
}

fn times(resv: &mut Reservation, attribute: &Attribute<'_>, cx: &mut Context<'_>, log: &mut Log) -> bool {
    match &*attribute.name {
        "reserve_start" => resv.start = cx.moment(attribute, log),
        "reserve_end" => resv.end = cx.moment(attribute, log),
        "reserve_retry" => resv.retry = cx.moment(attribute, log),
        "reserve_duration" => resv.duration = Seconds::parse(&attribute.value),
        _ => return false,
    }
    true
}

fn plain(resv: &mut Reservation, attribute: &Attribute<'_>, cx: &mut Context<'_>, log: &mut Log) {
    let value = attribute.value.trim();
    match &*attribute.name {
        "reserve_state" => resv.state = state(attribute, log),
        "reserve_substate" => resv.substate = state(attribute, log),
        "queue" => resv.queue = cx.filled(value),
        "Reserve_Owner" => resv.owner = cx.user(value),
        "Authorized_Users" => {
            resv.users =
                value.split(',').map(str::trim).filter(|u| !u.is_empty()).map(|u| cx.user(u)).collect();
        }
        "resv_nodes" => match ExecVnode::parse(value) {
            Ok(nodes) => resv.nodes = Some(nodes),
            Err(error) => log.warn("exec-vnode", attribute.spot(), || format!("resv_nodes: {error}")),
        },
        "reserve_rrule" => resv.rrule = cx.filled(value),
        "reserve_index" => resv.index = cx.count(attribute, log),
        "reserve_count" => resv.count = cx.count(attribute, log),
        "partition" => resv.partition = cx.filled(value).filter(|name| **name != *"pbs-default"),
        _ => {}
    }
}

fn state(attribute: &Attribute<'_>, log: &mut Log) -> ReservationState {
    ReservationState::from_word(attribute.value.trim()).unwrap_or_else(|| {
        log.warn("resv-state", attribute.spot(), || {
            format!("{}: unknown state `{}`; taken as RESV_NONE", attribute.name, attribute.value)
        });
        ReservationState::None
    })
}

fn place(attribute: &Attribute<'_>, log: &mut Log) -> Option<Place> {
    match Place::parse(attribute.value.trim()) {
        Ok(place) => Some(place),
        Err(error) => {
            log.warn("place", attribute.spot(), || error.to_string());
            None
        }
    }
}
