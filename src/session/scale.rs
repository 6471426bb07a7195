//! The scaler of `capacity` as a policy of simulations: vnodes are ordered for what its packing of the queue needs.

use std::sync::Arc;

use qscope_engine::cluster::{Name, NodeId, Seconds, Snapshot};
use qscope_planning::capacity::estimate::EstimateOptions;
use qscope_planning::capacity::question::{CapacityQuestion, Case};
use qscope_simulate::{Input, Need, ScalePool, Scaling};

use super::WhatIfError;
use super::what_if::apply;

/// Nodes as the scaler needs them: every waiting job is to begin within the target time.
#[derive(Debug)]
struct ByCapacity {
    options: EstimateOptions,
}

impl Need for ByCapacity {
    fn more(&self, snap: &Snapshot, pools: &[ScalePool]) -> Vec<u64> {
        let none = || vec![0; pools.len()];
        let question = CapacityQuestion { options: self.options, ..CapacityQuestion::default() };
        let Ok(case) = Case::new(snap, &question) else { return none() };
        let Ok(answer) = case.answer(snap) else { return none() };
        let more = |pool: &ScalePool| {
            let of_pool = |id| pool.nodes.iter().any(|node| Some(&*node.name) == name_of(snap, id));
            let types = case.stocks.iter().zip(&answer.types);
            // Nodes that were there from the start and are alike are of the same type as those of the pool.
            let of_type = types.filter(|(stock, _)| stock.hosts.iter().flatten().any(|id| of_pool(*id)));
            let missing = of_type.map(|(stock, need)| need.need.saturating_sub(stock.up)).sum::<u64>();
            missing.saturating_sub(pool.booting() as u64)
        };
        pools.iter().map(more).collect()
    }
}

fn name_of(snap: &Snapshot, id: NodeId) -> Option<&str> {
    snap.nodes.checked(id).map(|node| &*node.name)
}

/// Nodes that come and go.
#[derive(Clone, Debug)]
pub struct Scale {
    /// A kind, and at most so many of it: like `--add-nodes`, a node or a type as `capacity` names it, or amounts.
    pub kinds: Vec<(String, usize)>,
    /// From the order until a node takes jobs.
    pub boot: Seconds,
    /// So long a node may be empty before it is given back.
    pub idle: Seconds,
    /// Every waiting job is to begin within so many seconds.
    pub target: f64,
}

impl Scale {
    /// Adds the nodes of each kind to what a simulation begins with, none of them there yet.
    ///
    /// # Errors
    /// A kind that is none.
    pub fn apply(&self, input: &mut Input) -> Result<(), WhatIfError> {
        let mut pools = Vec::new();
        for (kind, most) in &self.kinds {
            let before: std::collections::BTreeSet<Name> =
                input.start.nodes.iter().map(|node| node.name.clone()).collect();
            let setting = format!("add_nodes.{kind}={most}");
            input.start = apply(&[setting], &input.start).map_err(WhatIfError::Setting)?.snapshot;
            let new = input.start.nodes.iter().map(|node| &node.name).filter(|name| !before.contains(*name));
            pools.push(ScalePool::new(kind.as_str().into(), new.cloned().collect::<Vec<_>>()));
        }
        let options = EstimateOptions { target: self.target, ..EstimateOptions::default() };
        let need = Arc::new(ByCapacity { options });
        input.scaling = Some(Scaling { pools, boot: self.boot, idle: self.idle, need });
        Ok(())
    }
}
