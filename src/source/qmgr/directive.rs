//! A directive: a command, an object, names and assignments.

use super::unquoted;
use crate::record::DumpKind;

/// The command of a directive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum QmgrCommand {
    Create,
    Set,
    Unset,
    Delete,
    /// `import`, followed by base64.
    Import,
    /// A command that changes nothing.
    Other,
}

/// Kind of object that a directive is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum ObjectKind {
    Server,
    Queue,
    Node,
    Sched,
    Resource,
    Hook,
}

/// How a value is combined with the existing one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum QmgrOperator {
    Replace,
    Add,
    Remove,
}

/// `attr[.resource] = value`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct QmgrAssignment<'a> {
    pub(super) name: &'a str,
    pub(super) resource: Option<&'a str>,
    pub(super) operator: QmgrOperator,
    pub(super) value: &'a str,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Directive<'a> {
    pub(super) command: QmgrCommand,
    pub(super) object: ObjectKind,
    /// Names without the server after the `@`; empty for the active object.
    pub(super) names: Vec<&'a str>,
    pub(super) assignments: Vec<QmgrAssignment<'a>>,
}

const COMMANDS: [(&str, QmgrCommand); 11] = [
    ("create", QmgrCommand::Create),
    ("set", QmgrCommand::Set),
    ("unset", QmgrCommand::Unset),
    ("delete", QmgrCommand::Delete),
    ("import", QmgrCommand::Import),
    ("print", QmgrCommand::Other),
    ("list", QmgrCommand::Other),
    ("active", QmgrCommand::Other),
    ("export", QmgrCommand::Other),
    ("exit", QmgrCommand::Other),
    ("quit", QmgrCommand::Other),
];

const OBJECTS: [(&str, ObjectKind); 8] = [
    ("server", ObjectKind::Server),
    ("queue", ObjectKind::Queue),
    ("node", ObjectKind::Node),
    ("vnode", ObjectKind::Node),
    ("sched", ObjectKind::Sched),
    ("resource", ObjectKind::Resource),
    ("hook", ObjectKind::Hook),
    ("pbshook", ObjectKind::Hook),
];

/// Length in bytes that is sufficient for a command and an object.
const LONGEST_START: usize = 64;

impl ObjectKind {
    /// Returns the objects that make up a dump of a kind.
    pub(super) fn of(kind: DumpKind) -> Option<Self> {
        Some(match kind {
            DumpKind::Nodes => Self::Node,
            DumpKind::Queues => Self::Queue,
            DumpKind::Server => Self::Server,
            DumpKind::Schedulers => Self::Sched,
            DumpKind::Resources => Self::Resource,
            DumpKind::Jobs | DumpKind::Reservations => return None,
        })
    }
}

/// Returns the first entry that begins with this word: `s` is `set` among commands and `server` among objects.
fn begun<T: Copy>(word: &str, among: &[(&str, T)]) -> Option<T> {
    let found = (!word.is_empty()).then(|| among.iter().find(|(name, _)| name.starts_with(word)));
    found.flatten().map(|(_, what)| *what)
}

