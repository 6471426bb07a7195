//! The nodes that a job gets, chunk by chunk.

use std::sync::Arc;

use crate::cluster::{Amount, InsertionOrderMap};

use crate::universe::{Bit, ConsIx, Plan, ShapeId};

/// Maximum number of groups that the text of a placement writes out; chunks beyond it are only counted.
const MAX_WRITTEN: usize = 100_000;
/// Maximum number of equal chunks on one node that are written out one by one; more are written once with their
/// number.
const MAX_REPEATED: u32 = 1000;

/// What one node gives to one chunk, or to several equal consecutive chunks.
#[derive(Clone, PartialEq, Debug)]
pub struct AllocationPiece {
    /// The node.
    pub bit: Bit,
    /// Index of the chunk in the whole select; for equal chunks, of the first.
    pub chunk: u32,
    /// Number of equal chunks; 1 if a chunk is split over nodes.
    pub times: u32,
    /// Index of the select's term that the chunk belongs to.
    pub spec: u32,
    /// Resources that the node gives.
    pub gives: PieceResources,
}

/// Resources that a node gives to a chunk.
#[derive(Clone, PartialEq, Debug)]
pub enum PieceResources {
    /// The whole chunk.
    Shape(ShapeId),
    /// Part of a chunk that is split over nodes, or amounts read from a dump.
    Amounts(Arc<[(ConsIx, f64)]>),
}

/// A placement: pieces in the order of the select.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Allocation {
    pub pieces: Vec<AllocationPiece>,
}

impl Allocation {
    /// Returns the number of chunks in the pieces; each part of a split chunk counts separately.
    pub fn chunks(&self) -> u64 {
        self.pieces.iter().map(|piece| u64::from(piece.times)).sum()
    }

    /// Returns what a piece takes of every consumable, summed over its equal chunks.
    pub fn consumables_of_piece<'a>(
        plan: &'a Plan,
        piece: &'a AllocationPiece,
    ) -> impl Iterator<Item = (ConsIx, f64)> + 'a {
        let times = f64::from(piece.times);
        Self::amounts(plan, piece).iter().map(move |(ix, amount)| (*ix, amount * times))
    }

    /// Returns what one chunk of a piece takes of every consumable.
    pub fn amounts<'a>(plan: &'a Plan, piece: &'a AllocationPiece) -> &'a [(ConsIx, f64)] {
        match &piece.gives {
            PieceResources::Shape(shape) => &plan.needs[*shape],
            PieceResources::Amounts(amounts) => amounts,
        }
    }

    /// Returns the nodes in the order of first mention, each once.
    pub fn nodes(&self) -> Vec<Bit> {
        let mut nodes: Vec<Bit> = Vec::with_capacity(self.pieces.len());
        if self.pieces.is_sorted_by_key(|piece| piece.bit) {
            nodes.extend(self.pieces.iter().map(|piece| piece.bit));
            nodes.dedup();
            return nodes;
        }
        let mut seen = rustc_hash::FxHashSet::default();
        for piece in &self.pieces {
            if nodes.last() != Some(&piece.bit) && seen.insert(piece.bit) {
                nodes.push(piece.bit);
            }
        }
        nodes
    }

    /// Returns the text of an estimate: like `exec_vnode`, but with one group per node.
    pub fn merged(&self, plan: &Plan) -> String {
        self.by_node(plan).exec_vnode(plan)
    }

    /// Returns the placement with one piece per node.
    pub fn by_node(&self, plan: &Plan) -> Self {
        let mut nodes: InsertionOrderMap<Bit, (Bit, Vec<(ConsIx, f64)>)> = InsertionOrderMap::default();
        for piece in &self.pieces {
            let (_, sums) = nodes.of(piece.bit, || (piece.bit, Vec::new()));
            let given = !sums.is_empty();
            for (ix, amount) in Self::consumables_of_piece(plan, piece) {
                match sums.iter_mut().find(|(have, _)| *have == ix) {
                    Some((_, sum)) => *sum += amount,
                    // A consumable that is new to a node with other amounts is written before them.
                    None if given => sums.insert(0, (ix, amount)),
                    None => sums.push((ix, amount)),
                }
            }
        }
        let merged = nodes.into_all().into_iter().zip(0..).map(|((bit, sums), chunk)| AllocationPiece {
            bit,
            chunk,
            times: 1,
            spec: 0,
            gives: PieceResources::Amounts(sums.into()),
        });
        Self { pieces: merged.collect() }
    }

    /// Returns the text of `exec_vnode` (rule 3.8): sizes in kilobytes, consumables only. More than a thousand equal
    /// chunks on a node become one group with their number, `(n1:ncpus=0)x4000`; beyond a hundred thousand groups the
    /// rest is only counted.
    pub fn exec_vnode(&self, plan: &Plan) -> String {
        self.exec_vnode_within(plan, MAX_WRITTEN)
    }

    /// The same with at most `most` groups written out.
    pub fn exec_vnode_within(&self, plan: &Plan, most: usize) -> String {
        let mut text = String::new();
        let mut open = None;
        let (mut groups, mut written) = (0, 0);
        for piece in &self.pieces {
            if groups >= most && open != Some(piece.chunk) {
                break;
            }
            if open == Some(piece.chunk) {
                // A chunk that is split over nodes continues in the same group.
                text.truncate(text.len() - 1);
                text.push('+');
                text.push_str(&text_of(plan, piece));
                text.push(')');
            } else {
                groups += put_groups(&mut text, &text_of(plan, piece), piece.times, most - groups);
            }
            written += u64::from(piece.times);
            open = Some(piece.chunk);
        }
        // Chunks of a node that no longer fit are counted in the rest too.
        let more = self.chunks() - written;
        if more > 0 {
            text.push_str(&format!(" and {more} more chunks"));
        }
        text
    }
}

/// Writes equal chunks and returns the number of groups written: one per chunk, or one for all if there are more than
/// `room` or `MAX_REPEATED`.
fn put_groups(text: &mut String, one: &str, times: u32, room: usize) -> usize {
    let is_folded = times > MAX_REPEATED || times as usize > room;
    let groups = if is_folded { 1 } else { times as usize };
    for _ in 0..groups {
        text.push_str(if text.is_empty() { "(" } else { "+(" });
        text.push_str(one);
        text.push(')');
    }
    if is_folded {
        text.push_str(&format!("x{times}"));
    }
    groups
}

/// Returns the text of one chunk of a piece, without parentheses.
fn text_of(plan: &Plan, piece: &AllocationPiece) -> String {
    let mut text = plan.node_name(piece.bit).to_string();
    for (ix, amount) in Allocation::amounts(plan, piece) {
        let name = plan.snap.catalogue.name(plan.consumables.resource(*ix));
        text.push_str(&format!(":{name}={}", show_exact(plan, *ix, *amount)));
    }
    text
}

/// Formats an amount as exec_vnode does.
fn show_exact(plan: &Plan, ix: ConsIx, amount: f64) -> String {
    let kind = plan.snap.catalogue.kind(plan.consumables.resource(ix));
    if kind == crate::cluster::ResourceType::Size {
        format!("{amount:.0}kb")
    } else {
        Amount(amount).show(kind)
    }
}
