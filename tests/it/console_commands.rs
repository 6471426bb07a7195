//! The command line, tables, exports and what is saved (console.md 2.3, 4, 6).

use std::path::Path;

use qscope::console::action::Action;
use qscope::console::app::{App, AppInput};
use qscope::console::views::{Effect, ViewName};
use qscope::source::config::Config;

use crate::console_cycle::{Stage, sample};
use Action::{
    Accept, AcceptWhy, Close, Columns, Complete, Down, Export, Palette, Select, Sort, SortReverse, Toggle,
};

/// An object alone means `why` for a waiting job and the page of any other object; an unknown one is reported in
/// place.
#[test]
fn an_object_alone_is_explained_or_opened_and_an_unknown_one_is_answered_in_place() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.command("16");
    assert_eq!(stage.app.view(), ViewName::Why);
    stage.command("n015");
    assert_eq!(stage.app.view(), ViewName::Page);
    stage.act(&[Palette]).type_in("job 541");
    stage.act(&[Accept]);
    assert!(stage.see().contains("no job 541; nearest: 29, 28"), "{}", stage.see());
    assert!(stage.see().contains(":job 541"), "the text stays\n{}", stage.see());
    stage.act(&[Close]);
    stage.act(&[Palette]).type_in("why 1");
    stage.screen("command-80x24");
    stage.act(&[Close, Palette]).type_in("n015");
    stage.act(&[AcceptWhy]);
    assert_eq!(stage.app.view(), ViewName::Why);
}

/// A part of a name is a suggestion and opens nothing by itself; a whole name comes before one that contains it.
#[test]
fn only_an_object_that_is_named_is_opened() {
    let (_disk, mut stage) = crate::console_faults::stage("c04-calendar-strict", 100, 30);
    let before = stage.app.view();
    for (typed, answer) in [
        ("why 7", "no job 7; nearest: "),
        ("job 7", "no job 7; nearest: "),
        ("7", "no job 7; nearest: "),
        ("node cn0", "nearest: cn001, cn002"),
        ("40", "no job 40 in the job dump, though listed on cn025; nearest: "),
    ] {
        stage.act(&[Palette]).type_in(typed);
        for accept in [Accept, AcceptWhy] {
            stage.act(&[accept]);
            let seen = stage.see();
            assert!(seen.contains(answer) && seen.contains(&format!(":{typed}")), "{typed}\n{seen}");
        }
        stage.act(&[Close]);
        assert_eq!(stage.app.view(), before, "{typed}");
    }
    // An entry that was chosen is opened.
    stage.act(&[Palette]).type_in("why 6");
    stage.act(&[Down, Accept]);
    assert_eq!(stage.app.view(), ViewName::Why);
    let root = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(root.path().join(name), text).unwrap();
    put("nodes.toml", "[[node]]\nname = \"svr\"\navailable = { ncpus = 4 }\n");
    put(
        "queue.toml",
        "now = 1763700000\n[[queue]]\nname = \"workq\"\n[[job]]\nid = \"1.svr\"\nselect = \"1:ncpus=9\"\n",
    );
    let mut stage = Stage::open_at(root.path(), 100, 30);
    for (typed, view) in [("svr", ViewName::Page), ("why svr", ViewName::Why)] {
        let seen = stage.command(typed).see();
        assert!(
            stage.app.view() == view && seen.lines().any(|line| line.contains('┏') && line.contains("svr")),
            "{typed}\n{seen}"
        );
    }
}

/// Every form in the command line's table (console.md 2.3) that names more than one object.
#[test]
fn verbs_take_a_job_with_a_node_a_time_of_the_calendar_and_the_quirks() {
    let mut stage = Stage::open("campus", 120, 40);
    stage.command("why 16 n025");
    assert_eq!(stage.app.view(), ViewName::Why);
    assert!(stage.see().contains("What 16 misses on n025"), "{}", stage.see());
    stage.command("go 02:43");
    assert_eq!(stage.app.view(), ViewName::Calendar);
    assert!(stage.see().contains("02:43 to"), "{}", stage.see());
    stage.command("quirks");
    assert!(stage.see().contains("last-set-only") && stage.see().contains("14 of"), "{}", stage.see());
}

