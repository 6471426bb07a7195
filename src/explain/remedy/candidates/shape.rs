//! Different requests: another place, another order of the chunks, or one resource less.

use std::ops::ControlFlow;

use crate::remedy::RemedySearch;
use crate::remedy::request::{with_parts, with_place};
use qscope_engine::cluster::{
    Arrangement, ChunkDefaults, Job, Name, Place, PlaceSharing, Select, SelectPart, Snapshot, deduplicated,
    normalised_select, with_chunk_defaults,
};

use super::{edit, job};

/// Tries another arrangement, sharing, or no group.
pub(super) fn other_places(search: &mut RemedySearch<'_>) -> ControlFlow<()> {
    let Some(place) = job(search).place.clone() else { return ControlFlow::Continue(()) };
    let mut tried: Vec<(String, Place)> = Vec::new();
    for arrangement in [Arrangement::Scatter, Arrangement::Free] {
        let other = Place { arrangement, arranged: true, ..place.clone() };
        if place.arrangement != arrangement && place.arrangement != Arrangement::Free {
            tried.push((format!("place={other} instead of {place}"), other));
        }
    }
    if place.is_excl() || place.sharedness == PlaceSharing::Unsaid {
        let other = Place { sharedness: PlaceSharing::Shared, ..place.clone() };
        tried.push((format!("place={other} instead of {place}"), other));
    }
    if let Some(group) = &place.group {
        let other = Place { group: None, ..place.clone() };
        tried.push((format!("drop group={group} from place"), other));
    }
    for (words, other) in tried {
        let edits = edit(search, with_place(job(search), other));
        search.offer(words, &edits, 20)?;
    }
    ControlFlow::Continue(())
}

/// Tries the chunk specs in another order, each in turn at the front: chunks are placed in the order of the select.
pub(super) fn reordered(search: &mut RemedySearch<'_>) -> ControlFlow<()> {
    const MOST: usize = 4;
    let Some(select) = job(search).select.clone() else { return ControlFlow::Continue(()) };
    let all = select.parts();
    for at in 1..all.len().min(MOST) {
        let mut moved = all.clone();
        moved.get_mut(..=at).into_iter().for_each(|first| first.rotate_right(1));
        let Some(changed) = with_parts(&search.turn.run.plan.snap, job(search), &moved) else { continue };
        let edits = edit(search, changed);
        if search.offer(format!("put chunk {} first in the select", at + 1), &edits, 5)? {
            break;
        }
    }
    ControlFlow::Continue(())
}

/// Tries dropping one resource, boolean or name from all chunk specs.
pub(super) fn dropped(search: &mut RemedySearch<'_>) -> ControlFlow<()> {
    let Some(select) = job(search).select.clone() else { return ControlFlow::Continue(()) };
    let all = select.parts();
    let names = all.iter().flat_map(|(_, requests)| requests).map(|(name, _)| name.clone());
    for name in deduplicated(names.filter(|name| &**name != "ncpus")) {
        let Some(changed) = without(&search.turn.run.plan.snap, job(search), &all, &name) else { continue };
        let edits = edit(search, changed);
        search.offer(format!("drop {name} from the select"), &edits, 35)?;
    }
    ControlFlow::Continue(())
}

/// Returns the job without a resource in its select, completed again by the server; `None` if `default_chunk` adds the
/// resource with the same value (rule 2.2).
fn without(snap: &Snapshot, job: &Job, all: &[SelectPart], name: &Name) -> Option<Job> {
    let mut less = all.to_vec();
    less.iter_mut().for_each(|(_, requests)| requests.retain(|(have, _)| have != name));
    let queue = snap.queue_named(&job.queue).map_or(&[][..], |id| &snap.queues[id].default_chunk);
    let defaults = ChunkDefaults { queue, server: &snap.server.default_chunk };
    let completed = with_chunk_defaults(&Select::of_parts(&less).ok()?, defaults);
    let completed = normalised_select(completed, &snap.catalogue).ok()?.parts();
    let values = |parts: &[SelectPart]| -> Vec<Option<Name>> {
        let value = |(_, requests): &SelectPart| {
            requests.iter().find(|(have, _)| have == name).map(|(_, value)| value.clone())
        };
        parts.iter().map(value).collect()
    };
    if values(&completed) == values(all) { None } else { with_parts(snap, job, &completed) }
}
