//! Reads dumps printed with `-F dsv`: one object per line (sites 2.6).
//!
//! `Job Id: X|name=value|name.resource=value…` and `Name=X|…`. In jobs, a backslash escapes the delimiter and the
//! backslash within values; in nodes nothing is escaped, so a delimiter counts only if an attribute follows.

use std::borrow::Cow;
use std::ops::ControlFlow;

use super::log::DiagnosticLog;
use super::record::{
    Attribute, DumpHeader, DumpKind, RawDump, Record, RecordCallback, Text, is_private, text_of_bytes,
};
use super::text::ending::RecordEnds;
use super::text::line::is_word;
use qscope_engine::cluster::FilePosition;

/// Returns the text before the name of an object.
fn start(kind: DumpKind) -> &'static [u8] {
    if kind == DumpKind::Jobs { b"Job Id: " } else { b"Name=" }
}

/// Passes on every line that is an object.
pub(crate) fn read<'a>(
    dump: RawDump<'a>,
    log: &mut DiagnosticLog,
    sink: RecordCallback<'_, 'a>,
) -> DumpHeader {
    let RawDump { kind, bytes, bounds } = dump;
    let mut head = DumpHeader::default();
    let mut skipped = 0;
    let mut ends = RecordEnds::default();
    let delimiter = delimiter(kind, bytes);
    let lines = bytes.split(|byte| *byte == b'\n').count();
    for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let Some(body) = line.strip_prefix(start(kind)) else {
            skipped += usize::from(!line.trim_ascii().is_empty());
            continue;
        };
        log.in_record("");
        if line.len() > bounds.record {
            log.refuse_size(FilePosition::Line(number + 1), line.len(), bounds.record);
            continue;
        }
        let record = record(kind, body, number + 1, delimiter, log);
        log.in_record(&record.name);
        if number + 1 == lines {
            let is_within_field = line
                .rsplit(|byte| delimiter.contains(byte))
                .next()
                .is_some_and(|field| !field.is_empty() && !field.contains(&b'='));
            if !ends.is_whole(kind, &record, (bytes, is_within_field), log) {
                break;
            }
        }
        ends.note(kind, &record);
        head.records += 1;
        if sink(&record, log) == ControlFlow::Break(()) {
            break;
        }
    }
    log.in_record("");
    if skipped > 0 {
        log.note("text-skipped", FilePosition::File, || {
            format!("skipped {skipped} lines that are no object")
        });
    }
    head
}

/// Returns the delimiter of fields: the text between the first object's name and its first attribute.
fn delimiter(kind: DumpKind, bytes: &[u8]) -> &[u8] {
    let first: &[u8] = if kind == DumpKind::Jobs { b"Job_Name=" } else { b"Mom=" };
    let found = bytes.split(|byte| *byte == b'\n').find_map(|line| {
        let body = line.strip_prefix(start(kind))?;
        let before = body.get(..memchr::memmem::find(body, first)?)?;
        let name = before.iter().position(|byte| !is_word(*byte) && !b".[]@".contains(byte))?;
        before.get(name..).filter(|delimiter| !delimiter.is_empty() && !delimiter.contains(&b'='))
    });
    found.unwrap_or(b"|")
}

fn record<'a>(
    kind: DumpKind,
    body: &'a [u8],
    line: usize,
    delimiter: &[u8],
    log: &mut DiagnosticLog,
) -> Record<'a> {
    let escapes = kind == DumpKind::Jobs;
    let mut fields = DsvFields { rest: Some(body), delimiter, escapes };
    let name = text_of_bytes(fields.next().unwrap_or_default().trim_ascii());
    let mut attributes = Vec::new();
    for field in fields {
        let Some(equals) = field.iter().position(|byte| *byte == b'=') else {
            if !field.trim_ascii().is_empty() {
                log.warn("dsv-field", FilePosition::Line(line), || {
                    "found a field without `=`; skipped".to_owned()
                });
            }
            continue;
        };
        let (key, value) = field.split_at(equals);
        if is_private(key) {
            continue;
        }
        let value = value.get(1..).unwrap_or_default();
        let value = if escapes { unescaped(value) } else { text_of_bytes(value) };
        let key = text_of_bytes(key);
        let (name, resource) = parted(key);
        attributes.push(Attribute::on_line(name, resource, value, line));
    }
    Record { name, position: FilePosition::Line(line), attributes }
}

/// Splits `name.resource`.
fn parted(key: Text<'_>) -> (Text<'_>, Option<Text<'_>>) {
    match key {
        Cow::Borrowed(key) => match key.split_once('.') {
            Some((name, resource)) => (Cow::Borrowed(name), Some(Cow::Borrowed(resource))),
            None => (Cow::Borrowed(key), None),
        },
        Cow::Owned(key) => match key.split_once('.') {
            Some((name, resource)) => (Cow::Owned(name.to_owned()), Some(Cow::Owned(resource.to_owned()))),
            None => (Cow::Owned(key), None),
        },
    }
}

/// The fields of a line.
struct DsvFields<'a, 'd> {
    rest: Option<&'a [u8]>,
    delimiter: &'d [u8],
    escapes: bool,
}

