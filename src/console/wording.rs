//! Short words for small places: reasons, ages, moments, lists of nodes.

use rustc_hash::FxHashMap;

use crate::cluster::{Epoch, Kind, Seconds, Snapshot};
use crate::console::theme::Role;
use crate::cycle::Verdict;

pub use crate::explain::words::{compact, count, node_list, short_reason};

/// What a verdict is called on the screen.
#[must_use]
pub fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Run => "run",
        Verdict::NotNow => "not now",
        Verdict::Never => "never",
        Verdict::NotConsidered => "skipped",
    }
}

/// How a verdict looks.
#[must_use]
pub fn verdict_role(verdict: Verdict) -> Role {
    match verdict {
        Verdict::Run => Role::VerdictRun,
        Verdict::NotNow => Role::VerdictWait,
        Verdict::Never => Role::VerdictNever,
        Verdict::NotConsidered => Role::VerdictSkipped,
    }
}

/// `41 s`, `12 min`, `3 h`, `5 d`: coarse enough not to change all the time.
#[must_use]
pub fn span(seconds: Seconds) -> String {
    match seconds.0.max(0) {
        s @ ..=119 => format!("{s} s"),
        s @ ..=7199 => format!("{} min", s / 60),
        s @ ..=172_799 => format!("{} h", s / 3600),
        s => format!("{} d", s / 86_400),
    }
}

/// After how many seconds [`span`] says something else.
#[must_use]
pub fn span_changes_in(seconds: Seconds) -> u64 {
    let s = seconds.0.max(0).unsigned_abs();
    match s {
        0..=119 => 1,
        120..=7199 => 60 - s % 60,
        7200..=172_799 => 3600 - s % 3600,
        _ => 86_400 - s % 86_400,
    }
}

/// A moment on the clock of the snapshot's zone; with the day where it is another than that of the snapshot.
#[must_use]
pub fn moment(snap: &Snapshot, at: Epoch) -> String {
    match (snap.date(at), snap.date(snap.now)) {
        (Some(there), Some(now)) if there.date() == now.date() => there.strftime("%H:%M:%S").to_string(),
        (Some(there), _) => there.strftime("%Y-%m-%d %H:%M").to_string(),
        (None, _) => at.0.to_string(),
    }
}

/// Bucket names without the parts that are in all of them, the rarest part first, and those common parts; a single
/// name stays as it is.
#[must_use]
pub fn without_common(names: &[String]) -> (String, Vec<String>) {
    let Some((first, rest)) = names.split_first().filter(|(_, rest)| !rest.is_empty()) else {
        return (String::new(), names.to_vec());
    };
    let mut known: FxHashMap<&str, usize> = FxHashMap::default();
    for part in names.iter().flat_map(|name| name.split(':')) {
        *known.entry(part).or_default() += 1;
    }
    let times = |part: &str| known.get(part).copied().unwrap_or(0);
    let mut common: Vec<&str> = first.split(':').collect();
    common.retain(|part| times(part) == rest.len() + 1);
    let own = |name: &String| {
        let mut parts: Vec<&str> = name.split(':').filter(|part| !common.contains(part)).collect();
        parts.sort_by_key(|part| times(part));
        if parts.is_empty() { "nothing else".to_owned() } else { parts.join(":") }
    };
    (common.join(":"), names.iter().map(own).collect())
}

/// An amount of a consumable as people read it.
#[must_use]
pub fn amount(kind: Kind, value: f64) -> String {
    crate::cluster::Amount(value).show(kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_buckets_show_what_differs() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let (common, own) = without_common(&names(&["a=1:mem=4gb:n=8", "a=2:mem=4gb:n=8", "mem=4gb:n=8"]));
        assert_eq!((&*common, own), ("mem=4gb:n=8", names(&["a=1", "a=2", "nothing else"])));
        assert_eq!(without_common(&names(&["a=1"])), (String::new(), names(&["a=1"])));
    }

    #[test]
    fn ages_grow_coarser_and_say_when_they_change() {
        for (s, text, changes) in [
            (-5, "0 s", 1),
            (41, "41 s", 1),
            (130, "2 min", 50),
            (7300, "2 h", 3500),
            (172_800, "2 d", 86_400),
        ] {
            assert_eq!((span(Seconds(s)), span_changes_in(Seconds(s))), (text.to_owned(), changes));
        }
    }

    #[test]
    fn moments_are_in_the_snapshots_zone_and_name_other_days() {
        let mut snap = Snapshot::empty("x", Epoch(1_763_700_000));
        for (zone, today) in [("UTC", "04:40:00"), ("+02", "06:40:00"), ("Europe/Berlin", "05:40:00")] {
            snap.zone = zone.to_owned();
            assert_eq!(moment(&snap, snap.now), today);
        }
        assert_eq!(moment(&snap, Epoch(1_763_800_000)), "2025-11-22 09:26");
    }
}
