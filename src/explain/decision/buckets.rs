//! Contents of the bucket path: the table of buckets for a chunk spec, and the nodes of one bucket.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::node_check::Condition;
use crate::{NodeListSearch, attempts, words};
use qscope_engine::cluster::{Epoch, Id, Name, short_id};
use qscope_engine::placement::{BucketOffer, BucketRef, ProbeEvent};
use qscope_engine::universe::{Availability, Bit, BucketIx, NodeEvent, Occupant, State};

use super::node_test::first_failures;
use super::searches::{holds, search_at};
use super::stages::reason;
use super::{BucketShare, DecisionLevel, DecisionPoint, DecisionRow, DecisionTraceRef, Subject};

/// Column headings of the table of a chunk spec.
const HEADS: &[&str] = &["each", "nodes", "free", "later", "busy", "left", "taken", "soon"];

impl DecisionLevel {
    /// Returns the index of the bucket that decides about a chunk spec: the one from which most nodes were taken or,
    /// if none were, the one with most nodes left. `None` for other levels.
    pub fn deciding_bucket(&self) -> Option<usize> {
        let of_buckets = self.frames.iter().enumerate().filter_map(|(at, frame)| Some((at, frame.share?)));
        // The first one tried wins a tie.
        of_buckets
            .max_by_key(|(at, share)| (share.nodes_taken, share.available, std::cmp::Reverse(*at)))
            .map(|(at, _)| at)
    }
}

/// What one bucket gave to one chunk spec.
#[derive(Debug, Clone, Copy)]
struct BucketContribution<'a> {
    spec: usize,
    bucket: &'a BucketRef,
    busy_later: &'a [Bit],
    free: &'a [Bit],
    skipped: &'a [(Bit, NodeEvent, Epoch)],
    still_missing: i64,
}

/// Returns everything that buckets gave in a search, in order.
fn contributions<'a>(search: &NodeListSearch<'a>) -> Vec<BucketContribution<'a>> {
    let gave = |event: &&'a ProbeEvent| match *event {
        ProbeEvent::Taken { spec, bucket, later: busy_later, free, skipped: too_soon, still_missing } => {
            Some(BucketContribution {
                spec: *spec,
                bucket,
                busy_later,
                free,
                skipped: too_soon,
                still_missing: *still_missing,
            })
        }
        _ => None,
    };
    search.events.iter().filter_map(gave).collect()
}

/// Returns the buckets for a chunk spec: chunks per node, counts of nodes by availability, how many of the free and
/// busy-later ones earlier chunk specs left, how many were taken, and how many were refused because something starts
/// there too soon. Buckets that do not match and those of other queues come last, with the reason.
pub(super) fn offers(scene: DecisionTraceRef<'_>, attempt: usize, part: usize) -> DecisionLevel {
    let tried = attempts(scene.events);
    let Some(search) = search_at(&tried, attempt) else { return DecisionLevel::default() };
    let mut level = offers_of(scene, search, attempt, part);
    level.frames.extend(of_other_queues(scene, search));
    level
}

/// Like [`offers`], for a given search and without the buckets of other queues.
pub(super) fn offers_of(
    scene: DecisionTraceRef<'_>,
    search: &NodeListSearch<'_>,
    attempt: usize,
    part: usize,
) -> DecisionLevel {
    let gave = contributions(search);
    let mut maps = search.events.iter().filter_map(|event| match event {
        ProbeEvent::ChunkMapped { buckets, mismatched, .. } => Some((buckets, mismatched)),
        _ => None,
    });
    let Some((buckets, mismatched)) = maps.nth(part) else { return DecisionLevel::default() };
    let matching = buckets.iter().map(|offer| {
        let of_bucket: Vec<&BucketContribution<'_>> =
            gave.iter().filter(|gave| *gave.bucket == offer.bucket).collect();
        let what = DecisionPoint::Bucket { attempt, part, at: offer.bucket.at };
        bucket_frame(offer, &of_bucket, part, what, offer.bucket.key.name(&scene.run.plan))
    });
    let others = mismatched.iter().map(|(bucket, why)| {
        let text = format!("does not match: {}", reason(scene, why));
        not_tried(bucket.key.name(&scene.run.plan), text)
    });
    DecisionLevel { headings: HEADS, frames: matching.chain(others).collect() }
}

/// Creates the line of a bucket that was not tried.
fn not_tried(name: String, why: String) -> DecisionRow {
    let numbers = vec!["-".to_owned(); HEADS.len()];
    DecisionRow::new(DecisionPoint::Fact, None, name, why).with(numbers)
}

