//! Screens on the dumps of a live scheduler: pages, tables, filters and answers agree on a job.

use std::path::Path;

use qscope::console::action::Action;
use qscope::console::views::ViewName;

use crate::console_cycle::{Stage, line, read};
use crate::console_faults::stage;
use Action::{Back, End, View2, View3, View5};

/// The number of rows that a filter of the jobs keeps.
fn kept(stage: &mut Stage, filter: &str) -> String {
    stage.act(&[View3]);
    let seen = stage.command(&format!("filter {filter}")).see();
    let title = seen.lines().find(|line| line.contains("┏ Jobs")).unwrap_or_else(|| panic!("{seen}"));
    title.rsplit("filter").next().unwrap().to_owned()
}

/// A subjob that starts does not wait for what the rest of its array waits for; the rest does.
#[test]
fn the_page_of_a_subjob_is_about_the_subjob() {
    let (_root, mut stage) = stage("c04-calendar-strict", 80, 40);
    let seen = stage.command("job 67[0]").see();
    assert!(line(&seen, "┏ Job 67[0]").contains(" run · a: why"), "{seen}");
    assert!(line(&seen, "┃ starts ").contains("now on cn030") && !seen.contains("max_run_subjobs"), "{seen}");
    let seen = stage.command("job 67[3]").see();
    assert!(line(&seen, "┏ Job 67[3]").contains(" wait · limit max_run_subjobs "), "{seen}");
    assert!(line(&seen, "┃ reason ").contains("limit max_run_subjobs: 2 of 2 subjobs"), "{seen}");
    assert!(!seen.contains("by running the cycle") && !seen.contains("not considered"), "{seen}");
}

/// What an array asks for in all is that of all its subjobs, and little is not nothing.
#[test]
fn the_total_of_an_array_names_its_subjobs() {
    let (_root, mut stage) = stage("c06-limits", 80, 40);
    let seen = stage.command("job 105[]").see();
    assert!(
        line(&seen, "┃ total ").contains("1 ncpus in 1 chunk each · 0.7 core-hours for 8 subjobs"),
        "{seen}"
    );
    let seen = stage.command("job 105[1]").see();
    assert!(line(&seen, "┃ total ").contains("1 ncpus in 1 chunk · 0.1 core-hours"), "{seen}");
    let found = kept(&mut stage, "job=105");
    assert!(found.contains("2 of 21"), "{found}");
}

/// A snapshot that arrives while a page is open is analysed for it.
#[test]
fn an_open_page_has_the_reasons_of_a_new_snapshot() {
    let (root, mut stage) = stage("c06-limits", 80, 40);
    for (number, page) in [(2, "job 92"), (3, "queue small")] {
        let seen = stage.command(page).see();
        assert!(!seen.contains('≈'), "{seen}");
        stage.load(read(&root.path().join("before"), number));
        let seen = stage.see();
        assert_eq!(stage.app.view(), ViewName::Page, "{seen}");
        assert!(!seen.contains('≈') && seen.contains(" limit max_run"), "{seen}");
    }
    stage.act(&[View5]);
    stage.load(read(&root.path().join("before"), 4));
    assert!(!stage.see().contains('≈'), "{}", stage.see());
}

#[test]
fn the_page_of_a_job_has_the_start_that_was_computed_forward() {
    let (_root, mut stage) = stage("c06-limits", 80, 40);
    let seen = stage.command("job 92").see();
    assert!(line(&seen, "┃ starts ").contains("~ 02:25:17 by running the cycle forward"), "{seen}");
}

#[test]
fn the_column_of_tiers_has_that_of_the_reason_in_its_row() {
    let (_root, mut stage) = stage("c04-calendar-strict", 160, 40);
    stage.act(&[View3]).command("columns +tier");
    let seen = stage.see();
    for (reason, tier) in [("insufficient ngpus", " short"), (" 60 ", " order "), (" 54 ", " fragmented ")] {
        let row = line(&seen, reason);
        assert!(row.matches(tier.trim()).count() >= if tier == " short" { 1 } else { 2 }, "{row}\n{seen}");
    }
}

