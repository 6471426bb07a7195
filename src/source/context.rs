//! Context of all decoders: resources, dates, shared names, and the log.

use rustc_hash::{FxHashMap, FxHashSet};

use super::guesses::KindGuesses;
use super::log::DiagnosticLog;
use super::record::Attribute;
use super::whole_number::whole_number;
use super::zone::Zone;
use qscope_engine::cluster::{
    AmountError, Catalogue, Epoch, ExactList, FilePosition, Name, ResourceDef, ResourceFlags, ResourceId,
    ResourceList, Seconds, Select, SelectError, SharedList, Value, message_excerpt, parse_duration,
};

/// Context shared by all decoders of one load.
pub(crate) struct ReadContext<'c> {
    /// All resources; undefined ones are added when first met.
    pub(crate) catalogue: &'c mut Catalogue,
    /// The zone of dates.
    pub(crate) zone: &'c Zone,
    /// Number of array indices that may still be stored: a short text can name billions.
    pub(crate) max_indices: usize,
    /// Whether an empty value removes the previous one.
    removes_empty: bool,
    guesses: &'c mut KindGuesses,
    names: FxHashSet<Name>,
    /// Parsed selects by their texts.
    selects: FxHashMap<Name, Select>,
    /// Lists of what jobs request.
    lists: FxHashSet<ExactList<SharedList>>,
}

impl<'c> ReadContext<'c> {
    pub(crate) fn new(catalogue: &'c mut Catalogue, zone: &'c Zone, guesses: &'c mut KindGuesses) -> Self {
        Self {
            catalogue,
            zone,
            max_indices: 10_000_000,
            removes_empty: false,
            guesses,
            names: FxHashSet::default(),
            selects: FxHashMap::default(),
            lists: FxHashSet::default(),
        }
    }

    /// Creates a context for values set over existing ones, where an empty value removes the existing one.
    pub(crate) fn for_overrides(
        catalogue: &'c mut Catalogue,
        zone: &'c Zone,
        guesses: &'c mut KindGuesses,
    ) -> Self {
        Self { removes_empty: true, ..Self::new(catalogue, zone, guesses) }
    }

    /// Whether values are set over existing ones rather than read for the first time.
    pub(crate) fn replaces(&self) -> bool {
        self.removes_empty
    }

    /// Whether a value is empty and therefore removes the existing one.
    pub(crate) fn removes_existing(&self, value: &str) -> bool {
        self.removes_empty && value.trim().is_empty()
    }

    /// Returns this name, shared with all equal ones.
    pub(crate) fn name(&mut self, text: &str) -> Name {
        if let Some(name) = self.names.get(text) {
            return name.clone();
        }
        let name = Name::from(text);
        self.names.insert(name.clone());
        name
    }

    /// Returns the select of a text, shared with all of the same text.
    ///
    /// # Errors
    /// The text is not a select.
    pub(crate) fn select(&mut self, text: &str) -> Result<Select, SelectError> {
        match self.selects.get(text) {
            Some(select) => Ok(select.clone()),
            None => Select::parse(text).map(|select| self.shared_select(select)),
        }
    }

    /// Returns this select, shared with all of the same text.
    pub(crate) fn shared_select(&mut self, select: Select) -> Select {
        self.selects.entry(select.text.clone()).or_insert(select).clone()
    }

    /// Shares a list with all equal ones.
    pub(crate) fn share_list(&mut self, list: &mut SharedList) {
        let key = ExactList(list.clone());
        match self.lists.get(&key) {
            Some(ExactList(known)) => *list = known.clone(),
            None => {
                self.lists.insert(key);
            }
        }
    }

    /// Returns this name without the part from `@` on, shared.
    pub(crate) fn user(&mut self, text: &str) -> Name {
        self.name(text.split('@').next().unwrap_or(text))
    }

    /// Whether a value widened the guessed kind of a resource.
    pub(crate) fn is_guess_wider(&self) -> bool {
        self.guesses.is_wider()
    }

    /// Returns names separated by commas, trimmed, without empty ones.
    pub(crate) fn list(&mut self, text: &str) -> Vec<Name> {
        let text = text.trim().trim_matches('"');
        text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(|word| self.name(word)).collect()
    }

    /// Returns the resource of this name; the kind of an undefined one is guessed, with one note.
    pub(crate) fn resource(
        &mut self,
        name: &str,
        value: &str,
        position: FilePosition,
        log: &mut DiagnosticLog,
    ) -> ResourceId {
        if let Some(id) = self.catalogue.id(name) {
            return id;
        }
        let kind = self.guesses.kind(name, value);
        let from = if self.guesses.is_common(name) { "all its values" } else { "its value" };
        log.note("resource-undefined", position, || {
            let kind = kind.word();
            let name = message_excerpt(name);
            format!("resource `{name}` is not defined in resources.txt; taken as {kind} from {from}")
        });
        let (flags, name) = (ResourceFlags::from_letters("h"), self.name(name));
        self.catalogue.insert(ResourceDef { name, kind, flags, built_in: false, guessed: true })
    }

    /// Reports that a value does not fit its resource's kind, unless the kind was guessed and can be widened.
    pub(crate) fn misfit(
        &mut self,
        id: ResourceId,
        attribute: &Attribute<'_>,
        error: &AmountError,
        log: &mut DiagnosticLog,
    ) {
        let def = self.catalogue.def(id);
        if def.guessed && self.guesses.widen(&def.name, def.kind, unquoted(&attribute.value)) {
            return;
        }
        let wrong = || format!("{}.{}: {error}", attribute.name, message_excerpt(&def.name));
        log.repair("resource-value", attribute.spot(), wrong, "left unset");
    }

