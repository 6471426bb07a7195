//! One verdict in every view: whether a job can never run is the same in rows, counts and explanations.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use qscope::capacity::question::{CapacityCase, CapacityQuestion};
use qscope::cluster::{Amount, JobId, NodeState, ResourceType};
use qscope::cycle::{CycleStart, Debugger, Eligibility, Outcome, Run, Verdict, run_cycle};
use qscope::explain::{
    Alert, BucketMap, Cause, Explainer, Explanation, Tier, WaitReason, alerts, board, causes, forecast, why,
    why_node,
};
use qscope::placement::{PathRule, PlacementPath};
use qscope::session::query::QueryRecord;
use qscope::session::records::JobRecord;
use qscope::universe::{NodeUse, Quirks};

use super::cases;

/// Returns whether a cause is final: neither the return of nodes nor a change by an operator ends it.
fn is_final(cause: &Cause) -> bool {
    cause.tier == Tier::Never && !matches!(cause.kind, "never-for-now" | "switched-off")
}

#[test]
fn rows_agree_with_explanations_and_the_sentences_of_limits_add_up() {
    let (mut nevers, mut limits, mut differ) = (0, BTreeMap::<&str, usize>::new(), Vec::new());
    for case in cases::all() {
        let run: Arc<Run> = Arc::new(run_cycle(case.snapshot(), Quirks::default()));
        for outcome in run.outcomes() {
            let job = outcome.job;
            let starts = run.outcome(job).is_none_or(|outcome| outcome.verdict == Verdict::Run);
            let found = if starts { Vec::new() } else { causes(&run, job) };
            let counted = run.impossible_jobs().contains(job);
            if counted != found.iter().any(is_final) {
                differ.push(format!("{}: {}: row {counted}", case.name, run.plan.job(job).name));
            }
            nevers += usize::from(counted);
            if let Some(reason) = WaitReason::of(&found).filter(|reason| reason.tier == Tier::Never) {
                let says_never = reason.headline() == "can never run";
                if says_never != counted {
                    differ.push(format!("{}: {}: {}", case.name, run.plan.job(job).name, reason.headline()));
                }
            }
            for cause in found.iter().filter(|cause| cause.tier == Tier::Limit) {
                if !adds_up(&run, cause) {
                    differ.push(format!("{}: {}: {cause:?}", case.name, run.plan.job(job).name));
                }
                *limits.entry(cause.kind).or_default() += 1;
            }
        }
    }
    assert_eq!(differ, Vec::<String>::new());
    assert!(
        nevers > 100 && limits.values().sum::<usize>() > 100 && limits.len() > 2,
        "{nevers} jobs that can never run, {limits:?} limits: too few to show a fault"
    );
}

/// Computed during a cycle, the idle cluster is examined as jobs are refused, in another order than after it.
#[test]
fn what_can_never_run_is_the_same_looked_for_beside_the_cycle() {
    let (mut nevers, mut differ) = (0, Vec::new());
    for case in cases::all() {
        let start = || CycleStart::new(case.snapshot(), Quirks::default());
        let (after, beside) = (start().run(), start().run_with_impossible());
        assert_eq!(after.steps.len(), beside.steps.len(), "{}", case.name);
        for job in after.plan.snap.jobs.ids() {
            nevers += usize::from(after.impossible_jobs().contains(job));
            // In text, since amounts that are not set are equal to nothing.
            let [one, other] =
                [&after, &beside].map(|run| format!("{:?}", run.impossible_jobs().reason(job)));
            if one != other {
                differ.push(format!("{}: {}: {one}, {other}", case.name, after.plan.job(job).name));
            }
        }
    }
    assert_eq!(differ, Vec::<String>::new());
    assert!(nevers > 100, "{nevers} jobs that can never run: too few to show a fault");
}

/// Returns whether a limit's numbers add up: used, planned and requested amounts together exceed it.
fn adds_up(run: &Run, cause: &Cause) -> bool {
    let of = |name| number(run, cause, name);
    match cause.kind {
        "run-limit" | "resource-limit" => of("used") + of("planned") + of("wanted") > of("limit"),
        "subjob-limit" => of("used") + 1.0 > of("limit"),
        // The queue has none of it, or less than is requested.
        "queue-resource" => of("wanted") > of("available") || cause.numbers.is_empty(),
        other => panic!("a limit of kind {other} has no rule here"),
    }
}

