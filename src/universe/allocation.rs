//! Which nodes a job gets, chunk by chunk.

use crate::cluster::Amount;

use super::amounts::ConsIx;
use super::chunk_shape::ShapeId;
use super::node_set::Bit;
use super::plan::Plan;

/// What one node gives to one chunk.
#[derive(Clone, PartialEq, Debug)]
pub struct Piece {
    /// The node.
    pub bit: Bit,
    /// The chunk, counted over the whole select.
    pub chunk: u32,
    /// The part of the select that the chunk belongs to.
    pub spec: u32,
    /// What it gives.
    pub gives: Gives,
}

/// What a node gives to a chunk.
#[derive(Clone, PartialEq, Debug)]
pub enum Gives {
    /// The whole chunk.
    Shape(ShapeId),
    /// Some of it: the chunk is broken over nodes, or read from a dump.
    Amounts(Box<[(ConsIx, f64)]>),
}

/// A placement: pieces in the order of the select.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Allocation {
    /// The pieces.
    pub pieces: Vec<Piece>,
}

impl Allocation {
    /// What a piece takes of every consumable.
    pub fn amounts<'a>(plan: &'a Plan, piece: &'a Piece) -> &'a [(ConsIx, f64)] {
        match &piece.gives {
            Gives::Shape(shape) => &plan.needs[*shape],
            Gives::Amounts(amounts) => amounts,
        }
    }

    /// The nodes in order of first mention, each once.
    #[must_use]
    pub fn nodes(&self) -> Vec<Bit> {
        let mut nodes: Vec<Bit> = Vec::with_capacity(self.pieces.len());
        let mut seen = rustc_hash::FxHashSet::default();
        for piece in &self.pieces {
            if nodes.last() != Some(&piece.bit) && seen.insert(piece.bit) {
                nodes.push(piece.bit);
            }
        }
        nodes
    }

    /// The text of an estimate: like `exec_vnode`, but with everything that one node gives in one group.
    #[must_use]
    pub fn merged(&self, plan: &Plan) -> String {
        let mut nodes: Vec<(Bit, Vec<(ConsIx, f64)>)> = Vec::new();
        let mut at: rustc_hash::FxHashMap<Bit, usize> = rustc_hash::FxHashMap::default();
        for piece in &self.pieces {
            let index = *at.entry(piece.bit).or_insert_with(|| {
                nodes.push((piece.bit, Vec::new()));
                nodes.len() - 1
            });
            let Some((_, sums)) = nodes.get_mut(index) else { continue };
            let given = !sums.is_empty();
            for (ix, amount) in Self::amounts(plan, piece) {
                match sums.iter_mut().find(|(have, _)| have == ix) {
                    Some((_, sum)) => *sum += amount,
                    // What is new to a node that gives already is written before the rest.
                    None if given => sums.insert(0, (*ix, *amount)),
                    None => sums.push((*ix, *amount)),
                }
            }
        }
        let merged = nodes.into_iter().zip(0..).map(|((bit, sums), chunk)| Piece {
            bit,
            chunk,
            spec: 0,
            gives: Gives::Amounts(sums.into()),
        });
        Self { pieces: merged.collect() }.exec_vnode(plan)
    }

    /// The text of `exec_vnode` (rule 3.8): sizes in kilobytes, consumables only.
    #[must_use]
    pub fn exec_vnode(&self, plan: &Plan) -> String {
        let mut text = String::new();
        let mut chunk = None;
        for piece in &self.pieces {
            if chunk == Some(piece.chunk) {
                text.push('+');
            } else {
                text.push_str(if chunk.is_none() { "(" } else { ")+(" });
            }
            chunk = Some(piece.chunk);
            text.push_str(plan.node_name(piece.bit));
            for (ix, amount) in Self::amounts(plan, piece) {
                let resource = plan.consumables.resource(*ix);
                let name = plan.snap.catalogue.name(resource);
                text.push_str(&format!(":{name}={}", show_exact(plan, *ix, *amount)));
            }
        }
        if chunk.is_some() {
            text.push(')');
        }
        text
    }
}

/// An amount as exec_vnode writes it.
fn show_exact(plan: &Plan, ix: ConsIx, amount: f64) -> String {
    let kind = plan.snap.catalogue.kind(plan.consumables.resource(ix));
    if kind == crate::cluster::Kind::Size { format!("{amount:.0}kb") } else { Amount(amount).show(kind) }
}
