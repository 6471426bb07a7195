//! One attribute: its name, its field, and how it is read and printed.

use super::Setting;
use super::doc::AttributeDoc;
use super::value::AttributeValue;
use crate::context::AttributeReader;
use crate::toml_form::table::TomlTable;
use qscope_engine::cluster::Catalogue;

/// One attribute of objects of type `T`.
pub(crate) struct AttributeRow<T: 'static> {
    /// Name as in dumps; for an attribute with a value per resource, without the resource.
    pub(crate) name: &'static str,
    field: AttributeAccess<T>,
    /// Key in the hand-written form; `None` if that form derives it or spells it differently.
    toml: Option<&'static str>,
    compared: bool,
    settable: bool,
    /// Its meaning, in one line.
    pub(crate) doc: &'static str,
}

/// Where the value is stored.
enum AttributeAccess<T: 'static> {
    /// A field whose type determines how it is read and printed.
    Typed(fn(&T) -> &dyn AttributeValue, fn(&mut T) -> &mut dyn AttributeValue),
    /// A value with its own grammar, which comparisons ignore.
    Custom(AttributeSetter<T>),
}

/// Sets an attribute by its own reader.
type AttributeSetter<T> = fn(&mut T, &mut AttributeReader<'_, '_>);

/// Creates a row for a field from the type of the object, the name if it differs from the field's, the path of the
/// field, and the line of documentation.
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
    /// Creates a setting: it can be set, is compared, and has its own name in the hand-written form.
    pub(crate) const fn new(
        name: &'static str,
        get: fn(&T) -> &dyn AttributeValue,
        get_mut: fn(&mut T) -> &mut dyn AttributeValue,
        doc: &'static str,
    ) -> Self {
        Self {
            name,
            field: AttributeAccess::Typed(get, get_mut),
            toml: Some(name),
            compared: true,
            settable: true,
            doc,
        }
    }

    /// Creates an attribute with its own reader.
    pub(crate) const fn custom(name: &'static str, read: AttributeSetter<T>, doc: &'static str) -> Self {
        Self { name, field: AttributeAccess::Custom(read), toml: None, compared: false, settable: true, doc }
    }

    /// Marks an attribute as reported by the daemons rather than set by a manager: comparisons of clusters ignore it.
    pub(crate) const fn reported(self) -> Self {
        Self { compared: false, ..self }
    }

    /// Marks an attribute as read from dumps only.
    pub(crate) const fn read_only(self) -> Self {
        Self { settable: false, ..self }
    }

    /// Sets a different key for the hand-written form.
    pub(crate) const fn toml(self, key: &'static str) -> Self {
        Self { toml: Some(key), ..self }
    }

    /// Marks an attribute as not a plain key of the hand-written form.
    pub(crate) const fn not_in_toml(self) -> Self {
        Self { toml: None, ..self }
    }
}

/// Reads one attribute into the object; returns false if the table has no such name.
pub(crate) fn set<T>(rows: &[AttributeRow<T>], object: &mut T, reader: &mut AttributeReader<'_, '_>) -> bool {
    let attribute = reader.attribute;
    let Some(row) = rows.iter().find(|row| *row.name == *attribute.name) else { return false };
    match row.field {
        AttributeAccess::Typed(_, get_mut) => {
            let value = get_mut(object);
            if value.is_by_resource() != attribute.resource.is_some() {
                return false;
            }
            value.read(reader);
        }
        AttributeAccess::Custom(read) => read(object, reader),
    }
    true
}

/// Returns the names that can be set.
pub(crate) fn names<T>(rows: &'static [AttributeRow<T>]) -> impl Iterator<Item = &'static str> {
    rows.iter().filter(|row| row.settable).map(|row| row.name)
}

/// Reads the keys of a table of the hand-written form into an object; a missing key changes nothing.
pub(crate) fn read_toml<T>(
    rows: &[AttributeRow<T>],
    object: &mut T,
    table: &mut TomlTable<'_>,
    catalogue: &mut Catalogue,
) {
    for row in rows {
        if let (AttributeAccess::Typed(_, get_mut), Some(key)) = (&row.field, row.toml) {
            get_mut(object).read_toml(table, key, catalogue);
        }
    }
}

/// Returns the settings of an object, for the attributes by which clusters are compared.
pub(super) fn settings<T>(rows: &[AttributeRow<T>], object: &T, catalogue: &Catalogue) -> Vec<Setting> {
    let compared = rows.iter().filter(|row| row.compared);
    compared
        .flat_map(|row| match row.field {
            AttributeAccess::Typed(get, _) => get(object).settings(row.name, catalogue),
            AttributeAccess::Custom(_) => Vec::new(),
        })
        .collect()
}

/// Returns the rows of a table as the manual lists them.
pub(super) fn all_described<T>(rows: &[AttributeRow<T>], example: &T) -> Vec<AttributeDoc> {
    let described = |row: &AttributeRow<T>| AttributeDoc {
        name: row.name,
        unit: match row.field {
            AttributeAccess::Typed(get, _) => get(example).unit(),
            AttributeAccess::Custom(_) => "text",
        },
        doc: row.doc,
        settable: row.settable,
    };
    rows.iter().map(described).collect()
}
