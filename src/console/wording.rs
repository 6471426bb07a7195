//! Short words for small places: verdicts, reasons, ages, moments, lists of nodes.

use rustc_hash::FxHashMap;

use crate::theme::Role;
use qscope_engine::cluster::{ChunkSpec, Epoch, JobId, Kind, Seconds, Select, Server, Snapshot, each_once};
use qscope_engine::cycle::{Outcome, Run, Stage, Verdict};
use qscope_engine::universe::NodeCounts;

pub(crate) use qscope_explain::words::{
    clock, compact, count, duration, folded_within, node_list, node_list_to_cut, short_reason, span,
    span_changes_in, time_of_day, zone_offset,
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

/// The same, with a `?` where it is likely and not stated: it could turn with a fact that no file shows.
pub(crate) fn verdict_or_likely(found: Verdict, is_likely: bool) -> String {
    format!("{}{}", verdict(found), if is_likely { "?" } else { "" })
}

/// From so far ahead on the time of day means nothing.
const FAR: Seconds = Seconds(90 * 86_400);

/// When something starts, in a column: of what is far ahead the distance, since its day means nothing.
pub(crate) fn start(snap: &Snapshot, at: Epoch) -> String {
    match at - snap.now {
        away if away > FAR => format!("in {}", far(away)),
        _ => time_of_day(snap, at),
    }
}

/// A long time in one unit.
fn far(away: Seconds) -> String {
    let days = away.0 / 86_400;
    if days < 2 * 365 { format!("{days} days") } else { format!("{} years", days / 365) }
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

/// More names than these are not put in an order of their own each: a list so long is searched, not read.
const MAX_NAMED: usize = 300;

/// Bucket names without the parts that are in all of them, and those common parts; a single name stays as it is. The parts
/// that set a bucket apart from all others come first, so that what a cut leaves differs.
pub(crate) fn without_common(names: &[String]) -> (String, Vec<String>) {
    let holders = holders(names);
    let Some(common) = common(names, &holders) else { return (String::new(), names.to_vec()) };
    let times = |part: &str| holders.get(part).map_or(0, Vec::len);
    let own = |name: &String| {
        let mut parts: Vec<&str> = name.split(':').filter(|part| !common.contains(part)).collect();
        parts.sort_by_key(|part| times(part));
        if names.len() <= MAX_NAMED {
            parts = what_sets_apart_first(&parts, &holders);
        }
        if parts.is_empty() { "nothing else".to_owned() } else { parts.join(":") }
    };
    (common.join(":"), names.iter().map(own).collect())
}

/// The same where the names stand one below the other and are not what a row is known by: all have their parts in one order.
pub(crate) fn without_common_in_order(names: &[String]) -> (String, Vec<String>) {
    if names.len() > MAX_NAMED {
        return without_common(names);
    }
    let Some(common) = common(names, &holders(names)) else { return (String::new(), names.to_vec()) };
    let order = resources_by_kinds(names, &common);
    let own = |name: &String| {
        let mut parts: Vec<&str> = name.split(':').filter(|part| !common.contains(part)).collect();
        parts.sort_by_key(|part| order.iter().position(|key| *key == key_of(part)));
        if parts.is_empty() { "nothing else".to_owned() } else { parts.join(":") }
    };
    (common.join(":"), names.iter().map(own).collect())
}

/// Which names have each part.
fn holders(names: &[String]) -> FxHashMap<&str, Vec<usize>> {
    let mut holders: FxHashMap<&str, Vec<usize>> = FxHashMap::default();
    for (at, name) in names.iter().enumerate() {
        name.split(':').for_each(|part| holders.entry(part).or_default().push(at));
    }
    holders
}

/// The parts that all names have; none of a single name.
fn common<'n>(names: &'n [String], holders: &FxHashMap<&str, Vec<usize>>) -> Option<Vec<&'n str>> {
    let (first, _) = names.split_first().filter(|(_, rest)| !rest.is_empty())?;
    let is_common = |part: &&str| holders.get(part).is_some_and(|with| with.len() == names.len());
    Some(first.split(':').filter(is_common).collect())
}

/// The parts of a name, those first of which each leaves fewer names that have all of them.
fn what_sets_apart_first<'n>(parts: &[&'n str], holders: &FxHashMap<&str, Vec<usize>>) -> Vec<&'n str> {
    let mut alike: Option<Vec<usize>> = None;
    let narrows = |part: &&str| {
        let Some(with) = holders.get(part) else { return false };
        let left = match &alike {
            None => with.clone(),
            Some(alike) => alike.iter().filter(|at| with.binary_search(at).is_ok()).copied().collect(),
        };
        let narrowed = alike.as_ref().is_none_or(|alike| left.len() < alike.len());
        alike = Some(left);
        narrowed
    };
    let (mut first, last): (Vec<&str>, Vec<&str>) = parts.iter().copied().partition(narrows);
    first.extend(last);
    first
}

/// The names of the resources, in the order in which they set the names of buckets apart: first the one with the most
/// values, then the one that splits most of what those before leave alike. All names then have their parts in this order,
/// one below the other.
fn resources_by_kinds<'n>(names: &'n [String], common: &[&str]) -> Vec<&'n str> {
    let own = |name: &'n String| name.split(':').filter(|part| !common.contains(part));
    let keys = each_once(names.iter().flat_map(own).map(key_of));
    let values_of = |key: &str| {
        let value = |name| own(name).find(|part| key_of(part) == key).unwrap_or_default();
        names.iter().map(value).collect()
    };
    let mut left: Vec<(&str, Vec<&str>)> = keys.into_iter().map(|key| (key, values_of(key))).collect();
    // Which names are alike so far, by a number for each kind.
    let (mut kinds, mut alike) = (1, vec![0; names.len()]);
    let mut order = Vec::with_capacity(left.len());
    while let Some((at, (more, split))) = most_kinds(&left, &alike) {
        if more <= kinds {
            break;
        }
        (kinds, alike) = (more, split);
        order.push(left.remove(at).0);
    }
    order.extend(left.into_iter().map(|(key, _)| key));
    order
}