/// `b` groups the waiting jobs by reason, user and queue (console.md 2.4).
#[test]
fn the_board_is_grouped_by_user_and_queue_and_exported_as_a_table() {
    let mut stage = Stage::open("campus", 120, 40);
    stage.act(&[Action::View8, Action::ToggleMap]);
    let seen = stage.see();
    assert!(seen.contains("by user") && seen.contains("cara"), "{seen}");
    stage.act(&[Action::ToggleMap]);
    assert!(stage.see().contains("by queue") && stage.see().contains("workq"), "{}", stage.see());
    stage.act(&[Select]);
    assert!(stage.see().contains("Jobs: workq"), "{}", stage.see());
}

#[test]
fn verbs_sort_choose_columns_group_go_and_break() {
    let mut stage = Stage::open("campus", 120, 40);
    stage.command("jobs");
    stage.command("sort -ncpus");
    assert!(stage.see().contains("sort ncpus ▾"), "{}", stage.see());
    stage.command("columns +project -user");
    let seen = stage.see();
    let heading = seen.lines().find(|line| line.contains("verdict")).unwrap().to_owned();
    assert!(heading.contains("project") && !heading.contains("user"), "{heading}");
    stage.act(&[Palette]).type_in("sort ncpu");
    stage.act(&[Accept]);
    assert!(stage.see().contains("no column ncpu, did you mean `ncpus`?"), "{}", stage.see());
    stage.act(&[Close]);
    stage.command("group queue");
    // Each group below its heading, sorted as before.
    let seen = stage.see();
    assert!(seen.contains("by queue · sort ncpus") && seen.contains("27 jobs · queue workq"), "{seen}");
    stage.command("group set");
    assert!(stage.see().contains("Nodes by set"), "{}", stage.see());
    stage.command("go 5");
    assert_eq!((stage.position(), &*stage.subject()), (3, "5.head1"));
    stage.command("step 12");
    assert_eq!(stage.position(), 12);
    stage.command("break verdict=never");
    assert!(stage.see().contains("steps meet it, c continues"), "{}", stage.see());
    assert!(stage.see().contains('●'), "the strip marks where it stops\n{}", stage.see());
    stage.command("theme mono");
    assert!(stage.see().contains("theme mono"), "{}", stage.see());
    stage.act(&[Palette, Action::Up, Complete]);
    assert!(stage.see().contains(":theme mono"), "{}", stage.see());
}

/// Console.md 4: `s`, `S` and a chosen column in a table; the cursor stays on its row.
#[test]
fn a_table_sorts_by_key_and_keeps_its_cursor() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Action::View3, Down, Down]);
    let row = |stage: &mut Stage| {
        let seen = stage.see();
        seen.lines().find(|line| line.contains('▸') && line.contains(':')).map(str::to_owned)
    };
    let job = |line: Option<String>| line.unwrap().split_whitespace().next().unwrap().to_owned();
    let before = job(row(&mut stage));
    stage.act(&[Sort, Sort, SortReverse]);
    assert!(stage.see().contains("sort user ▾"), "{}", stage.see());
    assert_eq!(job(row(&mut stage)), before);
    stage.screen("jobs-sorted-80x24");
    stage.act(&[Columns, Down, Toggle]);
    stage.screen("columns-80x24");
    stage.act(&[Close]);
    assert!(!stage.see().contains(" user"), "{}", stage.see());
    stage.act(&[Action::QuickFilter]);
    assert!(stage.see().contains("/verdict=wait or verdict=never"), "{}", stage.see());
}

