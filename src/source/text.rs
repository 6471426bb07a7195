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
mod tests {
    use super::*;

    fn records(kind: DumpKind, text: &str) -> Vec<(String, Vec<(String, String)>)> {
        let mut log = Log::default();
        let mut all = Vec::new();
        read(kind, text.as_bytes(), &mut log, &mut |record, _| {
            let attributes = record.attributes.iter().map(|a| {
                let dot = a.resource.as_ref().map(|r| format!(".{r}")).unwrap_or_default();
                (format!("{}{dot}", a.name), a.value.to_string())
            });
            all.push((record.name.to_string(), attributes.collect()));
            ControlFlow::Continue(())
        });
        all
    }

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn folds_join_anywhere() {
        let got = records(
            DumpKind::Jobs,
            "Job Id: 1.svr\n    queue = wo\n\trkq\n    comment = a,\n\tb,\n\t\n    depend = x\n\t y\n\nJob Id: 2.svr\n    queue = q\n",
        );
        assert_eq!(got.len(), 2);
        assert_eq!(got[0].1, [pair("queue", "workq"), pair("comment", "a,b,"), pair("depend", "x y")]);
    }

    #[test]
    fn nodes_are_bare_names_with_a_deeper_indent() {
        let got = records(
            DumpKind::Nodes,
            "n1\n     Mom = n1\n     comment = one\ntwo\n     resources_available.ncpus = 8\n\nn2\n     Mom = n2\n",
        );
        assert_eq!(got.len(), 2);
        assert_eq!(got[0].1[1], pair("comment", "one\ntwo"));
        assert_eq!(got[0].1[2], pair("resources_available.ncpus", "8"));
    }

    #[test]
    fn reservations_have_no_indent_and_qmgr_no_colon() {
        let got = records(DumpKind::Reservations, "Resv ID: R1.svr\nqueue = R1\nResource_List.ncpus = 4\n\n");
        assert_eq!(got[0].1[1], pair("Resource_List.ncpus", "4"));
        let got = records(DumpKind::Resources, "#\n# Create\n#\nResource color\n    type = string\n\n");
        assert_eq!(got, [("color".to_owned(), vec![pair("type", "string")])]);
    }

    #[test]
    fn a_variable_cannot_fake_an_attribute() {
        let text = "Job Id: 1.svr\n    Priority = 0\n    Variable_List = A=b\n    Priority = 100\n    euser = eve\",B=1\n    euser = ann\n";
        let got = records(DumpKind::Jobs, text);
        assert_eq!(got[0].1, [pair("Priority", "0"), pair("euser", "ann")]);
    }

    #[test]
    fn copied_folds_are_blanks() {
        let copied = "Job Id: 1.svr\n    comment = Not Running: Ins\n        ufficient\n    depend = a,\n    b\n    queue = q\n";
        let got = records(DumpKind::Jobs, copied);
        assert_eq!(got[0].1[0], pair("comment", "Not Running: Insufficient"));
        assert_eq!(got[0].1[1], pair("depend", "a,b"));
        assert_eq!(got[0].1[2], pair("queue", "q"));
    }

    #[test]
    fn line_ends_and_marks_of_other_systems() {
        let got = records(DumpKind::Jobs, "\u{feff}Job Id: 1.svr\r\n    queue = wo\r\n\trkq\r\n\r\n");
        assert_eq!(got, [("1.svr".to_owned(), vec![pair("queue", "workq")])]);
    }

    #[test]
    fn a_fold_may_split_a_character() {
        let mut log = Log::default();
        let mut value = String::new();
        let bytes = b"Job Id: 1.svr\n    comment = caf\xc3\n\t\xa9\n";
        read(DumpKind::Jobs, bytes, &mut log, &mut |record, _| {
            value = record.value("comment").unwrap_or_default().to_owned();
            ControlFlow::Continue(())
        });
        assert_eq!(value, "caf\u{e9}");
    }

    /// Three records of each layout.
    const VICTIMS: [(DumpKind, &str); 3] = [
        (
            DumpKind::Jobs,
            "Job Id: 1.s\n    Job_Name = a\n    comment = b,\n\tc\n\nJob Id: 2.s\n    Job_Name = d\n\nJob Id: 3.s\n    Job_Name = e\n\n",
        ),
        (DumpKind::Nodes, "n1\n     Mom = a\n     state = free\n\nn2\n     Mom = b\n\nn3\n     Mom = c\n\n"),
        (
            DumpKind::Reservations,
            "Resv ID: R1\nReserve_Name = a\n\nResv ID: R2\nReserve_Name = b\n\nResv ID: R3\nReserve_Name = c\n\n",
        ),
    ];

    #[test]
    fn every_prefix_keeps_the_whole_records() {
        for (kind, text) in VICTIMS {
            let all = records(kind, text);
            for end in 0..text.len() {
                let whole = text[..end].matches("\n\n").count();
                let got = records(kind, &text[..end]);
                assert_eq!(got.get(..whole), all.get(..whole), "{end} of {text}");
            }
        }
    }

    #[test]
    fn every_changed_byte_keeps_the_records_before_it() {
        for (kind, text) in VICTIMS {
            let all = records(kind, text);
            for at in 0..text.len() {
                for byte in ["\n", "\t", " ", "=", "x", "\0", ":", "."] {
                    let changed = format!("{}{byte}{}", &text[..at], &text[at + 1..]);
                    let before = text[..at].matches("\n\n").count();
                    let got = records(kind, &changed);
                    assert!(got.len() >= before, "{at} {byte:?}");
                    for (got, all) in got.iter().zip(&all).take(before) {
                        assert_eq!(got.0, all.0);
                        assert_eq!(got.1.len(), all.1.len(), "{at} {byte:?}");
                        // What is left of a broken header can look like more of the value before it.
                        let same = |(a, b): (&(String, String), &(String, String))| {
                            a.0 == b.0 && a.1.starts_with(&b.1)
                        };
                        assert!(got.1.iter().zip(&all.1).all(same), "{at} {byte:?}: {got:?}");
                    }
                }
            }
        }
    }
}
