//! Input that no client prints but any user could put into a folder: every reader stays within bounds, reports what
//! is wrong, and keeps the rest.

use std::process::Command;
use std::time::{Duration, Instant};

use qscope::cluster::{Epoch, Snapshot};
use qscope::source::{Files, LoadOptions, load};

/// Maximum time for any input here, on a busy machine and without optimisation.
const PATIENCE: Duration = Duration::from_secs(60);

const NODE: &str = "n1\n     Mom = n1\n     state = free\n     resources_available.ncpus = 8\n\n";
const LAST: &str = "\"2.s\":{\"Job_Name\":\"last\",\"job_state\":\"Q\",\"queue\":\"q\"}";

/// Loads one file together with a small vnode dump, within the time allowed.
fn read(name: &str, bytes: impl Into<Vec<u8>>) -> Snapshot {
    let mut files = Files::new("hostile");
    files.insert("nodes.txt", NODE, Some(Epoch(5)));
    files.insert(name, bytes, Some(Epoch(5)));
    let start = Instant::now();
    let options = LoadOptions::in_zone("UTC");
    let snapshot = load(&files, &options).unwrap();
    assert!(start.elapsed() < PATIENCE, "{name}: {:?}", start.elapsed());
    snapshot
}

/// Returns a JSON job with this member, and another job after it.
fn json_job(member: &str) -> String {
    let job = format!("\"1.s\":{{\"Job_Name\":\"first\",{member},\"job_state\":\"Q\",\"queue\":\"q\"}}");
    format!("{{\"timestamp\":5,\"Jobs\":{{{job},{LAST}}}}}")
}

/// Returns a text job with these lines, and another job after it.
fn text_job(lines: &str) -> String {
    format!(
        "Job Id: 1.s\n    Job_Name = first\n{lines}    job_state = Q\n    queue = q\n\nJob Id: 2.s\n    Job_Name = last\n    job_state = Q\n    queue = q\n\n"
    )
}

fn titles(snapshot: &Snapshot) -> Vec<&str> {
    snapshot.jobs.iter().map(|job| &*job.title).collect()
}

fn codes(snapshot: &Snapshot) -> Vec<&'static str> {
    snapshot.diagnostics.iter().map(|said| said.code).collect()
}

#[test]
fn a_million_levels() {
    let deep = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    for member in [format!("\"comment\":{deep}"), format!("\"comment\":{}", "{\"a\":".repeat(1_000_000))] {
        let snapshot = read("jobs.json", json_job(&member));
        assert!(titles(&snapshot).contains(&"last"));
        let said = snapshot.diagnostics.iter().find(|said| said.code == "limit-nesting").unwrap();
        assert!(said.message.contains("`nesting` of 1000"), "{said}");
    }
    assert_eq!(titles(&read("jobs.txt", text_job(&format!("    comment = {deep}\n")))), ["first", "last"]);
    let snapshot = read("jobs.json", deep.replace('[', "{"));
    assert!(snapshot.diagnostics.iter().any(|said| said.severity == qscope::cluster::Severity::Error));
}

#[test]
fn long_lines_and_values() {
    let line = "x".repeat(300_000);
    let folded: Vec<&str> =
        line.as_bytes().chunks(70).map(|piece| std::str::from_utf8(piece).unwrap()).collect();
    let snapshot = read("jobs.txt", text_job(&format!("    comment = {}\n", folded.join("\n\t"))));
    assert_eq!(snapshot.jobs.iter().next().unwrap().comment.as_ref(), Some(&line));
    for (text, kept) in [(line, true), ("y".repeat(63 << 20), true), ("z".repeat(65 << 20), false)] {
        let json = read("jobs.json", json_job(&format!("\"comment\":\"{text}\"")));
        let plain = read("jobs.txt", text_job(&format!("    comment = {text}\n")));
        for snapshot in [json, plain] {
            assert!(titles(&snapshot).contains(&"last"));
            assert_eq!(titles(&snapshot).contains(&"first"), kept);
            assert_eq!(codes(&snapshot).contains(&"limit-record-size"), !kept);
            let comment = snapshot.jobs.iter().next().unwrap().comment.as_ref();
            assert!(!kept || comment == Some(&text));
        }
    }
}

