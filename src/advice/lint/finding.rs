//! Findings of rules: the problem, its place, its cost, and the proof.

use qscope_engine::cluster::{Edit, JobId, Name};
use qscope_engine::cycle::run_cycle;
use qscope_engine::universe::Quirks;
use qscope_explain::core_hours;
use serde::Serialize;

use super::place::LintPlace;
use super::site::LintContext;
use crate::{TrialDifference, TrialRun};

/// The severity of a finding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "lowercase")]
pub enum LintLevel {
    /// It has no effect and can be removed.
    Note,
    /// It does something other than it states, or costs something.
    Warning,
    /// It shuts out jobs or nodes.
    Error,
}

impl LintLevel {
    /// All levels, gravest first.
    pub const ALL: [Self; 3] = [Self::Error, Self::Warning, Self::Note];

    pub fn word(self) -> &'static str {
        self.into()
    }

    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.word() == word)
    }
}

/// How the cost of a finding was determined.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CostBasis {
    /// The cycle without it is equal.
    EqualCycles,
    /// The cycle without it was run; the difference is the cost.
    OtherCycle,
    /// Counted in the cluster, because no single cycle shows it.
    Counted,
}

/// The cost of a finding in the current cycle.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct FindingCost {
    pub proof: CostBasis,
    /// Jobs that start in the cycle without it but not in the current one.
    pub starts: Vec<Name>,
    /// Jobs that start in the current cycle but not without it.
    pub waits: Vec<Name>,
    /// Number of jobs concerned, including those.
    pub jobs: usize,
    /// Core-hours requested by the jobs of `starts` and `waits`, or by those counted.
    pub core_hours: f64,
    /// Cores of the nodes concerned.
    pub cores: f64,
}

#[derive(Clone, Debug, Serialize)]
pub struct LintFinding {
    pub rule: &'static str,
    pub level: LintLevel,
    /// Names of the objects concerned: options, queues, nodes, resources.
    pub objects: Vec<String>,
    /// The problem, in one sentence.
    pub what: String,
    /// Where the setting is.
    pub places: Vec<LintPlace>,
    pub cost: FindingCost,
    /// The recommended change.
    pub fix: String,
    /// The edits; the cycle over the edited cluster is the proof.
    #[serde(skip)]
    pub edits: Vec<Edit>,
}

/// A finding before it is proven.
#[derive(Clone, Debug)]
pub(super) struct FindingDraft {
    pub(super) objects: Vec<String>,
    pub(super) what: String,
    pub(super) places: Vec<LintPlace>,
    pub(super) fix: String,
    pub(super) claim: Claim,
    /// A level that overrides the rule's.
    pub(super) level: Option<LintLevel>,
}

/// The claim of a finding.
#[derive(Clone, Debug)]
pub(super) enum Claim {
    /// The cycle without it is equal.
    NoEffect(Vec<Edit>),
    /// The cycle without it differs, or could.
    AffectsCycle(Vec<Edit>),
    /// It has other effects under other quirks.
    Quirks(Quirks),
    /// It concerns these jobs, and nodes with this many cores.
    Counts(Vec<JobId>, f64),
}

/// The result of proving a draft.
pub(super) enum ProofOutcome {
    Finding(Box<LintFinding>),
    /// It claimed no effect, but the cycle without it differs.
    Refuted,
    /// The cycle under other quirks is the same, so there is nothing to report.
    NoDifference,
}

impl FindingDraft {
    pub(super) fn new(what: String, fix: impl Into<String>, claim: Claim) -> Self {
        Self { objects: Vec::new(), what, places: Vec::new(), fix: fix.into(), claim, level: None }
    }

    pub(super) fn with_objects(mut self, objects: impl IntoIterator<Item = impl ToString>) -> Self {
        self.objects.extend(objects.into_iter().map(|object| object.to_string()));
        self
    }

    pub(super) fn at(mut self, places: impl IntoIterator<Item = LintPlace>) -> Self {
        self.places.extend(places);
        self
    }

    /// Proves the claim; the finding takes the name of its rule and, unless the draft has its own, its level.
    pub(super) fn prove(
        self,
        (rule, level): (&'static str, LintLevel),
        context: &LintContext<'_>,
    ) -> ProofOutcome {
        let (cost, edits) = match self.claim {
            Claim::NoEffect(edits) => {
                let difference = TrialRun::of(context.run, &edits).difference;
                if !difference.is_none() {
                    return ProofOutcome::Refuted;
                }
                (of_difference(CostBasis::EqualCycles, difference), edits)
            }
            Claim::AffectsCycle(edits) => {
                (of_difference(CostBasis::OtherCycle, TrialRun::of(context.run, &edits).difference), edits)
            }
            Claim::Quirks(quirks) => {
                let other = run_cycle(context.run.plan.snap.clone(), quirks);
                let difference = TrialDifference::of(context.run, &other);
                if difference.is_none() {
                    return ProofOutcome::NoDifference;
                }
                (of_difference(CostBasis::OtherCycle, difference), Vec::new())
            }
            Claim::Counts(jobs, cores) => {
                let core_hours = jobs.iter().map(|job| core_hours(context.run.plan.job(*job))).sum();
                let (starts, waits) = (Vec::new(), Vec::new());
                let counted = FindingCost {
                    proof: CostBasis::Counted,
                    starts,
                    waits,
                    jobs: jobs.len(),
                    core_hours,
                    cores,
                };
                (counted, Vec::new())
            }
        };
        ProofOutcome::Finding(Box::new(LintFinding {
            rule,
            level: self.level.unwrap_or(level),
            objects: self.objects,
            what: self.what,
            places: self.places,
            cost,
            fix: self.fix,
            edits,
        }))
    }
}

fn of_difference(proof: CostBasis, difference: TrialDifference) -> FindingCost {
    let jobs = difference.jobs();
    let TrialDifference { starts, waits, core_hours, .. } = difference;
    FindingCost { proof, starts, waits, jobs, core_hours, cores: 0.0 }
}

impl FindingCost {
    /// Whether the setting is useful in this cycle, judged by starts: without it fewer jobs would start, and no
    /// others.
    pub fn is_gain(&self) -> bool {
        self.starts.is_empty() && !self.waits.is_empty()
    }

    /// Describes the cost: `2 jobs more would start without it, together 16.0 core-hours`.
    pub fn words(&self) -> String {
        let jobs = |count: usize| qscope_explain::words::count(count, "job");
        if self.proof == CostBasis::EqualCycles {
            return "nothing: the cycle without it is equal".to_owned();
        }
        let mut parts = Vec::new();
        if self.proof == CostBasis::Counted {
            if self.jobs > 0 {
                parts.push(format!("{} for {:.1} core-hours", jobs(self.jobs), self.core_hours));
            }
            if self.cores > 0.0 {
                parts.push(format!("{:.0} cores", self.cores));
            }
            return if parts.is_empty() { "nothing in this cycle".to_owned() } else { parts.join(", ") };
        }
        if !self.starts.is_empty() {
            parts.push(format!("{} more would start without it", jobs(self.starts.len())));
        }
        if !self.waits.is_empty() {
            parts.push(format!("{} fewer would start without it", jobs(self.waits.len())));
        }
        if !parts.is_empty() {
            parts.push(format!("together {:.1} core-hours", self.core_hours));
        }
        let others = self.jobs - self.starts.len() - self.waits.len();
        if others > 0 {
            parts.push(format!("{} placed, planned or refused differently", jobs(others)));
        }
        if parts.is_empty() { "nothing in this cycle".to_owned() } else { parts.join(", ") }
    }
}
