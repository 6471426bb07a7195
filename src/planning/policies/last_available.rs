//! LASTAVAILABLE: best fit in time (rule 1.2).

use super::policy::{AllocationPolicy, Key, Question, key_of};
use super::{Candidate, PolicyName};
use qscope_engine::cluster::Seconds;

/// The smallest gap between the job's end and the node's next reservation; nodes without one come last,
/// since they are worth most to long jobs.
pub(super) struct LastAvailable;

/// The gap in seconds; none where no reservation follows.
pub(super) fn gap(question: &Question<'_>, candidate: &Candidate) -> Option<i64> {
    let end = question.start + question.site_request.request.walltime;
    candidate.until.map(|until| until.0 - end.0)
}

impl AllocationPolicy for LastAvailable {
    fn name(&self) -> PolicyName {
        PolicyName::LastAvailable
    }

    fn key(&self, question: &Question<'_>, candidate: &Candidate) -> Key {
        key_of(gap(question, candidate).map_or(f64::INFINITY, |gap| gap as f64))
    }

    fn show_key(&self, question: &Question<'_>, candidate: &Candidate) -> String {
        match gap(question, candidate) {
            Some(gap) => format!("gap {}", Seconds(gap)),
            None => "no reservation follows".to_owned(),
        }
    }
}
