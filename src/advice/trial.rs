//! A cluster with changes, its cycle, and how that cycle differs.

use std::collections::BTreeMap;
use std::sync::Arc;

use qscope_engine::cluster::{Edit, Epoch, Id, Job, JobId, Name, Seconds};
use qscope_engine::cycle::{Outcome, Run, Verdict};
use qscope_engine::placement::PlacementPath;
use qscope_explain::core_hours;

/// The cycle over a changed cluster.
#[derive(Clone, Debug)]
pub struct TrialRun {
    /// The cycle with the changes.
    pub run: Arc<Run>,
    /// Its difference from the cycle without them.
    pub difference: TrialDifference,
}

impl TrialRun {
    /// Runs the cycle over the edited cluster of another cycle.
    pub fn of(base: &Run, edits: &[Edit]) -> Self {
        let plan = &base.plan;
        let run = Arc::new(base.over(Arc::new(plan.snap.with(edits))));
        Self { difference: TrialDifference::of(base, &run), run }
    }

    /// Runs the cycle over the cluster of another one with one more job, without comparing the two.
    pub(crate) fn cycle_with(base: &Run, job: Job) -> Run {
        base.over(Arc::new(base.plan.snap.with(&[Edit::NewJob(Box::new(job))])))
    }

    /// Returns the id of a job that is added to the cluster of a cycle.
    pub fn added(base: &Run) -> JobId {
        JobId::at(base.plan.snap.jobs.len())
    }
}

/// The difference of two cycles over one cluster; jobs by full id, in the order of the dump.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct TrialDifference {
    /// Jobs that start in the second cycle but not in the first.
    pub starts: Vec<Name>,
    /// Jobs that start in the first cycle but not in the second.
    pub waits: Vec<Name>,
    /// Subjobs that start in the first cycle but not in the second, of arrays of which other subjobs start in both.
    /// Their arrays are in `others`.
    pub subjobs_that_wait: Vec<String>,
    /// All other jobs with a different outcome: nodes, verdict, reason, estimate or place in the order.
    pub others: Vec<Name>,
    /// Core-hours requested by the jobs that start in only one of the cycles.
    pub core_hours: f64,
}

impl TrialDifference {
    /// Compares the outcome of every job that both clusters have.
    pub fn of(before: &Run, after: &Run) -> Self {
        let (first, second) = (facts(before), facts(after));
        let mut found = Self::default();
        for (job, old) in &first {
            let Some(new) = second.get(job) else { continue };
            let of = before.plan.job(*job);
            let runs = |facts: &[TrialFacts]| facts.iter().any(|facts| facts.verdict == Verdict::Run);
            match (runs(old), runs(new)) {
                _ if old == new => continue,
                (false, true) => found.starts.push(of.name.clone()),
                (true, false) => found.waits.push(of.name.clone()),
                _ => {
                    found.others.push(of.name.clone());
                    found.subjobs_that_wait.extend(subjobs_that_wait(of, old, new));
                    continue;
                }
            }
            found.core_hours += core_hours(of);
        }
        found
    }

    /// Whether the cycles are equal: every job has the same verdict, nodes, reason, estimate and place.
    pub fn is_none(&self) -> bool {
        self.starts.is_empty() && self.waits.is_empty() && self.others.is_empty()
    }

    /// Returns the number of jobs with a different outcome.
    #[must_use]
    pub fn jobs(&self) -> usize {
        self.starts.len() + self.waits.len() + self.others.len()
    }

    /// Returns the jobs that start in the first cycle but not in the second, by full id: an array of which only some
    /// subjobs no longer start is named by these.
    pub fn delayed(&self) -> impl Iterator<Item = &str> {
        self.waits.iter().map(|name| &**name).chain(self.subjobs_that_wait.iter().map(String::as_str))
    }
}

/// Returns the full ids of the subjobs of an array that only the first of two cycles starts.
fn subjobs_that_wait(array: &Job, before: &[TrialFacts], after: &[TrialFacts]) -> Vec<String> {
    let started = |facts: &TrialFacts| facts.subjob.filter(|_| facts.verdict == Verdict::Run);
    let still: Vec<u32> = after.iter().filter_map(started).collect();
    let lost = before.iter().filter_map(started).filter(|index| !still.contains(index));
    lost.filter_map(|index| array.subjob_name(index)).collect()
}

/// The outcome of a job at one of its turns, as far as it is visible.
#[derive(PartialEq, Debug)]
struct TrialFacts {
    order: Option<u32>,
    verdict: Verdict,
    subjob: Option<u32>,
    path: Option<PlacementPath>,
    on: Option<String>,
    comment: Option<String>,
    estimate: Option<(Epoch, String)>,
    shrunk_to: Option<Seconds>,
    victims: Vec<JobId>,
}

fn facts(run: &Run) -> BTreeMap<JobId, Vec<TrialFacts>> {
    let mut found: BTreeMap<JobId, Vec<TrialFacts>> = BTreeMap::new();
    for outcome in run.outcomes() {
        found.entry(outcome.job).or_default().push(facts_of(run, outcome));
    }
    found
}

fn facts_of(run: &Run, outcome: &Outcome) -> TrialFacts {
    let plan = &run.plan;
    let estimate = outcome.estimate.as_ref();
    TrialFacts {
        order: outcome.order,
        // Whether a job can never run is the same in both cycles, so it is not computed.
        verdict: match outcome.verdict {
            Verdict::Run if !run.is_start(outcome) => Verdict::NotNow,
            verdict => verdict,
        },
        subjob: outcome.subjob,
        path: outcome.path,
        on: outcome.placed.as_ref().map(|placed| placed.allocation.exec_vnode(plan)),
        comment: outcome.comment(&plan.snap),
        estimate: estimate.map(|top| (top.start, top.allocation.exec_vnode(plan))),
        shrunk_to: outcome.shrunk_to,
        victims: outcome.victims.iter().map(|(job, _)| *job).collect(),
    }
}