/// Returns the buckets that serve other queues than the job's; none for a search in a set, which lists its own.
fn of_other_queues(scene: DecisionTraceRef<'_>, search: &NodeListSearch<'_>) -> Vec<DecisionRow> {
    let Subject::Job(outcome) = scene.subject else { return Vec::new() };
    let plan = &scene.run.plan;
    let mapped = search.events.iter().find_map(|event| match event {
        ProbeEvent::ChunkMapped { buckets, mismatched, .. } => Some((buckets, mismatched)),
        _ => None,
    });
    let Some((buckets, mismatched)) = mapped.filter(|_| search.set.is_none()) else { return Vec::new() };
    let examined = buckets.iter().map(|offer| &offer.bucket).chain(mismatched.iter().map(|(one, _)| one));
    let examined: FxHashSet<usize> = examined.map(|bucket| bucket.at).collect();
    let others = scene.state.buckets.iter().enumerate().filter(|(at, _)| !examined.contains(at));
    let why = format!("not for queue {}", plan.job(outcome.job).queue);
    others.map(|(_, bucket)| not_tried(bucket.name(plan), why.clone())).collect()
}

/// Creates the line of a matching bucket, with what it gave to this chunk spec and to earlier ones.
fn bucket_frame(
    offer: &BucketOffer,
    gave: &[&BucketContribution<'_>],
    part: usize,
    what: DecisionPoint,
    name: String,
) -> DecisionRow {
    let nodes = |gave: &BucketContribution<'_>| gave.busy_later.len() + gave.free.len();
    let earlier: usize = gave.iter().filter(|gave| gave.spec < part).map(|gave| nodes(gave)).sum();
    let here = gave.iter().copied().find(|gave| gave.spec == part);
    let share = BucketShare {
        available: (offer.free + offer.busy_later).saturating_sub(earlier),
        nodes_taken: here.map(nodes),
    };
    let or_none = |count: Option<usize>| count.map_or_else(|| "-".to_owned(), |count| count.to_string());
    let numbers = vec![
        format!("×{}", offer.times),
        offer.total.to_string(),
        offer.free.to_string(),
        offer.busy_later.to_string(),
        offer.busy.to_string(),
        share.available.to_string(),
        or_none(share.nodes_taken),
        or_none(here.map(|gave| gave.skipped.len())),
    ];
    let (passed, result) = match here {
        None => (None, "not tried: all chunks found".to_owned()),
        Some(gave) if gave.still_missing <= 0 => (Some(true), "all chunks found".to_owned()),
        // A bucket that gave nodes has not failed, even if others have to give more.
        Some(gave) => {
            (Some(nodes(gave) > 0), format!("{} still missing", words::count(gave.still_missing, "chunk")))
        }
    };
    let too_soon = here.map_or(0, |gave| gave.skipped.len());
    let text = format!("{}; {result}", offered(offer, share, earlier, too_soon));
    DecisionRow { share: Some(share), ..DecisionRow::new(what, passed, name, text).with(numbers) }
}

/// Returns the numbers of a bucket's line as a sentence.
fn offered(offer: &BucketOffer, share: BucketShare, earlier: usize, too_soon: usize) -> String {
    let each = words::count(offer.times, "chunk");
    let mut text =
        format!("each node holds {each}; {} of {} left (free or later", share.available, offer.total);
    if earlier > 0 {
        text.push_str(&format!(", less {earlier} taken by earlier chunks"));
    }
    text.push(')');
    if let Some(taken) = share.nodes_taken {
        text.push_str(&format!("; {taken} taken"));
    }
    if too_soon > 0 {
        text.push_str(&format!("; {too_soon} soon: planned for another job before this one would end"));
    }
    text
}

/// Returns the nodes of one bucket, in the order examined, with the result of each.
pub(super) fn nodes(scene: DecisionTraceRef<'_>, attempt: usize, part: usize, at: usize) -> DecisionLevel {
    let tried = attempts(scene.events);
    let Some(search) = search_at(&tried, attempt) else { return DecisionLevel::default() };
    let mut fates: FxHashMap<Bit, (Option<bool>, String)> = FxHashMap::default();
    // A search that found too few nodes takes none.
    let took = if holds(scene, search) { "taken" } else { "fits" };
    for gave in contributions(search).iter().filter(|gave| gave.spec <= part && gave.bucket.at == at) {
        let (passed, by) = match gave.spec == part {
            true => (Some(true), took.to_owned()),
            false => (None, format!("taken by chunk {} already", gave.spec + 1)),
        };
        for (bits, was) in [(gave.busy_later, "busy-later"), (gave.free, "free")] {
            for bit in bits {
                fates.insert(*bit, (passed, format!("{by}, was {was}")));
            }
        }
        for (bit, event, _) in gave.skipped.iter().filter(|_| gave.spec == part) {
            let text = format!("planned for {} from {}", occupant(scene, event), clock(scene, event.at));
            fates.insert(*bit, (Some(false), text));
        }
    }
    let members = members(scene.state, search.set, at);
    let unusable = |availability| matches!(availability, Availability::Busy | Availability::Out);
    let closed = members.iter().filter(|(_, availability)| unusable(*availability)).map(|(bit, _)| *bit);
    let mut failures = first_failures(scene, part, closed);
    let frame = |(bit, availability): (Bit, Availability)| {
        let what = DecisionPoint::Node { bit, of: (attempt, part) };
        let name = &**scene.run.plan.node_name(bit);
        if let Some((passed, text)) = fates.remove(&bit) {
            let condition = if passed == Some(false) { Condition::Time.label() } else { String::new() };
            return DecisionRow { condition, ..DecisionRow::new(what, passed, name, text) };
        }
        match failures.remove(&bit) {
            Some(failure) => DecisionRow {
                condition: failure.condition.label(),
                ..DecisionRow::new(what, None, name, failure.has)
            },
            None => DecisionRow::new(what, None, name, untouched(scene.state, bit, availability)),
        }
    };
    DecisionLevel::plain(members.into_iter().map(frame).collect())
}

/// Returns the busy-later nodes that a chunk spec skipped because something starts there before the job would end.
pub(super) fn passed_over(
    scene: DecisionTraceRef<'_>,
    search: &NodeListSearch<'_>,
    part: usize,
) -> Vec<(String, String)> {
    let gave = contributions(search);
    let of_part = gave.iter().filter(|gave| gave.spec == part).flat_map(|gave| gave.skipped);
    let name = |bit: Bit| scene.run.plan.node_name(bit).to_string();
    of_part.map(|(bit, event, end)| (name(*bit), too_soon(scene, event, *end))).collect()
}

fn too_soon(scene: DecisionTraceRef<'_>, event: &NodeEvent, end: Epoch) -> String {
    let kind = match event.occupant {
        Occupant::Job(..) => "job",
        Occupant::Reservation(_) => "reservation",
    };
    let who = occupant(scene, event);
    format!(
        "{kind} {who} starts there at {}, before the end at {}",
        clock(scene, event.at),
        clock(scene, end)
    )
}

/// Returns the short id of the job or reservation of an event.
fn occupant<'a>(scene: DecisionTraceRef<'a>, event: &NodeEvent) -> &'a str {
    short_id(scene.run.plan.occupant_name(event.occupant))
}

