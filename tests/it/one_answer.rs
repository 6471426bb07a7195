//! What one answer states in several places agrees: numbers have their unit, a part is no larger than the whole, and
//! a job that can never run waits for no end of another.

use std::path::Path;
use std::sync::Arc;

use qscope::cluster::Epoch;
use qscope::console::action::Action;
use qscope::console::app::AppInput;
use qscope::cycle::{Run, run_cycle};
use qscope::explain::{
    AlertKind, Explanation, JobTurn, Tier, alerts, as_text, blockers_section, causes, decided, find_blockers,
    funnels, node_description, sections, why, why_node,
};
use qscope::session::agreement::Agreement;
use qscope::session::compare::{Comparison, JobChange, JobSituation};
use qscope::session::{SchedLogLocation, ask_what_if};
use qscope::source::config::Config;
use qscope::source::{Files, LoadOptions, load};
use qscope::universe::Quirks;

use crate::console_cycle::{self, Stage, read};
use crate::real;

fn cluster(nodes: &str, queue: &str) -> Arc<Run> {
    let mut files = Files::new("small");
    files.insert("nodes.toml", nodes.to_owned(), None);
    files.insert("queue.toml", format!("now = 1763700000\n[[queue]]\nname = \"workq\"\n{queue}"), None);
    Arc::new(run_cycle(Arc::new(load(&files, &LoadOptions::default()).unwrap()), Quirks::default()))
}

fn sample(name: &str) -> Arc<Run> {
    (*read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name), 1).run).clone()
}

/// Reads one side of what a live server printed.
fn dumps(name: &str, side: &str) -> Arc<Run> {
    let case = real::named(name);
    let root = case.on_disk();
    (*read(&root.path().join(side), 1).run).clone()
}

fn answer(run: &Arc<Run>, job: &str) -> (Explanation, String) {
    let job = run.plan.snap.job_named(job).unwrap();
    let funnels = JobTurn::new(run, job).map(|mut turn| funnels(&mut turn)).unwrap_or_default();
    let found = why(run, job);
    let text = as_text(&sections(&found, &funnels, str::to_owned), 200, Some(200)).as_str().to_owned();
    (found, text)
}

#[test]
fn a_funnel_subtracts_chunks_from_chunks() {
    let nodes = "[[node]]\nname = \"n[1-2]\"\navailable = { ncpus = 16 }\n";
    let queue = r#"
        [[job]]
        id = "1"
        select = "1:ncpus=10"
        walltime = "01:00:00"
        started = "-00:20:00"
        on = "(n1:ncpus=10)"
        [[job]]
        id = "2"
        select = "CHUNKS"
        place = "free"
        walltime = "01:00:00"
    "#;
    let run = cluster(nodes, &queue.replace("CHUNKS", "26:ncpus=1"));
    let (_, text) = answer(&run, "2");
    assert!(text.starts_with("insufficient ncpus: 22 of 26 ncpus, 4 short"), "{text}");
    assert!(text.contains("22        chunks on these 2 nodes"), "{text}");
    assert!(text.contains("4 short   requested: 26 chunks"), "{text}");
    // Chunks of several cpus are short of another number, with its own unit.
    let (_, text) = answer(&cluster(nodes, &queue.replace("CHUNKS", "7:ncpus=4")), "2");
    assert!(text.contains("5        chunks on these 2 nodes"), "{text}");
    assert!(text.contains("2 short   requested: 7 chunks"), "{text}");
}

#[test]
fn packed_chunks_are_counted_on_one_node() {
    let (_, text) = answer(&sample("policies-fragments"), "Y");
    assert!(text.contains("14      1 place=pack  chunks on one node"), "{text}");
    assert!(text.contains("6 short   requested: 20 chunks"), "{text}");
}

#[test]
fn chunks_that_fit_no_set_are_counted_in_the_best_one() {
    for name in ["sets-8", "sets-36", "sets-36-sorted", "c02-psets"] {
        let run = if name.starts_with('c') { dumps(name, "before") } else { sample(name) };
        for id in run.plan.snap.jobs.ids() {
            let found = causes(&run, id);
            let Some(sets) = found.first().filter(|cause| cause.kind == "sets") else { continue };
            let number = |of: &str| {
                let found = sets.numbers.iter().find(|(name, _)| *name == of);
                found.and_then(|(_, text)| text.parse::<u64>().ok()).unwrap()
            };
            let mut turn = JobTurn::new(&run, id).unwrap();
            let funnels = funnels(&mut turn);
            if let [funnel] = &*funnels {
                assert_eq!(
                    funnel.missing_chunks(),
                    Some(number("wanted") - number("best")),
                    "{name} {funnel:?}"
                );
            }
        }
    }
}

