//! The interface of a policy: an order of the candidates of one tier.

use std::cmp::Ordering;

use super::{Candidate, JobPolicyInput, MinResourceKey, PolicyInput, PolicyName, TaskRequirement};
use qscope_engine::cluster::Epoch;
use qscope_engine::universe::ConsIx;

/// One question to a policy.
pub struct PolicyQuery<'a> {
    pub site_request: &'a JobPolicyInput<'a>,
    /// The part of the select to place.
    pub part: &'a TaskRequirement,
    /// The start time.
    pub start: Epoch,
    /// All candidates of all tiers, in the order of the dump.
    pub all: &'a [Candidate],
    /// Facts about all of them.
    pub facts: PolicyFacts,
}

impl<'a> PolicyQuery<'a> {
    /// Creates a question about these candidates.
    pub fn new(
        input: &'a JobPolicyInput<'a>,
        part: &'a TaskRequirement,
        start: Epoch,
        all: &'a [Candidate],
    ) -> Self {
        Self { site_request: input, part, start, all, facts: PolicyFacts::of(input.site, part, all) }
    }

    /// Returns whether the start is now.
    pub fn is_now(&self) -> bool {
        self.start <= self.site_request.site.plan().snap.now
    }
}

/// Facts about all candidates together.
#[derive(Clone, PartialEq, Debug)]
pub struct PolicyFacts {
    /// Whether two of them differ in relative speed (rule 1.8).
    pub speeds_differ: bool,
    /// Whether one of them has a processor speed (rule 1.7).
    pub has_procspeed: bool,
    /// For each requested consumable, the amount of the largest node of the complex; only for MINRESOURCE by
    /// `Vector`.
    pub largest: Vec<(ConsIx, f64)>,
}

impl PolicyFacts {
    pub(super) fn of(input: &PolicyInput<'_>, requirement: &TaskRequirement, all: &[Candidate]) -> Self {
        let speed = |candidate: &Candidate| hundredths(input.traits.by_node[candidate.node].relative_speed());
        let plan = input.plan();
        let largest = |ix: ConsIx| {
            let has = plan.nodes.ids().map(|bit| plan.capacity.available(ix, bit));
            (ix, has.filter(|amount| amount.is_finite()).fold(0.0, f64::max))
        };
        let vector = input.options.min_resource == MinResourceKey::Vector;
        let needed = plan.needs[requirement.shape].iter().filter(|(_, wanted)| vector && *wanted > 0.0);
        Self {
            speeds_differ: all
                .first()
                .is_some_and(|first| all.iter().any(|other| speed(other) != speed(first))),
            has_procspeed: all
                .iter()
                .any(|candidate| input.traits.by_node[candidate.node].procspeed.is_some()),
            largest: needed.map(|(ix, _)| largest(*ix)).collect(),
        }
    }
}

/// Converts a relative speed to whole hundredths, in which speeds are compared.
pub(super) fn hundredths(speed: f64) -> f64 {
    (speed * 100.0 + 1e-6).floor()
}

/// The values by which candidates are compared, smaller first; unused ones are 0.
pub type CandidateKey = [f64; 4];

/// One of the nine policies.
pub trait AllocationPolicy {
    fn name(&self) -> PolicyName;

    fn key(&self, question: &PolicyQuery<'_>, candidate: &Candidate) -> CandidateKey;

    fn uses(&self, _question: &PolicyQuery<'_>, _candidate: &Candidate) -> bool {
        true
    }

    /// Returns whether equal candidates are taken in reverse order of the dump.
    fn reverses_ties(&self, _question: &PolicyQuery<'_>) -> bool {
        false
    }

    /// Returns the candidates of one tier, the best first; by default by key, then in the order of the dump.
    ///
    /// # Errors
    /// Why none of them is suitable.
    fn order(&self, question: &PolicyQuery<'_>, tier: &[Candidate]) -> Result<Vec<Candidate>, String> {
        let used = tier.iter().filter(|candidate| self.uses(question, candidate));
        let mut keyed: Vec<(CandidateKey, Candidate)> =
            used.map(|candidate| (self.key(question, candidate), *candidate)).collect();
        let reverse = self.reverses_ties(question);
        keyed.sort_by(|a, b| {
            let tie = a.1.node.cmp(&b.1.node);
            compare(&a.0, &b.0).then(if reverse { tie.reverse() } else { tie })
        });
        Ok(keyed.into_iter().map(|(_, candidate)| candidate).collect())
    }

    /// Returns whether a later start is worth searching for.
    fn waits(&self) -> bool {
        true
    }

    /// Checks whether the policy can answer the question at all.
    ///
    /// # Errors
    /// What is missing.
    fn can_answer(&self, _question: &PolicyQuery<'_>) -> Result<(), String> {
        Ok(())
    }

    /// The key of a candidate in words.
    fn show_key(&self, query: &PolicyQuery<'_>, candidate: &Candidate) -> String;
}

/// Compares keys value by value.
pub(super) fn compare(a: &CandidateKey, b: &CandidateKey) -> Ordering {
    let places = a.iter().zip(b).map(|(a, b)| a.total_cmp(b));
    places.fold(Ordering::Equal, Ordering::then)
}

pub(super) fn key_of(value: f64) -> CandidateKey {
    // Adding 0.0 makes both signs of zero equal.
    [value + 0.0, 0.0, 0.0, 0.0]
}
