//! One verdict for every front: whether a job can never run is the same in rows, counts and explanations.

use std::sync::Arc;

use qscope::cycle::{Run, Verdict, run_cycle};
use qscope::explain::{Cause, Tier, causes};
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
