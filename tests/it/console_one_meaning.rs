//! Names, counts and words that have one meaning: of nodes lost, causes, arrays, columns and moments.

use std::path::Path;
use std::process::Command;

use qscope::console::action::Action;

use crate::console_cycle::{Stage, line};
use crate::console_faults::stage;
use Action::{Down, StepForward};

/// Returns what the program prints about a folder.
fn printed(command: &str, folder: &Path) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_qscope"));
    let output = program.arg(command).arg(folder).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_node_that_is_not_there_has_the_nearest_by_number() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 100, 24);
    for typed in ["cn2", "node cn2"] {
        let seen = stage.command(typed).see();
        assert!(seen.contains("command named cn2; nearest: cn002, cn001"), "{seen}");
        stage.act(&[Action::Close]);
    }
}

#[test]
fn causes_of_lost_nodes_have_their_numbers_of_nodes() {
    let (_disk, mut stage) = stage("c01-buckets-mix", 300, 60);
    let seen = stage.command("why 16").see();
    let lost = line(&seen, "−25 2 ncpus");
    assert!(
        lost.contains(
            "0 left on 16: jobs 2 6 4 1 +1 · 8 left on 3: jobs 5 8 · 24 left on 3: jobs 3 5 · other on 3  cn["
        ),
        "{seen}"
    );
    // The only cause has the number of the row, and a job is named once.
    assert!(line(&seen, "−4 1 queue").contains("  queue special"), "{seen}");
    let (_disk, mut stage) = self::stage("c04-calendar-strict", 300, 60);
    let seen = stage.command("why 54").see();
    assert!(
        line(&seen, "whole node (excl)")
            .contains("in use on 1: job 53 · kept by job 40, not in the dump, on 1  "),
        "{seen}"
    );
}

#[test]
fn a_comment_of_another_moment_says_that_its_numbers_differ() {
    let mut stage = Stage::open("why", 160, 40);
    let seen = stage.command("why 12").see();
    assert!(seen.contains("PBS comment · agrees, other numbers: Not Running"), "{seen}");
}

#[test]
fn a_heading_that_a_filter_finds_keeps_its_section() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 100, 30);
    stage.command("why 54").act(&[Action::Filter]);
    let seen = stage.type_in("decision").see();
    assert!(seen.contains("The decision, stage by stage") && seen.contains("✓ eligible"), "{seen}");
    assert!(!seen.contains("Blocked by"), "{seen}");
}

#[test]
fn the_box_of_columns_describes_each_field() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 100, 30);
    let seen = stage.act(&[Action::View3, Action::Columns]).see();
    assert!(seen.contains("its id, with or without the server"), "{seen}");
    assert!(stage.act(&[Down]).see().contains("┃its user "), "{}", stage.see());
}

#[test]
fn a_job_that_only_the_bucket_path_cannot_place_has_that_in_the_headline() {
    let mut stage = Stage::open("chunks-12-24", 200, 60);
    let seen = stage.command("why 2").see();
    assert!(seen.contains("finds no place by the bucket path, even on the empty cluster"), "{seen}");
    assert!(seen.contains("- shared, it would take the node path and fit"), "{seen}");
}

#[test]
fn a_chunk_counts_the_nodes_out_of_service_apart() {
    let (_disk, mut stage) = stage("c10-formula", 100, 40);
    let seen = stage.command("job 126").see();
    let chunk = line(&seen, " chunk ");
    assert!(chunk.contains("fits 27 of 28 nodes when free, 27 now; it would fit 1 out of service"), "{seen}");
}

#[test]
fn the_line_below_a_difference_stands_below_the_names() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 120, 40);
    let seen = stage.act(&[Action::Changes, Action::End]).see();
    assert!(seen.lines().any(|line| line.starts_with("┃ cn") && line.contains(" → ")), "{seen}");
    assert!(!seen.contains(" -> "), "{seen}");
}

#[test]
fn neighbours_beyond_the_ends_are_counted() {
    let (_disk, mut stage) = stage("c14-multivnode-hosts", 120, 40);
    let seen = stage.command("node nv0[0]").see();
    assert!(line(&seen, "[▅]").contains("█…  nv0[0-3] nv1[0-3] nv2[0-3] nv3[0-3] +16"), "{seen}");
}

#[test]
fn numbers_on_the_map_of_a_set_are_in_its_legend() {
    let (_disk, mut stage) = stage("c02-psets", 200, 60);
    let seen = stage.act(&[StepForward; 3]).act(&[Action::StepInto; 2]).see();
    assert!(seen.contains("···11111") && seen.contains("1-9: for that chunk"), "{seen}");
}

#[test]
fn a_set_has_as_many_chunks_in_the_decision_as_in_pools() {
    let (_disk, mut stage) = stage("c02-psets", 200, 60);
    let pools = stage.act(&[StepForward; 6]).act(&[Action::View4]).see();
    let (_disk, mut stage) = crate::console_faults::stage("c02-psets", 200, 60);
    let decision = stage.act(&[StepForward; 6]).act(&[Action::StepInto; 2]).see();
    for (set, chunks) in [("switch=sw3", "5 of 12 chunks"), ("router=r1", "10 of 12 chunks")] {
        assert!(line(&pools, set).contains(chunks), "{pools}");
        assert!(line(&decision, set).contains(chunks), "{decision}");
    }
}

#[test]
fn a_what_if_that_is_stepped_has_its_step() {
    let (_disk, mut stage) = stage("c04-calendar-strict", 80, 24);
    stage.command("set strict_ordering=False").act(&[Action::LookInto, StepForward]);
    assert!(stage.see().contains(" WHAT-IF 1 STEP 1/19 "), "{}", stage.see());
}

#[test]
fn the_board_of_the_program_names_a_job_only_in_the_sentence() {
    let real = crate::real::named("c04-calendar-strict").on_disk();
    let text = printed("board", &real.path().join("before"));
    assert!(text.contains("fragmented: 16 chunks need") && text.contains("  order: job 60: "), "{text}");
}

/// A job that can never run either way is not changed by a quirk that only changes the scheduler's comment.
#[test]
fn a_quirk_changes_no_job_that_can_never_run_either_way() {
    let text = printed("quirks", &Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/sets-8"));
    assert!(text.contains("  4: starts by the bucket path"), "{text}");
    assert!(!text.contains("  5: "), "{text}");
}
