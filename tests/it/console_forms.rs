//! Every view at every size in every form: in Unicode, in ASCII, without colour; how full its panes are; and that
//! nothing is cut without a mark (console.md 4, 5, 8.2).

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail as tests do")]

use std::collections::BTreeSet;
use std::io::Write;

use qscope::console::action::Action;
use qscope::console::theme::{BUILT_IN, ColorDepth, GlyphSet, Theme, ThemeOptions};
use ratatui::style::{Color, Modifier};

use crate::console_cycle::{Stage, read};
use Action::{AskWhy, Down, End, Select, StepForward, View2, View3, View4, View5, View6, View8, View9};

/// Views by name, with the keys from the first screen to each.
const VIEWS: [(&str, &[Action]); 15] = [
    ("cycle", &[]),
    ("step", &[StepForward, StepForward]),
    ("nodes", &[View2]),
    ("nodes-table", &[View2, Action::Toggle]),
    ("jobs", &[View3]),
    ("pools", &[View4]),
    ("queues", &[View5]),
    ("calendar", &[View6]),
    ("why", &[Down, Down, AskWhy]),
    ("board", &[View8]),
    ("difference", &[View9]),
    ("problems", &[Action::Warnings]),
    ("settings", &[Action::Settings]),
    ("page-job", &[View3, End, Select]),
    ("page-node", &[View2, Action::Toggle, Select]),
];

const SIZES: [(u16, u16); 3] = [(80, 24), (120, 40), (200, 60)];

fn theme(name: &str, depth: ColorDepth, glyphs: GlyphSet) -> Theme {
    Theme::built_in(name, ThemeOptions { depth, glyphs }).0
}

/// Opens a view of a sample in a theme.
fn stage(sample: &str, (width, height): (u16, u16), theme: Theme, keys: &[Action]) -> Stage {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(sample);
    let generation = read(&folder, 1);
    let mut stage = Stage::empty_in(width, height, generation.snapshot.now, theme);
    stage.load(generation);
    stage.act(keys);
    stage
}

/// Console.md 8.4: the text is checked in Unicode and in ASCII.
#[test]
fn every_view_at_every_size_in_unicode_and_ascii() {
    for (name, keys) in VIEWS {
        for size in SIZES {
            let (width, height) = size;
            let unicode = theme("default-dark", ColorDepth::True, GlyphSet::Unicode);
            stage("campus", size, unicode, keys).screen(&format!("form-{name}-{width}x{height}"));
            let mut ascii = stage("campus", size, theme("mono", ColorDepth::None, GlyphSet::Ascii), keys);
            let seen = ascii.see();
            assert_eq!(seen.chars().find(|letter| !letter.is_ascii()), None, "{name}\n{seen}");
            ascii.screen(&format!("form-{name}-{width}x{height}-ascii"));
        }
    }
}

/// Sets, limits, reservations, preemption and a cluster without jobs have their own signs.
#[test]
fn every_kind_of_cluster_can_be_shown_in_ascii() {
    for sample in ["sets-8", "sets-unused", "why", "calendar", "reservation", "preempt", "week"] {
        for (name, keys) in VIEWS {
            for size in [(80, 24), (200, 60)] {
                let seen = stage(sample, size, theme("mono", ColorDepth::None, GlyphSet::Ascii), keys).see();
                let other = seen.lines().find(|line| !line.is_ascii());
                assert_eq!(other, None, "{sample} {name} {size:?}");
            }
        }
    }
}

/// Console.md 5: letters and digits of every view contrast with their background, also in tables, bars and badges.
#[test]
fn every_word_on_the_screen_can_be_read() {
    for (name, _) in BUILT_IN.iter().filter(|(name, _)| *name != "mono") {
        let mut weak = BTreeSet::new();
        for (view, keys) in VIEWS {
            let mut stage =
                stage("campus", (200, 60), theme(name, ColorDepth::True, GlyphSet::Unicode), keys);
            stage.see();
            for cell in stage.cells() {
                let is_word = cell.symbol().chars().any(char::is_alphanumeric);
                if is_word && contrast(rgb(cell.fg), rgb(cell.bg)) < 4.45 {
                    weak.insert((view, format!("{} on {}", cell.fg, cell.bg)));
                }
            }
        }
        assert_eq!(weak.iter().collect::<Vec<_>>(), Vec::<&(&str, String)>::new(), "{name}");
    }
}

fn rgb(color: Color) -> [u8; 3] {
    match color {
        Color::Rgb(r, g, b) => [r, g, b],
        other => panic!("no colour: {other:?}"),
    }
}

