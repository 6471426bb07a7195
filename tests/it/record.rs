//! Recordings: only the last snapshot can be lost, however the recorder is killed; damage is named and skipped.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use qscope::cluster::{Epoch, Seconds};
use qscope::record::{
    RecordError, RecordLimits, Recording, RecordingReader, RecordingWriter, SnapshotFile, SnapshotFiles,
    SnapshotSelector,
};

/// Returns the snapshot with a number: most lines stay the same, some change.
fn shot(number: u64) -> SnapshotFiles {
    let nodes: String = (0..200)
        .map(|node| {
            format!(
                "n{node}\n     state = {}\n",
                if (node + number).is_multiple_of(17) { "job-busy" } else { "free" }
            )
        })
        .collect();
    let jobs = format!("Job Id: {number}.svr\n    job_state = Q\n");
    let kept =
        |text: String| SnapshotFile { bytes: text.into_bytes(), modified: Some(Epoch(number.cast_signed())) };
    SnapshotFiles(BTreeMap::from([
        ("nodes.txt".to_owned(), kept(nodes)),
        ("jobs.txt".to_owned(), kept(jobs)),
    ]))
}

fn at(number: u64) -> Epoch {
    Epoch(1_763_712_000 + number.cast_signed() * 60)
}

/// Appends until it is killed; it prints a number once that snapshot is in the file.
#[test]
#[ignore = "is run, and killed, by another test"]
fn a_recorder_to_be_killed() {
    let Some(folder) = std::env::var_os("QSCOPE_RECORD_INTO") else { return };
    let first: u64 = std::env::var("QSCOPE_RECORD_FROM").unwrap().parse().unwrap();
    let mut recorder = RecordingWriter::new(Path::new(&folder), RecordLimits::default()).unwrap();
    for number in first.. {
        recorder.append(at(number), shot(number)).unwrap();
        writeln!(std::io::stdout(), "\nwritten {number}").unwrap();
    }
}

/// After being killed a hundred times at random moments and restarted, the recording has every reported snapshot, in
/// order.
#[test]
fn a_killed_recorder_loses_nothing_but_the_last_snapshot() {
    let folder = tempfile::tempdir().unwrap();
    let recording = folder.path().join("rec");
    let (mut next, mut reported, mut state) = (1u64, Vec::new(), 99u64);
    for _ in 0..100 {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "record::a_recorder_to_be_killed", "--ignored", "--nocapture"])
            .env("QSCOPE_RECORD_INTO", &recording)
            .env("QSCOPE_RECORD_FROM", next.to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        // After the first one, at a random moment within the next milliseconds.
        while !line.starts_with("written ") {
            line.clear();
            assert!(out.read_line(&mut line).unwrap() > 0, "the recorder ended by itself");
        }
        std::thread::sleep(Duration::from_micros((state >> 33) % 9000));
        child.kill().unwrap();
        child.wait().unwrap();
        let mut rest = String::new();
        let _ = out.read_to_string(&mut rest);
        let all = line + &rest;
        let numbers: Vec<u64> =
            all.lines().filter_map(|line| line.strip_prefix("written ")?.trim().parse().ok()).collect();
        let last = *numbers.last().unwrap();
        reported.extend(next..=last);
        // The one being written may be there or not.
        next = last + 2;
    }
    let opened = Recording::open(&recording).unwrap();
    let mut reader = RecordingReader::new(&opened);
    let mut there: BTreeMap<i64, usize> = BTreeMap::new();
    for (nth, moment) in opened.moments().iter().enumerate() {
        there.insert(moment.at.0, nth);
        let (_, found) = reader.snapshot_files(nth).unwrap();
        let number = (moment.at.0 - at(0).0) / 60;
        assert_eq!(*found, shot(number.cast_unsigned()), "snapshot of {number}");
    }
    for number in &reported {
        assert!(there.contains_key(&at(*number).0), "{number} was reported and is lost");
    }
    assert!(opened.moments().len() <= reported.len() + 100, "at most one more for each kill");
    assert!(opened.damage().iter().all(|damage| damage.is_end), "{:?}", opened.damage());
    let (there, cut) = (opened.moments().len(), opened.damage().len());
    writeln!(std::io::stdout(), "{there} snapshots, {cut} cut ends").unwrap();
}

