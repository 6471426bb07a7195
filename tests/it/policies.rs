//! The nine allocation policies, checked against a reference and against their rules.

use std::sync::Arc;

use proptest::prelude::*;
use qscope::cluster::{AllocationChoices, Edit, Id, NodeId, Snapshot};
use qscope::cycle::{CycleStart, Debugger, run_cycle};
use qscope::policies::{
    HookRequest, LocalHook, MauiOptions, MeasureBasis, PolicyAnswer, PolicyComparison, PolicyName,
    PolicyRanking, compare_policies,
};
use qscope::source::{Files, LoadOptions, load};
use qscope::universe::Quirks;
use serde_json::Value;

use crate::cases::{Pack, folder, unpacked};

pub(crate) fn pack() -> Pack {
    unpacked(&std::fs::read(folder().join("policies.gz")).unwrap())
}

pub(crate) fn cluster(files: &[(&str, String)]) -> Arc<Snapshot> {
    let mut folder = Files::new("policies");
    for (name, text) in files {
        folder.insert(name, text.clone().into_bytes(), None);
    }
    Arc::new(load(&folder, &LoadOptions::default()).unwrap())
}

/// Returns a packed cluster with more lines in its `[maui]`, which is the last table of its policy.
pub(crate) fn packed(name: &str, more: &str) -> Arc<Snapshot> {
    let pack = pack();
    let text = |file: &str| String::from_utf8(pack[name][file].clone()).unwrap();
    let policy = text("policy.toml") + "\n" + more;
    cluster(&[
        ("nodes.toml", text("nodes.toml")),
        ("queue.toml", text("queue.toml")),
        ("policy.toml", policy),
    ])
}

pub(crate) fn compare(snap: &Arc<Snapshot>, job: &str, hook: Option<&dyn LocalHook>) -> PolicyComparison {
    let run = Arc::new(run_cycle(snap.clone(), Quirks::default()));
    let options = MauiOptions::read(snap);
    let start = Debugger::new(run);
    compare_policies(start.state(), &options, snap.job_named(job).unwrap(), hook).unwrap()
}

pub(crate) fn answer(compared: &PolicyComparison, policy: PolicyName) -> &PolicyAnswer {
    compared.answers.iter().find(|answer| answer.policy == policy).unwrap()
}

/// Formats picks as `n1x4 n2x6`, or states why there are none.
pub(crate) fn picks(snap: &Snapshot, answer: &PolicyAnswer) -> String {
    let Some(placement) = &answer.now else { return answer.note.clone() };
    let name = |node: NodeId| snap.nodes[node].name.to_string();
    let shares = placement.picks.iter().map(|pick| format!("{}x{}", name(pick.node), pick.tasks));
    shares.collect::<Vec<_>>().join(" ")
}

fn nodes(snap: &Snapshot, placement: Option<&qscope::policies::Placement>) -> Value {
    let Some(placement) = placement else { return Value::Null };
    let pick = |pick: &qscope::policies::PickedNode| serde_json::json!({"node": &*snap.nodes[pick.node].name, "tasks": pick.tasks});
    placement.picks.iter().map(pick).collect()
}

/// Checks every row of the reference, including `earliest`, except those that it leaves open itself.
#[test]
fn every_answer_of_the_reference_is_given() {
    let mut rows = 0;
    for (case, files) in pack() {
        let expected: Value = serde_json::from_slice(&files["expected.json"]).unwrap();
        let snap = packed(&case, "");
        let compared = compare(&snap, expected["job"].as_str().unwrap(), None);
        for row in expected["policies"].as_array().unwrap() {
            let name = PolicyName::parse(row["name"].as_str().unwrap()).unwrap();
            let found = answer(&compared, name);
            rows += 1;
            assert_eq!(nodes(&snap, found.now.as_ref()), row["nodes"], "{case} {name}");
            assert_eq!(found.now.as_ref().map(|now| now.start.0), row["start"].as_i64(), "{case} {name}");
            let open = |left: &Value| left["name"] == row["name"] && left["field"] == "earliest";
            if !expected["left_out"].as_array().unwrap().iter().any(open) {
                let later = found.earliest.as_ref();
                assert_eq!(
                    later.map(|later| later.start.0),
                    row["earliest"]["start"].as_i64(),
                    "{case} {name}"
                );
                assert_eq!(nodes(&snap, later), row["earliest"]["nodes"], "{case} {name}");
            }
        }
    }
    assert!(rows > 600, "{rows} rows");
}

