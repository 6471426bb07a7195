//! A parsed setting: section, object, attribute, resource and value.

use std::ops::Range;

use super::SettingError;
use super::section::SettingSection;
use super::target::{SettingTarget, named};
use crate::record::has_resources;
use qscope_engine::cluster::Snapshot;
use qscope_engine::cluster::did_you_mean::{question, unknown_resource};

/// Key that adds vnodes; their type follows.
const ADD_NODES: &str = "add_nodes";

/// A parsed setting.
#[derive(Debug)]
pub(super) struct ParsedSetting<'t> {
    /// The whole text.
    pub text: &'t str,
    pub section: SettingSection,
    pub targets: Vec<SettingTarget>,
    /// The text that names the objects.
    object: &'t str,
    pub name: &'t str,
    /// The resource, for attributes with values by resource.
    pub resource: Option<&'t str>,
    pub value: &'t str,
}

impl<'t> ParsedSetting<'t> {
    /// Parses a setting, without reading the value.
    ///
    /// # Errors
    /// If there is no `=`, or no such option, attribute, object or resource.
    pub(super) fn parse(text: &'t str, snap: &Snapshot) -> Result<Self, SettingError> {
        let fail = |part: &str, what: String| Err(setting_error(text, part, what));
        if let Some(key) = Self::trial(text) {
            return Ok(key);
        }
        let Some((left, value)) = text.split_once('=') else {
            let expected = match text.strip_prefix(ADD_NODES) {
                Some(_) => "expected TYPE=COUNT, such as n1=4 or ncpus=16:mem=64gb=4",
                None => "expected KEY=VALUE, such as strict_ordering=True",
            };
            return fail(text, expected.to_owned());
        };
        let (left, value) = (left.trim(), value.trim());
        if left.is_empty() {
            return fail(left, "expected the name of an option or attribute before the `=`".to_owned());
        }
        let (section, rest) = section_of(text, left)?;
        let (object, rest) =
            if section.has_objects() { object_of(text, section, rest, snap)? } else { ("", rest) };
        let (name, resource) = match rest.split_once('.') {
            Some((name, resource)) if has_resources(name) => (name, Some(resource)),
            _ => (rest, None),
        };
        if !section.knows(name) {
            let asked = question(name, section.names());
            return fail(name, format!("`{name}` is not {}{asked}", section.description()));
        }
        let by_resource = section != SettingSection::Options && has_resources(name);
        let targets = if object.is_empty() { Vec::new() } else { found(text, section, object, snap)? };
        let key = Self { text, section, targets, object, name, resource, value };
        match resource {
            None if by_resource => {
                let example = format!("{}.ncpus", key.path());
                fail(name, format!("`{name}` has a value for each resource: {example}=…"))
            }
            Some(resource) => key.knows(resource, snap).map(|()| key),
            None => Ok(key),
        }
    }

    /// Parses keys that do not belong to an object of a dump.
    fn trial(text: &'t str) -> Option<Self> {
        let added = |text: &'t str| text.trim_start().strip_prefix(ADD_NODES)?.strip_prefix('.');
        let (name, object, value) = match added(text) {
            // A type may have amounts that contain `=`.
            Some(rest) => rest.rsplit_once('=').map(|(kind, count)| (ADD_NODES, kind, count))?,
            None => {
                let (name, value) = text.split_once('=')?;
                (SettingSection::Trial.names().find(|known| *known == name.trim())?, "", value)
            }
        };
        let (object, value) = (object.trim(), value.trim());
        let targets = Vec::new();
        Some(Self { text, section: SettingSection::Trial, targets, object, name, resource: None, value })
    }

    /// Returns the text that names the object; for vnodes to add, their type.
    pub(super) fn object(&self) -> &'t str {
        self.object
    }

    /// Returns the byte range of the value.
    pub(super) fn value_span(&self) -> Range<usize> {
        span_of(self.text, self.value)
    }

    /// Checks that a resource exists: a what-if cannot define new ones.
    pub(super) fn knows(&self, resource: &str, snap: &Snapshot) -> Result<(), SettingError> {
        if snap.catalogue.id(resource).is_some() {
            return Ok(());
        }
        Err(self.error_at_part(resource, unknown_resource(resource, &snap.catalogue)))
    }

    /// Returns the full key and the value.
    pub(super) fn canonical(&self) -> String {
        let resource = self.resource.map(|resource| format!(".{resource}")).unwrap_or_default();
        format!("{}{resource}={}", self.path(), self.value)
    }

    fn path(&self) -> String {
        let object = if self.object.is_empty() { String::new() } else { format!("{}.", self.object) };
        if self.section == SettingSection::Trial {
            let object = if self.object.is_empty() { String::new() } else { format!(".{}", self.object) };
            return format!("{}{object}", self.name);
        }
        format!("{}.{object}{}", self.section.word(), self.name)
    }

    /// Returns an error at a part of the text.
    pub(super) fn error_at_part(&self, part: &str, what: impl Into<String>) -> SettingError {
        setting_error(self.text, part, what.into())
    }

    /// Returns an error at a byte of the value.
    pub(super) fn error_at_byte(&self, byte: usize, what: String) -> SettingError {
        let at = span_of(self.text, self.value).start + byte;
        let end = self.text.get(at..).and_then(|rest| rest.chars().next()).map_or(at, |c| at + c.len_utf8());
        SettingError { text: self.text.to_owned(), span: at..end, what }
    }
}

