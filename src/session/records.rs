//! The rows of lists: jobs, nodes, buckets, sets and events, each with one table of columns.
//!
//! A column is defined once, with its name, kind, usual width, priority, description and value. The filter language
//! uses all of them; a table selects columns by name or by priority and prints the values.

mod bucket;
mod event;
mod job;
mod job_reasons;
mod node;
mod set;
mod share;

pub use bucket::{BucketRecord, bucket_fields};
pub use event::{EventRecord, event_fields};
pub use job::{JobRecord, REFUSED, job_fields};
pub use job_reasons::JobReasons;
pub use node::{NodeRecord, node_fields};
pub use set::{SetRecord, set_fields};
pub use share::{ShareRecord, share_fields};

use crate::query::FieldValue;
use qscope_engine::cluster::{ResourceType, Value};

fn value_fact(kind: ResourceType, value: &Value) -> Option<FieldValue<'_>> {
    Some(match value {
        Value::Amount(amount) if kind == ResourceType::Size => FieldValue::Size(amount.0),
        Value::Amount(amount) => FieldValue::Number(amount.0),
        Value::Bool(yes) => FieldValue::Flag(*yes),
        Value::Texts(texts) => FieldValue::texts(texts.iter().map(|text| &**text)),
        Value::Indirect(_) => return None,
    })
}

/// Returns an amount of a resource as a fact; `None` if it is not a number.
fn amount_fact(kind: ResourceType, amount: f64) -> Option<FieldValue<'static>> {
    let fact = if kind == ResourceType::Size { FieldValue::Size(amount) } else { FieldValue::Number(amount) };
    (!amount.is_nan()).then_some(fact)
}