#[test]
fn a_million_equal_names() {
    let members = vec!["\"comment\":\"a\""; 1_000_000].join(",");
    assert_eq!(titles(&read("jobs.json", json_job(&members))), ["first", "last"]);
    let limits = vec!["\"max_run\":\"[u:a=1]\""; 1_000_000].join(",");
    let queues = read("queues.json", format!("{{\"Queue\":{{\"q\":{{\"queue_type\":\"E\",{limits}}}}}}}"));
    assert_eq!(queues.queues.iter().next().unwrap().limits.entries.len(), 1_000_000);
    // Behind the environment every name is looked at twice.
    let lines = "    comment = a\n".repeat(1_000_000);
    let snapshot = read("jobs.txt", text_job(&format!("    Variable_List = A=b\n{lines}")));
    assert!(titles(&snapshot).contains(&"last"));
    let names: String = (0..300_000).map(|at| format!("    a{at} = a\n")).collect();
    let snapshot = read("jobs.txt", text_job(&format!("    Variable_List = A=b\n{names}")));
    assert!(titles(&snapshot).contains(&"last"));
    let resources: String = (0..20_000).map(|at| format!("    Resource_List.r{at} = {at}\n")).collect();
    assert_eq!(titles(&read("jobs.txt", text_job(&resources))), ["first", "last"]);
    let twice = vec![LAST; 200_000].join(",");
    let snapshot = read("jobs.json", format!("{{\"Jobs\":{{{twice}}}}}"));
    assert_eq!(snapshot.jobs.len(), 1);
    assert!(codes(&snapshot).contains(&"record-repeated"));
}

#[test]
fn endless_numbers() {
    let digits = "9".repeat(100_000);
    for name in ["Priority", "queue_rank", "ctime", "substate", "run_count", "eligible_time"] {
        let json = read("jobs.json", json_job(&format!("\"{name}\":{digits}")));
        let text = read("jobs.txt", text_job(&format!("    {name} = {digits}\n")));
        assert_eq!((titles(&json), titles(&text)), (vec!["first", "last"], vec!["first", "last"]), "{name}");
    }
    for value in [digits.clone(), format!("{digits}gb"), format!("{digits}:00:00"), format!("-{digits}")] {
        for resource in ["ncpus", "mem", "walltime", "odd"] {
            let lines = format!("    Resource_List.{resource} = {value}\n");
            assert_eq!(titles(&read("jobs.txt", text_job(&lines))), ["first", "last"], "{resource}");
        }
    }
    let select = format!("    Resource_List.select = {digits}:ncpus={digits}\n    schedselect = {digits}\n");
    assert_eq!(titles(&read("jobs.txt", text_job(&select))), ["first", "last"]);
    read("now", digits.clone());
    read("sched_config", format!("backfill_depth: {digits} ALL\nprimetime_prefix: {digits}\n"));
    read("jobs.json", format!("{{\"timestamp\":{digits},\"Jobs\":{{{LAST}}}}}"));
    let arrays =
        read("jobs.txt", text_job("    array_indices_remaining = 0-4294967295\n").replace("1.s", "1[].s"));
    assert_eq!(arrays.jobs.len(), 2);
}

/// Names that a terminal would obey, or that hide or reverse adjacent text.
const NAMES: [&str; 5] = ["\u{1b}[2J\u{1b}]0;x\u{7}", "a\u{202e}b", "a\u{200b}b", "a\rb", "a\u{9b}31mb"];

