//! The words for what keeps jobs waiting, on the first screen, in Why, in Calendar and in the panes of nodes.

use qscope::console::action::Action;

use crate::console_cycle::{Stage, line};
use crate::console_faults::stage;
use Action::{AskWhy, Down, LastStep, Sort, StepForward, StepInto, View1, View2, View3, View6};

#[test]
fn the_first_screen_explains_the_numbers_of_a_reason() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 200, 60);
    let seen = stage.see();
    assert!(seen.contains("54: 5 of 16 whole nodes: 21 others carry jobs 50 51 52 53"), "{seen}");
    assert!(seen.contains("55 57 · 55: 143 of 160 ncpus: 32 more on nodes used exclusively"), "{seen}");
    assert!(seen.contains("67[2-5]: 2 of 2 subjobs: -J with %2 allows no more"), "{seen}");
    // Each of two jobs has its own dependency.
    assert!(seen.contains("63: afterok:53 · 65: afterany:53"), "{seen}");
}

#[test]
fn the_first_screen_names_whom_a_limit_counts() {
    let (_disk, mut stage) = stage("c06-limits", 200, 60);
    let seen = stage.see();
    assert!(seen.contains("97: 8 of 12 ncpus: all users together in queue small"), "{seen}");
}

#[test]
fn both_switches_of_scheduling_are_named_and_where_they_are_set() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 80, 24);
    let seen = stage.act(&[AskWhy]).see();
    assert!(
        seen.contains("! scheduling is off at the server and at scheduler default: no job starts ┃"),
        "{seen}"
    );
    assert!(
        seen.contains("set at: scheduling of server server.json:9 · of scheduler sched.txt:11 "),
        "{seen}"
    );
    // The headline counts whole nodes, and so does the last row of the conditions.
    assert!(seen.contains("◷ fragmented: 5 of 16 whole nodes, 11 short"), "{seen}");
    assert!(seen.contains("11 short   requested: 16 whole nodes"), "{seen}");
}

#[test]
fn an_answer_about_a_node_is_titled_by_its_problem_and_has_the_remedy() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 120, 40);
    let seen = stage.command("why cn025").see();
    let title = "┏ cn025: kept by job 40, not in the dump; 54 refused at whole node (excl) ━";
    assert!(seen.contains(title), "{seen}");
    assert!(seen.contains("fix: qstat -f 40; else restart pbs_server"), "{seen}");
    assert!(!seen.contains("blocked by 54"), "{seen}");
    let seen = stage.command("why cn030").see();
    assert!(seen.contains("┏ cn030: meets every condition of 54 "), "{seen}");
    let seen = stage.command("why cn020").see();
    assert!(seen.contains("┏ cn020: offline; 54 refused at up and licensed "), "{seen}");
}

#[test]
fn for_a_job_that_can_never_run_no_end_of_another_job_is_a_way() {
    let disk = tempfile::tempdir().unwrap();
    let nodes = "[[node]]\nname = \"n[1-2]\"\navailable = { ncpus = 8 }\n";
    let queue = "now = 1763700000\n[[queue]]\nname = \"workq\"\n[[job]]\nid = \"1\"\nuser = \"ann\"\n\
        select = \"1:ncpus=8\"\nwalltime = \"01:00:00\"\nstarted = \"-00:10:00\"\non = \"(n1:ncpus=8)\"\n\
        [[job]]\nid = \"2\"\nuser = \"bob\"\nselect = \"3:ncpus=4\"\nplace = \"pack\"\nwalltime = \"01:00:00\"\n";
    std::fs::write(disk.path().join("nodes.toml"), nodes).unwrap();
    std::fs::write(disk.path().join("queue.toml"), queue).unwrap();
    let mut stage = Stage::open_at(disk.path(), 120, 40);
    let seen = stage.command("why 2").see();
    assert!(seen.contains("✗ can never run: place=pack requires all 3 chunks on one host"), "{seen}");
    assert!(!seen.contains("nearest: ") && !seen.contains("would pass"), "{seen}");
    // What decides is the last condition, with its number.
    assert!(line(&seen, " on one node").contains(" 2 place=pack  chunks on one node"), "{seen}");
}

#[test]
fn rows_are_sorted_by_two_columns() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 120, 40);
    stage.act(&[View3]);
    let seen = stage.command("sort state,-ncpus").see();
    assert!(line(&seen, "┏ Jobs").contains("sort S ▴, ncpus ▾"), "{seen}");
    assert!(line(&seen, "┃ job ").contains("S▴ ncpus▾"), "{seen}");
    let place = |job: &str| seen.find(&format!(" {job} ")).unwrap();
    assert!(place("57") < place("55") && place("55") < place("54") && place("54") < place("64"), "{seen}");
    let seen = stage.command("sort state,nothing").see();
    assert!(seen.contains("no column nothing"), "{seen}");
    stage.act(&[Action::Close, Sort]);
    assert!(!line(&stage.see(), "┏ Jobs").contains(", ncpus ▾"), "{}", stage.see());
}

#[test]
fn the_calendar_has_what_leaves_the_nodes_of_the_selected_job_last() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 200, 60);
    let seen = stage.act(&[Down, Down, Down, View6]).see();
    assert!(seen.contains("before  56 until 05:33 on cn[026-031]"), "{seen}");
    assert!(seen.contains("        52 until 05:03 on cn[026-029]"), "{seen}");
    assert!(seen.contains("no top job: the calendar plans 3 jobs (54 55 56)"), "{seen}");
    let seen = stage.act(&[View1, Action::Home, View6]).see();
    assert!(seen.contains("before  51 until 02:43 on cn[009-016]"), "{seen}");
    assert!(!seen.contains("no top job"), "{seen}");
}

#[test]
fn inside_a_decision_the_nodes_of_the_bucket_stand_over_time_below_the_map() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 200, 60);
    let seen = stage.act(&[StepForward; 7]).act(&[StepInto; 4]).see();
    assert!(seen.contains("Nodes × time, after step 7"), "{seen}");
    assert!(line(&seen, "│cn030      ").contains("55░"), "{seen}");
    assert!(seen.contains("│cn[026-029] ▓52") && !seen.contains("│cn[001-008] "), "{seen}");
}

#[test]
fn a_cell_of_several_nodes_has_their_jobs_sets_and_bucket() {
    let mut stage = Stage::open("sets-36-sorted", 120, 40);
    let seen = stage.act(&[StepForward, View2, Action::More]).see();
    assert!(seen.contains("Cell under the cursor: "), "{seen}");
    assert!(line(&seen, "│ bucket ").contains("ncpus="), "{seen}");
    assert!(line(&seen, "│ sets ").contains("switch="), "{seen}");
    let seen = stage.act(&[LastStep]).see();
    assert!(seen.contains("│ jobs   "), "{seen}");
}
