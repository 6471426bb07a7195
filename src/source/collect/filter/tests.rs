use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::*;
use crate::{Files, LoadOptions, load};

const JOBS: RequestedDump = RequestedDump::Json(DumpKind::Jobs);

fn kept(dump: RequestedDump, text: &str) -> (String, usize, usize) {
    let filtered = filter(dump, text.as_bytes(), &[]).unwrap();
    (String::from_utf8(filtered.bytes).unwrap(), filtered.records, filtered.unparsed_pieces)
}

/// Returns a dump of jobs in the layout of the clients, with these lines in its only job.
fn job(lines: &[&str]) -> String {
    format!("{{\n\t\"Jobs\":\t{{\n\t\t\"1.s\":\t{{\n{}\n\t\t}}\n\t}}\n}}\n", lines.join("\n"))
}

#[test]
fn what_is_not_on_the_list_goes_however_it_is_spaced_and_nested() {
    let text = r#"{"pbs_server" : "s", "Jobs": {"1.s" : {"Variable_List" : {"a":"secret", "b": {"queue": "secret"}}, "queue":"q",
        "Submit_arguments":"-v A=secret", "argument_list"	:	"<jsdl-hpcpa:Argument>secret", "executable": ["secret"],
        "Resource_List": {"ncpus": 1, "select":"1:ncpus=1"}, "resources_used":{"x":"1"}, "comment":"a \" } b"}}}"#;
    // Members within a line among members that begin one: only the part before them is parsed.
    let (one_line, records, odd) = kept(JOBS, &text.replace('\n', " "));
    assert!(!one_line.contains("secret") && (records, odd) == (1, 0), "{one_line}");
    let expected = "{\n\t\"pbs_server\":\t\"s\",\n\t\"Jobs\":\t{\n\t\t\"1.s\":\t{\n\t\t\t\"queue\":\t\"q\",\n\t\t\t\"Resource_List\":\t{\"ncpus\": 1, \"select\":\"1:ncpus=1\"},\n\t\t\t\"resources_used\":\t{\"x\":\"1\"},\n\t\t\t\"comment\":\t\"a \\\" } b\"\n\t\t}\n\t}\n}\n";
    assert_eq!(one_line, expected);
    assert_eq!(kept(JOBS, expected).0, expected, "what is left is left as it is");
    let escaped = job(&["\t\t\t\"Variable\\u005fList\":\t\"secret\",", "\t\t\t\"queue\":\t\"q\""]);
    assert!(!kept(JOBS, &escaped).0.contains("secret"));
}

