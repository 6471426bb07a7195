//! Reads resources by name: lists of values, defaults for chunks, limits.

use super::table::{TomlItem, TomlTable};
use crate::limits::{self, LimitKind};
use crate::resource_defs;
use qscope_engine::cluster::did_you_mean::unknown_resource;
use qscope_engine::cluster::{
    Amount, Catalogue, Limits, Name, ResourceDef, ResourceFlags, ResourceId, ResourceList, ResourceType,
    Severity, Value, limit_amount,
};

/// Returns the resource of this name; an undefined one gets a kind from its value, and its amounts are counted on
/// every node.
pub(crate) fn resource(catalogue: &mut Catalogue, name: &str, value: &str) -> ResourceId {
    if let Some(id) = catalogue.id(name) {
        return id;
    }
    let id = catalogue.id_or_guess(name, value);
    let def = catalogue.def(id).clone();
    let letters = if def.kind.is_consumable() { "hqn" } else { "h" };
    catalogue.insert(ResourceDef { flags: ResourceFlags::from_letters(letters), ..def })
}

/// Reads `key = { ncpus = 8, mem = "16gb" }`, under any of several names for the same key.
pub(crate) fn list(
    table: &mut TomlTable<'_>,
    keys: &[&'static str],
    catalogue: &mut Catalogue,
) -> ResourceList {
    let mut list = ResourceList::default();
    for key in keys {
        for (name, text, item) in entries(table, key) {
            let id = resource(catalogue, &name, &text);
            match Value::parse(catalogue.kind(id), &text) {
                Ok(value) => list.set(id, value),
                Err(error) => table.report_at_value(&item, format!("`{name}`: {error}")),
            }
        }
    }
    list
}

/// The same, but every resource must be defined already.
pub(crate) fn known_list(
    table: &mut TomlTable<'_>,
    key: &'static str,
    catalogue: &Catalogue,
) -> ResourceList {
    let mut list = ResourceList::default();
    for (id, item) in by_resource(table, key, catalogue) {
        match Value::parse_direct(catalogue.kind(id), &item.text().unwrap_or_default()) {
            Ok(value) => list.set(id, value),
            Err(error) => table.report_at_value(&item, format!("`{}`: {error}", catalogue.name(id))),
        }
    }
    list
}

/// Reads `default_chunk = { ncpus = 1 }` as written.
pub(crate) fn default_chunk(
    table: &mut TomlTable<'_>,
    catalogue: &mut Catalogue,
) -> Option<Vec<(Name, Name)>> {
    table.item("default_chunk")?;
    let entries = entries(table, "default_chunk");
    for (name, text, _) in &entries {
        resource(catalogue, name, text);
    }
    Some(entries.into_iter().map(|(name, text, _)| (name, text.into())).collect())
}

/// Returns the names and texts of a table of values.
fn entries<'a>(table: &mut TomlTable<'a>, key: &'static str) -> Vec<(Name, String, TomlItem<'a>)> {
    let Some(item) = table.item(key) else { return Vec::new() };
    let Some(inner) = table.as_table(&item) else {
        table.report_at_value(
            &item,
            format!("`{key}` is no table of resources; expected {{ ncpus = 8, mem = \"16gb\" }}"),
        );
        return Vec::new();
    };
    let mut found = Vec::new();
    for (name, item) in inner.all() {
        match item.text() {
            Some(text) => found.push((name.into(), text, item)),
            None => table.report_at_value(&item, format!("`{name}` is a table; expected a value")),
        }
    }
    found
}

/// Reads all limits of a queue or the server, under their own names (rule 6.6).
pub(crate) fn limits(table: &mut TomlTable<'_>, catalogue: &Catalogue) -> Limits {
    let mut limits = Limits::default();
    for row in limits::of_running() {
        let soft = row.kind == LimitKind::Soft;
        match (row.scope, row.by_resource()) {
            (None, false) => {
                if let Some(item) = table.item(row.name) {
                    add_new(table, &item, &mut limits, None, soft);
                }
            }
            (None, true) => {
                for (id, item) in by_resource(table, row.name, catalogue) {
                    add_new(table, &item, &mut limits, Some((id, catalogue.kind(id))), soft);
                }
            }
            (Some(scope), false) => {
                if let Some(count) = table.count(row.name) {
                    limits.add_old(scope, None, Amount(f64::from(count)), soft);
                }
            }
            (Some(scope), true) => {
                for (id, item) in by_resource(table, row.name, catalogue) {
                    match limit_amount(Some(catalogue.kind(id)), &item.text().unwrap_or_default()) {
                        Ok(amount) => limits.add_old(scope, Some(id), amount, soft),
                        Err(error) => table.report_at_value(&item, format!("`{}`: {error}", row.name)),
                    }
                }
            }
        }
    }
    limits
}

fn add_new(
    table: &TomlTable<'_>,
    item: &TomlItem<'_>,
    limits: &mut Limits,
    resource: Option<(ResourceId, ResourceType)>,
    soft: bool,
) {
    for text in item.texts().unwrap_or_default() {
        for error in limits.add(&text, resource, soft) {
            table.report_at_value(item, error.to_string());
        }
    }
}

/// Returns the resources of a limit, which must be defined already.
fn by_resource<'a>(
    table: &mut TomlTable<'a>,
    key: &'static str,
    catalogue: &Catalogue,
) -> Vec<(ResourceId, TomlItem<'a>)> {
    let mut found = Vec::new();
    for (name, _, item) in entries(table, key) {
        match catalogue.id(&name) {
            Some(id) => found.push((id, item)),
            None => table.report_at_value(&item, unknown_resource(&name, catalogue)),
        }
    }
    found
}

pub(crate) fn add(list: &mut ResourceList, id: ResourceId, amount: Amount) {
    let sum = list.amount(id).unwrap_or_default().0 + amount.0;
    list.set(id, Value::Amount(Amount(sum)));
}

/// Reads `[[resource]]`: name, type and flag as `qmgr` prints them.
pub(crate) fn define(table: &mut TomlTable<'_>, catalogue: &mut Catalogue) {
    let name = table.required("name", "a resource needs a `name`");
    let expected = "boolean, long, string, size, float or string_array";
    let kind = table.parse("type", expected, ResourceType::from_word);
    let flags = table.parse("flag", "letters out of h, q, n, f, i, r, m", |letters| {
        letters.chars().all(|c| "hqnfirm".contains(c)).then(|| ResourceFlags::from_letters(letters))
    });
    let Some(name) = name else { return };
    if catalogue.id(&name).is_some_and(|id| catalogue.def(id).built_in) {
        let message = format!("`{name}` is built in: its definition here replaces the usual one");
        table.remark_at("name", Severity::Warning, "built-in-resource", message);
    }
    let usual = resource_defs::named(name);
    let (kind, flags) = (kind.unwrap_or(usual.kind), flags.unwrap_or_default());
    catalogue.insert(ResourceDef { kind, flags, ..usual });
}
