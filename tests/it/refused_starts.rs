//! Starts that the server refuses, since their nodes were assigned twice: counts, names and commands treat such jobs
//! as waiting.

use std::sync::Arc;

use qscope::cluster::JobId;
use qscope::cycle::{Run, run_cycle};
use qscope::explain::{
    JobTurn, StartLocation, added_nodes_effects, board, causes, find_blockers, funnels, left_of_array,
    refused_by_server, why, why_node, why_not_here,
};
use qscope::share::published::{PublishedEffort, answers};
use qscope::source::{Files, LoadOptions, load};
use qscope::universe::Quirks;

use crate::checked_claims::made;

/// Returns thirty-six vnodes in sets by two resources, whose buckets assign nodes twice, with these jobs after the
/// first one.
fn sets_36(jobs: &str, policy: &str) -> Arc<Run> {
    let sample = |name: &str| {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/sets-36").join(name);
        std::fs::read_to_string(path).unwrap()
    };
    let first = sample("queue.toml").split("# Bucket path, four nodes").next().unwrap().to_owned();
    let mut files = Files::new("sets");
    files.insert("policy.toml", format!("{policy}{}", sample("policy.toml")), None);
    files.insert("nodes.toml", sample("nodes.toml"), None);
    files.insert("queue.toml", format!("{first}{jobs}"), None);
    let snapshot = load(&files, &LoadOptions::default()).unwrap();
    Arc::new(run_cycle(Arc::new(snapshot), Quirks::default()))
}

fn job(run: &Run, id: &str) -> JobId {
    run.plan.snap.job_named(id).unwrap()
}

const ARRAY: &str = "[[job]]\nid = \"2[]\"\narray = \"1-3\"\nuser = \"ann\"\nselect = \"4:ncpus=8\"\n\
    place = \"scatter:excl\"\nwalltime = \"01:00:00\"\n";

#[test]
fn subjobs_that_are_refused_wait() {
    let run = sets_36(ARRAY, "");
    let array = job(&run, "2[]");
    assert_eq!(left_of_array(&run, array), [1, 2, 3]);
    // Three subjobs of 32 cpus for an hour each.
    let found = board(&run);
    assert_eq!((found.waiting, found.core_hours), (1, 96.0));
    assert!(added_nodes_effects(&run).iter().all(|growth| growth.share <= 1.0));
    let node = run.plan.snap.node_named("vn46").unwrap();
    let story = why_node(&run, node);
    let named: Vec<&String> = story.refusals.iter().flat_map(|it| &it.sample).chain(&story.could).collect();
    assert_eq!(named, ["2[]"]);
    // Each refused start has its own reason, which names it.
    let reasons: Vec<String> = run.outcomes().filter_map(|one| refused_by_server(&run, one)).collect();
    let names: Vec<bool> =
        (1..=3).map(|at| reasons.iter().any(|why| why.contains(&format!("2[{at}]")))).collect();
    assert_eq!(names, [true; 3], "{reasons:?}");
}

/// A requested subjob has its own reason, turn and decision, whichever of the subjobs was refused last.
#[test]
fn a_refused_subjob_is_explained_by_itself() {
    let run = sets_36(ARRAY, "");
    let array = job(&run, "2[]");
    for name in ["2[1]", "2[2]", "2[3]"] {
        let mut answer = why(&run, array);
        assert!(!answer.narrow_to_subjob(&run, name), "{name}");
        let start = format!("{name} is started on 4 nodes (bucket path), and the server refuses it: ");
        assert!(answer.headline.starts_with(&start), "{}", answer.headline);
        assert!(answer.headline.contains(&format!("and again to {name} ")), "{}", answer.headline);
        assert_eq!((answer.causes.len(), answer.banners.len()), (1, 0), "{name}");
        assert!(!answer.decision.is_empty(), "{name}");
        let mut turn = JobTurn::for_named(&run, array, name).unwrap();
        assert_eq!(turn.outcome().map(|outcome| outcome.name(&run.plan.snap)).as_deref(), Some(name));
        // What every node passes would explain nothing.
        assert!(funnels(&mut turn).is_empty(), "{name}");
    }
}