#[test]
fn a_table_and_a_screen_go_to_a_file_that_is_not_there_yet() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mut stage = Stage::open("campus", 120, 40);
    stage.command("jobs");
    let line = |form: &str, name: &str| format!("export {form} {}", at(name).display());
    for (form, name) in [("csv", "a.csv"), ("json", "a.json"), ("svg", "a.svg"), ("text", "a.txt")] {
        stage.act(&[Palette]).type_in(&line(form, name));
        stage.feed(AppInput::Action(Accept));
        assert!(stage.see().contains(&format!("exported to {}", at(name).display())), "{}", stage.see());
    }
    let csv = std::fs::read_to_string(at("a.csv")).unwrap();
    assert!(csv.starts_with("job,user,") && csv.lines().count() > 20, "{csv}");
    let json = std::fs::read_to_string(at("a.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json.as_array().unwrap().len() + 1, csv.lines().count());
    let rows = json.as_array().unwrap();
    let some = |field: &str| rows.iter().find(|row| !row[field].is_null()).unwrap()[field].clone();
    assert!(some("walltime").is_i64() && some("start").is_i64() && some("job").is_string(), "{rows:?}");
    assert!(std::fs::read_to_string(at("a.svg")).unwrap().contains("</svg>"));
    let mode =
        std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(at("a.csv")).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    stage.act(&[Palette]).type_in(&line("csv", "a.csv"));
    stage.feed(AppInput::Action(Accept));
    assert!(stage.see().contains("is there already"), "{}", stage.see());
    stage.act(&[Export]);
    assert!(stage.see().contains("export svg"), "{}", stage.see());
}

/// A verb without a name opens the list of all such objects.
#[test]
fn a_verb_without_a_name_opens_the_list() {
    for (verb, view) in [
        ("job", ViewName::Jobs),
        ("node", ViewName::Nodes),
        ("queue", ViewName::Queue),
        ("bucket", ViewName::Buckets),
        ("set", ViewName::Settings),
    ] {
        let mut stage = Stage::open("campus", 80, 24);
        stage.command(verb);
        assert_eq!(stage.app.view(), view, "{verb}");
    }
}

/// The packing policy goes to a file as other exports do, where there is one.
#[test]
fn the_packing_policy_is_exported_where_a_class_packs() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("packing.toml");
    let export = format!("export policy {}", file.display());
    let mut stage = Stage::open("campus", 80, 24);
    let seen = stage.command(&export).see();
    assert!(seen.contains("no policy here; :packing has one") && !file.exists(), "{seen}");
    stage.act(&[Close]).command("packing");
    let seen = stage.command(&export).see();
    assert!(seen.contains("exported to "), "{seen}");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("[classes]") && text.contains("ttl:3600"), "{text}");
    let other = folder.path().join("none.toml");
    let mut stage = Stage::open("packing-cluster", 80, 24);
    stage.command("packing");
    let seen = stage.command(&format!("export policy {}", other.display())).see();
    assert!(seen.contains("no class packs") && !other.exists(), "{seen}");
}

/// A filter is named where it is typed, and one key cycles through the named ones in every view with jobs.
#[test]
fn a_filter_is_kept_under_a_name_where_it_is_typed() {
    let folder = tempfile::tempdir().unwrap();
    let mut stage = Stage::open("campus", 120, 40);
    stage.app.restore_state(Some(folder.path().join("campus.toml")));
    stage.act(&[Action::Filter]).type_in("ncpus>=16/save big");
    assert!(stage.see().contains("/ncpus>=16 "), "what is kept is not filtered by its name: {}", stage.see());
    stage.feed(AppInput::Action(Accept));
    assert!(stage.see().contains("filter big kept"), "{}", stage.see());
    stage.act(&[Action::Close]);
    let mut seen = Vec::new();
    for _ in 0..4 {
        stage.act(&[Action::QuickFilter]);
        seen.push(stage.see());
    }
    assert!(seen[0].contains("/path=node verdict=run") && seen[3].contains("/ncpus>=16"), "{}", seen[3]);
    stage.act(&[Action::Close, Action::Filter]).type_in("/save none");
    stage.feed(AppInput::Action(Accept));
    assert!(stage.see().contains("no filter to keep"), "{}", stage.see());
}

#[test]
fn columns_filters_and_breakpoints_are_kept_for_the_next_session() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state").join("campus.toml");
    let mut stage = Stage::open("campus", 120, 40);
    stage.app.restore_state(Some(path.clone()));
    stage.command("jobs");
    for line in ["sort -ncpus", "filter ncpus>=16", "filter save big", "break path=node"] {
        stage.act(&[Palette]).type_in(line);
        stage.feed(AppInput::Action(Accept));
    }
    assert!(path.exists());
    let mut next = Stage::open("campus", 120, 40);
    next.app.restore_state(Some(path));
    next.command("jobs");
    assert!(next.see().contains("sort ncpus ▾"), "{}", next.see());
    next.command("filter big");
    assert!(next.see().contains("/ncpus>=16"), "{}", next.see());
    next.command("go 0");
    next.act(&[Action::Continue]);
    assert!(next.see().contains("breakpoint path=node"), "{}", next.see());
}

