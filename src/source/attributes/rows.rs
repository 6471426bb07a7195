//! One attribute: its name, the field that holds it, how that is read and printed.

use super::value::Value;
use super::{Described, Setting};
use crate::context::ReadContext;
use crate::log::Log;
use crate::record::Attribute;
use crate::toml_form::table::TomlTable;
use qscope_engine::cluster::Catalogue;

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

/// A row for a field: the type of the object, the name where it is not the field's, the path of the field, the line for
/// people.
macro_rules! row {
    ($type:ty, $field:ident, $doc:literal) => {
        $crate::attributes::rows::row!($type, stringify!($field), $field, $doc)
    };
    ($type:ty, $name:expr, $($field:ident).+, $doc:literal) => {
        $crate::attributes::rows::AttributeRow::<$type>::new($name, |all| &all.$($field).+, |all| &mut all.$($field).+, $doc)
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

/// What is set of an object, of the attributes that two clusters are compared by.
pub(super) fn settings<T>(rows: &[AttributeRow<T>], object: &T, catalogue: &Catalogue) -> Vec<Setting> {
    let compared = rows.iter().filter(|row| row.compared);
    compared
        .flat_map(|row| match row.field {
            Field::Typed(get, _) => get(object).settings(row.name, catalogue),
            Field::Custom(_) => Vec::new(),
        })
        .collect()
}

/// What the manual lists of a table.
pub(super) fn all_described<T>(rows: &[AttributeRow<T>], example: &T) -> Vec<Described> {
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
