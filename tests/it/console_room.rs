//! Nothing is cut next to blank cells, and what has no room is counted: the names of nodes on the map, lines below a
//! frame.

use qscope::console::action::Action;
use qscope::console::views::ViewName;

use crate::console_cycle::Stage;

/// Returns the lines of groups on the map, from the text after their counts.
fn groups(seen: &str) -> Vec<String> {
    let of = |line: &str| Some(line.split_once(" free ")?.1.trim_end_matches(['┃', ' ']).to_owned());
    let is_group = |line: &&str| line.contains(" of ") && line.starts_with('┃');
    seen.lines().filter(is_group).filter_map(of).collect()
}

#[test]
fn the_names_on_the_map_are_whole_where_there_is_room_and_counted_elsewhere() {
    for (width, height) in [(80, 24), (120, 40), (160, 50), (200, 60), (300, 90)] {
        let mut stage = Stage::open("sets-36", width, height);
        stage.act(&[Action::View2]);
        let (by_bucket, mut all) = (stage.see(), Vec::new());
        all.extend(groups(&by_bucket));
        stage.act(&[Action::ToggleMap]);
        all.extend(groups(&stage.see()));
        assert!(all.len() > 8, "{by_bucket}");
        assert!(all.iter().all(|line| !line.contains('…')), "{width}x{height}: {all:#?}");
    }
    let mut stage = Stage::open("sets-36", 200, 60);
    stage.act(&[Action::View2]);
    let whole = "vn[12,16-17,20,22-26,30,32-35,42-45,47,50,53]  ";
    assert!(stage.see().contains(whole), "{}", stage.see());
    // Beside whole bars there is no more room than for some of them.
    let mut stage = Stage::open("sets-36", 150, 60);
    stage.act(&[Action::View2]);
    assert!(groups(&stage.see()).iter().any(|line| line.contains("] +")), "{}", stage.see());
}

/// Without placement sets, the key skips grouping by sets; the command still states why.
#[test]
fn the_map_is_grouped_by_sets_only_where_there_are_some() {
    let title = |stage: &mut Stage| {
        stage.act(&[Action::ToggleMap]);
        let seen = stage.see();
        seen.lines().find(|line| line.contains("Nodes by ")).unwrap_or_default().to_owned()
    };
    let mut without = Stage::open("campus", 120, 40);
    let mut with = Stage::open("sets-8", 120, 40);
    for stage in [&mut without, &mut with] {
        stage.act(&[Action::View2]);
    }
    let (without_sets, with_sets) = (title(&mut without), title(&mut with));
    assert!(without_sets.contains("Nodes by host "), "{without_sets}");
    assert!(with_sets.contains("Nodes by set "), "{with_sets}");
    without.act(&[Action::Palette]).type_in("group set");
    let seen = without.act(&[Action::Accept]).see();
    assert!(
        seen.contains("No placement sets") && seen.contains(" b group ") && !seen.contains("Enter page"),
        "{seen}"
    );
}

#[test]
fn a_funnel_counts_the_nodes_that_it_has_no_room_to_name() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Action::Palette]).type_in("why 10");
    stage.act(&[Action::Accept]);
    let seen = stage.see();
    let row = seen.lines().find(|line| line.contains("−27")).unwrap();
    assert!(row.contains("n[001-011,013-020,025-032]"), "{row}");
    let mut stage = Stage::open("campus", 70, 24);
    stage.act(&[Action::Palette]).type_in("why 10");
    stage.act(&[Action::Accept]);
    let seen = stage.see();
    let row = seen.lines().find(|line| line.contains("−27")).unwrap();
    assert!(row.contains("n[001-011,013-020] +8"), "{row}");
}

/// Returns the last lines of frames that state how many lines follow.
fn marks(seen: &str) -> Vec<&str> {
    seen.lines()
        .filter(|line| line.contains("┘") || line.contains("┛"))
        .filter(|line| line.contains("line"))
        .collect()
}

#[test]
fn what_stands_below_the_tables_of_packing_is_counted() {
    let mut stage = Stage::open("campus", 80, 10);
    stage.act(&[Action::Palette]).type_in("packing");
    stage.act(&[Action::Accept, Action::NextPane, Action::NextPane]);
    assert_eq!(stage.app.view(), ViewName::Packing);
    for panel in ["[Lifetimes]", "[Waits]"] {
        stage.act(&[Action::NextPane]);
        let seen = stage.see();
        assert!(seen.contains(panel), "{seen}");
        assert!(!marks(&seen).is_empty(), "{panel}: {seen}");
    }
    let mut stage = Stage::open("campus", 80, 60);
    stage.act(&[Action::Palette]).type_in("packing");
    stage.act(&[Action::Accept, Action::PreviousPane, Action::PreviousPane]);
    let seen = stage.see();
    assert!(
        seen.contains("[Waits]") && marks(&seen).is_empty(),
        "where all has room there is no mark: {seen}"
    );
}

#[test]
fn what_stands_below_a_table_is_counted_until_the_cursor_is_there() {
    for (view, rest) in [(Action::View4, "PgDn: 1 more line "), (Action::View3, "PgDn: 11 more lines ")] {
        let sample = if view == Action::View4 { "sets-36" } else { "campus" };
        let mut stage = Stage::open(sample, 80, 24);
        stage.act(&[view, Action::Home, Action::Up, Action::Up]);
        let seen = stage.see();
        assert!(marks(&seen).iter().any(|line| line.contains(rest)), "{seen}");
        stage.act(&[Action::End]);
        assert!(!stage.see().contains("PgDn"), "{}", stage.see());
    }
}

/// Console.md 3.1: if nodes share a cell, the map uses all rows but those of a few lines about the cell under the
/// cursor, so that at 80×24 a cell stands for 50 of 10,000 nodes.
#[test]
fn a_map_of_many_nodes_has_the_rows_that_make_its_cells_finer() {
    let folder = tempfile::tempdir().unwrap();
    let kinds = [(16, 1700), (32, 1700), (48, 1700), (64, 1700), (96, 3200)];
    let node = |(cpus, nodes): (usize, usize)| {
        format!(
            "[[node]]\nname = \"c{cpus}n[0001-{nodes}]\"\navailable = {{ ncpus = {cpus}, mem = \"64gb\" }}\n"
        )
    };
    std::fs::write(folder.path().join("nodes.toml"), kinds.map(node).concat()).unwrap();
    let queue = "now = 1763700000\n[[queue]]\nname = \"workq\"\n";
    std::fs::write(folder.path().join("queue.toml"), queue).unwrap();
    let seen = Stage::open_at(folder.path(), 80, 24).act(&[Action::View2]).see();
    assert!(
        seen.contains(" 20 nodes a cell · free/all ") && seen.contains("Cell under the cursor: 20 nodes"),
        "{seen}"
    );
}
