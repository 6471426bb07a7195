//! Reads the output of Torque's `-x`: a single line, and not valid XML (sites 4.1, 4.2).
//!
//! Values are not escaped: `&` and `>` occur literally, and `<` as the byte 0x0E. Objects are therefore found by
//! their element, and each value within them from its element to that element's end.

use std::borrow::Cow;
use std::ops::ControlFlow;

use memchr::memmem;

use crate::log::DiagnosticLog;
use crate::record::{
    Attribute, DumpHeader, DumpKind, RawDump, Record, RecordCallback, Text, is_private, text_of_bytes,
};
use qscope_engine::cluster::FilePosition;

/// Returns the element of an object, and that of its name.
fn elements(kind: DumpKind) -> (&'static str, &'static str) {
    if kind == DumpKind::Jobs { ("Job", "Job_Id") } else { ("Node", "name") }
}

/// Passes on every object.
pub(crate) fn read<'a>(
    dump: RawDump<'a>,
    log: &mut DiagnosticLog,
    sink: RecordCallback<'_, 'a>,
) -> DumpHeader {
    let RawDump { kind, bytes, bounds } = dump;
    let (element, name) = elements(kind);
    let (open, close) = (format!("<{element}>"), format!("</{element}>"));
    let (open, close) = (memmem::Finder::new(&open), memmem::Finder::new(&close));
    let mut head = DumpHeader::default();
    let mut next = open.find(bytes);
    while let Some(start) = next {
        let body = start + open.needle().len();
        let rest = bytes.get(body..).unwrap_or_default();
        next = open.find(rest).map(|at| body + at);
        let whole = rest.get(..next.map_or(rest.len(), |next| next - body)).unwrap_or_default();
        let Some(end) = close.find(whole) else {
            log.in_record("");
            log.error("record-damaged", FilePosition::Byte(start), || {
                format!("left out: found `<{element}>` without its end")
            });
            continue;
        };
        if end > bounds.record {
            log.refuse_size(FilePosition::Byte(start), end, bounds.record);
            continue;
        }
        let Some(record) = record(whole.get(..end).unwrap_or_default(), body, name, start, log) else {
            continue;
        };
        log.in_record(&record.name);
        head.records += 1;
        if sink(&record, log) == ControlFlow::Break(()) {
            break;
        }
    }
    log.in_record("");
    if head.records == 0 && memmem::find(bytes, b"<Data>").is_none() {
        log.error("no-records", FilePosition::File, || {
            format!("found no `<{element}>`; expected Torque's XML")
        });
    }
    head
}

fn record<'a>(
    body: &'a [u8],
    at: usize,
    name: &str,
    start: usize,
    log: &mut DiagnosticLog,
) -> Option<Record<'a>> {
    let mut record =
        Record { name: Cow::Borrowed(""), position: FilePosition::Byte(start), attributes: Vec::new() };
    let broken = values(body, at, &mut |key, value, at| {
        if key == name.as_bytes() {
            record.name = text(value);
        } else if !is_private(key) {
            let is_group = value.trim_ascii_start().starts_with(b"<");
            if is_group {
                let inner = values(value, at, &mut |resource, value, at| {
                    let resource = Some(text_of_bytes(resource));
                    record.attributes.push(Attribute::at_byte(text_of_bytes(key), resource, text(value), at));
                    true
                });
                return inner.is_none();
            }
            record.attributes.push(Attribute::at_byte(text_of_bytes(key), None, text(value), at));
        }
        true
    });
    if let Some(at) = broken {
        log.in_record(&record.name);
        log.warn("xml-element", FilePosition::Byte(at), || {
            "found an element without its end; kept what stands before it".to_owned()
        });
    }
    if record.name.trim().is_empty() {
        log.error("record-damaged", FilePosition::Byte(start), || {
            format!("left out: found no `<{name}>` in it")
        });
        return None;
    }
    Some(record)
}

/// Takes the key, the value and the byte offset of an element; returns whether to continue.
type ElementCallback<'e, 'a> = &'e mut dyn FnMut(&'a [u8], &'a [u8], usize) -> bool;

