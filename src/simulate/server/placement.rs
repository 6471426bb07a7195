//! Converts placements of a cycle to those of the server (days rule 4).

use std::sync::Arc;

use qscope_engine::cluster::{Amount, ExecVnode, ExecVnodePart, Name, ResourceId, ResourceType};
use qscope_engine::universe::{Allocation, Plan};

/// A placement and its text.
#[derive(Clone, Debug)]
pub(crate) struct JobPlacement {
    pub(crate) chunks: ExecVnode,
    /// The text as `exec_vnode` shows it.
    pub(crate) text: Arc<str>,
}

impl JobPlacement {
    /// Converts the placement of a cycle.
    pub(crate) fn of(plan: &Plan, allocation: &Allocation) -> Self {
        let mut chunks: Vec<Vec<ExecVnodePart>> = Vec::new();
        let mut open = None;
        for piece in &allocation.pieces {
            let part = ExecVnodePart {
                vnode: plan.node_name(piece.bit).clone(),
                resources: Allocation::amounts(plan, piece)
                    .iter()
                    .map(|(ix, amount)| written(plan, plan.consumables.resource(*ix), *amount))
                    .collect(),
            };
            match chunks.last_mut() {
                // A chunk that is split over vnodes continues.
                Some(last) if open == Some(piece.chunk) => last.push(part),
                _ => chunks.extend((0..piece.times).map(|_| vec![part.clone()])),
            }
            open = Some(piece.chunk);
        }
        Self::from(ExecVnode { chunks: chunks.into() })
    }
}

impl From<ExecVnode> for JobPlacement {
    fn from(chunks: ExecVnode) -> Self {
        let text = chunks.to_string().into();
        Self { chunks, text }
    }
}

/// Formats an amount as `exec_vnode` shows it (rule 3.8): sizes in kilobytes.
fn written(plan: &Plan, resource: ResourceId, amount: f64) -> (Name, Name) {
    let def = plan.snap.catalogue.def(resource);
    let text =
        if def.kind == ResourceType::Size { format!("{amount:.0}kb") } else { Amount(amount).show(def.kind) };
    (def.name.clone(), text.into())
}
