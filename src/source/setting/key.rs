//! A setting taken apart: what it belongs to, which attribute, of which resource, and the value.

use std::ops::Range;

use super::SettingError;
use super::section::Section;
use super::target::{Target, named};
use crate::record::has_resources;
use qscope_engine::cluster::Snapshot;
use qscope_engine::cluster::did_you_mean::{question, unknown_resource};

/// How vnodes are added: the type stands behind it.
const ADD_NODES: &str = "add_nodes";

/// A setting taken apart.
#[derive(Debug)]
pub(super) struct SettingKey<'t> {
    /// The whole of it.
    pub text: &'t str,
    /// What it belongs to.
    pub section: Section,
    /// Which of those.
    pub targets: Vec<Target>,
    /// How these were named.
    object: &'t str,
    /// The option or attribute.
    pub name: &'t str,
    /// The resource, for attributes that have values by resource.
    pub resource: Option<&'t str>,
    pub value: &'t str,
}

impl<'t> SettingKey<'t> {
    /// Takes a text apart, as far as it can be reported without reading the value.
    ///
    /// # Errors
    /// No `=`, no such option, attribute, object or resource.
    pub(super) fn parse(text: &'t str, snap: &Snapshot) -> Result<Self, SettingError> {
        let fail = |part: &str, what: String| Err(wrong(text, part, what));
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
            return fail(name, format!("`{name}` is not {}{asked}", section.what()));
        }
        let by_resource = section != Section::Options && has_resources(name);
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

    /// The keys that belong to nothing in a dump.
    fn trial(text: &'t str) -> Option<Self> {
        let added = |text: &'t str| text.trim_start().strip_prefix(ADD_NODES)?.strip_prefix('.');
        let (name, object, value) = match added(text) {
            // A type may have amounts with signs of their own.
            Some(rest) => rest.rsplit_once('=').map(|(kind, count)| (ADD_NODES, kind, count))?,
            None => {
                let (name, value) = text.split_once('=')?;
                (Section::Trial.names().find(|known| *known == name.trim())?, "", value)
            }
        };
        let (object, value) = (object.trim(), value.trim());
        let targets = Vec::new();
        Some(Self { text, section: Section::Trial, targets, object, name, resource: None, value })
    }

    /// How the object was named; for vnodes to add, their type.
    pub(super) fn object(&self) -> &'t str {
        self.object
    }

    /// Where the value stands.
    pub(super) fn value_span(&self) -> Range<usize> {
        span_of(self.text, self.value)
    }

    /// That a resource exists: a what-if does not make up new ones.
    pub(super) fn knows(&self, resource: &str, snap: &Snapshot) -> Result<(), SettingError> {
        if snap.catalogue.id(resource).is_some() {
            return Ok(());
        }
        Err(self.wrong(resource, unknown_resource(resource, &snap.catalogue)))
    }

    /// The key in full, and the value.
    pub(super) fn canonical(&self) -> String {
        let resource = self.resource.map(|resource| format!(".{resource}")).unwrap_or_default();
        format!("{}{resource}={}", self.path(), self.value)
    }

    fn path(&self) -> String {
        let object = if self.object.is_empty() { String::new() } else { format!("{}.", self.object) };
        if self.section == Section::Trial {
            let object = if self.object.is_empty() { String::new() } else { format!(".{}", self.object) };
            return format!("{}{object}", self.name);
        }
        format!("{}.{object}{}", self.section.word(), self.name)
    }

    /// An error at a part of the text.
    pub(super) fn wrong(&self, part: &str, what: impl Into<String>) -> SettingError {
        wrong(self.text, part, what.into())
    }

    /// An error at a byte of the value.
    pub(super) fn wrong_at(&self, byte: usize, what: String) -> SettingError {
        let at = span_of(self.text, self.value).start + byte;
        let end = self.text.get(at..).and_then(|rest| rest.chars().next()).map_or(at, |c| at + c.len_utf8());
        SettingError { text: self.text.to_owned(), span: at..end, what }
    }
}

/// An error at a part of a text; at all of it if it is none.
fn wrong(text: &str, part: &str, what: String) -> SettingError {
    SettingError { text: text.to_owned(), span: span_of(text, part), what }
}

