//! Logs by day, and logs with the prefixes of forwarders.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot read its own files fails"
)]

use qscope::source::SchedLogSource;

use crate::sites::{folder, gathered};

#[test]
fn the_newest_day_of_a_folder_counts() {
    let files = gathered(&[folder("dated-logs")]);
    let found = &files.gathered().sched_log;
    assert!(matches!(found, Some(SchedLogSource::File(path)) if path.ends_with("20260302")), "{found:?}");
}

#[test]
fn logs_with_prefixes_are_logs_of_the_scheduler() {
    let files = gathered(&[folder("syslog-prefix")]);
    assert!(files.gathered().sched_log.is_some());
    let said: Vec<String> = files.gathered().reported.iter().map(ToString::to_string).collect();
    assert!(said.iter().any(|said| said.ends_with("taken for a log of the scheduler")), "{said:?}");
}

#[test]
fn three_versions_of_lsf_are_one_form() {
    use qscope::farm::trace::lsf::{ExecutionHosts, read_finished_job};
    let read = |row: &str| {
        let bytes = std::fs::read(folder(row).join("lsb.acct")).unwrap();
        let (mut jobs, mut rejected) = (Vec::new(), 0);
        let lines = (1..).zip(bytes.split(|byte| *byte == b'\n'));
        for (line, text) in lines.filter(|(_, text)| !text.is_empty() && !text.starts_with(b"#")) {
            match read_finished_job(text) {
                Ok(job) => {
                    jobs.push((line, job.id, job.index, job.started, job.hosts, job.code, job.run_time));
                }
                Err(_) => rejected += 1,
            }
        }
        (jobs, rejected)
    };
    let two = || ExecutionHosts::Slots(vec![("h1".to_owned(), 2), ("h2".to_owned(), 2)]);
    let (jobs, rejected) = read("lsb-acct-5");
    assert_eq!(jobs[0], (1, 4711, 0, Some(1_772_440_300), two(), 0, None));
    assert_eq!(jobs[1], (2, 4712, 0, None, ExecutionHosts::None, 255, None));
    assert_eq!((jobs[2].1, jobs.len(), rejected), (4714, 3, 1));
    let (jobs, rejected) = read("lsb-acct-7");
    assert_eq!((jobs[0].4.clone(), rejected), (two(), 0));
    let (jobs, rejected) = read("lsb-acct-10");
    assert_eq!((jobs[0].1, jobs[0].2, jobs[0].6, rejected), (900, 3, Some(5612), 1));
}

#[test]
fn tables_of_lsf_hold_hosts_and_jobs() {
    use qscope::farm::trace::lsf::{hosts, jobs};
    let text = |name: &str| std::fs::read_to_string(folder("lsf-tables").join(name)).unwrap();
    let listed = hosts(&text("bhosts.txt")).unwrap();
    assert_eq!((listed.rows.len(), listed.rows[1].slots), (3, Some(4)));
    assert_eq!(jobs(&text("bjobs.txt")).unwrap().rows[0].name, "my sim");
    assert_eq!(jobs(&text("bjobs-o.txt")).unwrap().rows[0].hosts.len(), 2);
    let files = gathered(&[folder("lsf-tables")]);
    let said: Vec<&str> = files.gathered().reported.iter().map(|said| said.code).collect();
    assert_eq!(said, ["lsf", "lsf", "lsf", "not-recognised"]);
}

