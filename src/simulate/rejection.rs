//! Why the server does not take an arrival (days rule 1).

use qscope_engine::cluster::{count, some};

use crate::Arrival;

/// Why an arrival is rejected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rejection {
    /// It is no job that can be read; counted with the notes of the reading.
    NotRead,
    /// Its queue is not there when it arrives, or only routes.
    NoQueue,
    /// A job with its id is there or was.
    IdIsThere,
}

/// So many arrivals are named.
const NAMED: usize = 5;

/// A sentence for each reason for which arrivals were rejected, with how many and the first of them.
pub(crate) fn sentences(rejected: &[(Arrival, Rejection)]) -> Vec<String> {
    let reasons = [
        (Rejection::NoQueue, "no execution queue of that name"),
        (Rejection::IdIsThere, "a job of the same id was there before"),
    ];
    let sentence = |(reason, words): &(Rejection, &str)| {
        let of_reason = rejected.iter().filter(|(_, why)| why == reason);
        let names: Vec<String> = of_reason.map(|(arrival, _)| arrival.name.to_string()).collect();
        let text = || format!("{} rejected, {words}: {}", count(names.len(), "arrival"), some(&names, NAMED));
        (!names.is_empty()).then(text)
    };
    reasons.iter().filter_map(sentence).collect()
}
