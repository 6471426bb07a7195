//! Reads dumps in the form the clients print by default.
//!
//! A record starts only at its header line, never at an empty one: a fold can end a value exactly, which
//! leaves an empty line within a record, and values with raw newlines print as they are. Pieces of a folded
//! value are joined as bytes before they become text, since a fold may split a character.

mod line;

use std::borrow::Cow;
use std::ops::ControlFlow;

use self::line::{Line, Lines};
use super::log::Log;
use super::record::{Attribute, DumpKind, Head, Record, Sink, is_private, shown};
use crate::cluster::Spot;

/// Reads a dump; whatever cannot be read is said in the log.
pub(crate) fn read<'a>(kind: DumpKind, bytes: &'a [u8], log: &mut Log, sink: Sink<'_, 'a>) -> Head {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut reader = Reader {
        kind,
        record: None,
        private_at: None,
        open: None,
        skipped: 0,
        first_skipped: &[],
        head: Head::default(),
        log,
        sink,
    };
    for (number, line) in Lines::new(kind, bytes) {
        if reader.take(number, line) == ControlFlow::Break(()) {
            return reader.head;
        }
    }
    if reader.record.is_some() && !bytes.ends_with(b"\n") {
        reader.log.warn("text-cut", Spot::File, || {
            "the file ends without a line's end; this record may be cut off".to_owned()
        });
    }
    let _ = reader.finish_record();
    reader.log.in_record("");
    reader.judge_skipped(bytes.trim_ascii().is_empty());
    reader.head
}

/// An attribute whose value may go on.
struct Open<'a> {
    name: &'a [u8],
    resource: Option<&'a [u8]>,
    value: Cow<'a, [u8]>,
    line: usize,
}

struct Reader<'a, 'r> {
    kind: DumpKind,
    record: Option<Record<'a>>,
    /// How many attributes stood before the private one, whose value may fake others.
    private_at: Option<usize>,
    open: Option<Open<'a>>,
    /// Lines outside any record.
    skipped: usize,
    /// The first of them.
    first_skipped: &'a [u8],
    head: Head,
    log: &'r mut Log,
    sink: Sink<'r, 'a>,
}

impl<'a> Reader<'a, '_> {
    fn take(&mut self, number: usize, line: Line<'a>) -> ControlFlow<()> {
        match line {
            Line::Header(name) => {
                self.finish_record()?;
                self.log.in_record(&shown(name));
                self.record = Some(Record::new(shown(name), Spot::Line(number)));
            }
            Line::Damaged(text) => {
                self.finish_record()?;
                self.log.in_record("");
                let expected = self.kind.header();
                self.log.error("record-damaged", Spot::Line(number), || {
                    format!(
                        "left out the record that starts here: found `{}`; expected `{expected}`",
                        shown(text)
                    )
                });
            }
            _ if self.record.is_some() => self.line(number, line),
            Line::Blank | Line::Other([b'#', ..]) => {}
            Line::Other(text) if self.skipped == 0 => {
                self.skipped = 1;
                self.first_skipped = text;
            }
            _ => self.skipped += 1,
        }
        ControlFlow::Continue(())
    }

    /// Says how many lines were in no record.
    fn judge_skipped(&mut self, is_blank: bool) {
        let (kind, skipped) = (self.kind, self.skipped);
        if self.head.records == 0 && !is_blank && skipped > 0 {
            self.log.error("no-records", Spot::File, || {
                let found: String = shown(self.first_skipped).chars().take(80).collect();
                format!("found `{found}` and no record; expected what `{}` prints", kind.command())
            });
        } else if skipped > 0 {
            self.log.note("text-skipped", Spot::Line(1), || {
                format!("skipped {skipped} lines outside any record")
            });
        }
    }

    fn line(&mut self, number: usize, line: Line<'a>) {
        match line {
            Line::Attribute { name, resource, value } => {
                self.close();
                self.open = Some(Open { name, resource, value: Cow::Borrowed(value), line: number });
            }
            Line::Fold(rest) => {
                if let Some(open) = &mut self.open {
                    open.value.to_mut().extend_from_slice(rest);
                }
            }
            Line::Other(rest) => match &mut self.open {
                Some(open) => {
                    let value = open.value.to_mut();
                    value.push(b'\n');
                    value.extend_from_slice(rest);
                }
                None => self.log.warn("text-line", Spot::Line(number), || {
                    format!("expected an attribute; skipped `{}`", shown(rest))
                }),
            },
            Line::Blank | Line::Header(_) | Line::Damaged(_) => {}
        }
    }

    /// Puts the attribute that is open into the record.
    fn close(&mut self) {
        let (Some(open), Some(record)) = (self.open.take(), &mut self.record) else { return };
        let name = shown(open.name);
        if is_private(&name) {
            self.private_at = self.private_at.or(Some(record.attributes.len()));
            return;
        }
        let value = match open.value {
            Cow::Borrowed(value) => shown(value),
            Cow::Owned(value) => Cow::Owned(shown(&value).into_owned()),
        };
        let attribute =
            Attribute { name, resource: open.resource.map(shown), value, spot: Spot::Line(open.line) };
        if self.kind == DumpKind::Jobs
            && let Some(private_at) = self.private_at
        {
            return push_unless_faked(record, attribute, private_at, self.log);
        }
        record.attributes.push(attribute);
    }

    fn finish_record(&mut self) -> ControlFlow<()> {
        self.close();
        self.private_at = None;
        let Some(record) = self.record.take() else { return ControlFlow::Continue(()) };
        self.head.records += 1;
        (self.sink)(&record, self.log)
    }
}

/// Attributes that the client always prints before the environment.
const BEFORE_PRIVATE: [&str; 19] = [
    "Job_Name",
    "Job_Owner",
    "job_state",
    "queue",
    "server",
    "Account_Name",
    "Checkpoint",
    "ctime",
    "exec_vnode",
    "Execution_Time",
    "group_list",
    "Hold_Types",
    "Priority",
    "qtime",
    "Rerunable",
    "Resource_List",
    "schedselect",
    "stime",
    "substate",
];

/// Adds an attribute that stands behind the environment, whose raw newlines can look like attributes: one
/// that belongs before it is such a fake, and of two equal ones behind it the last is right.
fn push_unless_faked<'a>(
    record: &mut Record<'a>,
    attribute: Attribute<'a>,
    private_at: usize,
    log: &mut Log,
) {
    let same = |have: &Attribute<'_>| have.name == attribute.name && have.resource == attribute.resource;
    let twin = record.attributes.iter().position(same);
    let is_fake = BEFORE_PRIVATE.contains(&&*attribute.name) || twin.is_some_and(|at| at < private_at);
    if is_fake || twin.is_some() {
        log.warn("text-faked", attribute.spot, || {
            let name = &attribute.name;
            let kept = if is_fake { "skipped" } else { "took the last one" };
            format!("`{name}` out of place, as a variable with newlines looks; {kept}")
        });
    }
    match twin.and_then(|at| record.attributes.get_mut(at)) {
        _ if is_fake => {}
        Some(slot) => *slot = attribute,
        None => record.attributes.push(attribute),
    }
}

#[cfg(test)]
mod tests;
