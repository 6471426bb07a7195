//! Nodes: too little in sum, enough in sum but not in one shape, or not for long enough.

use crate::cluster::{Arrangement, ResourceId, Sharedness};
use crate::explain::room::{Room, Sum, names, wanted};
use crate::explain::sets::{best_set, set_keys};
use crate::explain::tier::Tier;
use crate::explain::turn::Turn;
use crate::explain::words;
use crate::universe::{Against, Bit, JobRequest, Plan, Spec};

use super::{Cause, calendar, order};

/// What is wrong with the nodes, if the job does not find its nodes at its turn.
pub(super) fn causes(turn: &mut Turn, found: &mut Vec<Cause>) {
    if turn.fits() {
        return;
    }
    if turn.fits_unplanned() {
        found.push(calendar::planned(turn));
        return;
    }
    if turn.fits_at_start() {
        found.push(order::overtaken(turn));
    }
    found.push(lacking(turn));
}

/// Too little in sum, or in pieces.
fn lacking(turn: &mut Turn) -> Cause {
    let (request, list) = (turn.request.clone(), turn.list.clone());
    let (sums, could, down, spread) = turn.seen(|state| {
        let room = Room::new(state, &request, &list, Against::Now);
        let could = room.could_serve();
        let down: Vec<Bit> = could.iter().copied().filter(|bit| state.floor.states[*bit].is_gone()).collect();
        let spread = matches!(request.place.arrangement, Arrangement::Scatter | Arrangement::Vscatter);
        (room.sums(), could, down, spread)
    });
    let short: Vec<&Sum> = sums.iter().filter(|sum| sum.left < sum.wanted).collect();
    if let Some(first) = short.first() {
        return short_of(turn, first, &short, &could, &down);
    }
    let up = could.len().saturating_sub(down.len()) as u64;
    if spread && up < request.total_chunks() {
        let names = names(turn.plan(), &down);
        let sentence = format!(
            "{} up of {} that could serve, {} wants {} on different nodes",
            words::count(up, "node"),
            could.len(),
            turn.plan().job(turn.job).short_name(),
            words::count(request.total_chunks(), "chunk")
        );
        let lost = (!names.is_empty()).then(|| format!("down or offline: {}", words::some(&names, 8)));
        return Cause::new(Tier::Short, "nodes", sentence)
            .about(names.into_iter().take(8))
            .number("wanted", request.total_chunks())
            .number("available", up)
            .number("total", could.len())
            .note(lost);
    }
    fragmented(turn, &request)
}

/// The nodes that could serve lack a resource in sum.
fn short_of(turn: &Turn, first: &Sum, all: &[&Sum], could: &[Bit], down: &[Bit]) -> Cause {
    let plan = turn.plan();
    let catalogue = &plan.snap.catalogue;
    let show = |resource, value: f64| words::amount(catalogue, resource, value);
    let name = plan.job(turn.job).short_name();
    let resource = catalogue.name(first.resource);
    let tags = tags(turn, first);
    let with = if tags.is_empty() {
        String::new()
    } else {
        format!(" with {}", tags.iter().map(|(r, v)| format!("{r}={v}")).collect::<Vec<_>>().join(", "))
    };
    let sentence = format!(
        "{} {resource} wanted, {} left of {} on the {}{with} that could serve {name}",
        show(first.resource, first.wanted),
        show(first.resource, first.left),
        show(first.resource, first.total),
        words::count(could.len() as u64, "node"),
    );
    let others = all.iter().skip(1).map(|sum| {
        format!(
            "{} too: {} wanted, {} left of {}",
            catalogue.name(sum.resource),
            show(sum.resource, sum.wanted),
            show(sum.resource, sum.left),
            show(sum.resource, sum.total)
        )
    });
    let mut cause = Cause::new(Tier::Short, "resource", sentence)
        .about(all.iter().map(|sum| catalogue.name(sum.resource).to_string()))
        .about(tags.iter().map(|(resource, _)| resource.clone()))
        .number("wanted", show(first.resource, first.wanted))
        .number("available", show(first.resource, first.left))
        .number("total", show(first.resource, first.total))
        .number("nodes", could.len());
    cause.notes.extend(others);
    if !down.is_empty() {
        let names = names(plan, down);
        let would = enough_with(plan, first, down);
        cause = cause.number("gone", down.len()).note(format!(
            "{} of them down or offline ({}){}",
            down.len(),
            words::some(&names, 4),
            if would { ": with them back it would be enough" } else { "" }
        ));
        if would {
            cause = cause.about(names.into_iter().take(8));
        }
    }
    cause
}

