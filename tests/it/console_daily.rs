//! Daily use of the console, driven by actions on a screen in memory, and regressions of fixed faults.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::cell::Cell;
use std::path::Path;
use std::rc::Rc;

use crossterm::event::{KeyModifiers, MouseEvent, MouseEventKind};
use qscope::cluster::Epoch;
use qscope::console::action::Action;
use qscope::console::app::{App, AppInput};
use qscope::console::shell::Shell;
use qscope::console::theme::{ColorDepth, GlyphSet, Theme, ThemeOptions};
use qscope::console::tour::TOUR;
use qscope::console::views::Effect;
use qscope::session::SessionEvent;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Size;

use crate::console_cycle::{Stage, read};

use Action::{
    Accept, Complete, Down, End, Filter, More, NextMatch, Play, Select, Settings, Sort, SortReverse,
    StepForward, ToggleMap, View2, View5, View6,
};

const SAMPLES: [&str; 8] =
    ["campus", "chunks-12-24", "idle-buckets", "sets-36", "sets-8-sorted", "why", "calendar", "policies-f1"];

/// Returns the row of a table with this text.
fn line_of(seen: &str, text: &str) -> usize {
    seen.lines().position(|line| line.contains(text)).unwrap_or_else(|| panic!("no {text} in\n{seen}"))
}

/// Console.md 2.4: `s` and `S` in every table; the cursor stays on its job.
#[test]
fn the_queue_is_sorted_by_its_columns_and_back() {
    let mut stage = Stage::open("campus", 120, 90);
    let job = stage.subject();
    let in_order = stage.see();
    assert!(line_of(&in_order, " 1 28 ") < line_of(&in_order, " 2 4 "));
    let by_job = stage.act(&[Sort, Sort]).see();
    assert!(by_job.contains("sort job ▴") && by_job.contains("job▴"), "{by_job}");
    assert!(line_of(&by_job, " 2 4 ") < line_of(&by_job, " 1 28 "), "{by_job}");
    assert_eq!(stage.subject(), job);
    assert!(stage.act(&[SortReverse]).see().contains("sort job ▾"));
    let seen = stage.command("sort walltime").see();
    assert!(seen.contains("sort walltime ▴"), "{seen}");
    let seen = stage.command("sort").see();
    assert!(!seen.contains("sort walltime"), "{seen}");
}

/// Running jobs are rows of the queue, below their own heading, filtered like the others.
#[test]
fn jobs_that_run_stand_below_the_queue() {
    let mut stage = Stage::open("campus", 80, 50);
    let seen = stage.act(&[End]).see();
    assert!(seen.contains("running 3") && seen.contains("■ runs"), "{seen}");
    assert!(line_of(&seen, "ends 02:27") < line_of(&seen, "ends 02:57"), "{seen}");
    assert!(stage.subject().starts_with("3."), "{}", stage.subject());
    let decision = stage.act(&[Action::NextPane]).see();
    assert!(decision.contains("on n[025-026]") || decision.contains("Why"), "{decision}");
    stage.act(&[Action::PreviousPane, Filter]).type_in("verdict=running").act(&[Accept]);
    let seen = stage.see();
    assert!(seen.contains("ends 02:27") && !seen.contains("✓ run"), "{seen}");
    assert!(stage.act(&[Select]).see().contains("attributes"), "{}", stage.see());
}

/// Console.md 6, Filter: it opens with the fields; Tab completes fields, operators and values with their counts.
#[test]
fn the_filter_completes_fields_operators_and_values() {
    let mut stage = Stage::open("campus", 80, 24);
    let last = |stage: &mut Stage| stage.see().lines().last().unwrap_or_default().to_owned();
    stage.act(&[Filter]);
    assert!(last(&mut stage).contains("Tab job "), "{}", last(&mut stage));
    stage.type_in("us").act(&[Complete, Complete]);
    assert!(last(&mut stage).starts_with(" /user="), "{}", last(&mut stage));
    assert!(last(&mut stage).contains("ann ") && last(&mut stage).contains("cara "), "{}", last(&mut stage));
    stage.type_in("c").act(&[Complete, Accept]);
    assert!(stage.see().contains("/user=cara"), "{}", stage.see());
    stage.act(&[Filter, Action::DeleteAll]).type_in("state=Z").act(&[Accept]);
    assert!(last(&mut stage).contains("state has no value Z; values are"), "{}", last(&mut stage));
}

