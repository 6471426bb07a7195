//! What holds of all candidates of a question together, found once.

use super::{Candidate, MinResourceKey, Requirement, Site};
use qscope_engine::universe::ConsIx;

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
