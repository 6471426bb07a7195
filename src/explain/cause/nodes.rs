//! Causes in the nodes: too little in sum, enough in sum but not in one shape, or not for long enough.

mod joint_misfit;
mod pieces;
mod whole_nodes;

use crate::fit_analysis::{FitAnalysis, ResourceSum, folded_names, names, out_of_service_text, requested};
use crate::{JobTurn, Tier, words};
use qscope_engine::cluster::NodeState;
use qscope_engine::universe::{AmountBasis, Bit, NodeSet, Plan};

use super::{Cause, calendar, order};
use pieces::fragmented;

/// Adds the causes in the nodes, if the job does not find nodes at its turn.
pub(super) fn causes(turn: &mut JobTurn, found: &mut Vec<Cause>) {
    if turn.fits() {
        return;
    }
    if turn.fits_unplanned() {
        found.push(calendar::planned(turn));
        return;
    }
    if turn.fits_at_start() {
        found.push(order::overtaken(turn));
        found.extend(order::planned_besides(turn));
    }
    found.push(policy_cause(turn).unwrap_or_else(|| shortage_cause(turn)));
}

/// Too little in sum, or fragmented.
fn shortage_cause(turn: &mut JobTurn) -> Cause {
    let (request, list) = (turn.request.clone(), turn.list.clone());
    let (sums, could, down, spread) = turn.seen(|state| {
        let room = FitAnalysis::new(state, &request, &list, AmountBasis::Now);
        let could = room.could_serve().to_vec();
        let down: Vec<Bit> =
            could.iter().copied().filter(|bit| state.occupancy.states[*bit].is_out_of_service()).collect();
        let spread = request.is_spread();
        (room.sums(), could, down, spread)
    });
    let short: Vec<&ResourceSum> = sums.iter().filter(|sum| sum.left < sum.requested).collect();
    if let Some(first) = short.first() {
        let (could, down) = match first.part {
            None => (could, down),
            Some(_) => turn.seen(|state| {
                let room = FitAnalysis::new(state, &request, &list, AmountBasis::Now);
                let could = room.could_serve_part(first.part).to_vec();
                let down = could
                    .iter()
                    .copied()
                    .filter(|bit| state.occupancy.states[*bit].is_out_of_service())
                    .collect();
                (could, down)
            }),
        };
        return short_of(turn, first, &short, &could, &down);
    }
    let up = could.len().saturating_sub(down.len()) as u64;
    if spread && up < request.total_chunks() {
        let names = names(turn.plan(), &down);
        let sentence = format!(
            "{} up of {} usable, {} requests {} on different nodes",
            words::count(up, "node"),
            could.len(),
            turn.plan().job(turn.job).short_name(),
            words::count(request.total_chunks(), "chunk")
        );
        let out = out_of_service_text(turn.state(), &down);
        let lost = (!names.is_empty()).then(|| format!("{out}: {}", words::first_names(&names, 8)));
        return Cause::new(Tier::Short, "nodes", sentence)
            .with_objects(names.into_iter().take(8))
            .number("wanted", request.total_chunks())
            .number("available", up)
            .number("total", could.len())
            .note(lost);
    }
    fragmented(turn, &request)
}