fn case(name: &str) -> Arc<Run> {
    let case = cases::all().iter().find(|case| case.name == name).unwrap();
    Arc::new(run_cycle(case.snapshot(), Quirks::default()))
}

fn why_of(run: &Arc<Run>, job: &str) -> Explanation {
    why(run, run.plan.snap.job_named(job).unwrap())
}

#[test]
fn a_job_placed_by_preemption_entered_the_node_path() {
    let run = case("preempt_express");
    let found = why_of(&run, "3.svr");
    assert_eq!(found.headline, "3 starts in this cycle on 2 nodes (node path, after a preemption)");
    let outcome = found.outcome.unwrap();
    assert_eq!((outcome.path, outcome.entered()), (None, Some(PlacementPath::Node)));
}

#[test]
fn a_suspended_job_takes_the_node_path_because_of_its_own_nodes() {
    let run = case("elig_suspended");
    let rule = |job| why_of(&run, job).outcome.unwrap().would_use.unwrap().rule;
    assert_eq!(rule("1.svr"), PathRule::PreviousPlacement);
}

#[test]
fn after_a_reservation_is_confirmed_the_forecast_goes_on_with_the_next_cycle() {
    let run = case("resv_ok");
    assert!(run.confirmations.iter().any(qscope::cycle::Confirmation::is_confirmed), "the cycle ends early");
    let waiting: Vec<_> = run.outcomes().map(|outcome| outcome.job).collect();
    assert!(!waiting.is_empty());
    for job in waiting {
        let found = forecast(&run, job, &mut |_| ControlFlow::Continue(())).unwrap();
        assert!(found.start.is_some(), "{}: {found:?}", run.plan.job(job).name);
    }
}

/// Returns a number of a cause, as the batch system prints it.
fn number(run: &Run, cause: &Cause, name: &str) -> f64 {
    let text = cause.numbers.iter().find(|(known, _)| *known == name).map_or("0", |(_, text)| text);
    let resource = cause.objects.iter().find_map(|object| run.plan.snap.catalogue.id(object));
    let kind = resource.map_or(ResourceType::Long, |id| run.plan.snap.catalogue.kind(id));
    Amount::parse(kind, text).unwrap_or_else(|error| panic!("{text}: {error:?}")).0
}

#[test]
fn a_node_out_of_service_could_take_no_job_and_its_page_begins_with_its_alerts() {
    let (mut out, mut alerted) = (0, 0);
    for case in cases::all() {
        let run: Arc<Run> = Arc::new(run_cycle(case.snapshot(), Quirks::default()));
        let alerts = alerts(&run);
        for (id, node) in run.plan.snap.nodes.enumerate() {
            let is_out = node.states.has(NodeState::Offline) || node.states.has(NodeState::Down);
            let is_named =
                |alert: &&Alert| alert.kind.is_grave() && alert.objects().any(|name| name == &*node.name);
            let named = alerts.iter().find(is_named);
            if !is_out && named.is_none() {
                continue;
            }
            let story = why_node(&run, id);
            assert!(!is_out || story.could.is_empty(), "{}: {}: {:?}", case.name, node.name, story.could);
            assert!(named.is_none() || !story.alerts.is_empty(), "{}: {}", case.name, node.name);
            out += usize::from(is_out);
            alerted += usize::from(named.is_some());
        }
    }
    assert!(out > 50 && alerted > 50, "{out} nodes out of service, {alerted} with grave alerts");
}

#[test]
fn a_job_that_starts_on_a_vnode_by_its_name_is_not_never_in_capacity() {
    let run = case("elig_host_vnode");
    let starts =
        |job: &str| run.outcome(run.plan.snap.job_named(job).unwrap()).unwrap().verdict == Verdict::Run;
    assert!(["1.svr", "2.svr", "3.svr"].into_iter().all(starts));
    let question = CapacityQuestion::default();
    let answer = CapacityCase::new(&run.plan.snap, &question).unwrap().answer(&run.plan.snap).unwrap();
    let never: Vec<_> =
        answer.unplaceable.iter().map(|never| run.plan.job(never.example).short_name()).collect();
    assert_eq!(never, ["5"], "of a vnode that does not exist");
}