pub(super) fn begins(text: &str) -> bool {
    // No command and object are longer than this; a text without a blank is not searched to its end.
    let end = (0..=text.len().min(LONGEST_START)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let mut words = text.get(..end).unwrap_or_default().split_whitespace();
    let command = words.next().and_then(|word| begun(word, &COMMANDS));
    match command {
        Some(QmgrCommand::Other) => true,
        Some(_) => words.next().is_some_and(|word| begun(word, &OBJECTS).is_some()),
        None => false,
    }
}

/// Whether a line shows that its file is a script: `create`, `set`, `unset`, `delete` or `import` and an object in
/// full, or both abbreviated and followed by an assignment.
pub(crate) fn is_directive(line: &str) -> bool {
    let line = line.trim_start();
    let line = line.strip_prefix("Qmgr:").unwrap_or(line).trim_start();
    let mut words = line.split_whitespace();
    let (Some(first), Some(second)) = (words.next(), words.next()) else { return false };
    let full = COMMANDS.iter().take(5).any(|(name, _)| *name == first)
        && OBJECTS.iter().any(|(name, _)| *name == second);
    let short = first.len() <= 3
        && second.len() <= 5
        && line.contains('=')
        && Directive::parse(line).is_ok_and(|it| !it.assignments.is_empty());
    full || short
}

impl<'a> Directive<'a> {
    /// Parses a directive.
    ///
    /// # Errors
    /// What was found and expected, as part of a sentence.
    pub(super) fn parse(text: &'a str) -> Result<Self, String> {
        let (word, rest) = first_word(text.trim());
        let command = begun(word, &COMMANDS)
            .ok_or_else(|| format!("found `{}`; expected create, set, unset or delete", shortened(word)))?;
        let (word, mut rest) = first_word(rest);
        let Some(object) = begun(word, &OBJECTS) else {
            if command == QmgrCommand::Other {
                return Ok(Self {
                    command,
                    object: ObjectKind::Server,
                    names: Vec::new(),
                    assignments: Vec::new(),
                });
            }
            let found = if word.is_empty() { "the end".to_owned() } else { format!("`{}`", shortened(word)) };
            return Err(format!("found {found}; expected server, queue, node, sched, resource or hook"));
        };
        let mut names = Vec::new();
        if !begins_assignment(rest) {
            let (word, behind) = names_of(rest);
            let is_attribute = command == QmgrCommand::Unset
                && behind.is_empty()
                && matches!(object, ObjectKind::Server | ObjectKind::Sched);
            if !is_attribute {
                names = word.split(',').map(name_of).filter(|name| !name.is_empty()).collect();
                rest = behind;
            }
        }
        let needs_name = matches!(object, ObjectKind::Queue | ObjectKind::Node | ObjectKind::Resource)
            && command != QmgrCommand::Other;
        if names.is_empty() && needs_name {
            return Err(format!("found `{}`; expected a name first", shortened(rest)));
        }
        let assignments = match command {
            QmgrCommand::Create | QmgrCommand::Set => assignments(rest)?,
            QmgrCommand::Unset => unset(rest),
            _ => Vec::new(),
        };
        Ok(Self { command, object, names, assignments })
    }
}

fn shortened(text: &str) -> String {
    text.chars().take(40).collect()
}

fn first_word(text: &str) -> (&str, &str) {
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    let (word, rest) = text.split_at(end);
    (word, rest.trim_start())
}

/// Splits off the names of objects, separated by commas and possibly blanks after them.
fn names_of(text: &str) -> (&str, &str) {
    let mut end = 0;
    loop {
        let rest = text.get(end..).unwrap_or_default();
        let word = rest.find(char::is_whitespace).unwrap_or(rest.len());
        end += word;
        let behind = text.get(end..).unwrap_or_default();
        let goes_on = text.get(..end).is_some_and(|names| names.ends_with(',')) && !behind.trim().is_empty();
        if !goes_on {
            return (text.get(..end).unwrap_or_default(), behind.trim_start());
        }
        end += behind.len() - behind.trim_start().len();
    }
}

/// Returns a name without the server after the `@`; `@default` is no name.
fn name_of(text: &str) -> &str {
    text.trim().trim_matches('"').split('@').next().unwrap_or_default()
}

/// Parses `attr[.resource]` and an operator, and returns the text after them.
fn target(text: &str) -> Option<(&str, QmgrOperator, &str)> {
    let text = text.trim_start();
    if !text.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_-.:@".contains(c);
    let end = text.find(|c| !is_name(c)).unwrap_or(text.len());
    let (mut name, rest) = text.split_at(end);
    let rest = rest.trim_start();
    if let Some(behind) = rest.strip_prefix("+=") {
        return Some((name, QmgrOperator::Add, behind));
    }
    if let Some(behind) = rest.strip_prefix("-=") {
        return Some((name, QmgrOperator::Remove, behind));
    }
    let behind = rest.strip_prefix('=')?;
    let mut operator = QmgrOperator::Replace;
    // `acl_users-=ann`: the minus sign was taken for part of the name.
    if let Some(shorter) = name.strip_suffix('-').filter(|_| rest.len() + end == text.len()) {
        (name, operator) = (shorter, QmgrOperator::Remove);
    }
    Some((name, operator, behind))
}

fn begins_assignment(text: &str) -> bool {
    text.is_empty() || target(text).is_some()
}

fn assignments(text: &str) -> Result<Vec<QmgrAssignment<'_>>, String> {
    let mut all = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (name, operator, behind) = target(rest)
            .ok_or_else(|| format!("found `{}`; expected an attribute and `=`", shortened(rest)))?;
        let (value, left) = value(behind.trim_start());
        let (name, resource) =
            name.split_once('.').map_or((name, None), |(name, resource)| (name, Some(resource)));
        all.push(QmgrAssignment { name, resource, operator, value });
        rest = left.trim_start().trim_start_matches(',').trim_start();
    }
    Ok(all)
}

/// Parses attributes without values.
fn unset(text: &str) -> Vec<QmgrAssignment<'_>> {
    let names = text.split([',', ' ']).map(str::trim).filter(|name| !name.is_empty());
    names
        .map(|name| {
            let (name, resource) =
                name.split_once('.').map_or((name, None), |(name, resource)| (name, Some(resource)));
            QmgrAssignment { name, resource, operator: QmgrOperator::Replace, value: "" }
        })
        .collect()
}

/// Splits off a value: in quotes, or up to a comma followed by another assignment.
fn value(text: &str) -> (&str, &str) {
    if let Some(quote) = text.chars().next().filter(|first| matches!(first, '"' | '\'')) {
        let body = text.get(1..).unwrap_or_default();
        if let Some(end) = body.find(quote) {
            let behind = body.get(end + 1..).unwrap_or_default();
            if behind.trim_start().is_empty() || behind.trim_start().starts_with(',') {
                return (body.get(..end).unwrap_or_default(), behind);
            }
        }
    }
    let mut end = text.len();
    unquoted(text, |at, c| {
        if c == ',' && text.get(at + 1..).is_some_and(|rest| target(rest).is_some()) {
            end = at;
        }
        end == text.len()
    });
    let (value, behind) = text.split_at(end);
    (value.trim_end(), behind)
}

#[cfg(test)]
mod tests;