fn recorded(folder: &Path, count: u64) -> Recording {
    let mut recorder = RecordingWriter::new(folder, RecordLimits::default()).unwrap();
    for number in 1..=count {
        let written = recorder.append(at(number), shot(number)).unwrap();
        assert_eq!(written.number, number);
    }
    Recording::open(folder).unwrap()
}

/// Cut at any byte, a recording keeps all complete snapshots; only the last one is lost.
#[test]
fn a_recording_cut_at_any_byte_keeps_all_that_was_whole() {
    let folder = tempfile::tempdir().unwrap();
    let opened = recorded(folder.path(), 20);
    let file = folder.path().join("00000001.qrec");
    let whole = fs::read(&file).unwrap();
    let ends: Vec<u64> = opened
        .moments()
        .iter()
        .scan(0, |sum, moment| {
            *sum += moment.bytes;
            Some(*sum)
        })
        .collect();
    assert_eq!(*ends.last().unwrap(), whole.len() as u64);
    for cut in (0..whole.len()).step_by(37) {
        fs::write(&file, &whole[..cut]).unwrap();
        let opened = Recording::open(folder.path()).unwrap();
        let complete = ends.iter().filter(|end| **end <= cut as u64).count();
        assert_eq!(opened.moments().len(), complete, "cut at {cut}");
        assert_eq!(opened.damage().len(), usize::from(!ends.contains(&(cut as u64)) && cut > 0));
    }
}

#[test]
fn damage_in_the_middle_is_named_and_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let opened = recorded(folder.path(), 40);
    let offset: u64 = opened.moments()[..20].iter().map(|moment| moment.bytes).sum();
    let file = folder.path().join("00000001.qrec");
    let mut bytes = fs::read(&file).unwrap();
    // Its contents: the head stays, so that the snapshot is listed, and cannot be read.
    bytes[usize::try_from(offset).unwrap() + 45] ^= 0xff;
    fs::write(&file, &bytes).unwrap();
    let opened = Recording::open(folder.path()).unwrap();
    assert_eq!(opened.moments().len(), 40);
    let mut reader = RecordingReader::new(&opened);
    let readable: Vec<usize> = (0..40).filter(|nth| reader.snapshot_files(*nth).is_ok()).collect();
    // From the damaged one to the next whole one.
    let expected: Vec<usize> = (0..20).chain(32..40).collect();
    assert_eq!(readable, expected);
    let Err(RecordError::Damaged { at: lost, offset: found, .. }) = reader.snapshot_files(25) else {
        panic!()
    };
    assert!((lost, found) == (at(21), offset) || lost == at(26), "{lost:?} {found}");
    let (moment, _) = opened.at(at(26)).unwrap();
    assert_eq!(moment.at, at(20), "the last one before that can be read");
    let (text, _, code) = run(&["replay", ".", "--check"], folder.path());
    assert!(code == 1 && text.contains("12 snapshots are lost, #21 to #32, "), "{text}");
    assert_eq!(text.matches("damaged at byte").count(), 1, "{text}");
    // Its head: the frame is skipped, and those that follow it.
    bytes[usize::try_from(offset).unwrap() + 3] ^= 0xff;
    fs::write(&file, &bytes).unwrap();
    let opened = Recording::open(folder.path()).unwrap();
    assert_eq!(opened.moments().len(), 39);
    assert_eq!(
        (opened.damage().len(), opened.damage()[0].offset, opened.damage()[0].is_end),
        (1, offset, false)
    );
    let mut reader = RecordingReader::new(&opened);
    assert_eq!((0..39).filter(|nth| reader.snapshot_files(*nth).is_ok()).count(), 28);
}