/// What the cycle starts, on any vnodes of a host, fits into some type of capacity.
#[test]
fn nothing_that_starts_is_never_in_capacity() {
    let (mut started, mut differ) = (0, Vec::new());
    for case in cases::all() {
        let run: Arc<Run> = Arc::new(run_cycle(case.snapshot(), Quirks::default()));
        let question = CapacityQuestion::default();
        let Ok(capacity) = CapacityCase::new(&run.plan.snap, &question) else { continue };
        let Ok(answer) = capacity.answer(&run.plan.snap) else { continue };
        for step in run.steps.iter().filter(|step| step.outcome.placed.is_some()) {
            started += 1;
            let never = answer.unplaceable.iter().any(|never| never.example == step.outcome.job);
            if never {
                differ.push(format!("{}: {}", case.name, step.outcome.name(&run.plan.snap)));
            }
        }
    }
    assert_eq!(differ, Vec::<String>::new());
    assert!(started > 1000, "{started} jobs that start: too few to show a fault");
}

/// What fits into no type of capacity is also impossible in the cycle.
#[test]
fn what_is_never_in_capacity_can_never_run_in_the_cycle() {
    let (mut nevers, mut differ) = (0, Vec::new());
    for case in cases::all() {
        let run: Arc<Run> = Arc::new(run_cycle(case.snapshot(), Quirks::default()));
        let question = CapacityQuestion::default();
        let Ok(capacity) = CapacityCase::new(&run.plan.snap, &question) else { continue };
        let Ok(answer) = capacity.answer(&run.plan.snap) else { continue };
        for never in &answer.unplaceable {
            nevers += 1;
            if !run.impossible_jobs().contains(never.example) {
                differ.push(format!("{}: {}", case.name, run.plan.job(never.example).name));
            }
        }
    }
    assert_eq!(differ, Vec::<String>::new());
    assert!(nevers > 100, "{nevers} jobs that can never run: too few to show a fault");
}

/// A row's verdict, its filter and its reason agree.
#[test]
fn the_filter_and_the_reasons_show_one_verdict() {
    let (mut nevers, mut differ) = (0, Vec::new());
    for case in cases::all() {
        let run: Arc<Run> = Arc::new(run_cycle(case.snapshot(), Quirks::default()));
        for outcome in run.outcomes().filter(|outcome| outcome.placed.is_none()) {
            let verdict = run.verdict(outcome);
            let name = format!("{}: {}", case.name, outcome.name(&run.plan.snap));
            let is_never = verdict == Verdict::Never;
            let fact = JobRecord::of(&run, outcome).fact("verdict").map(|fact| fact.to_string());
            let row = if verdict == Verdict::NotConsidered { "skipped" } else { verdict.word() };
            if fact.as_deref() != Some(row) {
                differ.push(format!("{name}: filter {fact:?}, row {row}"));
            }
            // What is held or stopped has that as its reason first, whatever comes after.
            let counted = outcome.order.is_some() && run.impossible_jobs().contains(outcome.job);
            let reason = WaitReason::at_a_glance(&run, outcome);
            if counted && reason.as_ref().is_some_and(|reason| reason.tier != Tier::Never) {
                differ.push(format!("{name}: reason {reason:?}"));
            }
            nevers += usize::from(is_never);
        }
    }
    assert_eq!(differ, Vec::<String>::new());
    assert!(nevers > 100, "{nevers} jobs that can never run: too few to show a fault");
}

/// A held job, or one that waits for its time, has that as its reason before and after any analysis; a job that was
/// only not reached does not.
#[test]
fn a_job_that_is_not_eligible_has_one_reason_before_and_after_its_analysis() {
    let (mut seen, mut differ) = (0, Vec::new());
    for case in cases::all() {
        let run: Arc<Run> = Arc::new(run_cycle(case.snapshot(), Quirks::default()));
        let is_out = |outcome: &&Outcome| matches!(run.eligibility[outcome.job], Eligibility::Excluded(..));
        for outcome in run.outcomes().filter(is_out).filter(|outcome| !run.plan.job(outcome.job).is_subjob())
        {
            let before = WaitReason::at_a_glance(&run, outcome);
            let after = WaitReason::of(&causes(&run, outcome.job));
            let is_not_eligible =
                [&before, &after].into_iter().flatten().any(|reason| reason.tier == Tier::NotEligible);
            let names = [before, after].map(|reason| reason.map(|reason| reason.name));
            if is_not_eligible && names[0] != names[1] {
                differ.push(format!("{} {}: {names:?}", case.name, outcome.name(&run.plan.snap)));
            }
            seen += usize::from(is_not_eligible);
        }
    }
    assert_eq!(differ, Vec::<String>::new());
    assert!(seen > 100, "{seen} jobs that are not eligible: too few to show a fault");
}

