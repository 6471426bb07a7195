//! What a verdict rests on that no file shows, and whether it could turn with that.
//!
//! A verdict that could turn is *likely*, not stated. The rules err on the side of the mark; but what no setting can
//! change, as a job that requests more cpus than any vnode has, stays stated.

mod contest;
mod cycle_facts;
mod resources;
mod turns;

use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use qscope_engine::cluster::{Fact, Grounds, JobId, JobState, Name, Origin, Origins};
use qscope_engine::cycle::{Doubt, Doubts, Impossibility, Outcome, Run};
use qscope_engine::universe::Reason;

use super::turn::decided;
use super::words;
use turns::Judge;

/// A fact that a verdict rests on and that was not seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumption {
    /// What kind of fact.
    pub fact: Fact,
    /// Where it comes from; never seen.
    pub origin: Origin,
    /// The resources concerned, of facts about resources.
    pub resources: Vec<String>,
    /// Whether the verdict could turn with it.
    pub could_turn: bool,
}

impl Assumption {
    /// In words: `checked resources assumed (no sched_config): ngpus`.
    pub fn text(&self) -> String {
        let resources = match self.resources.as_slice() {
            [] => String::new(),
            names => format!(": {}", names.join(", ")),
        };
        format!("{} {}{resources}", self.fact.words(), self.origin.words())
    }

    /// The files that would show it, where it is about no single resource and assumed for the lack of them alone.
    fn lacking(&self) -> Option<&[Name]> {
        match &self.origin {
            Origin::Assumed(Grounds::Lacking(files)) if self.resources.is_empty() => Some(files),
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

/// What the verdicts of a cycle rest on.
#[derive(Debug)]
pub struct Assumptions {
    run: Arc<Run>,
    /// None where every fact was seen.
    judge: Option<Judge>,
    /// What the model has no certain rule for.
    doubts: Doubts,
    known: FxHashMap<JobId, Vec<Assumption>>,
}

impl Assumptions {
    /// Of a cycle.
    pub fn new(run: &Arc<Run>) -> Self {
        let (judge, doubts) = (Judge::new(run), Doubts::of(run));
        Self { run: run.clone(), judge, doubts, known: FxHashMap::default() }
    }

    /// Of a job's verdict, as decided in the end; of a job that runs, of what is known of its end.
    pub fn of(&mut self, run: &Run, job: JobId) -> &[Assumption] {
        if self.judge.is_none() && self.doubts.is_empty() {
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

    /// Of one outcome, which may be a turn of an array before its last.
    pub fn of_outcome(&mut self, outcome: &Outcome) -> Vec<Assumption> {
        let mut found = self.judge.as_mut().map(|judge| judge.assumptions(outcome)).unwrap_or_default();
        found.extend(self.doubts.on(&self.run, outcome).into_iter().map(on_rule));
        // That it can never run rests on what the scheduler checks alone; without shares, on who has any. Vnodes that were
        // not read could hold it, and so could those that are there what it really requests.
        if let Some(why) = self.run.impossible().reason(outcome.job) {
            let without_shares =
                matches!(why, Impossibility::Rejected(rejection) if rejection.reason == Reason::NoShares);
            let by = if without_shares { Fact::FairShare } else { Fact::CheckedResources };
            found.retain(|one| one.fact == by || matches!(one.fact, Fact::AllNodes | Fact::JobRequest));
        }
        found
    }
}

/// That what a job which runs requests, and so when it ends, is assumed; it runs whatever that is.
fn of_running(run: &Run, job: JobId) -> Option<Assumption> {
    let (fact, snap) = (Fact::JobRequest, &run.plan.snap);
    let of = run.plan.job(job);
    let origin = snap.origins.of(fact).clone();
    let is_assumed = of.request_assumed && of.state == JobState::Running && !origin.is_seen();
    is_assumed.then(|| Assumption { fact, origin, resources: Vec::new(), could_turn: false })
}

/// A verdict, or what is shown with it, that rests on a rule which is not certain.
fn on_rule(doubt: Doubt) -> Assumption {
    let origin = Origin::Assumed(Grounds::Other(doubt.words().into()));
    Assumption { fact: Fact::Model, origin, resources: Vec::new(), could_turn: doubt.could_turn() }
}

/// What the verdict on one job rests on.
pub fn rests_on(run: &Arc<Run>, job: JobId) -> Vec<Assumption> {
    Assumptions::new(run).of(run, job).to_vec()
}

/// The facts of a cluster that were not seen, for answers about no single job: which of its verdicts turn is left open.
pub fn unseen(origins: &Origins) -> Vec<Assumption> {
    let one = |(fact, origin): (Fact, &Origin)| Assumption {
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

/// The same in so few words that a screen has room for the answer beside them: many assumptions are counted, with all dumps
/// that would end them.
pub fn in_few_words(rests_on: &[Assumption]) -> Option<String> {
    const NAMED: usize = 4;
    let mut facts: Vec<Fact> = Vec::new();
    let mut lacking: Vec<&str> = Vec::new();
    for assumption in rests_on {
        // Where it is known from something else, that is stated in full.
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
    let facts: Vec<String> = facts.into_iter().map(Fact::words).collect();
    let more = words::some(&facts, NAMED);
    Some(format!("{likely}rests on: {more} assumed ({})", lacking.join(", ")))
}

/// In one line: `likely; rests on: server limits, default chunk assumed (no server dump)`; none without assumptions.
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
