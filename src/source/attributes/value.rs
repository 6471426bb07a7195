//! How the values of attributes are read from dumps and from the hand-written form, and printed.

use super::Setting;
use crate::context::{Context, unquoted};
use crate::log::Log;
use crate::record::Attribute;
use crate::toml_form::table::Table;
use crate::toml_form::values;
use qscope_engine::cluster::{
    Catalogue, Epoch, ExecVnode, Flags, Fuzzy, Kind, License, LimitEntry, LimitScope, Limits, Name,
    QueueKind, QueuedLimits, ReservationState, ResourceList, Seconds, Sharing, Substate,
};

/// The type of an attribute.
pub(crate) trait Value {
    /// What values it takes, with their unit, for people.
    fn unit(&self) -> &'static str;

    /// Takes in what a dump states; a value that cannot be read goes to the log and changes nothing.
    fn read(&mut self, attribute: &Attribute<'_>, cx: &mut Context<'_>, log: &mut Log);

    /// The value as it would be set, none where it is not set.
    fn show(&self) -> Option<String> {
        None
    }

    /// Takes in a key of the hand-written form, if it is there.
    fn read_toml(&mut self, _table: &mut Table<'_>, _key: &'static str, _catalogue: &mut Catalogue) {}

    /// Whether there is a value for each resource.
    fn is_by_resource(&self) -> bool {
        false
    }

    /// The settings that it comes to: one, or one for each resource.
    fn settings(&self, name: &str, _catalogue: &Catalogue) -> Vec<Setting> {
        vec![(name.to_owned(), self.show())]
    }
}

/// A type and its optional form: its unit, the reader of dumps, the reader of the hand-written form, the printer.
macro_rules! scalar {
    ($type:ty, $unit:literal, $read:ident, $toml:ident, $show:expr) => {
        impl Value for $type {
            fn unit(&self) -> &'static str {
                $unit
            }
            fn read(&mut self, attribute: &Attribute<'_>, cx: &mut Context<'_>, log: &mut Log) {
                replace(self, cx.$read(attribute, log));
            }
            fn show(&self) -> Option<String> {
                Some($show(self)).filter(|text: &String| !text.is_empty())
            }
            fn read_toml(&mut self, table: &mut Table<'_>, key: &'static str, _: &mut Catalogue) {
                replace(self, table.$toml(key));
            }
        }

        impl Value for Option<$type> {
            fn unit(&self) -> &'static str {
                $unit
            }
            fn read(&mut self, attribute: &Attribute<'_>, cx: &mut Context<'_>, log: &mut Log) {
                *self = cx.$read(attribute, log);
            }
            fn show(&self) -> Option<String> {
                self.as_ref().map($show)
            }
            fn read_toml(&mut self, table: &mut Table<'_>, key: &'static str, _: &mut Catalogue) {
                *self = table.$toml(key).or(self.take());
            }
        }
    };
}

scalar!(bool, "True or False", truth, boolean, |on: &bool| if *on {
    "True".to_owned()
} else {
    "False".to_owned()
});
scalar!(i64, "whole number", number, integer, ToString::to_string);
scalar!(u32, "count", count, count, ToString::to_string);
scalar!(f64, "number", decimal, number, ToString::to_string);
scalar!(String, "text", text, string, Clone::clone);
scalar!(Seconds, "duration", duration, seconds, ToString::to_string);

