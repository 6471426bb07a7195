//! Attributes that are names: of partitions, queues, users.

use super::{AttributeValue, replace};
use crate::context::{AttributeReader, unquoted};
use crate::record::Attribute;
use crate::toml_form::table::TomlTable;
use qscope_engine::cluster::{Catalogue, Name};

/// Whether the name stands for no partition, as the default scheduler and its objects write it (rule 0).
pub(super) fn is_no_partition(attribute: &Attribute<'_>, name: &str) -> bool {
    attribute.name == "partition" && name == "pbs-default"
}

impl AttributeValue for Name {
    fn unit(&self) -> &'static str {
        "name"
    }

    fn read(&mut self, reader: &mut AttributeReader<'_, '_>) {
        *self = reader.cx.name(unquoted(reader.value().trim()));
    }

    fn show(&self) -> Option<String> {
        Some(self.to_string()).filter(|text| !text.is_empty())
    }

    fn read_toml(&mut self, table: &mut TomlTable<'_>, key: &'static str, _: &mut Catalogue) {
        replace(self, table.text(key));
    }
}

impl AttributeValue for Option<Name> {
    fn unit(&self) -> &'static str {
        "name"
    }

    fn read(&mut self, reader: &mut AttributeReader<'_, '_>) {
        let name = reader.cx.shared_name_unless_empty(reader.value());
        *self = name.filter(|name| !is_no_partition(reader.attribute, name));
    }

    fn show(&self) -> Option<String> {
        self.as_ref().map(ToString::to_string)
    }

    fn read_toml(&mut self, table: &mut TomlTable<'_>, key: &'static str, _: &mut Catalogue) {
        *self = table.text(key).or(self.take());
    }
}

impl AttributeValue for Vec<Name> {
    fn unit(&self) -> &'static str {
        "names with commas"
    }

    fn read(&mut self, reader: &mut AttributeReader<'_, '_>) {
        *self = reader.cx.list(reader.value());
        self.retain(|name| !is_no_partition(reader.attribute, name));
    }

    fn show(&self) -> Option<String> {
        Some(self.join(",")).filter(|text| !text.is_empty())
    }

    fn read_toml(&mut self, table: &mut TomlTable<'_>, key: &'static str, _: &mut Catalogue) {
        replace(self, table.names(key));
    }
}
