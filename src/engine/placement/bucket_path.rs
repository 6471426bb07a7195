//! The bucket path: takes nodes from bitmaps (rules 3.7, 3.8).

use crate::cluster::{Epoch, Id, QueueId, ResourceId, found_or_added, number_of};
use crate::universe::{
    Allocation, AllocationPiece, Bit, BitSet, Bucket, JobRequest, NodeEvent, PieceResources, Reason,
    Rejection, State,
};

use super::bound::MAX_STEPS;
use super::why_not::needs_provisioning;
use super::{BucketMatch, BucketRef, ChunkMap, Probe, ProbeEvent, map_chunks};

/// Maximum initial capacity for nodes found.
const ROOM: usize = 256;

/// One attempt on one list of buckets: the whole complex or one set.
pub struct BucketAttempt<'a, I> {
    pub state: &'a State,
    pub request: &'a JobRequest,
    /// The job's queue, if it has nodes of its own.
    pub queue: Option<QueueId>,
    /// The buckets in order.
    pub buckets: &'a [Bucket<I>],
    /// Maps a local id to its node.
    pub node_of: &'a dyn Fn(I) -> Bit,
    /// The end of the job if it started now.
    pub end: Epoch,
}

/// Places a job in buckets, bucket by bucket, busy-later nodes first within each bucket.
///
/// # Errors
/// `never` if the mapping of chunks fails; `not_now` if a chunk spec found too few nodes.
pub fn place_in_buckets<I: Id>(
    attempt: &BucketAttempt<'_, I>,
    probe: &mut Probe,
) -> Result<Allocation, Rejection> {
    let plan = &attempt.state.plan;
    let map = map_chunks(plan, attempt.request, attempt.queue, attempt.buckets, probe)?;
    // A node that would have to be provisioned has a reason of its own, which only the search finds.
    let names_aoe = attempt.request.has_requirement(&plan.shapes, ResourceId::aoe());
    if !could_hold(attempt, &map) && !probe.is_on() && !names_aoe {
        return Err(Reason::NoNodeResources.not_now());
    }
    let mut taken = TakenNodes { by_bucket: Vec::new(), names_aoe, skipped_unprovisioned: false };
    let mut allocation = Allocation::default();
    let mut chunk = 0;
    for (at, (spec, matches)) in attempt.request.specs.iter().zip(&map.specs).enumerate() {
        let found = take(attempt, at, spec.count, matches, &mut taken, probe)?;
        emit(attempt, at, matches, found, &mut chunk, &mut allocation)?;
    }
    Ok(allocation)
}

/// Upper bound from bit counts only: no chunk spec can find more than its buckets hold.
fn could_hold<I: Id>(attempt: &BucketAttempt<'_, I>, map: &ChunkMap) -> bool {
    attempt.request.specs.iter().zip(&map.specs).all(|(spec, matches)| {
        let mut room = 0u64;
        matches.iter().any(|mapped| {
            let open = attempt.buckets.get(mapped.bucket).map_or(0, Bucket::open);
            room += open as u64 * u64::from(mapped.times);
            room >= u64::from(spec.count)
        })
    })
}

/// Nodes taken by earlier chunk specs of the same job, by bucket.
struct TakenNodes<I> {
    by_bucket: Vec<(usize, BitSet<I>)>,
    /// Whether the request names an environment that nodes may have to be provisioned with.
    names_aoe: bool,
    /// Whether a node that would have to be provisioned was skipped: then that is the reason of a failure.
    skipped_unprovisioned: bool,
}

impl<I: Id> TakenNodes<I> {
    fn has(&self, bucket: usize, id: I) -> bool {
        self.by_bucket.iter().any(|(at, set)| *at == bucket && set.contains(id))
    }

    /// Whether a chunk spec skips a node, regardless of what is planned there.
    fn passes_over(&mut self, attempt: &BucketAttempt<'_, I>, spec: usize, bucket: usize, id: I) -> bool {
        if self.has(bucket, id) {
            return true;
        }
        let is_unprovisioned = self.names_aoe && is_unprovisioned(attempt, spec, id);
        self.skipped_unprovisioned |= is_unprovisioned;
        is_unprovisioned
    }

    /// Returns the reason why too few nodes were found.
    fn reason(&self) -> Reason {
        if self.skipped_unprovisioned { Reason::ProvisioningOff } else { Reason::NoNodeResources }
    }

    fn add(&mut self, bucket: usize, len: usize, id: I) {
        let empty = || (bucket, BitSet::new(len));
        let (_, taken) = found_or_added(&mut self.by_bucket, |(at, _)| *at == bucket, empty);
        taken.insert(id);
    }
}

/// Collects nodes for one chunk spec, each with the index of the match it came from.
fn take<I: Id>(
    attempt: &BucketAttempt<'_, I>,
    spec: usize,
    count: u32,
    matches: &[BucketMatch],
    taken: &mut TakenNodes<I>,
    probe: &mut Probe,
) -> Result<Vec<(I, usize)>, Rejection> {
    let mut missing = i64::from(count);
    let mut found = Vec::with_capacity((count as usize).min(ROOM));
    for (place, mapped) in matches.iter().enumerate() {
        if missing <= 0 {
            break;
        }
        let Some(bucket) = attempt.buckets.get(mapped.bucket) else { continue };
        let before = found.len();
        let give = |id: I| found.push((id, place));
        let of_bucket = take_of_bucket(attempt, spec, *mapped, bucket, &mut missing, taken, give);
        let nodes = found.get(before..).unwrap_or_default();
        probe.record(|| of_bucket.event(nodes, attempt, spec, BucketRef::of(mapped.bucket, bucket), missing));
        if attempt.request.specs.len() > 1 {
            for (id, _) in nodes {
                taken.add(mapped.bucket, bucket.members.capacity(), *id);
            }
        }
    }
    if missing > 0 { Err(taken.reason().not_now()) } else { Ok(found) }
}