/// Passes on the elements of one level. If an element has no end, returns its position and stops.
fn values<'a>(body: &'a [u8], offset: usize, each: ElementCallback<'_, 'a>) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = body.get(at..)?;
        let open = at + memchr::memchr(b'<', rest)?;
        let inside = body.get(open + 1..)?;
        let Some(length) = memchr::memchr(b'>', inside) else { return Some(offset + open) };
        let key = inside.get(..length)?;
        let value_at = open + 1 + length + 1;
        let end = [b"</", key, b">"].concat();
        let Some(length) = memmem::find(body.get(value_at..)?, &end) else { return Some(offset + open) };
        let value = body.get(value_at..value_at + length)?;
        if !each(key, value, offset + value_at) {
            return Some(offset + value_at);
        }
        at = value_at + length + end.len();
    }
}

/// Returns a value with its escapes undone: 0x0E, and the five entities.
fn text(value: &[u8]) -> Text<'_> {
    if memchr::memchr2(0x0e, b'&', value).is_none() {
        return text_of_bytes(value);
    }
    const ENTITIES: [(&[u8], u8); 5] =
        [(b"&lt;", b'<'), (b"&gt;", b'>'), (b"&amp;", b'&'), (b"&quot;", b'"'), (b"&apos;", b'\'')];
    let mut out = Vec::with_capacity(value.len());
    let mut rest = value;
    while let Some((first, behind)) = rest.split_first() {
        let entity = ENTITIES.iter().find(|(entity, _)| rest.starts_with(entity));
        match (first, entity) {
            (0x0e, _) => out.push(b'<'),
            (_, Some((entity, byte))) => {
                out.push(*byte);
                rest = rest.get(entity.len()..).unwrap_or_default();
                continue;
            }
            _ => out.push(*first),
        }
        rest = behind;
    }
    Cow::Owned(text_of_bytes(&out).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    type Read = Vec<(String, Vec<(String, String)>)>;

    fn records(kind: DumpKind, bytes: &[u8]) -> (Read, usize) {
        let (mut all, mut log) = (Vec::new(), DiagnosticLog::default());
        read(RawDump::new(kind, bytes), &mut log, &mut |record, _| {
            all.push((record.name.to_string(), record.pairs()));
            ControlFlow::Continue(())
        });
        (all, log.finish().0.len())
    }

    fn pair(name: &str, value: &str) -> (String, String) {
        (name.to_owned(), value.to_owned())
    }

    #[test]
    fn a_byte_stands_for_the_sign_and_ampersands_stand_alone() {
        let text = b"<Data><Node><name>n1</name><state>free</state><np>8</np><note>load\x0e1 & ok</note></Node></Data>";
        let (all, reported) = records(DumpKind::Nodes, text);
        assert_eq!(all[0].1, [pair("state", "free"), pair("np", "8"), pair("note", "load<1 & ok")]);
        assert_eq!(reported, 0);
        let (all, _) = records(
            DumpKind::Nodes,
            b"<Data><Node><name>n1</name><note>a &lt;b&gt; &amp;c</note></Node></Data>",
        );
        assert_eq!(all[0].1, [pair("note", "a <b> &c")]);
    }

    #[test]
    fn resources_are_elements_within_one() {
        let text = b"<?xml version=\"1.0\"?>\n<Data><Job><Job_Id>1.s</Job_Id><Resource_List><nodes>1:ppn=2</nodes><walltime>60</walltime></Resource_List><Variable_List>A=1</Variable_List></Job></Data>";
        let (all, _) = records(DumpKind::Jobs, text);
        assert_eq!(all[0].1, [pair("Resource_List.nodes", "1:ppn=2"), pair("Resource_List.walltime", "60")]);
    }

    #[test]
    fn a_damaged_node_costs_no_neighbour() {
        let text = b"<Data><Node><name>n1</name><np>8</Node><Node><name>n2</name><state>down<Node><name>n3</name><np>4</np></Node></Data>";
        let (all, reported) = records(DumpKind::Nodes, text);
        let names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!((names, reported), (vec!["n1", "n3"], 2));
    }

    proptest::proptest! {
        #[test]
        fn junk_between_nodes_costs_none(junk in proptest::collection::vec(proptest::num::u8::ANY, 0..60)) {
            let mut text = b"<Data><Node><name>n1</name></Node>".to_vec();
            text.extend(&junk);
            text.extend(b"<Node><name>n2</name></Node></Data>");
            let (all, _) = records(DumpKind::Nodes, &text);
            proptest::prop_assert!(all.iter().any(|(name, _)| name == "n1"));
            proptest::prop_assert!(all.iter().any(|(name, _)| name == "n2"));
        }
    }
}
