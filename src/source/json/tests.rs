//! Records out of JSON that is and is not quite JSON.

use super::*;

/// Every record as `name: attribute.resource=value; …`, and the codes of what was said.
fn read_all(kind: DumpKind, bytes: &[u8]) -> (Vec<String>, Vec<&'static str>) {
    let mut log = Log::default();
    let mut all = Vec::new();
    read(kind, bytes, &mut log, &mut |record, _| {
        let attributes = record.attributes.iter().map(|attribute| {
            let dot = attribute.resource.as_ref().map(|r| format!(".{r}")).unwrap_or_default();
            format!("{}{dot}={}", attribute.name, attribute.value)
        });
        all.push(format!("{}: {}", record.name, attributes.collect::<Vec<_>>().join("; ")));
        ControlFlow::Continue(())
    });
    (all, log.finish().into_iter().map(|d| d.code).collect())
}

const NODES: &str = r#"{"timestamp":5,"pbs_server":"s","nodes":{
 "n1":{"Mom":"m1","state":"free","jobs":["1.s","2.s"],"resources_available":{"ncpus":8,"mem":"4gb"},"resources_assigned":{}},
 "n2":{"Mom":"m2","comment":{"a":[1]},"Priority":1e5},
 "n3":{"Mom":"m3","state":"down"}}}"#;

#[test]
fn values_are_flat_text() {
    let (all, said) = read_all(DumpKind::Nodes, NODES.as_bytes());
    assert_eq!(
        all[0],
        "n1: Mom=m1; state=free; jobs=1.s, 2.s; resources_available.ncpus=8; resources_available.mem=4gb"
    );
    assert_eq!(all[1], r#"n2: Mom=m2; comment={"a":[1]}; Priority=1e5"#);
    assert!(said.is_empty(), "{said:?}");
}

#[test]
fn the_head_is_kept() {
    let head =
        read(DumpKind::Nodes, NODES.as_bytes(), &mut Log::default(), &mut |_, _| ControlFlow::Break(()));
    assert_eq!(head.timestamp, Some(Epoch(5)));
    assert_eq!(head.server.as_deref(), Some("s"));
    assert_eq!(head.records, 1);
    assert_eq!(timestamp(NODES.as_bytes()), Some(Epoch(5)));
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
    let text = r#"{"Jobs":{"1.s":{"Job_Name":"a\,b","foo":005,"bar":,"comment":"say "hi", then go",},}}"#;
    let (all, said) = read_all(DumpKind::Jobs, text.as_bytes());
    assert_eq!(all, [r#"1.s: Job_Name=a\,b; foo=005; bar=; comment=say "hi", then go"#]);
    assert_eq!(
        said,
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
        let (all, said) = read_all(DumpKind::Nodes, NODES.replace(from, to).as_bytes());
        assert!(all.iter().any(|record| record == "n3: Mom=m3; state=down"), "{to}: {all:?}");
        assert!(!said.is_empty(), "{to}");
    }
}

#[test]
fn a_cut_file_loses_only_the_last_record() {
    let cut = NODES.find("\"m3").unwrap();
    let (all, said) = read_all(DumpKind::Nodes, &NODES.as_bytes()[..cut]);
    assert_eq!(all.len(), 2);
    assert_eq!(said, ["record-cut", "json-cut"]);
}

#[test]
fn text_around_is_skipped() {
    let text = format!("Password for ann@SITE:\n{NODES}\nbye\n");
    let (all, said) = read_all(DumpKind::Nodes, text.as_bytes());
    assert_eq!(all.len(), 3);
    assert_eq!(said, ["json-text-before", "json-text-after"]);
}

#[test]
fn another_dump_is_named() {
    assert_eq!(read_all(DumpKind::Jobs, NODES.as_bytes()), (vec![], vec!["wrong-dump"]));
}
