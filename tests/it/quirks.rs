//! Both sides of the departures from the documents: the observed behaviour, and that without one quirk.

use std::sync::Arc;

use qscope::cluster::{ByPeriod, NodeSortKey, Snapshot};
use qscope::cycle::{Debugger, Outcome, Run, Verdict, run_cycle};
use qscope::placement::{PlacementPath, choose_path};
use qscope::source::toml_form;
use qscope::universe::{Quirk, Quirks};

use super::cases;

fn cluster(case: &str) -> Arc<Snapshot> {
    cases::all().iter().find(|known| known.name == case).unwrap().snapshot()
}

/// Returns the cycle as observed, and with one quirk off.
fn both(snap: &Arc<Snapshot>, quirk: Quirk) -> [Run; 2] {
    let mut without = Quirks::default();
    without.set(quirk, false);
    [Quirks::default(), without].map(|quirks| run_cycle(snap.clone(), quirks))
}

fn buckets(run: &Run) -> usize {
    Debugger::new(Arc::new(run.clone())).state().buckets.len()
}

fn comments(run: &Run, verdict: Verdict) -> Vec<String> {
    let told = run.outcomes().filter(|outcome| outcome.verdict == verdict);
    let rejections = told.filter_map(|outcome| outcome.rejection.as_ref());
    rejections.map(|rejection| rejection.comment(&run.plan.snap.catalogue)).collect()
}

fn would_use(run: &Run, wanted: impl Fn(&Outcome) -> bool) -> Vec<PlacementPath> {
    let outcomes = run.outcomes().filter(|outcome| wanted(outcome));
    outcomes.filter_map(|outcome| outcome.would_use.map(|choice| choice.path)).collect()
}

/// D1: signatures hold only the resources that jobs request, or the whole resources line.
#[test]
fn signatures_hold_requested_resources_or_the_whole_line() {
    let [observed, documented] = both(&cluster("sig_unrequested"), Quirk::RequestedSignature);
    assert_eq!(buckets(&observed), 1);
    assert!(buckets(&documented) > 1);
}

/// D2: a bucket accepts nodes that have more resources than it.
#[test]
fn richer_nodes_join_a_poorer_bucket_or_not() {
    let [observed, documented] = both(&cluster("sig_merge_unset"), Quirk::OneSidedMatch);
    assert!(buckets(&observed) < buckets(&documented));
}

/// D3: `assigned` in a sort key counts, even in the other period only.
#[test]
fn sorting_by_assigned_leaves_the_bucket_path_or_not() {
    let mut snap = (*cluster("elig_sort_total")).clone();
    let key = NodeSortKey::parse("ncpus HIGH assigned").unwrap();
    snap.policy.node_sort_key = ByPeriod { prime: Vec::new(), non_prime: vec![key] };
    let [observed, documented] = both(&Arc::new(snap), Quirk::AssignedSort);
    assert!(!would_use(&observed, |_| true).contains(&PlacementPath::Bucket));
    assert!(would_use(&documented, |_| true).contains(&PlacementPath::Bucket));
}

/// D4: exclhost is treated as excl, or not.
#[test]
fn exclhost_takes_buckets_or_not() {
    let snap = cluster("elig_place");
    let exclhost = |outcome: &Outcome| {
        let place = snap.jobs[outcome.job].place.clone().unwrap();
        place.sharedness == qscope::cluster::PlaceSharing::Exclhost
    };
    let [observed, documented] = both(&snap, Quirk::ExclhostIsExcl);
    assert!(would_use(&observed, exclhost).contains(&PlacementPath::Bucket));
    assert!(!would_use(&documented, exclhost).contains(&PlacementPath::Bucket));
}

/// D5: a chunk that requests no consumable resource fits nowhere, or anywhere.
#[test]
fn a_chunk_of_nothing_fits_nowhere_or_anywhere() {
    let [observed, documented] = both(&cluster("chunk_zero"), Quirk::UnlimitedChunk);
    let runs = |run: &Run| run.outcomes().filter(|outcome| outcome.verdict == Verdict::Run).count();
    assert!(runs(&documented) > runs(&observed));
}

/// D6: the comment of a job that can never run is empty, or has the reason that the documents give.
#[test]
fn never_is_empty_or_explained() {
    let empty = |run: &Run| comments(run, Verdict::Never).iter().any(|text| text == "Can Never Run: ");
    let mut seen = false;
    for case in cases::all() {
        let [observed, documented] = both(&case.snapshot(), Quirk::EmptyNever);
        seen |= empty(&observed);
        assert!(!empty(&documented), "{}", case.name);
    }
    assert!(seen);
}

/// D11: a job made top job in this cycle uses the node path from then on, or keeps to the buckets.
#[test]
fn a_job_made_top_job_leaves_the_bucket_path_or_not() {
    let runs = both(&cluster("later_topjob"), Quirk::PreviousPlacement);
    let [observed, documented] = runs.map(|run| {
        let top = run.outcomes().find(|outcome| outcome.estimate.is_some()).unwrap().job;
        let request = run.plan.request(top, None).unwrap();
        [false, true].map(|was_top| choose_path(&run.plan, top, request, was_top).path)
    });
    assert_eq!(observed, [PlacementPath::Bucket, PlacementPath::Node]);
    assert_eq!(documented, [PlacementPath::Bucket, PlacementPath::Bucket]);
}

/// B4: with the bug, later jobs run over the top job's start; without it they do not.
#[test]
fn a_bug_corrected_changes_what_it_did() {
    let [observed, corrected] = both(&cluster("pset_topjob_backfill"), Quirk::CalendarNotInSets);
    let places = |run: &Run| {
        let placed = run.outcomes().filter_map(|outcome| {
            Some((outcome.job, outcome.placed.as_ref()?.allocation.exec_vnode(&run.plan)))
        });
        placed.collect::<Vec<_>>()
    };
    assert_ne!(places(&observed), places(&corrected));
}

/// B5: the second of two jobs that differ only in a boolean is refused without being examined.
#[test]
fn jobs_that_differ_in_a_boolean_are_refused_together() {
    let nodes = "[[node]]\nname = \"n[1-4]\"\navailable = { ncpus = 8, fast = true }\n\
                 [[node]]\nname = \"n[5-8]\"\navailable = { ncpus = 8 }\n";
    let job = |id: u32, more: &str| {
        format!(
            "[[job]]\nid = {id}\nselect = \"4:ncpus=8{more}\"\nplace = \"scatter:excl\"\nwalltime = \"01:00:00\"\n"
        )
    };
    let queue = format!(
        "now = 1763700000\n{}{}{}",
        job(1, ":fast=True"),
        job(2, ":fast=True"),
        job(3, ":fast=False")
    );
    let policy = "[sched_config]\nresources = [\"ncpus\", \"mem\", \"host\", \"vnode\"]\n";
    let snap = Arc::new(toml_form::read(Some(nodes), Some(&queue), Some(policy), None, "test").unwrap());
    let starts = |run: &Run| -> Vec<String> {
        let placed = run.outcomes().filter(|outcome| outcome.placed.is_some());
        placed.map(|outcome| run.plan.job(outcome.job).short_name().to_owned()).collect()
    };
    let [observed, corrected] = both(&snap, Quirk::ClassIgnoresBooleans);
    assert_eq!(starts(&observed), ["1"]);
    assert_eq!(starts(&corrected), ["1", "3"]);
    assert_eq!(comments(&observed, Verdict::NotNow), vec!["Not Running: No available resources on nodes"; 2]);
}
