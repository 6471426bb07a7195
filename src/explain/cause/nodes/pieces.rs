//! Fragmentation: enough in sum, but sets, other jobs on the nodes or the shape of the chunks prevent a start.

use super::calendar;
use super::joint_misfit::joint_misfit;
use super::whole_nodes::WholeNodeCount;
use crate::fit_analysis::{
    FitAnalysis, LargestUnit, PackedRequest, folded_names, names, out_of_service_text, requested,
};
use crate::node_check::{Condition, NodeCheck, SetCheckMode};
use crate::sets::{best_set, set_keys};
use crate::{Cause, JobTurn, Tier, words};
use qscope_engine::cluster::{Place, PlaceSharing, ResourceId, Seconds, short_id};
use qscope_engine::placement::{PlacementPath, refusing};
use qscope_engine::universe::{AmountBasis, Bit, JobRequest, NodeSet, Occupant, Plan, Reason, Spec, State};
use rustc_hash::FxHashSet;

/// Returns the cause if there is enough in sum: the sets, other jobs on the nodes, or the shape of the chunks.
pub(super) fn fragmented(turn: &mut JobTurn, request: &JobRequest) -> Cause {
    if let Some(cause) = by_sets(turn, request) {
        return cause;
    }
    let list = turn.list.clone();
    let (plan, job) = (turn.run.plan.clone(), turn.job);
    let shared = JobRequest {
        place: Place { sharedness: PlaceSharing::Shared, ..request.place.clone() },
        ..request.clone()
    };
    turn.seen(|state| {
        let room = FitAnalysis::new(state, request, &list, AmountBasis::Now);
        let lacking = room.lacking();
        let (spec, chunks) = lacking.first().copied()?;
        let touched: Vec<Bit> =
            room.could_serve().iter().copied().filter(|bit| room.is_touched(*bit)).collect();
        let others = FitAnalysis::new(state, &shared, &list, AmountBasis::Now);
        let enough = room.chunks(spec, None, true) >= u64::from(spec.count) || others.lacking().is_empty();
        let whole = enough || room.narrow(spec).is_empty();
        Some(if whole && !touched.is_empty() {
            let check =
                NodeCheck::new(state, job, request, &list, PlacementPath::Node, SetCheckMode::Unchecked);
            touched_by_others(state, request, &list, &room, spec, &touched, &check)
        } else {
            shape(&plan, &room, spec, chunks).note(others_on(&plan, &touched))
        })
    })
    .or_else(|| {
        let could =
            FitAnalysis::new(turn.state(), request, &turn.list, AmountBasis::Now).could_serve().to_vec();
        node_limits(turn, request, &could)
    })
    .unwrap_or_else(|| joint_misfit(turn, request))
}

/// No set holds the job now, although all nodes together would: for its length, or only until something is planned.
fn by_sets(turn: &JobTurn, request: &JobRequest) -> Option<Cause> {
    let best = best_set(turn.state(), turn.job, request, &turn.list, AmountBasis::Now)?;
    let would_fit = |request: &JobRequest| turn.would_fit_without_sets(request);
    if best.holds_job || !would_fit(&turn.request.lasting(Seconds(1))) {
        return None;
    }
    if !would_fit(&turn.request) {
        let sets = "no placement set holds it now".to_owned();
        let ahead = calendar::conflict_ahead(turn, would_fit);
        return calendar::planned_too(turn, &ahead, "placement sets").map(|cause| cause.note(sets));
    }
    let keys = set_keys(turn.plan(), turn.job, request);
    let sentence = format!(
        "{} requested in one placement set; the best of {}, {}, holds {} now, all nodes together would hold them",
        words::count(request.total_chunks(), "chunk"),
        words::count(best.sets, "set"),
        best.name,
        best.chunks
    );
    let cause = Cause::new(Tier::Fragmented, "sets", sentence)
        .with_objects([best.name.to_string()])
        .with_objects(keys)
        .with_objects(best.narrow)
        .number("wanted", request.total_chunks())
        .number("best", best.chunks)
        .number("sets", best.sets);
    let gone: Vec<Bit> = best
        .members
        .iter()
        .copied()
        .filter(|bit| turn.state().occupancy.states[*bit].is_out_of_service())
        .collect();
    if gone.is_empty() {
        return Some(cause);
    }
    let lost = names(turn.plan(), &gone);
    let out = out_of_service_text(turn.state(), &gone);
    let note = format!(
        "{} of its {} {out}: {}",
        lost.len(),
        words::count(best.nodes, "node"),
        words::first_names(&lost, 4)
    );
    let back = best.chunks + gone.len() as u64 >= request.total_chunks();
    Some(cause.with_objects(lost.into_iter().filter(|_| back).take(4)).note(note))
}

