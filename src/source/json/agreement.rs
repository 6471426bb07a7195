//! On valid JSON, this reader agrees with a strict one.

use std::ops::ControlFlow;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::read_afresh;
use crate::log::DiagnosticLog;
use crate::record::{Attribute, RawDump};
use crate::record::{DumpKind, has_resources, is_private};

/// A record: its name, and its attributes with resource and text.
type Flat = (String, Vec<(String, Option<String>, String)>);

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i32>().prop_map(|n| json!(n)),
        any::<bool>().prop_map(|b| json!(b)),
        Just(Value::Null),
        ".{0,12}".prop_map(|s| json!(s)),
        r#"[ -~"\\{}:,]{0,12}"#.prop_map(|s| json!(s)),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let inner = scalar().prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::btree_map(key(), inner, 0..4).prop_map(object),
        ]
    });
    prop_oneof![3 => scalar(), 1 => inner]
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("comment".to_owned()),
        Just("Resource_List".to_owned()),
        Just("Variable_List".to_owned()),
        Just("state".to_owned()),
        r#"[a-z"\\{}:,]{0,6}"#,
    ]
}

fn object(members: std::collections::BTreeMap<String, Value>) -> Value {
    Value::Object(members.into_iter().collect::<Map<_, _>>())
}

/// Returns the text of a value as this reader passes it on.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(all) if all.iter().all(|v| !v.is_object() && !v.is_array()) => {
            all.iter().map(text).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

/// Returns the records of a dump as read by a strict reader.
fn expected(dump: &Value) -> Vec<Flat> {
    let jobs = dump["Jobs"].as_object().unwrap();
    let attribute = |(name, value): (&String, &Value)| match value {
        _ if is_private(name) => vec![],
        Value::Object(inner) if has_resources(name) => {
            inner.iter().map(|(r, v)| (name.clone(), Some(r.clone()), text(v))).collect()
        }
        value => vec![(name.clone(), None, text(value))],
    };
    jobs.iter()
        .map(|(name, job)| (name.clone(), job.as_object().unwrap().iter().flat_map(attribute).collect()))
        .collect()
}

fn got(bytes: &[u8]) -> (Vec<Flat>, usize) {
    let mut log = DiagnosticLog::default();
    let mut all = Vec::new();
    read_afresh(RawDump::new(DumpKind::Jobs, bytes), &mut log, &mut |record, _| {
        let attribute = |a: &Attribute<'_>| {
            (a.name.to_string(), a.resource.as_ref().map(ToString::to_string), a.value.to_string())
        };
        all.push((record.name.to_string(), record.attributes.iter().map(attribute).collect()));
        ControlFlow::Continue(())
    });
    (all, log.finish().0.len())
}

proptest! {
    #[test]
    fn valid_json_is_read_as_a_strict_reader_does(
        jobs in prop::collection::btree_map(
            "[0-9]{1,3}[.]s",
            prop::collection::btree_map(key(), value(), 0..6),
            0..5,
        ),
        pretty in any::<bool>(),
    ) {
        let jobs: Map<String, Value> = jobs.into_iter().map(|(name, members)| {
            let mut job = Map::new();
            job.insert("Job_Name".to_owned(), json!("n"));
            job.extend(members);
            (name, Value::Object(job))
        }).collect();
        let dump = json!({"timestamp": 5, "Jobs": jobs});
        let bytes = if pretty { serde_json::to_vec_pretty(&dump) } else { serde_json::to_vec(&dump) }.unwrap();
        let (all, reported) = got(&bytes);
        let squeezed = |all: Vec<Flat>| all.into_iter().map(|(name, attributes)| {
            // Nested values keep their own text, blanks included.
            let attributes: Vec<_> = attributes.into_iter().map(|(name, resource, text)| {
                let nested = text.starts_with(['{', '[']);
                let text = match serde_json::from_str::<Value>(&text) {
                    Ok(value) if nested => value.to_string(),
                    _ => text,
                };
                (name, resource, text)
            }).collect();
            (name, attributes)
        }).collect::<Vec<Flat>>();
        prop_assert_eq!(squeezed(all), squeezed(expected(&dump)));
        prop_assert_eq!(reported, 0);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(prop_oneof![
        Just(b'{'), Just(b'}'), Just(b'"'), Just(b':'), Just(b','), Just(b'['), Just(b']'), Just(b'\\'), any::<u8>(),
    ], 0..60)) {
        let mut dump = b"{\"Jobs\":{\"1\":{\"Job_Name\":".to_vec();
        dump.extend(bytes);
        got(&dump);
    }
}
