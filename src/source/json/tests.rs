//! Reads records from JSON, valid and slightly invalid.

use std::ops::ControlFlow;

use super::*;
use crate::bounds::ReadLimits;
use qscope_engine::cluster::FilePosition;

/// Returns every record as `name: attribute.resource=value; …`, and the codes of the reports.
fn read_all(kind: DumpKind, bytes: &[u8]) -> (Vec<String>, Vec<&'static str>) {
    let mut log = DiagnosticLog::default();
    let mut all = Vec::new();
    read_afresh(RawDump::new(kind, bytes), &mut log, &mut |record, _| {
        let attributes = record.attributes.iter().map(|one| format!("{}={}", one.full_name(), one.value));
        all.push(format!("{}: {}", record.name, attributes.collect::<Vec<_>>().join("; ")));
        ControlFlow::Continue(())
    });
    (all, log.finish().0.into_iter().map(|d| d.code).collect())
}

const NODES: &str = r#"{"timestamp":5,"pbs_server":"s","nodes":{
 "n1":{"Mom":"m1","state":"free","jobs":["1.s","2.s"],"resources_available":{"ncpus":8,"mem":"4gb"},"resources_assigned":{}},
 "n2":{"Mom":"m2","comment":{"a":[1]},"Priority":1e5},
 "n3":{"Mom":"m3","state":"down"}}}"#;