#[test]
fn a_pattern_finds_names_and_n_goes_from_match_to_match() {
    let mut stage = Stage::open("campus", 80, 50);
    stage.act(&[Filter]).type_in("job~^2[0-9]$").act(&[Accept]);
    let seen = stage.see();
    assert!(seen.contains(" 28 ") && !seen.contains("  4    ann"), "{seen}");
    stage.act(&[Filter, Action::Close, NextMatch]);
    let first = stage.subject();
    stage.act(&[NextMatch]);
    assert!(first.starts_with('2') && stage.subject().starts_with('2') && first != stage.subject());
}

/// The first line while the cycle plays has its own word, the step and the speed.
#[test]
fn playing_shows_its_speed() {
    let mut stage = Stage::open("campus", 120, 40);
    let seen = stage.act(&[Play, More, More]).see();
    assert!(seen.lines().next().unwrap_or_default().contains("PLAY 0/23 ×4"), "{seen}");
    stage.feed(AppInput::Tick);
    let head = stage.see().lines().next().unwrap_or_default().to_owned();
    assert!(head.contains("PLAY 1/23 ×4") && !head.contains('‖') && !head.contains("PAUSED"), "{head}");
    assert!(stage.act(&[Play]).see().contains("STEP 1/23"));
}

/// Enter on a setting opens the file that states it, at its line.
#[test]
fn a_setting_opens_its_file_at_its_line() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Settings, Filter]).type_in("from:sched_config").act(&[Accept, Select]);
    let seen = stage.see();
    assert!(seen.contains("sched_config:"), "{seen}");
    assert!(seen.contains("1  round_robin: False") && seen.contains("4  strict_ordering: false"), "{seen}");
    let seen = stage
        .act(&[Action::Close, Filter, Action::DeleteAll])
        .type_in("from=default")
        .act(&[Accept, Select])
        .see();
    assert!(seen.contains("no file sets"), "{seen}");
}

#[test]
fn another_moment_is_shown_or_what_there_is_is_named() {
    let mut stage = Stage::open("campus", 120, 24);
    let seen = stage.command("at 01:57").see();
    assert!(!seen.contains("no snapshot"), "{seen}");
    let seen = stage.command("at 05:00").see();
    assert!(seen.contains("no snapshot of 05:00; the only one so far is of 01:57:26"), "{seen}");
    stage.act(&[Action::Close]);
    let seen = stage.command("left soon").see();
    assert!(seen.contains("a time is 02:03"), "{seen}");
}

#[test]
fn a_report_goes_into_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ticket.md");
    let mut stage = Stage::open("campus", 120, 24);
    stage.command(&format!("report {}", path.display())).see();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("## ") && text.contains("| # | job | user | verdict |"), "{text}");
}

/// Console.md 3.1: from 200 columns on the bits that a step moved are shown; from 280 on, the answer of the selected
/// job.
#[test]
fn wide_screens_show_bits_and_the_live_answer() {
    let mut stage = Stage::open("chunks-12-24", 200, 60);
    let seen = stage.act(&[StepForward]).see();
    assert!(
        seen.contains("◆ set by this step") && seen.contains("1 → 0") && seen.contains("0 → 1"),
        "{seen}"
    );
    let seen = stage.act(&[ToggleMap, ToggleMap]).see();
    assert!(!seen.contains("set by this step"), "{seen}");
    assert!(!Stage::open("campus", 279, 90).see().contains("7: open"));
    let mut stage = Stage::open("campus", 280, 90);
    let seen = stage.act(&[Down; 10]).see();
    let job = stage.subject();
    let short = job.split('.').next().unwrap_or_default();
    assert!(seen.contains("7: open") && seen.contains(&format!("Why {short} does not run")), "{seen}");
    assert!(seen.contains("Nodes lost at each condition") || seen.contains("never"), "{seen}");
}

#[test]
fn the_calendar_groups_its_rows_and_marks_dedicated_time() {
    let folder = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir("samples/campus").unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
    }
    std::fs::write(folder.path().join("dedicated_time"), "11/21/2026 02:30 11/21/2026 03:00\n").unwrap();
    let mut stage = Stage::open_at(folder.path(), 120, 60);
    let seen = stage.act(&[View6]).see();
    assert!(seen.contains("┇┈┈") && seen.contains("┈ dedicated time dedicated_time:1"), "{seen}");
    assert!(seen.contains("dedicated time begins") && seen.contains("dedicated time ends"), "{seen}");
    let seen = stage.act(&[ToggleMap]).see();
    assert!(seen.contains("Calendar by bucket · "), "{seen}");
    let seen = stage.command("group node").see();
    assert!(
        seen.contains("Calendar by node · ") && seen.contains(" n004 ") && seen.contains(" n005 "),
        "{seen}"
    );
}

