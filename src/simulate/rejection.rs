//! Why the server rejects an arrival (days rule 1).

use qscope_engine::cluster::{count, first_names};

use crate::Arrival;
use crate::arrivals::NAMED;

/// Reason for a rejection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RejectionReason {
    /// It cannot be read as a job; reported with the notes of reading the arrivals.
    NotRead,
    /// Its queue does not exist when it arrives, or is a routing queue.
    NoQueue,
    /// A job with its id exists or existed.
    DuplicateId,
}

/// Returns a sentence for each reason for which arrivals were rejected, with their number and the first names.
pub(crate) fn sentences(rejected: &[(Arrival, RejectionReason)]) -> Vec<String> {
    let reasons = [
        (RejectionReason::NoQueue, "no execution queue of that name"),
        (RejectionReason::DuplicateId, "a job of the same id was there before"),
    ];
    let sentence = |(reason, words): &(RejectionReason, &str)| {
        let of_reason = rejected.iter().filter(|(_, why)| why == reason);
        let names: Vec<String> = of_reason.map(|(arrival, _)| arrival.name.to_string()).collect();
        let text =
            || format!("{} rejected, {words}: {}", count(names.len(), "arrival"), first_names(&names, NAMED));
        (!names.is_empty()).then(text)
    };
    reasons.iter().filter_map(sentence).collect()
}
