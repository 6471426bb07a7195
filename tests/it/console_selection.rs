//! The selected job is the same in the whole program: filters and views keep it, and steps begin at it; and the
//! targets of links (console.md 2.2, 2.4).

use qscope::console::action::Action;
use qscope::console::views::ViewName;

use crate::console_cycle::Stage;
use Action::{
    AskWhy, Back, Close, Down, End, Filter, FirstStep, Home, Palette, QuickFilter, Select, SetMark,
    StepForward, TwoPaths, Up, View1, View3, View5, View6, View7, View8, WhatIf,
};

/// Returns the row under the cursor.
fn under_cursor(stage: &mut Stage) -> String {
    let seen = stage.see();
    let row = seen.lines().find_map(|line| line.strip_prefix("┃▸")?.split_whitespace().next());
    row.unwrap_or_else(|| panic!("no cursor\n{seen}")).to_owned()
}

fn explain(stage: &mut Stage, job: &str) {
    stage.act(&[Palette]).type_in(&format!("why {job}")).act(&[Action::Accept]);
}

#[test]
fn steps_begin_at_the_selected_job() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Down, Down, Down]);
    let job = stage.subject();
    stage.act(&[StepForward]);
    assert_eq!((stage.position(), stage.subject()), (4, job.clone()), "{}", stage.see());
    // From there they go on, and from the start at the first job.
    stage.act(&[StepForward]);
    assert_eq!(stage.position(), 5);
    stage.act(&[FirstStep, StepForward]);
    assert_eq!(stage.position(), 1);
    // The same from the answer about a job, and from the list of jobs.
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Down, Down, Down, AskWhy, StepForward]);
    assert_eq!((stage.position(), stage.subject()), (4, job.clone()));
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[View3, Filter]).type_in(&format!("job={}", job.split('.').next().unwrap()));
    stage.act(&[Action::Accept, StepForward]);
    assert_eq!((stage.position(), stage.subject()), (4, job));
    // A count is of steps, the first of them that of the selected job.
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Down, Down, Down, Action::Number]).key('2').key('.');
    assert_eq!(stage.position(), 5);
}

#[test]
fn a_job_chosen_in_the_list_of_jobs_is_selected_everywhere() {
    let mut stage = Stage::open("campus", 80, 24);
    let first = stage.subject();
    stage.act(&[View3, View1]);
    assert_eq!(stage.subject(), first, "where the cursor did not move nothing is selected");
    stage.act(&[View3]).act(&[Down; 16]);
    let chosen = under_cursor(&mut stage);
    stage.act(&[View8, View1]);
    assert!(stage.subject().starts_with(&format!("{chosen}.")), "{}", stage.see());
    stage.act(&[View3]);
    assert_eq!(under_cursor(&mut stage), chosen);
    // What is stepped to is selected then, not what the cursor of the list went to before.
    stage.act(&[Home, Down, StepForward, StepForward]);
    let stepped = stage.subject();
    stage.act(&[View1]);
    assert_eq!(stage.subject(), stepped);
}

#[test]
fn a_filter_leaves_the_selection_where_it_was() {
    for (view, hiding) in [(View3, "zzz"), (View3, "user=bob"), (Action::View2, "zzz")] {
        let mut stage = Stage::open("campus", 80, 24);
        stage.act(&[view]);
        if view == Action::View2 {
            stage.act(&[Action::Toggle]);
        }
        stage.act(&[Home]).act(&[Down; 10]);
        let row = under_cursor(&mut stage);
        stage.act(&[Filter]).type_in(hiding);
        assert!(!stage.see().contains(&format!("▸{row} ")), "{}", stage.see());
        stage.act(&[Close]);
        assert_eq!(under_cursor(&mut stage), row, "{hiding}");
        // Moved among what is kept, it stays there.
        if hiding == "user=bob" {
            stage.act(&[Filter]).type_in(hiding).act(&[Action::Accept, Home, Down]);
            let moved = under_cursor(&mut stage);
            stage.act(&[Close]);
            assert_eq!(under_cursor(&mut stage), moved);
        }
    }
}

/// The same in the queue, whose selected job is that of the whole program.
#[test]
fn a_filter_given_up_leaves_the_selected_job() {
    for hiding in ["user=bob", "state=W", "zzz"] {
        let mut stage = Stage::open("campus", 80, 24);
        let job = stage.subject();
        stage.act(&[Filter]).type_in(hiding).act(&[Close]);
        assert_eq!(stage.subject(), job, "{hiding}");
        stage.act(&[Filter]).type_in(hiding).act(&[Action::Accept, Close]);
        assert_eq!(stage.subject(), job, "{hiding}");
        // Moved among the matches, it stays there.
        stage.act(&[Filter]).type_in("user=bob").act(&[Action::Accept, Down]);
        let moved = stage.subject();
        stage.act(&[Close]);
        assert_eq!(stage.subject(), moved, "{hiding}");
    }
}