#[test]
fn a_recording_is_private_goes_on_and_keeps_its_limits() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rec");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    recorded(&path, 3);
    assert_eq!((mode(&path), mode(&path.join("00000001.qrec"))), (0o700, 0o600));
    let mut recorder =
        RecordingWriter::new(&path, RecordLimits { age: Some(Seconds(3600)), size: None }).unwrap();
    let written = recorder.append(at(4), shot(4)).unwrap();
    assert_eq!((written.number, written.removed), (4, 0), "numbered on, in a segment of its own");
    drop(recorder);
    let mut recorder =
        RecordingWriter::new(&path, RecordLimits { age: Some(Seconds(3600)), size: None }).unwrap();
    let written = recorder.append(at(64), shot(64)).unwrap();
    assert_eq!(written.removed, 1, "its last snapshot is 61 minutes old, that of the next one 60");
    let opened = Recording::open(&path).unwrap();
    assert_eq!(opened.moments().iter().map(|moment| moment.at).collect::<Vec<_>>(), [at(4), at(64)]);
    drop(recorder);
    let mut recorder = RecordingWriter::new(&path, RecordLimits { age: None, size: Some(1) }).unwrap();
    let written = recorder.append(at(65), shot(65)).unwrap();
    assert_eq!(written.removed, 2);
    assert_eq!(Recording::open(&path).unwrap().files_at(SnapshotSelector::Last).unwrap().0.at, at(65));
}

pub(crate) fn run(words: &[&str], folder: &Path) -> (String, String, i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_qscope"));
    let done = command.args(words).current_dir(folder).env("TZ", "UTC").output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(done.stdout), text(done.stderr), done.status.code().unwrap())
}

/// Records a small cluster over three minutes: a job runs, another waits for it, the third is held.
pub(crate) fn three_minutes(path: &Path) {
    let kept = |text: &str| SnapshotFile { bytes: text.into(), modified: None };
    let node = "[[node]]\nname = \"n1\"\navailable = { ncpus = 4 }\n";
    let mut recorder = RecordingWriter::new(path, RecordLimits::default()).unwrap();
    for (minute, second) in
        [(0, "queued"), (1, "queued"), (2, "started = \"-00:00:20\"\non = \"(n1:ncpus=4)\"")]
    {
        let now = 1_763_712_000 + minute * 60;
        let first = if minute < 2 {
            "[[job]]\nid = \"1\"\nuser = \"ann\"\nqueue = \"workq\"\nselect = \"1:ncpus=4\"\nwalltime = \"01:00:00\"\nstarted = \"-00:10:00\"\non = \"(n1:ncpus=4)\"\n"
        } else {
            ""
        };
        let state = if second == "queued" { "" } else { second };
        let text = format!(
            "now = {now}\n[[queue]]\nname = \"workq\"\n{first}[[job]]\nid = \"2\"\nuser = \"bob\"\nqueue = \"workq\"\nselect = \"1:ncpus=4\"\nwalltime = \"00:30:00\"\n{state}\n"
        );
        let files =
            BTreeMap::from([("nodes.toml".to_owned(), kept(node)), ("queue.toml".to_owned(), kept(&text))]);
        recorder.append(Epoch(now), SnapshotFiles(files)).unwrap();
    }
}

#[test]
fn every_command_opens_a_moment_of_a_recording() {
    let folder = tempfile::tempdir().unwrap();
    three_minutes(&folder.path().join("rec"));
    let (text, wrong, code) = run(&["cycle", "rec@#1", "--json"], folder.path());
    assert_eq!((wrong.as_str(), code), ("", 0), "{text}");
    let (by_time, _, _) = run(&["cycle", "rec@2025-11-21T08:00:30", "--json"], folder.path());
    assert_eq!(text, by_time);
    let (last, _, _) = run(&["cycle", "rec", "--json"], folder.path());
    assert_ne!(text, last);
    let (_, _, waits) = run(&["why", "2", "rec@first"], folder.path());
    assert_eq!(waits, 1);
    let (list, _, code) = run(&["replay", "rec"], folder.path());
    assert!(code == 0 && list.contains("3 snapshots from 2025-11-21 08:00:00"), "{list}");
    let (text, wrong, code) = run(&["replay", "rec", "--at", "#2", "--into", "moment"], folder.path());
    assert_eq!((wrong.as_str(), code), ("", 0), "{text}");
    let (of_folder, _, _) = run(&["why", "2", "moment"], folder.path());
    let (of_moment, _, _) = run(&["why", "2", "rec@#2"], folder.path());
    assert_eq!(of_folder.lines().count(), of_moment.lines().count());
    let (_, wrong, code) = run(&["replay", "rec", "--at", "1000"], folder.path());
    assert!(
        code == 2
            && wrong.contains("the first snapshot was recorded 2025-11-21 08:00:00 +00:00")
            && wrong.contains(", after 1970-01-01 00:16:40 +00:00"),
        "{wrong}"
    );
    let (_, wrong, _) = run(&["why", "2", "rec@1000"], folder.path());
    assert!(
        wrong.matches("rec: ").count() == 1 && !wrong.contains("expected a folder"),
        "named once: {wrong}"
    );
    let (text, _, code) = run(&["replay", "rec", "--check"], folder.path());
    assert!(code == 0 && text.contains("3 snapshots can be read"), "{text}");
    let (text, _, _) = run(&["replay", "rec", "--agreement", "--json"], folder.path());
    let found: serde_json::Value = serde_json::from_str(&text).unwrap();
    let day = &found["days"][0];
    assert_eq!(
        (&day["day"], &day["cycles"], &day["starts"], &day["predicted"]),
        (&"2025-11-21".into(), &2.into(), &1.into(), &0.into())
    );
    assert_eq!(day["not_predicted"].as_object().unwrap().len(), 1, "{text}");
}

