//! `qscope compare`: two folders by the program, and the dumps before and after real cycles.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use qscope::session::compare::{Comparison, JobChangeKind};
use qscope::session::{Generation, Opening, OpeningOrigin, load_generation};
use serde_json::Value;

use super::real;

fn compare(arguments: &[&Path], more: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_qscope"));
    program.arg("compare").args(arguments).args(more).output().unwrap()
}

/// A folder of two nodes and two jobs; the second waits for the first.
fn write(folder: &Path, moment: u32, first_runs: bool) {
    fs::create_dir(folder).unwrap();
    let runs = "started = \"-00:10:00\"\non = \"(n1:ncpus=4)+(n2:ncpus=4)\"\n";
    let job = |id: u32, rest: &str| {
        format!(
            "[[job]]\nid = \"{id}\"\nuser = \"ann\"\nqueue = \"workq\"\nselect = \"2:ncpus=4\"\nplace = \"scatter\"\nwalltime = \"01:00:00\"\n{rest}"
        )
    };
    let jobs = [job(1, if first_runs { runs } else { "" }), job(2, "")].concat();
    let queue = format!("now = {}\n[[queue]]\nname = \"workq\"\n{jobs}", 1_763_700_000 + moment);
    fs::write(folder.join("nodes.toml"), "[[node]]\nname = \"n[1-2]\"\navailable = { ncpus = 4 }\n").unwrap();
    fs::write(folder.join("queue.toml"), queue).unwrap();
}

#[test]
fn nodes_of_a_what_if_are_added_and_not_back_in_service() {
    let output = compare(&[Path::new("samples/campus")], &["--add-nodes", "n030=2"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("since then n030-new[1-2] added"), "{text}");
    assert!(text.contains("25  waits: order: nodes taken by 4 5 7 +4"), "in the words of the queue: {text}");
    assert!(!text.contains("back in service"), "{text}");
}

#[test]
fn two_folders_are_compared_by_the_program() {
    let root = tempfile::tempdir().unwrap();
    let [before, after] = ["before", "after"].map(|name| root.path().join(name));
    write(&before, 0, false);
    write(&after, 60, true);

    let same = compare(&[&before, &before], &[]);
    assert_eq!(same.status.code(), Some(0));
    assert_eq!(
        String::from_utf8(same.stdout).unwrap(),
        "before -> before, the same moment: nothing changed\n"
    );

    let text = compare(&[&before, &after], &[]);
    assert_eq!(text.status.code(), Some(1));
    insta::assert_snapshot!("compare_text", String::from_utf8(text.stdout).unwrap());

    let json = compare(&[&before, &after], &["--json"]);
    assert_eq!(json.status.code(), Some(1));
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    let started = &json["jobs"]["started"][0];
    assert_eq!(started["before"]["verdict"], "run");
    assert_eq!(started["after"]["exec_vnode"], "(n1:ncpus=4)+(n2:ncpus=4)");
    assert_eq!(json["jobs"]["ended"], Value::Array(Vec::new()));
    assert_eq!(json["nodes"][0]["free"][0]["after"], "0");
    assert_eq!(json["unsure"], Value::Array(Vec::new()));

    let none = compare(&[&before, &root.path().join("no")], &["--json"]);
    assert_eq!((none.status.code(), none.stdout.len()), (Some(2), 0));
    assert!(!none.stderr.is_empty());
}

fn generation(folder: &Path) -> Generation {
    let opening = Opening::of(OpeningOrigin::Folder(folder.to_owned()));
    load_generation(&opening, 1).unwrap()
}

/// Between the dumps before and after a real cycle exactly those jobs have started that the dumps say, and back again
/// exactly those have stopped; nothing differs from itself.
#[test]
fn real_cycles_start_what_their_dumps_say() {
    let mut started = 0;
    let has_both = |case: &&real::RealCase| case.files.contains_key("after/nodes.json");
    for case in real::all().iter().filter(has_both).take(8) {
        let root = case.on_disk();
        let [before, after] = ["before", "after"].map(|name| generation(&root.path().join(name)));
        assert!(!Comparison::of(&before.run, &before.run).differs(), "{}", case.name);
        let names = |found: &Comparison, kind| -> Vec<String> {
            let mut names: Vec<String> = found.jobs_that(kind).map(|one| one.job.to_string()).collect();
            names.sort();
            names
        };
        let runs = |side: &Generation, name: &str| {
            let id = side.snapshot.job_named(name);
            id.is_some_and(|id| matches!(side.snapshot.jobs[id].state.letter(), 'R' | 'E'))
        };
        let all = after.snapshot.jobs.iter().map(|job| job.name.to_string());
        let mut expected: Vec<String> =
            all.filter(|name| runs(&after, name) && !runs(&before, name)).collect();
        expected.sort();
        let found = Comparison::of(&before.run, &after.run);
        assert_eq!(names(&found, JobChangeKind::Started), expected, "{}", case.name);
        let back = Comparison::of(&after.run, &before.run);
        let listed = |name: &String| before.snapshot.job_named(name).is_some();
        expected.retain(listed);
        assert_eq!(names(&back, JobChangeKind::Stopped), expected, "{}", case.name);
        started += expected.len();
    }
    assert!(started > 20, "{started}");
}