/// Nodes are grouped by any resource; for an unknown one, the existing ones are named.
#[test]
fn nodes_are_grouped_by_a_resource() {
    let mut stage = Stage::open("campus", 120, 40);
    let seen = stage.command("group color").see();
    assert!(seen.contains("Nodes by color") && seen.contains("color=blue"), "{seen}");
    let seen = stage.command("group colour").see();
    assert!(seen.contains("cannot group by colour; bucket, set, host, name or a resource"), "{seen}");
}

/// A select of many parts shows the first ones, the failed one, and the number of others.
#[test]
fn a_select_of_many_parts_leaves_room() {
    let folder = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir("samples/chunks-12-24").unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
    }
    let queue = folder.path().join("queue.toml");
    let parts = (0..9).map(|_| "1:ncpus=1").collect::<Vec<_>>().join("+");
    let text = std::fs::read_to_string(&queue).unwrap();
    std::fs::write(&queue, text.replacen("3:ncpus=12", &parts, 1).replacen("free:excl", "free", 1)).unwrap();
    let mut stage = Stage::open_at(folder.path(), 200, 60);
    let seen = stage.act(&[StepForward]).see();
    assert!(
        seen.contains("+5 more chunks") && seen.contains("5 more chunks of the select; i steps into them"),
        "{seen}"
    );
}

/// Each key of the tour does what its line promises.
#[test]
fn the_tour_shows_what_it_promises() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.app.begin_tour();
    for (at, step) in TOUR.iter().enumerate() {
        let before = stage.see();
        let last = before.lines().last().unwrap_or_default();
        assert!(last.contains(&format!(" {at}/10")) && last.contains(step.invites), "{last}");
        let seen = stage.act(&[step.action]).see();
        assert!(seen.contains(step.shows), "{}: {seen}", step.invites);
        let last = seen.lines().last().unwrap_or_default();
        assert!(last.contains(step.seen), "{last}");
    }
    assert!(stage.see().lines().last().unwrap_or_default().contains("q leaves"));
    // The next key has the footer of the view back.
    let last = stage.act(&[Action::View3]).see();
    assert!(last.lines().last().unwrap_or_default().contains("Enter job page"), "{last}");
}

/// `0 left of NaN`, `-0`: every number on any screen of any sample is a proper number.
#[test]
fn every_number_is_one() {
    for sample in SAMPLES {
        let mut stage = Stage::open(sample, 200, 60);
        for step in 0..6 {
            for view in [Action::View1, View2, Action::View3, Action::View4, View5, View6] {
                let seen = stage.act(&[view, Down]).see();
                let bad = seen.contains("NaN") || seen.contains(" -0 ") || seen.contains(" inf ");
                assert!(!bad, "{sample} step {step} {view:?}\n{seen}");
            }
            stage.act(&[StepForward]);
        }
    }
}

/// Counts agree: the jobs in the header are those of the queues, whichever kind waits.
#[test]
fn the_header_counts_the_jobs_that_the_queues_count() {
    for sample in SAMPLES {
        let mut stage = Stage::open(sample, 200, 60);
        let seen = stage.act(&[View5]).see();
        // Behind an arrow stands what the cycle makes of it.
        let number = |text: &str| text.trim().split('→').next()?.parse::<usize>().ok();
        let head = seen.lines().next().unwrap_or_default();
        let jobs = head.split('·').find(|fact| fact.contains(" R ") && fact.contains(" Q ")).unwrap();
        let jobs: Vec<usize> = jobs.split_whitespace().filter_map(number).collect();
        let row = seen.lines().find(|line| line.contains("the whole server")).unwrap();
        let row: Vec<usize> = row.split_whitespace().filter_map(number).collect();
        let [run, wait, held, ..] = row[..] else { panic!("{sample}: {row:?}") };
        let (all, in_queues) = (jobs.iter().sum::<usize>(), run + wait + held);
        assert_eq!((jobs[0], all), (run, in_queues), "{sample}: {head}");
    }
}

/// Labels of different buckets still differ after they were cut.
#[test]
fn cut_labels_of_buckets_differ() {
    for sample in SAMPLES {
        let mut stage = Stage::open(sample, 80, 24);
        let seen = stage.act(&[View2]).see();
        let labels: Vec<&str> = seen
            .lines()
            .filter_map(|line| Some(line.split_once(" of ")?.0.rsplit_once("  ")?.0.trim()))
            .collect();
        let mut sorted: Vec<&str> = labels.iter().copied().filter(|label| label.contains('=')).collect();
        let all = sorted.len();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), all, "{sample}\n{seen}");
    }
}