fn clock(scene: DecisionTraceRef<'_>, at: Epoch) -> String {
    words::clock(&scene.run.plan.snap, at)
}

fn untouched(state: &State, bit: Bit, availability: Availability) -> String {
    match availability {
        Availability::Free => "free, not needed".to_owned(),
        Availability::Later => "busy-later, not needed".to_owned(),
        Availability::Busy | Availability::Out => format!("not free: {}", state.occupancy.states[bit]),
    }
}

/// Returns the nodes of a bucket of a set, or of the complex, with their availability.
fn members(state: &State, set: Option<&Name>, at: usize) -> Vec<(Bit, Availability)> {
    let Some(name) = set else {
        let bucket = state.buckets.checked(BucketIx::at(at));
        return bucket
            .map_or_else(Vec::new, |b| b.members.iter().map(|bit| (bit, b.availability(bit))).collect());
    };
    let groups = state.group_pools.values().flat_map(|pool| &pool.sets);
    let sets = state.sets.iter().chain(groups).filter(|set| set.shape.name == *name);
    let mut found = sets.filter_map(|set| Some((set, set.buckets(&state.plan).get(at)?)));
    let Some((set, bucket)) = found.next() else { return Vec::new() };
    bucket.members.iter().map(|slot| (set.shape.member(slot), bucket.availability(slot))).collect()
}

/// Returns which chunk spec of the select owns which node, and which nodes were refused because of time, up to and
/// including the chunk spec and, within it, the bucket of `point`.
pub fn owners(trace: DecisionTraceRef<'_>, point: &DecisionPoint) -> (Vec<(Bit, usize)>, Vec<Bit>) {
    let (attempt, part, bucket) = match point {
        DecisionPoint::Attempt(attempt) => (*attempt, usize::MAX, None),
        DecisionPoint::Part { attempt, part }
        | DecisionPoint::Class { attempt, part, .. }
        | DecisionPoint::Node { of: (attempt, part), .. } => (*attempt, *part, None),
        DecisionPoint::Bucket { attempt, part, at } => (*attempt, *part, Some(*at)),
        _ => (0, usize::MAX, None),
    };
    let tried = attempts(trace.events);
    let Some(search) = search_at(&tried, attempt) else { return (Vec::new(), Vec::new()) };
    let mut owned = Vec::new();
    let mut seen = FxHashSet::default();
    let mut rejected = Vec::new();
    let mut beyond = false;
    for event in &search.events {
        match event {
            ProbeEvent::Taken { spec, bucket: from, later, free, skipped, .. }
                if *spec <= part && !beyond =>
            {
                owned.extend(later.iter().chain(free).map(|bit| (*bit, *spec)));
                rejected.extend(skipped.iter().map(|(bit, ..)| *bit));
                beyond = *spec == part && bucket == Some(from.at);
            }
            ProbeEvent::ChunkPlaced { spec, node, .. } if *spec <= part && seen.insert(*node) => {
                owned.push((*node, *spec));
            }
            ProbeEvent::ChunkFailed { spec, last: Some((bit, _)), .. } if *spec <= part => {
                rejected.push(*bit);
            }
            _ => {}
        }
    }
    (owned, rejected)
}
