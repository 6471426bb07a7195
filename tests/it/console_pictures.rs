//! Pictures of the console, made by its own export and compared byte by byte (console.md 8.4); the same screens in
//! ASCII and without colour as text; every view on the largest screen.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use qscope::console::action::Action;
use qscope::console::app::AppInput;
use qscope::console::theme::{ColorDepth, GlyphSet, Theme, ThemeOptions};
use qscope::session::Generation;

use crate::console_cycle::{Stage, read};

use Action::{
    AskWhy, Changes, Down, End, Select, StepForward, View2, View3, View4, View5, View6, View8, View9,
};

/// The cluster that a picture shows.
#[derive(Clone, Copy)]
enum Cluster {
    /// The sample of 32 nodes.
    Campus,
    /// One of 10,000 nodes and 610 jobs.
    Large,
}

/// Name, size, cluster, and the keys that are pressed.
type Picture = (&'static str, u16, u16, Cluster, &'static [Action]);

/// The keys to a job that waits for resources: the 14th in the order considered.
const TO_16: [Action; 13] = [Down; 13];

const PICTURES: [Picture; 13] = [
    ("console", 120, 36, Cluster::Campus, &[]),
    ("pulse-80", 80, 24, Cluster::Campus, &[]),
    ("pulse-200", 200, 60, Cluster::Campus, &[]),
    ("pulse-300", 300, 90, Cluster::Campus, &TO_16),
    ("step-80", 80, 24, Cluster::Campus, &[StepForward; 5]),
    ("step-200", 200, 60, Cluster::Campus, &[StepForward; 5]),
    ("why-80", 80, 24, Cluster::Campus, &why()),
    ("why-200", 200, 60, Cluster::Campus, &why()),
    ("calendar-200", 200, 60, Cluster::Campus, &calendar()),
    ("nodes-10k-200", 200, 60, Cluster::Large, &[View2]),
    ("nodes-table-80", 80, 24, Cluster::Campus, &[View2, Action::Toggle]),
    ("board-200", 200, 60, Cluster::Large, &[View8]),
    ("difference-80", 80, 24, Cluster::Campus, &[Changes]),
];

/// Returns the keys to the answer for that job.
const fn why() -> [Action; 14] {
    let mut keys = [Down; 14];
    keys[13] = AskWhy;
    keys
}

/// Returns the keys to the calendar with that job.
const fn calendar() -> [Action; 14] {
    let mut keys = [Down; 14];
    keys[13] = View6;
    keys
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn campus(number: u64) -> Arc<Generation> {
    read(&root().join("samples/campus"), number)
}

/// Returns the sample with strict ordering and two nodes offline.
fn campus_in_order() -> Arc<Generation> {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("campus");
    std::fs::create_dir(&folder).unwrap();
    for entry in std::fs::read_dir(root().join("samples/campus")).unwrap() {
        let entry = entry.unwrap();
        let text = std::fs::read_to_string(entry.path()).unwrap();
        let text = match entry.file_name().to_str() {
            Some("sched_config") => text.replacen("strict_ordering: false", "strict_ordering: true", 1),
            Some("nodes.json") => text.replacen("\"state\":\t\"free\"", "\"state\":\t\"offline\"", 2),
            _ => text,
        };
        std::fs::write(folder.join(entry.file_name()), text).unwrap();
    }
    read(&folder, 2)
}

/// Returns a cluster of 10,000 nodes of six kinds on a hundred switches, with 400 running and 210 waiting jobs.
fn large() -> &'static Arc<Generation> {
    static LARGE: OnceLock<Arc<Generation>> = OnceLock::new();
    LARGE.get_or_init(read_large)
}

fn read_large() -> Arc<Generation> {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("large");
    std::fs::create_dir(&folder).unwrap();
    let kinds = [(16, 64, 0), (16, 128, 0), (32, 128, 0), (32, 256, 4), (64, 512, 0), (64, 512, 8)];
    let mut nodes = String::new();
    for switch in 0..100_usize {
        let (cpus, mem, gpus) = kinds[switch % kinds.len()];
        let gpus = if gpus > 0 { format!(", ngpus = {gpus}") } else { String::new() };
        let (first, last) = (switch * 100, switch * 100 + 99);
        nodes.push_str(&format!(
            "[[node]]\nname = \"n[{first:05}-{last:05}]\"\n\
             available = {{ ncpus = {cpus}, mem = \"{mem}gb\", switch = \"sw{switch:02}\"{gpus} }}\n"
        ));
    }
    let mut jobs = "now = 1763700000\n[[queue]]\nname = \"workq\"\n".to_owned();
    for job in 0..400_usize {
        let on: Vec<String> =
            (0..8).map(|at| format!("(n{:05}:ncpus=16)", (job * 17 + at * 5) % 10_000)).collect();
        jobs.push_str(&format!(
            "[[job]]\nid = \"{}\"\nuser = \"u{}\"\nqueue = \"workq\"\nselect = \"8:ncpus=16\"\nplace = \"free\"\n\
             walltime = \"{:02}:00:00\"\nstarted = \"-00:20:00\"\non = \"{}\"\n",
            job + 1,
            job % 7,
            job % 12 + 1,
            on.join("+")
        ));
    }
    for job in 0..210_usize {
        let (select, place) = match job % 7 {
            0 => ("400:ncpus=32:mem=100gb", "scatter:excl"),
            1 => ("900:ncpus=64:ngpus=8", "scatter"),
            2 => ("7000:ncpus=16", "scatter:excl"),
            3 => ("12:ncpus=128", "scatter"),
            4 => ("90:ncpus=64", "scatter:excl:group=switch"),
            5 => ("1500:ncpus=32:mem=240gb", "scatter"),
            _ => ("1:ncpus=16", "free"),
        };
        let held = if job % 50 == 6 { "state = \"H\"\n" } else { "" };
        jobs.push_str(&format!(
            "[[job]]\nid = \"{}\"\nuser = \"u{}\"\nqueue = \"workq\"\nselect = \"{select}\"\nplace = \"{place}\"\n\
             walltime = \"06:00:00\"\n{held}",
            job + 1001,
            job % 11
        ));
    }
    std::fs::write(folder.join("nodes.toml"), nodes).unwrap();
    std::fs::write(folder.join("queue.toml"), jobs).unwrap();
    read(&folder, 1)
}

