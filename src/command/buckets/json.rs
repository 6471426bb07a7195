//! The buckets as JSON.

use std::sync::Arc;

use serde::Serialize;

use qscope_engine::cluster::{JobId, Name, ResourceType};
use qscope_engine::cycle::{Debugger, Run};
use qscope_engine::universe::{Bit, SigValue, State};
use qscope_exits::json::OrderedObject;
use qscope_explain::{BucketMap, BusyLaterReason, MappedBucket, bitmap_word, busy_later};
use qscope_session::Generation;
use qscope_session::query::FieldValue;

use super::{BucketsView, later_nodes};

/// A bucket of the answer.
#[derive(Serialize)]
pub(in crate::command) struct BucketJson {
    /// What its nodes have in common.
    name: String,
    /// The placement set, if the bucket belongs to one.
    #[serde(skip_serializing_if = "Option::is_none")]
    set: Option<Name>,
    /// The amounts that each of its nodes has of the resources that distinguish buckets: whole amounts without a
    /// decimal point, sizes in kilobytes; null, or an empty text, if the resource belongs to another vnode.
    resources: OrderedObject<String, Option<FieldValue<'static>>>,
    /// The priority of its nodes.
    priority: i64,
    /// The queue that owns its nodes.
    queue: Option<Name>,
    /// How many nodes it has.
    total: usize,
    /// Names of the nodes that are free.
    free: Vec<Name>,
    /// Names of the nodes that are free now and planned for later.
    busy_later: Vec<Name>,
    /// Names of the nodes that are taken.
    busy: Vec<Name>,
    /// How many of the busy ones are partly free: open to jobs that share.
    partly_free: usize,
    nodes: Vec<Name>,
    /// The bits of these nodes: their positions in the node array, or in the set's list of nodes.
    indices: Vec<usize>,
    /// Why a node is busy later.
    later: Vec<BusyLaterJson>,
    #[serde(flatten)]
    step: Option<StepJson>,
}

/// A bucket before and after a step.
#[derive(Serialize)]
struct StepJson {
    before: BitmapsJson,
    after: BitmapsJson,
    /// The nodes whose bits the step moved.
    moved: Vec<BitMoveJson>,
}

/// The three bitmaps, by names.
#[derive(Serialize)]
struct BitmapsJson {
    free: Vec<Name>,
    busy_later: Vec<Name>,
    busy: Vec<Name>,
}

/// A bit that moved.
#[derive(Serialize)]
struct BitMoveJson {
    node: Name,
    /// The bitmaps: `free`, `busy-later`, `busy` or `none`.
    from: &'static str,
    to: &'static str,
}

/// A node that is busy later.
#[derive(Serialize)]
struct BusyLaterJson {
    node: Name,
    /// What starts there.
    event: String,
    /// When it starts, in seconds since 1970.
    at: i64,
    /// When the job would end.
    #[serde(skip_serializing_if = "Option::is_none")]
    job_ends: Option<i64>,
    /// Whether the job would end early enough to use the node.
    #[serde(skip_serializing_if = "Option::is_none")]
    usable: Option<bool>,
}

/// Returns the buckets of the complex at the start of the cycle.
pub(in crate::command) fn buckets_json(run: &Arc<Run>) -> impl Iterator<Item = BucketJson> + use<> {
    let start = Debugger::new(run.clone());
    let map = BucketMap::of(start.state(), None);
    let count = map.as_ref().map_or(0, |map| map.buckets.len());
    (0..count).filter_map(move |at| {
        let map = map.as_ref()?;
        let bucket = map.buckets.get(at)?;
        let later = start_later(start.state(), map, bucket);
        Some(BucketJson { later, ..bucket_json(start.state(), map, bucket) })
    })
}

/// Returns the buckets as they are at the end of the step, with what they were before.
pub(super) fn list(generation: &Generation, views: &[BucketsView], job: Option<JobId>) -> Vec<BucketJson> {
    let (Some(first), Some(last)) = (views.first(), views.last()) else { return Vec::new() };
    let mut list: Vec<BucketJson> =
        last.map.buckets.iter().map(|bucket| bucket_json(&last.state, &last.map, bucket)).collect();
    for (at, bucket) in list.iter_mut().enumerate() {
        bucket.later =
            later_nodes(views, at, job).iter().map(|(bit, later, _)| of(&last.state, *bit, later)).collect();
    }
    if views.len() > 1 {
        for (bucket, (before, after)) in list.iter_mut().zip(first.map.buckets.iter().zip(&last.map.buckets))
        {
            bucket.step = Some(step(generation, &last.map, before, after));
        }
    }
    list
}

fn step(generation: &Generation, map: &BucketMap, before: &MappedBucket, after: &MappedBucket) -> StepJson {
    let state = &generation.run.end;
    let moved = |(at, from, to): (usize, _, _)| {
        let node = map.names(state, &[at]).next()?.clone();
        Some(BitMoveJson { node, from: bitmap_word(from), to: bitmap_word(to) })
    };
    StepJson {
        before: bits(state, map, before),
        after: bits(state, map, after),
        moved: before.moved(after).into_iter().filter_map(moved).collect(),
    }
}

fn names(state: &State, map: &BucketMap, of: &[usize]) -> Vec<Name> {
    map.names(state, of).cloned().collect()
}

fn bits(state: &State, map: &BucketMap, bucket: &MappedBucket) -> BitmapsJson {
    BitmapsJson {
        free: names(state, map, &bucket.free),
        busy_later: names(state, map, &bucket.busy_later),
        busy: names(state, map, &bucket.busy),
    }
}

fn of(state: &State, bit: Bit, later: &BusyLaterReason) -> BusyLaterJson {
    BusyLaterJson {
        node: state.plan.node_name(bit).clone(),
        event: later.text.clone(),
        at: later.event.at.0,
        job_ends: later.job.map(|(end, _)| end.0),
        usable: later.job.map(|(_, in_time)| in_time),
    }
}

fn start_later(state: &State, map: &BucketMap, bucket: &MappedBucket) -> Vec<BusyLaterJson> {
    let bits = bucket.busy_later.iter().filter_map(|at| map.array.get(*at));
    bits.filter_map(|bit| Some(of(state, *bit, &busy_later(state, *bit, None)?))).collect()
}

fn bucket_json(state: &State, map: &BucketMap, bucket: &MappedBucket) -> BucketJson {
    let catalogue = &state.plan.snap.catalogue;
    let resource = |(resource, value): &(_, SigValue)| {
        (catalogue.name(*resource).to_string(), value_json(value, catalogue.kind(*resource)))
    };
    let BitmapsJson { free, busy_later, busy } = bits(state, map, bucket);
    BucketJson {
        name: bucket.name.clone(),
        set: map.set.clone(),
        resources: OrderedObject(bucket.resources.iter().map(resource).collect()),
        priority: bucket.priority,
        queue: bucket.queue.clone(),
        total: bucket.all.len(),
        free,
        busy_later,
        busy,
        partly_free: bucket.part,
        nodes: names(state, map, &bucket.all),
        indices: bucket.all.clone(),
        later: Vec::new(),
        step: None,
    }
}

fn value_json(value: &SigValue, kind: ResourceType) -> Option<FieldValue<'static>> {
    match value {
        SigValue::Amount(amount) => Some(FieldValue::Number(amount.0)),
        SigValue::Bool(on) => Some(FieldValue::Flag(*on)),
        SigValue::Texts(texts) => Some(FieldValue::text(texts.join(","))),
        SigValue::OnOtherVnode if kind.is_consumable() => None,
        SigValue::OnOtherVnode => Some(FieldValue::text("")),
    }
}