    /// Sets a resource in a list from an attribute such as `resources_available.mem`.
    pub(crate) fn set_resource(
        &mut self,
        list: &mut ResourceList,
        attribute: &Attribute<'_>,
        log: &mut DiagnosticLog,
    ) {
        let Some(name) = &attribute.resource else { return };
        let id = self.resource(name, unquoted(&attribute.value), attribute.spot(), log);
        if self.removes_existing(&attribute.value) {
            list.unset(id);
            return;
        }
        let kind = self.catalogue.kind(id);
        match Value::parse(kind, unquoted(&attribute.value)) {
            Ok(value) => list.set(id, value.with_names(|text| self.shared(text))),
            Err(error) => self.misfit(id, attribute, &error, log),
        }
    }

    /// Returns the first occurrence of this name; thousands of vnodes have the same.
    fn shared(&mut self, name: &Name) -> Name {
        if let Some(have) = self.names.get(name) {
            return have.clone();
        }
        self.names.insert(name.clone());
        name.clone()
    }

    /// Sets a resource used by a job; unknown ones are ignored.
    pub(crate) fn set_used(&mut self, list: &mut ResourceList, attribute: &Attribute<'_>) {
        let Some(id) = attribute.resource.as_deref().and_then(|name| self.catalogue.id(name)) else { return };
        if let Ok(value) = Value::parse_direct(self.catalogue.kind(id), &attribute.value) {
            list.set(id, value);
        }
    }

    /// Reads a date or epoch second; anything else is reported.
    pub(crate) fn moment(&mut self, attribute: &Attribute<'_>, log: &mut DiagnosticLog) -> Option<Epoch> {
        let moment = self.zone.read(&attribute.value);
        if moment.is_none() && !matches!(attribute.value.trim(), "" | "0" | "UNKNOWN") {
            log.warn("date", attribute.spot(), || {
                let dot = attribute.resource.as_deref().map(|name| format!(".{name}")).unwrap_or_default();
                let (name, value) = (&attribute.name, &attribute.value);
                format!("{name}{dot}: found `{value}`; expected a date such as `Sat Nov 21 02:08:34 2026`")
            });
        }
        moment
    }

    /// Reads a whole number; anything else is reported.
    pub(crate) fn number(&mut self, attribute: &Attribute<'_>, log: &mut DiagnosticLog) -> Option<i64> {
        let number = whole_number(&attribute.value);
        if number.is_none() {
            wrong_number(attribute, (i64::MIN, i64::MAX), log);
        }
        number
    }

    /// Reads a count; anything else is reported.
    pub(crate) fn count(&mut self, attribute: &Attribute<'_>, log: &mut DiagnosticLog) -> Option<u32> {
        let number = self.number(attribute, log)?;
        let count = u32::try_from(number).ok();
        if count.is_none() {
            wrong_number(attribute, (0, u32::MAX.into()), log);
        }
        count
    }

    /// Reads a number, or nothing for an attribute that is unset; anything else is reported.
    pub(crate) fn decimal(&mut self, attribute: &Attribute<'_>, log: &mut DiagnosticLog) -> Option<f64> {
        let text = attribute.value.trim();
        let number = text.parse().ok();
        if number.is_none() && !text.is_empty() {
            log.warn("number", attribute.spot(), || {
                format!("found `{}`; expected a number", attribute.value)
            });
        }
        number
    }

    /// Reads a duration; anything else is reported.
    pub(crate) fn duration(&mut self, attribute: &Attribute<'_>, log: &mut DiagnosticLog) -> Option<Seconds> {
        // Settings are written by users, in any form.
        let length = Seconds::parse(&attribute.value)
            .or_else(|| parse_duration(&attribute.value).map(|seconds| Seconds(seconds as i64)));
        if length.is_none() {
            let (name, found) = (&attribute.name, &attribute.value);
            log.warn("duration", attribute.spot(), || {
                format!("{name}: found `{found}`; expected a duration such as 01:30:00")
            });
        }
        length
    }

    /// Returns a text unless it is empty.
    pub(crate) fn text(&mut self, attribute: &Attribute<'_>, _: &mut DiagnosticLog) -> Option<String> {
        Some(attribute.value.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// Reads True or False; anything else is reported.
    pub(crate) fn truth(&mut self, attribute: &Attribute<'_>, log: &mut DiagnosticLog) -> Option<bool> {
        let word = attribute.value.trim().to_ascii_lowercase();
        match word.as_str() {
            "true" | "t" | "y" | "yes" | "1" => Some(true),
            "false" | "f" | "n" | "no" | "0" => Some(false),
            _ => {
                log.warn("boolean", attribute.spot(), || {
                    format!("{}: found `{}`; expected True or False", attribute.name, attribute.value)
                });
                None
            }
        }
    }

    /// Returns a shared name unless the text is empty.
    pub(crate) fn shared_name_unless_empty(&mut self, text: &str) -> Option<Name> {
        let text = text.trim();
        (!text.is_empty()).then(|| self.name(text))
    }
}

/// Reports a value that is no whole number, or none in this range.
fn wrong_number(attribute: &Attribute<'_>, (from, to): (i64, i64), log: &mut DiagnosticLog) {
    let is_number = attribute.value.trim().parse::<f64>().is_ok();
    log.warn("number", attribute.spot(), || {
        let range = if is_number { format!(" from {from} to {to}") } else { String::new() };
        format!("{}: found `{}`; expected a whole number{range}", attribute.name, attribute.value)
    });
}

/// Removes the quotes that some values were set with. Two quotes alone are a value of their own.
pub(crate) fn unquoted(value: &str) -> &str {
    let inner = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.filter(|inner| !inner.is_empty()).unwrap_or(value)
}
