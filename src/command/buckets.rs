//! `qscope buckets`: the node buckets at the start of the cycle, in the order tried.

use std::sync::Arc;

use color_eyre::eyre::Result;
use serde::Serialize;

use qscope_engine::cluster::{Kind, ResourceId};
use qscope_engine::cycle::{Debugger, Run};
use qscope_engine::universe::{Bit, Bucket, NodeSet, Plan, SigValue};
use qscope_session::query::Fact;
use qscope_session::records::{BucketRecord, bucket_fields};

use super::cli::ListArgs;
use super::plain::{self, Subject};
use super::table::table;
use super::{open, output};
use qscope_exits::json::Keyed;

/// Prints the buckets.
///
/// # Errors
/// Bad input, or an output that cannot be written.
pub(super) fn run(args: &ListArgs) -> Result<u8> {
    let generation = open::what_if(&args.at, &args.set)?;
    if let Some(code) = plain::instead_of_nodes(&generation, args.at.json, Subject::Queue)? {
        return Ok(code);
    }
    if args.at.json {
        output::print_json_list(&generation, &buckets_json(&generation.run))?;
    } else {
        let start = Debugger::new(generation.run.clone());
        let plan = &generation.run.plan;
        let rows = start.state().buckets.iter().map(|bucket| BucketRecord::of(plan, bucket));
        let text =
            table(&bucket_fields(&plan.snap.catalogue), &["nodes", "free", "later", "busy", "bucket"], rows);
        output::print_about(&generation, &text)?;
    }
    Ok(0)
}

/// A bucket of the answer.
#[derive(Serialize)]
pub(super) struct BucketJson {
    /// What its nodes have in common.
    name: String,
    /// What each of its nodes has of the resources that distinguish buckets: whole amounts without a point, sizes
    /// in kilobytes; null, or an empty text, where the resource is another vnode's.
    resources: Keyed<String, Option<Fact<'static>>>,
    /// The priority of its nodes.
    priority: i64,
    /// The queue that owns its nodes.
    queue: Option<String>,
    /// How many nodes it has.
    total: u32,
    /// Names of the nodes that are free.
    free: Vec<String>,
    /// Names of the nodes that are free now and planned for later.
    busy_later: Vec<String>,
    /// Names of the nodes that are taken.
    busy: Vec<String>,
}

/// The buckets with their nodes by name.
pub(super) fn buckets_json(run: &Arc<Run>) -> Vec<BucketJson> {
    let start = Debugger::new(run.clone());
    start.state().buckets.iter().map(|bucket| bucket_json(&run.plan, bucket)).collect()
}

fn bucket_json(plan: &Plan, bucket: &Bucket<Bit>) -> BucketJson {
    let catalogue = &plan.snap.catalogue;
    let names = |set: &NodeSet| set.iter().map(|bit| plan.node_name(bit).to_string()).collect();
    let resource = |(resource, value): &(ResourceId, SigValue)| {
        (catalogue.name(*resource).to_string(), value_json(value, catalogue.kind(*resource)))
    };
    BucketJson {
        name: bucket.name(plan),
        resources: Keyed(plan.signatures[bucket.sig].values.iter().map(resource).collect()),
        priority: bucket.priority,
        queue: bucket.queue.map(|queue| plan.snap.queues[queue].name.to_string()),
        total: bucket.total,
        free: names(&bucket.free),
        busy_later: names(&bucket.later),
        busy: names(&bucket.busy),
    }
}

fn value_json(value: &SigValue, kind: Kind) -> Option<Fact<'static>> {
    match value {
        SigValue::Amount(amount) => Some(Fact::Number(amount.0)),
        SigValue::Bool(on) => Some(Fact::Flag(*on)),
        SigValue::Texts(texts) => Some(Fact::text(texts.join(","))),
        SigValue::Elsewhere if kind.is_consumable() => None,
        SigValue::Elsewhere => Some(Fact::text("")),
    }
}