/// Whether the nodes that are gone have what is missing.
fn enough_with(plan: &Plan, sum: &Sum, down: &[Bit]) -> bool {
    let Some(ix) = plan.consumables.ix(sum.resource) else { return false };
    let back: f64 = down.iter().map(|bit| plan.capacity.available(ix, *bit)).filter(|x| !x.is_nan()).sum();
    sum.left + back >= sum.wanted
}

/// Switches and texts of the chunks without which there would be enough: the tag is why so few nodes count.
fn tags(turn: &Turn, short: &Sum) -> Vec<(String, String)> {
    let plan = turn.plan();
    let room = Room::new(&turn.state, &turn.request, &turn.list, Against::Now);
    let Some(ix) = plan.consumables.ix(short.resource) else { return Vec::new() };
    let mut found: Vec<(String, String)> = Vec::new();
    for spec in turn.request.specs.iter() {
        for (resource, _) in plan.shapes.get_shape(spec.shape).conditions() {
            let open = |bit: &Bit| room.is_open(*bit) && room.meets(spec, *bit, Some(*resource));
            let left: f64 =
                turn.list.iter().filter(open).map(|bit| turn.state.floor.left(plan, ix, bit)).sum();
            let tag = (plan.snap.catalogue.name(*resource).to_string(), wanted(plan, spec, *resource));
            if left >= short.wanted && !found.contains(&tag) {
                found.push(tag);
            }
        }
    }
    found
}

/// Enough in sum: the sets, other jobs on the nodes, or the shape of the chunks.
fn fragmented(turn: &mut Turn, request: &JobRequest) -> Cause {
    if let Some(cause) = by_sets(turn, request) {
        return cause;
    }
    let list = turn.list.clone();
    let plan = turn.run.plan.clone();
    let shared = JobRequest {
        place: crate::cluster::Place { sharedness: Sharedness::Shared, ..request.place.clone() },
        ..request.clone()
    };
    turn.seen(|state| {
        let room = Room::new(state, request, &list, Against::Now);
        let lacking = room.lacking();
        let (spec, chunks) = lacking.first().copied()?;
        let touched: Vec<Bit> = room.could_serve().into_iter().filter(|bit| room.is_touched(*bit)).collect();
        let others = Room::new(state, &shared, &list, Against::Now);
        let enough = room.chunks(spec, None, true) >= u64::from(spec.count) || others.lacking().is_empty();
        Some(if enough && !touched.is_empty() {
            touched_by_others(&plan, request, &room, spec, &touched)
        } else {
            shape(&plan, &room, spec, chunks, request).note(others_on(&plan, &touched))
        })
    })
    .unwrap_or_else(|| {
        let sentence = "each part of the select finds its nodes, but not all parts together".to_owned();
        Cause::new(Tier::Fragmented, "together", sentence).number("wanted", request.total_chunks())
    })
}

/// No set holds it now, although all nodes together would.
fn by_sets(turn: &Turn, request: &JobRequest) -> Option<Cause> {
    let best = best_set(&turn.state, turn.job, request, &turn.list, Against::Now)?;
    if best.enough || !turn.fits_without_sets() {
        return None;
    }
    let keys = set_keys(turn.plan(), turn.job, request);
    let sentence = format!(
        "{} wanted in one placement set, and the best of {}, {}, holds {} now, although all nodes together would hold them",
        words::count(request.total_chunks(), "chunk"),
        words::count(best.sets as u64, "set"),
        best.name,
        best.chunks
    );
    let cause = Cause::new(Tier::Fragmented, "sets", sentence)
        .about([best.name.to_string()])
        .about(keys)
        .about(best.narrow)
        .number("wanted", request.total_chunks())
        .number("best", best.chunks)
        .number("sets", best.sets);
    Some(cause)
}

