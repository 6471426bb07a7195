//! The facts that a verdict rests on and that no file shows, and whether the verdict could turn with them.
//!
//! A verdict that could turn is marked *likely*. The rules err on the side of marking, but what no setting can change
//! stays unmarked, such as a job that requests more cpus than any vnode has.

mod contention;
mod cycle_facts;
mod resources;
mod sensitivity;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use qscope_engine::cluster::{AssumptionReason, JobId, JobState, Name, Origin, Origins, SnapshotFact};
use qscope_engine::cycle::{Doubt, Doubts, Impossibility, Outcome, Run};
use qscope_engine::universe::Reason;

use super::cause::partition_elsewhere;
use super::turn::decided;
use super::words;
use sensitivity::Judge;

/// A fact that a verdict rests on and that was not seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumption {
    /// The kind of fact.
    pub fact: SnapshotFact,
    /// Its origin; never [`Origin::Seen`].
    pub origin: Origin,
    /// The resources concerned, for facts about resources.
    pub resources: Vec<String>,
    /// Whether the verdict could turn with it.
    pub could_turn: bool,
}

impl Assumption {
    /// Describes it: `checked resources assumed (no sched_config): ngpus`.
    pub fn text(&self) -> String {
        let resources = match self.resources.as_slice() {
            [] => String::new(),
            names => format!(": {}", names.join(", ")),
        };
        format!("{} {}{resources}", self.fact.words(), self.origin.words())
    }

    /// Returns the files that would show it, if it is not about resources and assumed only because they are missing.
    fn lacking(&self) -> Option<&[Name]> {
        match &self.origin {
            Origin::Assumed(AssumptionReason::Lacking(files)) if self.resources.is_empty() => Some(files),
            _ => None,
        }
    }
}

impl Serialize for Assumption {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut fields = serializer.serialize_struct("Assumption", 4)?;
        fields.serialize_field("fact", self.fact.word())?;
        fields.serialize_field("origin", self.origin.word())?;
        fields.serialize_field("text", &self.text())?;
        fields.serialize_field("could_turn", &self.could_turn)?;
        fields.end()
    }
}

/// The assumptions behind the verdicts of a cycle.
#[derive(Debug)]
pub struct Assumptions {
    run: Arc<Run>,
    /// `None` if every fact was seen.
    judge: Option<Judge>,
    /// Answers without a certain rule in the model.
    doubts: Doubts,
    known: FxHashMap<JobId, Vec<Assumption>>,
}

impl Assumptions {
    /// Creates the assumptions of a cycle.
    pub fn new(run: &Arc<Run>) -> Self {
        let (judge, doubts) = (Judge::new(run), Doubts::of(run));
        Self { run: run.clone(), judge, doubts, known: FxHashMap::default() }
    }

    /// Returns the assumptions behind the final verdict of a job or, for a running job, behind its expected end.
    pub fn of(&mut self, run: &Run, job: JobId) -> &[Assumption] {
        let is_elsewhere = partition_elsewhere(run, job).is_some();
        if self.judge.is_none() && self.doubts.is_empty() && !is_elsewhere {
            return &[];
        }
        if !self.known.contains_key(&job) {
            let found = match decided(run, job) {
                Some(outcome) => self.of_outcome(outcome),
                None => of_running(run, job).into_iter().collect(),
            };
            self.known.insert(job, found);
        }
        self.known.get(&job).map_or(&[], Vec::as_slice)
    }

    /// Returns the assumptions behind one outcome, which may be an earlier turn of an array.
    pub fn of_outcome(&mut self, outcome: &Outcome) -> Vec<Assumption> {
        let mut found = self.judge.as_mut().map(|judge| judge.assumptions(outcome)).unwrap_or_default();
        found.extend(self.doubts.doubts_of(&self.run, outcome).into_iter().map(on_rule));
        found.extend(on_other_scheduler(&self.run, outcome.job));
        // "Never" depends only on what the scheduler checks or, for a job without shares, on the shares. Vnodes that
        // were not read could hold it, and so could existing ones if its actual request differs.
        if let Some(why) = self.run.impossible_jobs().reason(outcome.job) {
            let without_shares =
                matches!(why, Impossibility::Rejected(rejection) if rejection.reason == Reason::NoShares);
            let by = if without_shares { SnapshotFact::FairShare } else { SnapshotFact::CheckedResources };
            found.retain(|one| {
                one.fact == by || matches!(one.fact, SnapshotFact::AllNodes | SnapshotFact::JobRequest)
            });
        }
        found
    }
}

