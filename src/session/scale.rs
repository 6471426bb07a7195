//! The scaler of `capacity` as a policy of simulations: vnodes are ordered as its packing of the queue requires.

use std::sync::Arc;

use qscope_engine::cluster::{Name, NodeId, Seconds, Snapshot};
use qscope_planning::capacity::estimate::EstimateOptions;
use qscope_planning::capacity::question::{CapacityCase, CapacityQuestion};
use qscope_simulate::{DemandEstimator, ScalePool, Scaling, SimulationInput};

use super::WhatIfError;
use super::what_if::apply;

/// Computes the nodes that the scaler needs, so that every waiting job begins within the target time.
#[derive(Debug)]
struct CapacityNeed {
    options: EstimateOptions,
}

impl DemandEstimator for CapacityNeed {
    fn more(&self, snap: &Snapshot, pools: &[ScalePool]) -> Vec<u64> {
        let none = || vec![0; pools.len()];
        let question = CapacityQuestion { options: self.options, ..CapacityQuestion::default() };
        let Ok(case) = CapacityCase::new(snap, &question) else { return none() };
        let Ok(answer) = case.answer(snap) else { return none() };
        let more = |pool: &ScalePool| {
            let of_pool = |id| pool.nodes.iter().any(|node| Some(&*node.name) == name_of(snap, id));
            let types = case.stocks.iter().zip(&answer.types);
            // Nodes of the same kind that existed from the start have the same type as those of the pool.
            let of_type = types.filter(|(stock, _)| stock.hosts.iter().flatten().any(|id| of_pool(*id)));
            let missing = of_type.map(|(stock, need)| need.need.saturating_sub(stock.nodes_up)).sum::<u64>();
            missing.saturating_sub(pool.booting() as u64)
        };
        pools.iter().map(more).collect()
    }
}

fn name_of(snap: &Snapshot, id: NodeId) -> Option<&str> {
    snap.nodes.checked(id).map(|node| &*node.name)
}

/// Nodes that are added and removed during a simulation.
#[derive(Clone, Debug)]
pub struct ScaleOptions {
    /// Kinds, each with its maximum number: as for `--add-nodes`, a node or a type as `capacity` names it, or
    /// amounts.
    pub kinds: Vec<(String, usize)>,
    /// Time from the order until a node takes jobs.
    pub boot: Seconds,
    /// Time that a node may be empty before it is returned.
    pub idle: Seconds,
    /// Time in seconds within which every waiting job is to begin.
    pub target: f64,
}

impl ScaleOptions {
    /// Adds the nodes of each kind to the start of a simulation, none of them available yet.
    ///
    /// # Errors
    /// If a kind is invalid.
    pub fn apply(&self, input: &mut SimulationInput) -> Result<(), WhatIfError> {
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
        let need = Arc::new(CapacityNeed { options });
        input.scaling = Some(Scaling { pools, boot: self.boot, idle: self.idle, need });
        Ok(())
    }
}