/// The column of values that splits names into the most kinds, the first of equals: its place, how many kinds, and the kind of
/// each name.
fn most_kinds(columns: &[(&str, Vec<&str>)], alike: &[usize]) -> Option<(usize, (usize, Vec<usize>))> {
    let split = |values: &[&str]| {
        let mut kinds: FxHashMap<(usize, &str), usize> = FxHashMap::default();
        let mut split = Vec::with_capacity(alike.len());
        for (before, value) in alike.iter().zip(values) {
            let next = kinds.len();
            split.push(*kinds.entry((*before, *value)).or_insert(next));
        }
        (kinds.len(), split)
    };
    let all = columns.iter().map(|(_, values)| split(values)).enumerate();
    all.min_by_key(|(at, (kinds, _))| (std::cmp::Reverse(*kinds), *at))
}

/// The name of the resource of a part of a bucket's name: `mem` of `mem=4gb`.
fn key_of(part: &str) -> &str {
    part.split('=').next().unwrap_or(part)
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
    format!("{} +{}", asks(&first, times), count(all - most, "more chunk"))
}

/// How many nodes are in which use: `25 free 3 part 4 full 0 out`.
pub(crate) fn by_use(NodeCounts { free, part, full, out, .. }: NodeCounts) -> String {
    format!("{free} free {part} part {full} full {out} out")
}

/// Why a cluster without placement sets has none.
pub(crate) fn no_sets(server: &Server) -> &'static str {
    match (server.assumed, server.node_group_enable) {
        (true, false) => "There is no dump of the server, so no placement sets are assumed.",
        (_, false) => "There are no placement sets: node_group_enable is off.",
        (_, true) => "There are no placement sets: no node_group_key is set.",
    }
}

/// The moment that an answer is of which follows its snapshot late.
pub(crate) fn analysed_at(snap: &Snapshot, at: Epoch) -> String {
    format!("analysed at {}", clock(snap, at))
}

/// A size of a file.
pub(crate) fn bytes(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} B"),
        10_000..10_000_000 => format!("{} kB", bytes / 1000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

/// An amount of a consumable as people read it.
pub(crate) fn amount(kind: Kind, value: f64) -> String {
    qscope_engine::cluster::Amount(value).show(kind)
}

/// An amount beside the whole that it is a part of: nothing needs no unit, as in `0 of 64gb`.
pub(crate) use qscope_explain::words::part;

/// So many columns name what is left of an array.
const ARRAY: usize = 12;

/// A job that waits by its short name, an array by the subjobs that the cycle leaves: `67[2-5]`.
pub(crate) fn waiting_name(run: &Run, job: JobId) -> String {
    let short = run.plan.job(job).short_name();
    if !run.plan.job(job).is_array() {
        return short.to_owned();
    }
    let left = qscope_explain::left_of_array(run, job).into_iter();
    let left: Vec<String> = left.map(|index| short.replace("[]", &format!("[{index}]"))).collect();
    match left.is_empty() {
        true => short.to_owned(),
        false => folded_within(left.iter().map(String::as_str), ARRAY),
    }
}

/// Why it does not run, or where it does, in few words.
pub(crate) fn reason(run: &Run, outcome: &Outcome) -> String {
    let is_rejected = outcome.placed.is_none() && outcome.rejection.is_some();
    let stopped = stopped_by(run, outcome);
    match &outcome.estimate {
        Some(estimate) if is_rejected && run.excluded(outcome.job).is_none() => {
            format!("starts {}; {stopped}", clock(&run.plan.snap, estimate.start))
        }
        _ => stopped,
    }
}

/// The same without the time at which a top job starts.
pub(crate) fn stopped_by(run: &Run, outcome: &Outcome) -> String {
    if let Some(placed) = &outcome.placed {
        if let Some(why) = qscope_explain::refused_by_server(run, outcome.job) {
            return format!("the server refuses it: {why}");
        }
        let set = placed.set.as_ref().map(|set| format!(" ({set})")).unwrap_or_default();
        let mut nodes = placed.allocation.nodes();
        nodes.sort_unstable();
        let victims: Vec<&str> =
            outcome.victims.iter().map(|(job, _)| run.plan.job(*job).short_name()).collect();
        let preempts =
            if victims.is_empty() { String::new() } else { format!(" preempts {}", victims.join(" ")) };
        return format!("{}{set}{preempts}", node_list(&run.plan, &nodes));
    }
    let why = outcome.rejection.as_ref().map(|r| short_reason(&run.plan.snap.catalogue, r));
    if let Some(words) = run.excluded(outcome.job) {
        return words;
    }
    // A top job has its start beside, and no stage.
    match (outcome.refused_at.filter(|_| outcome.estimate.is_none()), why) {
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
    fn names_of_buckets_begin_with_what_sets_them_apart() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let all = names(&["g=4:n=32:c=red", "g=4:n=32:c=blue", "n=8:c=red", "n=8:c=blue", "n=8"]);
        let own = ["g=4:c=red:n=32", "g=4:c=blue:n=32", "c=red:n=8", "c=blue:n=8", "n=8"];
        assert_eq!(without_common(&all).1, names(&own));
        let own = ["c=red:g=4:n=32", "c=blue:g=4:n=32", "c=red:n=8", "c=blue:n=8", "n=8"];
        assert_eq!(without_common_in_order(&all).1, names(&own), "one order for all");
    }
}
