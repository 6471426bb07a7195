//! The content of a screen is complete: ends of messages, the age of what was read, marks of guesses, and the meaning
//! of signs and counts.

use std::collections::BTreeSet;
use std::path::Path;

use qscope::cluster::Epoch;
use qscope::console::action::Action;
use qscope::console::app::{App, AppInput};
use qscope::console::views::ViewName;
use qscope::session::SessionEvent;

use crate::console_cycle::{Stage, line, read, sample};
use Action::{Accept, Palette};

/// Opens a folder of a topic.
fn topic(name: &str, width: u16, height: u16) -> Stage {
    Stage::open_at(&Path::new("tests/cases/topics").join(name), width, height)
}

/// Next to a decision the numbers leave little room for the names of buckets.
#[test]
fn buckets_beside_a_decision_that_are_cut_differ() {
    let mut stage = Stage::open("campus", 120, 40);
    let seen = stage.command("go 5").see();
    let from = seen.lines().position(|line| line.contains("│   bucket ")).unwrap();
    let rows = seen.lines().skip(from + 1).map_while(|line| line.get(..).filter(|line| line.contains('=')));
    let names: Vec<String> = rows.map(|line| line.chars().skip(3).take(18).collect()).collect();
    let unlike: BTreeSet<&String> = names.iter().collect();
    assert!(names.len() > 4 && names.iter().any(|name| name.contains('…')), "{seen}");
    assert_eq!(unlike.len(), names.len(), "{seen}");
}

/// An error in a filter ends with the valid values: it is shown in full, above the text.
#[test]
fn a_mistake_in_a_filter_is_shown_to_its_end() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Action::View2, Action::Filter]).type_in("state=freeeeeeeeeeeeeeeeeee");
    let seen = stage.see();
    assert!(seen.contains("✗ state has no value freeee") && seen.contains("maintenance sleep"), "{seen}");
    let last = seen.lines().last().unwrap();
    assert!(last.starts_with(" /state=free") && !last.contains('…'), "{seen}");
    // A short one stands behind the text, as far as there is room.
    stage.act(&[Action::Close, Action::Filter]).type_in("ncpus>=x");
    let seen = stage.see();
    assert!(seen.lines().last().unwrap().contains("^ "), "{seen}");
    // And so in the command line.
    stage.act(&[Action::Close]);
    let seen = stage.command("filter state=freeeeeeeeeeeeeeeeeee").see();
    assert!(seen.contains("state has no value freeee") && seen.contains("maintenance sleep"), "{seen}");
}

/// The first line has the age of the data shown; the lists of problems and files state that it is old.
#[test]
fn old_data_are_a_problem_with_the_age_of_the_last_good_reading() {
    let mut stage = Stage::open("campus", 120, 40);
    let fresh = stage.act(&[Action::Warnings]).see();
    assert!(!fresh.contains("old data"), "{fresh}");
    let folder = tempfile::tempdir().unwrap();
    let campus = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/campus");
    for entry in std::fs::read_dir(campus).unwrap() {
        let from = entry.unwrap().path();
        let name = from.file_name().unwrap().to_owned();
        if name != "now" {
            std::fs::copy(&from, folder.path().join(name)).unwrap();
        }
    }
    let generation = read(folder.path(), 1);
    let count = |seen: &str| {
        seen.lines().nth(1).and_then(|tabs| tabs.rsplit("! ").next()?.split(' ').next()?.parse().ok())
    };
    for (hours, is_old) in [(0, false), (3, true)] {
        let now = Epoch(generation.snapshot.now.0 + hours * 3_600);
        let mut stage = Stage::empty(120, 40, now);
        stage.load(generation.clone());
        let seen = stage.act(&[Action::Warnings]).see();
        assert_eq!(seen.contains("~ old data"), is_old, "{seen}");
        if is_old {
            assert!(line(&seen, "old data").contains(", 3h old: no newer data"), "{seen}");
        }
        let all = seen.lines().filter(|line| {
            ["✗ ", "! ", "~ "].iter().any(|sign| {
                line.trim_start_matches(['┃', '▸', ' ']).starts_with(sign) && line.starts_with('┃')
            })
        });
        assert_eq!(count(&seen), Some(all.count()), "the number beside the tabs: {seen}");
        let seen = stage.act(&[Action::Files]).see();
        assert_eq!(seen.contains("! data of "), is_old, "{seen}");
    }
}

/// While readings fail, the box of files states the age of the data shown.
#[test]
fn the_age_of_what_is_shown_stands_beside_a_reading_that_failed() {
    let mut stage = Stage::open("campus", 120, 40);
    let at = std::time::SystemTime::UNIX_EPOCH;
    let failed = SessionEvent::Failed { message: "nodes.json: torn".to_owned(), missing_file: None, at };
    stage.app.update(AppInput::Message(failed.into()));
    let words = "last good reading 0s ago: data of 01:57:26, 41s old";
    let seen = stage.act(&[Action::Files]).see();
    assert!(seen.contains(words), "{seen}");
    let seen = stage.act(&[Action::Close, Action::Warnings]).see();
    assert!(line(&seen, "~ old data").contains(words), "{seen}");
}