fn farm(args: &[&str]) -> serde_json::Value {
    let output =
        std::process::Command::new(env!("CARGO_BIN_EXE_qscope")).arg("farm").args(args).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Returns the same table as `-o … -json` prints it: one record per row, all values as texts, an empty one for `-`.
fn printed(table: &str, command: &str) -> String {
    let mut lines = table.lines();
    let head: Vec<&str> = lines.next().unwrap().split_whitespace().collect();
    let record = |line: &str| {
        let mut cells: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        let time = cells.split_off(cells.len().min(head.len() - 1));
        cells.push(time.join(" "));
        let pairs =
            head.iter().zip(cells).map(|(name, cell)| ((*name).to_owned(), cell.trim_matches('-').into()));
        serde_json::Value::Object(pairs.collect())
    };
    let records: Vec<serde_json::Value> = lines.map(record).collect();
    let count = records.len();
    let key = if command == "bhosts" { "HOSTS" } else { "JOBS" };
    let records = serde_json::to_string_pretty(&records).unwrap();
    format!("{{\n  \"COMMAND\":\"{command}\",\n  \"{key}\":{count},\n  \"RECORDS\":{records}\n}}\n")
}

#[test]
fn tables_of_lsf_as_json_are_the_same_work() {
    let samples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/packing-lsf");
    let beside = tempfile::tempdir().unwrap();
    let mut files = Vec::new();
    for (name, command) in [("bhosts.txt", "bhosts"), ("bjobs.txt", "bjobs")] {
        let table = std::fs::read_to_string(samples.join(name)).unwrap();
        let json = beside.path().join(format!("{command}.json"));
        std::fs::write(&json, printed(&table, command)).unwrap();
        files.push([samples.join(name).display().to_string(), json.display().to_string()]);
    }
    let ask = |form: usize| {
        let words = [&*files[0][form], &files[1][form], "--pack", "auger", "--policy", "exclusive", "--json"];
        farm(&words)
    };
    let (text, json) = (ask(0), ask(1));
    for key in ["assign", "order", "series"] {
        assert!(text[key].as_array().is_some_and(|list| !list.is_empty()), "{key}: {text}");
        assert_eq!(text[key], json[key], "{key}");
    }
    // Another command names it as LSF's.
    let given = gathered(&[beside.path().to_owned()]);
    assert!(given.gathered().reported.iter().all(|found| found.code == "lsf"));
}

fn file(row: &str, name: &str) -> String {
    folder(row).join(name).display().to_string()
}

#[test]
fn a_log_of_accounting_is_named_and_its_attempts_are_runs() {
    let files = gathered(&[folder("torque-accounting")]);
    assert_eq!(files.gathered().reported[0].code, "history");
    // A start that failed and came again is one run, and a job that was deleted before it ran is none.
    let answer = farm(&[&folder("torque-accounting").display().to_string(), "--json"]);
    assert_eq!(answer["assign"].as_array().unwrap().len(), 1);
    assert_eq!(answer["assign"][0][3].as_i64().unwrap() - answer["assign"][0][2].as_i64().unwrap(), 1800);
    assert!(answer["notes"].to_string().contains("never ran or held no slot: 1"), "{answer}");
}

/// A copy of a log beside it, as rotation leaves one, adds no job.
#[test]
fn a_job_of_overlapping_logs_counts_once() {
    let logs = tempfile::tempdir().unwrap();
    let head = "user=ann queue=workq ctime=1200 qtime=1200 etime=1200 start=1300 exec_vnode=(n1:ncpus=2)";
    let log = format!("01/01/1970 00:21:40;S;1.srv;{head}\n01/01/1970 00:23:20;E;1.srv;{head} end=1400\n");
    for name in ["19700101", "19700101.1"] {
        std::fs::write(logs.path().join(name), &log).unwrap();
    }
    let answer = farm(&[&logs.path().display().to_string(), "--nodes", "2x8", "--class", "queue", "--json"]);
    assert_eq!(answer["assign"].as_array().unwrap().len(), 1, "{answer}");
    assert!(answer["notes"].to_string().contains("in an overlapping copy of the log: 2"), "{answer}");
}

#[test]
fn logs_of_lsf_are_simulated_job_by_job() {
    let answer = farm(&[&file("lsb-acct-5", "lsb.acct"), "--pack", "long", "--json"]);
    let jobs: Vec<&serde_json::Value> =
        answer["assign"].as_array().unwrap().iter().map(|job| &job[0]).collect();
    // At the same time 4711 ran on two slots of each host and 4714 on one of the first; 4712 never did; a line is cut short.
    assert_eq!(answer["real"]["classes"]["long"]["jobs"], 2, "{jobs:?}");
    assert_eq!((&answer["broken_records"], &answer["total_slots"]), (&1.into(), &5.into()));
    let answer = farm(&[&file("lsb-acct-10", "lsb.acct"), "--class", "user", "--json"]);
    assert_eq!(answer["assign"][0][0], "900[3]");
}

#[test]
fn tables_of_lsf_are_a_farm_from_now_on() {
    let both = [file("lsf-tables", "bhosts.txt"), file("lsf-tables", "bjobs-o.txt")];
    let answer = farm(&[&both[0], &both[1], "--pack", "long", "--json"]);
    // Hosts of 8 and 4 slots; job 12 holds four on each, and 13 starts beside it on the first.
    assert_eq!(answer["total_slots"], 12);
    assert_eq!((&answer["assign"][0][0], &answer["assign"][0][1]), (&"13".into(), &"h1".into()), "{answer}");
    let output =
        std::process::Command::new(env!("CARGO_BIN_EXE_qscope")).args(["farm", &both[1]]).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("bhosts -w"));
}

#[test]
fn a_cycle_is_read_from_a_log_of_any_place_and_form() {
    use qscope::cluster::Epoch;
    use qscope::source::sched_log::cycle_in;
    for row in ["dated-logs", "natural-names", "snapshot-19"] {
        let files = gathered(&[folder(row)]);
        let log = files.gathered().sched_log.as_ref().unwrap();
        let cycle = cycle_in(log, "+01:00", Epoch(0)).unwrap();
        assert_eq!((cycle.logged_turns.len(), &*cycle.logged_turns[0].job), (1, "13.head"), "{row}");
        assert_eq!(cycle.started, Some(Epoch(1_772_445_910)), "{row}");
    }
    // Behind the head of a forwarder.
    let path = folder("syslog-prefix").join("forwarded.log");
    let cycle = cycle_in(&SchedLogSource::File(path), "+01:00", Epoch(0)).unwrap();
    assert_eq!((cycle.logged_turns.len(), cycle.started), (1, Some(Epoch(1_772_445_910))));
}