/// A word out of a list: its reader, how it is printed, and what is expected instead of anything else.
macro_rules! word {
    ($type:ty, $code:literal, $parse:expr, $show:expr, $expected:literal) => {
        impl Value for $type {
            fn unit(&self) -> &'static str {
                $expected
            }
            fn read(&mut self, attribute: &Attribute<'_>, _: &mut Context<'_>, log: &mut Log) {
                match $parse(attribute.value.trim()) {
                    Some(found) => *self = found,
                    None => {
                        let (name, value) = (&attribute.name, &attribute.value);
                        let wrong = || format!(concat!("{}: found `{}`; expected ", $expected), name, value);
                        log.repair($code, attribute.spot(), wrong, "left as it is");
                    }
                }
            }
            fn show(&self) -> Option<String> {
                Some($show(self))
            }
            fn read_toml(&mut self, table: &mut Table<'_>, key: &'static str, _: &mut Catalogue) {
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
    Fuzzy,
    "fuzzy",
    |word: &str| Fuzzy::from_word(&word.to_ascii_lowercase()),
    |fuzzy: &Fuzzy| fuzzy.0.to_string(),
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
    Kind,
    "resource-type",
    Kind::from_word,
    |kind: &Kind| kind.word().to_owned(),
    "boolean, long, string, size, float or string_array"
);
word!(
    Flags,
    "resource-flag",
    |letters: &str| Some(Flags::from_letters(letters)),
    |_: &Flags| String::new(),
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

impl Value for Name {
    fn unit(&self) -> &'static str {
        "name"
    }

    fn read(&mut self, attribute: &Attribute<'_>, cx: &mut Context<'_>, _: &mut Log) {
        *self = cx.name(unquoted(attribute.value.trim()));
    }

    fn show(&self) -> Option<String> {
        Some(self.to_string()).filter(|text| !text.is_empty())
    }

    fn read_toml(&mut self, table: &mut Table<'_>, key: &'static str, _: &mut Catalogue) {
        replace(self, table.text(key));
    }
}

/// What the default scheduler and what belongs to it call the absence of a partition (rule 0).
fn is_no_partition(attribute: &Attribute<'_>, name: &str) -> bool {
    attribute.name == "partition" && name == "pbs-default"
}

impl Value for Option<Name> {
    fn unit(&self) -> &'static str {
        "name"
    }

    fn read(&mut self, attribute: &Attribute<'_>, cx: &mut Context<'_>, _: &mut Log) {
        *self = cx.filled(&attribute.value).filter(|name| !is_no_partition(attribute, name));
    }

    fn show(&self) -> Option<String> {
        self.as_ref().map(ToString::to_string)
    }

    fn read_toml(&mut self, table: &mut Table<'_>, key: &'static str, _: &mut Catalogue) {
        *self = table.text(key).or(self.take());
    }
}

impl Value for Vec<Name> {
    fn unit(&self) -> &'static str {
        "names with commas"
    }

    fn read(&mut self, attribute: &Attribute<'_>, cx: &mut Context<'_>, _: &mut Log) {
        *self = cx.list(&attribute.value);
        self.retain(|name| !is_no_partition(attribute, name));
    }

    fn show(&self) -> Option<String> {
        Some(self.join(",")).filter(|text| !text.is_empty())
    }

    fn read_toml(&mut self, table: &mut Table<'_>, key: &'static str, _: &mut Catalogue) {
        replace(self, table.names(key));
    }
}

impl Value for Option<Epoch> {
    fn unit(&self) -> &'static str {
        "date, or seconds since 1970"
    }

    fn read(&mut self, attribute: &Attribute<'_>, cx: &mut Context<'_>, log: &mut Log) {
        *self = cx.moment(attribute, log);
    }

    fn show(&self) -> Option<String> {
        self.map(|at| at.0.to_string())
    }
}

impl Value for Substate {
    fn unit(&self) -> &'static str {
        "number"
    }

    fn read(&mut self, attribute: &Attribute<'_>, cx: &mut Context<'_>, log: &mut Log) {
        replace(&mut self.0, cx.count(attribute, log));
    }
}

impl Value for Option<ExecVnode> {
    fn unit(&self) -> &'static str {
        "vnodes, as (n1:ncpus=4)"
    }

    fn read(&mut self, attribute: &Attribute<'_>, _: &mut Context<'_>, log: &mut Log) {
        let text = attribute.value.trim();
        match ExecVnode::parse(text) {
            Ok(found) => *self = Some(found),
            Err(_) if text.is_empty() && attribute.name == "exec_vnode" => {}
            Err(error) => {
                log.warn("exec-vnode", attribute.spot(), || format!("{}: {error}", attribute.name));
            }
        }
    }

    fn show(&self) -> Option<String> {
        self.as_ref().map(ToString::to_string)
    }

    fn read_toml(&mut self, table: &mut Table<'_>, key: &'static str, _: &mut Catalogue) {
        match table.text(key).map(|text| ExecVnode::parse(&text)) {
            Some(Ok(found)) => *self = Some(found),
            Some(Err(error)) => table.wrong_at(key, error.to_string()),
            None => {}
        }
    }
}