/// A rule has one name in columns, filters and answers; nodes are folded; moments are read as
/// tables show them.
#[test]
fn a_filter_reads_the_words_of_the_columns() {
    let (_root, mut stage) = stage("c04-calendar-strict", 160, 40);
    stage.act(&[View3]).command("columns +rule +node");
    let seen = stage.see();
    assert!(line(&seen, " 54 ").contains(" all-nodes-check "), "{seen}");
    assert!(!seen.contains("cn018,cn019"), "{seen}");
    let by_path = kept(&mut stage, "path_rule=bucket-excl");
    assert!(by_path.contains("5 of 25"), "{by_path}");
    let by_rule = kept(&mut stage, "rule=all-nodes-check");
    assert!(by_rule.contains("3 of 25"), "{by_rule}");
    let by_start = kept(&mut stage, "start<02:45");
    assert!(by_start.contains("1 of 25"), "{by_start}");
    stage.command("filter rule=nothing");
    assert!(stage.see().contains("rule has no value nothing"), "{}", stage.see());
}

/// The server gives no nodes to a job whose start it refuses.
#[test]
fn a_refused_job_has_no_node() {
    let (_root, mut stage) = stage("c02-psets", 160, 40);
    stage.act(&[View3]).command("columns +node +tier");
    let seen = stage.see();
    let row = line(&seen, "refused by server");
    assert!(!row.contains("cn025") && !row.contains("cn[025"), "{row}\n{seen}");
}

#[test]
fn nodes_are_sorted_by_the_amount_shown() {
    let (_root, mut stage) = stage("c04-calendar-strict", 80, 40);
    stage.act(&[View2, Action::Toggle]).command("sort -ncpus");
    let seen = stage.see();
    let first = seen.lines().find(|line| line.starts_with('┃') && line.contains("cn0")).unwrap();
    assert!(first.contains(" 32/32 "), "{seen}");
}

/// Once a node is free it has all its amounts, so a smaller request is no part of the remedy.
#[test]
fn what_a_node_would_pass_with_does_not_contradict_itself() {
    let (_root, mut stage) = stage("c08-suspended-present", 80, 40);
    let seen = stage.command("node cn001").see();
    assert!(
        seen.contains("Conditions for a chunk of 108 after this cycle (1 × vnode=cn001:ncpus=16)"),
        "{seen}"
    );
    assert!(seen.contains("would pass if 113, 114 all ended (02:15)"), "{seen}");
}

#[test]
fn the_page_of_a_suspended_job_says_so() {
    let (_root, mut stage) = stage("c08-suspended-present", 80, 40);
    let seen = stage.command("job 108").see();
    assert!(line(&seen, "┃ suspended ").contains("resumes only where it was, on cn[001-019,025]"), "{seen}");
}

/// A value that rises with time is not below its threshold for ever.
#[test]
fn a_job_below_a_threshold_that_it_approaches_may_start_later() {
    let (_root, mut stage) = stage("c10-formula", 100, 60);
    let seen = stage.command("why 123").see();
    let words = "not before the last event (02:25:57): its formula value changes with eligible_time";
    assert!(seen.contains(words) && !seen.contains("never, as configured"), "{seen}");
}

/// The answer about a job that leaves stays with it until another one is asked for.
#[test]
fn an_answer_does_not_turn_to_another_job() {
    let folder = tempfile::tempdir().unwrap();
    let jobs = |ids: &[u32]| {
        let job = |id: &u32| {
            format!(
                "[[job]]\nid = \"{id}\"\nuser = \"ann\"\nselect = \"9:ncpus=1\"\nplace = \"scatter\"\nwalltime = \"01:00:00\"\n"
            )
        };
        let now = 1_763_700_000 + i64::try_from(ids.len()).unwrap();
        format!("now = {now}\n{}", ids.iter().map(job).collect::<String>())
    };
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    put("nodes.toml", "[[node]]\nname = \"n[1-2]\"\navailable = { ncpus = 4 }\n");
    put("queue.toml", &jobs(&[1, 2, 3]));
    let first = read(folder.path(), 1);
    let mut stage = Stage::empty(80, 24, first.snapshot.now);
    stage.load(first);
    stage.command("why 2");
    assert!(stage.see().contains("Why 2 does not run"), "{}", stage.see());
    put("queue.toml", &jobs(&[1, 3]));
    for number in [2, 3] {
        stage.load(read(folder.path(), number));
        let seen = stage.see();
        assert!(seen.contains("2 is not in this snapshot; last seen 04:40:03"), "{seen}");
    }
    stage.act(&[View3, Back]);
    assert!(stage.see().contains("2 is not in this snapshot"), "{}", stage.see());
    // Another one is explained when it is asked for, and the job itself when it is there again.
    let seen = stage.command("why 3").see();
    assert!(seen.contains("Why 3 does not run"), "{seen}");
    stage.act(&[Back]);
    assert!(stage.see().contains("2 is not in this snapshot"), "{}", stage.see());
    put("queue.toml", &jobs(&[1, 2, 3]));
    stage.load(read(folder.path(), 4));
    assert!(stage.see().contains("Why 2 does not run"), "{}", stage.see());
}

