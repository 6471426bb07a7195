//! Pages of sets, buckets, queues and reservations, and their links (console.md 2.1, 2.2).

use std::path::Path;

use qscope::console::action::Action;
use qscope::console::views::ViewName;

use crate::console_cycle::Stage;
use Action::{Down, NextLine, Select, StepInto, StepOut, ToggleMap};

#[test]
fn a_set_has_a_page_with_its_own_buckets_and_nodes() {
    let mut stage = Stage::open("sets-8", 100, 40);
    stage.act(&[Action::View4, Down, Select]);
    assert_eq!(stage.app.view(), ViewName::Page);
    let seen = stage.see();
    assert!(seen.contains("Set switch=sw2") && seen.contains("2 · 2 free 0 part 0 full 0 out"), "{seen}");
    assert!(seen.contains("Its own buckets, in the order tried · 2"), "{seen}");
    // As maps and tables name them.
    assert!(seen.contains("mem=8gb ncpus=2 accelerator=False") && !seen.contains(":ncpus=2"), "{seen}");
    assert!(seen.contains("Nodes · 2") && seen.contains("vn1"), "{seen}");
    stage.act(&[NextLine]);
    assert!(!stage.see().contains("Set switch=sw2"), "{}", stage.see());
}

/// The resources of an offline node are not left for any job.
#[test]
fn the_page_of_a_set_has_the_state_of_a_node_that_is_out() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write(
        "nodes.toml",
        "[[node]]\nname = \"a1\"\navailable = { ncpus = 8, rack = \"r1\" }\n\n\
         [[node]]\nname = \"a2\"\nstate = \"offline\"\navailable = { ncpus = 8, rack = \"r1\" }\n",
    );
    write("queue.toml", "now = 1763700000\n\n[[job]]\nid = \"1\"\nselect = \"1:ncpus=4\"\n");
    write(
        "policy.toml",
        "[server]\nnode_group_enable = true\nnode_group_key = [\"rack\"]\n\n[[resource]]\nname = \"rack\"\ntype = \"string_array\"\nflag = \"h\"\n",
    );
    let mut stage = Stage::open_at(folder.path(), 100, 40);
    stage.act(&[Action::View4, Select]);
    let seen = stage.see();
    assert!(seen.contains("a1        free  8 of 8 ncpus left"), "{seen}");
    assert!(seen.contains("a2        out   offline"), "{seen}");
}

#[test]
fn the_buckets_of_a_set_are_shown_and_change_with_the_steps() {
    let mut stage = Stage::open("sets-8", 100, 40);
    stage.act(&[Action::View4, Down, ToggleMap]);
    assert_eq!(stage.app.view(), ViewName::Buckets);
    assert!(stage.see().contains("Buckets of switch=sw2 before the first step"), "{}", stage.see());
    let before = stage.see();
    stage.command("step 6");
    stage.command("buckets");
    let after = stage.see();
    assert!(after.contains("Buckets of switch=sw2 after step 6"), "{after}");
    let counts =
        |seen: &str| seen.lines().filter(|line| line.contains("mem=")).map(str::to_owned).collect::<Vec<_>>();
    assert_ne!(counts(&before), counts(&after));
    for _ in 0..6 {
        if !stage.see().contains("Buckets after step 6") {
            stage.act(&[NextLine]);
        }
    }
    assert!(stage.see().contains("Buckets after step 6"), "the complex again\n{}", stage.see());
}

#[test]
fn a_bucket_and_a_queue_have_pages() {
    let mut stage = Stage::open("campus", 100, 40);
    stage.act(&[Action::View5, Down, Select]);
    let seen = stage.see();
    assert!(seen.contains("Queue workq") && seen.contains("started, takes new jobs"), "{seen}");
    assert!(seen.contains("Waiting after this cycle: never · 4"), "{seen}");
    stage.command("buckets");
    stage.act(&[Select]);
    let seen = stage.see();
    assert!(seen.contains("┏ Bucket ") && seen.contains("busy-later"), "{seen}");
    assert!(seen.contains("Nodes · "), "{seen}");
}

