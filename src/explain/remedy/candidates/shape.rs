//! Different requests: another place, or one resource less.

use std::ops::ControlFlow;

use crate::remedy::RemedySearch;
use crate::remedy::request::{with_parts, with_place};
use qscope_engine::cluster::{Arrangement, Place, PlaceSharing, deduplicated};

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

/// Tries dropping one resource, boolean or name from all chunk specs.
pub(super) fn dropped(search: &mut RemedySearch<'_>) -> ControlFlow<()> {
    let Some(select) = job(search).select.clone() else { return ControlFlow::Continue(()) };
    let all = select.parts();
    let names = all.iter().flat_map(|(_, requests)| requests).map(|(name, _)| name.clone());
    for name in deduplicated(names.filter(|name| &**name != "ncpus")) {
        let mut less = all.clone();
        for (_, requests) in &mut less {
            requests.retain(|(have, _)| *have != name);
        }
        let Some(changed) = with_parts(&search.turn.run.plan.snap, job(search), &less) else { continue };
        let edits = edit(search, changed);
        search.offer(format!("drop {name} from the select"), &edits, 35)?;
    }
    ControlFlow::Continue(())
}