/// The nodes that could serve the job lack a resource in sum.
fn short_of(turn: &JobTurn, first: &ResourceSum, all: &[&ResourceSum], could: &[Bit], down: &[Bit]) -> Cause {
    let plan = turn.plan();
    let catalogue = &plan.snap.catalogue;
    let show = |resource, value: f64| words::amount(catalogue, resource, value);
    let tags = tags(turn, first);
    let (kind, sentence) = short_sentence(turn, first, &tags, could, down);
    let others = all.iter().skip(1).map(|sum| {
        format!(
            "{} too: {} requested, {} left of {}",
            catalogue.name(sum.resource),
            show(sum.resource, sum.requested),
            show(sum.resource, sum.left),
            show(sum.resource, total_of_up(plan, sum, down))
        )
    });
    let total = show(first.resource, total_of_up(plan, first, down));
    let up = could.len().saturating_sub(down.len());
    // Of nodes that are all out, what they would have is counted.
    let unit = (kind == "nodes").then(|| catalogue.name(first.resource).to_string());
    let mut cause = Cause { unit, ..Cause::new(Tier::Short, kind, sentence) }
        .with_objects(all.iter().map(|sum| catalogue.name(sum.resource).to_string()))
        .with_objects(tags.iter().map(|(resource, _)| resource.clone()))
        .number("wanted", show(first.resource, first.requested))
        .number("available", show(first.resource, first.left))
        .number("total", &total)
        .number("nodes", up);
    cause.notes.extend(others);
    let whole = taken_whole(turn, first, could);
    let in_all = || format!("{total} in all on {} it may use", words::count(up, "node"));
    let because = whole.as_ref().map_or_else(in_all, |whole| whole.brief.clone());
    let cause = cause.with_explanation(because).note(whole.map(|whole| whole.sentence));
    if down.is_empty() { cause } else { with_lost(turn, all, down, cause) }
}

/// States how much is requested and left, and on which nodes; or that none of these is up.
fn short_sentence(
    turn: &JobTurn,
    sum: &ResourceSum,
    tags: &[(String, String)],
    could: &[Bit],
    down: &[Bit],
) -> (&'static str, String) {
    let plan = turn.plan();
    let catalogue = &plan.snap.catalogue;
    let show = |value: f64| words::amount(catalogue, sum.resource, value);
    let resource = catalogue.name(sum.resource);
    let tags = tags.iter().map(|(resource, value)| format!("{resource}={value}")).collect::<Vec<_>>();
    let with = if tags.is_empty() { String::new() } else { format!(" with {}", tags.join(", ")) };
    let nodes = words::count(could.len(), "node");
    let requested = show(sum.requested);
    if !down.is_empty() && down.len() == could.len() {
        let lost = folded_names(plan, down, 3);
        let text = format!(
            "{requested} {resource} requested, {nodes}{with} that it may use; none accepts jobs now: {} ({lost})",
            out_of_service_text(turn.state(), down)
        );
        return ("nodes", text);
    }
    let up = words::count(could.len().saturating_sub(down.len()), "node");
    let text = format!(
        "{requested} {resource} requested, {} left of {} on {up}{with} that it may use",
        show(sum.left),
        show(total_of_up(plan, sum, down)),
    );
    ("resource", text)
}

/// Returns how much the nodes have of a resource when empty, without those out of service.
fn total_of_up(plan: &Plan, sum: &ResourceSum, down: &[Bit]) -> f64 {
    (sum.total - held_by(plan, sum, down)).max(sum.left)
}

/// Adds a note about nodes out of service and how much they have of what is lacking. Whether the job would start with
/// them is left to remedies, which run the cycle.
fn with_lost(turn: &JobTurn, short: &[&ResourceSum], down: &[Bit], cause: Cause) -> Cause {
    let plan = turn.plan();
    let names = names(plan, down);
    let out = out_of_service_text(turn.state(), down);
    let have: Vec<String> = short
        .iter()
        .map(|sum| {
            let catalogue = &plan.snap.catalogue;
            let amount = words::amount(catalogue, sum.resource, held_by(plan, sum, down));
            format!("{amount} {}", catalogue.name(sum.resource))
        })
        .collect();
    let note =
        format!("{} more {out} ({}), with {}", down.len(), words::first_names(&names, 4), have.join(", "));
    let would = short.iter().all(|sum| sum.left + held_by(plan, sum, down) >= sum.requested);
    cause.number("gone", down.len()).note(note).with_objects(names.into_iter().filter(|_| would).take(8))
}

/// What is idle on exclusively used nodes, in a few words and with the nodes.
struct ExclusiveUseNote {
    brief: String,
    sentence: String,
}

