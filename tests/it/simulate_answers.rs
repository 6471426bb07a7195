//! The answers of `qscope simulate`: every job that arrives is in a figure, and nothing that was asked for is left out.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::simulate_measured::{self, FROM, answer, simulate};

/// A job of one vnode that arrives after some seconds.
fn job(id: &str, after: i64, cores: u32, rest: &Value) -> Value {
    simulate_measured::job(id, after, cores, "workq", rest)
}

/// Writes one vnode with four cores, and jobs that arrive.
fn cluster(folder: &Path, jobs: &[Value]) {
    fs::write(folder.join("nodes.toml"), "[[node]]\nname = \"n1\"\navailable = { ncpus = 4 }\n").unwrap();
    fs::write(folder.join("queue.toml"), format!("now = {FROM}\n[[queue]]\nname = \"workq\"\n")).unwrap();
    let arrivals = json!({"format": "arrivals 1", "jobs": jobs}).to_string();
    fs::write(folder.join("arrivals.json"), arrivals).unwrap();
}

#[test]
fn subjobs_that_never_start_are_counted_and_listed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let array = |id: &str, cores| {
        job(id, 20, cores, &json!({"job.array": "True", "job.array_indices_submitted": "1-3"}))
    };
    cluster(folder, &[job("1", 0, 4, &json!({})), array("2[]", 8), array("3[]", 2)]);
    let found = answer(&["--until", &(FROM + 1100).to_string()], folder);
    let figures = &found["measures"];
    assert_eq!(
        (&figures["arrived"], &figures["started"], &figures["censored"]),
        (&7.into(), &3.into(), &4.into())
    );
    let state = |id: &str| {
        found["jobs"].as_array().unwrap().iter().find(|job| job["id"] == id).unwrap()["state"].clone()
    };
    assert_eq!([state("2[1].svr"), state("3[1].svr"), state("3[3].svr")], ["Q", "R", "Q"]);
    let until = (FROM + 1100).to_string();
    let (csv, _, _) = simulate(&["--until", &until, "--csv"], folder);
    assert_eq!(csv.lines().count(), 1 + 7, "{csv}");
    assert!(csv.contains("2[3].svr,ann,workq,1763712020,,,Q"), "{csv}");
    let (text, _, code) = simulate(&["--until", &until, "--fail-if", "censored > 3"], folder);
    assert!(
        code == 1 && text.contains("7 arrived, 3 started, 4 not started by the end; 1 finished"),
        "{text}"
    );
}

#[test]
fn deleted_jobs_are_in_the_figures() {
    let folder = tempfile::tempdir().unwrap();
    let cancelled = json!({"cancel": FROM + 100});
    cluster(
        folder.path(),
        &[job("1", 0, 4, &json!({})), job("2", 20, 4, &cancelled), job("3", 30, 4, &cancelled)],
    );
    let found = answer(&[], folder.path());
    let figures = &found["measures"];
    assert_eq!((&figures["deleted"], &figures["censored"]), (&2.into(), &0.into()));
    let (text, _, _) = simulate(&[], folder.path());
    assert!(
        text.contains(
            "jobs: 3 arrived, 1 started, 2 deleted before that, 0 not started by the end; 1 finished"
        ),
        "{text}"
    );
}

#[test]
fn a_mean_over_fewer_jobs_has_its_note_in_a_comparison_too() {
    let folder = tempfile::tempdir().unwrap();
    cluster(folder.path(), &[job("1", 0, 4, &json!({})), job("2", 20, 4, &json!({}))]);
    let (text, _, code) = simulate(
        &["--against", "queue.workq.started=False", "--until", &(FROM + 5000).to_string()],
        folder.path(),
    );
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("B: note: 2 jobs not started; ") && !text.contains("A: note"), "{text}");
    assert!(text.contains("2 jobs left out: not started under A, under B, or under either"), "{text}");
    for form in ["--csv", "--swf"] {
        let (text, wrong, code) = simulate(&["--against", "backfill_depth=2", form], folder.path());
        assert!(code == 2 && text.is_empty() && wrong.contains("cannot be used with"), "{wrong}");
    }
}

#[test]
fn arrivals_far_apart_are_simulated_at_once_and_none_is_in_milliseconds() {
    let folder = tempfile::tempdir().unwrap();
    let years = 3000 * 366 * 86_400;
    cluster(folder.path(), &[job("1", 0, 4, &json!({})), job("2", years, 4, &json!({}))]);
    let found = answer(&[], folder.path());
    assert_eq!(found["jobs"][1]["end"], FROM + years + 600);
    // A cycle every ten minutes, the first at the end of the first job, the last not after the second one.
    let empty = found["empty_cycles"].as_i64().unwrap();
    assert!((years / 600 - 5..years / 600 + 5).contains(&empty), "{empty}");
    cluster(folder.path(), &[job("1", 0, 4, &json!({"at": FROM * 1000}))]);
    let (_, wrong, code) = simulate(&[], folder.path());
    assert!(
        code == 2 && wrong.contains("1.svr: it arrives at 1763712000000; expected seconds since 1970"),
        "{wrong}"
    );
}