#[test]
fn the_history_of_a_job_sums_to_its_time_in_the_queue() {
    let folder = tempfile::tempdir().unwrap();
    three_minutes(&folder.path().join("rec"));
    let (text, wrong, code) = run(&["history", "2", "rec", "--json"], folder.path());
    assert_eq!((wrong.as_str(), code), ("", 0), "{text}");
    let found: serde_json::Value = serde_json::from_str(&text).unwrap();
    let spans = found["spans"].as_array().unwrap();
    let length = |span: &serde_json::Value| span["to"].as_i64().unwrap() - span["from"].as_i64().unwrap();
    assert_eq!(spans.iter().map(length).sum::<i64>(), found["seconds"].as_i64().unwrap());
    assert_eq!(found["started"], true);
    // It started 20 seconds before the third minute.
    assert_eq!(found["until"], 1_763_712_100);
    assert!(
        spans.iter().any(|span| span["reason"].as_str().unwrap().contains("nsufficient")
            || span["reason"].as_str().unwrap().contains("Not enough")),
        "{text}"
    );
    // A moment of it ends the history there.
    for moment in ["rec@#2", "rec@2025-11-21 08:01:00 +00:00"] {
        let (text, wrong, code) = run(&["history", "2", moment, "--json"], folder.path());
        assert_eq!((wrong.as_str(), code), ("", 1), "{text}");
        let then: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&then["started"], &then["until"]), (&false.into(), &1_763_712_060.into()));
    }
    for option in ["--check", "--agreement"] {
        let (_, wrong, code) = run(&["replay", "rec@#2", option], folder.path());
        assert!(code == 2 && wrong.contains("expected rec without a time"), "{wrong}");
    }
    let (all, _, _) = run(&["history", "user:bob", "rec", "--json"], folder.path());
    let sums: serde_json::Value = serde_json::from_str(&all).unwrap();
    assert_eq!((sums["jobs"].as_u64(), sums["seconds"].as_i64()), (Some(1), found["seconds"].as_i64()));
    let (_, wrong, code) = run(&["history", "99", "rec"], folder.path());
    assert!(code == 2 && wrong.contains("nothing about a job `99`"), "{wrong}");
    let (_, wrong, code) = run(&["history", "user:bobb", "rec"], folder.path());
    assert!(code == 2 && wrong.contains("no job of user `bobb` among"), "{wrong}");
    assert!(wrong.contains("did you mean `bob`?"), "{wrong}");
}

/// The accounting log has arrivals and starts, and no reasons.
#[test]
fn the_accounting_log_alone_states_that_reasons_are_not_known() {
    let folder = tempfile::tempdir().unwrap();
    let record = |job: u32, queued: i64, start: i64| {
        format!(
            "11/21/2025 08:00:00;S;{job}.svr;user=ann queue=q qtime={queued} start={start} Resource_List.ncpus=4\n"
        )
    };
    let passing = (2..30).map(|job| record(job, 1000 + i64::from(job), 1100 + i64::from(job)));
    let all: String = passing.chain([record(1, 1000, 5000)]).collect();
    fs::write(folder.path().join("acct"), all).unwrap();
    let (text, _, _) = run(&["history", "all", "acct"], folder.path());
    assert!(text.contains("100.0 %") && text.contains("no scheduler's log"), "{text}");
    assert!(!text.contains("of them for") && !text.contains("not yet looked at"), "{text}");
    let (text, _, _) = run(&["history", "1", "acct"], folder.path());
    assert!(
        text.contains("28 jobs arrived later") && text.contains("… and 8 more: --json prints all"),
        "{text}"
    );
}

