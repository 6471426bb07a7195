//! The objects that exist after a script ran.

use rustc_hash::FxHashMap;

use super::directive::{self, Directive, QmgrCommand, QmgrOperator};
use super::directives::pieces;
use crate::bounds::ReadLimits;
use crate::log::DiagnosticLog;
use crate::record::{DumpKind, text_of_bytes};
use qscope_engine::cluster::{FilePosition, message_excerpt};

/// The value of an attribute, and the line that set it last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct QmgrSetting {
    pub(super) name: String,
    pub(super) resource: Option<String>,
    pub(super) value: String,
    pub(super) line: usize,
}

/// An object: its settings in the order in which they were first set.
#[derive(Clone, Debug)]
pub(super) struct QmgrObject {
    kind: directive::ObjectKind,
    pub(super) name: String,
    pub(super) line: usize,
    is_deleted: bool,
    settings: Vec<Option<QmgrSetting>>,
    attribute_index: FxHashMap<(String, Option<String>), usize>,
}

/// All objects in the order of the script.
#[derive(Default)]
pub(super) struct QmgrObjects {
    all: Vec<QmgrObject>,
    object_index: FxHashMap<(directive::ObjectKind, String), usize>,
    hooks: usize,
}

impl QmgrObject {
    pub(super) fn settings(&self) -> impl Iterator<Item = &QmgrSetting> {
        self.settings.iter().flatten()
    }

    fn apply(&mut self, assignment: &directive::QmgrAssignment<'_>, unset: bool, line: usize) {
        let key = (assignment.name.to_owned(), assignment.resource.map(str::to_owned));
        let place = *self.attribute_index.entry(key).or_insert_with(|| {
            self.settings.push(None);
            self.settings.len() - 1
        });
        let Some(slot) = self.settings.get_mut(place) else { return };
        if unset {
            *slot = None;
            return;
        }
        let value = unclosed(assignment.value).unwrap_or(assignment.value);
        match (assignment.operator, slot) {
            (QmgrOperator::Add, Some(have)) => {
                have.value.push(',');
                have.value.push_str(value);
            }
            (QmgrOperator::Remove, Some(have)) => {
                let kept: Vec<&str> = have.value.split(',').filter(|one| one.trim() != value).collect();
                have.value = kept.join(",");
            }
            (QmgrOperator::Remove, None) => {}
            (_, slot) => {
                *slot = Some(QmgrSetting {
                    name: assignment.name.to_owned(),
                    resource: assignment.resource.map(str::to_owned),
                    value: value.to_owned(),
                    line,
                });
            }
        }
    }
}

impl QmgrObjects {
    /// Runs a script.
    pub(super) fn of(bytes: &[u8], limits: ReadLimits, log: &mut DiagnosticLog) -> Self {
        let text = text_of_bytes(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
        let mut objects = Self::default();
        // `import` is followed by base64, up to a blank line.
        let mut in_import = false;
        for (line, piece) in pieces(&text) {
            let piece = piece.trim();
            if crate::intake::kind::is_noise(piece) {
                continue;
            }
            if piece.is_empty() || in_import {
                in_import &= !piece.is_empty();
                continue;
            }
            if piece.len() > limits.record {
                log.refuse_size(FilePosition::Line(line), piece.len(), limits.record);
                continue;
            }
            match Directive::parse(piece) {
                Ok(directive) => {
                    report_unclosed(&directive, line, log);
                    in_import = directive.command == QmgrCommand::Import;
                    objects.run(&directive, line);
                }
                Err(why) => log.error("qmgr-line", FilePosition::Line(line), || format!("skipped: {why}")),
            }
        }
        if !bytes.trim_ascii().is_empty() && !bytes.ends_with(b"\n") {
            log.warn("text-cut", FilePosition::File, || {
                "the file ends without a line's end; its last directive may be cut off".to_owned()
            });
        }
        if objects.hooks > 0 {
            log.note("qmgr-hooks", FilePosition::File, || format!("{} hooks, not read", objects.hooks));
        }
        objects
    }

    pub(super) fn of_kind(&self, kind: DumpKind) -> impl Iterator<Item = &QmgrObject> {
        let wanted = directive::ObjectKind::of(kind);
        self.all.iter().filter(move |object| Some(object.kind) == wanted && !object.is_deleted)
    }

    fn run(&mut self, directive: &Directive<'_>, line: usize) {
        let object = directive.object;
        if object == directive::ObjectKind::Hook {
            self.hooks += usize::from(directive.command == QmgrCommand::Create);
            return;
        }
        let names = match directive.names.as_slice() {
            [] if object == directive::ObjectKind::Server => &[""][..],
            [] if object == directive::ObjectKind::Sched => &["default"][..],
            names => names,
        };
        for name in names {
            // A server has one name, whether a directive repeats it or not.
            let key = if object == directive::ObjectKind::Server { "" } else { name };
            match directive.command {
                QmgrCommand::Create | QmgrCommand::Set | QmgrCommand::Unset => {
                    let Some(found) = self.found(object, key, name, line) else { continue };
                    for assignment in &directive.assignments {
                        found.apply(assignment, directive.command == QmgrCommand::Unset, line);
                    }
                }
                QmgrCommand::Delete => {
                    if let Some(place) = self.object_index.remove(&(object, key.to_owned()))
                        && let Some(object) = self.all.get_mut(place)
                    {
                        object.is_deleted = true;
                    }
                }
                QmgrCommand::Import | QmgrCommand::Other => {}
            }
        }
    }

    /// Returns the object of this name, creating it if the script did not.
    fn found(
        &mut self,
        kind: directive::ObjectKind,
        key: &str,
        name: &str,
        line: usize,
    ) -> Option<&mut QmgrObject> {
        let place = *self.object_index.entry((kind, key.to_owned())).or_insert_with(|| {
            self.all.push(QmgrObject {
                kind,
                name: name.to_owned(),
                line,
                is_deleted: false,
                settings: Vec::new(),
                attribute_index: FxHashMap::default(),
            });
            self.all.len() - 1
        });
        self.all.get_mut(place)
    }
}

/// Returns the text behind a quote that begins a value and never closes; `None` for any other value.
fn unclosed(value: &str) -> Option<&str> {
    let quote = value.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    value.get(1..).filter(|rest| !rest.contains(quote))
}

/// Reports values that begin with a quote that never closes.
fn report_unclosed(directive: &Directive<'_>, line: usize, log: &mut DiagnosticLog) {
    for assignment in directive.assignments.iter().filter(|set| unclosed(set.value).is_some()) {
        log.warn("qmgr-quote", FilePosition::Line(line), || {
            let name = message_excerpt(assignment.name);
            format!("{name}: the quote is never closed; took the text up to the end of the line")
        });
    }
}

/// Returns the text of a value, for tests.
#[cfg(test)]
pub(super) fn value_of<'o>(object: &'o QmgrObject, name: &str) -> Option<std::borrow::Cow<'o, str>> {
    let found = object.settings().find(|set| match &set.resource {
        Some(resource) => format!("{}.{resource}", set.name) == name,
        None => set.name == name,
    });
    found.map(|set| std::borrow::Cow::Borrowed(set.value.as_str()))
}