impl Value for ResourceList {
    fn unit(&self) -> &'static str {
        "value of each resource"
    }

    fn read(&mut self, attribute: &Attribute<'_>, cx: &mut Context<'_>, log: &mut Log) {
        cx.set_resource(self, attribute, log);
    }

    fn read_toml(&mut self, table: &mut Table<'_>, key: &'static str, catalogue: &mut Catalogue) {
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

/// Defaults for chunks, name and value as written; of repeated ones the last counts.
impl Value for Vec<(Name, Name)> {
    fn unit(&self) -> &'static str {
        "value of each resource"
    }

    fn read(&mut self, attribute: &Attribute<'_>, cx: &mut Context<'_>, _: &mut Log) {
        let Some(resource) = &attribute.resource else { return };
        self.retain(|(name, _)| **name != **resource);
        if !cx.takes_away(&attribute.value) {
            self.push((cx.name(resource), cx.name(attribute.value.trim())));
        }
    }

    fn read_toml(&mut self, table: &mut Table<'_>, _: &'static str, catalogue: &mut Catalogue) {
        replace(self, values::default_chunk(table, catalogue));
    }

    fn is_by_resource(&self) -> bool {
        true
    }

    fn settings(&self, name: &str, _: &Catalogue) -> Vec<Setting> {
        self.iter().map(|(resource, value)| (format!("{name}.{resource}"), value.show())).collect()
    }
}

/// All limits on running at once; `limits` reads them, since one attribute adds to what others state (rule 6.6).
impl Value for Limits {
    fn unit(&self) -> &'static str {
        "limits, as [u:PBS_GENERIC=4]"
    }

    fn read(&mut self, _: &Attribute<'_>, _: &mut Context<'_>, _: &mut Log) {}

    fn read_toml(&mut self, table: &mut Table<'_>, _: &'static str, catalogue: &mut Catalogue) {
        replace(self, Some(values::limits(table, catalogue)).filter(|limits| *limits != Self::default()));
    }

    fn settings(&self, _: &str, catalogue: &Catalogue) -> Vec<Setting> {
        self.entries.iter().map(|entry| limit_setting("max_run", entry, catalogue)).collect()
    }
}

/// All limits on what may be queued, read as those on what runs.
impl Value for QueuedLimits {
    fn unit(&self) -> &'static str {
        "limits, as [u:PBS_GENERIC=4]"
    }

    fn read(&mut self, _: &Attribute<'_>, _: &mut Context<'_>, _: &mut Log) {}

    fn read_toml(&mut self, _: &mut Table<'_>, _: &'static str, _: &mut Catalogue) {}

    fn settings(&self, _: &str, catalogue: &Catalogue) -> Vec<Setting> {
        let named = [("max_queued", &self.all), ("queued_jobs_threshold", &self.waiting)];
        let of = |(name, limits): (&'static str, &Limits)| {
            limits.entries.iter().map(|entry| limit_setting(name, entry, catalogue)).collect::<Vec<_>>()
        };
        named.into_iter().flat_map(of).collect()
    }
}

/// A limit under the name and in the form of `max_run` and `max_run_res`.
fn limit_setting(name: &str, entry: &LimitEntry, catalogue: &Catalogue) -> Setting {
    let soft = if entry.soft { "_soft" } else { "" };
    let (name, kind) = match entry.resource {
        None => (format!("{name}{soft}"), Kind::Long),
        Some(id) => (format!("{name}_res{soft}.{}", catalogue.name(id)), catalogue.kind(id)),
    };
    let generic = entry.entity.as_deref().unwrap_or("PBS_GENERIC");
    let holder = match entry.scope {
        LimitScope::User => format!("u:{generic}"),
        LimitScope::Group => format!("g:{generic}"),
        LimitScope::Project => format!("p:{generic}"),
        LimitScope::Overall => "o:PBS_ALL".to_owned(),
    };
    (name, Some(format!("[{holder}={}]", entry.amount.show(kind))))
}
