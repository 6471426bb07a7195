//! Smaller requests: a shorter walltime, fewer chunks, smaller chunks.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use crate::fit_analysis::FitAnalysis;
use crate::remedy::request::{softly_lasting, with_parts, with_walltime};
use crate::remedy::{RemedySearch, WorkingChange};
use crate::words;
use qscope_engine::cluster::{Edit, Name, ResourceId, ResourceType, Seconds, SelectPart};
use qscope_engine::universe::{AmountBasis, HostIx, JobRequest, Spec};

use super::{edit, job, percent};

/// Tries a shorter walltime: the longest that ends before what is planned.
pub(super) fn shorter_walltime(search: &mut RemedySearch<'_>) -> ControlFlow<()> {
    for length in lengths(search) {
        let (shorter, changed) = with_walltime(job(search), length);
        let what = format!("ask for a {} of at most {length}", named(search, &changed));
        let edits = edit(search, shorter);
        if search.offer(what, &edits, 10 + lost_percent(search, length) / 5)? {
            break;
        }
    }
    ControlFlow::Continue(())
}

/// Tries a shorter soft walltime for a job that has one; only a manager may set it. First it alone, then, if that is
/// not enough, together with every other walltime of the job.
pub(super) fn shorter_soft_walltime(search: &mut RemedySearch<'_>) -> ControlFlow<()> {
    if job(search).requested.get(ResourceId::soft_walltime()).is_none() {
        return ControlFlow::Continue(());
    }
    for length in lengths(search) {
        let size = 46 + lost_percent(search, length) / 20;
        let set = format!("have a manager set its soft_walltime to at most {length}");
        let soft = softly_lasting(job(search), length);
        let edits = edit(search, soft);
        if search.offer(set.clone(), &edits, size)? {
            break;
        }
        let (shorter, changed) = with_walltime(job(search), length);
        let what = format!("{set}, and ask for a {} of at most {length}", named(search, &changed));
        let edits = edit(search, softly_lasting(&shorter, length));
        if search.offer(what, &edits, size + 2)? {
            break;
        }
    }
    ControlFlow::Continue(())
}

/// Returns the walltimes with which it would end before what is planned, longest first.
fn lengths(search: &RemedySearch<'_>) -> Vec<Seconds> {
    let numbers = search.causes.iter().flat_map(|cause| &cause.numbers);
    let longest = numbers.filter(|(name, _)| *name == "longest");
    let requested = search.turn.request.duration;
    let mut lengths: Vec<Seconds> = longest
        .filter_map(|(_, text)| Seconds::parse(text))
        .filter(|length| length.0 > 0 && *length < requested)
        .collect();
    lengths.sort_unstable();
    lengths.reverse();
    lengths
}

/// Returns how much of its time the job loses, in percent.
fn lost_percent(search: &RemedySearch<'_>, length: Seconds) -> u32 {
    let requested = search.turn.request.duration;
    percent(requested.0 - length.0, requested.0)
}

fn named(search: &RemedySearch<'_>, resources: &[ResourceId]) -> String {
    let catalogue = &search.turn.plan().snap.catalogue;
    let names: Vec<&str> = resources.iter().map(|id| &**catalogue.name(*id)).collect();
    names.join(" and a ")
}

/// Tries fewer chunks of one chunk spec, as many as possible.
pub(super) fn fewer_chunks(search: &mut RemedySearch<'_>) -> ControlFlow<()> {
    let Some(select) = job(search).select.clone() else { return ControlFlow::Continue(()) };
    let all = select.parts();
    for (at, (count, _)) in all.iter().enumerate().filter(|(_, (count, _))| *count > 1) {
        // The nodes hold this many at its turn; if a limit allows fewer, or preemption more, the number is found by
        // bisection. Mostly one more is too many.
        let most = largest_that_fits(search, at, *count);
        let (mut low, mut high, mut tried, mut best) = (0, *count, most, None);
        let mut refused = false;
        while low < tried && tried < high {
            match fewer(search, &all, at, tried)? {
                Some(found) => (low, best) = (tried, Some((tried, found))),
                None => (high, refused) = (tried, search.was_refused),
            }
            tried = if low == most { most + 1 } else { low.midpoint(high) };
        }
        let Some((left, (edits, mut run))) = best else { continue };
        run.next_failure = refused.then(|| format!("with {high} the server refuses the start"));
        let lost = percent(i64::from(count - left), i64::from(*count));
        let what = format!("ask for {left} instead of {count} of chunk {}", at + 1);
        search.offer_tried(what, &edits, 15 + lost / 3, &run)?;
    }
    ControlFlow::Continue(())
}

