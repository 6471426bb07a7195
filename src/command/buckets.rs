//! `qscope buckets`: the node buckets at the start of the cycle, in the order tried.

use color_eyre::eyre::Result;
use serde_json::{Map, Value, json};

use qscope_engine::cluster::Kind;
use qscope_engine::cycle::{Debugger, Run};
use qscope_engine::universe::{Bit, Bucket, NodeSet, Plan, SigValue};
use qscope_exits::Lines;

use super::cli::ListArgs;
use super::{open, output};

/// Prints the buckets.
///
/// # Errors
/// Bad input, or an output that cannot be written.
pub(super) fn run(args: &ListArgs) -> Result<u8> {
    let generation = open::what_if(&args.at, &args.set)?;
    if args.at.json {
        output::print_json_about(&generation, buckets_json(&generation.run))?;
    } else {
        let start = Debugger::new(generation.run.clone());
        let mut text = Lines::new();
        text.line("total  free later  busy  bucket");
        for bucket in &start.state().buckets {
            let (free, later, busy) = (bucket.free.count(), bucket.later.count(), bucket.busy.count());
            let name = bucket.name(&generation.run.plan);
            text.line(format_args!("{:>5} {free:>5} {later:>5} {busy:>5}  {name}", bucket.total));
        }
        output::print_about(&generation, &text)?;
    }
    Ok(0)
}

/// The buckets with their nodes by name.
pub(super) fn buckets_json(run: &std::sync::Arc<Run>) -> Value {
    let start = Debugger::new(run.clone());
    start.state().buckets.iter().map(|bucket| bucket_json(&run.plan, bucket)).collect()
}

fn bucket_json(plan: &Plan, bucket: &Bucket<Bit>) -> Value {
    let names = |set: &NodeSet| set.iter().map(|bit| json!(&**plan.node_name(bit))).collect::<Vec<_>>();
    let mut resources = Map::new();
    for (resource, value) in &plan.signatures[bucket.sig].values {
        let catalogue = &plan.snap.catalogue;
        let value = value_json(value, catalogue.kind(*resource));
        resources.insert(catalogue.name(*resource).to_string(), value);
    }
    json!({
        "name": bucket.name(plan),
        "resources": resources,
        "priority": bucket.priority,
        "queue": bucket.queue.map(|queue| &*plan.snap.queues[queue].name),
        "total": bucket.total,
        "free": names(&bucket.free),
        "busy_later": names(&bucket.later),
        "busy": names(&bucket.busy),
    })
}

/// Whole amounts without a point, sizes in kilobytes; of what is kept on another vnode nothing, in words the
/// empty one.
fn value_json(value: &SigValue, kind: Kind) -> Value {
    match value {
        SigValue::Amount(amount) => number(amount.0),
        SigValue::Bool(on) => json!(on),
        SigValue::Texts(texts) => json!(texts.join(",")),
        SigValue::Elsewhere if kind.is_consumable() => Value::Null,
        SigValue::Elsewhere => json!(""),
    }
}

/// A number without a point where it is whole.
pub(super) fn number(x: f64) -> Value {
    if x.fract() == 0.0 && x.abs() < 9e15 { json!(x as i64) } else { json!(x) }
}
