//! Maps the chunk specs of a select to buckets (rule 3.5).

use crate::cluster::{Id, QueueId};
use crate::universe::{Bucket, ChunkFit, JobRequest, Plan, Quirk, Reason, Rejection, Spec};

use super::probe::{BucketOffer, BucketRef, Probe, ProbeEvent};

/// One bucket that matches a chunk spec.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BucketMatch {
    /// Index of the bucket in the given list.
    pub bucket: usize,
    /// Number of chunks that one of its nodes holds; 1 if chunks are scattered.
    pub times: u32,
}

/// For every chunk spec of the select, the matching buckets in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ChunkMap {
    /// The matches, by chunk spec.
    pub specs: Vec<Vec<BucketMatch>>,
}

/// Maps a request to buckets.
///
/// # Errors
/// `never`: a chunk spec matches no bucket, or too few nodes in total.
pub fn map_chunks<I: Id>(
    plan: &Plan,
    request: &JobRequest,
    queue: Option<QueueId>,
    buckets: &[Bucket<I>],
    probe: &mut Probe,
) -> Result<ChunkMap, Rejection> {
    let mut first_mismatch: Option<Reason> = None;
    let spread = request.is_spread();
    let mut map = ChunkMap { specs: Vec::with_capacity(request.specs.len()) };
    for spec in request.specs.iter() {
        let mut matches = Vec::with_capacity(buckets.len());
        let mut room: u64 = 0;
        let fits = plan.fits(spec.shape);
        for (at, bucket) in buckets.iter().enumerate().filter(|(_, bucket)| bucket.queue == queue) {
            let fit = &fits[bucket.sig];
            match times(plan, spread, spec, fit) {
                Some(times) => {
                    matches.push(BucketMatch { bucket: at, times });
                    room += u64::from(bucket.total) * u64::from(times);
                }
                None => {
                    if let (ChunkFit::Refused(reason), None) = (fit, &first_mismatch) {
                        first_mismatch = Some(reason.clone());
                    }
                }
            }
        }
        probe.record(|| offers(plan, spec, queue, buckets, &matches));
        if matches.is_empty() || room < u64::from(spec.count) {
            let rejection = first_mismatch.unwrap_or_else(|| unexplained(plan)).never();
            probe.record(|| ProbeEvent::NeverFits(rejection.clone()));
            return Err(rejection);
        }
        map.specs.push(matches);
    }
    Ok(map)
}

/// Returns how many chunks one node of a bucket counts for; `None` if the bucket does not match. A chunk without any
/// consumable matches nothing (quirk D5).
pub(super) fn times(plan: &Plan, spread: bool, spec: &Spec, fit: &ChunkFit) -> Option<u32> {
    match fit {
        ChunkFit::Refused(_) => None,
        ChunkFit::Unlimited if plan.has(Quirk::UnlimitedChunk) => None,
        ChunkFit::Unlimited | ChunkFit::Times(_) if spread => Some(1),
        ChunkFit::Unlimited => Some(spec.count.max(1)),
        ChunkFit::Times(times) => Some(*times),
    }
}

/// Returns the reason if all buckets match but are too small (quirk D6).
fn unexplained(plan: &Plan) -> Reason {
    if plan.has(Quirk::EmptyNever) { Reason::Unexplained } else { Reason::NoNodeResources }
}

/// Builds the event that shows what each bucket offers.
fn offers<I: Id>(
    plan: &Plan,
    spec: &Spec,
    queue: Option<QueueId>,
    buckets: &[Bucket<I>],
    matches: &[BucketMatch],
) -> ProbeEvent {
    let offer = |mapped: &BucketMatch| {
        let bucket = buckets.get(mapped.bucket)?;
        Some(BucketOffer {
            bucket: BucketRef::of(mapped.bucket, bucket),
            times: mapped.times,
            total: bucket.total,
            free: bucket.free.count(),
            busy_later: bucket.later.count(),
            busy: bucket.busy.count(),
            logged: bucket.counts,
        })
    };
    let mismatched =
        buckets.iter().enumerate().filter(|(_, bucket)| bucket.queue == queue).filter_map(|(at, bucket)| {
            match plan.fit(spec.shape, bucket.sig) {
                ChunkFit::Refused(reason) => Some((BucketRef::of(at, bucket), reason.clone().never())),
                _ => None,
            }
        });
    ProbeEvent::ChunkMapped {
        spec: spec.text.clone(),
        requested: spec.count,
        buckets: matches.iter().filter_map(offer).collect(),
        mismatched: mismatched.collect(),
    }
}
