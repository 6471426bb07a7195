//! Which nodes a job gets, chunk by chunk.

use std::sync::Arc;

use crate::cluster::{Amount, FirstMet};

use crate::universe::{Bit, ConsIx, Plan, ShapeId};

/// The most groups that the text of a placement writes out; what is beyond is counted in words.
const MAX_WRITTEN: usize = 100_000;
/// The most equal chunks on one node that are written out one by one; more are written once, with their number.
const MAX_REPEATED: u32 = 1000;

/// What one node gives to one chunk, or to several equal chunks that follow one another.
#[derive(Clone, PartialEq, Debug)]
pub struct Piece {
    /// The node.
    pub bit: Bit,
    /// The chunk, or the first of the equal ones, counted over the whole select.
    pub chunk: u32,
    /// How many equal chunks; 1 where a chunk is broken over nodes.
    pub times: u32,
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
    Amounts(Arc<[(ConsIx, f64)]>),
}

/// A placement: pieces in the order of the select.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Allocation {
    pub pieces: Vec<Piece>,
}

impl Allocation {
    /// How many chunks the pieces are, each part of a broken one counted by itself.
    pub fn chunks(&self) -> u64 {
        self.pieces.iter().map(|piece| u64::from(piece.times)).sum()
    }

    /// What a piece takes of every consumable, all its equal chunks together.
    pub fn taken<'a>(plan: &'a Plan, piece: &'a Piece) -> impl Iterator<Item = (ConsIx, f64)> + 'a {
        let times = f64::from(piece.times);
        Self::amounts(plan, piece).iter().map(move |(ix, amount)| (*ix, amount * times))
    }

    /// What one chunk of a piece takes of every consumable.
    pub fn amounts<'a>(plan: &'a Plan, piece: &'a Piece) -> &'a [(ConsIx, f64)] {
        match &piece.gives {
            Gives::Shape(shape) => &plan.needs[*shape],
            Gives::Amounts(amounts) => amounts,
        }
    }

    /// The nodes in order of first mention, each once.
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

    /// The text of an estimate: like `exec_vnode`, but with everything that one node gives in one group.
    pub fn merged(&self, plan: &Plan) -> String {
        self.by_node(plan).exec_vnode(plan)
    }

    /// The same with everything that one node gives in one piece.
    pub fn by_node(&self, plan: &Plan) -> Self {
        let mut nodes: FirstMet<Bit, (Bit, Vec<(ConsIx, f64)>)> = FirstMet::default();
        for piece in &self.pieces {
            let (_, sums) = nodes.of(piece.bit, || (piece.bit, Vec::new()));
            let given = !sums.is_empty();
            for (ix, amount) in Self::taken(plan, piece) {
                match sums.iter_mut().find(|(have, _)| *have == ix) {
                    Some((_, sum)) => *sum += amount,
                    // What is new to a node that gives already is written before the rest.
                    None if given => sums.insert(0, (ix, amount)),
                    None => sums.push((ix, amount)),
                }
            }
        }
        let merged = nodes.into_all().into_iter().zip(0..).map(|((bit, sums), chunk)| Piece {
            bit,
            chunk,
            times: 1,
            spec: 0,
            gives: Gives::Amounts(sums.into()),
        });
        Self { pieces: merged.collect() }
    }

    /// The text of `exec_vnode` (rule 3.8): sizes in kilobytes, consumables only. More than a thousand equal chunks on
    /// a node are one group with their number, `(n1:ncpus=0)x4000`; of more than a hundred thousand groups the rest is
    /// only counted.
    pub fn exec_vnode(&self, plan: &Plan) -> String {
        self.exec_vnode_within(plan, MAX_WRITTEN)
    }

    /// The same with another number of groups that are written out.
    pub fn exec_vnode_within(&self, plan: &Plan, most: usize) -> String {
        let mut text = String::new();
        let mut open = None;
        let (mut groups, mut written) = (0, 0);
        for piece in &self.pieces {
            if groups >= most && open != Some(piece.chunk) {
                break;
            }
            if open == Some(piece.chunk) {
                // A chunk that is broken over nodes goes on.
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
        // Of one node's chunks as many are written as there is room for; the rest of them is counted as well.
        let more = self.chunks() - written;
        if more > 0 {
            text.push_str(&format!(" and {more} more chunks"));
        }
        text
    }
}

/// Writes equal chunks, as many groups as they take: one for each, or one for all of them.
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

/// What one chunk of a piece is in the text of a placement.
fn text_of(plan: &Plan, piece: &Piece) -> String {
    let mut text = plan.node_name(piece.bit).to_string();
    for (ix, amount) in Allocation::amounts(plan, piece) {
        let name = plan.snap.catalogue.name(plan.consumables.resource(*ix));
        text.push_str(&format!(":{name}={}", show_exact(plan, *ix, *amount)));
    }
    text
}

/// An amount as exec_vnode writes it.
fn show_exact(plan: &Plan, ix: ConsIx, amount: f64) -> String {
    let kind = plan.snap.catalogue.kind(plan.consumables.resource(ix));
    if kind == crate::cluster::Kind::Size { format!("{amount:.0}kb") } else { Amount(amount).show(kind) }
}