/// There is one definition of free, part, full and out: the header, the uses of the nodes, the buckets and the set of
/// all nodes give the same four numbers at every step.
#[test]
fn nodes_are_counted_alike_everywhere_at_every_step() {
    let mut steps = 0;
    for case in cases::all() {
        let run: Arc<Run> = Arc::new(run_cycle(case.snapshot(), Quirks::default()));
        let mut debugger = Debugger::new(run.clone());
        for done in 0..=run.steps.len() {
            debugger.seek(done);
            let state = debugger.state();
            let counts = state.node_counts();
            assert_eq!(
                counts.free + counts.part + counts.full + counts.out,
                counts.all,
                "{} {done}",
                case.name
            );
            assert_eq!(counts.all, run.plan.snap.nodes.len(), "{} {done}", case.name);
            let tally = |uses: &mut dyn Iterator<Item = NodeUse>| {
                let mut of = [0; 3];
                for one in uses {
                    match one {
                        NodeUse::Free => of[0] += 1,
                        NodeUse::Part => of[1] += 1,
                        NodeUse::Full => of[2] += 1,
                        NodeUse::Out => {}
                    }
                }
                of
            };
            let header = [counts.free, counts.part, counts.full];
            assert_eq!(tally(&mut state.node_uses().iter().copied()), header, "{} {done}: nodes", case.name);
            let everything = state.sets[state.all_nodes_set].shape.members.iter();
            let everything = tally(&mut everything.map(|bit| state.node_use(*bit)));
            // Nodes that belong to a queue are not in it.
            if run.plan.snap.nodes.iter().all(|node| node.queue.is_none()) {
                assert_eq!(everything, header, "{} {done}: the set of all nodes", case.name);
            }
            let map = BucketMap::of(state, None).unwrap();
            let members = map.buckets.iter().flat_map(|bucket| &bucket.all);
            let members: Vec<usize> = members.copied().collect();
            let distinct: BTreeSet<usize> = members.iter().copied().collect();
            assert_eq!(distinct.len(), members.len(), "{} {done}: a node in two buckets", case.name);
            let in_buckets = tally(&mut members.iter().map(|at| state.node_use(map.array[*at])));
            for (bucket, all) in in_buckets.into_iter().zip(header) {
                assert!(bucket <= all, "{} {done}: buckets {in_buckets:?}, header {header:?}", case.name);
            }
            let part: usize = map.buckets.iter().map(|bucket| bucket.part).sum();
            assert_eq!(part, in_buckets[1], "{} {done}: partly free", case.name);
            steps += 1;
        }
    }
    assert!(steps > 1000, "{steps} steps: too few to show a fault");
}

