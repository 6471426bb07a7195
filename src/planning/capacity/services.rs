//! Checks whether services can fill every node and leave no room for the jobs that they serve.

use std::collections::BTreeSet;

use qscope_engine::cluster::{count, number_of};

use super::{
    CapacityShape, Milli, NodeType, PackError, Packer, PackerPlacement, PackingRules, TypeIx, TypeSetIx,
};

/// The result of the check, which is a heuristic: it examines one packing of the services.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ServiceCheck {
    pub services: u64,
    /// Number of services that fit at once on the maximum number of nodes.
    pub fit: u64,
    /// Number of distinct client shapes.
    pub clients: u64,
    /// Number of these shapes for which one job has room next to the services.
    pub served: u64,
    /// Nodes that the services alone need, by type.
    pub nodes: Vec<u64>,
}

impl ServiceCheck {
    /// Returns whether it can happen that only services run.
    pub fn can_deadlock(&self) -> bool {
        self.services > 0 && self.clients > 0 && (self.fit < self.services || self.served < self.clients)
    }

    /// Returns the result as a sentence.
    pub fn sentence(&self) -> String {
        if self.services == 0 {
            return "no services: nothing can deadlock on them".to_owned();
        }
        if self.fit < self.services {
            return format!(
                "can deadlock: only {} of {} services fit on the nodes allowed, and none ends before its clients",
                self.fit, self.services
            );
        }
        if self.served < self.clients {
            let clients = match self.clients {
                1 => "clients".to_owned(),
                kinds => format!("{} of {kinds} kinds of clients", kinds - self.served),
            };
            let services = count(self.services, "service");
            return format!("can deadlock: next to {services} there is no room for {clients}");
        }
        match self.services {
            1 => "the service fits and leaves room for every kind of client".to_owned(),
            services => format!("{services} services fit and leave room for every kind of client"),
        }
    }
}

/// Packs the services alone on the maximum number of nodes, then looks for room for one client of each shape.
///
/// # Errors
/// The services cannot be packed.
pub fn check(
    services: &[CapacityShape],
    clients: &[CapacityShape],
    types: &[NodeType],
    usable: &[CapacityShape],
) -> Result<ServiceCheck, PackError> {
    let rules = PackingRules { target: 0.0, overflow: true, merge_equal: false };
    // A single slice without end: services do not end, and clients need room next to them.
    let forever =
        |shape: &CapacityShape| CapacityShape { wall_time: 1.0, site: TypeSetIx::default(), ..*shape };
    let kinds: Vec<CapacityShape> = usable.iter().map(forever).collect();
    let mut packer: Packer<Milli> = Packer::with_types(&kinds, rules);
    for (ix, kind) in types.iter().enumerate() {
        for _ in 0..kind.max.min(100_000) {
            packer.preseed(TypeIx(number_of(ix)));
        }
    }
    let allowed = packer.counts();
    let mut found = ServiceCheck { services: services.len() as u64, ..ServiceCheck::default() };
    let mut sorted: Vec<CapacityShape> = services.iter().map(forever).collect();
    sorted.sort_by(|a, b| b.order(a));
    let within = |placed: &PackerPlacement<Milli>| match placed {
        PackerPlacement::On { kind, node, .. } => {
            allowed.get(kind.0 as usize).is_some_and(|most| u64::from(*node) < *most)
        }
        PackerPlacement::Unfit => false,
    };
    let mut used: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); types.len()];
    for service in &sorted {
        let placed = packer.add(service)?;
        if within(&placed) {
            found.fit += 1;
            if let PackerPlacement::On { kind, node, .. } = placed {
                used.get_mut(kind.0 as usize).into_iter().for_each(|nodes| {
                    nodes.insert(node);
                });
            }
        }
    }
    found.nodes = used.iter().map(|nodes| nodes.len() as u64).collect();
    let mut distinct: Vec<CapacityShape> = clients.iter().map(forever).collect();
    distinct.sort_by(CapacityShape::order);
    distinct.dedup_by_key(|shape| shape.key());
    found.clients = distinct.len() as u64;
    for client in &distinct {
        // Each shape is tried on its own, next to the services alone.
        found.served += u64::from(packer.has_room_at_once(client));
    }
    Ok(found)
}
