//! The view that explains a job: reached by one key from everywhere, foldable, copied, with links and the way back.

use qscope::console::action::Action;
use qscope::console::app::{App, AppInput};
use qscope::console::views::{Effect, ViewName};

use crate::console_cycle::Stage;
use Action::{AskWhy, Back, Down, End, Fold, FoldAll, Home, NextPane, Palette, Right, Select, Up};

/// Opens the answer for a job of the sample that has one of each kind.
fn ask(job: &str, width: u16, height: u16) -> Stage {
    let mut stage = Stage::open("why", width, height);
    stage.act(&[Palette]).type_in(&format!("job {job}"));
    stage.act(&[Action::Accept, AskWhy]);
    assert_eq!(stage.app.view(), ViewName::Why);
    stage
}

#[test]
fn a_fragmented_a_calendar_blocked_and_a_never_job() {
    for (job, name) in [("12", "fragmented"), ("11", "calendar"), ("13", "never")] {
        for (width, height) in [(80, 24), (200, 60)] {
            ask(job, width, height).screen(&format!("why-{name}-{width}x{height}"));
        }
    }
}

#[test]
fn a_line_leads_to_what_it_names_and_back_to_the_same_line() {
    let mut stage = ask("11", 80, 24);
    while !stage.see().contains("Enter: job 10") {
        stage.act(&[Down]);
    }
    let before = stage.see();
    stage.act(&[Select]);
    assert_eq!((stage.app.view(), &*stage.subject()), (ViewName::Page, "10"));
    stage.act(&[Back]);
    assert_eq!(stage.app.view(), ViewName::Why);
    // Job 10 is selected by now; the answer is the one that was left.
    assert_eq!(stage.see().lines().skip(2).collect::<Vec<_>>(), before.lines().skip(2).collect::<Vec<_>>());
    // The chain: why is the job in the way waiting itself.
    stage.act(&[AskWhy]);
    assert!(stage.see().contains("Why 10 does not run"), "{}", stage.see());
    stage.act(&[Back]);
    assert!(stage.see().contains("Why 11 does not run"), "{}", stage.see());
}

#[test]
fn a_node_on_a_line_is_asked_for_the_sake_of_the_job() {
    let mut stage = ask("12", 80, 24);
    while !stage.see().contains("Enter: node g1") {
        stage.act(&[Down]);
    }
    stage.act(&[AskWhy]);
    let seen = stage.see();
    assert!(seen.contains("g1: 12 refused at ngpus ≥ 4 left"), "{seen}");
    assert!(seen.contains("fails ngpus ≥ 4 left: 3 left of 4"), "{seen}");
    stage.screen("why-node-80x24");
    stage.act(&[Back]);
    assert!(stage.see().contains("Why 12 does not run"), "{}", stage.see());
}

#[test]
fn the_next_waiting_job_is_one_key_away() {
    let mut stage = Stage::open("why", 80, 24);
    stage.act(&[AskWhy]);
    let title =
        |stage: &mut Stage| stage.see().lines().find(|line| line.contains("┏ Why")).unwrap().to_owned();
    let first = title(&mut stage);
    stage.act(&[Action::NextLine]);
    let second = title(&mut stage);
    assert_ne!(first, second);
    stage.act(&[Action::PreviousLine]);
    assert_eq!(title(&mut stage), first);
    stage.act(&[Action::PreviousLine]);
    assert!(stage.see().contains("no other that way"), "{}", stage.see());
}