/// The job requests whole nodes, and other jobs are on them.
fn touched_by_others(
    state: &State,
    request: &JobRequest,
    list: &NodeSet,
    room: &FitAnalysis<'_>,
    spec: &Spec,
    touched: &[Bit],
    check: &NodeCheck<'_>,
) -> Cause {
    let plan = &*state.plan;
    let chunks = words::count(request.total_chunks(), "chunk");
    let is_planned = |bit: &&Bit| {
        let failures = check.failures(spec, plan.nodes[**bit].id);
        !failures.is_empty() && failures.iter().all(|failure| failure.condition == Condition::Time)
    };
    let planned: Vec<Bit> =
        room.could_serve().iter().filter(|bit| !room.is_touched(**bit)).filter(is_planned).copied().collect();
    let mut rest = list.clone();
    planned.iter().for_each(|bit| rest.remove(*bit));
    let open = FitAnalysis::new(state, request, &rest, AmountBasis::Now);
    let (planned, free) = (planned.len(), open.units_for_any());
    let whole = WholeNodeCount::of(&open, &FitAnalysis::new(state, request, list, AmountBasis::Total));
    // Only nodes in service count as usable, as in all other counts of a job's nodes. One in use counts with the jobs.
    let out =
        room.could_serve().iter().filter(|bit| !room.is_touched(**bit) && room.is_out_of_service(**bit));
    let all = room.could_serve().len() - out.count();
    let rest = all.saturating_sub(touched.len() + planned + free as usize);
    let verb_for = |count: usize| if count == 1 { "is" } else { "are" };
    let part = |count: usize, what: &str| match count {
        0 => String::new(),
        _ => format!(", {count} {} {what}", verb_for(count)),
    };
    let mut known = FxHashSet::default();
    let on = touched.iter().flat_map(|bit| &plan.node(*bit).jobs);
    let jobs: Vec<String> = on.filter(|job| known.insert(*job)).map(ToString::to_string).collect();
    let sentence = format!(
        "{chunks} {} (excl): of {all} usable {free} {} free now{}{}{}, others are on {} ({})",
        whole.need(request.total_chunks(), room.unit()),
        verb_for(free as usize),
        if whole.is_packed && free > 0 { " and too small" } else { "" },
        part(planned, "planned for others before its end"),
        part(rest, "not in state free"),
        touched.len(),
        folded_names(plan, touched, 4)
    );
    let on = (!jobs.is_empty())
        .then(|| format!("on them: {}", words::folded_within(jobs.iter().map(|name| short_id(name)), 40)));
    let because = (!jobs.is_empty()).then(|| on_others(touched.len(), &jobs));
    let few_jobs = jobs.len() <= 5;
    let few_nodes = if touched.len() <= 5 { names(plan, touched) } else { Vec::new() };
    Cause { unit: whole.unit(), ..Cause::new(Tier::Fragmented, "not-exclusive", sentence) }
        .with_explanation(because)
        .number("wanted", whole.wanted)
        .number("available", whole.available)
        .number("touched", touched.len())
        .with_objects(few_nodes)
        .with_objects(jobs.into_iter().filter(|_| few_jobs))
        .note(on)
}

/// States on how many nodes other jobs are, and which, in the order of their ids: `21 others carry jobs 50 51 52`.
fn on_others(nodes: usize, jobs: &[String]) -> String {
    let mut names: Vec<&str> = jobs.iter().map(|name| short_id(name)).collect();
    names.sort_by_key(|name| (name.len(), *name));
    let carry = if nodes == 1 { "other carries" } else { "others carry" };
    let noun = if names.len() == 1 { "job" } else { "jobs" };
    format!("{nodes} {carry} {noun} {}", words::folded_within(names.into_iter(), 24))
}

/// Lists nodes with other jobs on them, for a job that requests whole nodes.
fn others_on(plan: &Plan, touched: &[Bit]) -> Option<String> {
    (!touched.is_empty()).then(|| {
        let nodes = words::count(touched.len(), "node");
        format!("whole nodes requested (excl): others are on {nodes} ({})", folded_names(plan, touched, 6))
    })
}

/// Enough in sum, but a chunk does not fit on any node, or not often enough.
fn shape(plan: &Plan, room: &FitAnalysis<'_>, spec: &Spec, chunks: u64) -> Cause {
    if let Some(packed) = room.packed() {
        return packed_shape(plan, room, &packed);
    }
    let catalogue = &plan.snap.catalogue;
    let narrow = room.narrow(spec);
    let best = narrow.iter().find_map(|resource| Some((*resource, room.best(spec, *resource)?)));
    let pieces = best.as_ref().map(|(resource, largest)| match chunks {
        0 => at_most(plan, room, *resource, largest),
        _ => unusable_pieces(plan, room, spec, *resource),
    });
    let sentence = format!(
        "{} of {} requested, the {}s hold {chunks} now: {}",
        words::count(spec.count, "chunk"),
        spec.chunk_text(),
        room.unit(),
        pieces.unwrap_or_else(|| "there is enough in sum, but not in this shape".to_owned())
    );
    let mut cause = Cause::new(Tier::Fragmented, "shape", sentence)
        .with_objects(narrow.iter().map(|resource| catalogue.name(*resource).to_string()))
        .number("wanted", spec.count)
        .number("available", chunks);
    if let Some((resource, largest)) = best {
        let per_chunk = requested(plan, spec, resource);
        let best = words::amount(catalogue, resource, largest.amount);
        cause = cause.number("per_chunk", per_chunk).number("best", best);
    }
    let pinned = plan.shapes[spec.shape].conditions().filter(|(resource, _)| resource.is_node_name());
    let pinned: Vec<String> =
        pinned.filter_map(|(_, requirement)| requirement.text().map(ToString::to_string)).collect();
    cause.with_objects(pinned)
}

