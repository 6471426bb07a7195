//! Nodes that the site does not have: the smallest sufficient number of one kind.

use std::ops::ControlFlow;

use crate::fit_analysis::FitAnalysis;
use crate::remedy::RemedySearch;
use crate::{Tier, more_nodes, node_description, node_kinds, words};
use qscope_engine::cluster::{Node, NodeId, Snapshot, Value};
use qscope_engine::universe::{AmountBasis, Bit, Requirement};

/// Maximum number of kinds tried, most frequent first.
const KINDS: usize = 6;

/// Maximum number of nodes of one kind.
const MOST: usize = 256;

/// Tries one more node of each kind and, if that is not enough, several of the most frequent kind.
pub(super) fn try_more_nodes(search: &mut RemedySearch<'_>) -> ControlFlow<()> {
    let about_nodes = |tier| matches!(tier, Tier::Never | Tier::Short | Tier::Fragmented | Tier::Calendar);
    if !search.causes.iter().any(|cause| about_nodes(cause.tier)) {
        return ControlFlow::Continue(());
    }
    let plan = search.turn.run.plan.clone();
    let room =
        FitAnalysis::new(&search.turn.start, &search.turn.request, &search.turn.list, AmountBasis::Total);
    let could = room.could_serve();
    let models: Vec<NodeId> =
        node_kinds(&plan, could.iter().copied()).into_iter().take(KINDS).map(|kind| kind.model).collect();
    let mut one_does = false;
    for model in &models {
        let node = &plan.snap.nodes[*model];
        let what = format!("add 1 node like {}", node_description(&plan.snap, node));
        one_does |= search.offer(what, &more_nodes(&plan.snap, node, 1), 80)?;
    }
    match models.first() {
        Some(model) if !one_does => try_several_nodes(search, &plan.snap, &plan.snap.nodes[*model]),
        _ => ControlFlow::Continue(()),
    }
}

/// Finds the smallest sufficient number of nodes by bisection.
fn try_several_nodes(search: &mut RemedySearch<'_>, snap: &Snapshot, model: &Node) -> ControlFlow<()> {
    let most = usize::try_from(search.turn.request.total_chunks()).unwrap_or(MOST).min(MOST);
    let (mut low, mut high, mut best) = (2, most, None);
    while low <= high {
        let middle = if best.is_none() { high } else { low.midpoint(high) };
        let edits = more_nodes(snap, model, middle);
        match search.tries(&edits)? {
            Some(tried) => {
                best = Some((middle, edits, tried));
                high = middle - 1;
            }
            // If one node per chunk is not enough, no number is.
            None if best.is_none() => return ControlFlow::Continue(()),
            None => low = middle + 1,
        }
    }
    let Some((count, edits, tried)) = best else { return ControlFlow::Continue(()) };
    let what = format!("add {} like {}", words::count(count, "node"), node_description(snap, model));
    search.offer_tried(what, &edits, 80 + u32::try_from(count).unwrap_or(40).min(40), &tried)
}

/// Tries nodes with more than any existing one: like a node that the job may use, with as much of each resource as a
/// chunk requests.
pub(super) fn larger(search: &mut RemedySearch<'_>) -> ControlFlow<()> {
    let plan = search.turn.run.plan.clone();
    let room =
        FitAnalysis::new(&search.turn.start, &search.turn.request, &search.turn.list, AmountBasis::Total);
    if !room.could_serve().is_empty() {
        return ControlFlow::Continue(());
    }
    let [spec] = &*search.turn.request.specs else { return ControlFlow::Continue(()) };
    let list: Vec<Bit> = search.turn.list.iter().collect();
    let Some(kind) = node_kinds(&plan, list.into_iter()).into_iter().next() else {
        return ControlFlow::Continue(());
    };
    let (snap, shape, count) = (&plan.snap, spec.shape, spec.count as usize);
    let mut model = snap.nodes[kind.model].clone();
    let mut with = Vec::new();
    for (resource, requirement) in &plan.shapes[shape].requests {
        let Requirement::Amount(wanted) = requirement else { continue };
        if model.available.amount(*resource).is_none_or(|have| have < *wanted) {
            model.available.set(*resource, Value::Amount(*wanted));
            let catalogue = &snap.catalogue;
            with.push(format!("{}={}", catalogue.name(*resource), wanted.show(catalogue.kind(*resource))));
        }
    }
    if with.is_empty() || count > MOST {
        return ControlFlow::Continue(());
    }
    let nodes = words::count(count, "node");
    let what = format!("add {nodes} like {} with {}", snap.nodes[kind.model].name, with.join(" and "));
    search.offer(what, &more_nodes(snap, &model, count), 85)?;
    ControlFlow::Continue(())
}