/// Board, explanation and row agree: the board lists a job under the deepest cause of its explanation, and the number
/// of jobs that can never run is the same in all, even if a job is held or its queue is stopped and it is listed
/// under that.
#[test]
fn the_board_and_the_explanations_show_one_verdict() {
    let (mut jobs, mut besides, mut differ) = (0, 0, Vec::new());
    for case in cases::all() {
        let run: Arc<Run> = Arc::new(run_cycle(case.snapshot(), Quirks::default()));
        let board = board(&run);
        let mut inquiry = Explainer::new(&run);
        let mut listed = 0;
        for row in &board.rows {
            let never = row.jobs.iter().filter(|job| run.impossible_jobs().contains(**job)).count() as u64;
            if never != row.never {
                differ
                    .push(format!("{}: {}: {} of them never, row {}", case.name, row.name, never, row.never));
            }
            listed += never;
            besides += u64::from(row.never_besides().is_some()) * row.never;
            // A job that starts and makes room for another in the same cycle has two turns: the board lists it by the last.
            let has_one_turn = |job: &&JobId| {
                let turns = run.steps.iter().filter(|step| step.outcome.job == **job).count();
                turns < 2 || run.plan.job(**job).array.is_some()
            };
            for job in row.jobs.iter().filter(|_| row.analysed).filter(has_one_turn) {
                let tier = inquiry.causes(*job).first().map(|cause| cause.tier);
                if tier != Some(row.tier) {
                    differ.push(format!(
                        "{}: {}: board {:?}, why {tier:?}",
                        case.name,
                        run.plan.job(*job).name,
                        row.tier
                    ));
                }
                jobs += 1;
            }
        }
        let waiting = run.outcomes().filter(|outcome| !run.plan.job(outcome.job).is_represented_by_array());
        let never: BTreeSet<_> =
            waiting.map(|outcome| outcome.job).filter(|job| run.impossible_jobs().contains(*job)).collect();
        if never.len() as u64 != listed {
            differ.push(format!("{}: {} can never run, the board has {listed}", case.name, never.len()));
        }
    }
    assert_eq!(differ, Vec::<String>::new());
    assert!(jobs > 2000 && besides > 3, "{jobs} jobs, {besides} never besides: too few to show a fault");
}

