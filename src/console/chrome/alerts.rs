//! Alerts as short clauses, one for each kind.
//!
//! ```text
//! ✗ scheduling off: 4 jobs would start   ✗ cn012 oversubscribed: ncpus 12 of 8   ! cn[003,017] offline
//! ```

use crate::theme::Role;
use crate::wording;
use qscope_engine::cluster::short_id;
use qscope_explain::{Alert, AlertItem, AlertKind};

/// Maximum number of objects named in a clause, and of those named with their jobs.
const MAX_NAMED: usize = 4;
const MAX_PAIRS: usize = 2;
/// Maximum columns for a list of nodes in a clause.
const MAX_NODES: usize = 34;

/// The role of an alert; it has a sign too, never colour alone.
pub(crate) fn role(kind: AlertKind) -> Role {
    match kind {
        AlertKind::NotInDump => Role::TextDim,
        kind if kind.is_grave() => Role::Error,
        _ => Role::Warning,
    }
}

/// One clause for each kind, in the order of the alerts.
pub(crate) fn clauses(alerts: &[Alert]) -> Vec<(Role, String)> {
    let clause = |alert: &Alert| match alert.is_harmless() {
        true => (Role::Warning, "scheduling off: no job would start".to_owned()),
        false => (role(alert.kind), clause(alert)),
    };
    alerts.iter().map(clause).collect()
}

/// One alert in few words: a single item by name, several by their number and first names.
fn clause(alert: &Alert) -> String {
    use AlertKind as K;
    let first = alert.items.first();
    let brief = first.map(|item| item.brief.as_str()).unwrap_or_default();
    let nodes = || nodes(alert.objects());
    match (alert.kind, alert.items.len()) {
        (K::SchedulingOff, _) => format!("scheduling off: {brief}"),
        (K::DamagedFile, 1) => format!("{} {brief}", alert.objects().next().unwrap_or_default()),
        (K::DamagedFile, n) => format!("{n} files damaged: {}", named(alert, MAX_NAMED, queue)),
        (K::DoubleBooking, 1) => format!("{} {brief}", nodes()),
        (K::DoubleBooking, n) => {
            let pair = |item: &AlertItem| {
                format!(
                    "{} ({})",
                    of_item(item),
                    item.jobs.iter().map(|job| short_id(job)).collect::<Vec<_>>().join(", ")
                )
            };
            format!("{n} double bookings: {}", named(alert, MAX_PAIRS, pair))
        }
        (K::Oversubscribed, 1) => format!("{} oversubscribed: {brief}", nodes()),
        (K::Oversubscribed, n) => format!("{n} oversubscribed: {}", nodes()),
        (K::StoppedQueue, 1) => {
            let name = alert.objects().next().unwrap_or_default();
            let waits = if brief.is_empty() { String::new() } else { format!(" ({brief})") };
            format!("queue \"{name}\" not started{waits}")
        }
        (K::StoppedQueue, n) => format!("{n} queues not started: {}", named(alert, MAX_NAMED, queue)),
        (K::Ghost, 1) => format!("{} kept by job {brief}, not in the job dump", nodes()),
        (K::Ghost, n) => format!("{} kept by {n} jobs, not in the job dump", nodes()),
        (K::Down, 1) => format!("{} down", nodes()),
        (K::Down, n) => format!("{n} down: {}", nodes()),
        (K::Offline, 1) => format!("{} offline", nodes()),
        (K::Offline, n) => format!("{n} offline: {}", nodes()),
        (K::NotOnNodes | K::NotInDump, 1) => format!("job {brief}"),
        (K::NotOnNodes, n) => format!("{n} jobs run on {}, not listed there", nodes()),
        (K::NotInDump, n) => format!("{n} jobs on {} do not run by the job dump", nodes()),
        (K::SchedulerLog, _) => {
            let briefs: Vec<&str> = alert.items.iter().map(|item| item.brief.as_str()).collect();
            format!("log of the scheduler: {}", briefs.join(", "))
        }
    }
}