#[test]
fn values_are_flat_text() {
    let (all, reported) = read_all(DumpKind::Nodes, NODES.as_bytes());
    assert_eq!(
        all[0],
        "n1: Mom=m1; state=free; jobs=1.s, 2.s; resources_available.ncpus=8; resources_available.mem=4gb"
    );
    assert_eq!(all[1], r#"n2: Mom=m2; comment={"a":[1]}; Priority=1e5"#);
    assert!(reported.is_empty(), "{reported:?}");
}

#[test]
fn the_head_is_kept() {
    let head = read_afresh(
        RawDump::new(DumpKind::Nodes, NODES.as_bytes()),
        &mut DiagnosticLog::default(),
        &mut |_, _| ControlFlow::Break(()),
    );
    assert_eq!(head.timestamp, Some(Epoch(5)));
    assert_eq!(head.server.as_deref(), Some("s"));
    assert_eq!(head.records, 1);
    assert_eq!(timestamp(NODES.as_bytes()), Some(Epoch(5)));
    let stamped = |number: &str| {
        let text = NODES.replace("\"timestamp\":5", &format!("\"timestamp\":{number}"));
        let found = timestamp(text.as_bytes()).map(|at| at.0);
        (found, read_all(DumpKind::Nodes, text.as_bytes()).1)
    };
    assert_eq!(stamped("1.795226609e9"), (Some(1_795_226_609), vec![]));
    for wrong in ["1795226609000", "9e18", "1e99", "-5"] {
        assert_eq!(stamped(wrong), (None, vec!["timestamp"]), "{wrong}");
    }
}

#[test]
fn repeated_names_are_all_kept() {
    let text = r#"{"Queue":{"q":{"queue_type":"E","max_run":"[u:a=1]","max_run":"[u:b=2]"}}}"#;
    assert_eq!(
        read_all(DumpKind::Queues, text.as_bytes()).0,
        ["q: queue_type=E; max_run=[u:a=1]; max_run=[u:b=2]"]
    );
}

#[test]
fn environments_are_passed_over() {
    let text =
        r#"{"Jobs":{"1.s":{"Job_Name":"a","Variable_List":{"SECRET":"x","B":{"c":[]}},"euser":"ann"}}}"#;
    assert_eq!(read_all(DumpKind::Jobs, text.as_bytes()).0, ["1.s: Job_Name=a; euser=ann"]);
}

#[test]
fn odd_values_cost_nothing() {
    let text = r#"{"Jobs":{"1.s":{"Job_Name":"a\,b","foo":005,"bar":,"comment":"put "hi", then go",},}}"#;
    let (all, reported) = read_all(DumpKind::Jobs, text.as_bytes());
    assert_eq!(all, [r#"1.s: Job_Name=a\,b; foo=005; bar=; comment=put "hi", then go"#]);
    assert_eq!(
        reported,
        [
            "json-escape",
            "json-bare-word",
            "json-value",
            "json-quote",
            "json-quote",
            "json-comma",
            "json-comma"
        ]
    );
}

#[test]
fn a_damaged_record_costs_no_other() {
    for (from, to) in [
        (r#""free","#, r#""free,"#),
        (r#""n2":{"#, r#""n2":x"#),
        (r#""resources_assigned":{}},"#, r#""resources_assigned":{},"#),
        (r#""Priority":1e5}"#, r#""Priority":1e5]"#),
        (r#""Priority":1e5}"#, r#""Priority":1e5"#),
        (r#""Priority":1e5}"#, r#""Priority":1e5}}"#),
    ] {
        let (all, reported) = read_all(DumpKind::Nodes, NODES.replace(from, to).as_bytes());
        assert!(all.iter().any(|record| record == "n3: Mom=m3; state=down"), "{to}: {all:?}");
        assert!(!reported.is_empty(), "{to}");
    }
}

#[test]
fn a_cut_file_loses_only_the_last_record() {
    let cut = NODES.find("\"m3").unwrap();
    let (all, reported) = read_all(DumpKind::Nodes, &NODES.as_bytes()[..cut]);
    assert_eq!(all.len(), 2);
    assert_eq!(reported, ["record-cut", "json-cut"]);
}

#[test]
fn text_around_is_skipped() {
    let text = format!("Password for ann@SITE:\n{NODES}\nbye\n");
    let (all, reported) = read_all(DumpKind::Nodes, text.as_bytes());
    assert_eq!(all.len(), 3);
    assert_eq!(reported, ["json-text-before", "json-text-after"]);
}

#[test]
fn nesting_has_an_end() {
    let deep = |levels: usize| {
        let nested = format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let dump = NODES.replace(r#"{"a":[1]}"#, &nested);
        let (all, reported) = read_all(DumpKind::Nodes, dump.as_bytes());
        (all.len(), reported)
    };
    assert_eq!(deep(1000), (3, vec![]));
    assert_eq!(deep(1001), (3, vec!["limit-nesting"]));
    assert_eq!(deep(1_000_000), (3, vec!["limit-nesting"]));
    let mut log = DiagnosticLog::default();
    let bounds = ReadLimits { nesting: 1, ..ReadLimits::default() };
    read_afresh(
        RawDump { bounds, ..RawDump::new(DumpKind::Nodes, NODES.as_bytes()) },
        &mut log,
        &mut |_, _| ControlFlow::Continue(()),
    );
    let reported = log.finish().0;
    let expected = "expected no more levels than the limit `nesting` of 1; kept the 1 values before";
    assert_eq!((reported.len(), &*reported[0].message), (1, expected));
}

#[test]
fn a_record_beyond_the_limit_is_left_out_by_its_name() {
    let n2 = NODES.find("\"n3\"").unwrap() - NODES.find("\"n2\"").unwrap();
    for (record, kept) in [(n2, 2), (n2 - 1, 2), (n2 - 4, 1)] {
        let mut log = DiagnosticLog::default();
        let mut all = Vec::new();
        let bounds = ReadLimits { record, ..ReadLimits::default() };
        read_afresh(
            RawDump { bounds, ..RawDump::new(DumpKind::Nodes, NODES.as_bytes()) },
            &mut log,
            &mut |record, _| {
                all.push(record.name.to_string());
                ControlFlow::Continue(())
            },
        );
        assert_eq!(all.len(), kept, "{record}: {all:?}");
        assert!(all.contains(&"n3".to_owned()));
        let reported = log.finish().0;
        assert!(
            reported.iter().all(|d| d.code == "limit-record-size" && d.message.contains("`record-size`"))
        );
        assert_eq!(reported.len(), 3 - kept);
    }
}

#[test]
fn another_dump_is_named() {
    assert_eq!(read_all(DumpKind::Jobs, NODES.as_bytes()), (vec![], vec!["wrong-dump"]));
}

/// Three jobs, printed as the clients do: with tabs and line ends.
const PRINTED: &str = "{\n\t\"timestamp\":\t5,\n\t\"Jobs\":\t{\n\t\t\"1.s\":\t{\n\t\t\t\"Job_Name\":\t\"a\",\n\t\t\t\"Priority\":\t-7,\n\t\t\t\"comment\":\t\"x \\\"y\\\" z\"\n\t\t},\n\t\t\"2.s\":\t{\n\t\t\t\"Job_Name\":\t\"b\",\n\t\t\t\"Resource_List\":\t{\n\t\t\t\t\"ncpus\":\t4,\n\t\t\t\t\"select\":\t\"1:ncpus=4\"\n\t\t\t},\n\t\t\t\"jobs\":\t[\"a\", \"b\"]\n\t\t},\n\t\t\"3.s\":\t{\n\t\t\t\"Job_Name\":\t\"c\",\n\t\t\t\"euser\":\t\"ann\"\n\t\t}\n\t}\n}\n";

/// The dumps to damage, each with its kind.
fn victims() -> [(DumpKind, String); 3] {
    let compact: String = NODES.replace("\n ", "").replace('\n', "");
    [(DumpKind::Nodes, NODES.to_owned()), (DumpKind::Nodes, compact), (DumpKind::Jobs, PRINTED.to_owned())]
}

/// Returns where the name of each record starts, and the end of the last record.
fn starts(text: &str, kind: DumpKind) -> Vec<usize> {
    let mut at = Vec::new();
    read_afresh(RawDump::new(kind, text.as_bytes()), &mut DiagnosticLog::default(), &mut |record, _| {
        if let FilePosition::Byte(start) = record.position {
            at.push(start);
        }
        ControlFlow::Continue(())
    });
    at.push(text.len());
    at
}

#[test]
fn every_prefix_keeps_the_whole_records() {
    for (kind, text) in victims() {
        let (all, _) = read_all(kind, text.as_bytes());
        let starts = starts(&text, kind);
        for end in 0..text.len() {
            let (got, _) = read_all(kind, &text.as_bytes()[..end]);
            let whole = starts.iter().filter(|start| **start <= end).count().saturating_sub(1);
            assert!(got.len() >= whole, "{end} of {text}");
            assert_eq!(got[..whole], all[..whole], "{end} of {text}");
        }
    }
}

#[test]
fn every_changed_byte_keeps_the_records_before_it() {
    for (kind, text) in victims() {
        let (all, _) = read_all(kind, text.as_bytes());
        let starts = starts(&text, kind);
        let section = starts[0];
        for at in section..text.len() {
            let before = starts.iter().filter(|start| **start <= at).count() - 1;
            for byte in *b"\"\\{}[],:x0 \n\t\xff\0" {
                let mut bytes = text.clone().into_bytes();
                bytes[at] = byte;
                let (got, _) = read_all(kind, &bytes);
                assert!(got.len() >= before, "{at} {}: {got:#?}", byte as char);
                assert_eq!(got[..before], all[..before], "{at} {}", byte as char);
            }
        }
    }
}

#[test]
fn a_changed_byte_costs_no_record_behind_it() {
    for (kind, text) in victims() {
        let (all, _) = read_all(kind, text.as_bytes());
        let starts = starts(&text, kind);
        for at in starts[0]..starts[2] {
            for byte in *b"\"\\{}[],:x0 \n\xff" {
                let mut bytes = text.clone().into_bytes();
                bytes[at] = byte;
                let (got, _) = read_all(kind, &bytes);
                assert!(got.contains(&all[2]), "{at} {}: {got:#?}", byte as char);
            }
        }
    }
}

#[test]
fn sections_of_other_kinds_are_named_once() {
    let text = r#"{"Jobs":{},"nodes":{},"Queue":{},"nodes":{},"Server":{}}"#;
    let mut log = DiagnosticLog::default();
    read_afresh(RawDump::new(DumpKind::Jobs, text.as_bytes()), &mut log, &mut |_, _| {
        ControlFlow::Continue(())
    });
    let found: Vec<String> = log.finish().0.into_iter().map(|found| found.message).collect();
    assert_eq!(
        found,
        ["`nodes`, `Queue`, `Server` besides `Jobs` not read; expected a file for each kind of dump"]
    );
}
