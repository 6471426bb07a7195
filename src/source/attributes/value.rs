//! Reads the values of attributes from dumps and from the hand-written form, and prints them.

mod by_resource;
mod names;

use super::Setting;
use crate::context::AttributeReader;
use crate::toml_form::table::TomlTable;
use qscope_engine::cluster::{
    BackfillFuzzy, Catalogue, Epoch, ExecVnode, License, QueueKind, ReservationState, ResourceFlags,
    ResourceType, Seconds, Sharing, Substate, truth,
};

/// The type of an attribute.
pub(crate) trait AttributeValue {
    /// Its possible values with their unit, for users.
    fn unit(&self) -> &'static str;

    /// Reads the value from a dump; an unreadable value is logged and changes nothing.
    fn read(&mut self, reader: &mut AttributeReader<'_, '_>);

    /// Returns the value as it would be set, `None` if it is not set.
    fn show(&self) -> Option<String> {
        None
    }

    /// Reads a key of the hand-written form, if it is present.
    fn read_toml(&mut self, _table: &mut TomlTable<'_>, _key: &'static str, _catalogue: &mut Catalogue) {}

    fn is_by_resource(&self) -> bool {
        false
    }

    /// Returns the resulting settings: one, or one for each resource.
    fn settings(&self, name: &str, _catalogue: &Catalogue) -> Vec<Setting> {
        vec![(name.to_owned(), self.show())]
    }
}

/// Implements `AttributeValue` for a type and its optional form: unit, reader of dumps, reader of the hand-written form,
/// printer.
macro_rules! scalar {
    ($type:ty, $unit:literal, $read:ident, $toml:ident, $show:expr) => {
        impl AttributeValue for $type {
            fn unit(&self) -> &'static str {
                $unit
            }
            fn read(&mut self, reader: &mut AttributeReader<'_, '_>) {
                replace(self, reader.$read());
            }
            fn show(&self) -> Option<String> {
                Some($show(self)).filter(|text: &String| !text.is_empty())
            }
            fn read_toml(&mut self, table: &mut TomlTable<'_>, key: &'static str, _: &mut Catalogue) {
                replace(self, table.$toml(key));
            }
        }

        impl AttributeValue for Option<$type> {
            fn unit(&self) -> &'static str {
                $unit
            }
            fn read(&mut self, reader: &mut AttributeReader<'_, '_>) {
                *self = reader.$read();
            }
            fn show(&self) -> Option<String> {
                self.as_ref().map($show)
            }
            fn read_toml(&mut self, table: &mut TomlTable<'_>, key: &'static str, _: &mut Catalogue) {
                *self = table.$toml(key).or(self.take());
            }
        }
    };
}

scalar!(bool, "True or False", truth, boolean, |on: &bool| truth(*on).to_owned());
scalar!(i64, "whole number", number, integer, ToString::to_string);
scalar!(u32, "count", count, count, ToString::to_string);
scalar!(f64, "number", decimal, number, ToString::to_string);
scalar!(String, "text", text, string, Clone::clone);
scalar!(Seconds, "duration", duration, seconds, ToString::to_string);

/// Implements `AttributeValue` for a word out of a list: reader, printer, and the expected words for messages.
macro_rules! word {
    ($type:ty, $code:literal, $parse:expr, $show:expr, $expected:literal) => {
        impl AttributeValue for $type {
            fn unit(&self) -> &'static str {
                $expected
            }
            fn read(&mut self, reader: &mut AttributeReader<'_, '_>) {
                match $parse(reader.value().trim()) {
                    Some(found) => *self = found,
                    None => {
                        let (name, value) = (&reader.attribute.name, reader.value());
                        let wrong = || format!(concat!("{}: found `{}`; expected ", $expected), name, value);
                        reader.log.repair($code, reader.attribute.spot(), wrong, "left as it is");
                    }
                }
            }
            fn show(&self) -> Option<String> {
                Some($show(self))
            }
            fn read_toml(&mut self, table: &mut TomlTable<'_>, key: &'static str, _: &mut Catalogue) {
                replace(self, table.parse(key, $expected, $parse));
            }
        }
    };
}

