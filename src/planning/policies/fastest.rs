//! FASTEST: the fastest nodes (rule 1.8).

use super::facts::hundredths;
use super::policy::{AllocationPolicy, Key, Question, key_of};
use super::{Candidate, PolicyName};

/// Relative speed where candidates differ in it, processor speed otherwise; descending.
pub(super) struct Fastest;

impl AllocationPolicy for Fastest {
    fn name(&self) -> PolicyName {
        PolicyName::Fastest
    }

    fn key(&self, question: &Question<'_>, candidate: &Candidate) -> Key {
        let traits = &question.site_request.site.traits.by_node[candidate.node];
        let relative = question.facts.speeds_differ;
        key_of(-if relative { hundredths(traits.relative_speed()) } else { traits.procspeed.unwrap_or(0.0) })
    }

    fn show_key(&self, question: &Question<'_>, candidate: &Candidate) -> String {
        let traits = &question.site_request.site.traits.by_node[candidate.node];
        if question.facts.speeds_differ {
            format!("speed {}", traits.relative_speed())
        } else {
            traits.procspeed.map_or_else(|| "no speed known".to_owned(), |mhz| format!("{mhz} MHz"))
        }
    }
}
