//! What can be asked about jobs, nodes, buckets, sets and events.

mod bucket;
mod event;
mod job;
mod node;
mod set;

pub use bucket::{BucketRecord, bucket_fields};
pub use event::{EventRecord, event_fields};
pub use job::{JobRecord, job_fields};
pub use node::{NodeRecord, node_fields};
pub use set::{SetRecord, set_fields};

use crate::query::Fact;
use qscope_engine::cluster::{Kind, Value};

/// A value of a resource as a fact.
fn value_fact(kind: Kind, value: &Value) -> Option<Fact<'_>> {
    Some(match value {
        Value::Amount(amount) if kind == Kind::Size => Fact::Size(amount.0),
        Value::Amount(amount) => Fact::Number(amount.0),
        Value::Bool(yes) => Fact::Flag(*yes),
        Value::Texts(texts) => Fact::texts(texts.iter().map(|text| &**text)),
        Value::Indirect(_) => return None,
    })
}