word!(
    Sharing,
    "node-sharing",
    Sharing::from_word,
    |sharing: &Sharing| sharing.word().to_owned(),
    "default_shared, default_excl, default_exclhost, ignore_excl, force_excl or force_exclhost"
);
word!(
    License,
    "node-license",
    |text: &str| Some(License::from_text(text)),
    |license: &License| format!("{license:?}"),
    "l, c or another letter"
);
word!(QueueKind, "queue-type", queue_kind, |kind: &QueueKind| format!("{kind:?}"), "Execution or Route");
word!(
    BackfillFuzzy,
    "fuzzy",
    |word: &str| BackfillFuzzy::from_word(&word.to_ascii_lowercase()),
    |fuzzy: &BackfillFuzzy| fuzzy.0.to_string(),
    "off, low, medium, high or a number of seconds"
);
word!(
    ReservationState,
    "resv-state",
    ReservationState::from_word,
    reservation_state,
    "a word such as RESV_CONFIRMED or CO"
);

word!(
    ResourceType,
    "resource-type",
    ResourceType::from_word,
    |kind: &ResourceType| kind.word().to_owned(),
    "boolean, long, string, size, float or string_array"
);
word!(
    ResourceFlags,
    "resource-flag",
    |letters: &str| Some(ResourceFlags::from_letters(letters)),
    |_: &ResourceFlags| String::new(),
    "letters such as h, q, n"
);

fn queue_kind(word: &str) -> Option<QueueKind> {
    match word.bytes().next()?.to_ascii_lowercase() {
        b'e' => Some(QueueKind::Execution),
        b'r' => Some(QueueKind::Route),
        _ => None,
    }
}

fn reservation_state(state: &ReservationState) -> String {
    let word = ReservationState::ALL.iter().find(|(have, ..)| have == state).map(|(_, word, _)| *word);
    word.unwrap_or_default().to_owned()
}

fn replace<T>(slot: &mut T, found: Option<T>) {
    if let Some(found) = found {
        *slot = found;
    }
}

impl AttributeValue for Option<Epoch> {
    fn unit(&self) -> &'static str {
        "date, or seconds since 1970"
    }

    fn read(&mut self, reader: &mut AttributeReader<'_, '_>) {
        *self = reader.moment();
    }

    fn show(&self) -> Option<String> {
        self.map(|at| at.0.to_string())
    }
}

impl AttributeValue for Substate {
    fn unit(&self) -> &'static str {
        "number"
    }

    fn read(&mut self, reader: &mut AttributeReader<'_, '_>) {
        replace(&mut self.0, reader.count());
    }
}

impl AttributeValue for Option<ExecVnode> {
    fn unit(&self) -> &'static str {
        "vnodes, as (n1:ncpus=4)"
    }

    fn read(&mut self, reader: &mut AttributeReader<'_, '_>) {
        let (name, text) = (&reader.attribute.name, reader.value().trim());
        match ExecVnode::parse(text) {
            Ok(found) => *self = Some(found),
            Err(_) if text.is_empty() && name == "exec_vnode" => {}
            Err(error) => {
                reader.log.warn("exec-vnode", reader.attribute.spot(), || format!("{name}: {error}"));
            }
        }
    }

    fn show(&self) -> Option<String> {
        self.as_ref().map(ToString::to_string)
    }

    fn read_toml(&mut self, table: &mut TomlTable<'_>, key: &'static str, _: &mut Catalogue) {
        match table.text(key).map(|text| ExecVnode::parse(&text)) {
            Some(Ok(found)) => *self = Some(found),
            Some(Err(error)) => table.report_at_key(key, error.to_string()),
            None => {}
        }
    }
}
