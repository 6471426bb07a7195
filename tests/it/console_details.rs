//! Words, signs and keys of single panes, on the dumps of live servers and on small clusters.

use qscope::console::action::Action;

use crate::console_cycle::{Stage, line};
use crate::console_faults::stage;
use Action::{
    Accept, AskWhy, Down, End, Filter, NextPane, Select, StepForward, StepInto, Toggle, ToggleMap, View2,
    View6, View8,
};

/// A small cluster.
fn cluster(nodes: &str, queue: &str, width: u16, height: u16) -> Stage {
    let disk = tempfile::tempdir().unwrap();
    std::fs::write(disk.path().join("nodes.toml"), nodes).unwrap();
    std::fs::write(disk.path().join("queue.toml"), format!("now = 1763700000\n{queue}")).unwrap();
    Stage::open_at(disk.path(), width, height)
}

/// Inside the decision on job 60, whose chunks are searched in three buckets.
fn inside_60(width: u16, height: u16) -> (tempfile::TempDir, Stage) {
    let (disk, mut stage) = stage("c04-calendar-strict", width, height);
    stage.act(&[StepForward; 7]).act(&[StepInto; 3]);
    (disk, stage)
}

#[test]
fn nodes_of_a_bucket_have_the_condition_that_they_fail_and_what_was_found() {
    let (_disk, mut stage) = inside_60(80, 24);
    let seen = stage.act(&[StepInto]).see();
    assert!(line(&seen, " node ").contains("condition") && line(&seen, " node ").contains("found"), "{seen}");
    let (kept, busy) = (line(&seen, " cn025 "), line(&seen, " cn026 "));
    assert!(kept.contains('✗') && kept.contains("whole node (excl)"), "{seen}");
    assert!(kept.contains("kept by job 40, not in the dump"), "{seen}");
    assert!(busy.contains('✗') && busy.contains("ncpus ≥ 4 left"), "{seen}");
    assert!(busy.contains("0 left of 32"), "{seen}");
    // The cursor is on the first node that was examined and refused.
    assert!(line(&seen, "▸").contains("cn030") && seen.contains("┃ asks    4"), "{seen}");
    assert!(line(&seen, "stops").contains("planned\u{a0}for\u{a0}55"), "{seen}");
    assert!(line(&seen, "would ").contains("walltime ≤ 1h39"), "{seen}");
}

#[test]
fn enter_on_a_node_in_a_decision_opens_its_page() {
    let (_disk, mut stage) = inside_60(80, 24);
    stage.act(&[StepInto]);
    assert!(stage.act(&[Select]).see().contains("┏ Node cn030 "), "{}", stage.see());
}

#[test]
fn a_message_leaves_the_corner_of_a_pane() {
    let (_disk, mut stage) = inside_60(80, 24);
    let seen = stage.act(&[StepInto, StepInto]).see();
    assert!(line(&seen, "innermost level; o steps out").ends_with("o steps out ┛"), "{seen}");
}

#[test]
fn the_numbers_of_a_bucket_are_also_a_sentence_and_buckets_of_other_queues_are_named() {
    let (_disk, mut stage) = inside_60(80, 24);
    let seen = stage.see();
    assert!(line(&seen, "queue=special").contains(" - "), "{seen}");
    assert!(seen.contains("each node holds 1 chunk; 3 of 8 left (free or later); 1 taken; 2 soon"), "{seen}");
    for _ in 0..3 {
        stage.act(&[Down]);
    }
    assert!(stage.see().contains("not for queue workq"), "{}", stage.see());
}

#[test]
fn a_decision_names_buckets_without_what_all_have_in_common() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 80, 24);
    let seen = stage.act(&[StepForward; 3]).see();
    assert!(seen.contains("priority=10 ncpus=16 gpu=False: does not match: ngpus 4 requested"), "{seen}");
    assert!(!seen.contains("gpu=False accelerator=False:"), "{seen}");
    // The bits keep a blank from the border.
    assert!(line(&seen, "◇█").ends_with("◇█ │"), "{seen}");
}

#[test]
fn full_nodes_are_one_dot_everywhere() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 200, 60);
    let seen = stage.act(&[StepForward; 5]).see();
    assert!(!seen.contains('∙') && line(&seen, "◆◆").contains("·········◆◆"), "{seen}");
}

#[test]
fn a_map_says_what_its_counts_are() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 120, 40);
    let seen = stage.act(&[StepForward; 5]).see();
    assert!(line(&seen, "1 node a cell").contains("n/m: free of all"), "{seen}");
}

#[test]
fn a_level_on_a_screen_of_120_columns_has_room_for_what_was_found() {
    let (_disk, mut stage) = inside_60(120, 40);
    let seen = stage.act(&[StepInto]).see();
    assert!(seen.contains("┏ Nodes of this bucket ━"), "shortened at a comma: {seen}");
    assert!(line(&seen, "▸").contains("free until its end planned for 55 from 03:43:26"), "{seen}");
    assert!(line(&seen, "✗ cn025 ").contains("kept by job 40, not in the dump"), "{seen}");
}