/// Core-hours by reason, of a user, a queue and the whole site, from logs: each share is of all the waiting, and a
/// window at the end clips the times.
#[test]
fn the_history_of_a_site_sums_core_hours_by_reason() {
    let folder = tempfile::tempdir().unwrap();
    let line = |time: &str, job: &str, text: &str| {
        format!("11/21/2025 {time};0080;pbs_sched;Job;{job}.svr;{text}\n")
    };
    let log = [
        line("08:30:00", "1", "Not enough free nodes available"),
        line("09:30:00", "1", "Insufficient amount of resource: ncpus (R: 8 A: 0 T: 4)"),
        line("08:30:00", "2", "would exceed queue small's per-user limit"),
        line("10:00:00", "1", "Job run"),
        line("10:00:00", "2", "would exceed queue small's per-user limit"),
    ];
    let queued = |job: &str, user: &str, queue: &str, cores: u32| {
        format!(
            "11/21/2025 08:00:00;Q;{job}.svr;user={user} queue={queue} qtime=1763712000 Resource_List.ncpus={cores}\n"
        )
    };
    let accounting = queued("1", "ann", "large", 10) + &queued("2", "bob", "small", 5);
    fs::write(folder.path().join("sched"), log.concat()).unwrap();
    fs::write(folder.path().join("acct"), accounting).unwrap();
    let of = |words: &[&str]| {
        let words = [&["history"], words, &["sched", "acct", "--tz", "UTC", "--json"]].concat();
        let (text, wrong, code) = run(&words, folder.path());
        assert_eq!((wrong.as_str(), code), ("", 0), "{text}");
        serde_json::from_str::<serde_json::Value>(&text).unwrap()
    };
    let shares = |found: &serde_json::Value| -> Vec<(String, f64, f64)> {
        let reasons = found["reasons"].as_array().unwrap().iter();
        let row = |row: &serde_json::Value| {
            let (hours, share) = (row["core_hours"].as_f64().unwrap(), row["share"].as_f64().unwrap());
            (row["reason"].as_str().unwrap().to_owned(), hours, share)
        };
        reasons.map(row).collect()
    };
    let nodes = "Not enough free nodes available".to_owned();
    let cores = "Insufficient amount of resource: ncpus".to_owned();
    let limit = "would exceed queue small's per-user limit".to_owned();
    let early = "not yet looked at".to_owned();
    let all = of(&["all"]);
    // Job 1 waited half an hour unseen, one for nodes, half one for cores, on 10 cores; job 2 half and one and a half on 5.
    let expected = [(&nodes, 10.0), (&early, 7.5), (&limit, 7.5), (&cores, 5.0)];
    let found = shares(&all);
    assert_eq!(found.len(), expected.len(), "{all}");
    for ((reason, hours, share), (name, waited)) in found.iter().zip(expected) {
        assert_eq!((reason, *hours, (share * 3000.0).round()), (name, waited, waited * 100.0), "{all}");
    }
    assert_eq!((all["jobs"].as_u64(), all["core_hours"].as_f64()), (Some(2), Some(30.0)));
    assert_eq!((all["from"].as_i64(), all["to"].as_i64()), (Some(1_763_712_000), Some(1_763_719_200)));
    assert_eq!(shares(&of(&["user:ann"])).iter().map(|row| row.1).sum::<f64>(), 20.0);
    assert_eq!(shares(&of(&["queue:small"])), [(limit.clone(), 7.5, 0.75), (early, 2.5, 0.25)]);
    let late = of(&["all", "--last", "1h"]);
    assert_eq!(
        shares(&late).iter().map(|row| (row.0.clone(), row.1)).collect::<Vec<_>>(),
        [(cores, 5.0), (nodes, 5.0), (limit, 5.0)]
    );
    let (text, _, _) = run(&["history", "all", "sched", "acct", "--tz", "UTC"], folder.path());
    assert!(
        text.contains("2 jobs waited 04:00:00 in all, 30.0 core-hours, 33 % of them for: Not enough"),
        "{text}"
    );
    let (_, wrong, code) = run(&["history", "1", "sched", "acct", "--last", "1h"], folder.path());
    assert!(code == 2 && wrong.contains("--last is for sums"), "{wrong}");
}

