//! Short words for small places: verdicts, reasons, ages, moments, lists of nodes.

use std::borrow::Cow;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::theme::Role;
use crate::widgets::text::truncate;
use qscope_engine::cluster::{ChunkSpec, Epoch, Kind, Seconds, Select, Snapshot};
use qscope_engine::cycle::{Eligibility, Outcome, Run, Stage, Verdict};

pub(crate) use qscope_explain::words::{
    clock, compact, count, duration, folded_within, node_list, short_reason, span, span_changes_in,
    time_of_day, zone_offset,
};

/// What a verdict is called on the screen.
pub(crate) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Run => "run",
        Verdict::NotNow => "wait",
        Verdict::Never => "never",
        Verdict::NotConsidered => "skip",
    }
}

/// From so far ahead on the time of day means nothing.
const FAR: Seconds = Seconds(90 * 86_400);

/// When something starts, in a column: of what is far ahead the date alone.
pub(crate) fn start(snap: &Snapshot, at: Epoch) -> String {
    let date = snap.date(at).filter(|_| at - snap.now > FAR);
    date.map_or_else(|| time_of_day(snap, at), |date| date.strftime("%Y-%m-%d").to_string())
}

/// How a verdict looks.
pub(crate) fn verdict_role(verdict: Verdict) -> Role {
    match verdict {
        Verdict::Run => Role::VerdictRun,
        Verdict::NotNow => Role::VerdictWait,
        Verdict::Never => Role::VerdictNever,
        Verdict::NotConsidered => Role::VerdictSkipped,
    }
}

/// Bucket names without the parts that are in all of them, the rarest part first, and those common parts; a single
/// name stays as it is.
pub(crate) fn without_common(names: &[String]) -> (String, Vec<String>) {
    let Some((first, rest)) = names.split_first().filter(|(_, rest)| !rest.is_empty()) else {
        return (String::new(), names.to_vec());
    };
    let mut known: FxHashMap<&str, usize> = FxHashMap::default();
    for part in names.iter().flat_map(|name| name.split(':')) {
        *known.entry(part).or_default() += 1;
    }
    let times = |part: &str| known.get(part).copied().unwrap_or_default();
    let mut common: Vec<&str> = first.split(':').collect();
    common.retain(|part| times(part) == rest.len() + 1);
    let own = |name: &String| {
        let mut parts: Vec<&str> = name.split(':').filter(|part| !common.contains(part)).collect();
        parts.sort_by_key(|part| times(part));
        if parts.is_empty() { "nothing else".to_owned() } else { parts.join(":") }
    };
    (common.join(":"), names.iter().map(own).collect())
}

/// Names of buckets that differ after a cut to so many columns: of those that would look alike the parts that begin them
/// all give way to two dots, as often as it helps.
pub(crate) fn distinct_within(names: &[String], columns: usize) -> Vec<String> {
    let mut shown = names.to_vec();
    let mut at_work: Vec<Vec<usize>> = alike(&shown, (0..names.len()).collect(), columns);
    while let Some(group) = at_work.pop() {
        let parts = |at: &usize| names.get(*at).map(|name| name.split(':').collect::<Vec<_>>());
        let all: Vec<Vec<&str>> = group.iter().filter_map(parts).collect();
        let Some((first, rest)) = all.split_first() else { continue };
        let begins = |count: &usize| rest.iter().all(|other| other.get(..*count) == first.get(..*count));
        let shared = (1..=first.len()).take_while(begins).last().unwrap_or(0);
        for (at, parts) in group.iter().zip(&all) {
            let own = parts.get(shared..).filter(|own| shared > 0 && !own.is_empty());
            if let (Some(own), Some(name)) = (own, shown.get_mut(*at)) {
                *name = format!("..{}", own.join(":"));
            }
        }
        let smaller = alike(&shown, group.clone(), columns);
        at_work.extend(smaller.into_iter().filter(|some| some.len() < group.len()));
    }
    shown
}

/// Those of some names that look alike after a cut to so many columns, in groups of two and more.
fn alike(names: &[String], of: Vec<usize>, columns: usize) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<Cow<'_, str>, Vec<usize>> = BTreeMap::new();
    for at in of {
        groups.entry(truncate(names.get(at).map_or("", String::as_str), columns, "")).or_default().push(at);
    }
    groups.into_values().filter(|group| group.len() > 1).collect()
}

/// A select as a table has it: `16×ncpus=8+1×ncpus=4`.
pub(crate) fn asks(select: &Select, times: &str) -> String {
    let chunk = |chunk: &ChunkSpec| {
        let requests = chunk.requests.iter().map(|one| format!("{}={}", one.resource, one.value));
        format!("{}{times}{}", chunk.count, requests.collect::<Vec<_>>().join(":"))
    };
    select.chunks.iter().map(chunk).collect::<Vec<_>>().join("+")
}

/// The same with at most so many parts, and how many more there are.
pub(crate) fn asks_within(select: &Select, times: &str, most: usize) -> String {
    let all = select.chunks.len();
    if all <= most {
        return asks(select, times);
    }
    let first = Select { chunks: select.chunks.iter().take(most).cloned().collect(), ..select.clone() };
    format!("{} +{}", asks(&first, times), count(all - most, "more part"))
}

/// An amount of a consumable as people read it.
pub(crate) fn amount(kind: Kind, value: f64) -> String {
    qscope_engine::cluster::Amount(value).show(kind)
}

/// Why it does not run, or where it does, in few words.
pub(crate) fn reason(run: &Run, outcome: &Outcome) -> String {
    if let Some(placed) = &outcome.placed {
        let set = placed.set.as_ref().map(|set| format!(" ({set})")).unwrap_or_default();
        let mut nodes = placed.allocation.nodes();
        nodes.sort_unstable();
        return format!("{}{set}", node_list(&run.plan, &nodes));
    }
    let why = outcome.rejection.as_ref().map(|r| short_reason(&run.plan.snap.catalogue, r));
    if let Eligibility::Out(_, words) = &run.standing[outcome.job] {
        return words.clone();
    }
    if let (Some(estimate), Some(why)) = (&outcome.estimate, &why) {
        return format!("starts {}; {why}", clock(&run.plan.snap, estimate.start));
    }
    match (outcome.refused_at, why) {
        (Some(Stage::Class(first)), Some(why)) => format!("as {}: {why}", run.plan.job(first).short_name()),
        (Some(Stage::AllNodes), Some(why)) => format!("all nodes: {why}"),
        (_, why) => why.unwrap_or_default(),
    }
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
    fn names_that_a_cut_makes_alike_begin_with_what_differs() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let shown =
            distinct_within(&names(&["long=100:b=1:c=1", "long=100:b=2", "d=3:b=1", "long=100:b=1:c=2"]), 8);
        assert_eq!(shown, names(&["..c=1", "..b=2", "d=3:b=1", "..c=2"]));
        let kept = names(&["a=1:b=1", "a=1:b=2", "a=1"]);
        assert_eq!(distinct_within(&kept, 20), kept);
    }
}
