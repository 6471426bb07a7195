//! The node path in a story: for each part of the select the nodes found, and the node examined last when none was.

use crate::console::theme::Role;
use crate::console::wording;
use crate::explain::Try;
use crate::placement::{Event, why_not};
use crate::universe::{Bit, Reason};

use super::Piece;
use super::tell::Teller;

/// What one part of the select found.
#[derive(Default)]
struct Found<'a> {
    nodes: Vec<Bit>,
    failed: Option<&'a Event>,
}

/// Tells what the search found, part by part.
pub(super) fn tell_search(teller: &mut Teller<'_>, tried: &Try<'_>) {
    for (at, found) in by_part(tried).iter().enumerate() {
        if !found.nodes.is_empty() || found.failed.is_some() {
            tell_part(teller, at, found);
        }
    }
}

fn by_part<'a>(tried: &Try<'a>) -> Vec<Found<'a>> {
    let mut parts: Vec<Found<'a>> = Vec::new();
    let mut part = |at: usize, put: &dyn Fn(&mut Found<'a>)| {
        while parts.len() <= at {
            parts.push(Found::default());
        }
        if let Some(found) = parts.get_mut(at) {
            put(found);
        }
    };
    for event in &tried.events {
        match event {
            Event::ChunkPlaced { spec, node } => part(*spec, &|found| found.nodes.push(*node)),
            Event::ChunkFailed { spec, .. } => part(*spec, &|found| found.failed = Some(event)),
            _ => {}
        }
    }
    parts
}

fn tell_part(teller: &mut Teller<'_>, at: usize, found: &Found<'_>) {
    let plan = &teller.subject.run.plan;
    let request = plan.requests[teller.subject.outcome.job].as_ref().ok();
    let spec = request.and_then(|request| request.specs.get(at)).map_or("", |spec| &*spec.text);
    let mut words = vec![Piece::plain(spec)];
    if !found.nodes.is_empty() {
        let chunks = wording::count(found.nodes.len(), "chunk");
        words.push(Piece::dim(format!(" · {chunks} on {}", times(plan, &found.nodes))));
    }
    if let Some(Event::ChunkFailed { last, .. }) = found.failed {
        words.push(Piece::of(Role::VerdictWait, " · then no node was found"));
        if let Some((bit, rejection)) = last {
            // The search keeps no numbers; asked again, the node gives them, unless the job's own chunks were in the way.
            let shape = request.and_then(|request| request.specs.get(at)).map(|spec| spec.shape);
            let numbers = shape.and_then(|shape| why_not(teller.subject.state, shape, *bit));
            let rejection = numbers.map_or_else(|| rejection.clone(), Reason::not_now);
            let why = wording::short_reason(&plan.snap.catalogue, &rejection);
            let name = plan.node_name(*bit);
            words.push(Piece::plain("; last looked at "));
            words.push(Piece::signed(Role::NodeRejected, format!("{name}: {why}")));
        }
    }
    teller.stage(Some(found.failed.is_none()), &format!("part {}", at + 1), words);
}

/// The nodes in order, and how many chunks each got where it got several.
fn times(plan: &crate::universe::Plan, nodes: &[Bit]) -> String {
    if nodes.windows(2).all(|pair| pair.first() != pair.last()) {
        return wording::node_list(plan, nodes);
    }
    let runs = nodes.chunk_by(|a, b| a == b);
    let word = |run: &[Bit]| {
        let name = run.first().map_or("", |bit| &**plan.node_name(*bit));
        if run.len() > 1 { format!("{name} x{}", run.len()) } else { name.to_owned() }
    };
    runs.map(word).collect::<Vec<_>>().join(", ")
}