#[test]
fn pieces_are_no_more_than_what_they_are_pieces_of() {
    let nodes = "[[node]]\nname = \"big[1-3]\"\navailable = { ncpus = 60, mem = \"64gb\" }\n\
        [[node]]\nname = \"small[01-20]\"\navailable = { ncpus = 40, mem = \"8gb\" }\n";
    let queue = r#"
        [[job]]
        id = "1"
        select = "1:ncpus=40"
        walltime = "01:00:00"
        started = "-00:20:00"
        on = "(big3:ncpus=40)"
        [[job]]
        id = "2"
        select = "3:ncpus=32:mem=32gb"
        place = "free"
        walltime = "01:00:00"
    "#;
    let (_, text) = answer(&cluster(nodes, queue), "2");
    assert!(text.contains("140 ncpus are left, 76 of them in pieces too small for a chunk"), "{text}");
}

#[test]
fn nothing_is_in_the_way_of_a_job_that_can_never_run() {
    let run = dumps("c10-formula", "after");
    let job = run.plan.snap.job_named("126").unwrap();
    let turn = JobTurn::new(&run, job).unwrap();
    let found = find_blockers(&turn, &causes(&run, job));
    assert_eq!(blockers_section(&run.plan.snap, &found), None);
}

#[test]
fn nodes_of_others_are_named_by_what_the_job_is_bound_to() {
    let (_, text) = answer(&dumps("c08", "before"), "108");
    assert!(text.contains("its own nodes"), "{text}");
    assert!(text.contains("not one of them") && !text.contains("no queue"), "{text}");
    let run = dumps("c08", "before");
    let node = why_node(&run, run.plan.snap.node_named("cn026").unwrap());
    let reasons: Vec<&str> = node.refusals.iter().map(|refusal| &*refusal.reason).collect();
    assert!(reasons.contains(&"its own nodes: not one of them"), "{reasons:?}");
    let (_, text) = answer(&sample("preempt"), "1");
    assert!(text.contains("its own nodes") && !text.contains("no queue"), "{text}");
    let (_, text) = answer(&dumps("c05", "before"), "77");
    assert!(text.contains("its reservation") && text.contains("not in R71"), "{text}");
    assert!(!text.contains("no queue"), "{text}");
}

#[test]
fn too_few_free_nodes_are_counted_in_the_headline() {
    let (found, text) = answer(&dumps("c04", "after"), "60");
    assert!(text.starts_with("insufficient nodes: 1 of 4 chunks, 3 short"), "{text}");
    assert!(text.contains("3 short   requested: 4 chunks"), "{text}");
    assert!(!found.headline.contains("60"), "{}", found.headline);
}

#[test]
fn both_jobs_that_share_a_node_have_that_in_their_answers() {
    let run = sample("sets-8");
    for job in ["2", "4"] {
        let (found, _) = answer(&run, job);
        let given = "vn[0,5] were given to 2 and again to 4";
        assert!(found.banners.iter().any(|banner| banner.starts_with(given)), "{:?}", found.banners);
    }
    let (_, changes) = qscope::session::compare::in_cycle::changes(&run);
    let line = changes.iter().find(|line| line.name == "vn[0,5]").unwrap();
    assert!(line.text.contains("4 too many (given to 2 and again to 4)"), "{}", line.text);
}

#[test]
fn a_job_that_the_dump_shows_queued_is_not_missing_from_it() {
    let run = dumps("c12", "after");
    let alerts = alerts(&run);
    let listed = alerts.iter().find(|alert| alert.kind == AlertKind::NotInDump).unwrap();
    let item = listed.items.iter().find(|item| item.jobs.iter().any(|job| job.starts_with("142"))).unwrap();
    assert!(item.brief.contains("is in state Q by the job dump"), "{}", item.brief);
    assert!(!item.sentence.contains("not in the job dump"), "{}", item.sentence);
}

#[test]
fn a_stopped_queue_in_which_no_job_waits_comes_behind_nodes_that_are_out() {
    let run = dumps("c04", "before");
    let kinds: Vec<AlertKind> = alerts(&run).iter().map(|alert| alert.kind).collect();
    let at = |kind| kinds.iter().position(|found| *found == kind).unwrap();
    assert!(at(AlertKind::StoppedQueue) > at(AlertKind::Ghost), "{kinds:?}");
    assert!(at(AlertKind::StoppedQueue) > at(AlertKind::Offline), "{kinds:?}");
}

