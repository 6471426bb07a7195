//! The headless commands on real files: what they print and what they write.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

fn qscope(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_qscope")).args(args).env("TZ", "UTC").output().unwrap()
}

fn answer(args: &[&str]) -> Value {
    let output = qscope(args);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn sample(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/packing").join(name).display().to_string()
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Returns the jobs in the order of the answer, with their run times in seconds.
fn runs(answer: &Value) -> Vec<(&str, i64)> {
    let run = |job: &Value| job[3].as_i64().unwrap() - job[2].as_i64().unwrap();
    answer["assign"].as_array().unwrap().iter().map(|job| (job[0].as_str().unwrap(), run(job))).collect()
}

#[test]
fn one_scenario_of_the_answers_is_answered_with_their_keys() {
    let folder = tempfile::tempdir().unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/packing/packing.json.gz");
    let mut all = String::new();
    flate2::read::GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut all).unwrap();
    let root: Value = serde_json::from_str(&all).unwrap();
    let mut scenario = root["scenarios"][23].clone();
    let wanted = scenario.as_object_mut().unwrap().remove("expected").unwrap();
    let file = folder.path().join("s24.json");
    std::fs::write(&file, scenario.to_string()).unwrap();
    for (policy, key) in
        [("relaxed", "relaxed"), ("ttl:300", "ttl300"), ("ttl:inf", "ttlinf"), ("mixed", "mixed")]
    {
        let got = answer(&["farm", text(&file), "--policy", policy, "--json"]);
        for (name, value) in wanted[key].as_object().unwrap() {
            assert_eq!(&got[name], value, "{policy} {name}");
        }
    }
}

/// CPU time is reported next to slots: of all jobs in the window, of each class, and how much less of it a
/// policy gives.
#[test]
fn cpu_time_stands_beside_slots() {
    let args = ["farm", &sample("5-steady.json"), "--policy", "relaxed,exclusive"];
    let found = answer(&[&args[..], &["--json"]].concat());
    let summary = |at: usize| &found["runs"][at]["summary"];
    let hours = |of: &Value, key: &str| of[key].as_f64().unwrap();
    for at in [0, 1] {
        let one = summary(at);
        let window = one["window"].as_array().unwrap();
        let length = (window[1].as_i64().unwrap() - window[0].as_i64().unwrap()) as f64 / 3600.0;
        // Mean slots in use, each counted as one busy CPU, for the length of the window.
        let slots = hours(one, "mean_ff") * hours(&found, "total_slots");
        assert!((hours(one, "cpu_hours") - slots * length).abs() < 0.01, "{one}");
        let classes = one["classes"].as_object().unwrap().values();
        let sum: f64 = classes.map(|class| hours(class, "cpu_hours")).sum();
        assert!((sum - hours(one, "cpu_hours")).abs() < 0.01, "{one}");
    }
    let less = hours(summary(0), "cpu_hours") - hours(summary(1), "cpu_hours");
    assert!(less > 10.0 && (hours(summary(1), "cost_cpu_hours") - less).abs() < 1e-6, "{less}");
    let text = String::from_utf8(qscope(&args).stdout).unwrap();
    let line = |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap().to_owned();
    assert!(line("policy").contains("cpu hours   undone"), "{text}");
    assert!(
        line("exclusive").split_whitespace().nth(3) == Some("538") && line("exclusive").contains(" 16 "),
        "{text}"
    );
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let args = ["farm", &sample("5-steady.json"), "--policy", "relaxed,exclusive,ttl:1h", "--json"];
    assert_eq!(qscope(&args).stdout, qscope(&args).stdout);
}

/// Writes two days of logs, one compressed, with a broken line, an array, a rerun and a job that never ended.
fn logs(folder: &Path) {
    let record = |kind: &str, id: &str, group: &str, start: i64, end: i64, place: &str| {
        let ended = if kind == "S" { String::new() } else { format!(" end={end} Exit_status=0 run_count=1") };
        format!(
            "03/02/2026 10:05:12;{kind};{id}.pbs1;user=u group={group} account=\"X 1\" jobname=sim queue=long ctime={c} \
             qtime={c} etime={c} start={start} exec_host=n1/0 exec_vnode={place} Resource_List.ncpus=1 session=9{ended}\n",
            c = start - 60
        )
    };
    let first = record("S", "1", "atlas", 1000, 0, "(n1:ncpus=2)")
        + &record("E", "2", "cms", 1100, 1900, "(n1:ncpus=1)+(n2:ncpus=3)")
        + "broken line\n"
        + &record("R", "3", "atlas", 1200, 1300, "(n2:ncpus=1)")
        + &record("S", "4", "cms", 1250, 0, "(n2:ncpus=1)")
        + "03/02/2026 11:00:00;E;5[].pbs1;user=u group=cms queue=long ctime=1 start=1 end=2 array_indices=0-3\n";
    std::fs::write(folder.join("20260302"), first).unwrap();
    let second = record("E", "1", "atlas", 1000, 5000, "(n1:ncpus=2)")
        + "03/03/2026 00:00:00;E;6.pbs1;user=u group=cms queue=long ctime=3000 start=3000 end=2000 exec_vnode=(n1:ncpus=1)\n"
        + &record("E", "3", "atlas", 2000, 2600, "(n2:ncpus=1)");
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(second.as_bytes()).unwrap();
    std::fs::write(folder.join("20260303.gz"), packed.finish().unwrap()).unwrap();
}

#[test]
fn rotated_logs_are_read_together_and_what_is_broken_is_named() {
    let folder = tempfile::tempdir().unwrap();
    logs(folder.path());
    let got = answer(&["farm", text(folder.path()), "--class", "group", "--pack", "atlas", "--json"]);
    let problems: Vec<&str> =
        got["problems"].as_array().unwrap().iter().map(|p| p.as_str().unwrap()).collect();
    let place =
        |name: &str, line: u32, what: &str| format!("{}:{line}: {what}", folder.path().join(name).display());
    assert_eq!(
        problems,
        [
            place("20260302", 3, "fewer than three ;"),
            place("20260303.gz", 2, "ends at 2000, before its start 3000"),
        ]
    );
    assert_eq!(got["broken_records"], 2);
    // Jobs: 1, two parts of 2, both attempts of 3, and 4 to the end of the log.
    let jobs = runs(&got);
    assert_eq!(
        jobs,
        [
            ("2.pbs1", 800),
            ("2.pbs1", 800),
            ("3.pbs1", 100),
            ("1.pbs1", 4000),
            ("3.pbs1", 600),
            ("4.pbs1", 3750)
        ]
    );
    assert_eq!(got["total_slots"], 8);
    let notes = got["notes"].to_string();
    for said in [
        "jobs that ran on several vnodes, taken as one part on each: 1",
        "attempts that were rerun, simulated as jobs since they held their slots: 1",
        "jobs that started and have no end, taken to run to the end of the log, at most for their walltime: 1",
        "records of whole arrays, which hold no slots: 1",
    ] {
        assert!(notes.contains(said), "{said} in {notes}");
    }
    let told = String::from_utf8(qscope(&["farm", text(folder.path()), "--class", "group"]).stdout).unwrap();
    assert!(told.lines().any(|line| line.starts_with("real ")), "the farm as it was is told first: {told}");
}

#[test]
fn attempts_count_in_whatever_order_and_form_the_log_shows_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let start = |stamp: &str, id: u32, start: i64, place: &str| {
        format!(
            "03/02/2026 {stamp};S;{id}.p;user=a group=g queue=q ctime=1000 qtime=1000 etime=1000 start={start} exec_vnode={place}\n"
        )
    };
    // A rerun record with nothing but its date, 30 minutes after the start; a start followed by another one;
    // a truncated line.
    let first = start("10:00:00", 1, 2000, "(n1:ncpus=2)")
        + "03/02/2026 10:30:00;R;1.p;\n"
        + &start("10:40:00", 1, 4400, "(n2:ncpus=2)")
        + &start("10:41:00", 2, 4460, "(n1:ncpus=1)")
        + &start("10:50:00", 2, 5000, "(n2:ncpus=1)")
        + "03/02/2026 10:51:00;E;3.p;user=a group=g queue=q ctime=1000 qtime=10\n";
    let second = "03/03/2026 00:00:00;E;1.p;user=a group=g queue=q ctime=1000 etime=1000 start=4400 exec_vnode=(n2:ncpus=2) end=9000 Exit_status=0\n";
    // Rotated, so that by name the later file would come first.
    std::fs::write(folder.path().join("20260303.1"), first).unwrap();
    std::fs::write(folder.path().join("20260303"), second).unwrap();
    let got = answer(&["farm", text(folder.path()), "--class", "group", "--pack", "g", "--json"]);
    let jobs = runs(&got);
    assert_eq!(jobs, [("1.p", 1800), ("1.p", 4600), ("2.p", 4000)]);
    let problem = format!("{}:6: has no end", folder.path().join("20260303.1").display());
    assert_eq!(got["problems"].to_string(), format!("[\"{problem}\"]"));
    let notes = got["notes"].to_string();
    for said in ["that were rerun", "their end is not recorded: 1", "have no end"] {
        assert!(notes.contains(said), "{said} in {notes}");
    }
}

