//! Alerts on the first screen: a few short clauses, as many to a line as fit; no line at all when there are none.
//!
//! ```text
//!  ✗ scheduling off: 4 jobs would start
//!  ✗ cn006 given to 39 and again to 33 · cn012 oversubscribed: ncpus 12 of 8
//!  ! 1 queue stopped: big (3 jobs wait) · 2 offline: cn003 cn017
//! ```

use crate::theme::Role;
use crate::widgets::text::{truncate, width};
use crate::wording;
use qscope_engine::cluster::short_id;
use qscope_explain::{Alert, AlertItem, AlertKind};

/// So many lines of clauses at most, that of scheduling aside; what is left is counted, and spelled out under `!`.
const MAX_LINES: usize = 3;
/// So many things of a kind are named in a clause.
const MAX_NAMED: usize = 4;
/// A list of nodes in a clause takes so many columns.
const MAX_NODES: usize = 34;
const BETWEEN: &str = " · ";

/// How an alert looks; a sign goes with it, never colour alone.
pub(crate) fn role(kind: AlertKind) -> Role {
    match kind {
        AlertKind::NotInDump => Role::TextDim,
        kind if kind.is_grave() => Role::Error,
        _ => Role::Warning,
    }
}

/// The lines for a screen of so many columns. A clause goes to the first line that has room for it; what a line begins
/// with is its gravest.
pub(crate) fn lines(alerts: &[Alert], columns: u16) -> Vec<(Role, String)> {
    let room = usize::from(columns).saturating_sub(6);
    let mut lines: Vec<(Role, String)> = Vec::new();
    let mut left_out = 0;
    // Scheduling that is off changes the meaning of everything below, so it has a line of its own.
    let (off, others) = match alerts.split_first() {
        Some((first, others)) if first.kind == AlertKind::SchedulingOff => (Some(first), others),
        _ => (None, alerts),
    };
    for alert in others {
        let text = clause(alert);
        let fits = |line: &&mut (Role, String)| width(&line.1) + width(BETWEEN) + width(&text) <= room;
        if let Some((_, line)) = lines.iter_mut().find(fits) {
            line.push_str(BETWEEN);
            line.push_str(&text);
        } else if lines.len() < MAX_LINES {
            lines.push((role(alert.kind), text));
        } else {
            left_out += 1;
        }
    }
    if let Some((_, last)) = lines.last_mut().filter(|_| left_out > 0) {
        let more = format!("{BETWEEN}{left_out} more: !");
        *last = truncate(last, room.saturating_sub(width(&more)), "…").into_owned() + &more;
    }
    let off = off.map(|off| (role(off.kind), clause(off)));
    off.into_iter().chain(lines).collect()
}

/// One alert in few words: a single item by name, several by their count and first names.
fn clause(alert: &Alert) -> String {
    use AlertKind as K;
    let first = alert.items.first();
    let brief = first.map(|item| item.brief.as_str()).unwrap_or_default();
    let nodes = || nodes(alert.objects());
    match (alert.kind, alert.items.len()) {
        (K::SchedulingOff, _) => format!("scheduling off: {brief}"),
        (K::DoubleBooking, 1) => format!("{} {brief}", nodes()),
        (K::DoubleBooking, n) => {
            let pair = |item: &AlertItem| {
                format!(
                    "{} ({})",
                    of_item(item),
                    item.jobs.iter().map(|job| short_id(job)).collect::<Vec<_>>().join(", ")
                )
            };
            format!("{n} double bookings: {}", named(alert, pair))
        }
        (K::Oversubscribed, 1) => format!("{} oversubscribed: {brief}", nodes()),
        (K::Oversubscribed, n) => format!("{n} oversubscribed: {}", nodes()),
        (K::StoppedQueue, n) => format!("{} stopped: {}", wording::count(n, "queue"), named(alert, queue)),
        (K::Ghost, 1) => format!("{} kept by job {brief}, not in the job dump", nodes()),
        (K::Ghost, n) => format!("{} kept by {n} jobs, not in the job dump", nodes()),
        (K::Down, _) => format!("{} down: {}", alert.count(), nodes()),
        (K::Offline, _) => format!("{} offline: {}", alert.count(), nodes()),
        (K::NotInDump, 1) => format!("job {brief} on {} is not in the job dump", nodes()),
        (K::NotInDump, n) => format!("{n} jobs on {} are not in the job dump", nodes()),
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
    truncate(&wording::compact(names), MAX_NODES, "…").into_owned()
}

/// The first few items, and how many there are besides.
fn named(alert: &Alert, words: impl Fn(&AlertItem) -> String) -> String {
    let screen: Vec<String> = alert.items.iter().take(MAX_NAMED).map(words).collect();
    let more = alert.items.len().saturating_sub(MAX_NAMED);
    let more = if more == 0 { String::new() } else { format!(" +{more}") };
    format!("{}{more}", screen.join(", "))
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
        };
        Alert { kind, items: items.iter().map(item).collect() }
    }

    #[test]
    fn clauses_share_lines_by_gravity_and_fold_to_nothing() {
        use AlertKind as K;
        let all = [
            alert(K::SchedulingOff, &[(&[], &["1.s"], "1 job would start")]),
            alert(K::DoubleBooking, &[(&["n6"], &["39.s", "33.s"], "given to 39 and again to 33")]),
            alert(K::Oversubscribed, &[(&["n9"], &[], "ncpus 12 of 8")]),
            alert(K::StoppedQueue, &[(&["big"], &["4.s"], "1 job waits"), (&["old"], &[], "")]),
            alert(K::Offline, &[(&["n1"], &[], ""), (&["n2"], &[], ""), (&["n3"], &[], "")]),
        ];
        let texts = |columns| lines(&all, columns).into_iter().map(|(_, text)| text).collect::<Vec<_>>();
        assert_eq!(
            texts(80),
            [
                "scheduling off: 1 job would start",
                "n6 given to 39 and again to 33 · n9 oversubscribed: ncpus 12 of 8",
                "2 queues stopped: big (1 job waits), old · 3 offline: n[1-3]",
            ]
        );
        assert_eq!(
            texts(46),
            [
                "scheduling off: 1 job would start",
                "n6 given to 39 and again to 33",
                "n9 oversubscribed: ncpus 12 of 8",
                "2 queues stopped: big (1 jo… · 1 more: !",
            ]
        );
        assert_eq!(lines(&[], 80), []);
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
            })
            .collect();
        assert_eq!(clause(&down), "40 down: n2 n4 n6 n8 n10 n12 n14 n16 n18 n…");
        let doubled =
            alert(K::DoubleBooking, &[(&["n1", "n2"], &["1.s", "2.s"], ""), (&["n9"], &["3.s", "4.s"], "")]);
        assert_eq!(clause(&doubled), "2 double bookings: n[1-2] (1, 2), n9 (3, 4)");
    }
}
