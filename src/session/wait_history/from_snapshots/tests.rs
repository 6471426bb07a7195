use std::sync::Arc;

use qscope_engine::cycle::run_cycle;
use qscope_engine::universe::Quirks;
use qscope_source::{Files, LoadOptions, load};

use super::*;
use crate::wait_history::{BEFORE_RECORDING, InterruptedRun, NOT_LOOKED_AT, WaitHistory, WaitTotals};

const START: i64 = 1_763_700_000;

/// Observes one snapshot per text of jobs, a minute apart, on a node of four cores.
fn observed(snapshots: &[&str]) -> Observations {
    let minutes: Vec<(i64, &str)> = (0..).map(|minute| 60 * minute).zip(snapshots.iter().copied()).collect();
    observed_at(&minutes)
}

/// The same with the seconds since the start of each.
fn observed_at(snapshots: &[(i64, &str)]) -> Observations {
    let mut all = Observations::of_snapshots();
    for (since, jobs) in snapshots {
        let now = START + since;
        let mut files = Files::new("t");
        files.insert("nodes.toml", "[[node]]\nname = \"n1\"\navailable = { ncpus = 4 }\n", None);
        files.insert("queue.toml", format!("now = {now}\n[[queue]]\nname = \"q\"\n{jobs}"), None);
        let snapshot = load(&files, &LoadOptions::default()).unwrap();
        all.take(&run_cycle(Arc::new(snapshot), Quirks::default()));
    }
    all
}

fn job(id: &str, rest: &str) -> String {
    let queued = format!("queued = {START}");
    format!(
        "[[job]]\nid = \"{id}\"\nuser = \"ann\"\nqueue = \"q\"\nwalltime = \"01:00:00\"\n{queued}\n{rest}\n"
    )
}

const FULL: &str = "select = \"1:ncpus=4\"\non = \"(n1:ncpus=4)\"";
const FOUR: &str = "select = \"1:ncpus=4\"";

fn core_seconds(all: &[WaitHistory]) -> i128 {
    WaitTotals::of(all, |_| true).0.values().map(|(_, cores)| cores).sum()
}

#[test]
fn an_array_states_how_many_of_its_subjobs_start() {
    // Two of six subjobs fit the node.
    let array = job("2[]", "array = \"0-5\"\nselect = \"1:ncpus=2\"");
    let full = job("1", FULL) + &array;
    let found = observed(&[&array, &array, &full, &full]).of("2[]").unwrap();
    let starting: Vec<_> = found.starting_subjobs().collect();
    assert_eq!(starting, [(Epoch(START), 2, 6), (Epoch(START + 120), 0, 6)]);
    assert_eq!(observed(&[&job("1", FOUR)]).of("1").unwrap().starting_subjobs().count(), 0);
}

#[test]
fn an_array_counts_once_for_its_subjobs_still_to_start() {
    let array = "array = \"0-5\"\nselect = \"1:ncpus=2\"";
    let subjobs: String = (0..6).map(|index| job(&format!("2[{index}]"), "select = \"1:ncpus=2\"")).collect();
    let runs = job("1", FULL);
    let without = runs.clone() + &job("2[]", array);
    let with = without.clone() + &subjobs;
    // In the second minute, four of six subjobs have started.
    let fewer = runs + &job("2[]", "array = \"4-5\"\nselect = \"1:ncpus=2\"");
    for first in [without, with] {
        let all = observed(&[&first, &fewer, &fewer]);
        let waited = all.waited();
        let array = all.of("2[]").unwrap();
        assert_eq!((waited.len(), waited[1].cores, array.cores), (2, 4, 4));
        assert_eq!(array.spans.len(), 1, "{:?}", array.spans);
        assert_eq!(core_seconds(&waited), 60 * 12 + 60 * 4);
        assert_eq!(all.of("2").map(|found| found.job), Some(array.job.clone()));
    }
}

#[test]
fn the_subjobs_that_a_cycle_starts_have_not_the_reason_of_their_array() {
    let array = "array = \"0-5\"\nselect = \"1:ncpus=2\"";
    let subjobs: String = (0..6).map(|index| job(&format!("2[{index}]"), "select = \"1:ncpus=2\"")).collect();
    let without = job("2[]", array);
    let with = without.clone() + &subjobs;
    let reasons = |all: &Observations, id: &str| -> Vec<String> {
        all.of(id).unwrap().spans.iter().map(|span| span.reason.to_string()).collect()
    };
    for jobs in [&without, &with] {
        let mut all = observed(&[jobs, jobs]);
        let array = reasons(&all, "2[]");
        assert!(array.len() == 1 && array[0] != STARTS, "{array:?}");
        let sums = WaitTotals::of(&all.waited(), |_| true).0;
        assert_eq!(sums[&*array[0]], (60, 60 * 8));
        assert_eq!(sums[STARTS], (0, 60 * 4));
        assert_eq!(sums.len(), 2, "{sums:?}");
        // After a long gap nothing is known of any of them.
        let last = all.last().unwrap();
        all.mark_all(last, NOT_RECORDED);
        all.see(last + Seconds(60));
        assert_eq!(WaitTotals::of(&all.waited(), |_| true).0[NOT_RECORDED], (60, 60 * 12));
    }
    let all = observed(&[&with, &with]);
    for index in 0..6 {
        let reason = reasons(&all, &format!("2[{index}]"));
        let expected = if index < 2 { vec![STARTS.to_owned()] } else { reasons(&all, "2[]") };
        assert_eq!(reason, expected, "2[{index}]");
    }
}