#[test]
fn every_view_with_jobs_or_nodes_asks_by_the_same_key() {
    for (view, title) in [
        (ViewName::Nodes, "n1: 10 refused at "),
        (ViewName::Calendar, "Why 10 does not run"),
        (ViewName::Policies, "Why 10 does not run"),
    ] {
        let mut stage = Stage::open("why", 80, 24);
        stage.act(&[Palette]).type_in(view.word());
        stage.act(&[Action::Accept]);
        assert_eq!(stage.app.view(), view);
        stage.act(&[AskWhy]);
        assert!(stage.see().contains(title), "{view:?}\n{}", stage.see());
    }
    let mut stage = Stage::open("why", 80, 24);
    stage.act(&[Palette]).type_in("buckets").act(&[Action::Accept, AskWhy]);
    assert!(stage.see().contains("this is a bucket"), "{}", stage.see());
    let mut stage = Stage::open("why", 80, 24);
    stage.act(&[Action::ToggleMap, AskWhy]);
    assert!(stage.see().contains("10 refused at "), "{}", stage.see());
}

#[test]
fn sections_fold_and_stay_folded_for_the_next_job() {
    let mut stage = ask("13", 80, 24);
    assert!(stage.see().contains("PBS comment · agrees"), "{}", stage.see());
    stage.act(&[Fold]);
    assert!(!stage.see().contains("PBS comment · agrees"), "{}", stage.see());
    stage.act(&[FoldAll, End]);
    assert!(stage.see().contains("✗ chunk 1"), "{}", stage.see());
    stage.act(&[FoldAll]);
    assert!(!stage.see().contains("before  after"), "{}", stage.see());
    stage.act(&[Home, Right]);
    assert!(stage.see().contains("PBS comment · agrees"), "{}", stage.see());
}

#[test]
fn the_answer_is_copied_as_text_and_as_markdown() {
    let mut stage = ask("13", 80, 24);
    let mut copied = |action| match stage.app.update(AppInput::Action(action)).effects.pop() {
        Some(Effect::Copy(_, clip)) => clip.to_string(),
        other => panic!("{other:?}"),
    };
    let text = copied(Action::Copy);
    let cause = "80gb mem in each chunk, and the most that any of 9 nodes has is 64gb (g1)";
    assert!(
        text.starts_with(&format!("can never run: {cause}\n  PBS comment · agrees: Not Running: ")),
        "{text}"
    );
    assert_eq!(text.matches("80gb mem in each chunk").count(), 1, "{text}");
    let markdown = copied(Action::CopyMarkdown);
    assert!(markdown.starts_with("### can never run: 80gb mem in each chunk, and "), "{markdown}");
    assert_eq!(markdown.matches("80gb mem in each chunk").count(), 1, "{markdown}");
}

#[test]
fn what_takes_long_is_stopped_and_continued() {
    let mut stage = Stage::open("why", 80, 24);
    stage.act(&[Palette]).type_in("job 12");
    stage.act(&[Action::Accept]);
    let tasks = |update: qscope::console::views::Update| -> Vec<_> {
        let task = |effect| if let Effect::Compute(task) = effect { Some(task) } else { None };
        update.effects.into_iter().filter_map(task).collect()
    };
    let asked = tasks(stage.app.update(AppInput::Action(AskWhy)));
    assert_eq!(
        asked.len(),
        6,
        "the cause, where settings stand, what blocks it, when, what helps, who waits for it"
    );
    assert!(stage.see().contains("computing"), "{}", stage.see());
    stage.app.update(AppInput::Action(Action::Close));
    for task in asked {
        task.run(&|news| panic!("cancelled, and yet {news:?}"));
    }
    assert!(stage.see().contains("r continues"), "{}", stage.see());
    stage.act(&[Action::Reload]);
    assert!(stage.see().contains("8 ngpus are"), "{}", stage.see());
}

#[test]
fn a_filter_keeps_lines_and_two_columns_are_two_panes() {
    let mut stage = ask("12", 80, 24);
    stage.act(&[Action::Filter]).type_in("ngpus");
    stage.act(&[Action::Accept]);
    assert!(!stage.see().contains("Blocked by"), "{}", stage.see());
    assert!(stage.see().contains("ngpus=4"), "{}", stage.see());
    let mut stage = ask("12", 200, 60);
    stage.act(&[NextPane, Down]);
    let right = stage.see();
    stage.act(&[NextPane, Up]);
    assert_ne!(right, stage.see());
}