#[test]
fn rows_and_traces_need_nodes_and_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let rows = folder.path().join("rows.txt");
    std::fs::write(&rows, "tstart tend queue\n10 20 a\n12 x b\n15 30 b\n30 20 a\n").unwrap();
    let refused = qscope(&["farm", text(&rows)]);
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(2), 0));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--nodes"));
    let huge = qscope(&["farm", text(&rows), "--nodes", "1000000x65536"]);
    assert!(String::from_utf8_lossy(&huge.stderr).contains("too many to simulate"), "{huge:?}");
    let got = answer(&["farm", text(&rows), "--nodes", "2x1", "--json"]);
    assert_eq!(got["assign"].to_string(), r#"[["1","n0",10,20],["2","n1",15,30]]"#);
    assert_eq!(got["broken_records"], 2);
    assert!(got["notes"].to_string().contains("inherits"));
    let trace = folder.path().join("trace.swf");
    let jobs = "; MaxNodes: 2\n; MaxProcs: 4\n; Queue: 1 short\n1 0 5 10 3 -1 -1 3 20 -1 1 1 1 1 1 1 -1 -1\n\
        1 0 5 4 3 -1 -1 3 20 -1 2 1 1 1 1 1 -1 -1\n2 3 -1 -1 1 -1 -1 1 20 -1 5 1 1 1 2 1 -1 -1\n1 2 3\n";
    std::fs::write(&trace, jobs).unwrap();
    let got = answer(&["farm", text(&trace), "--json"]);
    assert_eq!(got["assign"].to_string(), r#"[["1","n0",0,10],["1","n1",0,10]]"#);
    assert_eq!(got["classes"].to_string(), r#"["short"]"#);
    assert!(
        got["notes"]
            .to_string()
            .contains("parts of jobs left out, since the whole job has a line of its own: 1")
    );
    assert!(got["problems"][0].as_str().unwrap().ends_with("trace.swf:7: fewer than 5 fields"));
}

#[test]
fn a_file_that_is_none_of_these_is_refused_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("notes");
    std::fs::write(&file, "\nhello there\n").unwrap();
    let refused = qscope(&["farm", text(&file)]);
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(2), 0));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("notes:2: neither"));
    let settings = folder.path().join("s.toml");
    std::fs::write(&settings, "nodes = \"8x8\"\nspan = \"1d\"\nload = 1.0\nshape = 3\n[[class]]\nname=\"a\"\nshare=1.0\nrun=\"1h\"\n").unwrap();
    assert!(
        String::from_utf8_lossy(&qscope(&["farm", text(&settings)]).stderr)
            .contains("s.toml:4: unknown field `shape`")
    );
}

