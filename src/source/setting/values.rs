//! Completes a value that is being typed: the words that the reader of its key accepts.

use super::SettingEdits;
use qscope_engine::cluster::{Snapshot, begins_with};

/// A value that only readers of free text accept.
const NO_VALUE: &str = "?";
/// Maximum number of names of a cluster that are tried.
const MAX_NAMES: usize = 200;

/// Whole settings that `key=typed` may become: values of several words, switches, words that the reader states when it refuses a value, names of
/// resources and queues, each only where the reader takes it. None where any text is a value.
pub(super) fn complete_value(key: &str, typed: &str, snap: &Snapshot) -> Vec<String> {
    let read = |value: &str| SettingEdits::read(&[format!("{key}={value}")], snap);
    if let Some(phrases) = phrases(key, typed, snap) {
        let whole = phrases.into_iter().take(MAX_NAMES).filter(|phrase| read(phrase).is_ok());
        return whole.map(|phrase| format!("{key}={phrase}")).collect();
    }
    let Err(refused) = read(NO_VALUE) else { return Vec::new() };
    let mut values: Vec<&str> = Vec::new();
    for word in words(&refused.what, snap) {
        let is_new = !values.iter().any(|known| known.eq_ignore_ascii_case(word));
        if begins_with(word, typed) && is_new && read(word).is_ok() {
            values.push(word);
        }
    }
    values.into_iter().map(|value| format!("{key}={value}")).collect()
}

/// Returns candidates: the words that the reader expected, then names of the cluster.
fn words<'w>(refusal: &'w str, snap: &'w Snapshot) -> impl Iterator<Item = &'w str> {
    let expected = refusal.split_once("expected ").map_or("", |(_, expected)| expected);
    let expected = expected.split([',', ' ', '`', ';']);
    // Other words of the sentence are refused as values; examples of times or numbers are not offered.
    let expected = expected.filter(|word| word.starts_with(|first: char| first.is_ascii_alphabetic()));
    let resources = snap.catalogue.iter().map(|(_, def)| &*def.name);
    let queues = snap.queues.iter().map(|queue| &*queue.name);
    ["True", "False"].into_iter().chain(expected).chain(resources.chain(queues).take(MAX_NAMES))
}

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
fn phrases(key: &str, typed: &str, snap: &Snapshot) -> Option<Vec<String>> {
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