#[test]
fn a_job_that_was_not_considered_opens_its_page() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[End, Select]);
    assert_eq!(stage.app.view(), ViewName::Page, "{}", stage.see());
}

/// Only on the untouched first screen why is about the first job that waits (console.md 8.3).
#[test]
fn why_explains_the_first_job_once_it_was_chosen() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[AskWhy]);
    assert!(stage.see().contains("Why 10 does not run"), "{}", stage.see());
    stage.act(&[Back, AskWhy]);
    assert!(stage.see().contains("28 does not wait"), "{}", stage.see());
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Down, Up, AskWhy]);
    assert!(stage.see().contains("28 does not wait"), "{}", stage.see());
}

/// Why is about the selected job, which the title names; Enter opens the job that the row names first.
#[test]
fn the_calendar_explains_the_selected_job_and_opens_the_one_of_the_row() {
    let mut stage = Stage::open("campus", 80, 24);
    explain(&mut stage, "16");
    stage.act(&[View6]);
    let seen = stage.see();
    assert!(seen.contains("selected 16") && seen.contains("▓2 +1"), "{seen}");
    stage.act(&[AskWhy]);
    assert!(stage.see().contains("Why 16 does not run"), "{}", stage.see());
    stage.act(&[View6, Select]);
    assert!(stage.see().contains("Job 2 "), "{}", stage.see());
}

#[test]
fn every_row_of_the_calendar_opens_a_page() {
    for row in 0..8 {
        let mut stage = Stage::open("calendar", 80, 24);
        stage.act(&[View6]).act(&vec![Down; row]).act(&[Select]);
        assert_eq!(stage.app.view(), ViewName::Page, "{row}\n{}", stage.see());
    }
}

/// If a link leads to a decision, the first line names its step.
#[test]
fn a_decision_that_is_gone_to_stands_at_its_step() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[View8, Select, Select]);
    let seen = stage.see();
    assert_eq!(stage.app.view(), ViewName::Cycle, "{seen}");
    let step = format!("step {} ", stage.position());
    assert!(seen.contains("Decision") && seen.contains(&step), "{seen}");
    assert!(seen.lines().next().unwrap().contains(&format!("STEP {}/", stage.position())), "{seen}");
    // The way back does not step.
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Down, Down, View5, Back]);
    assert_eq!((stage.app.view(), stage.position()), (ViewName::Cycle, 0), "{}", stage.see());
}

#[test]
fn a_link_in_an_answer_opens_its_page() {
    let mut stage = Stage::open("why", 80, 24);
    explain(&mut stage, "11");
    stage.act(&[End, Up, Up, Up, Up]);
    let seen = stage.see();
    assert!(seen.contains("Enter: node n3"), "{seen}");
    stage.act(&[Select]);
    let seen = stage.see();
    assert!(stage.app.view() == ViewName::Page && seen.contains("Node n3"), "{seen}");
}

#[test]
fn both_paths_are_compared_from_an_answer() {
    let mut stage = Stage::open("why", 80, 24);
    explain(&mut stage, "11");
    let seen = stage.act(&[TwoPaths]).see();
    assert_eq!(stage.app.view(), ViewName::Cycle, "{seen}");
    assert!(seen.contains("Both paths for 11"), "{seen}");
    assert!(stage.position() > 0, "{seen}");
    stage.act(&[Back]);
    assert_eq!(stage.app.view(), ViewName::Why);
    explain(&mut stage, "n3");
    let seen = stage.act(&[TwoPaths]).see();
    assert!(stage.app.view() == ViewName::Why && seen.contains("has two paths to compare"), "{seen}");
}

#[test]
fn a_limit_is_filled_in_for_a_what_if() {
    let mut stage = Stage::open("why", 80, 24);
    stage.act(&[View5, Filter]).type_in("user").act(&[Action::Accept, Home]);
    let seen = stage.act(&[WhatIf]).see();
    assert!(seen.contains(" what if: queue.short.max_run=[u:PBS_GENERIC=2]"), "{seen}");
    // On the line of a queue its name.
    let mut stage = Stage::open("why", 80, 24);
    stage.act(&[View5, Filter]).type_in("night").act(&[Action::Accept, Home]);
    let seen = stage.act(&[WhatIf]).see();
    assert!(seen.contains(" what if: queue.night."), "{seen}");
}