/// It wants whole nodes, and others are on them.
fn touched_by_others(
    plan: &Plan,
    request: &JobRequest,
    room: &Room<'_>,
    spec: &Spec,
    touched: &[Bit],
) -> Cause {
    let chunks = words::count(request.total_chunks(), "chunk");
    let free = room.units_for(spec);
    let nodes = names(plan, touched);
    let mut jobs: Vec<String> = Vec::new();
    for bit in touched {
        for job in &plan.snap.nodes[plan.nodes[*bit].id].jobs {
            if !jobs.iter().any(|have| **have == **job) {
                jobs.push(job.to_string());
            }
        }
    }
    let sentence = format!(
        "{chunks} wanted on whole nodes (excl), {free} of the nodes that could serve are untouched, {} have room but others are on them ({})",
        touched.len(),
        words::some(&nodes, 4)
    );
    let on = (!jobs.is_empty()).then(|| format!("on them: {}", words::some(&jobs, 8)));
    let (few_nodes, few_jobs) = (nodes.len() <= 5, jobs.len() <= 5);
    Cause::new(Tier::Fragmented, "not-exclusive", sentence)
        .number("wanted", spec.count)
        .number("available", free)
        .number("touched", touched.len())
        .about(nodes.into_iter().filter(|_| few_nodes))
        .about(jobs.into_iter().filter(|_| few_jobs))
        .note(on)
}

/// Nodes of a job that wants whole ones, with others on them.
fn others_on(plan: &Plan, touched: &[Bit]) -> Option<String> {
    let names = names(plan, touched);
    (!names.is_empty()).then(|| {
        let nodes = words::count(names.len() as u64, "node");
        format!("whole nodes are wanted (excl): others are on {nodes} ({})", words::some(&names, 6))
    })
}

/// Enough in sum, but a chunk does not fit on any node, or not often enough.
fn shape(plan: &Plan, room: &Room<'_>, spec: &Spec, chunks: u64, request: &JobRequest) -> Cause {
    let catalogue = &plan.snap.catalogue;
    let narrow = room.narrow(spec);
    let packed = request.place.arrangement == Arrangement::Pack && request.total_chunks() > 1;
    let on = if packed { " on one host (pack)" } else { "" };
    let best = narrow.iter().find_map(|resource| Some((*resource, room.best(spec, *resource)?)));
    let most = best.as_ref().map(|(resource, (most, node)): &(ResourceId, (f64, String))| {
        format!(
            "; the most {} left on one node is {} ({node})",
            catalogue.name(*resource),
            words::amount(catalogue, *resource, *most)
        )
    });
    let sentence = format!(
        "{} of {} wanted{on}, the nodes hold {chunks} now, though there is enough in sum{}",
        words::count(u64::from(spec.count), "chunk"),
        spec.chunk_text(),
        most.unwrap_or_default()
    );
    let mut cause = Cause::new(Tier::Fragmented, "shape", sentence)
        .about(narrow.iter().map(|resource| catalogue.name(*resource).to_string()))
        .number("wanted", spec.count)
        .number("available", chunks);
    if let Some((resource, (most, _))) = best {
        cause = cause
            .number("per_chunk", wanted(plan, spec, resource))
            .number("best", words::amount(catalogue, resource, most));
    }
    let pinned = plan
        .shapes
        .get_shape(spec.shape)
        .conditions()
        .filter(|(resource, _)| *resource == ResourceId::host() || *resource == ResourceId::vnode());
    let pinned: Vec<String> = pinned.filter_map(|(_, want)| want.text().map(ToString::to_string)).collect();
    cause.about(pinned)
}
