//! Lines of node attributes, accounting logs and traces, compared with `tests/cases/packing/lines.json`.

use std::path::Path;

use proptest::prelude::*;
use qscope::farm::elim::{ElimLine, ElimLineJson};
use qscope::farm::scenario::Scenario;
use qscope::farm::synthetic::SyntheticSettings;
use qscope::farm::trace::accounting::{AccountingRecord, AccountingText};
use qscope::farm::trace::swf::{self, SwfJob, SwfLine};
use serde_json::{Map, Value, json};

fn lines(kind: &str) -> Vec<(String, Value)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/packing/lines.json");
    let root: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let all = root[kind].as_array().unwrap().iter();
    all.map(|line| (line["in"].as_str().unwrap().to_owned(), line["out"].clone())).collect()
}

fn error(error: &dyn std::fmt::Display) -> Value {
    json!({ "error": error.to_string() })
}

#[test]
fn node_attributes_are_read_in_both_orders() {
    for (line, wanted) in lines("elim") {
        let got = ElimLine::parse(&line).map_or_else(|e| error(&e), |read| json!(ElimLineJson::from(&read)));
        assert_eq!(got, wanted, "{line:?}");
        if let Ok(read) = ElimLine::parse(&line) {
            assert_eq!(
                ElimLine::parse(&read.write()).unwrap().values,
                read.values,
                "{line:?} written and read again"
            );
        }
    }
}

/// Returns a record in the form of the file.
fn record(record: &AccountingRecord<'_>) -> Value {
    let fields = match &record.text {
        AccountingText::Free(text) => json!(text),
        AccountingText::Fields(fields) => fields.iter().map(|(key, value)| json!([key, value])).collect(),
    };
    let mut out = Map::new();
    out.insert("stamp".into(), json!(record.stamp));
    out.insert("type".into(), json!(record.kind));
    out.insert("id".into(), json!(record.id));
    out.insert("fields".into(), fields);
    if let Some(placement) = record.exec_vnode() {
        let part = |part: &qscope::cluster::ExecVnodePart| {
            let resources: Map<String, Value> =
                part.resources.iter().map(|(name, value)| (name.to_string(), json!(&**value))).collect();
            json!([&*part.vnode, resources])
        };
        let chunks: Vec<Value> =
            placement.chunks.iter().map(|chunk| chunk.iter().map(part).collect()).collect();
        out.insert("exec_vnode".into(), Value::Array(chunks));
    }
    let slots = record.slots().unwrap();
    if !slots.is_empty() {
        let slots: Map<String, Value> =
            slots.iter().map(|(node, count)| ((*node).to_owned(), json!(count))).collect();
        out.insert("slots".into(), Value::Object(slots));
    }
    let (start, end) = (record.seconds("start"), record.seconds("end"));
    if let (true, false, Some(start), Some(end)) = (record.kind == "E", record.is_array_parent(), start, end)
    {
        let submit = record.submit(start).unwrap();
        let (queue, user) = (record.field("queue"), record.field("user"));
        out.insert(
            "job".into(),
            json!({"submit": submit, "start": start, "end": end, "run": end - start, "wait": start - submit,
                   "queue": queue, "user": user}),
        );
    }
    Value::Object(out)
}

#[test]
fn accounting_records_are_read_field_by_field() {
    for (line, wanted) in lines("acct") {
        let got = AccountingRecord::parse(&line).map_or_else(|e| error(&e), |read| record(&read));
        assert_eq!(got, wanted, "{line}");
    }
}

fn job(job: &SwfJob<'_>) -> Value {
    json!({"job": job.job, "submit": job.submit, "start": job.start, "run": job.run, "slots": job.slots,
           "user": job.user, "group": job.group, "queue": job.queue, "partition": job.partition,
           "status": job.status, "fields": job.fields, "extra": job.extra})
}

#[test]
fn traces_are_read_as_the_standard_and_as_real_files_have_it() {
    for (line, wanted) in lines("swf") {
        let got = match swf::parse(&line) {
            Ok(SwfLine::Header(label, value)) => json!({"header": [label, value]}),
            Ok(SwfLine::Comment(text)) => json!({ "comment": text }),
            Ok(SwfLine::Job(read)) => job(&read),
            Ok(SwfLine::Blank) => Value::Null,
            Err(e) => error(&e),
        };
        assert_eq!(got, wanted, "{line:?}");
    }
}

proptest! {
    /// Reading ends with an answer, whatever a line contains.
    #[test]
    fn reading_lines_never_panics(
        line in r#"[ -~äß\t]{0,12}[;=+:/"'(){}\[\]0-9a-z.*-]{0,40}[ -~]{0,12}"#,
        kind in "[ESRQAz]",
        number in any::<i64>(),
    ) {
        let whole = format!("03/02/2026 10:05:12;{kind};1[{number}].s;start={number} end={line} exec_vnode={line} exec_host={line}");
        for text in [&line, &whole] {
            if let Ok(record) = AccountingRecord::parse(text) {
                let _slots = (record.slots().is_ok(), record.submit(number), record.exec_vnode());
            }
            let _trace = swf::parse(text).is_ok();
            let _elim = ElimLine::parse(text).is_ok();
            let _scenario = Scenario::parse("x", text.as_bytes(), None).is_ok();
            let _settings = SyntheticSettings::parse("x", text).is_ok();
        }
    }
}