/// The verdict of the scheduler stays as it is; the actual outcome is one word in every answer.
#[test]
fn what_comes_of_a_refused_start_is_one_verdict_in_every_answer() {
    let run = sets_36(ARRAY, "");
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in qscope::share::dump::files(&run.plan.snap) {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    let answer = |words: &[&str]| -> serde_json::Value {
        let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_qscope"));
        let output = program.args(words).arg(folder.path()).arg("--json").output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let cycle = answer(&["cycle"]);
    let rows: Vec<_> = cycle["jobs"].as_array().unwrap().iter().collect();
    let verdicts = |key: &str| rows.iter().map(|row| row[key].as_str().unwrap()).collect::<Vec<_>>();
    assert_eq!(verdicts("id"), ["1", "2[]", "2[1]", "2[2]", "2[3]"]);
    assert_eq!(verdicts("verdict"), ["run"; 5]);
    assert_eq!(verdicts("final_verdict"), ["run", "not_now", "not_now", "not_now", "not_now"]);
    for name in ["2[]", "2[1]"] {
        let why = answer(&["why", name]);
        assert_eq!((&why["verdict"], &why["final_verdict"]), (&"run".into(), &"not_now".into()), "{name}");
    }
    let published = answers(&run, PublishedEffort { cycles: 10, trials: 0 }, &|| false).unwrap();
    let told: Vec<_> =
        published.iter().map(|one| (&*one.job, one.final_verdict.as_deref().unwrap())).collect();
    assert_eq!(told, [("1", "run"), ("2[]", "not_now")]);
}

#[test]
fn a_refused_start_leaves_the_books_as_they_were() {
    let run = sets_36(ARRAY, "");
    let alone = sets_36("", "");
    let (end, without) = (run.end_at_server(), alone.end_at_server());
    for bit in run.plan.nodes.ids() {
        let of = |state: &qscope::universe::State| state.occupancy.states[bit];
        assert_eq!(of(end), of(without), "{}", run.plan.node_name(bit));
    }
    assert_eq!(end.ledger.started[job(&run, "2[]")], 0);
    assert_eq!(end.timeline.len(), without.timeline.len());
}

#[test]
fn only_what_refused_starts_keep_has_room_by_them() {
    // Behind a job that strict order stops there is room for one cpu, whatever the server refuses.
    let behind = "[[job]]\nid = \"2\"\nuser = \"ann\"\nselect = \"4:ncpus=8\"\nplace = \"scatter:excl\"\nwalltime = \"01:00:00\"\n\
        [[job]]\nid = \"5\"\nuser = \"cara\"\nselect = \"8:ncpus=8\"\nplace = \"scatter:excl\"\nwalltime = \"01:00:00\"\n\
        [[job]]\nid = \"7\"\nuser = \"cara\"\nselect = \"1:ncpus=1\"\nwalltime = \"01:00:00\"\n";
    let run = sets_36(behind, "[sched_config]\nstrict_ordering = true\n");
    let seven = job(&run, "7");
    assert!(!run.refused().is_empty());
    let turn = JobTurn::new(&run, seven).unwrap();
    let found = find_blockers(&turn, &causes(&run, seven));
    assert_ne!(found.start_if_alone, Some(run.plan.snap.now), "{found:?}");
}

#[test]
fn a_node_in_a_reservation_is_judged_from_within() {
    let nodes = "[[node]]\nname = \"n1\"\navailable = { ncpus = 8 }\n";
    let queue = "[[reservation]]\nname = \"R1\"\nstart = \"-01:00:00\"\nduration = \"04:00:00\"\nselect = \"1:ncpus=8\"\n\
        place = \"scatter:excl\"\nusers = [\"bob\"]\non = \"(n1:ncpus=8)\"\n\
        [[job]]\nid = \"1\"\nuser = \"bob\"\nqueue = \"R1\"\nselect = \"1:ncpus=4\"\nwalltime = \"01:00:00\"\n\
        [[job]]\nid = \"2\"\nuser = \"bob\"\nqueue = \"R1\"\nselect = \"1:ncpus=6\"\nwalltime = \"01:00:00\"\n";
    let run = made("", nodes, queue);
    let node = run.plan.snap.node_named("n1").unwrap();
    let parts = |id: &str| why_not_here(&mut JobTurn::new(&run, job(&run, id)).unwrap(), node);
    let after: Vec<String> = parts("2")[0].after.iter().map(|failure| failure.has.clone()).collect();
    assert_eq!(after, ["4 left of 8"]);
    // A start is not in its own way.
    assert_eq!((parts("1")[0].starts, parts("1")[0].after.len()), (Some(StartLocation::OnThisNode), 0));
}

#[test]
fn each_part_of_a_select_starts_where_it_does() {
    let nodes = "[[node]]\nname = \"n1\"\navailable = { ncpus = 8 }\n[[node]]\nname = \"n2\"\navailable = { ncpus = 8 }\n";
    let queue = "[[job]]\nid = \"1\"\nselect = \"1:ncpus=1+1:ncpus=8\"\nplace = \"scatter\"\nwalltime = \"01:00:00\"\n";
    let run = made("", nodes, queue);
    let on = |name: &str| {
        let node = run.plan.snap.node_named(name).unwrap();
        let parts = why_not_here(&mut JobTurn::new(&run, job(&run, "1")).unwrap(), node);
        parts.iter().map(|part| part.starts).collect::<Vec<_>>()
    };
    let mixed = [Some(StartLocation::OnThisNode), Some(StartLocation::ChunkOnOthers)];
    assert_eq!(on("n1"), mixed);
    assert_eq!(on("n2"), [mixed[1], mixed[0]]);
}