/// The examples of rule 3.5: the set determines which nodes FIRSTAVAILABLE may take.
#[test]
fn node_sets_limit_every_policy() {
    let with = |more: &str| {
        let snap = packed("f1", more);
        picks(&snap, answer(&compare(&snap, "J", None), PolicyName::FirstAvailable))
    };
    let list = "NODESETLIST = \"FAST TAPE\"\nNODESETATTRIBUTE = \"FEATURE\"\n";
    assert_eq!(with(&format!("{list}NODESETPRIORITYTYPE = \"BESTFIT\"")), "n3x4 n6x6");
    assert_eq!(with(&format!("{list}NODESETPRIORITYTYPE = \"WORSTFIT\"")), "n2x8 n4x2");
    assert_eq!(with(&format!("{list}NODESETPOLICY = \"FIRSTOF\"")), "n2x8 n4x2");
    assert_eq!(with(&format!("{list}NODESETPRIORITYTYPE = \"MINLOSS\"")), "n3x4 n6x6");
    let speeds = "NODESETATTRIBUTE = \"PROCSPEED\"\n";
    assert_eq!(with(&format!("{speeds}NODESETPRIORITYTYPE = \"BESTFIT\"")), "n1x4 n6x6");
    assert_eq!(with(&format!("{speeds}NODESETPRIORITYTYPE = \"BESTRESOURCE\"")), "n2x8 n4x2");
    assert_eq!(with(&format!("{speeds}NODESETTOLERANCE = \".20\"")), "n1x4 n2x6");
    let slow = "NODESETATTRIBUTE = \"FEATURE\"\nNODESETLIST = \"NONE\"\n";
    assert_eq!(with(slow), "n1x4 n2x6");
    let must = with(&format!("{slow}NODESETDELAY = \"1:00:00\""));
    assert_eq!(must, "Locality: no node set is large enough (NONE 0)");
}

/// Rules 1.14 and 1.15: the effect of the scenarios' placements on the next job.
#[test]
fn measures_show_what_a_placement_costs_others() {
    let measured = |case: &str, job: &str, behind: &str, policy| {
        let snap = packed(case, "");
        let compared = compare(&snap, job, None);
        let run = Arc::new(run_cycle(snap.clone(), Quirks::default()));
        let start = Debugger::new(run);
        let options = MauiOptions::read(&snap);
        let other = snap.job_named(behind).unwrap();
        let yardstick = MeasureBasis::new(start.state(), &options, &compared.request, &[other]);
        yardstick.measure(answer(&compared, policy).now.as_ref().unwrap())
    };
    let on_a = measured("s2-x-pack", "X", "Y", PolicyName::FirstAvailable);
    assert_eq!((on_a.regret.len(), on_a.largest.0), (1, 14.0));
    let on_b = measured("s2-x-pack", "X", "Y", PolicyName::MinResource);
    assert_eq!((on_b.regret.len(), on_b.largest.0, on_b.delayed.len()), (0, 24.0, 0));
    let late = measured("s3-c", "C", "D", PolicyName::FirstAvailable);
    assert_eq!(late.delayed.iter().map(|(_, by)| by.unwrap().0).collect::<Vec<_>>(), [3 * 3600]);
    let fits = measured("s3-c", "C", "D", PolicyName::LastAvailable);
    assert!(fits.delayed.is_empty());
    assert_eq!(fits.gap.unwrap().0.0, 12 * 60);
}

#[derive(Debug)]
struct Texts(Result<Vec<String>, String>);

impl LocalHook for Texts {
    fn order(&self, request: &HookRequest) -> Result<Vec<String>, String> {
        assert_eq!((request.tasks, request.walltime), (10, 7200));
        self.0.clone()
    }
}