/// Where a part stands: the part itself if it was cut out of the text, else its first occurrence.
fn span_of(text: &str, part: &str) -> Range<usize> {
    let at = (part.as_ptr() as usize).checked_sub(text.as_ptr() as usize);
    let at = at.filter(|at| text.get(*at..at + part.len()) == Some(part)).or_else(|| text.find(part));
    at.map_or(0..text.len(), |at| at..at + part.len())
}

/// What a key belongs to, and what of it is left.
fn section_of<'t>(text: &str, left: &'t str) -> Result<(Section, &'t str), SettingError> {
    let (first, rest) = left.split_once('.').map_or((left, None), |(first, rest)| (first, Some(rest)));
    if let (Some(section), Some(rest)) = (Section::of(first), rest) {
        return Ok((section, rest));
    }
    if let Some(section) = Section::of(first) {
        let object = if section.has_objects() { ".NAME" } else { "" };
        let what = format!("expected {}{object}.ATTRIBUTE=VALUE", section.word());
        return Err(wrong(text, first, what));
    }
    match Section::of_bare(first).as_slice() {
        [section] => Ok((*section, left)),
        [] => Err(wrong(text, first, unknown(first, rest.is_some()))),
        several => {
            let keys: Vec<String> =
                several.iter().map(|section| format!("{}.{first}", section.word())).collect();
            Err(wrong(text, first, format!("`{first}` could be {}: name one", keys.join(" or "))))
        }
    }
}

/// The message about an unknown first word.
fn unknown(word: &str, is_path: bool) -> String {
    let sections = Section::ALL.into_iter().map(Section::word);
    if is_path {
        let asked = question(word, sections.clone());
        if !asked.is_empty() {
            return format!("`{word}` has no settings{asked}");
        }
    }
    let stands_alone = |section: &Section| !section.has_objects() && *section != Section::Maui;
    let bare = Section::ALL.into_iter().filter(stands_alone).chain([Section::Trial]).flat_map(Section::names);
    let asked = question(word, bare);
    let home = Section::ALL
        .into_iter()
        .find(|section| section.has_objects() && section.names().any(|name| name == word));
    match home {
        Some(section) => format!("`{word}` is {}: {}.NAME.{word}=…", section.what(), section.word()),
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

/// The longest beginning that names something, and what follows its dot.
pub(super) fn split_object(rest: &str, knows: impl Fn(&str) -> bool) -> Option<(&str, &str)> {
    let dots = rest.rmatch_indices('.').filter_map(|(at, _)| Some((rest.get(..at)?, rest.get(at + 1..)?)));
    dots.into_iter().find(|(object, _)| knows(object))
}

/// The name of an object, and what follows it.
fn object_of<'t>(
    text: &str,
    section: Section,
    rest: &'t str,
    snap: &Snapshot,
) -> Result<(&'t str, &'t str), SettingError> {
    if let Some(found) = split_object(rest, |name| named(section, name, snap).is_some()) {
        return Ok(found);
    }
    // What stands before an attribute was meant as a name.
    let attribute = |(_, after): &(&str, &str)| {
        let head = after.split('.').next().unwrap_or_default();
        section.names().any(|name| name == head)
    };
    let mut dots = rest.match_indices('.').filter_map(|(at, _)| Some((rest.get(..at)?, rest.get(at + 1..)?)));
    let object = dots.find(attribute).or_else(|| rest.split_once('.')).map_or(rest, |(object, _)| object);
    if object.len() == rest.len() && named(section, rest, snap).is_some() {
        let what = format!("expected {}.{rest}.ATTRIBUTE=VALUE", section.word());
        return Err(wrong(text, rest, what));
    }
    Err(wrong(text, object, super::target::not_found(section, object, snap)))
}

/// The objects of a name or pattern.
fn found(text: &str, section: Section, object: &str, snap: &Snapshot) -> Result<Vec<Target>, SettingError> {
    match named(section, object, snap) {
        Some(Ok(targets)) => Ok(targets),
        Some(Err(what)) => Err(wrong(text, object, what)),
        None => Err(wrong(text, object, super::target::not_found(section, object, snap))),
    }
}
