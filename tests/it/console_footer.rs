//! The keys that the last line names: each has an effect in the view in which it is named.

use qscope::console::action::{Action, Context};
use qscope::console::keymap::Keymap;
use qscope::console::views::ViewName;

use crate::console_cycle::Stage;
use crate::console_faults;
use Action::{
    Accept, Close, Columns, Copy, Delete, Filter, Less, More, NextLine, NextPane, Palette, QuickFilter,
    Select, Sort, Toggle, ToggleMap, View1,
};

/// Keys that have an effect in some views only.
const OF_VIEWS: &[Action] = &[
    Columns,
    Copy,
    Delete,
    Filter,
    Less,
    More,
    NextLine,
    NextPane,
    QuickFilter,
    Select,
    Sort,
    Toggle,
    ToggleMap,
];

/// Opens a view anew and returns the last line.
fn footer(stage: &mut Stage, view: ViewName) -> String {
    stage.act(&[Close, Close, View1, Palette]).type_in(view.word());
    stage.act(&[Accept]);
    assert_eq!(stage.app.view(), view, "{}", stage.see());
    last_line(stage)
}

fn last_line(stage: &mut Stage) -> String {
    stage.see().lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default().to_owned()
}

/// Returns the keys that a view names but does not use.
fn dead(sample: &str, view: ViewName) -> Vec<String> {
    let (keymap, context) = (Keymap::default(), Context::View(view));
    let mut stage = Stage::open(sample, 300, 60);
    let mut found = Vec::new();
    for action in OF_VIEWS {
        let Some(key) = keymap.keys(*action, context).next() else { continue };
        if !footer(&mut stage, view).contains(&format!(" {key} ")) {
            continue;
        }
        stage.act(&[*action]);
        let seen = last_line(&mut stage);
        if seen.contains("is not used in") {
            found.push(format!("{sample} {view:?} {key}: {seen}"));
        }
    }
    found
}

