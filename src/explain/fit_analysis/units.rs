//! The units that chunks must fit on: nodes, or whole hosts if hosts have several vnodes over which a chunk may be
//! broken.

use qscope_engine::cluster::Arrangement;
use qscope_engine::universe::{Bit, Plan};

/// The units of a list of nodes, in a single allocation.
pub(super) struct UnitList {
    bits: Vec<Bit>,
    /// End of each unit in `bits`; `None` if each unit is one node.
    ends: Option<Vec<usize>>,
}

impl UnitList {
    /// Groups these nodes into units for jobs of an arrangement; `vscatter` breaks no chunk (rule 4.4).
    pub(super) fn new(plan: &Plan, arrangement: Arrangement, nodes: impl Iterator<Item = Bit>) -> Self {
        let mut bits: Vec<Bit> = nodes.collect();
        if !plan.multi_vnode.exists || arrangement == Arrangement::Vscatter {
            return Self { bits, ends: None };
        }
        let host = |bit: &Bit| plan.nodes[*bit].host;
        bits.sort_by_key(host);
        let hosts = bits.chunk_by(|bit, next| host(bit) == host(next));
        let ends = hosts.scan(0, |end, vnodes| {
            *end += vnodes.len();
            Some(*end)
        });
        let ends = Some(ends.collect());
        Self { bits, ends }
    }

    /// Returns the nodes of each unit.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[Bit]> {
        (0..self.len())
            .map(|at| match &self.ends {
                None => self.bits.get(at..=at),
                Some(ends) => {
                    let start = at.checked_sub(1).and_then(|last| ends.get(last)).copied().unwrap_or(0);
                    ends.get(at).and_then(|end| self.bits.get(start..*end))
                }
            })
            .map(Option::unwrap_or_default)
    }

    /// Returns all nodes.
    pub(super) fn bits(&self) -> impl Iterator<Item = &Bit> {
        self.bits.iter()
    }

    /// Whether a unit is a host, with all its vnodes.
    pub(super) fn are_hosts(&self) -> bool {
        self.ends.is_some()
    }

    /// Number of units.
    pub(super) fn len(&self) -> usize {
        self.ends.as_ref().map_or(self.bits.len(), Vec::len)
    }
}