#[test]
fn a_suspended_time_is_not_counted_after_a_folder_was_written_in_between() {
    let folder = tempfile::tempdir().unwrap();
    let text = format!(
        "now = {FROM}\n[[queue]]\nname = \"workq\"\n[[job]]\nid = \"1\"\nuser = \"ann\"\nqueue = \"workq\"\n\
         select = \"1:ncpus=4\"\nwalltime = \"04:00:00\"\non = \"(n1:ncpus=4)\"\nstarted = \"-02:00:00\"\n\
         used = {{ walltime = \"00:30:00\" }}\n"
    );
    cluster(folder.path(), &[]);
    fs::write(folder.path().join("queue.toml"), text).unwrap();
    let end = |words: &[&str]| answer(words, folder.path())["jobs"][0]["end"].as_i64().unwrap() - FROM;
    assert_eq!(end(&[]), 4 * 3600 - 1800);
    let start = json!({"format": "arrivals 1", "start": {"1": {"runtime": 7200}}});
    fs::write(folder.path().join("arrivals.json"), start.to_string()).unwrap();
    assert_eq!(end(&[]), 7200 - 1800);
}

#[test]
fn rejected_and_late_arrivals_are_named() {
    let folder = tempfile::tempdir().unwrap();
    cluster(
        folder.path(),
        &[job("1", 0, 4, &json!({})), job("1", 30, 4, &json!({})), job("2", 2000, 4, &json!({}))],
    );
    let until = ["--until", "2025-11-21T08:20"];
    let found = answer(&until, folder.path());
    let warnings: Vec<&str> =
        found["warnings"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let expected = [
        "1 arrival rejected, a job of the same id was there before: 1.svr",
        "left out: 1 arrival after the end",
    ];
    assert!(expected.iter().all(|warning| warnings.contains(warning)), "{warnings:?}");
    assert_eq!(found, answer(&["--until", &(FROM + 1200).to_string()], folder.path()));
    let (swf, _, _) = simulate(&["--swf"], folder.path());
    let fields: Vec<&str> = swf.lines().last().unwrap().split(' ').collect();
    assert_eq!((fields[4], fields[7]), ("4", "4"), "{swf}");
    let (_, wrong, code) = simulate(&["--until", "2025-11-21T07:00"], folder.path());
    assert!(code == 2 && wrong.contains("2025-11-21 07:00:00 +00:00 is before the start"), "{wrong}");
    fs::write(folder.path().join("options.json"), "{\"until\": 5}").unwrap();
    let (_, wrong, code) = simulate(&[], folder.path());
    assert!(code == 2 && wrong.contains("is before the start"), "{wrong}");
}

#[test]
fn files_without_a_record_are_no_arrivals() {
    let folder = tempfile::tempdir().unwrap();
    cluster(folder.path(), &[]);
    for (name, text) in [("acct", ""), ("acct", "no record\n"), ("trace.swf", "; Version: 2.2\n")] {
        fs::write(folder.path().join(name), text).unwrap();
        let (text, wrong, code) = simulate(&["--arrivals", name], folder.path());
        assert!(code == 2 && text.is_empty() && wrong.contains(&format!("{name}: no record of")), "{wrong}");
    }
}

#[test]
fn every_cycle_is_printed_with_its_reasons() {
    let folder = tempfile::tempdir().unwrap();
    cluster(folder.path(), &[job("1", 0, 4, &json!({})), job("2", 20, 4, &json!({}))]);
    let (text, _, _) = simulate(&["--cycles"], folder.path());
    let cycles: Vec<&str> = text.lines().filter(|line| line.contains(" cycle ")).collect();
    let decided = answer(&["--cycles"], folder.path())["decided"].as_array().unwrap().len();
    assert_eq!(cycles.len(), decided, "{text}");
    assert!(cycles[0].starts_with("2025-11-21 08:00:00 +00:00 cycle 1: starts 1.svr"), "{text}");
    assert!(cycles[1].contains("cycle 2: ") && cycles[1].contains("1 waits: "), "{text}");
}

#[test]
fn records_with_times_that_are_none_are_left_out_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    cluster(folder.path(), &[]);
    let record = |id: u32, qtime: &str| {
        format!(
            "11/21/2025 08:20:00;E;{id}.svr;user=ann group=g queue=workq ctime={FROM} qtime={qtime} etime={FROM} \
             start={FROM} end={} Exit_status=0 Resource_List.ncpus=1 Resource_List.nodect=1 \
             Resource_List.select=1:ncpus=1 Resource_List.walltime=00:20:00\n",
            FROM + 600
        )
    };
    let log = record(1, &FROM.to_string()) + &record(2, "99999999999999999999") + &record(3, "soon");
    fs::write(folder.path().join("acct"), log).unwrap();
    let found = answer(&["--arrivals", "acct"], folder.path());
    assert_eq!(found["jobs"].as_array().unwrap().len(), 1, "{found}");
    let warnings = found["warnings"].to_string();
    assert!(
        warnings.contains("left out: 2 jobs with a time that is no number of seconds since 1970"),
        "{warnings}"
    );
}