/// A configuration that is changed later has effect, but for what was changed by keys.
#[test]
fn what_the_configuration_sets_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("campus.toml");
    let open = |text: &str| {
        let mut config = Config::default();
        config.add_text(Path::new("c.toml"), text);
        let mut stage = Stage::open("campus", 120, 40);
        stage.app.restore_state(Some(path.clone()));
        stage.app.configure(&config);
        stage
    };
    let configured = "breakpoints = [\"path=node\"]\n[sort]\njobs = \"-ncpus\"\n[columns]\njobs = [\"-user\"]\n\
                      [filters]\nbig = \"ncpus>=16\"\n";
    let mut stage = open(configured);
    stage.command("jobs");
    assert!(stage.see().contains("sort ncpus ▾"), "{}", stage.see());
    stage.command("columns -verdict");
    let kept = std::fs::read_to_string(&path).unwrap();
    assert!(kept.contains("off = [\"verdict\"]"), "{kept}");
    for text in ["user", "ncpus", "big", "path=node"] {
        assert!(!kept.contains(text), "{kept}");
    }
    let mut next = open("[sort]\njobs = \"walltime\"\n[filters]\nbig = \"ncpus>=64\"\n");
    let seen = next.command("jobs").see();
    assert!(
        seen.contains("sort walltime ▴") && seen.contains(" user ") && !seen.contains(" verdict "),
        "{seen}"
    );
    let seen = next.command("filter big").see();
    assert!(seen.contains("/ncpus>=64"), "{seen}");
    next.command("sort");
    let mut last = open(configured);
    assert!(!last.command("jobs").see().contains("· sort "), "{}", last.see());
}

#[test]
fn a_setting_leads_to_its_what_if_and_problems_to_what_they_are_about() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.feed(AppInput::Action(Action::Settings));
    stage.screen("settings-80x24");
    stage.act(&[Action::WhatIf]);
    assert!(stage.see().contains("what if: sched_config.round_robin=False"), "{}", stage.see());
    let mut stage = Stage::open("campus", 80, 24);
    stage.act(&[Action::Warnings]);
    stage.screen("problems-80x24");
    let Some(Effect::Copy(_, fix)) = stage.app.update(AppInput::Action(Action::Copy)).effects.pop() else {
        panic!("nothing is copied")
    };
    assert!(fix.as_str().contains("qmgr"), "{fix}");
    stage.act(&[Select]);
    assert_eq!(stage.app.view(), ViewName::Queue);
}

/// Console.md 6: pasted text goes into a prompt, and is ignored elsewhere with a message; a message disappears by
/// itself.
#[test]
fn a_paste_outside_a_prompt_is_ignored_with_a_message() {
    let mut stage = Stage::open("campus", 80, 24);
    stage.feed(AppInput::Paste("qq\nq".to_owned()));
    assert!(stage.see().contains("paste ignored"), "{}", stage.see());
    stage.act(&[Action::Filter]);
    stage.feed(AppInput::Paste("bob\nwait".to_owned()));
    assert!(stage.see().contains("/bob wait"), "{}", stage.see());
}

/// Console.md 6, Mouse: tab, alert, heading and footer key; a right click explains the reason.
#[test]
fn clicks_reach_tabs_alerts_headings_and_the_keys_of_the_footer() {
    use crossterm::event::{
        MouseButton::{Left, Right},
        MouseEventKind::Down as Press,
    };
    let mut stage = Stage::open("campus", 80, 24);
    let place = |stage: &mut Stage, text: &str| {
        let seen = stage.see();
        let (y, line) = seen.lines().enumerate().find(|(_, line)| line.contains(text)).unwrap();
        let x = line.get(..line.find(text).unwrap()).unwrap().chars().count();
        (u16::try_from(x).unwrap(), u16::try_from(y).unwrap())
    };
    let click = |stage: &mut Stage, text: &str, button| {
        let (x, y) = place(stage, text);
        stage.feed(crate::console_cycle::mouse(Press(button), x + 1, y));
    };
    click(&mut stage, "3 Jobs", Left);
    assert_eq!(stage.app.view(), ViewName::Jobs);
    click(&mut stage, "ncpus", Left);
    assert!(stage.see().contains("sort ncpus ▴"), "{}", stage.see());
    click(&mut stage, "ncpus▴", Left);
    assert!(stage.see().contains("sort ncpus ▾"), "{}", stage.see());
    click(&mut stage, "s sort", Left);
    assert!(stage.see().contains("sort walltime"), "{}", stage.see());
    click(&mut stage, "16    cara", Right);
    assert_eq!(stage.app.view(), ViewName::Why);
    click(&mut stage, "! 1 ", Left);
    assert_eq!(stage.app.view(), ViewName::Problems);
    stage.act(&[Action::View1]);
    click(&mut stage, "not started (1 job", Left);
    assert_eq!(stage.app.view(), ViewName::Queue);
}