/// Only a changed setting can be tried: `qrun` is not one.
#[test]
fn the_keys_of_an_answer_promise_no_change_without_a_setting() {
    let mut stage = Stage::open("why", 80, 24);
    explain(&mut stage, "11");
    stage.act(&[End, Up, Up, Up, Up]);
    let seen = stage.see();
    assert!(seen.contains("▸   3 qrun") && !seen.contains("= try a change"), "{seen}");
    let seen = stage.act(&[Up]).see();
    assert!(seen.contains("= try a change"), "{seen}");
    let seen = stage.act(&[WhatIf]).see();
    assert!(seen.contains(" what if: strict_ordering=False"), "{seen}");
}

#[test]
fn marks_are_set_wherever_one_steps() {
    let keymap = qscope::console::keymap::Keymap::default();
    let key = |letter| {
        crossterm::event::KeyEvent::new(
            crossterm::event::KeyCode::Char(letter),
            crossterm::event::KeyModifiers::NONE,
        )
    };
    for view in [ViewName::Why, ViewName::Board, ViewName::Compare, ViewName::Settings, ViewName::Problems] {
        let context = qscope::console::action::Context::View(view);
        assert_eq!(keymap.resolve(context, key('m')), Some(SetMark), "{view:?}");
        assert_eq!(keymap.resolve(context, key('\'')), Some(Action::Jump), "{view:?}");
    }
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[View7, StepForward, SetMark]).key('a').act(&[FirstStep, View8, Action::Jump]).key('a');
    assert_eq!((stage.app.view(), stage.position()), (ViewName::Board, 1), "{}", stage.see());
}

/// Breakpoints are marked on the strip even if it has only one row.
#[test]
fn breakpoints_stand_on_a_strip_of_one_row() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Palette]).type_in("break path=node").act(&[Action::Accept]);
    let seen = stage.act(&[Close]).see();
    let strip = seen.lines().find(|line| line.starts_with('┗')).unwrap();
    assert!(strip.contains('●'), "{seen}");
}

/// Two filters with the same text are one when cycling through them, with both names.
#[test]
fn filters_kept_twice_do_not_stop_the_key_that_goes_through_them() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[View3, Filter]).type_in("user=bob").act(&[Action::Accept]);
    for name in ["mine", "mine3"] {
        stage.act(&[Palette]).type_in(&format!("filter save {name}")).act(&[Action::Accept]);
    }
    stage.act(&[Close]);
    let mut seen = Vec::new();
    for _ in 0..6 {
        seen.push(stage.act(&[QuickFilter]).see());
    }
    assert!(seen.iter().any(|seen| seen.contains("mine, mine3 · P: next filter")), "{}", seen[4]);
    assert!(seen.iter().any(|seen| seen.contains("all · P: next filter")), "{}", seen[5]);
}

/// Console.md 6, Filter: the title shows the filter, and how many of how many.
#[test]
fn a_filter_is_named_wherever_it_hides_rows() {
    for (command, text) in
        [("board", "never"), ("why 16", "ngpus"), ("job 16", "walltime"), ("node n025", "ncpus")]
    {
        let mut stage = Stage::open("campus", 100, 30);
        stage.command(command).act(&[Filter]).type_in(text).act(&[Action::Accept]);
        let seen = stage.see();
        let note = seen.lines().find_map(|line| line.split_once(&format!("/{text}  ")));
        let (kept, rest) =
            note.and_then(|(_, note)| note.split_once(" of ")).unwrap_or_else(|| panic!("{seen}"));
        let all: String = rest.chars().take_while(char::is_ascii_digit).collect();
        let (kept, all): (usize, usize) = (kept.parse().unwrap(), all.parse().unwrap());
        assert!(0 < kept && kept < all, "{command}\n{seen}");
        let seen = stage.act(&[Close]).see();
        assert!(!seen.contains(&format!("/{text}")), "{command}\n{seen}");
    }
}

/// The keys for the next and previous match act in answers and pages, too.
#[test]
fn the_next_match_is_found_in_answers_and_pages() {
    for (command, text) in [("why 16", "ngpus"), ("job 16", "walltime"), ("board", "never")] {
        let mut stage = Stage::open("campus", 100, 40);
        let marked = |stage: &mut Stage| {
            let seen = stage.see();
            let row = seen.lines().find(|line| line.starts_with("┃▸"));
            row.unwrap_or_else(|| panic!("{command}\n{seen}")).to_owned()
        };
        stage.command(command).act(&[Filter]).type_in(text).act(&[Action::Accept, Action::NextMatch]);
        let first = marked(&mut stage);
        assert!(first.to_lowercase().contains(text), "{command}: {first}");
        // Without the filter it goes on among all rows.
        stage.act(&[Close, Action::NextMatch]);
        let next = marked(&mut stage);
        assert!(next.to_lowercase().contains(text), "{command}: {next}");
        stage.act(&[Action::PreviousMatch]);
        assert!(marked(&mut stage).to_lowercase().contains(text), "{command}");
        assert!(!stage.see().contains("nothing can be searched"), "{}", stage.see());
    }
}
