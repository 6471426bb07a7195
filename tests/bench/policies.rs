//! Measures the nine allocation policies: all of them for one job, and a whole cycle under each.
//!
//!     cargo bench --bench policies
//!
//! Medians of three, one thread, compared with the plain cycle of the same run.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a bench fails as tests do")]

#[allow(dead_code, reason = "the cycle's bench uses the rest")]
mod cluster;
mod timing;

use std::sync::Arc;

use cluster::{Kind, Row, Sets};
use qscope::cluster::{AllocationChoices, Edit};
use qscope::cycle::{CycleStart, Debugger};
use qscope::policies::{MauiOptions, PolicyName, PolicyRanking, compare_policies};
use qscope::universe::Quirks;
use timing::{median, say, shown};

fn main() {
    for nodes in [1_000, 10_000] {
        let row = Row { nodes, jobs: 1_000, kind: Kind::Shared, sets: Sets::None };
        let snap = Arc::new(row.snapshot());
        let (plain, run) = median(|| CycleStart::new(snap.clone(), Quirks::default()).run());
        let run = Arc::new(run);
        say(&format!("{:<24} plain cycle {}", row.name(), shown(plain)));
        let start = Debugger::new(run.clone());
        let options = MauiOptions::read(&snap);
        let job = run.steps.iter().next().unwrap().outcome.job;
        let (all, _) = median(|| compare_policies(start.state(), &options, job, None).unwrap());
        say(&format!("{:<24} all nine, one job {}", row.name(), shown(all)));
        for policy in PolicyName::ALL.iter().copied().filter(|policy| *policy != PolicyName::Local) {
            let (cycle, run) = median(|| {
                let choices =
                    AllocationChoices { cluster: Some(policy.word().into()), ..AllocationChoices::default() };
                let under = Arc::new(snap.with(&[Edit::Allocation(choices)]));
                let ranking = Arc::new(PolicyRanking::of(&under, None).unwrap().unwrap());
                CycleStart::ranked(under, Quirks::default(), Some(ranking)).run()
            });
            let started = run.outcomes().filter(|outcome| outcome.placed.is_some()).count();
            let ratio = cycle.as_secs_f64() / plain.as_secs_f64();
            say(&format!(
                "{:<24} {policy:<15} {started:>5} start {} {ratio:>7.1} plain cycles",
                row.name(),
                shown(cycle)
            ));
        }
    }
}