/// Console.md 4, strip: a click goes to a step, dragging goes through them, and a click outside the strip moves
/// nothing.
#[test]
fn the_strip_is_clicked_and_dragged() {
    use crossterm::event::{
        MouseButton::Left,
        MouseEventKind::{Down as Press, Drag},
    };
    for (width, height) in [(80, 24), (200, 60)] {
        let mut stage = Stage::open("campus", width, height);
        let seen = stage.see();
        // The strip is the only line with so many verdicts.
        let verdicts = |line: &str| line.chars().filter(|sign| "◷✓✗–".contains(*sign)).count();
        let (y, line) = seen.lines().enumerate().find(|(_, line)| verdicts(line) == 23).unwrap();
        let y = u16::try_from(y).unwrap();
        let at = |step: usize| {
            let signs = line.chars().enumerate().filter(|(_, sign)| "◷✓✗–".contains(*sign));
            u16::try_from(signs.map(|(x, _)| x).nth(step - 1).unwrap()).unwrap()
        };
        let mouse = |stage: &mut Stage, kind, step, row| {
            stage.feed(crate::console_cycle::mouse(kind, at(step), row));
            stage.position()
        };
        assert_eq!(mouse(&mut stage, Press(Left), 5, y), 5);
        for step in [6, 9, 17, 23, 2] {
            assert_eq!(mouse(&mut stage, Drag(Left), step, y), step, "{}", stage.see());
        }
        assert!(stage.see().contains("STEP 2/23"), "{}", stage.see());
        assert_eq!(mouse(&mut stage, Drag(Left), 20, y - 4), 2, "off the strip");
        stage.act(&[Action::Filter]);
        assert_eq!(mouse(&mut stage, Drag(Left), 20, y), 2, "while a filter is typed");
    }
}

/// Console.md 2.2 and 4, breadcrumb: every part of the path into a decision, or to a page, is a link.
#[test]
fn each_part_of_the_way_leads_back_to_it() {
    use crossterm::event::{MouseButton::Left, MouseEventKind::Down as Press};
    let click = |stage: &mut Stage, row: u16, text: &str| {
        let seen = stage.see();
        let line = seen.lines().nth(usize::from(row)).unwrap().to_owned();
        let x = line.get(..line.find(text).unwrap_or_else(|| panic!("no {text} in {line}"))).unwrap();
        let x = u16::try_from(x.chars().count()).unwrap();
        stage.feed(crate::console_cycle::mouse(Press(Left), x, row));
    };
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let mut stage = Stage::open("chunks-12-24", width, height);
        stage.act(&[Action::StepForward, Action::StepInto, Action::StepInto, Action::StepInto]);
        let seen = stage.see();
        let row = seen.lines().position(|line| line.contains("1 › placement › chunk 1   level 3")).unwrap();
        let row = u16::try_from(row).unwrap();
        assert!(seen.contains("Buckets, in the order tried"), "{seen}");
        click(&mut stage, row, "placement");
        assert!(stage.see().contains(" 1 › placement   level 2"), "{}", stage.see());
        assert!(stage.see().contains("Chunks of the select"), "{}", stage.see());
        click(&mut stage, row, "1 ");
        assert!(stage.see().contains("Decision, stage by stage"), "{}", stage.see());
    }
    let mut stage = Stage::open("campus", 120, 40);
    stage.command("node n012");
    stage.act(&[Action::Settings]);
    stage.command("queue special");
    let tabs = |stage: &mut Stage| stage.see().lines().nth(1).unwrap().to_owned();
    assert!(tabs(&mut stage).contains("› n012  › Settings  › special"), "{}", tabs(&mut stage));
    click(&mut stage, 1, "› n012");
    assert_eq!(stage.app.view(), ViewName::Page);
    assert!(stage.see().contains("Node n012"), "{}", stage.see());
    stage.act(&[Action::Forward, Action::Forward]);
    click(&mut stage, 1, "Settings");
    assert_eq!(stage.app.view(), ViewName::Settings);
    stage.act(&[Action::View3]);
    assert!(!tabs(&mut stage).contains('›'), "{}", tabs(&mut stage));
}