#[test]
fn every_key_of_the_last_line_is_used_in_its_view() {
    let views = ViewName::ALL.iter().copied();
    let views = views.filter(|view| !matches!(view, ViewName::Cycle | ViewName::Page | ViewName::Time));
    let found: Vec<String> = views.flat_map(|view| dead("sets-8", view)).collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn every_key_is_used_where_nothing_is_there_to_act_on() {
    let views = [ViewName::Pools, ViewName::Board, ViewName::Problems, ViewName::Calendar, ViewName::Nodes];
    let found: Vec<String> = views.into_iter().flat_map(|view| dead("week", view)).collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn boxes_name_no_key_that_does_nothing_in_them() {
    let mut stage = Stage::open("sets-8", 120, 40);
    let named = |stage: &mut Stage, action| {
        stage.act(&[action]);
        let line = last_line(stage);
        stage.act(&[Close]);
        line
    };
    let help = named(&mut stage, Action::Help);
    assert!(help.contains("Enter run ") && !help.contains(" copy "), "{help}");
    let breakpoints = named(&mut stage, Action::Breakpoints);
    assert!(breakpoints.contains("Enter add "), "nothing to edit yet: {breakpoints}");
    assert!(!breakpoints.contains("on/off") && !breakpoints.contains("delete"), "{breakpoints}");
    stage.act(&[Palette]).type_in("break job=1");
    stage.act(&[Accept]);
    let breakpoints = named(&mut stage, Action::Breakpoints);
    assert!(
        breakpoints.contains("x delete") && breakpoints.contains("Enter edit  t on/off"),
        "{breakpoints}"
    );
    assert!(!breakpoints.contains(" filter ") && !breakpoints.contains(" copy "), "{breakpoints}");
    let columns = named(&mut stage, Columns);
    assert!(columns.contains("Enter show/hide") && !columns.contains(" delete "), "{columns}");
}

/// In a cluster without a job, nothing can be stepped through, opened or explained.
#[test]
fn without_a_job_no_key_of_jobs_is_named() {
    let mut stage = Stage::open("week", 300, 60);
    for view in [ViewName::Cycle, ViewName::Why, ViewName::Pools] {
        let seen = footer(&mut stage, view);
        for key in [". step", "i into", "Enter", "[ ]", "z fold", "w waiting", "0 first"] {
            assert!(!seen.contains(key), "{view:?}: {key} in {seen}");
        }
        // It follows already.
        assert!(!seen.contains("F follow") && seen.contains("q quit"), "{view:?}: {seen}");
    }
    // What changes next: a verdict of the cycle has no next one, an event of the calendar has.
    for view in ViewName::ALL.iter().copied().filter(|view| !matches!(view, ViewName::Page)) {
        let seen = footer(&mut stage, view);
        let has_own = matches!(view, ViewName::Calendar | ViewName::Compare | ViewName::Packing);
        assert!(has_own || !seen.contains("} "), "{view:?}: {seen}");
    }
    // Nothing to explain, and nowhere to go back to.
    for view in [ViewName::Pools, ViewName::Jobs, ViewName::Board] {
        let seen = footer(&mut stage, view);
        assert!(!seen.contains("a why"), "{view:?}: {seen}");
    }
    let seen = last_line(&mut Stage::open("week", 300, 60));
    assert!(!seen.contains("Backspace") && !seen.contains("] next"), "{seen}");
    assert!(footer(&mut stage, ViewName::Nodes).contains("a why"), "{}", stage.see());
}

#[test]
fn the_last_line_states_what_a_key_does_in_its_view() {
    let mut stage = Stage::open("sets-8", 300, 60);
    for (view, has, has_not) in [
        (ViewName::Capacity, "+ - target  Tab next tab", "Enter"),
        (ViewName::Packing, "} { event  m moment  + - ttl", "Enter"),
        (ViewName::Policies, "Enter go to node  Tab table/map", "b group"),
        (ViewName::Pools, "Enter set page  b its buckets", "Enter open"),
        (ViewName::Buckets, "Enter bucket page  [ ] another set", "Enter open"),
        (ViewName::Compare, "[ ] older, newer  Enter go to it  } next group", "Enter open"),
        (ViewName::Queue, "Enter its jobs", "Enter open"),
        (ViewName::Calendar, "Enter page", "Enter open"),
        (ViewName::Settings, "Enter file line", "a why"),
        (ViewName::WhatIf, "= add a setting", "Enter"),
    ] {
        let seen = footer(&mut stage, view);
        assert!(seen.contains(has) && !seen.contains(has_not), "{view:?}: {seen}");
    }
}

/// On a queue `a` explains the first job that waits there; the last line names it if there is one, also on the
/// server's row.
#[test]
fn the_last_line_names_why_where_a_row_has_an_answer() {
    let mut stage = Stage::open("campus", 300, 60);
    footer(&mut stage, ViewName::Queue);
    let mut named = [0, 0];
    for _ in 0..12 {
        let is_named = last_line(&mut stage).contains("a why");
        named[usize::from(is_named)] += 1;
        stage.act(&[Action::AskWhy]);
        assert_eq!(stage.app.view() == ViewName::Why, is_named, "{}", stage.see());
        if is_named {
            stage.act(&[Action::Back]);
        }
        assert_eq!(stage.app.view(), ViewName::Queue, "{}", stage.see());
        stage.act(&[Action::Down]);
    }
    assert!(named[0] > 0 && named[1] > 0, "{named:?}");
    let buckets = footer(&mut stage, ViewName::Buckets);
    assert!(!buckets.contains("a why"), "{buckets}");
}

#[test]
fn the_last_line_follows_the_row_and_the_pane() {
    let mut stage = Stage::open("campus", 300, 60);
    let seen = footer(&mut stage, ViewName::Board);
    stage.act(&[Select]);
    let inside = last_line(&mut stage);
    assert!(seen.contains("Enter its jobs") && inside.contains("Enter its step"), "{seen}\n{inside}");
    footer(&mut stage, ViewName::Queue);
    stage.act(&[Action::Down]);
    assert!(last_line(&mut stage).contains("Enter queue page"), "{}", stage.see());
    footer(&mut stage, ViewName::Jobs);
    stage.act(&[Select]);
    assert!(last_line(&mut stage).contains("Tab attributes"), "{}", stage.see());
    stage.act(&[NextPane]);
    assert!(last_line(&mut stage).contains("Tab facts"), "{}", stage.see());
    // In the cycle: a row that was considered, one that was not, one that runs, and the level that one is in.
    stage.act(&[View1, Action::Home]);
    let considered = last_line(&mut stage);
    assert!(considered.contains("Enter its step") && !considered.contains("o out"), "{considered}");
    stage.act(&[Action::End]);
    assert!(last_line(&mut stage).contains("Enter job page"), "{}", stage.see());
    stage.act(&[Action::Home, Action::StepForward, Action::StepInto]);
    assert!(last_line(&mut stage).contains("o out"), "{}", stage.see());
    stage.act(&[Palette]);
    assert!(last_line(&mut stage).contains("Enter run"), "{}", stage.see());
}

/// A key that would only state that there is nothing to do is not named.
#[test]
fn the_last_line_names_no_key_that_has_no_effect_where_it_stands() {
    let (_disk, mut stage) = console_faults::stage("c04-calendar-strict", 300, 60);
    let has = |stage: &mut Stage, keys: &[&str]| {
        let seen = last_line(stage);
        keys.iter().filter(|key| seen.contains(*key)).map(ToString::to_string).collect::<Vec<_>>()
    };
    let all = [". step", ", back", "0 first", "$ last", "F follow", "f freeze", "Enter its step"];
    assert_eq!(has(&mut stage, &all), [". step", "$ last", "f freeze", "Enter its step"]);
    stage.act(&[Action::StepForward]);
    assert_eq!(has(&mut stage, &all), [". step", ", back", "0 first", "$ last", "F follow"]);
    stage.act(&[Action::LastStep]);
    assert_eq!(has(&mut stage, &all), [", back", "0 first", "F follow"]);
    stage.act(&[Action::Follow]).command("why 54");
    assert_eq!(has(&mut stage, &["a why"]), [""; 0]);
    while !stage.see().contains("Enter: job 50") {
        stage.act(&[Action::Down]);
    }
    assert_eq!(has(&mut stage, &["a why"]), ["a why"]);
    stage.command("job 54");
    assert_eq!(has(&mut stage, &["Enter open", "a why"]), ["a why"]);
    stage.act(&[Action::View6]);
    assert!(last_line(&mut stage).contains(" l scroll"), "{}", stage.see());
    stage.act(&[Action::Right]);
    assert!(last_line(&mut stage).contains(" h l scroll"), "{}", stage.see());
}
