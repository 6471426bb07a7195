//! The answers for incomplete input: truncated archives and dumps, empty dumps, several clusters in one archive; and
//! for invalid flags.

#![allow(clippy::indexing_slicing, reason = "a test that cannot read its own files fails")]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use super::console_cycle::Stage;
use super::real;
use super::record::run;
use super::sites::folder;

/// Writes a cycle of a live scheduler as folders on the disk, with both dumps of its jobs.
fn on_disk() -> TempDir {
    let root = real::named("c01").on_disk();
    for when in ["before", "after"] {
        fs::copy(root.path().join(when).join("jobs-t.json"), root.path().join(when).join("jobs.json"))
            .unwrap();
    }
    root
}

/// Packs the files of a folder in the order given.
fn packed(root: &Path, names: &[&str]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for name in names {
        let bytes = fs::read(root.join(name)).unwrap();
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        builder.append_data(&mut header, name, &bytes[..]).unwrap();
    }
    builder.into_inner().unwrap()
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// Returns where a file begins in an archive.
fn place_of(tar: &[u8], name: &str) -> usize {
    tar.windows(name.len()).position(|bytes| bytes == name.as_bytes()).unwrap()
}

#[test]
fn an_archive_cut_short_is_named_above_every_answer() {
    let root = on_disk();
    let before = root.path().join("before");
    let tar = packed(&before, &["nodes.json", "jobs.json", "server.json", "sched_config"]);
    let jobs = place_of(&tar, "jobs.json");
    let cut = root.path().join("cut.tar");
    // Nothing of the jobs is left: that there are none must not be read from that.
    fs::write(&cut, &tar[..jobs + 512]).unwrap();
    for command in ["cycle", "order", "board", "pools"] {
        let (text, wrong, _) = run(&[command, "cut.tar"], root.path());
        assert!(text.starts_with("warning: cut: cut short; kept the "), "{command}: {text}{wrong}");
    }
    let (text, _, code) = run(&["cycle", "cut.tar"], root.path());
    assert!(
        text.contains("warning: jobs.json: the archive ends within it, before its first whole record"),
        "{text}"
    );
    assert!(text.contains("not there; assumed no jobs"), "{text}");
    assert_eq!(code, 0);
    let (page, _, code) = run(&["check", "cut.tar"], root.path());
    assert!(!page.contains("prints where there is nothing"), "{page}");
    assert_eq!(code, 1);
    let (text, _, _) = run(&["cycle", "cut.tar", "--json"], root.path());
    assert_eq!(json(&text)["cut"][0]["file"], "cut");
    // Of a part of the jobs every verdict is likely.
    fs::write(&cut, &tar[..jobs + 512 + 30_000]).unwrap();
    let (text, _, _) = run(&["why", "16", "cut.tar", "--fast", "--json"], root.path());
    let found = json(&text);
    assert_eq!(found["cut"][0]["file"], "cut", "{text}");
    let facts = found["rests_on"].as_array().unwrap();
    assert!(facts.iter().any(|fact| fact.to_string().contains("jobs.json ends too soon")), "{text}");
}

#[test]
fn a_damaged_record_is_named_above_every_answer_and_leaves_no_verdict_certain() {
    let root = on_disk();
    let nodes = root.path().join("before/nodes.json");
    let whole = fs::read_to_string(&nodes).unwrap();
    fs::write(&nodes, whole.replacen("\"Mom\"", "'Mom'", 1)).unwrap();
    for command in ["cycle", "order", "board", "pools"] {
        let (text, wrong, _) = run(&[command, "before"], root.path());
        assert!(text.starts_with("warning: nodes.json@"), "{command}: {text}{wrong}");
    }
    let (text, ..) = run(&["cycle", "before", "--json"], root.path());
    let answer = json(&text);
    assert_eq!(answer["damaged"][0]["file"], "nodes.json");
    let jobs = answer["jobs"].as_array().unwrap();
    assert!(jobs.iter().all(|job| job["likely"] == true || job["verdict"] == "not_considered"), "{text}");
}

#[test]
fn an_empty_dump_of_jobs_beside_a_counting_server_is_a_failed_client() {
    for empty in ["", "{\"timestamp\": 1795226244, \"pbs_version\": \"23.06.06\", \"pbs_server\": \"pbs01\"}"]
    {
        let root = on_disk();
        let before = root.path().join("before");
        for name in ["jobs.txt", "jobs-t.txt", "jobs-t.json"] {
            let _ = fs::remove_file(before.join(name));
        }
        fs::write(before.join("jobs.json"), empty).unwrap();
        let (text, _, _) = run(&["cycle", "before"], root.path());
        let failed = "jobs.json: nothing in it, and the server counts 29 jobs: the client failed";
        assert!(text.starts_with(&format!("warning: {failed}")), "{text}");
        let (page, _, code) = run(&["check", "before"], root.path());
        assert!(page.contains("client-failed") && !page.contains("empty-file"), "{page}");
        assert_eq!(code, 1);
        for words in [&["metrics", "before", "--once"][..], &["publish", "before", "--to", "P", "--once"]] {
            let (text, wrong, code) = run(words, root.path());
            assert_eq!((text.as_str(), code), ("", 2), "{words:?}");
            assert!(wrong.contains(failed), "{wrong}");
        }
        assert!(!root.path().join("P").exists());
        // A server without jobs has an empty dump of them.
        let server = fs::read_to_string(before.join("server.json")).unwrap();
        let none = server.replace("\"total_jobs\":\t29", "\"total_jobs\":\t0");
        assert_ne!(none, server);
        fs::write(before.join("server.json"), none).unwrap();
        let (text, _, _) = run(&["cycle", "before"], root.path());
        assert!(!text.contains("client failed"), "{text}");
    }
}

/// A table of jobs, and records of which none can be read: without a word, the answers would be those of an empty queue.
#[test]
fn a_file_of_jobs_without_one_is_named_above_every_answer() {
    let root = on_disk();
    let before = root.path().join("before");
    for name in ["jobs.json", "jobs-t.txt", "jobs-t.json"] {
        let _ = fs::remove_file(before.join(name));
    }
    let table = "Job id            Name             User              Time Use S Queue\n\
        ----------------  ---------------- ----------------  -------- - -----\n\
        1.srv             j1               ann                      0 Q workq\n";
    let stateless = "Job Id: 1.srv\n    Job_Name = a\n    queue = workq\n    job_state = ?\n\n";
    for (jobs, why) in [
        (table, "found the table of plain `qstat` and no record; expected what `qstat -f` prints"),
        (stateless, "none of its records can be read as a job; expected what `qstat -f` prints"),
    ] {
        fs::write(before.join("jobs.txt"), jobs).unwrap();
        for command in ["cycle", "order", "board", "capacity"] {
            let (text, wrong, _) = run(&[command, "before"], root.path());
            let warning = format!("warning: jobs.txt: {why}; the answer is without it");
            assert!(text.starts_with(&warning), "{command}: {text}{wrong}");
        }
        let (text, _, _) = run(&["cycle", "before", "--json"], root.path());
        assert_eq!(json(&text)["misread"][0]["file"], "jobs.txt", "{text}");
        let (_, _, code) = run(&["check", "before"], root.path());
        assert_eq!(code, 1);
    }
}

/// The reason why a device is refused is its kind.
#[test]
fn a_device_is_refused_by_its_kind() {
    let (_, wrong, code) = run(&["cycle", "/dev/zero"], Path::new("/"));
    assert_eq!(code, 2);
    assert!(
        wrong.contains("/dev/zero: cannot be read: found a") && wrong.contains("regular file"),
        "{wrong}"
    );
}

#[test]
fn nothing_is_written_once_from_a_dump_that_ends_too_soon() {
    for (name, length) in [("jobs-t.json", 20_000), ("nodes.json", 9_000)] {
        let root = on_disk();
        let before = root.path().join("before");
        for other in ["jobs.txt", "jobs-t.txt", "jobs.json", "nodes.txt"] {
            let _ = fs::remove_file(before.join(other));
        }
        let whole = fs::read(before.join(name)).unwrap();
        fs::write(before.join(name), &whole[..length]).unwrap();
        for words in [&["metrics", "before", "--once"][..], &["publish", "before", "--to", "P", "--once"]] {
            let (text, wrong, code) = run(words, root.path());
            assert_eq!((text.as_str(), code), ("", 2), "{words:?}");
            assert!(wrong.contains(name), "{wrong}");
        }
        assert!(!root.path().join("P").exists());
        // Nor where the folder is followed, until a whole dump is there.
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_qscope"));
        command.args(["metrics", "before", "--to", "P"]).current_dir(root.path()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (send, lines) = channel();
        let complaints = BufReader::new(child.stderr.take().unwrap()).lines();
        std::thread::spawn(move || complaints.map_while(Result::ok).try_for_each(|line| send.send(line)));
        let next = || lines.recv_timeout(Duration::from_secs(30)).unwrap_or_default();
        let stated = [next(), next()];
        let is_early = root.path().join("P").exists();
        fs::write(before.join(name), &whole).unwrap();
        let until = Instant::now() + Duration::from_secs(60);
        while !root.path().join("P").exists() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(50));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(stated[0].contains(name) && stated[1].contains("waiting until it changes"), "{stated:?}");
        assert!(!is_early && root.path().join("P").exists());
    }
}

#[test]
fn a_dump_that_ends_too_soon_is_recorded_with_a_warning() {
    let root = on_disk();
    let before = root.path().join("before");
    for other in ["jobs.txt", "jobs-t.txt", "jobs.json"] {
        let _ = fs::remove_file(before.join(other));
    }
    let whole = fs::read(before.join("jobs-t.json")).unwrap();
    fs::write(before.join("jobs-t.json"), &whole[..20_000]).unwrap();
    let (text, wrong, code) = run(&["record", "before", "rec", "--once"], root.path());
    assert!(text.starts_with("recorded as #1, ") && code == 0, "{text}{wrong}");
    assert!(wrong.starts_with("qscope: warning: jobs-t.json@20000: the file ends "), "{wrong}");
    fs::write(before.join("jobs-t.json"), whole).unwrap();
    let (text, wrong, _) = run(&["record", "before", "rec", "--once"], root.path());
    assert!(text.starts_with("recorded as #2, ") && wrong.is_empty(), "{text}{wrong}");
}

/// Without all jobs, those that only nodes list run there: the scheduler has them, and takes nothing of a node back.
#[test]
fn nodes_keep_what_jobs_that_were_not_read_use() {
    let root = real::named("c04").on_disk();
    let before = root.path().join("before");
    for other in ["jobs.txt", "jobs.json"] {
        let _ = fs::remove_file(before.join(other));
    }
    let about = || run(&["why-node", "cn001", "before"], root.path()).0;
    let see = || Stage::open_at(&before, 80, 24).see();
    let jobs = before.join("jobs-t.json");
    let whole = fs::read(&jobs).unwrap();
    fs::write(&jobs, &whole[..300]).unwrap();
    let text = about();
    assert!(text.contains("left after this cycle: 0 of 16 ncpus"), "{text}");
    assert!(
        text.contains("50 is listed on cn[001-008] and is not in the part of the job dump that was read"),
        "{text}"
    );
    let seen = see();
    assert!(seen.contains("No waiting job was read") && !seen.contains("No job waits"), "{seen}");
    assert_eq!(seen.matches("The job dump was read in part: no waiting job in it.").count(), 2, "{seen}");
    fs::remove_file(&jobs).unwrap();
    let text = about();
    assert!(text.contains("left after this cycle: 0 of 16 ncpus") && text.contains("runs: 50"), "{text}");
    assert!(!text.contains("ended meanwhile"), "{text}");
    let seen = see();
    assert_eq!(seen.matches("No job dump was read.").count(), 2, "{seen}");
}

#[test]
fn two_clusters_of_dumps_in_one_archive_are_both_named() {
    let root = on_disk();
    let tar = packed(
        root.path(),
        &["before/nodes.json", "before/jobs.json", "after/nodes.json", "after/jobs-t.json"],
    );
    fs::write(root.path().join("two.tar"), tar).unwrap();
    let (text, wrong, code) = run(&["cycle", "two.tar"], root.path());
    assert_eq!((text.as_str(), code), ("", 2));
    assert!(wrong.contains("found 2 clusters") && wrong.contains("after/, before/"), "{wrong}");
}

#[test]
fn a_file_is_read_or_left_aside_and_the_reason_holds() {
    let root = on_disk();
    let (page, _, _) = run(&["check", "before"], root.path());
    assert!(page.contains("comes first") && !page.contains("has more"), "{page}");
    // Dumps of Torque under the loader's names.
    let torque = tempfile::tempdir().unwrap();
    for (from, to) in [("pbsnodes.txt", "nodes.txt"), ("qstat-f.txt", "jobs.txt")] {
        fs::copy(folder("torque-text").join(from), torque.path().join(to)).unwrap();
    }
    let (page, wrong, _) = run(&["check", ".", "--json"], torque.path());
    let unused: Vec<&str> = page.lines().filter(|line| line.contains("nodes.txt counts")).collect();
    assert!(page.contains("nodes.txt"), "{page}{wrong}");
    assert_eq!(unused, Vec::<&str>::new(), "{page}");
}

#[test]
fn torque_has_no_verdicts_in_fits_and_try_and_the_flag_advised_works() {
    let torque = folder("torque-text");
    let at = torque.to_str().unwrap();
    for words in [&["fits", at][..], &["try", "-l", "select=1:ncpus=1", "--as", "ann", at]] {
        let (text, wrong, code) = run(words, Path::new("."));
        assert_eq!((wrong.as_str(), code), ("", 1), "{text}");
        assert!(text.contains("no verdict is given (--torque-as pbs runs"), "{text}");
        let words = [words, &["--json"]].concat();
        assert_eq!(json(&run(&words, Path::new(".")).0)["no_verdicts"], "torque");
        let words = [words.as_slice(), &["--torque-as", "pbs"]].concat();
        assert!(json(&run(&words, Path::new(".")).0)["no_verdicts"].is_null());
    }
}

#[test]
fn logs_that_cannot_be_read_leave_nothing_on_the_output() {
    let root = on_disk();
    for past in ["/nowhere/logs", "before"] {
        let (text, wrong, code) = run(&["why", "16", "before", "--past", past], root.path());
        assert_eq!((text.as_str(), code), ("", 2));
        assert!(wrong.contains("--past"), "{wrong}");
    }
}

#[test]
fn moments_without_a_date_and_zones_that_are_none_are_refused() {
    for (words, why) in [
        (["cycle", "--tz", "Nowhere/City"], "no time zone of that name"),
        (["simulate", ".", "--now=9223372036854775807"], "expected seconds since 1970"),
        (["cycle", "--now", "1795226246000"], "found milliseconds? 1795226246 are the seconds"),
        (["config", "--poll", "0"], "expected a time from 0.5s to 60s"),
        (["config", "--poll", "61s"], "expected a time from 0.5s to 60s"),
        (["collect", "f", "--limit=0"], "expected more than 0 s"),
        (["record", "f", "--every=0s"], "expected more than 0 s"),
    ] {
        let (text, wrong, code) = run(&words, Path::new("."));
        assert_eq!((text.as_str(), code), ("", 2), "{words:?}");
        assert!(wrong.contains(why), "{words:?}: {wrong}");
    }
    let (text, _, code) = run(&["cycle", "--tz", "+01:00", "--now", "1795226246"], Path::new("."));
    assert_eq!(code, 0, "{text}");
}

#[test]
fn watched_once_what_holds_is_reported() {
    let root = on_disk();
    let once =
        |subject: &str| run(&["watch", subject, "before", "--exec", "echo FIRED", "--once"], root.path());
    let (text, _, code) = once("verdict=running");
    assert!(text.contains("FIRED") && code == 0, "{text}");
    assert_eq!(once("user:none-of-them"), (String::new(), String::new(), 1));
    assert_eq!(once("16"), (String::new(), String::new(), 1), "it waits");
    let (text, wrong, code) = once("99999");
    assert_eq!((text.as_str(), code), ("", 2));
    assert!(wrong.contains("no job `99999`"), "{wrong}");
}

#[test]
fn the_log_of_one_cycle_has_the_reasons_of_its_jobs() {
    let root = on_disk();
    let (text, wrong, code) = run(&["history", "16", "sched_log"], root.path());
    assert_eq!((wrong.as_str(), code), ("", 1), "{text}");
    assert!(text.contains(": first seen ") && !text.contains(" of - in -"), "{text}");
    assert!(text.contains("  Not enough "), "{text}");
    let (text, wrong, _) = run(&["history", "4", "sched_log"], root.path());
    assert!(text.contains(": first seen ") && wrong.is_empty(), "{text}{wrong}");
}

/// Text dumps of a small site as clients print them: eight vnodes, a job on the last two of them, and jobs that wait.
fn text_dumps(folder: &Path) -> (String, String) {
    let node = |at: usize| {
        let jobs = if at > 6 { "     jobs = 1.srv/0\n" } else { "" };
        format!(
            "n{at}\n     Mom = n{at}\n     state = {}\n{jobs}     resources_available.ncpus = 4\n     resources_available.host = n{at}\n     resources_available.vnode = n{at}\n\n",
            if at > 6 { "job-busy" } else { "free" }
        )
    };
    let job = |at: usize, rest: &str| {
        format!(
            "Job Id: {at}.srv\n    Job_Name = a\n    Job_Owner = ann@h\n{rest}    queue = workq\n    Resource_List.select = 2:ncpus=4\n    Resource_List.place = scatter\n    Resource_List.walltime = 01:00:00\n\n"
        )
    };
    let runs = "    job_state = R\n    exec_vnode = (n7:ncpus=4)+(n8:ncpus=4)\n    stime = Mon Mar  2 10:00:00 2026\n";
    let nodes: String = (1..=8).map(node).collect();
    let jobs: String =
        (1..=12).map(|at| job(at, if at == 1 { runs } else { "    job_state = Q\n" })).collect();
    let server = "Server: srv\n    server_state = Active\n    total_jobs = 12\n    state_count = Transit:0 Queued:11 Held:0 Waiting:0 Running:1 Exiting:0 Begun:0\n\n";
    fs::write(folder.join("nodes.txt"), &nodes).unwrap();
    fs::write(folder.join("jobs.txt"), &jobs).unwrap();
    fs::write(folder.join("server.txt"), server).unwrap();
    fs::write(folder.join("now"), "1772449200\n").unwrap();
    (nodes, jobs)
}

/// The part of a text before its record of this number, from 0.
fn first_records(text: &str, records: usize) -> String {
    text.split_inclusive("\n\n").take(records).collect()
}

/// A dump that is cut between two records looks whole; what the other dumps show is missing in it.
#[test]
fn a_text_dump_cut_between_two_records_is_named_above_every_answer() {
    let root = tempfile::tempdir().unwrap();
    let (nodes, jobs) = text_dumps(root.path());
    let cycle = |name: &str, text: &str| {
        fs::write(root.path().join(name), text).unwrap();
        let (answer, _, _) = run(&["cycle", ".", "--json"], root.path());
        let (page, _, code) = run(&["check", "."], root.path());
        let page = page.split_whitespace().collect::<Vec<_>>().join(" ");
        (json(&answer), page, code)
    };
    let (answer, page, code) = cycle("nodes.txt", &nodes);
    assert_eq!((answer.get("cut"), code), (None, 0), "{page}");
    let (answer, page, code) = cycle("nodes.txt", &first_records(&nodes, 7));
    let why = "lists 7 vnodes, and jobs such as 1 run on 1 other vnode such as n8: the dump is incomplete";
    assert_eq!(
        (answer["cut"][0]["file"].as_str(), answer["cut"][0]["why"].as_str()),
        (Some("nodes.txt"), Some(why))
    );
    assert!(answer["jobs"][1]["likely"].as_bool().unwrap(), "{answer}");
    assert!(page.contains(why) && code == 1, "{page}");
    let (text, _, _) = run(&["why", "2", "."], root.path());
    assert!(
        text.starts_with(&format!("warning: nodes.txt: {why}; the answer is without the rest")),
        "{text}"
    );
    fs::write(root.path().join("nodes.txt"), &nodes).unwrap();
    let (answer, _, code) = cycle("jobs.txt", &first_records(&jobs, 4));
    let why = "holds 4 jobs, and the server counts 12: the dump is incomplete";
    assert_eq!((answer["cut"][0]["why"].as_str(), code), (Some(why), 1));
    // Some jobs end between two dumps.
    let (answer, page, code) = cycle("jobs.txt", &first_records(&jobs, 9));
    assert_eq!((answer.get("cut"), code), (None, 0), "{page}");
}

#[test]
fn a_dsv_dump_cut_within_a_line_is_named_above_every_answer() {
    let root = tempfile::tempdir().unwrap();
    text_dumps(root.path());
    fs::remove_file(root.path().join("nodes.txt")).unwrap();
    let node = |at: usize| {
        format!("Name=n{at}|Mom=n{at}|state=free|resources_available.ncpus=4|resources_available.host=n{at}")
    };
    let lines: Vec<String> = (1..=8).map(node).collect();
    let whole = lines.join("\n") + "\n";
    let warned = |text: &str| {
        fs::write(root.path().join("nodes.dsv"), text).unwrap();
        run(&["cycle", "."], root.path()).0.contains("the file ends without a line's end")
    };
    assert!(!warned(&whole));
    assert!(warned(&whole[..whole.len() - 3]));
}

/// Dumps of different kinds, one behind the other, as text and in JSON: each is read.
#[test]
fn text_dumps_of_two_kinds_in_one_file_are_both_read() {
    let root = tempfile::tempdir().unwrap();
    let (nodes, jobs) = text_dumps(root.path());
    let both = root.path().join("both.out");
    for text in [[nodes.clone(), jobs.clone()], [jobs.clone(), nodes.clone()]] {
        fs::write(&both, text.concat()).unwrap();
        let (answer, wrong, _) = run(&["cycle", "both.out", "--json"], root.path());
        assert_eq!(json(&answer)["jobs"].as_array().unwrap().len(), 11, "{wrong}");
    }
    // What is not read is named.
    fs::write(&both, [jobs.clone(), nodes, jobs].concat()).unwrap();
    let (text, _, _) = run(&["cycle", "both.out"], root.path());
    assert!(text.contains("both.out: found nodes in a dump of jobs; not read"), "{text}");
}

/// Editors of other systems: UTF-16 with its mark, and lines that end in a carriage return alone.
#[test]
fn files_of_other_systems_are_read_as_any_other() {
    let root = tempfile::tempdir().unwrap();
    let (nodes, jobs) = text_dumps(root.path());
    let wide = |text: &str| -> Vec<u8> {
        [0xff, 0xfe].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect()
    };
    let options = "round_robin: False all\nby_queue: False all\nstrict_ordering: True all\nresources: \"ncpus, mem, host, vnode\"\n";
    let script = "create queue big\nset queue big queue_type = Execution\nset queue big enabled = True\nset queue big started = True\n";
    let carriage = |text: &str| text.replace('\n', "\r").into_bytes();
    let read = |of: &dyn Fn(&str) -> Vec<u8>| {
        for (name, text) in
            [("nodes.txt", &*nodes), ("jobs.txt", &jobs), ("sched_config", options), ("qmgr.txt", script)]
        {
            fs::write(root.path().join(name), of(text)).unwrap();
        }
        let (page, _, code) = run(&["check", "."], root.path());
        let lines: Vec<String> =
            page.lines().filter(|line| !line.contains(" bytes")).map(str::to_owned).collect();
        (lines, run(&["cycle", "."], root.path()).0, code)
    };
    let plain = read(&|text| text.as_bytes().to_vec());
    assert_eq!(plain.2, 0, "{:?}", plain.0);
    assert!(plain.0.iter().any(|line| line.contains("strict_ordering") || line.contains("sched_config")));
    for changed in [read(&wide), read(&carriage)] {
        assert_eq!(changed.1, plain.1);
        assert_eq!(changed.2, plain.2, "{:?}", changed.0);
    }
}