/// A reservation is confirmed by the node path; the search can be stepped into, from its page and from the cycle that
/// it ended.
#[test]
fn the_confirmation_of_a_reservation_is_stepped_into() {
    let folder = Path::new("tests/cases/topics/resv_ok");
    let mut stage = Stage::open_at(folder, 80, 24);
    stage.command("resv R5.svr");
    let seen = stage.see();
    assert!(
        seen.contains("Reservation R5") && seen.contains("confirmed by the node path on n[0-2]"),
        "{seen}"
    );
    stage.act(&[Select]);
    assert_eq!(stage.app.view(), ViewName::Cycle);
    let seen = stage.see();
    assert!(seen.contains("reservation R5") && seen.contains("node path, as always"), "{seen}");
    stage.act(&[StepInto]);
    assert!(stage.see().contains("3 requested, placed on n[0-2]"), "{}", stage.see());
    stage.act(&[StepInto]);
    assert!(stage.see().contains("taken"), "{}", stage.see());
    stage.act(&[StepOut; 3]);
    stage.act(&[StepInto]);
    assert!(stage.see().contains("reservation R5"), "the cycle ended with it\n{}", stage.see());
}

#[test]
fn a_denied_reservation_shows_which_chunk_found_no_node() {
    let mut stage = Stage::open_at(Path::new("tests/cases/topics/resv_fail"), 100, 40);
    stage.command("resv R5.svr");
    assert!(stage.see().contains("denied: "), "{}", stage.see());
    stage.act(&[Select, StepInto]);
    assert!(stage.see().contains("2 of 3 chunks placed, then no node was found"), "{}", stage.see());
}

/// Returns the page of a job, reached from the list of jobs.
fn page_of(sample: &str, job: &str) -> String {
    let mut stage = Stage::open(sample, 110, 60);
    stage.act(&[Action::View3, Select]);
    let title = format!("Job {job} ");
    for _ in 0..40 {
        let seen = stage.see();
        if seen.contains(&title) {
            return seen;
        }
        stage.act(&[NextLine]);
    }
    panic!("{job} has no page: {}", stage.see());
}

/// The page has the keys against the job directly ahead, and what would move this one before it: each change was
/// tried.
#[test]
fn the_page_of_a_job_says_what_would_move_it_ahead() {
    let seen = page_of("campus", "25");
    assert!(seen.contains("Execution priority: keys in the order used, against 24"), "{seen}");
    assert!(seen.contains("lost against") && seen.contains("24 by queued at"), "{seen}");
    assert!(
        seen.contains("ahead") && seen.contains("exchange their places (qorder 25 24) · by an operator"),
        "{seen}"
    );
    // The first of all has no one ahead.
    let first = page_of("campus", "28");
    assert!(first.contains("won against") && !first.contains("exchange their places"), "{first}");
}

/// Console.md 3.1: on very wide screens a list has the page of the row under its cursor beside it, and keys stay with
/// the list.
#[test]
fn a_very_wide_list_has_the_page_of_its_line_beside_it() {
    let beside = |stage: &mut Stage| -> String {
        let seen = stage.see();
        seen.lines().map(|line| line.chars().skip(180).collect::<String>() + "\n").collect()
    };
    let mut stage = Stage::open("campus", 300, 90);
    stage.act(&[Action::View5]);
    assert!(beside(&mut stage).contains("the whole server"), "{}", stage.see());
    stage.act(&[Action::Down]);
    let seen = beside(&mut stage);
    assert!(seen.contains(" Queue workq ") && seen.contains("All attributes"), "{seen}");
    stage.act(&[Action::Down]);
    assert!(beside(&mut stage).contains(" Queue special "));
    stage.act(&[Action::Warnings]);
    assert!(beside(&mut stage).contains(" Queue stopped "), "{}", stage.see());
    stage.act(&[Action::View3, Action::Down]);
    let seen = beside(&mut stage);
    assert!(seen.contains(" Job 2 "), "{seen}");
    stage.act(&[Action::View2, Action::Toggle]);
    assert!(beside(&mut stage).contains(" Node n"), "{}", stage.see());
    let mut stage = Stage::open("sets-8", 300, 90);
    stage.act(&[Action::View4]);
    assert!(beside(&mut stage).contains(" Set "), "{}", stage.see());
}

