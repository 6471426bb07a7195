//! Values of node resources as the scheduler reads them: indirect values resolved, memory in whole megabytes (rule
//! 1.1).

use crate::cluster::{Amount, NodeId, ResourceId, Snapshot, Value};

/// Follows `@vnode` links, up to ten (rule 1.1), and returns the node that has the value, and the value.
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

/// Rounds memory down to whole megabytes, as the scheduler does for nodes (rule 1.1). Argument and result are in
/// kilobytes.
pub fn whole_mb(kilobytes: Amount) -> Amount {
    let megabytes = kilobytes.0 / 1024.0;
    // 1024 is a power of two, so the quotient is exact and truncation gives the exact result. The remainder operator
    // would take ten times as long, for each node and cycle.
    if megabytes.abs() < WHOLE_BELOW {
        return Amount(megabytes as i64 as f64 * 1024.0);
    }
    Amount(kilobytes.0 - kilobytes.0 % 1024.0)
}

/// Below this, truncation through `i64` is exact.
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