/// Tries `count` chunks of one chunk spec.
fn fewer(
    search: &mut RemedySearch<'_>,
    all: &[SelectPart],
    at: usize,
    count: u32,
) -> ControlFlow<(), Option<WorkingRequest>> {
    let mut fewer = all.to_vec();
    if let Some(part) = fewer.get_mut(at) {
        part.0 = count;
    }
    let Some(changed) = with_parts(&search.turn.run.plan.snap, job(search), &fewer) else {
        return ControlFlow::Continue(None);
    };
    let edits = edit(search, changed);
    let run = search.tries(&edits)?;
    ControlFlow::Continue(run.map(|run| (edits, run)))
}

/// Returns the largest number of chunks of a chunk spec that find nodes at the job's turn, at least one. Job-wide
/// sums are left to the whole cycle.
fn largest_that_fits(search: &RemedySearch<'_>, at: usize, count: u32) -> u32 {
    let fits = |tried: u32| {
        let mut specs: Vec<Spec> = search.turn.request.specs.to_vec();
        if let Some(spec) = specs.get_mut(at) {
            spec.count = tried;
        }
        search.turn.would_fit(&JobRequest {
            specs: specs.into(),
            totals: Default::default(),
            ..search.turn.request.clone()
        })
    };
    let (mut low, mut high) = (0, count);
    while low + 1 < high {
        let middle = low.midpoint(high);
        if fits(middle) { low = middle } else { high = middle }
    }
    low.max(1)
}

/// Tries less of one consumable in each chunk, as much as possible, using amounts that some node has left.
pub(super) fn smaller_chunks(search: &mut RemedySearch<'_>) -> ControlFlow<()> {
    let Some(select) = job(search).select.clone() else { return ControlFlow::Continue(()) };
    let all = select.parts();
    for at in 0..all.len() {
        let Some(spec) = search.turn.request.specs.get(at).cloned() else { continue };
        let resources: Vec<(ResourceId, f64)> =
            search.turn.plan().shapes[spec.shape].amounts().map(|(id, amount)| (id, amount.0)).collect();
        for (resource, requested) in resources {
            smaller(search, &all, at, &spec, resource, requested)?;
        }
    }
    ControlFlow::Continue(())
}

fn smaller(
    search: &mut RemedySearch<'_>,
    all: &[SelectPart],
    at: usize,
    spec: &Spec,
    resource: ResourceId,
    requested: f64,
) -> ControlFlow<()> {
    let amounts = smaller_amounts(search, spec, resource, requested);
    let (mut low, mut high, mut best) = (0, amounts.len(), None);
    while low < high {
        let middle = low.midpoint(high);
        let Some(amount) = amounts.get(middle).copied() else { break };
        match with_less(search, all, at, resource, amount)? {
            Some(found) => (low, best) = (middle + 1, Some((amount, found))),
            None => high = middle,
        }
    }
    let Some((amount, found)) = best else { return ControlFlow::Continue(()) };
    let above = amounts.get(low).map_or(requested, |next| *next as f64);
    let (amount, (edits, run)) = match more_between(search, all, at, resource, (amount, above))? {
        Some(more) => more,
        None => (amount, found),
    };
    let catalogue = &search.turn.run.plan.snap.catalogue;
    let show = |value: f64| words::amount(catalogue, resource, value);
    let lost = percent((requested - amount as f64) as i64, requested as i64);
    let name = catalogue.name(resource);
    let what =
        format!("ask for {} {name} instead of {} in chunk {}", show(amount as f64), show(requested), at + 1);
    search.offer_tried(what, &edits, 15 + lost / 3, &run)
}

