//! One attribute being read: its value by kind. What does not fit is reported.

use super::{ReadContext, unquoted};
use crate::log::DiagnosticLog;
use crate::record::Attribute;
use crate::whole_number::whole_number;
use qscope_engine::cluster::{
    AmountError, Epoch, ResourceDef, ResourceFlags, ResourceId, ResourceList, Seconds, Value,
    message_excerpt, parse_duration,
};

/// An attribute, and what its readers need.
pub(crate) struct AttributeReader<'r, 'c> {
    pub(crate) attribute: &'r Attribute<'r>,
    pub(crate) cx: &'r mut ReadContext<'c>,
    pub(crate) log: &'r mut DiagnosticLog,
}

impl<'r> AttributeReader<'r, '_> {
    /// Returns the value as written.
    pub(crate) fn value(&self) -> &'r str {
        &self.attribute.value
    }

    /// Whether the value is empty and therefore removes the existing one.
    pub(crate) fn removes_existing(&self) -> bool {
        self.cx.removes_empty && self.value().trim().is_empty()
    }

    /// Returns the resource of this name; the kind of an undefined one is guessed from a value, with one note.
    pub(crate) fn resource(&mut self, name: &str, value: &str) -> ResourceId {
        if let Some(id) = self.cx.catalogue.id(name) {
            return id;
        }
        let kind = self.cx.guesses.kind(name, value);
        let from = if self.cx.guesses.is_common(name) { "all its values" } else { "its value" };
        self.log.note("resource-undefined", self.attribute.spot(), || {
            let kind = kind.word();
            let name = message_excerpt(name);
            format!("resource `{name}` is not defined in resources.txt; taken as {kind} from {from}")
        });
        let (flags, name) = (ResourceFlags::from_letters("h"), self.cx.name(name));
        self.cx.catalogue.insert(ResourceDef { name, kind, flags, built_in: false, guessed: true })
    }

    /// Reports that the value does not fit its resource's kind, unless the kind was guessed and can be widened.
    pub(crate) fn misfit(&mut self, id: ResourceId, error: &AmountError) {
        let attribute = self.attribute;
        let def = self.cx.catalogue.def(id);
        if def.guessed && self.cx.guesses.widen(&def.name, def.kind, unquoted(&attribute.value)) {
            return;
        }
        let wrong = || format!("{}.{}: {error}", attribute.name, message_excerpt(&def.name));
        self.log.repair("resource-value", attribute.spot(), wrong, "left unset");
    }

    /// Sets a resource in a list from an attribute such as `resources_available.mem`.
    pub(crate) fn set_resource(&mut self, list: &mut ResourceList) {
        let Some(name) = &self.attribute.resource else { return };
        let value = unquoted(self.value());
        let id = self.resource(name, value);
        if self.removes_existing() {
            list.unset(id);
            return;
        }
        match Value::parse(self.cx.catalogue.kind(id), value) {
            Ok(value) => list.set(id, value.with_names(|text| self.cx.shared(text))),
            Err(error) => self.misfit(id, &error),
        }
    }

    /// Sets a resource used by a job; unknown ones are ignored.
    pub(crate) fn set_used(&mut self, list: &mut ResourceList) {
        let catalogue = &*self.cx.catalogue;
        let Some(id) = self.attribute.resource.as_deref().and_then(|name| catalogue.id(name)) else { return };
        if let Ok(value) = Value::parse_direct(catalogue.kind(id), self.value()) {
            list.set(id, value);
        }
    }

    /// Reads a date or epoch second; anything else is reported.
    pub(crate) fn moment(&mut self) -> Option<Epoch> {
        let attribute = self.attribute;
        let moment = self.cx.zone.read(&attribute.value);
        if moment.is_none() && !matches!(attribute.value.trim(), "" | "0" | "UNKNOWN") {
            self.log.warn("date", attribute.spot(), || {
                let dot = attribute.resource.as_deref().map(|name| format!(".{name}")).unwrap_or_default();
                let (name, value) = (&attribute.name, &attribute.value);
                format!("{name}{dot}: found `{value}`; expected a date such as `Sat Nov 21 02:08:34 2026`")
            });
        }
        moment
    }

    /// Reads a whole number; anything else is reported.
    pub(crate) fn number(&mut self) -> Option<i64> {
        let number = whole_number(self.value());
        if number.is_none() {
            self.wrong_number(i64::MIN, i64::MAX);
        }
        number
    }

    /// Reads a count; anything else is reported.
    pub(crate) fn count(&mut self) -> Option<u32> {
        let number = self.number()?;
        let count = u32::try_from(number).ok();
        if count.is_none() {
            self.wrong_number(0, u32::MAX.into());
        }
        count
    }

    /// Reports a value that is no whole number, or none in this range.
    fn wrong_number(&mut self, from: i64, to: i64) {
        let attribute = self.attribute;
        let is_number = attribute.value.trim().parse::<f64>().is_ok();
        self.log.warn("number", attribute.spot(), || {
            let range = if is_number { format!(" from {from} to {to}") } else { String::new() };
            format!("{}: found `{}`; expected a whole number{range}", attribute.name, attribute.value)
        });
    }

    /// Reads a number, or nothing for an attribute that is unset; anything else is reported.
    pub(crate) fn decimal(&mut self) -> Option<f64> {
        let value = self.value();
        let number = value.trim().parse().ok();
        if number.is_none() && !value.trim().is_empty() {
            self.log.warn("number", self.attribute.spot(), || format!("found `{value}`; expected a number"));
        }
        number
    }

    /// Reads a duration; anything else is reported.
    pub(crate) fn duration(&mut self) -> Option<Seconds> {
        let (name, found) = (&self.attribute.name, self.value());
        // Settings are written by users, in any form.
        let length =
            Seconds::parse(found).or_else(|| parse_duration(found).map(|seconds| Seconds(seconds as i64)));
        if length.is_none() {
            self.log.warn("duration", self.attribute.spot(), || {
                format!("{name}: found `{found}`; expected a duration such as 01:30:00")
            });
        }
        length
    }

    /// Returns the value unless it is empty.
    pub(crate) fn text(&mut self) -> Option<String> {
        Some(self.value().trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// Reads True or False; anything else is reported.
    pub(crate) fn truth(&mut self) -> Option<bool> {
        let (name, value) = (&self.attribute.name, self.value());
        match value.trim().to_ascii_lowercase().as_str() {
            "true" | "t" | "y" | "yes" | "1" => Some(true),
            "false" | "f" | "n" | "no" | "0" => Some(false),
            _ => {
                self.log.warn("boolean", self.attribute.spot(), || {
                    format!("{name}: found `{value}`; expected True or False")
                });
                None
            }
        }
    }
}