#[test]
fn tables_are_whole_and_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let done =
        qscope(&["farm", &sample("4-later.json"), "--policy", "relaxed,exclusive", "--csv", text(&out)]);
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let mut names: Vec<String> = std::fs::read_dir(&out)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            "jobs-exclusive.csv",
            "jobs-exclusive.swf",
            "jobs-relaxed.csv",
            "jobs-relaxed.swf",
            "series-exclusive.csv",
            "series-relaxed.csv",
            "summary.csv",
        ]
    );
    // The result of a simulation, replayed as a trace under the same policy, has the same starts.
    let swf = out.join("jobs-relaxed.swf");
    let again = answer(&["farm", text(&swf), "--pack", "lhcb", "--json"]);
    let first = answer(&["farm", &sample("4-later.json"), "--json"]);
    let starts = |answer: &Value| -> Vec<Value> {
        let mut all: Vec<Value> =
            answer["assign"].as_array().unwrap().iter().map(|job| job[2].clone()).collect();
        all.sort_by_key(Value::as_i64);
        all
    };
    assert_eq!(starts(&again), starts(&first));
}

#[test]
fn a_run_that_is_killed_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let mut run = Command::new(env!("CARGO_BIN_EXE_qscope"))
        .args(["farm", &sample("one-vo.toml"), "--csv", text(&out)])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    run.kill().unwrap();
    run.wait().unwrap();
    let left = std::fs::read_dir(&out).map_or(0, Iterator::count);
    assert_eq!(left, 0);
}

