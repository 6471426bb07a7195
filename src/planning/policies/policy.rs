//! What a policy is: an order of the candidates of one tier.

use std::cmp::Ordering;

use super::{Candidate, MinResourceKey, PolicyName, Requirement, Site, SiteRequest};
use qscope_engine::cluster::Epoch;
use qscope_engine::universe::ConsIx;

/// One question to a policy.
pub struct Question<'a> {
    pub site_request: &'a SiteRequest<'a>,
    /// The part of the select to place.
    pub part: &'a Requirement,
    /// The start to place it at.
    pub start: Epoch,
    /// All candidates of all tiers, in the order of the dump.
    pub all: &'a [Candidate],
    /// What holds of them together.
    pub facts: PolicyFacts,
}

impl<'a> Question<'a> {
    /// A question about these candidates.
    pub fn new(
        site_request: &'a SiteRequest<'a>,
        part: &'a Requirement,
        start: Epoch,
        all: &'a [Candidate],
    ) -> Self {
        Self { site_request, part, start, all, facts: PolicyFacts::of(site_request.site, part, all) }
    }

    /// Whether the start is now.
    pub fn is_now(&self) -> bool {
        self.start <= self.site_request.site.plan().snap.now
    }
}

/// What holds of all candidates together.
#[derive(Clone, PartialEq, Debug)]
pub struct PolicyFacts {
    /// Whether two of them differ in relative speed (rule 1.8).
    pub speeds_differ: bool,
    /// Whether one of them has a processor speed (rule 1.7).
    pub has_procspeed: bool,
    /// For each requested consumable, what the largest node of the complex has; only where MINRESOURCE asks.
    pub largest: Vec<(ConsIx, f64)>,
}

impl PolicyFacts {
    pub(super) fn of(site: &Site<'_>, part: &Requirement, all: &[Candidate]) -> Self {
        let speed = |candidate: &Candidate| hundredths(site.traits.by_node[candidate.node].relative_speed());
        let plan = site.plan();
        let largest = |ix: ConsIx| {
            let has = plan.nodes.ids().map(|bit| plan.capacity.available(ix, bit));
            (ix, has.filter(|amount| amount.is_finite()).fold(0.0, f64::max))
        };
        let vector = site.options.min_resource == MinResourceKey::Vector;
        let needed = plan.needs[part.shape].iter().filter(|(_, wanted)| vector && *wanted > 0.0);
        Self {
            speeds_differ: all
                .first()
                .is_some_and(|first| all.iter().any(|other| speed(other) != speed(first))),
            has_procspeed: all
                .iter()
                .any(|candidate| site.traits.by_node[candidate.node].procspeed.is_some()),
            largest: needed.map(|(ix, _)| largest(*ix)).collect(),
        }
    }
}

/// Relative speeds are compared in hundredths.
pub(super) fn hundredths(speed: f64) -> f64 {
    (speed * 100.0 + 1e-6).floor()
}

/// What candidates are compared by, smaller first; unused places are 0.
pub type Key = [f64; 4];

/// One of the nine policies.
pub trait AllocationPolicy {
    fn name(&self) -> PolicyName;

    /// What a candidate is compared by.
    fn key(&self, question: &Question<'_>, candidate: &Candidate) -> Key;

    /// Whether it uses a candidate at all.
    fn uses(&self, _question: &Question<'_>, _candidate: &Candidate) -> bool {
        true
    }

    /// Whether equals are taken in reverse order of the dump.
    fn reverses_ties(&self, _question: &Question<'_>) -> bool {
        false
    }

    /// The candidates of one tier in the order taken, the best first; by key and the order of the dump unless
    /// it states otherwise.
    ///
    /// # Errors
    /// Why none of them will do.
    fn order(&self, question: &Question<'_>, tier: &[Candidate]) -> Result<Vec<Candidate>, String> {
        let used = tier.iter().filter(|candidate| self.uses(question, candidate));
        let mut keyed: Vec<(Key, Candidate)> =
            used.map(|candidate| (self.key(question, candidate), *candidate)).collect();
        let reverse = self.reverses_ties(question);
        keyed.sort_by(|a, b| {
            let tie = a.1.node.cmp(&b.1.node);
            compare(&a.0, &b.0).then(if reverse { tie.reverse() } else { tie })
        });
        Ok(keyed.into_iter().map(|(_, candidate)| candidate).collect())
    }

    /// Whether a later start is worth looking for.
    fn waits(&self) -> bool {
        true
    }

    /// Whether the question can be asked at all.
    ///
    /// # Errors
    /// What is missing.
    fn can_answer(&self, _question: &Question<'_>) -> Result<(), String> {
        Ok(())
    }

    /// The key of a candidate in words.
    fn show_key(&self, question: &Question<'_>, candidate: &Candidate) -> String;
}

/// Compares keys place by place.
pub(super) fn compare(a: &Key, b: &Key) -> Ordering {
    let places = a.iter().zip(b).map(|(a, b)| a.total_cmp(b));
    places.fold(Ordering::Equal, Ordering::then)
}

/// A key of one place.
pub(super) fn key_of(value: f64) -> Key {
    // Negative zero and zero are one.
    [value + 0.0, 0.0, 0.0, 0.0]
}