#[test]
fn a_local_program_is_followed_and_checked() {
    let snap = packed("f1", "");
    let says = |names: Result<&[&str], &str>| {
        let names =
            names.map(|names| names.iter().map(|name| (*name).to_owned()).collect()).map_err(str::to_owned);
        picks(&snap, answer(&compare(&snap, "J", Some(&Texts(names))), PolicyName::Local))
    };
    assert_eq!(says(Ok(&["n6", "n5", "n1"])), "n6x6 n5x4");
    assert_eq!(says(Ok(&["n6", "x"])), "LOCAL: invalid answer: `x` is no candidate");
    assert_eq!(says(Ok(&["n6", "n6"])), "LOCAL: invalid answer: `n6` twice");
    assert_eq!(says(Err("no answer within 2 s")), "LOCAL: no answer within 2 s");
    assert_eq!(says(Ok(&["n5"])), "LOCAL uses only nodes for 4 of 10 tasks");
}

#[test]
fn node_lines_of_the_site_reach_the_policies() {
    let node = "\"NODECFG[n6]\" = \"PRIORITY=5 SPEED=9.5 SLOT=2\"\n";
    let snap = packed("f1", node);
    let compared = compare(&snap, "J", None);
    assert_eq!(picks(&snap, answer(&compared, PolicyName::Priority)), "n6x6 n1x4");
    assert_eq!(picks(&snap, answer(&compared, PolicyName::Fastest)), "n6x6 n2x4");
    assert_eq!(picks(&snap, answer(&compared, PolicyName::Contiguous)), "n1x4 n6x6");
}

/// A cycle under a policy places every job where the policy alone would place it at that moment.
#[test]
fn a_cycle_follows_a_policy_job_by_job() {
    let snap = packed("f1", "");
    for policy in PolicyName::ALL.iter().copied().filter(|policy| *policy != PolicyName::Local) {
        let expected = picks(&snap, answer(&compare(&snap, "J", None), policy));
        let choices =
            AllocationChoices { cluster: Some(policy.word().into()), ..AllocationChoices::default() };
        let under = Arc::new(snap.with(&[Edit::Allocation(choices)]));
        let ranking = Arc::new(PolicyRanking::of(&under, None).unwrap().unwrap());
        let run = CycleStart::ranked(under, Quirks::default(), Some(ranking)).run();
        let outcome = run.outcome(snap.job_named("J").unwrap()).unwrap();
        let mut counts: Vec<(String, u32)> = Vec::new();
        for piece in &outcome.placed.as_ref().unwrap().allocation.pieces {
            let name = run.plan.node_name(piece.bit).to_string();
            match counts.iter_mut().find(|(have, _)| *have == name) {
                Some((_, count)) => *count += piece.times,
                None => counts.push((name, piece.times)),
            }
        }
        let found: Vec<String> = counts.iter().map(|(name, count)| format!("{name}x{count}")).collect();
        assert_eq!(found.join(" "), expected, "{policy}");
        assert_eq!(outcome.would_use.unwrap().rule.name(), "allocation policy");
    }
}

/// A small cluster: nodes (cpus, load, speed), running jobs on them, and a request for a number of tasks.
type Drawn = (Vec<(u32, u32, u32)>, Vec<(usize, u32, u32)>, u32, u32);

fn clusters() -> impl Strategy<Value = Drawn> {
    let nodes = prop::collection::vec((1_u32..9, 0_u32..6, 0_u32..3), 1..9);
    let jobs = prop::collection::vec((0_usize..8, 1_u32..4, 1_u32..5), 0..6);
    (nodes, jobs, 1_u32..14, 0_u32..4)
}