fn queue(item: &AlertItem) -> String {
    let brief = if item.brief.is_empty() { String::new() } else { format!(" ({})", item.brief) };
    format!("{}{brief}", item.objects.join(" "))
}

fn of_item(item: &AlertItem) -> String {
    nodes(item.objects.iter().map(String::as_str))
}

fn nodes<'a>(names: impl Iterator<Item = &'a str>) -> String {
    wording::folded_within(names, MAX_NODES)
}

/// The first few items, and the number of others.
fn named(alert: &Alert, most: usize, words: impl Fn(&AlertItem) -> String) -> String {
    let screen: Vec<String> = alert.items.iter().take(most).map(words).collect();
    format!("{}{}", screen.join(", "), qscope_explain::words::more(alert.items.len().saturating_sub(most)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alert(kind: AlertKind, items: &[(&[&str], &[&str], &str)]) -> Alert {
        let strings = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let item = |(objects, jobs, brief): &(&[&str], &[&str], &str)| AlertItem {
            objects: strings(objects),
            jobs: strings(jobs),
            sentence: String::new(),
            brief: (*brief).to_owned(),
            effect: String::new(),
            finding: None,
        };
        Alert { kind, items: items.iter().map(item).collect() }
    }

    #[test]
    fn each_kind_is_a_clause_the_gravest_first() {
        use AlertKind as K;
        let all = [
            alert(K::SchedulingOff, &[(&[], &["1.s"], "1 job would start")]),
            alert(K::DoubleBooking, &[(&["n6"], &["39.s", "33.s"], "given to 39 and again to 33")]),
            alert(K::Oversubscribed, &[(&["n9"], &[], "ncpus 12 of 8")]),
            alert(K::StoppedQueue, &[(&["big"], &["4.s"], "1 job waits"), (&["old"], &[], "")]),
            alert(K::Offline, &[(&["n1"], &[], ""), (&["n2"], &[], ""), (&["n3"], &[], "")]),
        ];
        let texts: Vec<String> = clauses(&all).into_iter().map(|(_, text)| text).collect();
        assert_eq!(
            texts,
            [
                "scheduling off: 1 job would start",
                "n6 given to 39 and again to 33",
                "n9 oversubscribed: ncpus 12 of 8",
                "2 queues not started: big (1 job waits), old",
                "3 offline: n[1-3]",
            ]
        );
        assert_eq!(clauses(&[]), []);
        let idle = alert(K::SchedulingOff, &[(&[], &[], "0 jobs would start")]);
        assert_eq!(clauses(&[idle]), [(Role::Warning, "scheduling off: no job would start".to_owned())]);
    }

    #[test]
    fn many_of_a_kind_are_counted() {
        use AlertKind as K;
        let names: Vec<String> = (1..=40).map(|n| format!("n{}", n * 2)).collect();
        let items: Vec<(&[&str], &[&str], &str)> = Vec::new();
        let mut down = alert(K::Down, &items);
        down.items = names
            .iter()
            .map(|name| AlertItem {
                objects: vec![name.clone()],
                jobs: Vec::new(),
                sentence: String::new(),
                brief: String::new(),
                effect: String::new(),
                finding: None,
            })
            .collect();
        assert_eq!(clause(&down), "40 down: n[2,4,6,8,10,12,14,16,18,20] +30");
        let doubled =
            alert(K::DoubleBooking, &[(&["n1", "n2"], &["1.s", "2.s"], ""), (&["n9"], &["3.s", "4.s"], "")]);
        assert_eq!(clause(&doubled), "2 double bookings: n[1-2] (1, 2), n9 (3, 4)");
        let pairs: [(&[&str], &[&str], &str); 3] = [(&["n1"], &["1.s", "2.s"], ""); 3];
        let more = clause(&alert(K::DoubleBooking, &pairs));
        assert_eq!(more, "3 double bookings: n1 (1, 2), n1 (1, 2) +1");
    }
}
