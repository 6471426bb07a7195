//! Numbers and names in sentences.

mod breaks;
mod fold;
mod time;

pub use breaks::{may_break_at, unbreakable_words};
pub use fold::{FoldedNames, compact, compact_in_order, fold_names, folded_again, folded_of, folded_within};
pub use time::{
    clock, duration, is_without_walltime, length_of, moment, since_text, span, span_changes_in, time_of_day,
    zone_offset,
};

pub use qscope_engine::cluster::{append_count, count, first_names};

use qscope_engine::cluster::{Amount, Catalogue, ResourceId, ResourceType, Snapshot, short_id};
use qscope_engine::cycle::{Outcome, Run, Verdict};
use qscope_engine::universe::{Bit, Plan, Reason, Rejection, SetCounts, Shortage, ShortageDetail};

/// What a verdict is called in a table.
pub fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Run => "run",
        Verdict::NotNow => "wait",
        Verdict::Never => "never",
        Verdict::NotConsidered => "skip",
    }
}

/// States how many jobs a cycle considers and, if it has more steps because arrays are considered again, that each
/// counts once.
pub fn considered(run: &Run) -> String {
    let jobs = count(run.considered, "job");
    let each = if run.steps.len() > run.considered { ", each counted once" } else { "" };
    format!("{jobs} considered{each}")
}

/// Describes where the cycle starts a job, and how it came to that: `on 3 nodes (node path, after a preemption)`;
/// `None` for a job that it does not start.
pub(crate) fn start_on_nodes(outcome: &Outcome) -> Option<String> {
    let nodes = count(outcome.placed.as_ref()?.allocation.nodes().len(), "node");
    let path = outcome.entered().map_or("", |path| path.word());
    let after = if outcome.by_preemption { ", after a preemption" } else { "" };
    Some(format!("on {nodes} ({path} path{after})"))
}

/// Counts jobs, and subjobs apart from them, since elsewhere an array counts as one job: `6 jobs, 7 subjobs`.
pub fn jobs_and_subjobs(jobs: usize, subjobs: usize) -> String {
    match (jobs, subjobs) {
        (jobs, 0) => count(jobs, "job"),
        (0, subjobs) => count(subjobs, "subjob"),
        (jobs, subjobs) => format!("{}, {}", count(jobs, "job"), count(subjobs, "subjob")),
    }
}

/// Lists the first few jobs by short id, with a count of the rest.
pub fn some_jobs(names: &[impl AsRef<str>], most: usize) -> String {
    let short: Vec<&str> = names.iter().map(|name| short_id(name.as_ref())).collect();
    first_names(&short, most)
}

/// Lists the given first names, with a count of the rest: `4 5 7 +2`.
pub fn first_of(names: &[&str], all: usize) -> String {
    format!("{}{}", names.join(" "), more(all.saturating_sub(names.len())))
}

/// Returns the count of further names, to follow a list: ` +2`; empty if there are none.
pub fn more(besides: usize) -> String {
    if besides == 0 { String::new() } else { format!(" +{besides}") }
}

/// Formats an amount of a resource with its unit.
pub fn amount(catalogue: &Catalogue, resource: ResourceId, value: f64) -> String {
    Amount(value + 0.0).show(catalogue.kind(resource))
}

/// States how many jobs are not considered, and how many subjobs are counted with their arrays.
pub fn not_considered(jobs: usize, subjobs: usize) -> String {
    let arrays = match subjobs {
        0 => String::new(),
        1 => " (1 subjob counts with its array)".to_owned(),
        many => format!(" ({many} subjobs count with their arrays)"),
    };
    format!("{jobs} not considered{arrays}")
}

/// Formats an amount next to another one of its resource: zero needs no unit, as in `0 of 64gb`.
pub fn part(kind: ResourceType, value: f64) -> String {
    if value == 0.0 { "0".to_owned() } else { Amount(value).show(kind) }
}

