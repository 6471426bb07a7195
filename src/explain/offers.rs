//! What buckets offered in a decision, with their names.

use serde::Serialize;

use qscope_engine::placement::{BucketOffer, BucketRef, ProbeEvent};
use qscope_engine::universe::{Plan, Rejection};

use super::attempts::{SearchAttempt, attempts};

/// What one bucket offered to one chunk spec of the select.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct ChunkOffer {
    /// The chunk spec as written.
    pub chunk: String,
    /// Number of chunks requested.
    #[serde(rename = "wanted")]
    pub requested: u32,
    /// The bucket's name.
    pub bucket: String,
    /// Chunks that one of its nodes holds; 0 if it does not match.
    pub fits: u32,
    /// Number of nodes in it.
    pub total: u32,
    pub free: usize,
    #[serde(rename = "busy_later")]
    pub later: usize,
    /// Busy nodes.
    pub busy: usize,
    /// Why it does not match, if it does not.
    pub mismatch: Option<String>,
}

/// Returns what each bucket offered to each chunk spec of the select, in the set searched last.
pub fn offers(plan: &Plan, events: &[ProbeEvent]) -> Vec<ChunkOffer> {
    let tried = attempts(events);
    let mut searches = tried.iter().rev().filter_map(|attempt| match attempt {
        SearchAttempt::Try(search) => Some(search),
        _ => None,
    });
    let last = searches.next().map(|search| search.events.as_slice()).unwrap_or_default();
    let mapped = last.iter().filter_map(|event| match event {
        ProbeEvent::ChunkMapped { spec, requested, buckets, mismatched } => {
            Some(of_part(plan, spec, *requested, buckets, mismatched))
        }
        _ => None,
    });
    mapped.flatten().collect()
}

/// Returns what each bucket offered to one chunk spec; buckets that do not match offer nothing and give the reason.
fn of_part(
    plan: &Plan,
    spec: &str,
    requested: u32,
    matching: &[BucketOffer],
    others: &[(BucketRef, Rejection)],
) -> Vec<ChunkOffer> {
    let nothing = |bucket: &BucketRef| ChunkOffer {
        chunk: spec.to_owned(),
        requested,
        bucket: bucket.key.name(plan),
        ..ChunkOffer::default()
    };
    let offered = matching.iter().map(|offer| ChunkOffer {
        fits: offer.times,
        total: offer.total,
        free: offer.free,
        later: offer.busy_later,
        busy: offer.busy,
        ..nothing(&offer.bucket)
    });
    let refused = others.iter().map(|(bucket, rejection)| ChunkOffer {
        mismatch: Some(rejection.reason.text(&plan.snap.catalogue)),
        ..nothing(bucket)
    });
    offered.chain(refused).collect()
}