/// From 56 rows on the queue stays visible below the answer: its cursor is on the explained job, and moving it
/// explains the next one.
#[test]
fn the_queue_stays_below_and_its_cursor_explains_job_after_job() {
    let queue = |stage: &mut Stage| {
        let seen = stage.see();
        let below: Vec<String> =
            seen.lines().skip_while(|line| !line.contains("Queue, in the")).map(String::from).collect();
        below
    };
    let on =
        |rows: &[String]| rows.iter().find(|line| line.contains('▸') && !line.contains("Queue")).cloned();
    let mut stage = ask("12", 200, 60);
    let first = on(&queue(&mut stage)).unwrap();
    assert!(first.contains(" 12 ") && first.contains("fragmented"), "{first}");
    // The next waiting job by its key: the cursor goes with it.
    stage.act(&[Action::NextLine]);
    assert!(stage.see().contains("Why 13 does not run"), "{}", stage.see());
    assert!(on(&queue(&mut stage)).unwrap().contains(" 13 "), "{}", stage.see());
    stage.act(&[Action::PreviousLine]);
    // Both columns of the answer, then the queue.
    stage.act(&[NextPane, NextPane, Down]);
    assert!(stage.see().contains("┏ Queue, in the order considered"), "{}", stage.see());
    assert!(stage.see().contains("Why 13 does not run"), "{}", stage.see());
    assert_eq!(stage.subject(), "13");
    // A job that runs is explained too.
    stage.act(&[End]);
    assert!(on(&queue(&mut stage)).unwrap().contains("runs"), "{}", stage.see());
    stage.act(&[Home]);
    let before = queue(&mut stage).len();
    stage.act(&[Action::PreviousPane, Down]);
    assert!(stage.see().contains("┌ Queue, in the order considered"), "{}", stage.see());
    assert_eq!(queue(&mut stage).len(), before, "the border stays where it is");
    stage.act(&[NextPane, Select]);
    assert_eq!(stage.app.view(), ViewName::Page);
    let seen = ask("12", 200, 55).see();
    assert!(!seen.contains("Queue, in the order"), "{seen}");
}

/// With this filter the queue is a picture without rows, in which there is no cursor.
#[test]
fn the_panes_that_have_rows_are_gone_through_both_ways() {
    for key in [NextPane, Action::PreviousPane] {
        let mut stage = Stage::open("sets-8", 200, 60);
        stage.act(&[Action::NextWaiting, AskWhy, Action::Filter]).type_in("7").act(&[Action::Accept]);
        let focused = |seen: &str| seen.contains("┏ Queue");
        assert!(!focused(&stage.see()));
        // The alert stands behind the last pane.
        let before = usize::from(key == Action::PreviousPane);
        stage.act(&vec![key; before]);
        assert!(stage.feed(AppInput::Action(key)) && focused(&stage.see()), "{}", stage.see());
        stage.act(&vec![key; 1 - before]);
        assert!(stage.feed(AppInput::Action(key)) && !focused(&stage.see()), "{}", stage.see());
    }
}

