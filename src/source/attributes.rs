//! One table per PBS object: every attribute under its own name, with its field and its meaning.
//!
//! The readers of dumps, the hand-written form, `--set` with its completion, the comparison of clusters and the list
//! of what a bundled case may contain all use these tables, so a new attribute is one row. How a value is read and
//! printed follows from the type of its field (`Value`).

pub(crate) mod doc;
mod option;
pub(crate) mod rows;
pub(crate) mod value;

pub(crate) use self::option::{OPTIONS, OptionRow};

pub use self::doc::AttributeDoc;
use self::rows::{all_described, settings};
use super::{job, limits, node, queue, reservation, resource_defs, scheduler, server};
use qscope_engine::cluster::{Job, Node, Policy, Queue, Reservation, Scheduler, Server, Snapshot};

/// A setting: the name by which it is set, and its value; `None` if it is not set.
pub type Setting = (String, Option<String>);

/// Every attribute of every object, and the options of `sched_config`, by object.
pub fn described() -> Vec<(&'static str, Vec<AttributeDoc>)> {
    let option =
        |row: &OptionRow| AttributeDoc { name: row.name, unit: row.unit, doc: row.doc, settable: true };
    vec![
        ("sched_config", OPTIONS.iter().map(option).collect()),
        ("Server", with_limits(all_described(server::ATTRIBUTES, &Server::default()))),
        ("Scheduler", all_described(scheduler::ATTRIBUTES, &Scheduler::default())),
        ("Queue", with_limits(all_described(queue::ATTRIBUTES, &Queue::default()))),
        ("Node", all_described(node::ATTRIBUTES, &Node::default())),
        ("Job", [&OF_REQUESTS[..], &all_described(job::ATTRIBUTES, &Job::default())].concat()),
        ("Reservation", all_described(reservation::ATTRIBUTES, &Reservation::default())),
        ("Resource", all_described(resource_defs::ATTRIBUTES, &resource_defs::named("any".into()))),
    ]
}

/// Returns the attributes of the server or of queues with each attribute of limits in place of the fields that hold them.
fn with_limits(rows: Vec<AttributeDoc>) -> Vec<AttributeDoc> {
    let is_field = |row: &AttributeDoc| matches!(row.name, "limits" | "queued");
    rows.into_iter().filter(|row| !is_field(row)).chain(limits::described()).collect()
}

/// What is set of the request and state of a job, which have readers of their own.
const OF_REQUESTS: [AttributeDoc; 3] = [
    AttributeDoc {
        name: "job_state",
        unit: "Q, H or W",
        doc: "its state; all states are read, and of waiting jobs these are set",
        settable: true,
    },
    AttributeDoc {
        name: "Resource_List",
        unit: "value of each resource, select and place",
        doc: "what it requests, as Resource_List.walltime",
        settable: true,
    },
    AttributeDoc {
        name: "schedselect",
        unit: "chunks, as 2:ncpus=4",
        doc: "what it requests as the server completed it",
        settable: true,
    },
];

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
    fn limits_and_requests_are_listed_under_the_names_that_are_read_and_set() {
        let described = described();
        let of = |object: &str| {
            let rows = described.iter().find(|(name, _)| *name == object).map(|(_, rows)| rows.as_slice());
            rows.unwrap_or_default().iter().map(|row| (row.name, row.settable)).collect::<Vec<_>>()
        };
        for object in ["Server", "Queue"] {
            let rows = of(object);
            for row in limits::of_running() {
                assert!(rows.contains(&(row.name, true)), "{object} {}", row.name);
            }
            assert!(
                rows.contains(&("max_queued_res", false)) && !rows.iter().any(|(name, _)| *name == "limits")
            );
        }
        assert!(of("Job").contains(&("Resource_List", true)) && of("Job").contains(&("job_state", true)));
    }

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