/// The state of nodes before and after is drawn as on the map, with the map's legend for the signs that occur.
#[test]
fn nodes_of_a_difference_have_the_signs_of_the_map_and_their_legend() {
    let mut stage = Stage::open("campus", 80, 24);
    let seen = stage.act(&[Action::Changes, Action::End]).see();
    let has_sign = |line: &&str| ["▄ free, ", "▆ free, ", "█ free, "].iter().any(|sign| line.contains(sign));
    // The line of the selected row has words only.
    let is_row = |line: &&str| line.contains("┃ n") && line.contains(" free, ") && !line.contains(" → ");
    let nodes: Vec<&str> = seen.lines().filter(is_row).collect();
    assert!(nodes.len() > 3 && nodes.iter().all(has_sign), "{seen}");
    assert!(seen.contains("▄ free, ") && seen.contains("· job-busy, "), "{seen}");
    let legend = seen.lines().rev().nth(1).unwrap();
    assert!(legend.contains("█ free") && legend.contains("· full"), "{seen}");
    assert_eq!(legend.contains("▁…▇ part"), seen.contains(['▁', '▂', '▃', '▄', '▅', '▆', '▇']), "{seen}");
}

/// The jobs of a reason have their placement and walltime, as far as there is room.
#[test]
fn the_jobs_of_a_reason_have_their_place_and_walltime() {
    for (width, height, place) in [(80, 24, false), (200, 60, true)] {
        let mut stage = Stage::open("campus", width, height);
        let seen = stage.act(&[Action::View8, Action::Select]).see();
        assert_eq!((seen.contains(" place "), seen.contains(" walltime ")), (place, true), "{seen}");
    }
}

/// A reason that was not analysed has the same mark on a page as in a list.
#[test]
fn a_guess_is_marked_on_pages_too() {
    let one = sample("why");
    let mut stage = Stage::empty(120, 40, one.snapshot.now);
    // Nothing is computed: reasons are the first condition met.
    stage.app.update(AppInput::Message(SessionEvent::Loaded(one.clone()).into()));
    let waits = one.run.steps.iter().find(|step| step.outcome.placed.is_none()).unwrap();
    let job = waits.outcome.name(&one.snapshot);
    let mut open = |line: &str| {
        stage.act(&[Palette]).type_in(line);
        stage.app.update(AppInput::Action(Accept));
        stage.see()
    };
    let seen = open(&format!("job {job}"));
    assert!(line(&seen, "reason ").contains("≈ ") && line(&seen, "┏ Job ").contains(" · ≈ "), "{seen}");
    let queue = one.run.plan.job(waits.outcome.job).queue.to_string();
    let seen = open(&format!("queue {queue}"));
    assert!(seen.contains("Waiting after this cycle: ≈ "), "{seen}");
}

/// A step is a turn, of which an array has one for each subjob that starts; jobs are counted once.
#[test]
fn steps_and_jobs_considered_are_named_where_their_numbers_differ() {
    let mut stage = topic("job_array", 80, 24);
    let seen = stage.see();
    assert!(seen.lines().next().unwrap().contains("· step 0/6 ·"), "{seen}");
    let seen = stage.command("job 2").see();
    assert!(
        line(&seen, "┃ order ").contains("2 of 2 jobs considered, each counted once · step 6 of 6"),
        "{seen}"
    );
    // Where they are equal, one number is enough.
    let mut stage = Stage::open("why", 80, 24);
    let job = stage.subject();
    let seen = stage.command(&format!("job {job}")).see();
    assert!(!line(&seen, "┃ order ").contains("step") && !seen.contains("counted once"), "{seen}");
}

/// The answer is about the requested subjob, although no dump lists it separately.
#[test]
fn a_subjob_in_no_dump_is_explained_itself() {
    let mut stage = topic("job_array", 120, 40);
    let seen = stage.command("why 1[1]").see();
    assert_eq!(stage.app.view(), ViewName::Why, "{seen}");
    assert!(
        seen.contains("1[1] does not wait") && seen.contains("1[1] of the array 1[] starts in this cycle"),
        "{seen}"
    );
    assert!(!seen.contains("Blocked by") && !seen.contains("Starts now if"), "{seen}");
    let seen = stage.command("why 1[4]").see();
    assert!(
        seen.contains("Why 1[4] does not run") && seen.contains("1[4] waits as one of its array"),
        "{seen}"
    );
    assert!(seen.contains("Blocked by"), "{seen}");
    // It stays, whatever is selected with it, and the way back leads to the one before.
    let seen = stage.act(&[Action::Back]).see();
    assert!(seen.contains("1[1] does not wait"), "{seen}");
    let seen = stage.command("why 1[]").see();
    assert!(seen.contains("Why 1[4-5] does not run") && !seen.contains("this is about"), "{seen}");
    let seen = stage.command("why 1[1-3]").see();
    assert!(seen.contains("1[1-3] of the array 1[] start in this cycle"), "{seen}");
    let seen = stage.command("why 1[4-5]").see();
    assert!(seen.contains("Why 1[4-5] does not run") && !seen.contains("this is about"), "{seen}");
    let seen = stage.command("why 1[77]").see();
    assert!(seen.contains("no job 1[77]"), "{seen}");
}
