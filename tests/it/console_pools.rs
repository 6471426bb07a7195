//! The view of placement sets: the tree in the order tried, today's order beside it, and the result for each set.

use qscope::console::action::Action::{Close, Down, End, Home, Left, PageUp, Right, StepForward, Up};
use qscope::console::views::ViewName;

use super::console_cycle::Stage;
use super::console_views::open;

fn pools(sample: &str, width: u16, height: u16) -> Stage {
    let mut stage = Stage::open(sample, width, height);
    open(&mut stage, ViewName::Pools);
    stage
}

/// Checks that the screen shows all of these words.
fn shows(stage: &mut Stage, words: &[&str]) {
    let seen = stage.see();
    for word in words {
        assert!(seen.contains(word), "no `{word}` in\n{seen}");
    }
}

#[test]
fn combined_sets_stand_below_their_first_value() {
    let mut stage = pools("sets-36-sorted", 80, 24);
    shows(
        &mut stage,
        &[
            "24 sets",
            "try without set",
            "17  2 ▲1   - router=rt4 ",
            " 1 new         switch=sw1 ",
            " 4 new         switch=sw4 █████",
            "✓ taken",
        ],
    );
    stage.act(&[End]);
    shows(&mut stage, &["24  8 =      switch=sw4 "]);
    let seen = pools("sets-36-sorted", 80, 60).see();
    for router in 1..=4 {
        let router = format!("- router=rt{router} ");
        let below: Vec<&str> =
            seen.lines().skip_while(|line| !line.contains(&router)).skip(1).take(4).collect();
        for switch in 1..=4 {
            let switch = format!(" switch=sw{switch} ");
            assert!(below.iter().any(|line| line.contains(" new ") && line.contains(&switch)), "{seen}");
        }
    }
}

#[test]
fn families_fold_and_unfold() {
    let mut stage = pools("sets-36-sorted", 80, 24);
    // Left on a set folds what stands below it; left on one of those leads up first.
    stage.act(&[Left, Down, Down, Left, Left, Down, Left, Down, Left]);
    shows(
        &mut stage,
        &["+ router=rt4 (4)", "+ router=rt3 (4)", "+ router=rt2 (4)", "+ router=rt1 (4)", " switch=sw4 "],
    );
    assert!(!stage.see().contains(" 1 new "), "{}", stage.see());
    stage.act(&[Home, Down, Right]);
    shows(&mut stage, &["- router=rt4 ", " 1 new         switch=sw1 "]);
}

#[test]
fn nodes_that_the_step_took_are_marked_in_each_of_their_sets() {
    let mut stage = pools("sets-36-sorted", 80, 24);
    stage.act(&[StepForward]);
    shows(&mut stage, &[" 4 new         switch=sw4 ◆◆◆◆◆", "- router=rt4   ██◆◆◆◆█◆", "◆ taken  count: PBS"]);
    shows(&mut stage, &["tried 4th of 24 · no set without the key", "20 of 32 assigned; PBS counts 8"]);
}

#[test]
fn todays_order_stands_beside_on_wide_screens() {
    let mut stage = pools("sets-36-sorted", 200, 60);
    stage.act(&[StepForward, StepForward]);
    shows(
        &mut stage,
        &[
            "Without node_group_sort_key",
            "8 sets",
            "job 2 took",
            " router=rt1 ",
            "    switch=sw1 ",
            " switch=sw4 ",
        ],
    );
}

#[test]
fn nothing_of_a_set_is_cut_on_a_small_screen() {
    for sample in ["sets-36-sorted", "sets-8-sorted", "sets-36"] {
        let mut stage = pools(sample, 80, 24);
        for _ in 0..4 {
            let seen = stage.see();
            // Above it are the alerts, below it the set under the cursor and the keys.
            let table: Vec<&str> = seen.lines().skip_while(|line| !line.contains("Sets ")).take(15).collect();
            assert!(table.len() == 15 && table.iter().all(|line| !line.contains('…')), "{sample}\n{seen}");
            stage.act(&[StepForward]);
        }
    }
}

#[test]
fn the_head_of_a_pool_shows_how_its_free_nodes_lie() {
    let mut stage = pools("sets-36-sorted", 80, 24);
    stage.act(&[Up]);
    shows(
        &mut stage,
        &[
            "Free nodes of the pool of server",
            "36 of 36 nodes free; the most in one set: 21 in switch=sw4",
            "in one set  sets or not  of no use",
            "no node is stranded: each helps job 2, the smallest that waits (4+ nodes)",
        ],
    );
    stage.act(&[StepForward; 6]);
    let seen = stage.see();
    let row = seen.lines().find(|line| line.contains("│     8 ")).unwrap();
    assert!(row.ends_with("█·················           1            2          4 │"), "{seen}");
    stage.act(&[Down]);
    shows(&mut stage, &["router=rt4"]);
}

/// What is shown below the sets appears with the letter that leaves one of them, not only with the next key.
#[test]
fn how_free_nodes_lie_is_shown_as_soon_as_a_filter_leaves_a_set() {
    let mut stage = pools("sets-8", 200, 60);
    stage.type_in("7").act(&[PageUp]);
    shows(&mut stage, &["No match"]);
    stage.act(&[Close]).type_in("1");
    let seen = stage.see();
    assert!(seen.contains("/1  1 of ") && seen.contains("Free nodes of the pool of server"), "{seen}");
}
