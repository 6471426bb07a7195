//! Outcomes of jobs without a step of their own.

use rustc_hash::FxHashMap;

use crate::cluster::{Column, JobId, ResvId};
use crate::cycle::{Eligibility, Exclusion, Outcome, Step, StepIx};
use crate::universe::{JobStatus, Plan, State};

/// Excludes all jobs after a confirmed reservation ended the cycle (rule 6.9). This also covers jobs under the
/// formula threshold, which is compared only after reservations (rule M32).
pub(super) fn end_early(plan: &Plan, standing: &mut Column<JobId, Eligibility>, confirmed: ResvId) {
    for job in plan.snap.jobs.ids() {
        let is_undecided = matches!(
            standing[job],
            Eligibility::Considered | Eligibility::Excluded(Exclusion::UnderThreshold { .. })
        );
        if is_undecided {
            standing[job] = Eligibility::Excluded(Exclusion::CycleEnded(confirmed));
        }
    }
}

/// Excludes jobs that were eligible but never picked, because another job of their runone dependency started (rule
/// 6.2) or the cycle ended before them (rule 6.3).
pub(super) fn exclude_never_picked(
    state: &State,
    steps: &Column<JobId, Option<StepIx>>,
    ended: Option<Exclusion>,
    standing: &mut Column<JobId, Eligibility>,
) {
    for (job, status) in state.ledger.jobs.enumerate() {
        if standing[job] != Eligibility::Considered || steps[job].is_some() {
            continue;
        }
        match status {
            JobStatus::Excluded => standing[job] = Eligibility::Excluded(Exclusion::RivalStarted),
            JobStatus::Waiting => standing[job] = ended.map_or(standing[job], Eligibility::Excluded),
            _ => {}
        }
    }
}

/// Finds listed subjobs that the cycle started through their array; that step holds their outcome (rule 6.12).
pub(super) fn find_listed_subjobs(
    plan: &Plan,
    steps: &Column<StepIx, Step>,
    step_of: &mut Column<JobId, Option<StepIx>>,
    standing: &mut Column<JobId, Eligibility>,
) {
    if !plan.has_arrays {
        return;
    }
    let started: FxHashMap<String, StepIx> = steps
        .enumerate()
        .filter(|(_, step)| step.outcome.subjob.is_some())
        .map(|(ix, step)| (step.outcome.name(&plan.snap), ix))
        .collect();
    if started.is_empty() {
        return;
    }
    for (job, listed) in plan.snap.jobs.enumerate().filter(|(_, job)| job.is_subjob()) {
        if let Some(step) = started.get(&*listed.name) {
            step_of[job] = Some(*step);
            standing[job] = Eligibility::Considered;
        }
    }
}

/// Returns the outcomes of jobs that the cycle does not consider, except running ones and those that have ended.
pub(super) fn not_considered(plan: &Plan, standing: &Column<JobId, Eligibility>) -> Vec<Outcome> {
    let out = |id| match standing[id] {
        Eligibility::Excluded(excluded) => {
            Some(Outcome::refused_at_query(plan, id, excluded.rejection(plan, id)))
        }
        _ => None,
    };
    plan.snap.jobs.ids().filter(|id| !plan.job(*id).state.is_over()).filter_map(out).collect()
}