/// Returns that the request of a running job, and so its end, is assumed; that it runs does not depend on it.
fn of_running(run: &Run, job: JobId) -> Option<Assumption> {
    let (fact, snap) = (SnapshotFact::JobRequest, &run.plan.snap);
    let of = run.plan.job(job);
    let origin = snap.origins.of(fact).clone();
    let is_assumed = of.request_assumed && of.state == JobState::Running && !origin.is_seen();
    is_assumed.then(|| Assumption { fact, origin, resources: Vec::new(), could_turn: false })
}

/// Creates the assumption for a verdict, or details shown with it, that rest on an uncertain rule.
fn on_rule(doubt: Doubt) -> Assumption {
    let origin = Origin::Assumed(AssumptionReason::Other(doubt.words().into()));
    Assumption {
        fact: SnapshotFact::Model,
        origin,
        resources: Vec::new(),
        could_turn: doubt.may_change_verdict(),
    }
}

/// Returns that another scheduler, whose cycle is not modelled, decides about a job.
fn on_other_scheduler(run: &Run, job: JobId) -> Option<Assumption> {
    let partition = partition_elsewhere(run, job)?;
    let why = format!("the scheduler of partition {partition} decides, which is not modelled");
    let origin = Origin::Assumed(AssumptionReason::Other(why.into()));
    Some(Assumption { fact: SnapshotFact::Model, origin, resources: Vec::new(), could_turn: true })
}

/// Returns what the verdict on one job rests on.
pub fn rests_on(run: &Arc<Run>, job: JobId) -> Vec<Assumption> {
    Assumptions::new(run).of(run, job).to_vec()
}

/// Returns the unseen facts of a cluster, for answers about no single job; which verdicts could turn is left open.
pub fn unseen(origins: &Origins) -> Vec<Assumption> {
    let one = |(fact, origin): (SnapshotFact, &Origin)| Assumption {
        fact,
        origin: origin.clone(),
        resources: Vec::new(),
        could_turn: true,
    };
    origins.unseen().map(one).collect()
}

/// Whether a verdict that rests on these could turn.
pub fn is_likely(rests_on: &[Assumption]) -> bool {
    rests_on.iter().any(|assumption| assumption.could_turn)
}

/// Like [`in_one_line`], but short enough to fit next to an answer: with many assumptions, some are only counted, and
/// all missing files are named.
pub fn short_text(rests_on: &[Assumption]) -> Option<String> {
    const NAMED: usize = 4;
    let mut facts: Vec<SnapshotFact> = Vec::new();
    let mut lacking: Vec<&str> = Vec::new();
    for assumption in rests_on {
        // An assumption known from another source is given in full.
        let Some(files) = assumption.lacking() else { return in_one_line(rests_on) };
        if !facts.contains(&assumption.fact) {
            facts.push(assumption.fact);
        }
        for file in files.iter().map(|file| &**file) {
            if !lacking.contains(&file) {
                lacking.push(file);
            }
        }
    }
    if facts.len() <= NAMED {
        return in_one_line(rests_on);
    }
    let likely = if is_likely(rests_on) { "likely; " } else { "" };
    let facts: Vec<String> = facts.into_iter().map(SnapshotFact::words).collect();
    let more = words::first_names(&facts, NAMED);
    Some(format!("{likely}rests on: {more} assumed ({})", lacking.join(", ")))
}

/// Describes the assumptions in one line: `likely; rests on: server limits, default chunk assumed (no server dump)`;
/// `None` without assumptions.
pub fn in_one_line(rests_on: &[Assumption]) -> Option<String> {
    if rests_on.is_empty() {
        return None;
    }
    let mut groups: Vec<(&Origin, Vec<String>)> = Vec::new();
    for assumption in rests_on {
        let origin = &assumption.origin;
        let fact = match assumption.resources.as_slice() {
            [] => assumption.fact.words(),
            names => format!("{} ({})", assumption.fact.words(), names.join(", ")),
        };
        match groups.iter_mut().find(|(have, _)| *have == origin) {
            Some((_, facts)) if facts.contains(&fact) => {}
            Some((_, facts)) => facts.push(fact),
            None => groups.push((origin, vec![fact])),
        }
    }
    let groups: Vec<String> =
        groups.iter().map(|(origin, facts)| format!("{} {}", facts.join(", "), origin.words())).collect();
    let likely = if is_likely(rests_on) { "likely; " } else { "" };
    Some(format!("{likely}rests on: {}", groups.join("; ")))
}
