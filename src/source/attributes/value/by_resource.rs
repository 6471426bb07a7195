//! Attributes with a value for each resource, and limits.

use super::{AttributeValue, replace};
use crate::attributes::Setting;
use crate::context::AttributeReader;
use crate::toml_form::table::TomlTable;
use crate::toml_form::values;
use qscope_engine::cluster::{Catalogue, LimitEntry, Limits, Name, QueuedLimits, ResourceList, ResourceType};

impl AttributeValue for ResourceList {
    fn unit(&self) -> &'static str {
        "value of each resource"
    }

    fn read(&mut self, reader: &mut AttributeReader<'_, '_>) {
        reader.set_resource(self);
    }

    fn read_toml(&mut self, table: &mut TomlTable<'_>, key: &'static str, catalogue: &mut Catalogue) {
        let short = match key {
            "resources_available" => "available",
            "resources_assigned" => "assigned",
            "resources_default" => "default",
            "resources_min" => "min",
            "resources_max" => "max",
            _ => key,
        };
        let found = values::list(table, &[key, short], catalogue);
        found.iter().for_each(|(id, value)| self.set(id, value.clone()));
    }

    fn is_by_resource(&self) -> bool {
        true
    }

    fn settings(&self, name: &str, catalogue: &Catalogue) -> Vec<Setting> {
        let named = self.by_name(catalogue).into_iter();
        named
            .map(|(id, value)| {
                (format!("{name}.{}", catalogue.name(id)), Some(value.show(catalogue.kind(id))))
            })
            .collect()
    }
}

/// Defaults for chunks, name and value as written; the last one of a name counts.
impl AttributeValue for Vec<(Name, Name)> {
    fn unit(&self) -> &'static str {
        "value of each resource"
    }

    fn read(&mut self, reader: &mut AttributeReader<'_, '_>) {
        let Some(resource) = &reader.attribute.resource else { return };
        self.retain(|(name, _)| **name != **resource);
        if !reader.removes_existing() {
            self.push((reader.cx.name(resource), reader.cx.name(reader.value().trim())));
        }
    }

    fn read_toml(&mut self, table: &mut TomlTable<'_>, _: &'static str, catalogue: &mut Catalogue) {
        replace(self, values::default_chunk(table, catalogue));
    }

    fn is_by_resource(&self) -> bool {
        true
    }

    fn settings(&self, name: &str, _: &Catalogue) -> Vec<Setting> {
        self.iter().map(|(resource, value)| (format!("{name}.{resource}"), value.show())).collect()
    }
}

/// All limits on running jobs and resources; read by `limits`, since one attribute adds to the others (rule 6.6).
impl AttributeValue for Limits {
    fn unit(&self) -> &'static str {
        "limits, as [u:PBS_GENERIC=4]"
    }

    fn read(&mut self, _: &mut AttributeReader<'_, '_>) {}

    fn read_toml(&mut self, table: &mut TomlTable<'_>, _: &'static str, catalogue: &mut Catalogue) {
        replace(self, Some(values::limits(table, catalogue)).filter(|limits| *limits != Self::default()));
    }

    fn settings(&self, _: &str, catalogue: &Catalogue) -> Vec<Setting> {
        self.entries.iter().map(|entry| limit_setting("max_run", entry, catalogue)).collect()
    }
}

/// All limits on queued jobs, read like those on running ones.
impl AttributeValue for QueuedLimits {
    fn unit(&self) -> &'static str {
        "limits, as [u:PBS_GENERIC=4]"
    }

    fn read(&mut self, _: &mut AttributeReader<'_, '_>) {}

    fn read_toml(&mut self, _: &mut TomlTable<'_>, _: &'static str, _: &mut Catalogue) {}

    fn settings(&self, _: &str, catalogue: &Catalogue) -> Vec<Setting> {
        let named = [("max_queued", &self.all), ("queued_jobs_threshold", &self.waiting)];
        let settings_of = |(name, limits): (&'static str, &Limits)| {
            limits.entries.iter().map(|entry| limit_setting(name, entry, catalogue)).collect::<Vec<_>>()
        };
        named.into_iter().flat_map(settings_of).collect()
    }
}

/// Returns a limit under the name and in the form of `max_run` and `max_run_res`.
pub(super) fn limit_setting(name: &str, entry: &LimitEntry, catalogue: &Catalogue) -> Setting {
    let soft = if entry.soft { "_soft" } else { "" };
    let (name, kind) = match entry.resource {
        None => (format!("{name}{soft}"), ResourceType::Long),
        Some(id) => (format!("{name}_res{soft}.{}", catalogue.name(id)), catalogue.kind(id)),
    };
    (name, Some(format!("[{}={}]", entry.holder(), entry.amount.show(kind))))
}