#[test]
fn what_is_offered_is_of_the_snapshot_that_is_shown() {
    let mut stage = Stage::open("sets-8", 80, 24);
    stage.act(&[Palette]).type_in("vn");
    assert!(stage.see().contains("vn1 "), "{}", stage.see());
    stage.load(sample("chunks-12-24"));
    let seen = stage.see();
    assert!(seen.contains("┃:vn") && !seen.contains("vn1 "), "{seen}");
    let mut stage = Stage::open("sets-8", 80, 24);
    stage.act(&[Palette]).type_in("node ").act(&[Action::Down, Action::Down]);
    let before = stage.see();
    stage.load(sample("sets-8"));
    assert_eq!(stage.see(), before, "the cursor stays on its entry");
}

/// An order chosen by key holds in the next session, like one by command; undone, it does not.
#[test]
fn an_order_chosen_by_key_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("campus.toml");
    let open = || {
        let mut stage = Stage::open("campus", 120, 40);
        stage.app.restore_state(Some(path.clone()));
        stage.command("jobs");
        stage
    };
    open().act(&[Sort, Sort, SortReverse]);
    let mut next = open();
    assert!(next.see().contains("sort user ▾"), "{}", next.see());
    next.command("sort");
    assert!(!open().see().contains("sort user"));
}

/// What a file of a table contains does not depend on the terminal.
#[test]
fn an_exported_table_has_the_same_columns_at_every_width() {
    let folder = tempfile::tempdir().unwrap();
    let titles = |view: &str, width: u16| {
        let to = folder.path().join(format!("{}-{width}.csv", view.replace(' ', "-")));
        let mut stage = Stage::open("campus", width, 40);
        stage.command(view).see();
        stage.act(&[Palette]).type_in(&format!("export csv {}", to.display()));
        stage.feed(AppInput::Action(Accept));
        let text = std::fs::read_to_string(&to).unwrap_or_else(|_| panic!("{view}\n{}", stage.see()));
        text.lines().next().unwrap_or_default().to_owned()
    };
    for view in ["problems", "jobs", "settings", "nodes", "queues", "buckets", "cycle", "pools", "policies"] {
        let wide = titles(view, 200);
        assert_eq!(titles(view, 80), wide, "{view}");
        assert!(wide.contains(','), "{view}: {wide}");
    }
    assert!(titles("problems", 80).contains("what to do"));
}

#[test]
fn a_filter_of_the_configuration_with_an_unknown_field_is_reported() {
    let mut config = Config::default();
    config.add_text(Path::new("c.toml"), "[filters]\nbad = \"foo=1\"\ngood = \"user=ann\"\n");
    let mut stage = Stage::empty(120, 40, sample("campus").snapshot.now);
    stage.app.configure(&config);
    stage.load(sample("campus"));
    assert!(stage.see().contains("c.toml:2: filter bad: "), "{}", stage.see());
    assert!(!stage.see().contains("filter good"), "{}", stage.see());
}

/// A verb that needs more says what, without an empty name in the message.
#[test]
fn a_verb_without_what_it_needs_says_so() {
    for (verb, needed) in [
        ("step", "a step is needed"),
        ("go", "a job, a step or a time is needed"),
        ("theme", "a theme is needed; auto, "),
        ("group", "a criterion is needed"),
    ] {
        let mut stage = Stage::open("campus", 120, 40);
        let seen = stage.command(verb).see();
        assert!(seen.contains(needed), "{verb}\n{seen}");
    }
}

#[test]
fn a_page_of_nothing_speaks_of_no_filter() {
    let mut stage = Stage::open("campus", 120, 40);
    let seen = stage.command("page").see();
    assert!(seen.contains("opens its page") && !seen.contains("No match"), "{seen}");
}

/// Console.md 7.3: a key without effect here says that it is not used here.
#[test]
fn keys_to_the_side_answer_in_lists() {
    for view in ["cycle", "jobs", "queues", "problems", "settings"] {
        let mut stage = Stage::open("campus", 120, 40);
        stage.command(view);
        for key in [Action::Left, Action::Right] {
            let seen = stage.act(&[key]).see();
            assert!(seen.contains("is not used in"), "{view}\n{seen}");
        }
    }
}
