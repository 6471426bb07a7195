//! Values of several words, each of a closed list: the keys of an order, and places.

use qscope_engine::cluster::{Snapshot, begins_with};

/// What orders compare besides resources, and whether a third word chooses among the amounts of a resource.
const ORDERS: [(&str, &[&str], bool); 3] = [
    ("job_sort_key", &["job_priority", "fair_share_perc", "preempt_priority"], false),
    ("node_sort_key", &["sort_priority", "last_used_time"], true),
    ("node_group_sort_key", &[], true),
];
const DIRECTIONS: [&str; 2] = ["HIGH", "LOW"];
const AMOUNTS: [&str; 3] = ["total", "assigned", "unused"];

/// The words of a place: how chunks spread, and how nodes are shared.
const PLACE: [&str; 7] = ["free", "pack", "scatter", "vscatter", "excl", "shared", "exclhost"];

/// The values that one which is being typed may become, where the key takes several words; none where it takes others.
pub(super) fn phrases(key: &str, typed: &str, snap: &Snapshot) -> Option<Vec<String>> {
    let name = key.rsplit('.').next().unwrap_or(key);
    if name == "place" {
        let head = typed.rfind(':').and_then(|at| typed.get(..=at)).unwrap_or_default();
        return Some(begun_by(typed, PLACE.iter().map(|word| format!("{head}{word}"))));
    }
    let (_, others, has_amounts) = ORDERS.iter().find(|(order, ..)| *order == name)?;
    let resources = snap.catalogue.iter().map(|(_, def)| &*def.name);
    let compared = others.iter().copied().chain(resources);
    let pairs =
        compared.flat_map(|what| DIRECTIONS.iter().map(move |direction| format!("{what} {direction}")));
    // A third word is offered once it is begun: two are a key by themselves.
    let is_third = *has_amounts && typed.split(' ').count() > 2;
    Some(match is_third {
        true => begun_by(
            typed,
            pairs.flat_map(|pair| AMOUNTS.iter().map(move |amount| format!("{pair} {amount}"))),
        ),
        false => begun_by(typed, pairs),
    })
}

fn begun_by(typed: &str, phrases: impl Iterator<Item = String>) -> Vec<String> {
    phrases.filter(|phrase| begins_with(phrase, typed)).collect()
}