#[test]
fn a_running_job_has_no_decision_to_step_into() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 80, 24);
    let before = stage.act(&[End]).see();
    let seen = stage.act(&[StepInto]).see();
    assert!(seen.contains("52 runs already: no decision in this cycle"), "{seen}");
    assert_eq!(before.lines().next(), seen.lines().next());
    let seen = stage.act(&[StepForward, End]).see();
    assert!(seen.contains("Running · 52") && seen.contains("4×ncpus=32  scatter:excl  queue"), "{seen}");
}

#[test]
fn a_node_page_names_a_condition_as_every_other_screen_does() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 200, 60);
    let seen = stage.command("node cn025").see();
    assert!(seen.contains("whole node (excl): kept by job 40, not in the dump: 54 56 57 60"), "{seen}");
    assert!(!seen.contains("sharing: not taken whole"), "{seen}");
}

#[test]
fn nodes_out_of_service_fit_no_chunk() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 80, 24);
    let seen = stage.command("job 54").see();
    assert!(line(&seen, "chunk ").contains("fits 27 of 28 nodes when free, 5 now"), "{seen}");
    let seen = stage.act(&[View8]).see();
    assert!(seen.contains("27 nodes could hold a chunk"), "{seen}");
    assert!(seen.contains("143 left of 560 on 27 nodes that it may use"), "{seen}");
}

#[test]
fn table_and_map_draw_one_share_of_a_node() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 80, 24);
    let seen = stage.act(&[View2, Toggle]).see();
    assert!(line(&seen, " cn017 ").contains("▇ part"), "{seen}");
    let (_disk, mut stage) = self::stage("c06-limits", 80, 24);
    let seen = stage.act(&[View2, Toggle]).see();
    assert!(line(&seen, "cn001 ").contains("▇ part"), "{seen}");
    assert!(line(&seen, " cn025 ").contains("▁ part"), "{seen}");
}

#[test]
fn who_has_a_whole_node_is_not_cut_in_a_small_table() {
    let (_disk, mut stage) = stage("c08-suspended-present", 80, 24);
    let seen = stage.act(&[View2, Toggle]).see();
    assert!(line(&seen, " cn004 ").contains("whole: 111"), "{seen}");
}

#[test]
fn rows_of_the_calendar_open_only_while_all_fit() {
    let (_disk, mut stage) = stage("c08-suspended-present", 120, 40);
    let seen = stage.act(&[View6]).see();
    assert!(!seen.contains("more rows below"), "{seen}");
    assert!(seen.contains("┃ cn[030-031] ") && seen.contains("┃ cn032 "), "{seen}");
}

#[test]
fn the_calendar_names_its_rows_before_its_times() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 80, 24);
    let seen = stage.act(&[View6, ToggleMap]).see();
    assert!(seen.contains("┏ Calendar by bucket · after this cycle"), "{seen}");
}

#[test]
fn a_filtered_map_counts_what_is_shown() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 80, 24);
    let seen = stage.act(&[View2, Filter]).type_in("state=free").act(&[Accept]).see();
    assert!(line(&seen, "┃ ncpus=16").contains("of 11 shown"), "{seen}");
}

#[test]
fn a_set_page_counts_after_the_cycle_what_may_start_after_it() {
    let (_disk, mut stage) = stage("c02-psets", 80, 24);
    let seen = stage.command("set switch=sw4").see();
    assert!(seen.contains("it has enough left · ") && !seen.contains("enough now"), "{seen}");
}

#[test]
fn why_is_offered_where_a_job_or_node_is_meant() {
    let (_disk, mut stage) = stage("c02-psets", 80, 24);
    let seen = stage.command("set switch=sw4").see();
    assert!(!line(&seen, "? more").contains("a why"), "{seen}");
    // The list of its nodes has one under the cursor.
    stage.act(&[NextPane]);
    assert!(line(&stage.see(), "? more").contains("a why"), "{}", stage.see());
    let seen = stage.act(&[AskWhy]).see();
    assert!(line(&seen, "┏ ").contains("cn025"), "{seen}");
}

#[test]
fn a_bucket_page_lists_the_jobs_that_may_use_its_nodes() {
    let (_disk, mut stage) = stage("c05-reservations", 80, 24);
    let seen = stage.command("bucket ncpus=16:accelerator=False:gpu=False").see();
    assert!(seen.contains("a chunk fits an empty node of it · 1") && !seen.contains("┃ 77 "), "{seen}");
}

#[test]
fn enter_on_a_cell_of_several_nodes_has_one_word() {
    let nodes = "[[node]]\nname = \"n[1-4000]\"\navailable = { ncpus = 8 }\n";
    let mut stage = cluster(nodes, "", 80, 24);
    let seen = stage.act(&[View2]).see();
    assert!(line(&seen, "? more").contains("Enter zoom in"), "{seen}");
}

#[test]
fn the_legend_ends_with_a_whole_word() {
    let (_disk, mut stage) = stage("c13-odd", 80, 24);
    let seen = stage.act(&[View2]).see();
    let legend = line(&seen, "columns: ");
    assert!(!legend.replace("▁…▇", "").contains('…'), "{seen}");
}