/// The recording of a simulation has the snapshots its cycles were run over.
#[test]
fn the_recording_of_a_simulation_replays_its_cycles() {
    let folder = tempfile::tempdir().unwrap();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/week");
    let sample = sample.to_str().unwrap();
    let until = (1_763_712_000 + 40_000).to_string();
    let (text, wrong, code) = run(&["simulate", sample, "--until", &until, "--record", "rec"], folder.path());
    assert_eq!((wrong.as_str(), code), ("", 0), "{text}");
    let (json, _, _) = run(&["simulate", sample, "--until", &until, "--cycles", "--json"], folder.path());
    let whole: serde_json::Value = serde_json::from_str(&json).unwrap();
    let recording = Recording::open(&folder.path().join("rec")).unwrap();
    let decided = whole["decided"].as_array().unwrap();
    assert_eq!(recording.moments().len(), decided.len());
    assert!(decided.len() > 50);
    let mut reader = RecordingReader::new(&recording);
    for (nth, cycle) in decided.iter().enumerate() {
        let options = qscope::source::LoadOptions::default();
        let snapshot = qscope::source::load(&reader.files(nth).unwrap(), &options).unwrap();
        assert_eq!(snapshot.now.0, cycle["at"].as_i64().unwrap());
        let replayed =
            qscope::cycle::run_cycle(std::sync::Arc::new(snapshot), qscope::universe::Quirks::default());
        let starts = replayed.outcomes().filter(|outcome| outcome.verdict == qscope::cycle::Verdict::Run);
        let names: Vec<String> = starts.map(|outcome| outcome.name(&replayed.plan.snap)).collect();
        assert_eq!(serde_json::json!(names), cycle["started"], "cycle {nth}");
    }
}

#[test]
fn a_folder_is_recorded_when_it_has_changed() {
    let folder = tempfile::tempdir().unwrap();
    let dumps = folder.path().join("dumps");
    fs::create_dir(&dumps).unwrap();
    fs::write(dumps.join("nodes.toml"), "[[node]]\nname = \"n1\"\navailable = { ncpus = 4 }\n").unwrap();
    for number in 1..=2 {
        fs::write(dumps.join("queue.toml"), format!("now = {}\n[[queue]]\nname = \"q\"\n", 1000 + number))
            .unwrap();
        let (text, wrong, code) = run(&["record", "dumps", "rec", "--once"], folder.path());
        assert_eq!((wrong.as_str(), code), ("", 0));
        assert!(text.starts_with(&format!("recorded as #{number}, ")), "{text}");
    }
    let (first, _, _) = run(&["cycle", "rec@#1", "--json"], folder.path());
    assert!(first.contains("\"now\": 1001"), "{first}");
    let (_, wrong, code) = run(&["record", "dumps", "dumps", "--once"], folder.path());
    assert!(code == 2 && wrong.contains("is the folder of the dumps"), "{wrong}");
}

/// A folder with the name of a command is not opened by its name alone, which a note states.
#[test]
fn a_folder_hidden_by_a_command_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("board")).unwrap();
    let (_, note, _) = run(&["board"], folder.path());
    assert_eq!(note.trim(), "qscope: board is run as a command; ./board is the folder");
    let (_, note, _) = run(&["quirks"], folder.path());
    assert_eq!(note, "");
}

/// Snapshots that are appended to a deleted file would be lost without a word.
#[test]
fn a_recording_that_is_deleted_is_an_error_and_a_deleted_segment_is_followed_by_another() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rec");
    let mut recorder = RecordingWriter::new(&path, RecordLimits::default()).unwrap();
    recorder.append(at(1), shot(1)).unwrap();
    fs::remove_file(path.join("00000001.qrec")).unwrap();
    recorder.append(at(2), shot(2)).unwrap();
    let opened = Recording::open(&path).unwrap();
    assert_eq!(RecordingReader::new(&opened).snapshot_files(0).unwrap().1, &shot(2));
    fs::remove_dir_all(&path).unwrap();
    for number in [3, 4] {
        let error = recorder.append(at(number), shot(number)).unwrap_err().to_string();
        assert!(error.ends_with(".qrec: the folder of the recording was deleted"), "{error}");
    }
}
