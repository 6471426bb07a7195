//! The sort values of buckets (rule 3.3), which follow from the signature, not from the nodes.

use crate::cluster::{NodeSortKey, NodeSortTerm, SortField};

use crate::universe::{Bucket, Plan, SigValue};

/// Returns the values of the node sort keys for a bucket: its priority, 0 for `last_used_time` and for resources that
/// are not in the signature, infinity for resources whose value is not a number (rule 11 item 5).
pub(crate) fn key_values<I>(plan: &Plan, bucket: &Bucket<I>, keys: &[NodeSortKey]) -> Vec<f64> {
    let signature = &plan.signatures[bucket.sig];
    keys.iter()
        .map(|key| match &key.term {
            NodeSortTerm::Priority => bucket.priority as f64,
            // A bucket was never used, and has nothing assigned.
            NodeSortTerm::LastUsed | NodeSortTerm::Resource(_, SortField::Assigned) => 0.0,
            NodeSortTerm::Resource(name, _) => {
                match plan.snap.catalogue.id(name).and_then(|resource| signature.value(resource)) {
                    None => 0.0,
                    Some(SigValue::Amount(amount)) => amount.0,
                    Some(SigValue::Bool(on)) => f64::from(u8::from(*on)),
                    Some(SigValue::Texts(_) | SigValue::OnOtherVnode) => f64::INFINITY,
                }
            }
        })
        .collect()
}
