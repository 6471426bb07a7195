//! What a node has of a resource, as the scheduler reads it: looked up where the node refers to another, and memory in
//! whole megabytes (rule 1.1).

use crate::cluster::{Amount, NodeId, ResourceId, Snapshot, Value};

/// Follows `@vnode` up to ten times (rule 1.1); the node that has the value, and the value.
pub fn resolved(snap: &Snapshot, node: NodeId, resource: ResourceId) -> Option<(NodeId, &Value)> {
    let mut at = node;
    for _ in 0..=10 {
        match snap.nodes[at].available.get(resource)? {
            Value::Indirect(target) => at = snap.node_named(target)?,
            value => return Some((at, value)),
        }
    }
    None
}

/// Memory of a node counts in whole megabytes, rounded down (rule 1.1).
pub fn whole_mb(kilobytes: Amount) -> Amount {
    let megabytes = kilobytes.0 / 1024.0;
    // A power of two: the quotient is exact, and so is what is cut off it. A remainder would cost ten times as much, once
    // for each node and cycle.
    if megabytes.abs() < WHOLE_BELOW {
        return Amount(megabytes as i64 as f64 * 1024.0);
    }
    Amount(kilobytes.0 - kilobytes.0 % 1024.0)
}

/// Below this a whole number and its parts have an integer.
const WHOLE_BELOW: f64 = (1u64 << 52) as f64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_megabytes_are_what_a_remainder_leaves() {
        let beyond = (1u64 << 62) as f64 * 3.0;
        for kilobytes in [0.0, 1.0, 1023.0, 1024.0, 1536.5, 134_217_728.0, 1e15 + 3.0, -5.0, -1500.0, beyond]
        {
            let expected = kilobytes - kilobytes % 1024.0;
            assert_eq!(whole_mb(Amount(kilobytes)).0.to_bits(), expected.to_bits(), "{kilobytes}");
        }
        assert!(whole_mb(Amount(f64::INFINITY)).0.is_nan(), "as the remainder of it is");
    }
}