/// If the bitmaps of a step leave rows, the nodes over time are shown below them, as they are after that step.
#[test]
fn a_high_step_has_the_nodes_over_time_below_its_bitmaps() {
    let mut stage = Stage::open("calendar", 300, 90);
    let picture = |seen: &str| -> String {
        let below = seen.lines().skip_while(|line| !line.contains("Nodes × time, after step")).take(12);
        below.map(|line| line.chars().skip(60).take(120).collect::<String>() + "\n").collect()
    };
    // Its first step plans job 3, and job 5 has not started yet.
    let first = picture(&stage.act(&[Action::StepForward]).see());
    assert!(first.contains("after step 1") && first.contains("░") && !first.contains("▒5"), "{first}");
    let last = picture(&stage.act(&[Action::LastStep]).see());
    assert!(last.contains("after step 4") && last.contains("▒5"), "{last}");
    let mut stage = Stage::open("calendar", 120, 40);
    assert!(!stage.act(&[Action::StepForward]).see().contains("Nodes × time"), "{}", stage.see());
}

/// The table of nodes and the page of a node are about the same moment, and the page states which.
#[test]
fn a_node_has_the_amounts_of_the_table_with_a_bar_each() {
    let mut stage = Stage::open("campus", 120, 40);
    stage.act(&[Action::Palette]).type_in("node n025");
    let seen = stage.act(&[Action::Accept]).see();
    assert!(seen.contains("before the first step"), "{seen}");
    let row = |seen: &str| seen.lines().find(|line| line.contains(" in use")).unwrap().to_owned();
    assert!(
        row(&seen).contains("███") && row(&seen).contains("8 of 32 in use, 11 after this cycle"),
        "{seen}"
    );
    stage.act(&[Action::LastStep, Action::Palette]).type_in("node n025");
    let seen = stage.act(&[Action::Accept]).see();
    assert!(seen.contains("after step 23") && row(&seen).contains("11 of 32 in use "), "{seen}");
}

/// The page has the other jobs with the same request in its queue, by their outcome, and what the kept snapshots
/// state of the job.
#[test]
fn the_page_of_a_job_has_the_others_with_its_request_and_its_history() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let job = |id: usize, queue: &str, select: &str, more: &str| {
        format!(
            "[[job]]\nid = \"{id}\"\nuser = \"ann\"\nqueue = \"{queue}\"\nselect = \"{select}\"\n\
             walltime = \"01:00:00\"\n{more}\n"
        )
    };
    let runs = "started = \"-00:10:00\"\non = \"(n1:ncpus=4)\"";
    let jobs = |now: i64, state: &str| {
        let jobs = [
            job(1, "workq", "1:ncpus=4", runs),
            job(2, "workq", "1:ncpus=4", ""),
            job(3, "workq", "1:ncpus=4", ""),
            job(4, "workq", "1:ncpus=4", state),
            job(5, "other", "1:ncpus=4", ""),
            job(6, "workq", "1:ncpus=2", ""),
        ];
        let queues = "[[queue]]\nname = \"workq\"\n[[queue]]\nname = \"other\"\n";
        format!("now = {now}\n{queues}{}", jobs.concat())
    };
    put("nodes.toml", "[[node]]\nname = \"n[1-2]\"\navailable = { ncpus = 4 }\n");
    put("queue.toml", &jobs(1_763_700_000, "state = \"H\""));
    let first = crate::console_cycle::read(folder.path(), 1);
    let mut stage = Stage::empty(120, 50, first.snapshot.now);
    stage.load(first);
    for (number, now) in [(2, 1_763_700_060), (3, 1_763_700_120)] {
        put("queue.toml", &jobs(now, ""));
        stage.load(crate::console_cycle::read(folder.path(), number));
    }
    stage.command("job 4");
    let seen = stage.see();
    let below = |heading: &str, rows: usize| -> Vec<String> {
        let rest = seen.lines().skip_while(|line| !line.contains(heading)).skip(1).take(rows);
        rest.map(|line| line.trim_matches(['┃', '│', ' ', '▸']).to_owned()).collect()
    };
    let fates = below("Same request, in the same queue", 3);
    for (row, [word, jobs]) in
        fates.iter().zip([["runs", "1 job: 1"], ["starts now", "1 job: 2"], ["waits", "1 job: 3"]])
    {
        assert!(row.starts_with(word) && row.ends_with(jobs), "{fates:?}\n{seen}");
    }
    let states = below("History in 3 kept snapshots", 2);
    assert!(states[0].starts_with("04:40:00") && states[0].ends_with("held"), "{states:?}\n{seen}");
    assert!(states[1].starts_with("04:41:00") && states[1].contains("waits"), "{states:?}\n{seen}");
    stage.command("job 6");
    assert!(stage.see().contains("no other job"), "{}", stage.see());
}