/// Console.md 3, Why at 120×40: cause and proof are on the left; on the right the start, the nodes over time, and
/// what would let it start, with further pages. The cursor moves through the right column as through a single list.
#[test]
fn cause_proof_picture_and_remedies_stand_on_a_screen_of_120_columns() {
    let mut stage = Stage::open("campus", 120, 40);
    let seen = stage.act(&[Action::NextWaiting, AskWhy]).see();
    let column = |of: &str| {
        let line = seen.lines().find(|line| line.contains(of)).unwrap_or_else(|| panic!("{of}\n{seen}"));
        line.split(of).next().unwrap_or_default().chars().count()
    };
    let left = ["Nodes lost at each condition", "Blocked by", "The decision, stage by stage"].map(column);
    assert!(left.iter().all(|at| *at < 60), "{left:?}\n{seen}");
    let right = ["When", "Nodes × time, after this cycle", "free nodes", "Starts now if"].map(column);
    assert!(right.iter().all(|at| *at > 60), "{right:?}\n{seen}");
    stage.screen("why-campus-120x40");
    // Down from the start to what would change it, and back up.
    let under = |stage: &mut Stage| {
        let line = stage.see().lines().find(|line| line.contains('▸')).map(str::to_owned).unwrap_or_default();
        line.rsplit_once('▸').map(|(_, rest)| rest.trim().to_owned()).unwrap_or_default()
    };
    stage.act(&[NextPane]);
    assert!(under(&mut stage).starts_with("When"), "{}", stage.see());
    let mut steps = 0;
    while !under(&mut stage).starts_with("Starts now if") {
        stage.act(&[Down]);
        steps += 1;
        assert!(steps < 9, "{}", stage.see());
    }
    for _ in 0..steps {
        stage.act(&[Up]);
    }
    assert!(under(&mut stage).starts_with("When"), "{}", stage.see());
    stage.act(&[End]);
    assert!(!stage.see().contains(" PgDn: ") || under(&mut stage).contains("add "), "{}", stage.see());
    let last = under(&mut stage);
    stage.act(&[Home]);
    assert!(under(&mut stage).starts_with("When") && !last.starts_with("When"), "{last}");
    assert!(!stage.act(&[NextPane]).see().contains("When ▸"));
}

#[test]
fn a_job_named_with_a_node_counts_also_where_that_node_is_explained_already() {
    let mut stage = Stage::open("campus", 80, 24);
    let run = |stage: &mut Stage, line: &str| {
        stage.act(&[Palette]).type_in(line);
        stage.act(&[Action::Accept]).see()
    };
    let seen = run(&mut stage, "why n012");
    assert!(seen.contains("n012: 28 refused at "), "{seen}");
    let seen = run(&mut stage, "why 16 n012");
    assert!(seen.contains("n012: 16 refused at "), "{seen}");
    let seen = run(&mut stage, "why 10 n012");
    assert!(seen.contains("n012: 10 refused at "), "{seen}");
}

/// Console.md 3.1: the first line has the cause, also where that is no comparison of two numbers; the line below it, which
/// would repeat it, is there where the first is cut.
#[test]
fn the_first_line_has_the_cause_of_what_is_never_or_stopped() {
    let cases = [
        ("c13-odd", "172", "✗ can never run: 0 of 28 nodes have color=dark red"),
        ("c06-limits", "107", "✗ can never run: 9 lic_cfd requested of the server, which has"),
        ("c05-reservations", "77", "✗ can never run: 3 chunks of ncpus=8 requested, and 2 nodes"),
    ];
    for (name, job, cause) in cases {
        let case = crate::real::named(name);
        let disk = case.on_disk();
        for (width, height) in [(80, 24), (120, 40), (200, 60)] {
            let mut stage = Stage::open_at(&disk.path().join("before"), width, height);
            stage.command(&format!("why {job}"));
            let seen = stage.see();
            let at = seen.lines().position(|line| line.contains("✗ can never run")).unwrap();
            let first = seen.lines().nth(at).unwrap();
            assert!(first.contains(cause), "{seen}");
            let words = cause.trim_start_matches("✗ can never run: ");
            let below = seen.lines().skip(at + 1).take(8).filter(|line| line.contains(words)).count();
            assert_eq!(below, usize::from(first.contains('…')), "{seen}");
        }
    }
    // A stopped queue can be opened from there.
    let mut stage = Stage::open("campus", 200, 60);
    let seen = stage.command("why 29").see();
    assert!(seen.contains("stopped: queue stopped is stopped (started=False): none of its jobs"), "{seen}");
    assert!(seen.contains("Enter: queue stopped"), "{seen}");
    stage.act(&[Select]);
    assert!(stage.see().contains("Queue stopped"), "{}", stage.see());
}