/// If the comment stays the same but the queue shows another cause, so does a difference.
#[test]
fn a_difference_has_the_causes_that_the_queue_shows() {
    let case = real::named("c04");
    let root = case.on_disk();
    let before = read(&root.path().join("before"), 1);
    let answer = ask_what_if(&before, &["node.cn031.state=offline"]).unwrap();
    let changed = |found: &Comparison| -> Vec<(String, &str)> {
        let one = |change: &JobChange| (change.job.split('.').next().unwrap().to_owned(), change.kind.word());
        found.jobs.iter().map(one).collect()
    };
    let plain = Comparison::of(&before.run, &answer.generation.run);
    assert!(!changed(&plain).iter().any(|(job, _)| job == "54"), "{:?}", changed(&plain));
    let found = Comparison::explained(&before.run, &answer.generation.run);
    let jobs = changed(&found);
    assert!(jobs.contains(&("54".to_owned(), "reason")), "{jobs:?}");
    assert!(jobs.contains(&("55".to_owned(), "numbers")), "{jobs:?}");
    let of_54 = found.jobs.iter().find(|change| change.job.starts_with("54.")).unwrap();
    let reason =
        |stand: &Option<JobSituation>| stand.as_ref().and_then(|stand| stand.reason.clone()).unwrap();
    assert!(reason(&of_54.before).starts_with("fragmented: 5 of 16 whole nodes"), "{of_54:?}");
    assert!(reason(&of_54.after).starts_with("insufficient ncpus"), "{of_54:?}");
}

/// A comparison names the tier of the cause, as `why` does, and not that of the first condition met.
#[test]
fn a_comparison_has_the_tiers_of_why() {
    let before = read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/campus"), 1);
    let answer = ask_what_if(&before, &["node.n001.state=offline", "node.n002.state=offline"]).unwrap();
    let found = Comparison::explained(&before.run, &answer.generation.run);
    let mut met_otherwise = 0;
    for change in &found.jobs {
        for (run, stand) in [(&before.run, &change.before), (&answer.generation.run, &change.after)] {
            let Some((stand, job)) = stand.as_ref().zip(run.plan.snap.job_named(&change.job)) else {
                continue;
            };
            let Some(cause) = causes(run, job).into_iter().next() else { continue };
            assert_eq!(stand.tier, Some(cause.tier), "{change:?}");
            let met = decided(run, job).and_then(|outcome| Tier::of(run, outcome));
            met_otherwise += usize::from(met != Some(cause.tier));
        }
    }
    assert!(met_otherwise > 0, "no job met another condition first: {:?}", found.jobs);
}

/// A job that is no longer a top job may start as early as before.
#[test]
fn a_lost_plan_is_no_later_start() {
    let case = real::named("c04");
    let root = case.on_disk();
    let before = read(&root.path().join("before"), 1);
    let answer = ask_what_if(&before, &["strict_ordering=False"]).unwrap();
    let kinds = answer.effects.jobs_by_effect();
    let of = |word: &str| kinds.iter().find(|(kind, _)| *kind == word).map(|(_, jobs)| jobs.clone());
    assert!(of("not planned").is_some_and(|jobs| jobs.contains(&"54".to_owned())), "{kinds:?}");
    let later = of("planned later").unwrap_or_default();
    assert!(later.iter().all(|job| job.contains(" by ")), "{kinds:?}");
}

#[test]
fn who_is_considered_after_a_job_is_marked_where_it_blocks_it() {
    let run = sample("scaler");
    let job = run.plan.snap.job_named("7").unwrap();
    let turn = JobTurn::new(&run, job).unwrap();
    let way = blockers_section(&run.plan.snap, &find_blockers(&turn, &causes(&run, job))).unwrap();
    let behind = way.lines.iter().find(|line| line.text.starts_with("considered after it")).unwrap();
    assert_eq!(behind.text, "considered after it, and started in this cycle: 8 9");
}

#[test]
fn kinds_of_nodes_of_one_size_differ_in_words() {
    let run = sample("campus");
    let snap = &run.plan.snap;
    let node = |name: &str| node_description(snap, &snap.nodes[snap.node_named(name).unwrap()]);
    assert_ne!(
        node("n001").split_once(' ').map(|(_, rest)| rest.to_owned()),
        node("n011").split_once(' ').map(|(_, rest)| rest.to_owned())
    );
    assert!(node("n001").contains("priority 10"), "{}", node("n001"));
}