/// Some versions print quotes unescaped: what follows them in the record cannot be parsed reliably.
#[test]
fn behind_what_cannot_be_understood_a_record_is_left_out() {
    let quote =
        ["\t\t\t\"queue\":\t\"q\",", "\t\t\t\"Job_Name\":\t\"put \"hi\",", "\t\t\t\"comment\":\t\"secret\""];
    let (text, records, odd) = kept(JOBS, &job(&quote));
    assert_eq!((records, odd), (1, 1));
    assert_eq!(text, job(&["\t\t\t\"queue\":\t\"q\""]));
    // A value that looks like more members of the job.
    let forged =
        ["\t\t\t\"Submit_arguments\":\t\"-v A=\", \"comment\":\t\"secret\",", "\t\t\t\"queue\":\t\"q\""];
    assert!(!kept(JOBS, &job(&forged)).0.contains("secret"));
    let raw = [
        "\t\t\t\"Submit_arguments\":\t\"-v A=",
        "\t\t\t\"comment\":\t\"secret\",",
        "\t\t\t\"queue\":\t\"q\"",
    ];
    assert!(!kept(JOBS, &job(&raw)).0.contains("secret"));

    let two =
        job(&quote).replace("\n\t}\n}\n", ",\n\t\t\"2.s\":\t{\n\t\t\t\"queue\":\t\"r\"\n\t\t}\n\t}\n}\n");
    let (text, records, odd) = kept(JOBS, &two);
    assert!(text.contains("\"queue\":\t\"r\"") && (records, odd) == (2, 1), "the next one is found: {text}");
    assert_eq!(
        filter(JOBS, br#"{"Jobs": {"1": {"a": "put "hi"}}}"#, &[]).unwrap_err(),
        "printed what cannot be understood from byte 27"
    );
}

#[test]
fn another_dump_is_none() {
    let why = |dump, text: &str| filter(dump, text.as_bytes(), &[]).unwrap_err();
    assert_eq!(why(JOBS, "{}"), "printed something else than jobs");
    assert_eq!(
        why(JOBS, r#"{"pbs_server": "s", "error": {"code": 1}}"#),
        "printed an error instead of a dump"
    );
    assert_eq!(why(JOBS, r#"{"nodes": {}}"#), "printed the dump of another command, not jobs");
    assert_eq!(kept(JOBS, r#"{"timestamp":1,"pbs_server":"s"}"#).1, 0, "none are queued");
    let (scheds, shares) = (RequestedDump::Text(DumpKind::Schedulers), RequestedDump::Shares);
    assert_eq!(why(scheds, "qmgr: cannot connect secret\n"), "printed something else than schedulers");
    assert_eq!(why(scheds, "    state = idle\n"), "printed something else than schedulers");
    assert_eq!(
        why(shares, "Sched default\n    state = idle\n"),
        "printed something else than the fair-share tree"
    );
    assert_eq!(kept(scheds, ""), (String::new(), 0, 0));
}

#[test]
fn lines_are_left_out_with_their_folds() {
    let scheds = RequestedDump::Text(DumpKind::Schedulers);
    let text = "Sched default\n    state = idle\n    preempt_prio = express_queue,\n\tnormal_jobs\n    password = one\n\tsecret\n    comment = a\n\n";
    let without = "Sched default\n    state = idle\n    preempt_prio = express_queue,\n\tnormal_jobs\n    comment = a\n\n";
    assert_eq!(kept(scheds, text), (without.to_owned(), 1, 0));
    for odd in [
        "    password=secret",
        "    pass word = secret",
        "password = secret",
        "        password = secret",
        "\tpassword  = secret",
    ] {
        let text =
            format!("Sched a\n    state = idle\n{odd}\n    comment = secret\n\nSched b\n    state = idle\n");
        let (left, records, count) = kept(scheds, &text);
        assert!(!left.contains("secret") && (records, count) == (2, 1), "{odd}: {left}");
    }
}

/// Generates attributes with unlisted names, and text that they might contain.
fn pieces() -> impl Strategy<Value = Vec<(usize, usize, String)>> {
    let filler = proptest::string::string_regex("[\"\\\\{}\\[\\]:,= \t\n.xé]{0,12}").unwrap();
    proptest::collection::vec((0..6_usize, 0..3_usize, filler), 1..8)
}

const UNKNOWN: [&str; 6] =
    ["Submit_arguments", "argument_list", "executable", "Variable_List", "jobscript", "y"];
const KNOWN: [&str; 3] = ["queue", "Job_Name", "comment"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// A secret in an attribute that is not listed is never in the output, in JSON, escaped or not, or in text.
    #[test]
    fn secrets_do_not_pass(pieces in pieces(), in_lines: bool, escaped: bool) {
        let (mut json, mut text) = (Vec::new(), String::from("Sched a\n    state = idle\n"));
        for (name, blanks, filler) in &pieces {
            let (name, blank) = (UNKNOWN[*name], " ".repeat(*blanks));
            let secret = format!("{filler}S3CRET{filler}");
            let value = if escaped { serde_json::to_string(&secret).unwrap() } else { format!("\"{secret}\"") };
            let value = if *blanks == 2 { format!("{{\"A\":{value}}}") } else { value };
            json.push(format!("\"{name}\"{blank}:{value}"));
            json.push(format!("\"{}\":\"ok\"", KNOWN[*blanks]));
            text.push_str(&format!("    {name} ={blank}{}\n    comment = ok\n", secret.replace('\n', "\n\t")));
        }
        let (before, between) = if in_lines { ("\n\t\t\t", ",\n\t\t\t") } else { ("", ",") };
        let json = format!("{{\n\t\"Jobs\":\t{{\n\t\t\"1.s\":\t{{{before}{}\n\t\t}}\n\t}}\n}}\n", json.join(between));
        let filtered = filter(JOBS, json.as_bytes(), &[]);
        prop_assert!(filtered.is_ok() || !escaped);
        if let Ok(filtered) = filtered {
            let left = String::from_utf8_lossy(&filtered.bytes).into_owned();
            prop_assert!(!left.contains("S3CRET"), "{json}\n{left}");
            prop_assert!(!escaped || serde_json::from_str::<serde_json::Value>(&left).is_ok(), "{left}");
            prop_assert!(!escaped || left.matches("\"ok\"").count() == pieces.len(), "{json}\n{left}");
        }
        let left = filter(RequestedDump::Text(DumpKind::Schedulers), text.as_bytes(), &[]).unwrap();
        prop_assert!(!String::from_utf8_lossy(&left.bytes).contains("S3CRET"), "{text}");
    }
}

/// Returns all folders of cases.
fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let below = |path: &Path| -> Vec<PathBuf> {
        fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect()
    };
    let mut folders = vec![root.join("samples/campus")];
    for group in below(&root.join("tests/cases")) {
        folders.extend(below(&group));
        folders.push(group);
    }
    folders.sort();
    folders
}

/// The readers get the same result from a dump with and without what is filtered out.
#[test]
fn nothing_that_counts_is_left_out() {
    let dumps = [
        ("nodes.json", RequestedDump::Json(DumpKind::Nodes)),
        ("jobs.json", JOBS),
        ("jobs-t.json", JOBS),
        ("queues.json", RequestedDump::Json(DumpKind::Queues)),
        ("server.json", RequestedDump::Json(DumpKind::Server)),
        ("resvs.txt", RequestedDump::Text(DumpKind::Reservations)),
        ("sched.txt", RequestedDump::Text(DumpKind::Schedulers)),
        ("resources.txt", RequestedDump::Text(DumpKind::Resources)),
        ("fairshare.txt", RequestedDump::Shares),
    ];
    let mut compared = 0;
    for folder in folders() {
        let Ok(files) = Files::from_folder(&folder) else { continue };
        let mut left = files.clone();
        let mut count = 0;
        for (name, dump) in dumps {
            let Some(Ok(bytes)) = files.get(name).map(|file| &file.bytes) else { continue };
            // Broken cases are left out in part, which is reported.
            let Ok(filtered) = filter(dump, bytes, &[]) else { continue };
            if filtered.unparsed_pieces == 0 {
                left.insert(name, filtered.bytes, files.get(name).and_then(|file| file.modified));
                count += 1;
            }
        }
        let (Ok(whole), Ok(left)) =
            (load(&files, &LoadOptions::default()), load(&left, &LoadOptions::default()))
        else {
            continue;
        };
        compared += count;
        let seen = |snap: &qscope_engine::cluster::Snapshot| {
            format!("{:#?}", (&snap.nodes, &snap.jobs, &snap.queues, &snap.server, &snap.reservations))
        };
        assert_eq!(seen(&whole), seen(&left), "{}", folder.display());
    }
    assert!(compared > 100, "{compared}");
}