fn written(nodes: &[(u32, u32, u32)], jobs: &[(usize, u32, u32)], tasks: u32, wanted: u32) -> Arc<Snapshot> {
    let mut left: Vec<u32> = nodes.iter().map(|(cpus, _, _)| *cpus).collect();
    let node = |(at, (cpus, load, speed)): (usize, &(u32, u32, u32))| {
        format!(
            "[[node]]\nname = \"n{at}\"\navailable = {{ ncpus = {cpus} }}\nload = {load}.5\nspeed = 1.{speed}\nprocspeed = {}\n",
            2000 + speed * 200
        )
    };
    let mut queue = String::from("now = 1763700000\n");
    for (id, (at, cpus, hours)) in jobs.iter().enumerate() {
        let Some(room) = left.get_mut(*at).filter(|room| **room >= *cpus) else { continue };
        *room -= cpus;
        queue.push_str(&format!(
            "[[job]]\nid = \"{}\"\nuser = \"bob\"\nselect = \"1:ncpus={cpus}\"\nwalltime = \"0{hours}:00:00\"\nstarted = \"-00:10:00\"\non = \"(n{at}:ncpus={cpus})\"\n",
            id + 1
        ));
    }
    let on = if wanted > 0 { format!("nodes = {wanted}\n") } else { String::new() };
    queue.push_str(&format!(
        "[[job]]\nid = \"99\"\nuser = \"ann\"\nselect = \"{tasks}:ncpus=1\"\nwalltime = \"01:00:00\"\n{on}"
    ));
    let nodes: String = nodes.iter().enumerate().map(node).collect();
    cluster(&[("nodes.toml", nodes), ("queue.toml", queue), ("policy.toml", "[maui]\n".to_owned())])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// A placement has only feasible nodes and exactly T tasks, never more on a node than it offers, and is the same
    /// twice; and whether there is one does not depend on policies that only order nodes.
    #[test]
    fn placements_keep_the_rules((nodes, jobs, tasks, wanted) in clusters()) {
        let snap = written(&nodes, &jobs, tasks, wanted);
        let compared = compare(&snap, "99", None);
        prop_assert_eq!(&compared, &compare(&snap, "99", None));
        let first = answer(&compared, PolicyName::FirstAvailable);
        for found in &compared.answers {
            for placement in found.now.iter().chain(&found.earliest) {
                prop_assert_eq!(placement.picks.iter().map(|pick| pick.tasks).sum::<u32>(), tasks);
                prop_assert!(placement.picks.iter().all(|pick| pick.tasks > 0 && pick.tasks <= pick.offered));
                if wanted > 0 {
                    prop_assert!(placement.picks.len() >= (wanted.min(tasks)) as usize);
                }
                let mut names: Vec<usize> = placement.picks.iter().map(|pick| pick.node.ix()).collect();
                names.sort_unstable();
                names.dedup();
                prop_assert_eq!(names.len(), placement.picks.len());
            }
            use PolicyName as P;
            if matches!(found.policy, P::LastAvailable | P::Priority | P::MinResource | P::Fastest) {
                prop_assert_eq!(found.now.is_some(), first.now.is_some());
                prop_assert_eq!(found.earliest.as_ref().map(|e| e.start), first.earliest.as_ref().map(|e| e.start));
            }
        }
    }

    /// MAXBALANCE finds the smallest span of speeds of any choice of nodes.
    #[test]
    fn no_choice_of_nodes_is_better_balanced((nodes, jobs, tasks, _) in clusters()) {
        let snap = written(&nodes, &jobs, tasks, 0);
        let compared = compare(&snap, "99", None);
        let Some(placement) = &answer(&compared, PolicyName::MaxBalance).now else { return Ok(()) };
        let speed = |node: NodeId| snap.nodes[node].extra.procspeed.unwrap();
        let span = |of: &[(f64, u32)]| {
            let speeds = || of.iter().map(|(speed, _)| *speed);
            speeds().fold(f64::MIN, f64::max) - speeds().fold(f64::MAX, f64::min)
        };
        let picked: Vec<(f64, u32)> = placement.picks.iter().map(|pick| (speed(pick.node), pick.offered)).collect();
        let run = Arc::new(run_cycle(snap.clone(), Quirks::default()));
        let free: Vec<(f64, u32)> = snap.nodes.enumerate().map(|(id, node)| {
            let left = Debugger::new(run.clone()).state().occupancy.left(
                &run.plan,
                run.plan.consumables.ix(qscope::cluster::ResourceId::ncpus()).unwrap(),
                run.plan.bit_named[&node.name],
            );
            (speed(id), left as u32)
        }).collect();
        let mut best = f64::INFINITY;
        for mask in 1_u32..1 << free.len() {
            let chosen: Vec<(f64, u32)> =
                (0..free.len()).filter(|at| mask & (1 << at) != 0).map(|at| free[at]).filter(|(_, n)| *n > 0).collect();
            if chosen.iter().map(|(_, n)| n).sum::<u32>() >= tasks {
                best = best.min(span(&chosen));
            }
        }
        prop_assert_eq!(span(&picked), best);
    }
}
