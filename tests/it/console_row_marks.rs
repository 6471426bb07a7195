//! Marks of rows in the lists of jobs and nodes: what changed, came or left since the snapshot before, and what the last step
//! took (console.md 6, Live).

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::path::Path;

use qscope::console::action::Action;

use crate::console_cycle::{Stage, read};
use Action::{Down, Home, Select, StepForward, Toggle, View2, View3};

/// The names of the rows with a mark, the first letter of a row.
fn marked(seen: &str, mark: char) -> Vec<String> {
    let rows = seen.lines().filter_map(|line| line.strip_prefix(['┃', '│'])?.strip_prefix(mark));
    rows.map(|row| row.split_whitespace().next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn the_lists_of_jobs_and_nodes_mark_what_changed_came_and_left() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let sample = |name: &str| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/sets-8");
        std::fs::read_to_string(folder.join(name)).unwrap()
    };
    let (nodes, queue) = (sample("nodes.toml"), sample("queue.toml"));
    for (name, text) in
        [("nodes.toml", &nodes), ("queue.toml", &queue), ("policy.toml", &sample("policy.toml"))]
    {
        put(name, text);
    }
    let first = read(folder.path(), 1);
    let mut stage = Stage::empty(120, 40, first.snapshot.now);
    stage.load(first);
    for view in [&[View2, Toggle][..], &[View3]] {
        let seen = stage.act(view).see();
        assert!(['Δ', '+', '−'].iter().all(|mark| marked(&seen, *mark).is_empty()), "{seen}");
    }
    // A node goes offline, one comes; job 2 leaves, and job 9 comes.
    let offline = nodes.replace("name = \"vn3\"", "name = \"vn3\"\nstate = \"offline\"");
    put("nodes.toml", &format!("{offline}\n[[node]]\nname = \"vn8\"\navailable = {{ ncpus = 4 }}\n"));
    let jobs: Vec<&str> = queue.split("[[job]]").filter(|job| !job.contains("id = \"2\"")).collect();
    let new = "[[job]]\nid = \"9\"\nuser = \"dora\"\nselect = \"1:ncpus=99\"\nwalltime = \"01:00:00\"\n";
    put("queue.toml", &format!("{}\n{new}", jobs.join("[[job]]")));
    stage.load(read(folder.path(), 2));
    let seen = stage.act(&[View3]).see();
    assert_eq!(marked(&seen, '−'), ["2"], "{seen}");
    assert_eq!(marked(&seen, '+'), ["9"], "{seen}");
    assert!(seen.contains("gone since the snapshot last shown") && seen.contains("Jobs · 6 ·"), "{seen}");
    let changed = marked(&seen, 'Δ');
    let queue = stage.act(&[Action::View1]).see();
    assert_eq!(queue.matches('Δ').count(), changed.len(), "as many as in the queue\n{queue}\n{seen}");
    // Where it stood, and neither counted nor opened.
    stage.act(&[View3, Home, Down]);
    let seen = stage.act(&[Select]).see();
    assert!(seen.contains("no job under the cursor"), "{seen}");
    // It stands in no group, and the filter is about it.
    let seen = stage.act(&[Action::ToggleMap]).see();
    assert!(marked(&seen, '−').is_empty() && seen.contains("by reason"), "{seen}");
    stage.act(&[Action::ToggleMap, Action::ToggleMap, Action::ToggleMap, Action::Filter]).type_in("user=ann");
    assert!(marked(&stage.act(&[Action::Accept]).see(), '−').is_empty());
    stage.act(&[Action::Close]);
    let seen = stage.act(&[View2]).see();
    assert_eq!(
        (marked(&seen, 'Δ'), marked(&seen, '+')),
        (vec!["vn3".to_owned()], vec!["vn8".to_owned()]),
        "{seen}"
    );
    // The step of a job marks the nodes that it takes.
    let seen = stage.act(&[StepForward]).see();
    assert_eq!(marked(&seen, '◆').len(), 1, "{seen}");
    let seen = stage.act(&[View3]).see();
    assert_eq!(marked(&seen, '◆'), ["1"], "{seen}");
    // Gone with the second snapshot after it.
    stage.load(read(folder.path(), 3));
    stage.act(&[Action::Follow]);
    assert!(!marked(&stage.see(), '+').is_empty(), "{}", stage.see());
}

/// What a row shows decides: another reason under the same comment, a job that runs now, one that waits again; numbers
/// alone do not.
#[test]
fn rows_of_jobs_with_another_reason_or_that_run_now_are_marked() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    put("nodes.toml", "[[node]]\nname = \"n[1-4]\"\navailable = { ncpus = 8 }\n");
    let job = |id: &str, select: &str, rest: &str| {
        format!("[[job]]\nid = \"{id}\"\nselect = \"{select}\"\nwalltime = \"01:00:00\"\n{rest}\n")
    };
    let on = |node: &str, ncpus: u32| format!("started = \"-00:10:00\"\non = \"({node}:ncpus={ncpus})\"");
    let queue = |second: u32, last: &str| {
        let jobs = [
            job("1", "1:ncpus=1", &on("n1", 1)),
            job("2", &format!("1:ncpus={second}"), &on("n2", second)),
            job("3", "3:ncpus=8", "place = \"scatter:excl\""),
            job("9", "1:ncpus=8", last),
        ];
        format!("now = 1763700000\n{}", jobs.concat())
    };
    put("queue.toml", &queue(1, ""));
    let first = read(folder.path(), 1);
    let mut stage = Stage::empty(120, 40, first.snapshot.now);
    stage.load(first);
    let seen = stage.act(&[View3]).see();
    assert!(seen.contains("fragmented") && !seen.contains("insufficient"), "{seen}");
    put("queue.toml", &queue(1, &on("n3", 8)));
    let second = read(folder.path(), 2);
    stage.load(second.clone());
    let seen = stage.see();
    assert!(seen.contains("insufficient ncpus"), "{seen}");
    assert_eq!(marked(&seen, 'Δ'), ["9", "3"], "{seen}");
    // Other numbers are no other reason.
    let mut stage = Stage::empty(120, 40, second.snapshot.now);
    stage.load(second);
    put("queue.toml", &queue(2, &on("n3", 8)));
    stage.load(read(folder.path(), 3));
    let seen = stage.act(&[View3]).see();
    assert!(seen.contains("21 of 24 ncpus"), "{seen}");
    assert_eq!(marked(&seen, 'Δ'), ["2"], "only the one that has more of its node\n{seen}");
}