impl<'a> Iterator for DsvFields<'a, '_> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest?;
        let mut from = 0;
        loop {
            let Some(found) = memchr::memmem::find(rest.get(from..).unwrap_or_default(), self.delimiter)
            else {
                self.rest = None;
                return Some(rest);
            };
            let at = from + found;
            let behind = rest.get(at + self.delimiter.len()..).unwrap_or_default();
            let before = rest.get(..at).unwrap_or_default();
            let ends = if self.escapes { !is_escaped(before) } else { begins_attribute(behind) };
            if ends {
                self.rest = Some(behind);
                return Some(before);
            }
            from = at + self.delimiter.len();
        }
    }
}

/// Whether the delimiter after this text is escaped: an odd number of backslashes precedes it.
fn is_escaped(before: &[u8]) -> bool {
    before.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
}

/// Whether `name=` or `name.resource=` begins here.
fn begins_attribute(text: &[u8]) -> bool {
    let end = text.iter().position(|byte| !is_word(*byte) && *byte != b'.');
    text.first().is_some_and(u8::is_ascii_alphabetic) && end.is_some_and(|end| text.get(end) == Some(&b'='))
}

/// Returns a value with its escapes undone.
fn unescaped(value: &[u8]) -> Text<'_> {
    if !value.contains(&b'\\') {
        return text_of_bytes(value);
    }
    let mut out = Vec::with_capacity(value.len());
    let mut bytes = value.iter().copied();
    while let Some(byte) = bytes.next() {
        match (byte, byte == b'\\') {
            (_, true) => match bytes.next() {
                Some(b'n') => out.push(b'\n'),
                Some(b'f') => out.push(0x0c),
                Some(other) => out.push(other),
                None => out.push(b'\\'),
            },
            (byte, false) => out.push(byte),
        }
    }
    Cow::Owned(text_of_bytes(&out).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Read = Vec<(String, Vec<(String, String)>)>;

    fn records(kind: DumpKind, text: &str) -> Read {
        let mut all = Vec::new();
        read(RawDump::new(kind, text.as_bytes()), &mut DiagnosticLog::default(), &mut |record, _| {
            all.push((record.name.to_string(), record.pairs()));
            ControlFlow::Continue(())
        });
        all
    }

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn jobs_with_escapes() {
        let text = "Job Id: 1.s|Job_Name=a\\|b|comment=x\\\\y\\nz|Variable_List=A=1\\|2|Resource_List.ncpus=4\nJob Id: 2[].s|Job_Name=c\n";
        let all = records(DumpKind::Jobs, text);
        assert_eq!(all[0].0, "1.s");
        assert_eq!(
            all[0].1,
            [pair("Job_Name", "a|b"), pair("comment", "x\\y\nz"), pair("Resource_List.ncpus", "4")]
        );
        assert_eq!(all[1], ("2[].s".to_owned(), vec![pair("Job_Name", "c")]));
    }

    #[test]
    fn nodes_without_escapes() {
        let text = "Name=n1[0]|Mom=n1|comment=a|b c|d|resources_available.ncpus=8|state=free\n";
        let all = records(DumpKind::Nodes, text);
        assert_eq!(all[0].0, "n1[0]");
        assert_eq!(
            all[0].1,
            [
                pair("Mom", "n1"),
                pair("comment", "a|b c|d"),
                pair("resources_available.ncpus", "8"),
                pair("state", "free")
            ]
        );
    }

    #[test]
    fn another_delimiter_is_found() {
        let all = records(DumpKind::Jobs, "Job Id: 1.s;;Job_Name=a;;queue=q\n");
        assert_eq!(all[0].1, [pair("Job_Name", "a"), pair("queue", "q")]);
        for name in ["n1", "login-1", "n1[0]", "n-1.site_a"] {
            let all = records(DumpKind::Nodes, &format!("Name={name};Mom=n1;comment=a;b c;state=free\n"));
            let attributes = vec![pair("Mom", "n1"), pair("comment", "a;b c"), pair("state", "free")];
            assert_eq!(all, [(name.to_owned(), attributes)]);
        }
        let all = records(DumpKind::Jobs, "Job Id: 1.head-a;Job_Name=a\\;b;queue=q\n");
        assert_eq!(all, [("1.head-a".to_owned(), vec![pair("Job_Name", "a;b"), pair("queue", "q")])]);
    }

    proptest! {
        #[test]
        fn what_is_escaped_comes_back(value in "[ -~]{0,40}") {
            let escaped = value.replace('\\', "\\\\").replace('|', "\\|");
            let all = records(DumpKind::Jobs, &format!("Job Id: 1.s|Job_Name=a|comment={escaped}|queue=q\n"));
            prop_assert_eq!(&all[0].1[1], &pair("comment", &value));
            prop_assert_eq!(&all[0].1[2], &pair("queue", "q"));
        }

        #[test]
        fn a_broken_line_costs_no_other(junk in proptest::collection::vec(any::<u8>(), 0..80)) {
            let junk: Vec<u8> = junk.into_iter().filter(|byte| *byte != b'\n').collect();
            let mut text = b"Job Id: 1.s|Job_Name=a\n".to_vec();
            text.extend(&junk);
            text.extend(b"\nJob Id: 2.s|Job_Name=b\n");
            let mut names = Vec::new();
            read(RawDump::new(DumpKind::Jobs, &text), &mut DiagnosticLog::default(), &mut |record, _| {
                names.push(record.name.to_string());
                ControlFlow::Continue(())
            });
            prop_assert!(names.contains(&"1.s".to_owned()) && names.contains(&"2.s".to_owned()));
        }
    }
}
