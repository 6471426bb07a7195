//! Reads scripts of `qmgr`: the output of `print server`, `print queue`, `print node @default`, `print sched` and
//! `print resource`, and scripts written by hand (sites 3).
//!
//! A script contains only what an administrator can set: no usage, counts or states. Each object becomes a record of
//! the requested kind, so one script can be used for several dumps.

mod directive;
mod directives;
mod objects;

pub(crate) use self::directive::is_directive;

use std::borrow::Cow;
use std::ops::ControlFlow;

use self::objects::{QmgrObject, QmgrObjects};
use super::bounds::ReadLimits;
use super::log::DiagnosticLog;
use super::record::{Attribute, DumpHeader, DumpKind, RawDump, Record, RecordCallback};
use qscope_engine::cluster::FilePosition;

/// Passes on the objects of one kind.
pub(crate) fn read<'a>(
    dump: RawDump<'a>,
    log: &mut DiagnosticLog,
    sink: RecordCallback<'_, 'a>,
) -> DumpHeader {
    let RawDump { kind, bytes, bounds } = dump;
    let objects = QmgrObjects::of(bytes, bounds, log);
    let mut head = DumpHeader::default();
    let mut reservations = 0;
    for object in objects.of_kind(kind) {
        if kind == DumpKind::Queues && is_of_reservation(&object.name) {
            reservations += 1;
            continue;
        }
        log.in_record(&object.name);
        head.records += 1;
        if sink(&record(kind, object), log) == ControlFlow::Break(()) {
            break;
        }
    }
    log.in_record("");
    if reservations > 0 {
        log.note("qmgr-reservation-queues", FilePosition::File, || {
            format!("left out {reservations} queues of reservations")
        });
    }
    head
}

/// Whether a script sets anything on an object of a kind.
pub(crate) fn shows_of(kind: DumpKind, bytes: &[u8]) -> bool {
    let objects = QmgrObjects::of(bytes, ReadLimits::default(), &mut DiagnosticLog::default());
    objects.of_kind(kind).next().is_some()
}

/// Whether a script is Torque's: it sets attributes that only that server has.
pub(crate) fn is_torque(bytes: &[u8]) -> bool {
    const SIGNS: [&str; 9] = [
        " np_default",
        " keep_completed",
        " node_check_rate",
        " auto_node_np",
        " tcp_timeout",
        " max_user_queuable",
        " max_queuable",
        " moab_array_compatible",
        " node_ping_rate",
    ];
    SIGNS.iter().any(|sign| memchr::memmem::find(bytes, sign.as_bytes()).is_some())
}

/// Whether a queue belongs to a reservation: R, S or M and a number.
fn is_of_reservation(name: &str) -> bool {
    let number = name.strip_prefix(['R', 'S', 'M']).unwrap_or_default();
    !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns an object with the server's defaults for what the script does not set.
fn record<'a>(kind: DumpKind, object: &QmgrObject) -> Record<'a> {
    let owned = |text: &str| Cow::Owned(text.to_owned());
    let mut attributes: Vec<Attribute<'a>> = object
        .settings()
        .map(|set| {
            Attribute::on_line(
                owned(&set.name),
                set.resource.as_deref().map(owned),
                owned(&set.value),
                set.line,
            )
        })
        .collect();
    let mut assume = |name: &'static str, value: &str| {
        if !attributes.iter().any(|have| have.name == name) {
            attributes.push(Attribute::on_line(Cow::Borrowed(name), None, owned(value), object.line));
        }
    };
    match kind {
        // Attributes that are False are not printed.
        DumpKind::Queues => {
            assume("enabled", "False");
            assume("started", "False");
        }
        // The states down and unknown are never printed.
        DumpKind::Nodes => {
            assume("state", "free");
            assume("Mom", &object.name);
        }
        _ => {}
    }
    Record { name: owned(&object.name), position: FilePosition::Line(object.line), attributes }
}

/// Calls `each` for the characters outside quotes, until it returns false. A quote that never closes is a plain
/// character.
fn unquoted(text: &str, mut each: impl FnMut(usize, char) -> bool) {
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        if matches!(c, '"' | '\'')
            && let Some(length) = text.get(at + 1..).and_then(|rest| rest.find(c))
        {
            let behind = at + 1 + length;
            while chars.next().is_some_and(|(at, _)| at < behind) {}
            continue;
        }
        if !each(at, c) {
            return;
        }
    }
}

#[cfg(test)]
mod tests;