fn theme(name: &str, depth: ColorDepth, glyphs: GlyphSet) -> Theme {
    Theme::built_in(name, ThemeOptions { depth, glyphs }).0
}

/// Opens the screen of a picture.
fn stage(picture: &Picture, theme: Theme) -> Stage {
    let (name, width, height, cluster, keys) = *picture;
    let generation = match cluster {
        Cluster::Campus => campus(1),
        Cluster::Large => large().clone(),
    };
    let mut stage = Stage::empty_in(width, height, generation.snapshot.now, theme);
    stage.load(generation);
    if name == "difference-80" {
        stage.load(campus_in_order());
    }
    stage.act(keys);
    stage
}

/// Returns the console's own export of the screen.
fn svg(stage: &mut Stage, into: &Path) -> String {
    stage.act(&[Action::Palette]).type_in(&format!("export svg {}", into.display()));
    stage.feed(AppInput::Action(Action::Accept));
    std::fs::read_to_string(into).unwrap_or_else(|error| panic!("{error}\n{}", stage.see()))
}

fn path(name: &str) -> PathBuf {
    root().join(".github").join(format!("{name}.svg"))
}

/// A picture that differs has to be reviewed: QSCOPE_WRITE=1 writes it anew.
#[test]
fn every_picture_is_that_of_the_console() {
    let folder = tempfile::tempdir().unwrap();
    let mut differ = Vec::new();
    for picture in &PICTURES {
        let name = picture.0;
        let theme = theme("default-dark", ColorDepth::True, GlyphSet::Unicode);
        let made = svg(&mut stage(picture, theme), &folder.path().join(name));
        assert!(made.starts_with("<svg ") && made.ends_with("</svg>\n"), "{name}");
        if std::env::var_os("QSCOPE_WRITE").is_some() {
            std::fs::write(path(name), &made).unwrap();
        }
        if std::fs::read_to_string(path(name)).ok().as_ref() != Some(&made) {
            differ.push(name);
        }
    }
    assert!(differ.is_empty(), "differ from those in .github: {differ:?}; QSCOPE_WRITE=1 writes them anew");
}

/// A light theme has a light background.
#[test]
fn the_ground_of_a_picture_is_that_of_its_theme() {
    let folder = tempfile::tempdir().unwrap();
    let theme = theme("default-light", ColorDepth::True, GlyphSet::Unicode);
    let made = svg(&mut stage(&PICTURES[0], theme), &folder.path().join("light"));
    let ground = made.lines().nth(1).unwrap();
    assert!(ground.ends_with("fill=\"#fbfaf6\"/>") && !made.contains("#10141c"), "{ground}");
}

/// In ASCII and without colour the same screens lose only their style.
#[test]
fn every_picture_has_its_form_in_ascii_without_colour() {
    for picture in PICTURES.iter().filter(|picture| picture.0 != "console") {
        let mut stage = stage(picture, theme("mono", ColorDepth::None, GlyphSet::Ascii));
        let seen = stage.see();
        let other = seen.chars().find(|letter| !letter.is_ascii());
        assert_eq!(other, None, "{}\n{seen}", picture.0);
        stage.screen(&format!("picture-{}-ascii", picture.0));
    }
}

/// Every view on the largest screen.
#[test]
fn every_view_fills_the_largest_screen() {
    let views: [(&str, &[Action]); 12] = [
        ("cycle", &[StepForward]),
        ("nodes", &[View2]),
        ("jobs", &[View3]),
        ("pools", &[View4]),
        ("queues", &[View5]),
        ("calendar", &[View6]),
        ("why", &[AskWhy]),
        ("board", &[View8]),
        ("difference", &[View9]),
        ("problems", &[Action::Warnings]),
        ("settings", &[Action::Settings]),
        ("page", &[View3, End, Select]),
    ];
    for (name, keys) in views {
        let mut stage = Stage::open("campus", 300, 90);
        stage.act(&TO_16).act(keys);
        stage.screen(&format!("view-{name}-300x90"));
    }
}