/// A job of a stopped queue is not considered, in every count and filter, also if it could never run.
#[test]
fn what_a_stopped_queue_keeps_out_is_not_considered() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    put("nodes.toml", "[[node]]\nname = \"n1\"\navailable = { ncpus = 4 }\n");
    put(
        "queue.toml",
        "now = 1763700000\n[[queue]]\nname = \"q1\"\nstarted = false\n[[queue]]\nname = \"workq\"\n\
         [[job]]\nid = \"1\"\nqueue = \"q1\"\nselect = \"1:ncpus=64\"\n\
         [[job]]\nid = \"2\"\nqueue = \"workq\"\nselect = \"1:ncpus=64\"\n",
    );
    let mut stage = Stage::open_at(folder.path(), 100, 30);
    let seen = stage.act(&[View3]).see();
    assert!(seen.contains("Jobs · 2 · 0 running 1 wait 1 not considered 0 start"), "{seen}");
    let never = kept(&mut stage, "verdict=never");
    assert!(never.contains("1 of 2"), "{never}");
    let seen = stage.command("job 1").see();
    assert!(line(&seen, "┏ Job 1 ").contains(" skip · stopped"), "{seen}");
    assert!(line(&seen, "┃ asks ").contains(" · no walltime"), "{seen}");
    assert!(line(&seen, "┃ total ").contains("64.0 core-hours, as if it ran 1h00"), "{seen}");
}

/// A bucket's name is no id with a server.
#[test]
fn the_name_of_a_bucket_is_not_cut_at_a_point() {
    let mut stage = Stage::open("campus", 100, 40);
    stage.command("node n012").act(&[End]);
    let seen = stage.see();
    let border = line(&seen, "Enter: bucket ");
    assert!(border.contains("bucket bw=2.25 ") && border.contains("… · h l: choose"), "{seen}");
}

#[test]
fn a_chunk_that_names_a_host_fits_that_one() {
    let mut stage = Stage::open("campus", 100, 40);
    for job in [10, 11] {
        let seen = stage.command(&format!("job {job}")).see();
        assert!(line(&seen, "┃ chunk ").contains(" fits 1 of 28 nodes when free"), "{seen}");
    }
}

#[test]
fn a_command_without_its_form_names_the_forms() {
    let mut stage = Stage::open("campus", 100, 40);
    let seen = stage.command("export").see();
    assert!(seen.contains("a form is needed: "), "{seen}");
}

/// The moment of the newest snapshot has a word.
#[test]
fn now_is_a_time() {
    let mut stage = Stage::open("campus", 100, 40);
    let seen = stage.command("at now").see();
    assert!(!seen.contains("a time is"), "{seen}");
}

/// The place without the sort key is not called after a day.
#[test]
fn the_place_without_the_sort_key_is_named() {
    let mut stage = Stage::open_at(Path::new("samples/sets-8-sorted"), 120, 40);
    let seen = stage.act(&[Action::View4]).see();
    assert!(seen.contains("without: place without the sort key") && !seen.contains(" today"), "{seen}");
    assert!(seen.contains("· without the key "), "{seen}");
}

/// Every decision has the id of a rule: in the column, on a node inside a decision, and in the help.
#[test]
fn what_stops_a_job_or_a_node_has_the_id_of_its_rule() {
    let (_root, mut stage) = stage("c06-limits", 160, 40);
    stage.act(&[View3]).command("columns +rule +path_rule");
    let seen = stage.see();
    for (job, rule) in [(" 97 ", " limits-check "), (" 92 ", " class-failed "), (" 89 ", " not-exclusive ")] {
        let row = line(&seen, job);
        assert!(row.contains(rule), "{job}{rule}: {row}\n{seen}");
    }
    let held = kept(&mut stage, "rule=jobs-considered");
    assert!(!held.contains("0 of"), "{held}");
    let (_root, mut stage) = self::stage("c04-calendar-strict", 100, 40);
    stage.command("step 7").act(&[Action::StepInto, Action::StepInto, Action::StepInto, Action::StepInto]);
    // The last node of the bucket passes.
    let seen = stage.act(&[End, Action::Up]).see();
    assert!(seen.contains("rule    node-until-end "), "{seen}");
    stage.act(&[Action::Help, Action::Filter]).type_in("rule");
    assert!(stage.see().contains("What stopped a job"), "{}", stage.see());
}

