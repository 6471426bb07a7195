//! Unusual input that users may give: folded names, invalid limits, long formulas, damaged logs, options before the
//! command, an ASCII locale, a second dump.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot read its own files fails"
)]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Returns the standard output, the standard error and the exit code.
fn run(words: &[&str]) -> (String, String, i32) {
    run_in("C.UTF-8", words)
}

fn run_in(locale: &str, words: &[&str]) -> (String, String, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_qscope"));
    let output = command.args(words).env("LC_ALL", locale).env("TZ", "UTC").output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code().unwrap())
}

fn sample(name: &str) -> String {
    format!("{}/samples/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn a_folded_name_stands_for_its_nodes() {
    let folder = tempfile::tempdir().unwrap();
    let nodes = "[[node]]\nname = \"x-[1-12].cl\"\navailable = { ncpus = 4 }\n";
    fs::write(folder.path().join("nodes.toml"), nodes).unwrap();
    let job = "[[job]]\nid = \"1\"\nuser = \"a\"\nselect = \"1:ncpus=8\"\n";
    fs::write(
        folder.path().join("queue.toml"),
        format!("now = 1763700000\n[[queue]]\nname = \"workq\"\n{job}"),
    )
    .unwrap();
    let at = folder.path().to_str().unwrap();
    // The names as an answer prints them.
    let (found, _, _) = run(&["buckets", at]);
    assert!(found.contains("x-[1-12].cl"), "{found}");
    let (found, _, code) = run(&["why-node", "x-[9-10].cl", at]);
    assert!(code == 1 && found.starts_with("Node x-[9-10].cl: free"), "{found}");
    let (found, _, _) = run(&["why-node", "x-[9-10].cl", at, "--json"]);
    let found: Value = serde_json::from_str(&found).unwrap();
    assert_eq!((&found[0]["node"], &found[1]["node"]), (&"x-9.cl".into(), &"x-10.cl".into()));
    // Vnodes of one host have brackets of their own.
    let vnodes = "[[node]]\nname = \"h[[0]]\"\navailable = { ncpus = 4 }\n[[node]]\nname = \"h[[1]]\"\navailable = { ncpus = 4 }\n";
    let other = tempfile::tempdir().unwrap();
    fs::write(other.path().join("nodes.toml"), vnodes).unwrap();
    fs::copy(folder.path().join("queue.toml"), other.path().join("queue.toml")).unwrap();
    let (found, wrong, _) = run(&["why-node", "h[0-1]", other.path().to_str().unwrap()]);
    assert!(found.starts_with("Node h[0-1]: free"), "{found}{wrong}");
    let (_, wrong, code) = run(&["why-node", "x-[11-14].cl", at]);
    assert!(code == 2 && wrong.contains("no node x-[13-14].cl among 12"), "{wrong}");
    let (_, wrong, _) = run(&["why", "1", at, "--node", "x-[1-2].cl"]);
    assert!(wrong.contains("stands for 2 nodes"), "{wrong}");
    // A folded name has a list in JSON also where it stands for one node; a plain name has the object.
    let (found, _, _) = run(&["why-node", "x-[9].cl", at, "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&found).unwrap()[0]["node"], "x-9.cl");
    let (found, _, _) = run(&["why-node", "x-9.cl", at, "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&found).unwrap()["node"], "x-9.cl");
    for (name, why) in [
        ("x-[3-", "`x-[3-`: `[` is never closed"),
        ("x-[5-2].cl", "`x-[5-2].cl`: the range `5-2` goes backwards"),
        ("x-[1-65].cl", "`x-[1-65].cl` stands for 65 nodes; qscope why-node takes 64 at most"),
        ("y[1-2]", "no node `y[1-2]` among 12"),
    ] {
        let (_, wrong, code) = run(&["why-node", name, at]);
        assert!(code == 2 && wrong.contains(why), "{wrong}");
    }
}

#[test]
fn limits_that_are_none_are_named_with_their_place_and_the_others_kept() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    fs::write(at.join("nodes.txt"), "n1\n     state = free\n     resources_available.ncpus = 4\n").unwrap();
    fs::write(at.join("jobs.txt"), "").unwrap();
    let queue = "Queue: q\n    queue_type = Execution\n    max_run = [u:ann=-1],[u:bob=2]\n    max_run_res.ncpus = [u:ann=1.5],[o:PBS_ALL=8\n    enabled = True\n    started = True\n";
    fs::write(at.join("queues.txt"), queue).unwrap();
    let (found, _, _) = run(&["check", at.to_str().unwrap(), "--json"]);
    for what in ["`-1` is no number of jobs", "`1.5` is no whole number", "the `[` is not closed"] {
        assert!(found.contains(what), "{what}: {found}");
    }
    assert_eq!(found.matches("(q): max_run").count(), 3, "that of bob is none of them: {found}");
}

#[test]
fn of_a_long_formula_a_message_shows_the_part_around_the_fault() {
    let long = format!("server.job_sort_formula={}", vec!["ncpus"; 1200].join("+"));
    let (_, wrong, code) = run(&["cycle", "--set", &long]);
    assert!(code == 2 && wrong.contains("at most 1000 numbers") && wrong.contains('^'), "{wrong}");
    assert!(wrong.lines().all(|line| line.chars().count() < 300), "{wrong}");
    let readable = format!("server.job_sort_formula={}", vec!["ncpus"; 400].join("+"));
    let (found, _, _) = run(&["cycle", "--set", &readable]);
    assert!(found.lines().next().unwrap().chars().count() < 300, "{found}");
}

#[test]
fn damaged_logs_are_read_up_to_the_damage_by_all_commands_alike() {
    let folder = tempfile::tempdir().unwrap();
    let record = |n: u64| {
        let (start, end) = (1_772_409_600 + n * 60, 1_772_409_900 + n * 60 + n * n % 977);
        format!(
            "03/02/2026 {:02}:{:02}:00;E;{n}.svr;user=u{} group=g queue=workq ctime={start} qtime={start} etime={start} start={start} exec_host=n1/{n} Resource_List.ncpus=1 Resource_List.select=1:ncpus=1 Resource_List.walltime=01:00:00 end={end} Exit_status=0\n",
            n / 60 % 24,
            n % 60,
            n % 7
        )
    };
    let text: String = (1..1400).map(record).collect();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(text.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    let log = folder.path().join("20260302.gz");
    fs::write(&log, &packed[..packed.len() / 2]).unwrap();
    let log = log.to_str().unwrap();
    let lines = |text: &str| -> u64 {
        let after = text.split("after line ").nth(1).unwrap_or_else(|| panic!("{text}"));
        after.split(' ').next().unwrap().parse().unwrap()
    };
    let (found, wrong, code) = run(&["history", "all", log, "--json"]);
    assert!(code == 0, "{wrong}");
    let read = lines(&found);
    assert!(read > 100 && read < 1400 && found.contains("the rest cannot be read"), "{found}");
    let campus = sample("campus");
    let (found, wrong, _) = run(&["simulate", &campus, "--arrivals", log, "--until", "1795226846", "--json"]);
    assert_eq!(lines(&format!("{found}{wrong}")), read);
    let (found, wrong, _) = run(&["farm", log, "--nodes", "4x8", "--json"]);
    let line = format!("{}", read + 1);
    assert!(format!("{found}{wrong}").contains(&line), "{found}{wrong}");
}

#[test]
fn options_before_the_command_count_or_are_named() {
    let (before, after) =
        (run(&["--json", "cycle", "--only", "jobs"]), run(&["cycle", "--json", "--only", "jobs"]));
    assert_eq!(before, after);
    let (_, wrong, code) = run(&["--ascii", "why", "101", "F"]);
    assert!(code == 2 && wrong.contains("--ascii is no option of qscope why"), "{wrong}");
}

#[test]
fn answers_are_ascii_where_the_locale_has_no_other_signs() {
    for words in [&["why", "12"][..], &["fits"], &["why-node", "n001"], &["board"], &["order"]] {
        let (found, ..) = run_in("C", words);
        let odd: String = found.chars().filter(|sign| !sign.is_ascii()).collect();
        assert!(odd.is_empty() && !found.is_empty(), "{words:?}: {odd}");
    }
    assert!(!run(&["why", "12"]).0.is_ascii());
}

#[test]
fn sentences_go_on_in_the_next_line_where_they_are_long() {
    let (quirks, ..) = run(&["quirks", &sample("sets-8")]);
    let (capacity, ..) = run(&["capacity", &sample("campus")]);
    let (_, unchanged) = quirks.split_once("no difference").unwrap();
    assert!(capacity.contains("differs from Toil") && unchanged.lines().count() > 1, "{unchanged}");
    let is_long = |line: &&str| line.chars().count() > 80;
    let sentences = capacity.lines().filter(|line| line.contains("Toil"));
    let long: Vec<&str> = unchanged.lines().chain(sentences).filter(is_long).collect();
    assert!(long.is_empty(), "{long:#?}");
}

#[test]
fn a_usage_formula_that_divides_by_zero_is_named() {
    let fairshare = sample("fairshare");
    let words = ["cycle", &fairshare, "--json", "--set", "fairshare_usage_res=ncpus/0"];
    let found: Value = serde_json::from_str(&run(&words).0).unwrap();
    let warning = found["warnings"][0].as_str().unwrap();
    assert!(warning.starts_with("fairshare_usage_res counts 0 for 10 of 10 waiting jobs: division by zero"));
    let (found, ..) = run(&["fairshare", &fairshare, "--set", "fairshare_usage_res=ncpus/0"]);
    assert!(found.contains("division"), "{found}");
}

fn copied(from: &str, into: &Path) {
    for entry in fs::read_dir(from).unwrap().flatten() {
        fs::copy(entry.path(), into.join(entry.file_name())).unwrap();
    }
}

#[test]
fn a_second_dump_is_named_whatever_it_is_called_and_when_it_cannot_be_read() {
    let folder = tempfile::tempdir().unwrap();
    copied(&sample("campus"), folder.path());
    fs::copy(folder.path().join("jobs-t.json"), folder.path().join("all-jobs.json")).unwrap();
    std::os::unix::fs::symlink("/nonexistent", folder.path().join("old-jobs.json")).unwrap();
    let (found, ..) = run(&["check", folder.path().to_str().unwrap()]);
    let aside =
        found.lines().find(|line| line.contains("all-jobs.json")).unwrap_or_else(|| panic!("{found}"));
    assert!(aside.contains("jobs-t.json counts"), "{aside}");
    assert!(found.contains("beside-unread: old-jobs.json"), "{found}");
}

#[test]
fn a_service_waits_for_a_damaged_file_and_not_for_a_missing_folder() {
    let folder = tempfile::tempdir().unwrap();
    let bad = folder.path().join("bad.json");
    fs::write(&bad, "{\"nodes\": {").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_qscope"));
    let mut child = command.arg("metrics").arg(&bad).stderr(Stdio::piped()).spawn().unwrap();
    let mut wrong = child.stderr.take().unwrap();
    let mut text = Vec::new();
    let until = Instant::now() + Duration::from_secs(30);
    while !String::from_utf8_lossy(&text).contains("waiting until it changes") {
        let mut part = [0; 512];
        let length = std::io::Read::read(&mut wrong, &mut part).unwrap();
        assert!(length > 0 && Instant::now() < until, "{}", String::from_utf8_lossy(&text));
        text.extend(&part[..length]);
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let recording = folder.path().join("recording");
    let (_, wrong, code) = run(&["record", "/nonexistent", recording.to_str().unwrap()]);
    assert!(code == 2 && wrong.contains("no such folder") && !recording.exists(), "{wrong}");
    for command in ["metrics", "events", "watch"] {
        let words: &[&str] = if command == "watch" {
            &["watch", "1", "/nonexistent", "--bell"]
        } else {
            &[command, "/nonexistent"]
        };
        let (_, wrong, code) = run(words);
        assert!(code == 2 && wrong.contains("no such folder"), "{command}: {wrong}");
    }
}

#[test]
fn more_jobs_than_can_be_simulated_are_counted_in_few_digits() {
    let (_, wrong, code) = run(&["farm", &sample("packing/one-vo.toml"), "--load", "1e99"]);
    assert!(code == 2 && wrong.contains("about 3.1e103 jobs") && wrong.len() < 200, "{wrong}");
}

#[test]
fn a_folder_of_compressed_dumps_is_read_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    copied(&sample("campus"), folder.path());
    let plain = run(&["cycle", folder.path().to_str().unwrap()]);
    for name in ["nodes.json", "jobs-t.json"] {
        let (from, to) = (folder.path().join(name), folder.path().join(format!("{name}.gz")));
        let mut packed =
            flate2::write::GzEncoder::new(fs::File::create(to).unwrap(), flate2::Compression::fast());
        packed.write_all(&fs::read(&from).unwrap()).unwrap();
        packed.finish().unwrap();
        fs::remove_file(from).unwrap();
    }
    assert_eq!(run(&["cycle", folder.path().to_str().unwrap()]), plain);
}

/// The server rejects such values of a resource, and a select without a chunk.
#[test]
fn a_request_that_the_server_refuses_is_not_accepted() {
    for (request, why) in [
        ("select=0:ncpus=1", "select: expected a chunk at least"),
        ("walltime=-1", "walltime: expected 0 or more"),
        ("select=1:ncpus=-4", "ncpus: expected 0 or more"),
        ("select=1:ncpus=1.5", "ncpus: expected a whole number"),
    ] {
        let (text, _, code) = run(&["try", "-l", request, &sample("campus")]);
        let refused = format!("refused   Illegal attribute or resource value: {why}");
        assert!(text.contains(&refused) && code == 1, "{request}: {text}");
    }
    let (text, _, _) = run(&["try", "-l", "select=1:ncpus=1", "-q", "stopped", &sample("campus")]);
    assert!(text.contains("instead   starts now in 4 queues: workq, "), "{text}");
}

/// The reasons of the board and of the console's tables are values of a filter.
#[test]
fn a_filter_by_reason_finds_what_the_board_names() {
    let (board, _, _) = run(&["cycle", &sample("campus"), "--where", "reason=order"]);
    let found: Vec<&str> = board.lines().filter_map(|line| line.split_whitespace().nth(1)).collect();
    assert!(found.contains(&"11.head1"), "{board}");
    assert!(!found.contains(&"10.head1"), "{board}");
}
