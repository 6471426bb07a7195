//! One table per PBS object: every attribute under its own name, with the field that holds it and what it means.
//!
//! The readers of dumps, the hand-written form, `--set` with its completion, the comparison of clusters and the list of
//! what a packed case may contain all go through these tables, so a new attribute is one row. How a value is read and
//! printed follows from the type of its field (`Value`).

mod option;
pub(crate) mod value;

pub(crate) use self::option::{OPTIONS, OptionRow};

use self::value::Value;
use super::context::ReadContext;
use super::log::Log;
use super::record::Attribute;
use super::toml_form::table::TomlTable;
use super::{job, node, queue, reservation, resource_defs, scheduler, server};
use qscope_engine::cluster::{Catalogue, Job, Node, Policy, Queue, Reservation, Scheduler, Server, Snapshot};

/// A setting under the name by which it is set, and its value; none where it is not set.
pub type Setting = (String, Option<String>);

/// One attribute of objects of type `T`.
pub(crate) struct AttributeRow<T: 'static> {
    /// Its name, as in dumps; that of a default for each resource is without the resource.
    pub(crate) name: &'static str,
    field: Field<T>,
    /// Its key in the hand-written form, none where that form derives or spells it otherwise.
    toml: Option<&'static str>,
    compared: bool,
    settable: bool,
    /// One line for people.
    pub(crate) doc: &'static str,
}

/// Where the value lies.
enum Field<T: 'static> {
    /// A field whose type states how it is read and printed.
    Typed(fn(&T) -> &dyn Value, fn(&mut T) -> &mut dyn Value),
    /// A value with a grammar of its own, which no object is compared by.
    Custom(fn(&mut T, &Attribute<'_>, &mut ReadContext<'_>, &mut Log)),
}

/// A row for a field: the type of the object, the name, the path of the field, the line for people.
macro_rules! row {
    ($type:ty, $name:literal, $($field:ident).+, $doc:literal) => {
        $crate::attributes::AttributeRow::<$type>::new($name, |all| &all.$($field).+, |all| &mut all.$($field).+, $doc)
    };
}
pub(crate) use row;

impl<T> AttributeRow<T> {
    /// A setting: it can be set, is compared, and has its own name in the hand-written form.
    pub(crate) const fn new(
        name: &'static str,
        get: fn(&T) -> &dyn Value,
        get_mut: fn(&mut T) -> &mut dyn Value,
        doc: &'static str,
    ) -> Self {
        Self {
            name,
            field: Field::Typed(get, get_mut),
            toml: Some(name),
            compared: true,
            settable: true,
            doc,
        }
    }

    /// An attribute with a reader of its own.
    pub(crate) const fn custom(
        name: &'static str,
        read: fn(&mut T, &Attribute<'_>, &mut ReadContext<'_>, &mut Log),
        doc: &'static str,
    ) -> Self {
        Self { name, field: Field::Custom(read), toml: None, compared: false, settable: true, doc }
    }

    /// What the daemons report rather than what a manager sets: two clusters are not compared by it.
    pub(crate) const fn reported(self) -> Self {
        Self { compared: false, ..self }
    }

    /// Read from dumps only.
    pub(crate) const fn read_only(self) -> Self {
        Self { settable: false, ..self }
    }

    /// Another key in the hand-written form.
    pub(crate) const fn toml(self, key: &'static str) -> Self {
        Self { toml: Some(key), ..self }
    }

    /// Not a plain key of the hand-written form.
    pub(crate) const fn not_in_toml(self) -> Self {
        Self { toml: None, ..self }
    }
}

/// Takes in one attribute; false where the table has none of this name.
pub(crate) fn set<T>(
    rows: &[AttributeRow<T>],
    object: &mut T,
    attribute: &Attribute<'_>,
    cx: &mut ReadContext<'_>,
    log: &mut Log,
) -> bool {
    let Some(row) = rows.iter().find(|row| *row.name == *attribute.name) else { return false };
    match row.field {
        Field::Typed(_, get_mut) => {
            let value = get_mut(object);
            if value.is_by_resource() != attribute.resource.is_some() {
                return false;
            }
            value.read(attribute, cx, log);
        }
        Field::Custom(read) => read(object, attribute, cx, log),
    }
    true
}

/// The names that may be set.
pub(crate) fn names<T>(rows: &'static [AttributeRow<T>]) -> impl Iterator<Item = &'static str> {
    rows.iter().filter(|row| row.settable).map(|row| row.name)
}

/// Reads the keys of a table of the hand-written form over an object; a missing key changes nothing.
pub(crate) fn read_toml<T>(
    rows: &[AttributeRow<T>],
    object: &mut T,
    table: &mut TomlTable<'_>,
    catalogue: &mut Catalogue,
) {
    for row in rows {
        if let (Field::Typed(_, get_mut), Some(key)) = (&row.field, row.toml) {
            get_mut(object).read_toml(table, key, catalogue);
        }
    }
}

fn settings<T>(rows: &[AttributeRow<T>], object: &T, catalogue: &Catalogue) -> Vec<Setting> {
    let compared = rows.iter().filter(|row| row.compared);
    compared
        .flat_map(|row| match row.field {
            Field::Typed(get, _) => get(object).settings(row.name, catalogue),
            Field::Custom(_) => Vec::new(),
        })
        .collect()
}

/// One attribute or option, as the manual lists it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Described {
    pub name: &'static str,
    /// What values it takes, with their unit.
    pub unit: &'static str,
    /// What it means, in a line.
    pub doc: &'static str,
    /// Whether `--set` takes it.
    pub settable: bool,
}

/// Every attribute of every object, and the options of `sched_config`, by object.
pub fn described() -> Vec<(&'static str, Vec<Described>)> {
    let option = |row: &OptionRow| Described { name: row.name, unit: row.unit, doc: row.doc, settable: true };
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

fn all_described<T>(rows: &[AttributeRow<T>], example: &T) -> Vec<Described> {
    let described = |row: &AttributeRow<T>| Described {
        name: row.name,
        unit: match row.field {
            Field::Typed(get, _) => get(example).unit(),
            Field::Custom(_) => "text",
        },
        doc: row.doc,
        settable: row.settable,
    };
    rows.iter().map(described).collect()
}

/// What managers set on the server.
pub fn server_settings(snap: &Snapshot) -> Vec<Setting> {
    settings(server::ATTRIBUTES, &snap.server, &snap.catalogue)
}

/// What managers set on the scheduler object.
pub fn scheduler_settings(snap: &Snapshot) -> Vec<Setting> {
    settings(scheduler::ATTRIBUTES, &snap.scheduler, &snap.catalogue)
}

/// What managers set on a queue.
pub fn queue_settings(snap: &Snapshot, queue: &Queue) -> Vec<Setting> {
    settings(queue::ATTRIBUTES, queue, &snap.catalogue)
}

/// What managers set on a vnode.
pub fn node_settings(snap: &Snapshot, node: &Node) -> Vec<Setting> {
    settings(node::ATTRIBUTES, node, &snap.catalogue)
}

/// What makes up a reservation.
pub fn reservation_settings(snap: &Snapshot, reservation: &Reservation) -> Vec<Setting> {
    settings(reservation::ATTRIBUTES, reservation, &snap.catalogue)
}

/// The options of `sched_config`.
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