/// An amount or number, with the edits that request it and the cycle in which the job starts with it.
type WorkingRequest = (Vec<Edit>, WorkingChange);

/// Finds the largest amount between one that works and one that does not: beside its other chunks or by preemption a
/// job may have more than what one node has left. Mostly one unit more is too much. Sizes are counted in mb.
fn more_between(
    search: &mut RemedySearch<'_>,
    all: &[SelectPart],
    at: usize,
    resource: ResourceId,
    (works, fails): (i64, f64),
) -> ControlFlow<(), Option<(i64, WorkingRequest)>> {
    let unit = match search.turn.run.plan.snap.catalogue.kind(resource) {
        ResourceType::Size => 1024,
        _ => 1,
    };
    let (mut low, mut high, mut best) = (works / unit, (fails / unit as f64).ceil() as i64, None);
    let mut tried = low + 1;
    while low < tried && tried < high {
        match with_less(search, all, at, resource, tried * unit)? {
            Some(found) => (low, best) = (tried, Some((tried * unit, found))),
            None => high = tried,
        }
        tried = low.midpoint(high);
    }
    ControlFlow::Continue(best)
}

/// Tries another amount of a resource in one chunk spec.
fn with_less(
    search: &mut RemedySearch<'_>,
    all: &[SelectPart],
    at: usize,
    resource: ResourceId,
    amount: i64,
) -> ControlFlow<(), Option<WorkingRequest>> {
    let plan = search.turn.run.plan.clone();
    let shown = match plan.snap.catalogue.kind(resource) {
        ResourceType::Size => format!("{amount}kb"),
        _ => amount.to_string(),
    };
    let less = with_value(all, at, plan.snap.catalogue.name(resource), &shown.into());
    let Some(changed) = with_parts(&plan.snap, job(search), &less) else {
        return ControlFlow::Continue(None);
    };
    let edits = edit(search, changed);
    let run = search.tries(&edits)?;
    ControlFlow::Continue(run.map(|run| (edits, run)))
}

/// Returns the amounts below the requested one that a node, or the vnodes of a host together, have for a chunk,
/// ascending.
fn smaller_amounts(search: &RemedySearch<'_>, spec: &Spec, resource: ResourceId, requested: f64) -> Vec<i64> {
    let plan = search.turn.plan();
    let Some(ix) = plan.consumables.ix(resource) else { return Vec::new() };
    let room =
        FitAnalysis::new(search.turn.state(), &search.turn.request, &search.turn.list, AmountBasis::Now);
    // For a later start, everything that nodes have may be used.
    let left = |bit| match search.searches_later {
        true => Some(plan.capacity.available(ix, bit)).filter(|have| !have.is_nan()).unwrap_or_default(),
        false => search.turn.state().occupancy.left(plan, ix, bit),
    };
    let met = search.turn.list.iter().filter(|bit| room.meets_conditions(spec, *bit, None));
    // A chunk may be spread over vnodes of a host, so their sum counts too.
    let mut of_host: BTreeMap<HostIx, f64> = BTreeMap::new();
    let mut offered: Vec<f64> = Vec::new();
    for bit in met.filter(|bit| search.searches_later || room.is_open(*bit) && !room.is_touched(*bit)) {
        offered.push(left(bit));
        *of_host.entry(plan.nodes[bit].host).or_default() += left(bit);
    }
    offered.extend(of_host.into_values());
    let mut amounts: Vec<i64> = offered
        .into_iter()
        .map(|left| left.min(requested) as i64)
        .filter(|a| *a > 0 && (*a as f64) < requested)
        .collect();
    amounts.sort_unstable();
    amounts.dedup();
    amounts
}

/// Returns the chunk specs of a select with another value of a resource in one of them.
fn with_value(all: &[SelectPart], at: usize, name: &Name, value: &Name) -> Vec<SelectPart> {
    let mut changed = all.to_vec();
    let values = changed.get_mut(at).into_iter().flat_map(|part| &mut part.1);
    values.filter(|(have, _)| have == name).for_each(|(_, found)| found.clone_from(value));
    changed
}
