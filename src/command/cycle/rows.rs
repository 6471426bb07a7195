//! The rows of a cycle's answer: an array before the subjobs that it started.

use rustc_hash::FxHashMap;

use qscope_engine::cluster::{JobId, Name};
use qscope_engine::cycle::{Outcome, Run, Verdict};
use qscope_engine::placement::SetAttempts;
use qscope_explain::decided;

/// Returns one row per job: considered jobs in order, an array before the subjobs it started, then the others.
pub(super) fn rows(run: &Run) -> Vec<OutcomeRow> {
    let mut rows: Vec<OutcomeRow> = Vec::new();
    let mut singles: FxHashMap<JobId, usize> = FxHashMap::default();
    let mut parents: FxHashMap<JobId, usize> = FxHashMap::default();
    for outcome in run.outcomes() {
        let stands = run.verdict(outcome);
        if !run.plan.job(outcome.job).is_array() {
            // A job that started, was preempted and was considered again has one row, as it started; the path
            // entered, the plan and the comment are those of its last consideration.
            if let Some(first) = singles.get(&outcome.job).and_then(|at| rows.get_mut(*at)) {
                first.outcome.rejection.clone_from(&outcome.rejection);
                first.outcome.path = outcome.path.or(first.outcome.path);
                let is_subjob = run.plan.job(outcome.job).is_subjob();
                first.outcome.estimate = outcome.estimate.clone().filter(|_| !is_subjob);
                continue;
            }
            singles.insert(outcome.job, rows.len());
            let mut row = OutcomeRow { outcome: outcome.clone(), set: run.set_of(outcome), stands };
            // The plan of a subjob is stated only on its array.
            row.outcome.estimate.take_if(|_| run.plan.job(outcome.job).is_subjob());
            rows.push(row);
            continue;
        }
        let parent = *parents.entry(outcome.job).or_insert_with(|| {
            let parent =
                Outcome { subjob: None, tries: SetAttempts::default(), placed: None, ..outcome.clone() };
            let stands = run.verdict(decided(run, outcome.job).unwrap_or(outcome));
            rows.push(OutcomeRow { outcome: parent, set: None, stands });
            rows.len() - 1
        });
        if let Some(row) = rows.get_mut(parent) {
            if row.outcome.verdict == Verdict::Run {
                row.set = outcome.tries.last_examined_set(&run.end).or(row.set.take());
            }
            let row = &mut row.outcome;
            row.tries.extend(&outcome.tries);
            row.path = outcome.path.or(row.path);
            row.estimate = outcome.estimate.clone().or(row.estimate.take());
            row.order = [row.order, outcome.order].into_iter().flatten().min();
        }
        if outcome.placed.is_some() {
            let subjob = Outcome { tries: SetAttempts::default(), ..outcome.clone() };
            rows.push(OutcomeRow { outcome: subjob, set: None, stands });
        }
    }
    for (job, parent) in parents {
        inherit_path(&mut rows, job, parent);
    }
    rows
}

/// Gives a subjob that started by preemption, without its array entering a path, the path of the array's last
/// consideration that entered one, if any.
fn inherit_path(rows: &mut [OutcomeRow], job: JobId, parent: usize) {
    let path = rows.get(parent).and_then(|row| row.outcome.path);
    for row in rows.iter_mut().filter(|row| row.outcome.job == job) {
        row.outcome.path = row.outcome.path.or(path);
    }
}

/// One row of the answer.
pub(super) struct OutcomeRow {
    pub(super) outcome: Outcome,
    /// The set that holds the job; of an array, the one examined last.
    pub(super) set: Option<Name>,
    /// The verdict as every view shows it; for an array, that of the subjobs that this cycle leaves waiting, or `run`
    /// if it leaves none.
    pub(super) stands: Verdict,
}