/// Returns the contrast as accessibility guidelines define it, from 1 to 21.
fn contrast(a: [u8; 3], b: [u8; 3]) -> f64 {
    let linear = |part: u8| {
        let part = f64::from(part) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    let light = |[r, g, b]: [u8; 3]| 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
    let (a, b) = (light(a), light(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// Console.md 5, mono: without colour the letters are the same, and only bold, reverse, underline and dim are used.
#[test]
fn without_colour_every_view_has_the_same_letters() {
    let known = Modifier::BOLD | Modifier::REVERSED | Modifier::UNDERLINED | Modifier::DIM;
    for (name, keys) in VIEWS {
        for size in SIZES {
            let mut dark =
                stage("campus", size, theme("default-dark", ColorDepth::True, GlyphSet::Unicode), keys);
            let mut mono = stage("campus", size, theme("mono", ColorDepth::None, GlyphSet::Unicode), keys);
            assert_eq!(mono.see(), dark.see(), "{name} {size:?}");
            for cell in mono.cells() {
                assert_eq!((cell.fg, cell.bg), (Color::Reset, Color::Reset), "{name} {size:?}");
                assert!(known.contains(cell.modifier), "{name} {size:?}: {:?}", cell.modifier);
            }
        }
    }
}

/// A framed part of a screen.
struct Pane {
    title: String,
    /// Number of cells (columns times rows) within the frame.
    cells: usize,
    filled: usize,
}

/// Finds the panes of a screen by their corners.
fn panes(seen: &str) -> Vec<Pane> {
    let rows: Vec<Vec<char>> = seen.lines().map(|line| line.chars().collect()).collect();
    let at = |x: usize, y: usize| rows.get(y).and_then(|row| row.get(x)).copied().unwrap_or(' ');
    let mut found = Vec::new();
    for (y, row) in rows.iter().enumerate() {
        for (x, _) in row.iter().enumerate().filter(|(_, sign)| matches!(sign, '┌' | '┏')) {
            let right = (x + 1..row.len()).find(|x| matches!(at(*x, y), '┐' | '┓'));
            let bottom = (y + 1..rows.len()).find(|y| matches!(at(x, *y), '└' | '┗'));
            let Some((right, bottom)) = right.zip(bottom) else { continue };
            let inner = (y + 1..bottom).flat_map(|y| (x + 1..right).map(move |x| (x, y)));
            let filled = inner.clone().filter(|(x, y)| at(*x, *y) != ' ').count();
            let title: String = (x + 1..right).map(|x| at(x, y)).collect();
            let title = title.split(['─', '━']).next().unwrap_or_default().trim().to_owned();
            found.push(Pane { title, cells: inner.count(), filled });
        }
    }
    found
}

/// Returns a cluster of 2,000 nodes in six buckets, with 450 jobs that start and 50 that wait.
fn two_thousand() -> std::sync::Arc<qscope::session::Generation> {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("large");
    std::fs::create_dir(&folder).unwrap();
    let mut nodes = String::new();
    for block in 0..20_usize {
        let (color, cpus) = [("red", 128), ("green", 128), ("blue", 64)][block % 3];
        let (first, last) = (block * 100, block * 100 + 99);
        nodes.push_str(&format!(
            "[[node]]\nname = \"n[{first:04}-{last:04}]\"\n\
             available = {{ ncpus = {cpus}, mem = \"256gb\", color = \"{color}\", switch = \"sw{block:02}\" }}\n"
        ));
    }
    let mut jobs = "now = 1763700000\n[[queue]]\nname = \"workq\"\n".to_owned();
    for job in 0..500_usize {
        let chunks = if job % 10 == 9 { 900 } else { 1 + job % 4 };
        jobs.push_str(&format!(
            "[[job]]\nid = \"{}\"\nuser = \"u{}\"\nqueue = \"workq\"\nselect = \"{chunks}:ncpus=64\"\n\
             place = \"scatter:excl\"\nwalltime = \"{:02}:00:00\"\n",
            job + 1,
            job % 7,
            job % 12 + 1
        ));
    }
    std::fs::write(folder.join("nodes.toml"), nodes).unwrap();
    std::fs::write(folder.join("queue.toml"), jobs).unwrap();
    read(&folder, 1)
}

/// Console.md 8.2: at least a fifth of every pane at 200×60 is filled; less in lists of names and values.
#[test]
fn panes_are_filled() {
    let mut table = String::from("ink at 200x60, in percent of a pane's cells\n");
    let mut bare = Vec::new();
    let large = two_thousand();
    for (name, keys) in VIEWS {
        let dark = || theme("default-dark", ColorDepth::True, GlyphSet::Unicode);
        let mut of_large = Stage::empty_in(200, 60, large.snapshot.now, dark());
        of_large.load(large.clone());
        of_large.act(keys);
        let screens = [("campus", stage("campus", (200, 60), dark(), keys)), ("2000", of_large)];
        for (cluster, mut stage) in screens {
            for pane in panes(&stage.see()) {
                let percent = pane.filled * 100 / pane.cells.max(1);
                table.push_str(&format!("{percent:>3}  {name:<12} {cluster:<7} {}\n", pane.title));
                let least = match name {
                    "problems" => 0,
                    "settings" | "jobs" | "difference" | "page-job" | "page-node" => 15,
                    _ => 20,
                };
                if percent < least && !SPARSE.contains(&(name, first_word(&pane.title))) {
                    bare.push(format!("{percent} % of {name} on {cluster}: {}", pane.title));
                }
            }
        }
    }
    std::io::stderr().write_all(table.as_bytes()).unwrap();
    assert!(bare.is_empty(), "{bare:#?}");
}

fn first_word(title: &str) -> &str {
    title.split(' ').next().unwrap_or_default()
}

/// Panes that have no more to show, by view and the first word of their title.
const SPARSE: &[(&str, &str)] = &[
    // All jobs wait for two reasons, and all nodes are of three buckets.
    ("cycle", "Why"),
    ("step", "Nodes"),
    // What is known of one node, job, reason or setting.
    ("nodes", "Node"),
    ("nodes", "All"),
    ("difference", "Under"),
    // The few jobs that one cycle starts.
    ("difference", "jobs:"),
    // Few users wait, for two reasons.
    ("board", "Waiting"),
    ("page-node", "Node"),
    ("page-node", "All"),
    ("page-job", "All"),
    ("board", "Reason"),
    ("settings", "round_robin"),
    // A job that starts has no causes.
    ("why", "3"),
    // 32 rows of short cells, and one value in most of their columns.
    ("nodes-table", "Nodes"),
    // No placement sets, no limits, one snapshot: a sentence states that.
    ("pools", "Placement"),
    ("queues", "Queues"),
    // The few jobs of a small queue.
    ("queues", "the"),
    ("difference", "Difference"),
];

/// Returns the words of a screen: the texts between spaces, frames and bars.
fn words(seen: &str) -> BTreeSet<String> {
    let is_between = |c: char| c.is_whitespace() || "│┃┌┐└┘┏┓┗┛─━▏╷╎┆".contains(c);
    seen.split(is_between)
        .map(|word| word.trim_matches(|c: char| ",.;:()\"'".contains(c)))
        .filter(|word| word.chars().all(|c| c.is_ascii_alphabetic()) && word.len() > 2)
        .map(str::to_owned)
        .collect()
}

/// Returns the numbers of a screen, with their units and connected parts: `143`, `64gb`, `02:43`, `5/19`.
fn numbers(seen: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || ".:/%=<>".contains(c);
    // What is counted behind a mark of a cut, `+6`, depends on the room; so does what stands before the mark itself.
    let pieces = seen.split_inclusive(|c: char| !is_part(c)).collect::<Vec<_>>();
    let mut found = BTreeSet::new();
    let mut before = ' ';
    for piece in pieces {
        let text = piece.trim_end_matches(|c: char| !is_part(c));
        let after = piece[text.len()..].chars().next().unwrap_or(' ');
        let is_number = text.starts_with(|c: char| c.is_ascii_digit()) && text.len() > 1;
        if is_number && !"+[-,".contains(before) && !"…~-".contains(after) {
            found.insert(text.trim_end_matches(['.', ':']).to_owned());
        }
        before = after;
    }
    found
}

#[test]
fn numbers_are_taken_whole_and_without_what_depends_on_the_room() {
    let found = numbers("143 of 160 ncpus, 64g… of 64gb at 02:43. cn[001-008,018] +65 1 5/19");
    let expected = ["143", "160", "64gb", "02:43", "5/19"].map(str::to_owned);
    assert_eq!(found, BTreeSet::from(expected));
}

/// A word that a wide screen does not have, and that is the beginning of one that it has, was cut without a mark.
#[test]
fn nothing_is_cut_without_a_mark() {
    for (name, keys) in VIEWS {
        let dark = || theme("default-dark", ColorDepth::True, GlyphSet::Unicode);
        let (mut whole, mut whole_numbers) = (BTreeSet::new(), BTreeSet::new());
        for size in [(300, 200), (300, 90), (200, 60), (200, 120)] {
            let seen = stage("campus", size, dark(), keys).see();
            whole.extend(words(&seen));
            whole_numbers.extend(numbers(&seen));
        }
        for size in [(80, 24), (100, 30), (120, 40)] {
            let seen = stage("campus", size, dark(), keys).see();
            // Tabs have short names of their own, and how many lines follow differs by size.
            let uncounted = |line| str::split(line, " PgDn: ").next().unwrap_or_default();
            let below: Vec<&str> = seen.lines().skip(2).map(uncounted).collect();
            for word in words(&below.join("\n")).difference(&whole) {
                let begins = whole.iter().find(|full| full.starts_with(word.as_str()));
                assert_eq!(begins, None, "{name} at {size:?}: `{word}` has no mark of its cut\n{seen}");
            }
            for number in numbers(&below.join("\n")).difference(&whole_numbers) {
                let goes_on = |full: &&String| {
                    let rest = full.strip_prefix(number.as_str());
                    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
                };
                let longer = whole_numbers.iter().find(goes_on);
                assert_eq!(longer, None, "{name} at {size:?}: `{number}` has no mark of its cut\n{seen}");
            }
        }
    }
}