/// Returns the program's JSON answer about a folder.
fn program(folder: &std::path::Path, arguments: &[&str]) -> serde_json::Value {
    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_qscope"));
    let output = program.args(arguments).arg("--json").arg(folder).env("TZ", "UTC").output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// Jobs that are held or not eligible yet, and that can never run: every command reports first what holds them, and
/// in addition that they can never run.
#[test]
fn what_holds_a_job_comes_first_and_never_stands_beside_it() {
    let case = cases::all().iter().find(|case| case.name == "w1182").unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in &case.files {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    let (cycle, board) = (program(folder.path(), &["cycle"]), program(folder.path(), &["board"]));
    for job in ["14.svr", "22.svr", "29.svr"] {
        let row = cycle["jobs"].as_array().unwrap().iter().find(|row| row["id"] == job).unwrap();
        assert_eq!((&row["never"], row["never_because"].is_string()), (&true.into(), true), "{row}");
        let why = program(folder.path(), &["why", job]);
        assert_eq!((&why["tier"], &why["never"]), (&"calendar".into(), &true.into()), "{job}");
        assert!(why["also"].as_array().unwrap().contains(&"never".into()), "{job}: {}", why["also"]);
        let causes = board["causes"].as_array().unwrap();
        let cause =
            causes.iter().find(|cause| cause["jobs"].as_array().unwrap().contains(&job.into())).unwrap();
        assert_eq!((&cause["tier"], &cause["never"]), (&"calendar".into(), &3.into()), "{cause}");
    }
    let held = tempfile::tempdir().unwrap();
    std::fs::write(held.path().join("nodes.toml"), "[[node]]\nname = \"n1\"\navailable = { ncpus = 4 }\n")
        .unwrap();
    let job = "now = 1763700000\n[[job]]\nid = \"1\"\nuser = \"ann\"\nselect = \"1:ncpus=64\"\nwalltime = \"01:00:00\"\nstate = \"H\"\nholds = \"u\"\n";
    std::fs::write(held.path().join("queue.toml"), job).unwrap();
    let (why, board) = (program(held.path(), &["why", "1"]), program(held.path(), &["board"]));
    assert_eq!((&why["tier"], &why["never"]), (&"not_eligible".into(), &true.into()), "{why}");
    assert_eq!(board["causes"][0]["tier"], "not_eligible");
    assert_eq!(board["causes"][0]["never"], 1);
}

/// Jobs started in this cycle count against a limit, and the jobs that used it up are named.
#[test]
fn a_limit_names_the_jobs_that_used_it_up_in_this_cycle() {
    let folder = tempfile::tempdir().unwrap();
    let job = |id: u32| {
        format!("[[job]]\nid = \"{id}\"\nuser = \"ann\"\nselect = \"1:ncpus=1\"\nwalltime = \"01:00:00\"\n")
    };
    let queue = format!("now = 1763700000\n{}", (1..=3).map(job).collect::<String>());
    for (name, text) in [
        ("nodes.toml", "[[node]]\nname = \"n[1-4]\"\navailable = { ncpus = 4 }\n"),
        ("queue.toml", &*queue),
        ("policy.toml", "[server]\nmax_run = \"[u:ann=2]\"\n"),
    ] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let why = program(folder.path(), &["why", "3"]);
    let cause = &why["causes"][0];
    assert_eq!((&cause["kind"], &cause["numbers"]["used"]), (&"run-limit".into(), &"2".into()), "{cause}");
    assert!(cause["notes"].as_array().unwrap().contains(&"taken in this cycle by 1 2".into()), "{cause}");
    let place = serde_json::json!([{ "name": "max_run", "file": "policy.toml", "line": 2 }]);
    assert_eq!(why["settings"], place, "where the limit is set");
    // A what-if keeps the places of settings that it does not change.
    for (set, expected) in [("server.max_run=[u:ann=2]", serde_json::json!([])), ("backfill_depth=3", place)]
    {
        let changed = program(folder.path(), &["why", "3", "--set", set]);
        assert_eq!(changed["settings"], expected, "{set}: {changed}");
    }
}

/// If the deepest cause is that a job can never run, so is its verdict: answers with and without the causes show the
/// same verdict.
#[test]
fn the_verdict_is_the_same_with_the_causes_and_without() {
    let (mut nevers, mut differ) = (0, Vec::new());
    for case in cases::all().iter().step_by(2) {
        let run: Arc<Run> = Arc::new(run_cycle(case.snapshot(), Quirks::default()));
        let mut inquiry = Explainer::new(&run);
        for job in run.plan.snap.jobs.ids() {
            let brief = inquiry.brief(job);
            let Some(outcome) = &brief.outcome else { continue };
            let is_never = brief.causes.first().is_some_and(|cause| cause.tier == Tier::Never);
            nevers += usize::from(is_never);
            if is_never && run.verdict(outcome) != Verdict::Never {
                differ.push(format!("{}: {}: {:?}", case.name, outcome.name(&run.plan.snap), brief.causes));
            }
        }
    }
    assert_eq!(differ, Vec::<String>::new());
    assert!(nevers > 50, "{nevers} jobs that can never run: too few to show a fault");
}

/// A class of the scheduler ignores a boolean that is not on its `resources` line, so one of its jobs may be impossible and
/// another one not. In a queue that is analysed by kinds, each has the reason of its own verdict.
#[test]
fn in_a_long_queue_a_job_waits_for_never_just_where_it_can_never_run() {
    const EACH: usize = 200;
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let mut jobs = "now = 1763700000\n[[queue]]\nname = \"workq\"\n".to_owned();
    let mut job = |id: usize, select: &str, more: &str| {
        jobs += &format!(
            "[[job]]\nid = \"{id}\"\nuser = \"ann\"\nqueue = \"workq\"\nselect = \"{select}\"\n\
             place = \"scatter\"\nwalltime = \"01:00:00\"\n{more}"
        );
    };
    job(1, "1:ncpus=4", "started = \"-00:10:00\"\non = \"(n1:ncpus=4)\"\n");
    for at in 0..EACH {
        job(10 + 2 * at, "2:ncpus=4:fast=True", "");
        job(11 + 2 * at, "2:ncpus=4", "");
    }
    put("queue.toml", &jobs);
    put(
        "policy.toml",
        "[sched_config]\nresources = [\"ncpus\", \"mem\"]\n[[resource]]\nname = \"fast\"\ntype = \"boolean\"\nflag = \"h\"\n",
    );
    put(
        "nodes.toml",
        "[[node]]\nname = \"n1\"\navailable = { ncpus = 4, fast = true }\n\
         [[node]]\nname = \"n2\"\navailable = { ncpus = 4, fast = false }\n",
    );
    let run = super::console_cycle::read(folder.path(), 1);
    let run: Arc<Run> = (*run.run).clone();
    let board = board(&run);
    assert!(board.rows.iter().all(|row| row.never_besides().is_none()), "{board:?}");
    let never = board.rows.iter().filter(|row| row.tier == Tier::Never).map(|row| row.jobs.len());
    assert_eq!((never.sum::<usize>(), run.impossible_jobs().len()), (EACH, EACH), "{board:?}");
}