/// Returns what is idle on exclusively used nodes, if it would have been enough.
fn taken_whole(turn: &JobTurn, sum: &ResourceSum, could: &[Bit]) -> Option<ExclusiveUseNote> {
    let plan = turn.plan();
    let floor = &turn.state().occupancy;
    let ix = plan.consumables.ix(sum.resource)?;
    let whole = |bit: &&Bit| {
        let states = floor.states[**bit];
        states.has(NodeState::JobExclusive) || states.has(NodeState::ResvExclusive)
    };
    let nodes: Vec<Bit> = could.iter().filter(whole).copied().collect();
    let idle: f64 = nodes.iter().map(|bit| floor.left(plan, ix, *bit)).filter(|left| left.is_finite()).sum();
    (sum.left + idle >= sum.requested).then(|| {
        let catalogue = &plan.snap.catalogue;
        let amount = words::amount(catalogue, sum.resource, idle);
        ExclusiveUseNote {
            brief: format!("{amount} more on nodes used exclusively"),
            sentence: format!(
                "{amount} {} idle on {} used exclusively ({})",
                catalogue.name(sum.resource),
                words::count(nodes.len(), "node"),
                folded_names(plan, &nodes, 3)
            ),
        }
    })
}

/// Returns how much the nodes have of the lacking resource when empty.
fn held_by(plan: &Plan, sum: &ResourceSum, nodes: &[Bit]) -> f64 {
    let ix = plan.consumables.ix(sum.resource);
    let of = |bit: &Bit| ix.map(|ix| plan.capacity.available(ix, *bit)).filter(|amount| amount.is_finite());
    nodes.iter().filter_map(of).sum()
}

/// Returns the booleans and texts of the chunks without which there would be enough: they are why so few nodes count.
fn tags(turn: &JobTurn, short: &ResourceSum) -> Vec<(String, String)> {
    let plan = turn.plan();
    let room = FitAnalysis::new(turn.state(), &turn.request, &turn.list, AmountBasis::Now);
    let Some(ix) = plan.consumables.ix(short.resource) else { return Vec::new() };
    let mut found: Vec<(String, String)> = Vec::new();
    for spec in room.parts(short.part) {
        for (resource, _) in plan.shapes[spec.shape].conditions() {
            let open = |bit: &Bit| room.is_open(*bit) && room.meets_conditions(spec, *bit, Some(*resource));
            let left: f64 =
                turn.list.iter().filter(open).map(|bit| turn.state().occupancy.left(plan, ix, bit)).sum();
            let tag = (plan.snap.catalogue.name(*resource).to_string(), requested(plan, spec, *resource));
            if left >= short.requested && !found.contains(&tag) {
                found.push(tag);
            }
        }
    }
    found
}

/// Returns the cause if an allocation policy withholds nodes that could serve the job now; `None` if it withholds none of them.
fn policy_cause(turn: &mut JobTurn) -> Option<Cause> {
    let (request, list, job, run) = (turn.request.clone(), turn.list.clone(), turn.job, turn.run.clone());
    let ranking = run.plan.ranking_of(job)?;
    let (open, held) = turn.seen(|state| {
        let offered: Vec<Bit> = list.iter().filter(|bit| state.occupancy.open_nodes.contains(*bit)).collect();
        let left = ranking.rank(state, job, offered.clone());
        let left = NodeSet::of(list.capacity(), left);
        let room = FitAnalysis::new(state, &request, &list, AmountBasis::Now);
        let serving = NodeSet::of(list.capacity(), room.could_serve().iter().copied());
        let open = offered.into_iter().filter(|bit| serving.contains(*bit));
        let (open, held): (Vec<Bit>, Vec<Bit>) = open.partition(|bit| left.contains(*bit));
        (open.len() + held.len(), held)
    });
    if held.is_empty() {
        return None;
    }
    let held = names(turn.plan(), &held);
    let sentence = format!(
        "the allocation policy ({}) keeps {} out of {} of {open} that could serve now: {}",
        ranking.name(),
        turn.plan().job(job).short_name(),
        words::count(held.len(), "node"),
        words::first_names(&held, 4)
    );
    let cause = Cause::new(Tier::Fragmented, "policy", sentence).number("held", held.len());
    Some(cause.number("free", open).with_objects(held.into_iter().take(8)))
}