/// The result of one bucket for a chunk spec, apart from the nodes themselves.
struct BucketResult<I> {
    /// Number of leading nodes that are busy later; the others are free.
    busy_later: usize,
    /// Skipped busy-later nodes, each with the event that starts there before the job would end.
    skipped: Vec<(I, NodeEvent)>,
}

impl<I: Id> BucketResult<I> {
    fn event(
        &self,
        nodes: &[(I, usize)],
        attempt: &BucketAttempt<'_, I>,
        spec: usize,
        bucket: BucketRef,
        still_missing: i64,
    ) -> ProbeEvent {
        let node = |id: &I| (attempt.node_of)(*id);
        let too_soon = |(id, event): &(I, NodeEvent)| (node(id), *event, attempt.end);
        ProbeEvent::Taken {
            spec,
            bucket,
            later: nodes.iter().take(self.busy_later).map(|(id, _)| node(id)).collect(),
            free: nodes.iter().skip(self.busy_later).map(|(id, _)| node(id)).collect(),
            skipped: self.skipped.iter().map(too_soon).collect(),
            still_missing,
        }
    }
}

/// Takes nodes of one bucket, busy-later ones first, until no chunk is missing.
fn take_of_bucket<I: Id>(
    attempt: &BucketAttempt<'_, I>,
    spec: usize,
    mapped: BucketMatch,
    bucket: &Bucket<I>,
    missing: &mut i64,
    taken: &mut TakenNodes<I>,
    mut give: impl FnMut(I),
) -> BucketResult<I> {
    let mut of_bucket = BucketResult { busy_later: 0, skipped: Vec::new() };
    for id in bucket.later.iter() {
        if *missing <= 0 {
            return of_bucket;
        }
        if taken.passes_over(attempt, spec, mapped.bucket, id) {
            continue;
        }
        match starts_too_soon(attempt, id) {
            Some(event) => of_bucket.skipped.push((id, event)),
            None => {
                give(id);
                of_bucket.busy_later += 1;
                *missing -= i64::from(mapped.times);
            }
        }
    }
    for id in bucket.free.iter() {
        if *missing <= 0 {
            break;
        }
        if !taken.passes_over(attempt, spec, mapped.bucket, id) {
            give(id);
            *missing -= i64::from(mapped.times);
        }
    }
    of_bucket
}

/// Whether a node would have to be provisioned for a chunk spec.
fn is_unprovisioned<I: Id>(attempt: &BucketAttempt<'_, I>, spec: usize, id: I) -> bool {
    let part = attempt.request.specs.get(spec);
    part.is_some_and(|part| needs_provisioning(&attempt.state.plan, part.shape, (attempt.node_of)(id)))
}

/// Returns the first event planned on a node, if it is before the job would end; exactly at its end is allowed.
fn starts_too_soon<I: Id>(attempt: &BucketAttempt<'_, I>, id: I) -> Option<NodeEvent> {
    attempt.state.first_event((attempt.node_of)(id)).filter(|event| event.at < attempt.end)
}

/// Assigns the chunks of one chunk spec to its nodes in node order, to each as many as its bucket holds (rule 3.8).
fn emit<I: Id>(
    attempt: &BucketAttempt<'_, I>,
    spec: usize,
    matches: &[BucketMatch],
    mut found: Vec<(I, usize)>,
    chunk: &mut u32,
    allocation: &mut Allocation,
) -> Result<(), Rejection> {
    let Some(part) = attempt.request.specs.get(spec) else { return Ok(()) };
    let counted = attempt.state.plan.is_counted(part.shape);
    let spec_ix = number_of(spec);
    // A node in two buckets (quirk B3) counts twice towards the missing chunks, but is one node.
    found.sort_unstable_by_key(|(id, _)| id.ix());
    found.dedup_by_key(|(id, _)| id.ix());
    let mut left = part.count;
    allocation.pieces.reserve(found.len());
    for (id, place) in found {
        let holds = |mapped: &&BucketMatch| {
            attempt.buckets.get(mapped.bucket).is_some_and(|b| b.members.contains(id))
        };
        // If the bucket that gave the node has it as a member, no other bucket does.
        let own = matches.get(place).filter(holds).or_else(|| matches.iter().find(holds));
        let times = own.map_or(0, |mapped| mapped.times);
        let bit = (attempt.node_of)(id);
        let mut here = times.min(left);
        left -= here;
        while here > 0 {
            if allocation.pieces.len() >= MAX_STEPS {
                return Err(Reason::TooManyChunks.not_now());
            }
            // Adding fractions one by one rounds differently from multiplying them.
            let times = if counted { here } else { 1 };
            let gives = PieceResources::Shape(part.shape);
            allocation.pieces.push(AllocationPiece { bit, chunk: *chunk, times, spec: spec_ix, gives });
            *chunk = chunk.saturating_add(times);
            here -= times;
        }
    }
    Ok(())
}
