//! Numbers, names and moments as sentences use them.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::cluster::{Amount, Catalogue, Epoch, ResourceId, Seconds, Snapshot};

/// `1 node`, `3 nodes`.
#[must_use]
pub fn count(number: u64, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{number} {thing}s") }
}

/// The first few names, and how many there are besides.
#[must_use]
pub fn some(names: &[String], most: usize) -> String {
    let shown = names.iter().take(most).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(most) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

/// An amount of a resource in its unit.
#[must_use]
pub fn amount(catalogue: &Catalogue, resource: ResourceId, value: f64) -> String {
    Amount(value).show(catalogue.kind(resource))
}

/// A moment, as a date in the zone of the cluster and as a distance from now.
#[must_use]
pub fn moment(snap: &Snapshot, at: Epoch) -> String {
    let zone = TimeZone::get(&snap.zone).unwrap_or(TimeZone::UTC);
    let date = Timestamp::from_second(at.0)
        .map(|stamp| stamp.to_zoned(zone).strftime("%Y-%m-%d %H:%M:%S").to_string())
        .unwrap_or_else(|_| at.0.to_string());
    let away = at - snap.now;
    if away.0 >= 0 { format!("{date} (in {away})") } else { format!("{date} ({} ago)", Seconds(-away.0)) }
}

/// How long a job wants to run; where it does not say, what that is taken for.
#[must_use]
pub fn walltime(length: Seconds) -> String {
    if length >= Seconds::UNLIMITED {
        "no walltime given, so 5 years".to_owned()
    } else {
        format!("{length} of walltime")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names() {
        assert_eq!(count(1, "node"), "1 node");
        assert_eq!(count(0, "node"), "0 nodes");
        let names = ["a", "b", "c"].map(str::to_owned);
        assert_eq!(some(&names, 2), "a, b and 1 more");
        assert_eq!(some(&names, 3), "a, b, c");
    }

    #[test]
    fn moments_are_dates_and_distances() {
        let snap = Snapshot::empty("t", Epoch(1_763_700_000));
        assert_eq!(moment(&snap, Epoch(1_763_703_600)), "2025-11-21 05:40:00 (in 01:00:00)");
        assert_eq!(moment(&snap, Epoch(1_763_699_940)), "2025-11-21 04:39:00 (00:01:00 ago)");
    }
}
