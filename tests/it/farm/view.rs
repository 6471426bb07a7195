//! The packing view, driven by actions.

use std::path::{Path, PathBuf};

use qscope::console::action::Action;
use qscope::console::theme::ColorDepth;
use ratatui::layout::Size;

use super::stage::Stage;

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/packing").join(name)
}

impl Stage {
    fn open(name: &str, width: u16, height: u16) -> Self {
        Self::of(&sample(name), width, height)
    }

    fn of(file: &Path, width: u16, height: u16) -> Self {
        let (mut stage, first) = Self::new(file, Size { width, height }, ColorDepth::None);
        stage.compute(&first);
        stage
    }

    fn see(&mut self) -> String {
        self.draw();
        let buffer = self.paper.backend().buffer();
        let row = |y| (0..buffer.area.width).map(|x| buffer[(x, y)].symbol()).collect::<String>();
        (0..buffer.area.height).map(|y| row(y).trim_end().to_owned()).collect::<Vec<_>>().join("\n")
    }
}

use Action::{
    Down, Help, Left, LongerTtl, NextEvent, NextMoment, NextPane, PreviousEvent, Right, Select, ShorterTtl,
    Up, WindowIn, WindowOut, WindowRight,
};

#[test]
fn the_panels_at_80_by_24() {
    let mut stage = Stage::open("4-later.json", 80, 24);
    insta::assert_snapshot!("packing-charts-80x24", stage.see());
    insta::assert_snapshot!("packing-farm-80x24", stage.act(&[NextPane, NextMoment, NextMoment]).see());
    insta::assert_snapshot!("packing-dispersion-80x24", stage.act(&[NextPane]).see());
    insta::assert_snapshot!("packing-sweep-80x24", stage.act(&[NextPane]).see());
    insta::assert_snapshot!("packing-waits-80x24", stage.act(&[NextPane]).see());
}

#[test]
fn everything_at_200_by_60() {
    let mut stage = Stage::open("5-steady.json", 200, 60);
    insta::assert_snapshot!("packing-200x60", stage.act(&[NextMoment, NextMoment]).see());
}

#[test]
fn the_help_says_what_works_on_files_and_what_the_words_mean() {
    let help = Stage::open("1-empty.json", 80, 60).act(&[Help]).see();
    for said in ["Halve, double the window", "Packing index", "at risk", "Focus the next pane"] {
        assert!(help.contains(said), "{said}: {help}");
    }
    for cluster in ["Ask why", "verdict", "generation", "bucket"] {
        assert!(!help.contains(cluster), "{cluster}: {help}");
    }
}

#[test]
fn events_go_forward_and_back_over_the_same_seconds() {
    let mut stage = Stage::open("4-later.json", 80, 24);
    stage.act(&[NextPane]);
    let mut seen = vec![stage.see()];
    for _ in 0..25 {
        seen.push(stage.act(&[NextEvent]).see());
    }
    assert!(seen.windows(2).all(|pair| pair[0] != pair[1]));
    for before in seen.iter().rev().skip(1) {
        assert_eq!(&stage.act(&[PreviousEvent]).see(), before);
    }
}

#[test]
fn the_slider_and_the_window_answer() {
    let mut stage = Stage::open("5-steady.json", 80, 24);
    let first = stage.see();
    assert!(first.contains("ttl:3600"), "{first}");
    assert!(stage.act(&[LongerTtl]).see().contains("ttl:7200"));
    assert!(stage.act(&[ShorterTtl, ShorterTtl]).see().contains("ttl:1800"));
    let whole = stage.act(&[LongerTtl]).see();
    assert_eq!(whole, first);
    let near = stage.act(&[WindowIn, WindowIn]).see();
    assert_ne!(near, whole);
    let moved = stage.act(&[WindowRight]).see();
    assert_ne!(moved, near);
    assert_eq!(stage.act(&[WindowOut, WindowOut]).see(), whole);
}

#[test]
fn every_size_and_a_file_that_cannot_be_read_are_drawn() {
    for (width, height) in [(10, 3), (40, 10), (60, 16), (150, 40), (300, 90)] {
        let mut stage = Stage::open("1-empty.json", width, height);
        for _ in 0..5 {
            stage.act(&[NextPane, NextMoment]).see();
        }
        stage.act(&[Help]).see();
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("bad.json");
    std::fs::write(&file, "{\n\"nodes\": 3").unwrap();
    let screen = Stage::of(&file, 80, 24).see();
    assert!(screen.contains("cannot be simulated") && screen.contains("bad.json:2"), "{screen}");
}

/// The farm has a cursor of its own: it moves from node to node, the line below shows the node under both
/// policies, and Enter shows every slot however many nodes there are.
#[test]
fn the_farm_is_looked_at_node_by_node() {
    let mut stage = Stage::open("4-later.json", 80, 24);
    // The name of the moment is in the last line until the next key.
    let first = stage.act(&[NextPane, NextMoment, NextMoment, Right, Left]).see();
    let line = |screen: &str| screen.lines().find(|line| line.contains("  R ")).map(str::to_owned);
    let second = stage.act(&[Right]).see();
    assert_ne!(line(&first), line(&second));
    assert_eq!(stage.act(&[Left]).see(), first);
    let below = stage.act(&[Down]).see();
    assert_eq!(stage.act(&[Up]).see(), first, "{below}");

    let text = std::fs::read_to_string(sample("one-vo.toml")).unwrap();
    let text = text.replace("span = \"6d\"", "span = \"2h\"");
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("large.toml");
    std::fs::write(&file, text).unwrap();
    let mut stage = Stage::of(&file, 80, 24);
    let signs = stage.act(&[NextPane, NextMoment, Down, Right]).see();
    let slots = stage.act(&[Select]).see();
    assert_ne!(slots, signs);
    assert_eq!(stage.act(&[Select]).see(), signs);
}