const NODES: &str = "[[node]]\nname = \"n[1-2]\"\navailable = { ncpus = 4 }\n";
const QUEUE: &str = "now = 1763700000\n[[queue]]\nname = \"workq\"\n\
    [[job]]\nid = \"7\"\nuser = \"bob\"\ngroup = \"atlas\"\nselect = \"1:ncpus=2\"\nwalltime = \"03:00:00\"\nstarted = \"-00:30:00\"\non = \"(n1:ncpus=2)\"\n\
    [[job]]\nid = \"8\"\nuser = \"ann\"\ngroup = \"cms\"\nselect = \"3:ncpus=1\"\nwalltime = \"01:00:00\"\n";

#[test]
fn a_snapshot_is_simulated_from_now_on() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("nodes.toml"), NODES).unwrap();
    std::fs::write(folder.path().join("queue.toml"), QUEUE).unwrap();
    let got = answer(&[
        "farm",
        text(folder.path()),
        "--class",
        "group",
        "--pack",
        "atlas",
        "--policy",
        "exclusive",
        "--json",
    ]);
    assert_eq!(
        got["assign"].to_string(),
        r#"[["8","n2",1763700000,1763703600],["8","n2",1763700000,1763703600],["8","n2",1763700000,1763703600]]"#
    );
    // The running job has two and a half hours left; three slot-hours wait for eight slots.
    assert_eq!(got["summary"]["window"].to_string(), "[1763700000,1763710350]");
    // A job counts once, however many chunks it has.
    let words = qscope(&["farm", text(folder.path()), "--class", "group"]);
    let words = String::from_utf8(words.stdout).unwrap();
    assert!(words.contains("2 nodes, 8 slots; 1 job, 1 running at the start"), "{words}");
    let line = qscope(&["elim", "n1", text(folder.path())]);
    assert_eq!(String::from_utf8_lossy(&line.stdout), "1 packing_atlas 1\n");
    std::fs::write(folder.path().join("elim.txt"), "n1: 1 2 packing_atlas\n").unwrap();
    let live = qscope(&["elim", "n1", text(folder.path())]);
    assert_eq!(live.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&live.stdout), "1 packing_atlas 1\npublished: 1 packing_atlas 2\n");
    // A folded line, a broken one, and an unknown node: the first counts, the others are reported.
    let lines = "n1: 2 1 packing_atlas\n  2 packing_cms\nn2: 1 1 2\nn9: 0\n";
    std::fs::write(folder.path().join("elim.txt"), lines).unwrap();
    let live = qscope(&["elim", "-", text(folder.path()), "--class", "group"]);
    let told = String::from_utf8(live.stdout).unwrap();
    assert!(told.contains("n1: published: 2 packing_atlas 1 packing_cms 2"), "{told}");
    let said = String::from_utf8(live.stderr).unwrap();
    assert!(said.contains("elim.txt:3") && said.contains("no node is called `n9`"), "{said}");
    let esub =
        answer(&["esub", "8", text(folder.path()), "--policy", "atlas=exclusive,cms=relaxed", "--json"]);
    assert_eq!(esub["select"], "select[packing_atlas == 0]");
    assert_eq!(esub["prefers"], "packing_cms > 0");
}