#[test]
fn a_job_that_is_no_longer_in_the_dumps_has_not_waited_since_it_was_last_seen() {
    let (runs, waits) = (job("1", FULL), job("2", FOUR));
    let both = runs.clone() + &waits;
    let all = observed(&[&both, &both, &runs, &runs]);
    let waited = all.of("2").unwrap();
    assert_eq!((waited.seconds(), waited.until, waited.is_started), (60, Epoch(START + 60), false));
    let left = waited.exit.clone().unwrap();
    assert_eq!((left.last_seen, left.at, left.unknown()), (Epoch(START + 60), Epoch(START + 120), 60));
    assert_eq!(core_seconds(&[waited]), 240);
    // It was missing from one dump only.
    let waited = observed(&[&both, &runs, &both]).of("2").unwrap();
    assert_eq!((waited.seconds(), waited.exit), (120, None));
}

#[test]
fn a_job_that_arrives_between_two_snapshots_did_not_wait_before_the_recording() {
    let arrives = |after: i64| {
        job("1", FULL)
            + &job("2", FOUR).replace(&format!("queued = {START}"), &format!("queued = {}", START + after))
    };
    let reasons = |snapshots: &[(i64, &str)]| -> Vec<(i64, String)> {
        let waited = observed_at(snapshots).of("2").unwrap();
        waited.spans.iter().map(|span| (span.seconds(), span.reason.to_string())).collect()
    };
    let (first, minute, day) = (job("1", FULL), arrives(40), arrives(50_000));
    let found = reasons(&[(0, &first), (60, &minute), (120, &minute)]);
    assert_eq!((found.len(), &found[0]), (2, &(20, NOT_LOOKED_AT.to_owned())));
    let found = reasons(&[(0, &first), (60, &first), (80_000, &day), (80_060, &day)]);
    assert_eq!((found.len(), &found[0]), (2, &(30_000, NOT_RECORDED.to_owned())));
    let found = reasons(&[(0, &first), (60, &arrives(-50)), (120, &arrives(-50))]);
    let expected = [(50, BEFORE_RECORDING.to_owned()), (60, NOT_RECORDED.to_owned())];
    assert_eq!(found[..2], expected, "it was missing from the first");
}

#[test]
fn a_requeued_job_waits_again() {
    let started = |at: i64| FULL.to_owned() + &format!("\nstarted = {}", START + at);
    let (waits, runs) = (job("1", FULL) + &job("2", FOUR), job("2", &started(30)));
    let all = observed(&[&waits, &runs, &runs, &waits, &waits]);
    let waited = all.of("2").unwrap();
    let spans: Vec<(i64, i64)> =
        waited.spans.iter().map(|span| (span.from.0 - START, span.to.0 - START)).collect();
    assert_eq!(spans, [(0, 30), (180, 240)]);
    assert_eq!((waited.seconds(), waited.is_started), (90, false));
    let ran =
        InterruptedRun { from: Epoch(START + 30), to: Epoch(START + 180), ended: "requeued at or before" };
    assert_eq!(waited.runs, [ran]);
    let again = observed(&[&waits, &runs, &waits, &waits, &job("2", &started(200))]).of("2").unwrap();
    assert_eq!((again.seconds(), again.is_started, again.until), (30 + 80, true, Epoch(START + 200)));
}

#[test]
fn a_suspended_job_waits_until_it_runs_again() {
    let stated = |state: &str| job("2", &format!("{FULL}\nstate = \"{state}\"\nstarted = {}", START + 30));
    let (waits, runs, suspended) = (job("2", FOUR), stated("R"), stated("S"));
    let all =
        observed(&[&waits, &runs, &suspended, &suspended, &suspended, &runs, &suspended, &suspended, &runs]);
    let waited = all.of("2").unwrap();
    let spans: Vec<(i64, i64)> =
        waited.spans.iter().map(|span| (span.from.0 - START, span.to.0 - START)).collect();
    assert_eq!(spans, [(0, 30), (120, 300), (360, 480)]);
    let ran = |from: i64, to: i64| InterruptedRun {
        from: Epoch(START + from),
        to: Epoch(START + to),
        ended: "suspended at or before",
    };
    assert_eq!(waited.runs, [ran(30, 120), ran(300, 360)]);
    assert_eq!((waited.is_started, waited.until), (true, Epoch(START + 480)));
    // By the time that it has run, it ran again 20 seconds before.
    let used = |state: &str, seconds: i64| {
        stated(state).replace("state =", &format!("used = {{ walltime = {seconds} }}\nstate ="))
    };
    let exact = observed(&[&runs, &used("S", 70), &used("S", 70), &used("R", 90)]).of("2").unwrap();
    assert_eq!(exact.until, Epoch(START + 160));
    let unseen = observed(&[&waits, &suspended, &suspended, &runs]).of("2").unwrap();
    assert_eq!((unseen.runs, unseen.until), (vec![ran(30, 60)], Epoch(START + 180)));
}

#[test]
fn a_job_that_ran_all_along_has_not_waited() {
    let runs = job("1", &format!("{FULL}\nstarted = {START}"));
    let waited = observed(&[&runs, &runs]).waited();
    assert_eq!((waited.len(), waited[0].has_waited(), waited[0].is_started), (1, false, true));
}