/// Describes a reason as briefly as possible, numbers first.
pub fn short_reason(catalogue: &Catalogue, rejection: &Rejection) -> String {
    match &rejection.reason {
        Reason::Unexplained => "all buckets together too small".to_owned(),
        Reason::Resource(shortage) => short_shortage(catalogue, shortage, ""),
        Reason::QueueResource(shortage) => short_shortage(catalogue, shortage, "queue: "),
        Reason::ServerResource(shortage) => short_shortage(catalogue, shortage, "server: "),
        Reason::NoSubjobLeft => "an array of its class started whole".to_owned(),
        Reason::QueueNotStarted => "queue is stopped".to_owned(),
        Reason::NoFreeNodes => "too few free nodes".to_owned(),
        Reason::NoTotalNodes => "too few nodes in all".to_owned(),
        Reason::NoNodeResources => "matching nodes are taken".to_owned(),
        Reason::PreemptionInVain => "no room, although jobs were preempted for it".to_owned(),
        Reason::SetTooSmall(set) => format!("set {set} too small now"),
        Reason::CantSpan => "no set large enough, may not span".to_owned(),
        Reason::Conflict => "reservation or top job ahead".to_owned(),
        Reason::NodeNotExclusive => "whole nodes requested, nodes in use".to_owned(),
        Reason::NodeState(word) => format!("nodes are {word}"),
        Reason::SubjobLimit => "subjob limit reached".to_owned(),
        Reason::StrictOrdering => "strict ordering: a job is ahead".to_owned(),
        other => bare(&other.text(catalogue)).to_owned(),
    }
}

/// Strips the trailing blank or full stop of a PBS comment, for use within a sentence.
pub(crate) fn bare(comment: &str) -> &str {
    comment.trim_end_matches([' ', '.'])
}

fn short_shortage(catalogue: &Catalogue, shortage: &Shortage, place: &str) -> String {
    let name = catalogue.name(shortage.resource);
    let kind = catalogue.kind(shortage.resource);
    match &shortage.detail {
        ShortageDetail::Erased => format!("{place}{name}: no free node"),
        // A resource that no vnode has has no total.
        ShortageDetail::Amounts { requested, available, total } if total.0.is_nan() => {
            let requested = requested.show(kind);
            match available.0 > 0.0 {
                true => format!("{place}{name} {requested} requested, {} left", available.show(kind)),
                false => format!("{place}{name} {requested} requested, none there"),
            }
        }
        ShortageDetail::Amounts { requested, available, total } => {
            let (requested, left, total) = (requested.show(kind), available.show(kind), total.show(kind));
            format!("{place}{name} {requested} requested, {left} left of {total}")
        }
        ShortageDetail::Differs { requested, found: have } if have.is_empty() => {
            format!("{place}{name}={requested} nowhere")
        }
        ShortageDetail::Differs { requested, found } => {
            format!("{place}{name}={requested} requested, is {found}")
        }
    }
}

/// States how many of all nodes the scheduler counts as able to take a job and, if that differs, how many are free or
/// part. `lag` is the cause of an outdated count.
pub fn open_nodes(nodes: SetCounts, all: usize, lag: &str) -> String {
    let SetCounts { counted, free_or_part, .. } = nodes;
    let of = format!("{counted} of {}", count(all, "node"));
    match usize::try_from(counted) {
        Ok(counted) if counted == free_or_part => format!("{of} free or part"),
        _ if nodes.is_outdated() => format!("{of} counted as free, {free_or_part} free or part ({lag})"),
        _ => format!("{of} in PBS state free, {free_or_part} free or part"),
    }
}

/// Lists nodes by name, folded: `n[1-16,20]`.
pub fn node_list(plan: &Plan, nodes: &[Bit]) -> String {
    compact(nodes.iter().map(|bit| &**plan.node_name(*bit)))
}

/// Like [`node_list`], in at most `columns` columns, with a count of the nodes not named.
pub fn node_list_within(plan: &Plan, nodes: &[Bit], columns: usize) -> String {
    folded_of(nodes.iter().map(|bit| &**plan.node_name(*bit)), nodes.len(), columns).to_string()
}

/// States that no job waits, in the words `otherwise`, or that the job dump does not show whether any does.
pub fn no_waiting_jobs(snap: &Snapshot, otherwise: &'static str) -> &'static str {
    match snap {
        _ if snap.lacks_jobs() => "No job dump was read.",
        _ if !snap.has_all_jobs() => "The job dump was read in part: no waiting job in it.",
        _ => otherwise,
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
        assert_eq!(first_names(&names, 2), "a, b and 1 more");
        assert_eq!(first_names(&names, 3), "a, b, c");
    }

    #[test]
    fn a_count_of_nodes_is_no_other_than_that_of_the_header() {
        let shown = |counted, in_state_free, free_or_part| {
            open_nodes(SetCounts { counted, in_state_free, free_or_part }, 28, "quirk last-set-only")
        };
        assert_eq!(shown(6, 6, 6), "6 of 28 nodes free or part");
        assert_eq!(shown(6, 6, 5), "6 of 28 nodes in PBS state free, 5 free or part");
        assert_eq!(shown(23, 11, 9), "23 of 28 nodes counted as free, 9 free or part (quirk last-set-only)");
    }
}