/// Four jobs on two nodes of two slots. Times in seconds; the log is written from 2000 to 3000.
///
/// ```text
/// job  waits  runs        n1 n2
/// 1        0  1000..2000   2  2
/// 2      900  2000..3000   1  1
/// 3      500  2000..2600   1
/// 4      100  2500..           1   no end, 300 s of walltime
/// ```
fn parallel(folder: &Path) -> std::path::PathBuf {
    let record = |stamp: &str, kind: &str, id: u32, etime: i64, start: i64, rest: &str| {
        format!(
            "{stamp};{kind};{id}.p;user=a group=g jobname=x queue=long ctime={etime} qtime={etime} etime={etime} \
             start={start} {rest}\n"
        )
    };
    let text =
        record("03/02/2026 10:00:00", "E", 1, 1000, 1000, "exec_vnode=(n1:ncpus=2)+(n2:ncpus=2) end=2000")
            + &record(
                "03/02/2026 10:08:00",
                "S",
                4,
                2400,
                2500,
                "exec_vnode=(n2:ncpus=1) Resource_List.walltime=00:05:00",
            )
            + &record("03/02/2026 10:10:00", "E", 3, 1500, 2000, "exec_vnode=(n1:ncpus=1) end=2600")
            + &record(
                "03/05/2026 08:00:00",
                "E",
                2,
                1100,
                2000,
                "exec_vnode=(n1:ncpus=1)+(n2:ncpus=1) end=3000",
            );
    let path = folder.join("20260302");
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn a_parallel_job_is_one_job_and_slots_are_slots() {
    let folder = tempfile::tempdir().unwrap();
    let log = parallel(folder.path());
    let got = answer(&["farm", text(&log), "--pack", "long", "--json"]);
    let real = &got["real"];
    let class = &real["classes"]["long"];
    // Not from the oldest submission: from the first to the last time that a record is about.
    assert_eq!(real["window"], serde_json::json!([2000, 3000]));
    // 2 slots for 1000 s, 1 for 600 and 1 for 300, of 4 for 1000.
    assert_eq!(real["mean_ff"], 0.725);
    assert_eq!((&class["jobs"], &class["slot_seconds"]), (&4.into(), &6900.0.into()));
    // (0 + 900 + 500 + 100) / 4; job 4 waits for a tenth of the window.
    assert_eq!((&class["wait_seconds"]["mean"], &real["pending_jobs"]), (&375.0.into(), &0.1.into()));
    let relaxed = &got["summary"]["classes"]["long"];
    assert_eq!(relaxed["jobs"], 4);
    let notes = got["notes"].to_string();
    assert!(
        notes.contains("no record of the log from 03/02/2026 10:10:00 to 03/05/2026 08:00:00"),
        "{notes}"
    );
    let told = String::from_utf8(qscope(&["farm", text(&log)]).stdout).unwrap();
    assert!(told.contains("2 nodes, 4 slots; 4 jobs;"), "{told}");
}

#[test]
fn other_nodes_than_the_logs_own_leave_out_what_really_ran() {
    let folder = tempfile::tempdir().unwrap();
    let log = parallel(folder.path());
    let got = answer(&["farm", text(&log), "--nodes", "3x2", "--json"]);
    assert!(got.get("real").is_none(), "{got}");
    // From 2000 to 3000: job 3 for 600 s, two slots of job 2 until 2100, job 4 for 300 s, of 6 slots.
    let fill = got["summary"]["mean_ff"].as_f64().unwrap();
    assert!((fill - 1100.0 / 6000.0).abs() < 0.001, "{fill}");
    assert!(got["notes"].to_string().contains("what really ran is left out"), "{got}");
}

#[test]
fn a_class_to_pack_is_found_by_whatever_it_is_a_class_of() {
    let folder = tempfile::tempdir().unwrap();
    let log = parallel(folder.path());
    let got = answer(&["farm", text(&log), "--pack", "g", "--json"]);
    assert_eq!(got["packing"], serde_json::json!(["g"]));
    assert!(got["notes"].to_string().contains("g: found by group"), "{got}");
    let refused = qscope(&["farm", text(&log), "--class", "user", "--pack", "g"]);
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(said.contains("no such class by user; it is one by --class group"), "{said}");
}

#[test]
fn the_head_of_a_trace_sizes_the_machine() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.swf");
    let job = "1 0 5 100 3 -1 -1 3 200 -1 1 1 1 -1 1 1 -1 -1\n";
    let slots = |head: &str| {
        std::fs::write(&path, format!("{head}{job}")).unwrap();
        answer(&["farm", text(&path), "--json"])["total_slots"].clone()
    };
    assert_eq!(slots("; MaxNodes: 128 (4 service)\n; MaxProcs: 512\n"), 512);
    assert_eq!(slots("; maxnodes: 128\n"), 128);
}
