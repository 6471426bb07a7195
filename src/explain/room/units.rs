//! What one chunk has to fit on: nodes, or whole hosts where hosts have several vnodes.

use qscope_engine::cluster::Column;
use qscope_engine::universe::{Bit, HostIx, NodeSet, Plan};

/// The units of a list of nodes, in one piece of memory however many there are.
pub(super) struct Units {
    bits: Vec<Bit>,
    /// Where each unit ends; none where each is one node.
    ends: Option<Vec<usize>>,
}

impl Units {
    /// Of these nodes.
    pub(super) fn new(plan: &Plan, list: &NodeSet) -> Self {
        if !plan.multi_vnode.found {
            return Self { bits: list.iter().collect(), ends: None };
        }
        let mut hosts: Column<HostIx, Vec<Bit>> = Column::filled(plan.hosts.len(), Vec::new());
        for bit in list.iter() {
            hosts[plan.nodes[bit].host].push(bit);
        }
        let (mut bits, mut ends) = (Vec::with_capacity(list.count()), Vec::new());
        for host in hosts.iter().filter(|host| !host.is_empty()) {
            bits.extend_from_slice(host);
            ends.push(bits.len());
        }
        Self { bits, ends: Some(ends) }
    }

    /// The nodes of one unit after the other.
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

    /// All nodes.
    pub(super) fn bits(&self) -> impl Iterator<Item = &Bit> {
        self.bits.iter()
    }

    /// How many units there are.
    pub(super) fn len(&self) -> usize {
        self.ends.as_ref().map_or(self.bits.len(), Vec::len)
    }
}