/// Returns an error at a part of a text, or at all of it if it is not part of it.
fn setting_error(text: &str, part: &str, what: String) -> SettingError {
    SettingError { text: text.to_owned(), span: span_of(text, part), what }
}

/// Returns the byte range of a part: the part itself if it is a slice of the text, else its first occurrence.
fn span_of(text: &str, part: &str) -> Range<usize> {
    let at = (part.as_ptr() as usize).checked_sub(text.as_ptr() as usize);
    let at = at.filter(|at| text.get(*at..at + part.len()) == Some(part)).or_else(|| text.find(part));
    at.map_or(0..text.len(), |at| at..at + part.len())
}

/// Returns the section of a key, and the rest of the key.
fn section_of<'t>(text: &str, left: &'t str) -> Result<(SettingSection, &'t str), SettingError> {
    let (first, rest) = left.split_once('.').map_or((left, None), |(first, rest)| (first, Some(rest)));
    if let (Some(section), Some(rest)) = (SettingSection::of(first), rest) {
        return Ok((section, rest));
    }
    if let Some(section) = SettingSection::of(first) {
        let object = if section.has_objects() { ".NAME" } else { "" };
        let what = format!("expected {}{object}.ATTRIBUTE=VALUE", section.word());
        return Err(setting_error(text, first, what));
    }
    match SettingSection::of_bare(first).as_slice() {
        [section] => Ok((*section, left)),
        [] => Err(setting_error(text, first, unknown(first, rest.is_some()))),
        several => {
            let keys: Vec<String> =
                several.iter().map(|section| format!("{}.{first}", section.word())).collect();
            Err(setting_error(text, first, format!("`{first}` could be {}: name one", keys.join(" or "))))
        }
    }
}

/// Returns the message about an unknown first word.
fn unknown(word: &str, is_path: bool) -> String {
    let sections = SettingSection::ALL.into_iter().map(SettingSection::word);
    if is_path {
        let asked = question(word, sections.clone());
        if !asked.is_empty() {
            return format!("`{word}` has no settings{asked}");
        }
    }
    let stands_alone = |section: &SettingSection| !section.has_objects() && *section != SettingSection::Maui;
    let bare = SettingSection::ALL
        .into_iter()
        .filter(stands_alone)
        .chain([SettingSection::Trial])
        .flat_map(SettingSection::names);
    let asked = question(word, bare);
    let home = SettingSection::ALL
        .into_iter()
        .find(|section| section.has_objects() && section.names().any(|name| name == word));
    match home {
        Some(section) => format!("`{word}` is {}: {}.NAME.{word}=…", section.description(), section.word()),
        None if asked.is_empty() => {
            let words: Vec<String> = sections.map(|word| format!("{word}.")).collect();
            format!(
                "no option or attribute is called `{word}`; keys begin with {} or are options and attributes of \
                 the server and the scheduler by themselves",
                words.join(", ")
            )
        }
        None => format!("no option or attribute is called `{word}`{asked}"),
    }
}

/// Splits off the longest prefix that names an object, and returns it with the text after its dot.
pub(super) fn split_object(rest: &str, knows: impl Fn(&str) -> bool) -> Option<(&str, &str)> {
    let dots = rest.rmatch_indices('.').filter_map(|(at, _)| Some((rest.get(..at)?, rest.get(at + 1..)?)));
    dots.into_iter().find(|(object, _)| knows(object))
}

/// Splits off the name of an object, and returns it with the text after its dot.
fn object_of<'t>(
    text: &str,
    section: SettingSection,
    rest: &'t str,
    snap: &Snapshot,
) -> Result<(&'t str, &'t str), SettingError> {
    if let Some(found) = split_object(rest, |name| named(section, name, snap).is_some()) {
        return Ok(found);
    }
    // The text before an attribute was meant as a name.
    let attribute = |(_, after): &(&str, &str)| {
        let head = after.split('.').next().unwrap_or_default();
        section.names().any(|name| name == head)
    };
    let mut dots = rest.match_indices('.').filter_map(|(at, _)| Some((rest.get(..at)?, rest.get(at + 1..)?)));
    let object = dots.find(attribute).or_else(|| rest.split_once('.')).map_or(rest, |(object, _)| object);
    if object.len() == rest.len() && named(section, rest, snap).is_some() {
        let what = format!("expected {}.{rest}.ATTRIBUTE=VALUE", section.word());
        return Err(setting_error(text, rest, what));
    }
    Err(setting_error(text, object, super::target::not_found(section, object, snap)))
}

/// Returns the objects of a name or pattern.
fn found(
    text: &str,
    section: SettingSection,
    object: &str,
    snap: &Snapshot,
) -> Result<Vec<SettingTarget>, SettingError> {
    match named(section, object, snap) {
        Some(Ok(targets)) => Ok(targets),
        Some(Err(what)) => Err(setting_error(text, object, what)),
        None => Err(setting_error(text, object, super::target::not_found(section, object, snap))),
    }
}
