//! One table per PBS object: every attribute under its own name, with its field and its meaning.
//!
//! The readers of dumps, the hand-written form, `--set` with its completion, the comparison of clusters and the list
//! of what a bundled case may contain all use these tables, so a new attribute is one row. How a value is read and
//! printed follows from the type of its field (`Value`).

mod option;
pub(crate) mod rows;
pub(crate) mod value;

pub(crate) use self::option::{OPTIONS, OptionRow};

use self::rows::{all_described, settings};
use super::{job, node, queue, reservation, resource_defs, scheduler, server};
use qscope_engine::cluster::{Job, Node, Policy, Queue, Reservation, Scheduler, Server, Snapshot};

/// A setting: the name by which it is set, and its value; `None` if it is not set.
pub type Setting = (String, Option<String>);

/// One attribute or option, as listed in the manual.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AttributeDoc {
    pub name: &'static str,
    /// Its possible values, with their unit.
    pub unit: &'static str,
    /// Its meaning, in one line.
    pub doc: &'static str,
    /// Whether `--set` takes it.
    pub settable: bool,
}

/// Every attribute of every object, and the options of `sched_config`, by object.
pub fn described() -> Vec<(&'static str, Vec<AttributeDoc>)> {
    let option =
        |row: &OptionRow| AttributeDoc { name: row.name, unit: row.unit, doc: row.doc, settable: true };
    vec![
        ("sched_config", OPTIONS.iter().map(option).collect()),
        ("Server", all_described(server::ATTRIBUTES, &Server::default())),
        ("Scheduler", all_described(scheduler::ATTRIBUTES, &Scheduler::default())),
        ("Queue", all_described(queue::ATTRIBUTES, &Queue::default())),
        ("Node", all_described(node::ATTRIBUTES, &Node::default())),
        ("Job", all_described(job::ATTRIBUTES, &Job::default())),
        ("Reservation", all_described(reservation::ATTRIBUTES, &Reservation::default())),
        ("Resource", all_described(resource_defs::ATTRIBUTES, &resource_defs::named("any".into()))),
    ]
}

/// Returns the settings of the server that managers make.
pub fn server_settings(snap: &Snapshot) -> Vec<Setting> {
    settings(server::ATTRIBUTES, &snap.server, &snap.catalogue)
}

/// Returns the settings of the scheduler object that managers make.
pub fn scheduler_settings(snap: &Snapshot) -> Vec<Setting> {
    settings(scheduler::ATTRIBUTES, &snap.scheduler, &snap.catalogue)
}

/// Returns the settings of a queue that managers make.
pub fn queue_settings(snap: &Snapshot, queue: &Queue) -> Vec<Setting> {
    settings(queue::ATTRIBUTES, queue, &snap.catalogue)
}

/// Returns the settings of a vnode that managers make.
pub fn node_settings(snap: &Snapshot, node: &Node) -> Vec<Setting> {
    settings(node::ATTRIBUTES, node, &snap.catalogue)
}

/// Returns the attributes that define a reservation.
pub fn reservation_settings(snap: &Snapshot, reservation: &Reservation) -> Vec<Setting> {
    settings(reservation::ATTRIBUTES, reservation, &snap.catalogue)
}

/// Returns the options of `sched_config`.
pub fn option_settings(policy: &Policy) -> Vec<Setting> {
    let shown = OPTIONS.iter().filter_map(|row| Some((row.name, row.show?)));
    shown.map(|(name, show)| (name.to_owned(), show(policy))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_attribute_stands_once_and_is_explained() {
        for (object, rows) in described() {
            for (at, row) in rows.iter().enumerate() {
                assert!(!row.doc.is_empty() && !row.unit.is_empty(), "{object} {}", row.name);
                assert!(
                    rows.iter().skip(at + 1).all(|other| other.name != row.name),
                    "{object} {}",
                    row.name
                );
            }
        }
    }
}