/// The same for those of the map, which has less room for them.
#[test]
fn cut_labels_of_the_map_differ() {
    for sample in SAMPLES {
        let mut stage = Stage::open(sample, 200, 60);
        stage.act(&[StepForward]);
        let seen = stage.see();
        let map = seen.lines().filter_map(|line| line.split_once("││")).map(|(_, map)| map);
        // A label has blanks between its parts; two of them stand before another label.
        let cut =
            map.flat_map(|line| line.match_indices('…').filter_map(|(at, _)| line[..at].rsplit("  ").next()));
        let mut labels: Vec<&str> = cut.filter(|label| label.contains('=')).collect();
        let all = labels.len();
        labels.sort_unstable();
        labels.dedup();
        assert_eq!(labels.len(), all, "{sample}\n{seen}");
    }
}

/// Returns an app with a clock that tests can set.
fn app_at(clock: &Rc<Cell<i64>>, width: u16, height: u16) -> Shell {
    let theme_options = ThemeOptions { depth: ColorDepth::None, glyphs: GlyphSet::Unicode };
    let theme = Theme::built_in("default-dark", theme_options).0;
    let turned = clock.clone();
    let mut app = Shell::new("a folder", theme, Box::new(move || Epoch(turned.get())));
    app.update(AppInput::Resize(Size { width, height }));
    app
}

fn drawn(app: &Shell, width: u16, height: u16) -> String {
    let mut paper = Terminal::new(TestBackend::new(width, height)).unwrap();
    paper.draw(|frame| app.render(frame)).unwrap();
    paper.backend().to_string()
}

#[test]
fn a_message_goes_after_its_time() {
    let clock = Rc::new(Cell::new(1_000));
    let mut app = app_at(&clock, 80, 24);
    app.set_status("copied");
    assert!(drawn(&app, 80, 24).contains("copied"));
    clock.set(1_003);
    app.update(AppInput::Tick);
    assert!(drawn(&app, 80, 24).contains("copied"));
    clock.set(1_005);
    app.update(AppInput::Tick);
    assert!(!drawn(&app, 80, 24).contains("copied"));
    app.set_failure("not written");
    clock.set(9_000);
    app.update(AppInput::Tick);
    assert!(drawn(&app, 80, 24).contains("not written"));
}

/// No "9822 d old": data without a time of its own has no age in days.
#[test]
fn an_age_is_never_thousands_of_days() {
    let generation = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/campus"), 1);
    let clock = Rc::new(Cell::new(generation.snapshot.now.0 + 9822 * 86_400));
    let mut app = app_at(&clock, 200, 60);
    app.update(AppInput::Message(SessionEvent::Loaded(generation).into()));
    let seen = drawn(&app, 200, 60);
    assert!(!seen.contains("d old") && !seen.contains("235728h"), "{seen}");
    assert!(seen.contains("SNAPSHOT 2026-11-21 01:57:26"), "{seen}");
    clock.set(1_795_226_246 + 86_400);
    let seen = drawn(&app, 80, 24);
    assert!(seen.contains("SNAPSHOT 11-2"), "{seen}");
}

/// A folder that has disappeared is at once no longer called live or a snapshot.
#[test]
fn a_folder_that_is_gone_is_stale_at_once() {
    let mut stage = Stage::open("campus", 80, 24);
    let why = qscope::session::FOLDER_GONE.to_owned();
    stage.feed(AppInput::Message(
        SessionEvent::Waiting { reason: why, at: std::time::SystemTime::now() }.into(),
    ));
    let head = stage.see().lines().next().unwrap_or_default().to_owned();
    assert!(head.contains("STALE") && head.contains("folder is gone"), "{head}");
}

#[test]
fn ctrl_and_wheel_scale_as_the_keys_do() {
    let wheel =
        |kind| AppInput::Mouse(MouseEvent { kind, column: 30, row: 6, modifiers: KeyModifiers::CONTROL });
    let mut stage = Stage::open("campus", 80, 24);
    let axis = |stage: &mut Stage| stage.see().lines().nth(2).unwrap_or_default().to_owned();
    stage.act(&[View6]);
    let before = axis(&mut stage);
    stage.feed(wheel(MouseEventKind::ScrollUp));
    let near = axis(&mut stage);
    assert_ne!(before, near);
    stage.feed(wheel(MouseEventKind::ScrollDown));
    assert_eq!(before, axis(&mut stage));
    assert_eq!(near, axis(stage.act(&[More])));
}

/// A pasted newline is a space between words, and pasted text is not taken for keys.
#[test]
fn a_paste_is_text_where_text_is_typed() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Filter]);
    stage.feed(AppInput::Paste("user=ann\npath=node\n".to_owned()));
    assert!(stage.see().contains("/user=ann path=node"), "{}", stage.see());
    stage.act(&[Action::Close]);
    stage.feed(AppInput::Paste("q\n".to_owned()));
    assert!(stage.see().contains("paste ignored"), "{}", stage.see());
}