#[test]
fn dependencies_on_ids_never_heard_of_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let depends = |id: &str, on: &str| job(id, 20, 1, &json!({"job.depend": on}));
    cluster(
        folder.path(),
        &[
            job("1", 0, 1, &json!({})),
            depends("2", "afterok:99.svr"),
            depends("3", "afternotok:98.svr"),
            depends("4", "afterok:1.svr"),
        ],
    );
    let found = answer(&[], folder.path());
    let told = found["warnings"].as_array().unwrap().iter().filter_map(Value::as_str);
    let told: Vec<&str> = told.filter(|line| line.starts_with("unknown-depend")).collect();
    let expected = "unknown-depend: 2 dependent jobs of ids that the server did not have (98.svr, 99.svr): these count as \
                    ended with exit status 0, so 1 was deleted (afternotok)";
    assert_eq!(told, [expected]);
}

/// A file written by hand may leave out the server of a job, which a dependency names: the server has that job.
#[test]
fn a_dependency_on_a_job_written_without_a_server_is_not_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let nodes = "[[node]]\nname = \"n1\"\navailable = { ncpus = 8 }\n";
    let job = |id: &str, more: &str| {
        format!("[[job]]\nid = \"{id}\"\nselect = \"1:ncpus=1\"\nwalltime = \"00:10:00\"\n{more}\n")
    };
    let queue = "now = 1763700000\n".to_owned()
        + &job("1", "")
        + &job("2", "state = \"H\"\nholds = \"s\"\ndepend = \"afterok:1.svr\"");
    std::fs::write(folder.path().join("nodes.toml"), nodes).unwrap();
    std::fs::write(folder.path().join("queue.toml"), queue).unwrap();
    let found = answer(&[], folder.path());
    let warnings = found["warnings"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let unknown: Vec<&str> = warnings.filter(|line| line.starts_with("unknown-depend")).collect();
    assert_eq!((unknown, found["jobs"].as_array().map(Vec::len)), (vec![], Some(2)));
}

#[test]
fn a_written_state_says_under_which_options_it_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let (folder, out) = (folder.path(), tempfile::tempdir().unwrap());
    let written = out.path().join("written");
    let to = written.to_str().unwrap();
    cluster(folder, &[job("1", 0, 1, &json!({})), job("2", 20, 1, &json!({}))]);
    let (text, wrong, code) = simulate(&["--quirk", "span-when-full=off", "--stop-at", "2", to], folder);
    assert_eq!((wrong.as_str(), code), ("", 0));
    assert!(text.contains("note: open it with --quirk span-when-full=off"), "{text}");
    let options = fs::read_to_string(written.join("semantics")).unwrap();
    assert_eq!(options, "--quirk span-when-full=off\n");
    simulate(&["--stop-at", "2", to], folder);
    assert!(!written.join("semantics").exists(), "the usual behaviour needs no options");
    let (_, wrong, code) = simulate(&["--policy", "FASTEST", "--stop-at", "2", to], folder);
    assert!(code == 2 && wrong.contains("--stop-at: a folder cannot hold an allocation policy"), "{wrong}");
    for words in [&["--stop-at", "2", to][..], &["--record", to]] {
        let (_, wrong, code) = simulate(&[words, &["--json"]].concat(), folder);
        assert!(code == 2 && wrong.contains("--json"), "{wrong}");
    }
}

#[test]
fn no_cell_of_the_table_is_a_formula() {
    let folder = tempfile::tempdir().unwrap();
    cluster(folder.path(), &[job("1", 0, 4, &json!({"job.Job_Owner": "=1+1@login"}))]);
    let (csv, _, _) = simulate(&["--csv"], folder.path());
    assert!(csv.contains("1.svr,'=1+1,workq,"), "{csv}");
}