/// Like [`shape`], for a packed job: no host holds all of it.
fn packed_shape(plan: &Plan, room: &FitAnalysis<'_>, packed: &PackedRequest) -> Cause {
    let resource = plan.snap.catalogue.name(packed.resource);
    let show = |value: f64| words::amount(&plan.snap.catalogue, packed.resource, value);
    let (requested, best) = (show(packed.requested), show(packed.largest_unit.amount));
    let sentence = format!(
        "place=pack requires all chunks on one host, {requested} {resource} together, and the most left on one{} is {best} ({}), {} in all",
        with_rest(&packed.largest_unit),
        packed.largest_unit.name,
        show(total_left(room, packed.resource)),
    );
    let unit = Some(format!("{resource} on one host"));
    Cause { unit, ..Cause::new(Tier::Fragmented, "shape", sentence) }
        .with_objects([resource.to_string()])
        .number("wanted", requested)
        .number("available", &best)
        .number("best", best)
}

/// States how much is left in total and at most on one node, if no node holds a chunk.
fn at_most(plan: &Plan, room: &FitAnalysis<'_>, resource: ResourceId, largest: &LargestUnit) -> String {
    let catalogue = &plan.snap.catalogue;
    let show = |value: f64| words::amount(catalogue, resource, value);
    let (all, name, unit) = (show(total_left(room, resource)), catalogue.name(resource), room.unit());
    let (most, rest) = (show(largest.amount), with_rest(largest));
    format!("{all} {name} are left, but at most {most} on one {unit}{rest} ({})", largest.name)
}

/// States that a node has the rest of the request, if others have more of a resource but not the rest.
fn with_rest(largest: &LargestUnit) -> &'static str {
    if largest.with_rest { " with the rest of it" } else { "" }
}

/// States how much is left in pieces too small for a chunk, if some nodes hold one.
fn unusable_pieces(plan: &Plan, room: &FitAnalysis<'_>, spec: &Spec, resource: ResourceId) -> String {
    let Some((all, scraps)) = room.left_and_fragmented(spec, resource) else {
        return "there is enough in sum, but not on as many as it takes".to_owned();
    };
    let catalogue = &plan.snap.catalogue;
    let show = |value: f64| words::amount(catalogue, resource, value);
    let name = catalogue.name(resource);
    format!("{} {name} are left, {} of them in pieces too small for a chunk", show(all), show(scraps))
}

/// Returns how much of a resource is left on the nodes that could serve the job.
fn total_left(analysis: &FitAnalysis<'_>, resource: ResourceId) -> f64 {
    analysis.sums().iter().find(|sum| sum.resource == resource).map_or(0.0, |sum| sum.left)
}

/// The nodes have room, but limits of their own (`max_running` and the like, rule 4.2, test 6).
fn node_limits(turn: &JobTurn, request: &JobRequest, could: &[Bit]) -> Option<Cause> {
    let plan = turn.plan();
    let refusing = refusing(turn.state(), &turn.list, Occupant::Job(turn.job, None), request);
    let serving = NodeSet::of(turn.list.capacity(), could.iter().copied());
    let refusing: Vec<(Bit, Reason)> =
        refusing.into_iter().filter(|(bit, _)| serving.contains(*bit)).collect();
    let (_, reason) = refusing.first()?;
    let bits: Vec<Bit> = refusing.iter().map(|(bit, _)| *bit).collect();
    let nodes = names(plan, &bits);
    let attribute = match reason {
        Reason::NodeJobLimit => "max_running",
        Reason::NodeUserLimit => "max_user_run",
        Reason::NodeGroupLimit => "max_group_run",
        Reason::NoMultinode => "no_multinode_jobs",
        _ => "",
    };
    let by = if attribute.is_empty() { String::new() } else { format!(", {attribute}") };
    let sentence = format!(
        "{} of {} that it may use accept no such job now ({}{by}), though there is room on them: {}",
        bits.len(),
        words::count(could.len(), "node"),
        reason.text(&plan.snap.catalogue).trim_end(),
        words::first_names(&nodes, 4)
    );
    let attribute = Some(attribute.to_owned()).filter(|name| !name.is_empty());
    let cause = Cause::new(Tier::Fragmented, "node-limit", sentence).number("refusing", bits.len());
    Some(cause.with_objects(attribute).with_objects(nodes.into_iter().take(5)))
}