#[test]
fn names_that_act_reach_no_output() {
    let folder = tempfile::tempdir().unwrap();
    for name in NAMES {
        let escaped = serde_json::to_string(name).unwrap();
        let jobs = format!(
            "{{\"Jobs\":{{{escaped}:{{\"Job_Name\":{escaped},\"job_state\":\"Q\",\"queue\":{escaped},\"comment\":{escaped},\"Resource_List\":{{{escaped}:{escaped}}},\"ctime\":{escaped}}}}}}}"
        );
        std::fs::write(folder.path().join("jobs.json"), jobs).unwrap();
        let nodes = format!(
            "{NODE}x{name}y\n     Mom = {name}\n     state = {name}\n     jobs = {name}/0\n     resources_available.{name} = {name}\n\n"
        );
        std::fs::write(folder.path().join("nodes.txt"), nodes.replace('\r', "\u{1}")).unwrap();
        for command in ["check", "cycle", "buckets", "pools"] {
            let output =
                Command::new(env!("CARGO_BIN_EXE_qscope")).arg(command).arg(folder.path()).output().unwrap();
            let shown =
                String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
            assert!(!shown.is_empty());
            let acts = |c: char| c != '\n' && (c.is_control() || matches!(c, '\u{200b}' | '\u{202e}'));
            assert!(!shown.contains(acts), "{command}: {shown:?}");
        }
    }
}

#[test]
fn files_by_hand_are_bounded_too() {
    let mut files = Files::new("hostile");
    files.insert("nodes.toml", format!("a = {}{}", "[".repeat(100_000), "]".repeat(100_000)), None);
    assert!(load(&files, &LoadOptions::default()).is_err());
    files.insert("nodes.toml", "[[node]]\nname = \"n[1-4000000000]\"\n", None);
    assert!(load(&files, &LoadOptions::default()).is_err());
    let long = "x".repeat(300_000);
    files.insert("nodes.toml", format!("[[node]]\nname = \"n1\"\n{long} = 1\n"), None);
    assert!(load(&files, &LoadOptions::default()).is_err());
    let same = "job_sort_key: \"ncpus HIGH\" ALL\n".repeat(100_000);
    read("sched_config", same);
    read("resource_group", "a 1 root 1\n".repeat(100_000));
    read("dedicated_time", "x".repeat(1_000_000));
    read("holidays", "\u{1b}[2J ".repeat(100_000));
    read("usage", vec![0xff; 1_000_000]);
}

/// Twice the bytes take about twice the time, whatever is wrong with them.
#[test]
fn damage_takes_time_in_proportion() {
    type Make = fn(usize) -> (&'static str, Vec<u8>);
    let makers: [(&str, Make); 7] = [
        ("quotes", |n| {
            ("jobs.json", json_job(&format!("\"comment\":\"{}\"", "\",\"".repeat(n))).into_bytes())
        }),
        ("cut records", |n| {
            (
                "jobs.json",
                format!("{{\"Jobs\":{{{}", "\"1.s\":{\"Job_Name\":\"a\",\"b\":[".repeat(n)).into_bytes(),
            )
        }),
        ("no headers", |n| {
            ("jobs.json", format!("{{\"Jobs\":{{{}", "\"1.s\":{\"x\":[},".repeat(n)).into_bytes())
        }),
        ("braces", |n| ("jobs.json", "}{".repeat(n).into_bytes())),
        ("commas", |n| ("jobs.json", json_job(&format!("\"a\":\"\"{}", ",".repeat(n))).into_bytes())),
        ("headers", |n| ("jobs.txt", "Job Id: 1\n\n\n\n".repeat(n).into_bytes())),
        ("fakes", |n| {
            (
                "jobs.txt",
                text_job(&format!("    Variable_List = A=\n{}", "    Job_Name = b\n".repeat(n))).into_bytes(),
            )
        }),
    ];
    for (what, make) in makers {
        let time = |n: usize| {
            let (name, bytes) = make(n);
            let start = Instant::now();
            read(name, bytes);
            start.elapsed()
        };
        let (small, large) = (time(10_000), time(80_000));
        let most = small.max(Duration::from_millis(5)) * 8 * 5;
        assert!(large < most, "{what}: {small:?} for one part, {large:?} for eight");
    }
}
