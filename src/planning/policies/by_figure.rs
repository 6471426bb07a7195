//! Policies that compare one figure of each node: its position in the dump, the time until its next
//! reservation, its idle processors, its speed (rules 1.1, 1.2, 1.4, 1.8).

use super::min_resource::MinResource;
use super::policy::{AllocationPolicy, CandidateKey, PolicyQuery, hundredths, key_of};
use super::{Candidate, PolicyName};
use qscope_engine::cluster::{Id, Seconds};

/// Nodes in the order of the dump, for immediate and later starts alike.
pub(super) struct FirstAvailable;

impl AllocationPolicy for FirstAvailable {
    fn name(&self) -> PolicyName {
        PolicyName::FirstAvailable
    }

    fn key(&self, _question: &PolicyQuery<'_>, _candidate: &Candidate) -> CandidateKey {
        key_of(0.0)
    }

    fn show_key(&self, _question: &PolicyQuery<'_>, candidate: &Candidate) -> String {
        format!("no. {} of the dump", candidate.node.ix() + 1)
    }
}

/// The smallest gap between the job's end and the node's next reservation first; nodes without one come last,
/// since they are worth most to long jobs.
pub(super) struct LastAvailable;

/// Returns the gap in seconds; none if no reservation follows.
fn gap(question: &PolicyQuery<'_>, candidate: &Candidate) -> Option<i64> {
    let end = question.start + question.site_request.request.walltime;
    candidate.until.map(|until| until.0 - end.0)
}

impl AllocationPolicy for LastAvailable {
    fn name(&self) -> PolicyName {
        PolicyName::LastAvailable
    }

    fn key(&self, question: &PolicyQuery<'_>, candidate: &Candidate) -> CandidateKey {
        key_of(gap(question, candidate).map_or(f64::INFINITY, |gap| gap as f64))
    }

    fn show_key(&self, question: &PolicyQuery<'_>, candidate: &Candidate) -> String {
        match gap(question, candidate) {
            Some(gap) => format!("gap {}", Seconds(gap)),
            None => "no reservation follows".to_owned(),
        }
    }
}

/// The most idle processors first; nodes without any are never used. Loads are only known for now, so a later
/// start is decided by MINRESOURCE.
pub(super) struct CpuLoad;

impl AllocationPolicy for CpuLoad {
    fn name(&self) -> PolicyName {
        PolicyName::CpuLoad
    }

    fn key(&self, question: &PolicyQuery<'_>, candidate: &Candidate) -> CandidateKey {
        if question.is_now() {
            key_of(-question.site_request.idle_procs(candidate))
        } else {
            MinResource.key(question, candidate)
        }
    }

    fn uses(&self, question: &PolicyQuery<'_>, candidate: &Candidate) -> bool {
        !question.is_now() || question.site_request.idle_procs(candidate) > 0.0
    }

    fn reverses_ties(&self, question: &PolicyQuery<'_>) -> bool {
        !question.is_now()
    }

    fn show_key(&self, question: &PolicyQuery<'_>, candidate: &Candidate) -> String {
        if question.is_now() {
            format!("idle {:.1}", question.site_request.idle_procs(candidate))
        } else {
            MinResource.show_key(question, candidate)
        }
    }
}

/// Relative speed where candidates differ in it, otherwise processor speed; the fastest first.
pub(super) struct Fastest;

impl AllocationPolicy for Fastest {
    fn name(&self) -> PolicyName {
        PolicyName::Fastest
    }

    fn key(&self, question: &PolicyQuery<'_>, candidate: &Candidate) -> CandidateKey {
        let traits = &question.site_request.site.traits.by_node[candidate.node];
        let relative = question.facts.speeds_differ;
        key_of(-if relative { hundredths(traits.relative_speed()) } else { traits.procspeed.unwrap_or(0.0) })
    }

    fn show_key(&self, query: &PolicyQuery<'_>, candidate: &Candidate) -> String {
        let traits = &query.site_request.site.traits.by_node[candidate.node];
        if query.facts.speeds_differ {
            format!("speed {}", traits.relative_speed())
        } else {
            traits.procspeed.map_or_else(|| "no speed known".to_owned(), |mhz| format!("{mhz} MHz"))
        }
    }
}