/// Console.md 6, Large: from 20,000 rows on, a worker applies a filter, and the first hits are shown at once.
#[test]
fn a_filter_over_a_very_long_queue_is_left_to_a_worker() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    put("nodes.toml", "[[node]]\nname = \"n1\"\navailable = { ncpus = 4 }\n");
    let job = |id: usize| {
        let user = if id % 10_000 == 9_999 { "zoe" } else { "ann" };
        format!(
            "[[job]]\nid = \"{id}\"\nuser = \"{user}\"\nqueue = \"q\"\nselect = \"1:ncpus=4\"\nstate = \"H\"\n"
        )
    };
    // Held jobs are no part of the cycle, and below a heading.
    let jobs: String = (0..20_500).map(job).collect();
    put("queue.toml", &format!("now = 1763700000\n[[queue]]\nname = \"q\"\n{jobs}"));
    let mut stage = Stage::open_at(folder.path(), 120, 40);
    stage.act(&[Filter]).type_in("user=zo");
    let update = stage.app.update(AppInput::Letter('e'));
    assert!(update.effects.iter().any(|effect| matches!(effect, Effect::Compute(_))));
    assert_eq!(stage.cycle().rows.len(), 0, "the first 4,000 have none");
    assert!(
        stage.see().contains("filtering ...") && stage.see().contains("0 rows so far"),
        "{}",
        stage.see()
    );
    // A key later the answer to the one before is not wanted any more.
    stage.app.update(AppInput::Action(Action::DeleteBack));
    stage.feed(AppInput::Letter('e'));
    assert_eq!(stage.cycle().rows.len(), 1 + 2);
    assert!(!stage.see().contains("filtering"), "{}", stage.see());
    assert_eq!(stage.subject(), "9999");
    stage.act(&[Action::DeleteAll]).type_in("user=an");
    stage.app.update(AppInput::Letter('n'));
    assert_eq!(stage.cycle().rows.len(), 1 + 4000, "the first hits at once");
    stage.act(&[Action::Close]);
    assert_eq!(stage.cycle().rows.len(), 1 + 20_500);
}

/// Console.md 6, Large: what takes longer than a key is done after the picture. The map of 20,000 nodes is shown
/// before their names, their table before it is reordered.
#[test]
fn very_many_nodes_are_shown_before_what_is_made_of_their_names() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let node =
        |id: usize| format!("[[node]]\nname = \"n{id:05}\"\navailable = {{ ncpus = {} }}\n", 4 + id % 3);
    put("nodes.toml", &(0..20_000).map(node).collect::<String>());
    put("queue.toml", "now = 1763700000\n[[queue]]\nname = \"q\"\n");
    let mut stage = Stage::open_at(folder.path(), 200, 60);
    let computed = |effect: &Effect| match effect {
        Effect::Compute(task) => Some(task.clone()),
        _ => None,
    };
    let update = stage.app.update(AppInput::Action(View2));
    let seen = stage.see();
    assert!(seen.contains("Nodes by bucket") && seen.contains("20000 of 20000 free"), "{seen}");
    assert!(!seen.contains("in name order"), "{seen}");
    stage.compute(update.effects.iter().find_map(computed).unwrap());
    assert!(stage.see().contains("in name order"), "{}", stage.see());
    stage.act(&[Action::Toggle]);
    stage.act(&[Sort]);
    assert!(stage.see().contains("▸ 1/20000 · sort vnode ▴"), "{}", stage.see());
    let update = stage.app.update(AppInput::Action(SortReverse));
    assert!(stage.see().contains("sorting ... · sort vnode ▾"), "{}", stage.see());
    stage.compute(update.effects.iter().find_map(computed).unwrap());
    assert!(stage.see().contains("▸ 20000/20000 · sort vnode ▾"), "{}", stage.see());
    // Groups have rows and no headings of others, also where a filter comes to the rows in parts.
    stage.act(&[ToggleMap, Action::Filter]).type_in("ncpus=");
    for input in [AppInput::Letter('5'), AppInput::Action(Action::Accept), AppInput::Action(Action::Home)] {
        stage.feed(input);
    }
    let seen = stage.see();
    assert!(seen.contains("6667 vnodes · free") && seen.contains("6667 of 20000"), "{seen}");
    // The next match is a node.
    stage.act(&[Action::End, Action::NextMatch]);
    assert!(stage.see().contains("▸n19999"), "{}", stage.see());
}