/// The comment of PBS, actual or modelled, is below the verdict; the job's page also has the model's if it differs.
#[test]
fn the_comment_of_pbs_stands_below_the_verdict_and_with_its_difference_on_the_page() {
    let mut generation = (*console_cycle::sample("why")).clone();
    let log = SchedLogLocation::Input(None);
    generation.agreement = Some(Arc::new(Agreement::new(&generation.run, &log, 10)));
    let generation = Arc::new(generation);
    let mut stage = Stage::empty(80, 24, Epoch(1_763_700_000));
    stage.load(generation.clone());
    let seen = stage.command("why 11").see();
    let lines: Vec<&str> = seen.lines().collect();
    assert!(lines[3].contains("calendar") && lines[4].contains("PBS comment · differs: "), "{seen}");
    let mut stage = Stage::empty(80, 30, Epoch(1_763_700_000));
    stage.load(generation);
    let seen = stage.command("job 11").see();
    assert!(seen.contains("differs") && seen.contains("the model gives: Not Running"), "{seen}");
    let case = real::named("c04");
    let root = case.on_disk();
    let mut stage = Stage::open_at(&root.path().join("before"), 80, 24);
    let seen = stage.command("why 54").see();
    assert!(seen.contains("no PBS comment yet; would be Not Running: Not enough free nodes"), "{seen}");
    // What the funnel has is not stated before it too, so that the start is on the first page.
    assert!(!seen.contains("16 chunks need whole nodes"), "{seen}");
    assert!(seen.contains("Blocked by") && seen.contains("◆ 02:43:26"), "{seen}");
}

#[test]
fn everything_wrong_in_a_configuration_is_listed() {
    let mut config = Config::default();
    let text =
        "theme = \"nosuch\"\n[keys]\ngo-upp = \"x\"\nquit = \"entr\"\n[filters]\nbig = \"ncpus>>64\"\n";
    config.add_text(Path::new("c.toml"), text);
    let mut stage = Stage::empty(80, 24, Epoch(1_763_700_000));
    stage.app.configure(&config);
    stage.load(read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/sets-unused"), 1));
    let seen = stage.see();
    assert!(seen.contains("c.toml:3: no action go-upp") && seen.contains("· 3 more, ! lists them"), "{seen}");
    let seen = stage.act(&[Action::Warnings]).see();
    for (place, what) in [
        ("c.toml:1", "unknown theme"),
        ("c.toml:3", "no action go-upp"),
        ("c.toml:4", "\"entr\" is no key"),
        ("c.toml:6", "filter big: ncpus takes a number"),
    ] {
        assert!(seen.lines().any(|line| line.contains(place) && line.contains(what)), "{place} {seen}");
    }
}

#[test]
fn configured_columns_that_do_not_exist_are_listed_and_have_no_effect() {
    let mut config = Config::default();
    config.add_text(
        Path::new("c.toml"),
        "[columns]\njobs = [\"+projct\", \"-state\"]\n[sort]\nnodes = \"-ncpuss\"\njobs = \"S; -ncpus\"\n",
    );
    let mut stage = Stage::empty(120, 30, Epoch(1_763_700_000));
    stage.app.configure(&config);
    stage.load(read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/campus"), 1));
    let seen = stage.see();
    assert!(seen.contains("c.toml:2: no column projct in jobs, did you mean `project`?"), "{seen}");
    let seen = stage.act(&[Action::Warnings]).see();
    assert!(seen.contains("no column ncpuss in nodes"), "{seen}");
    let seen = stage.command("jobs").see();
    assert!(seen.contains("sort S ▴, ncpus ▾") && !seen.contains(" S  "), "{seen}");
    let seen = stage.command("nodes").see();
    assert!(!seen.contains("ncpuss"), "{seen}");
}

/// The help of a view lists `+` and `-` only where they scale something.
#[test]
fn the_help_lists_the_keys_that_work_at_the_place() {
    for (view, scales) in
        [("nodes", true), ("calendar", true), ("jobs", false), ("board", false), ("queues", false)]
    {
        let mut stage = Stage::open("campus", 200, 60);
        let seen = stage.command(view).act(&[Action::Help]).see();
        assert!(seen.contains("Help · "), "{seen}");
        assert_eq!(seen.contains("Show more, less"), scales, "{view} {seen}");
    }
}

#[test]
fn a_key_without_a_meaning_names_the_box_that_is_open() {
    let mut stage = Stage::open("sets-8", 80, 24);
    stage.act(&[Action::Files]).feed(AppInput::Unbound("H".parse().unwrap()));
    assert!(stage.see().contains("H is not used in Files"), "{}", stage.see());
}
