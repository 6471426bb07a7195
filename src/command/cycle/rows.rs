//! The rows of a cycle's answer: an array before the subjobs that it started.

use rustc_hash::FxHashMap;

use qscope_engine::cluster::{JobId, Name};
use qscope_engine::cycle::{Outcome, Run, Verdict};
use qscope_engine::placement::Tries;
use qscope_engine::universe::{Allocation, Plan, resolved};

/// One row a job: considered jobs in order, an array before the subjobs it started, the others last.
pub(super) fn rows(run: &Run) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let mut singles: FxHashMap<JobId, usize> = FxHashMap::default();
    let mut parents: FxHashMap<JobId, usize> = FxHashMap::default();
    for outcome in run.outcomes() {
        if !run.plan.job(outcome.job).is_array() {
            // A job that started, was preempted and came up again stands there once, as it started; the path
            // entered, what is planned and what is said are of the last time.
            if let Some(first) = singles.get(&outcome.job).and_then(|at| rows.get_mut(*at)) {
                first.outcome.rejection.clone_from(&outcome.rejection);
                first.outcome.path = outcome.path.or(first.outcome.path);
                let is_subjob = run.plan.job(outcome.job).is_subjob();
                first.outcome.estimate = outcome.estimate.clone().filter(|_| !is_subjob);
                continue;
            }
            singles.insert(outcome.job, rows.len());
            let mut row = Row { outcome: outcome.clone(), set: set_of(run, outcome) };
            // What is planned for a subjob is written to its array alone.
            row.outcome.estimate.take_if(|_| run.plan.job(outcome.job).is_subjob());
            rows.push(row);
            continue;
        }
        let parent = *parents.entry(outcome.job).or_insert_with(|| {
            let parent = Outcome { subjob: None, tries: Tries::default(), placed: None, ..outcome.clone() };
            rows.push(Row { outcome: parent, set: None });
            rows.len() - 1
        });
        if let Some(row) = rows.get_mut(parent) {
            if row.outcome.verdict == Verdict::Run {
                row.set = outcome.tries.last_looked_into(&run.end).or(row.set.take());
            }
            let row = &mut row.outcome;
            row.tries.extend(&outcome.tries);
            row.estimate = outcome.estimate.clone().or(row.estimate.take());
            row.order = [row.order, outcome.order].into_iter().flatten().min();
        }
        if outcome.placed.is_some() {
            let subjob = Outcome { tries: Tries::default(), ..outcome.clone() };
            rows.push(Row { outcome: subjob, set: None });
        }
    }
    rows
}

/// One row of the answer.
pub(super) struct Row {
    pub(super) outcome: Outcome,
    /// The set that holds the job; of an array, the one examined last.
    pub(super) set: Option<Name>,
}

/// The set that holds a job. One that preemption put on its nodes, or that spans although a set could hold it later, was
/// not looking for a set any more: it may have landed in the one that it examined last.
fn set_of(run: &Run, outcome: &Outcome) -> Option<Name> {
    let placed = outcome.placed.as_ref()?;
    if !outcome.by_preemption && placed.by_quirk.is_none() {
        return placed.set.clone();
    }
    outcome.tries.last_looked_into(&run.end).filter(|set| holds(&run.plan, set, &placed.allocation))
}

/// Whether all nodes of a placement have the value that a set is named after.
fn holds(plan: &Plan, set: &str, allocation: &Allocation) -> bool {
    let Some((key, value)) = set.split_once('=') else { return false };
    let Some(resource) = plan.snap.catalogue.id(key) else { return false };
    allocation.nodes().into_iter().all(|bit| {
        let found = resolved(&plan.snap, plan.nodes[bit].id, resource);
        let texts = found.map(|(_, value)| value.texts()).unwrap_or_default();
        if value == NO_VALUE { texts.is_empty() } else { texts.iter().any(|text| **text == *value) }
    })
}

/// How the name of a set shows that its nodes lack the key.
const NO_VALUE: &str = "\"\"";