/// A set that was tried is found, whether or not it held the job.
#[test]
fn a_breakpoint_stops_where_a_set_was_tried() {
    let (_root, mut stage) = stage("c02-psets", 100, 30);
    let hits = |stage: &mut Stage, text: &str| {
        let seen = stage.command(&format!("break {text}")).see();
        let words = line(&seen, "breakpoint set; ").split_once("set; ").unwrap().1;
        words.split(' ').next().unwrap().parse::<usize>().unwrap()
    };
    let (given, tried) = (hits(&mut stage, "set=switch=sw2"), hits(&mut stage, "set=switch=sw2 tried"));
    assert!(tried > given && given > 0, "{given} {tried}");
}

/// What neither the sentence nor the objects of a cause name has its line, too.
#[test]
fn server_resources_and_spanning_have_their_lines() {
    let (_root, mut stage) = stage("c01-buckets-mix", 120, 40);
    let seen = stage.command("why 27").see();
    assert!(seen.contains("resources_available.lic_cfd server.json:18"), "{seen}");
    let mut stage = Stage::open_at(Path::new("samples/sets-8"), 100, 40);
    let seen = stage.command("why 5").see();
    assert!(seen.contains("do_not_span_psets policy.toml:6 · node_group_key policy.toml:3"), "{seen}");
    let mut stage = Stage::open_at(Path::new("samples/why"), 100, 40);
    let seen = stage.command("why 14").see();
    assert!(seen.contains("max_run queue.toml:11"), "{seen}");
    let seen = stage.command("job 13").see();
    assert!(!seen.contains("no dump has a record"), "{seen}");
}

/// A job under the threshold has its formula too, part by part.
#[test]
fn a_job_under_the_threshold_has_its_priority() {
    let (_root, mut stage) = stage("c10-formula", 100, 50);
    let seen = stage.command("job 123").see();
    assert!(seen.contains("Execution priority: keys in the order used, against 125"), "{seen}");
    for words in ["ncpus*2: 128 against 60", "job_priority: -1000 against 0", "ncpus: 64 against 30"] {
        assert!(seen.contains(words), "{words}\n{seen}");
    }
    assert!(seen.contains("125: only it was ready"), "{seen}");
}

/// The attributes of a snapshot are those of its time: a file that was written again has none of them.
#[test]
fn attributes_are_never_those_of_another_snapshot() {
    let (root, mut stage) = stage("c04-calendar-strict", 100, 50);
    let (before, after) = (root.path().join("before"), root.path().join("after"));
    assert!(stage.command("job 58").see().contains("jobs-t.json, record"), "{}", stage.see());
    for file in std::fs::read_dir(&after).unwrap().map(|file| file.unwrap().file_name()) {
        std::fs::copy(after.join(&file), before.join(&file)).unwrap();
    }
    stage.load(read(&before, 2));
    let seen = stage.act(&[Action::OlderSnapshot]).command("job 58").see();
    assert!(seen.contains("BACK 1 of 2") && seen.contains("was written again since this snapshot"), "{seen}");
}

/// A node that lists a job which waits by the job dump is described alike in the calendar and in the problems.
#[test]
fn a_job_that_is_listed_and_waits_is_in_the_job_dump() {
    let (root, _stage) = stage("c04-calendar-strict", 100, 30);
    let (before, after) = (root.path().join("before"), root.path().join("after"));
    std::fs::copy(after.join("nodes.json"), before.join("nodes.json")).unwrap();
    let mut stage = Stage::open_at(&before, 100, 30);
    let seen = stage.act(&[Action::View6]).see();
    assert!(seen.contains("taken by job 58, Q in the job dump"), "{seen}");
    assert!(!seen.contains("58, not in the job dump"), "{seen}");
}
