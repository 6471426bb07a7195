//! One verdict for every front: whether a job can never run is the same in rows, counts and explanations.

use std::ops::ControlFlow;
use std::sync::Arc;

use qscope::cycle::{Run, Verdict, run_cycle};
use qscope::explain::{Cause, Tier, Why, causes, forecast, why};
use qscope::placement::{Path, PathRule};
use qscope::universe::Quirks;

use super::cases;

/// Whether a cause is final: neither nodes that come back nor a switch of an operator ends it.
fn is_final(cause: &Cause) -> bool {
    cause.tier == Tier::Never && !matches!(cause.kind, "never-for-now" | "switched-off")
}

#[test]
fn rows_and_explanations_agree_on_what_can_never_run() {
    let (mut nevers, mut differ) = (0, Vec::new());
    for case in cases::all() {
        let run: Arc<Run> = Arc::new(run_cycle(case.snapshot(), Quirks::default()));
        for outcome in run.outcomes() {
            let job = outcome.job;
            let starts = run.outcome(job).is_none_or(|outcome| outcome.verdict == Verdict::Run);
            let explained = !starts && causes(&run, job).iter().any(is_final);
            let counted = run.impossible().contains(job);
            if counted != explained {
                differ.push(format!("{}: {}: row {counted}", case.name, run.plan.job(job).name));
            }
            nevers += usize::from(counted);
        }
    }
    assert_eq!(differ, Vec::<String>::new());
    assert!(nevers > 100, "only {nevers} jobs that can never run: the cases cannot show a difference");
}

fn case(name: &str) -> Arc<Run> {
    let case = cases::all().iter().find(|case| case.name == name).unwrap();
    Arc::new(run_cycle(case.snapshot(), Quirks::default()))
}

fn why_of(run: &Arc<Run>, job: &str) -> Why {
    why(run, run.plan.snap.job_named(job).unwrap())
}

#[test]
fn a_job_placed_by_preemption_entered_the_node_path() {
    let run = case("preempt_express");
    let found = why_of(&run, "3.svr");
    assert_eq!(found.headline, "3 starts in this cycle on 2 nodes (node path, after a preemption)");
    let outcome = found.outcome.unwrap();
    assert_eq!((outcome.path, outcome.entered()), (None, Some(Path::Node)));
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
    assert!(run.confirmations.iter().any(|tried| tried.is_confirmed()), "the cycle ends early");
    let waiting: Vec<_> = run.outcomes().map(|outcome| outcome.job).collect();
    assert!(!waiting.is_empty());
    for job in waiting {
        let found = forecast(&run, job, &mut |_| ControlFlow::Continue(())).unwrap();
        assert!(found.start.is_some(), "{}: {found:?}", run.plan.job(job).name);
    }
}
