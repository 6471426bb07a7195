//! What each kind of finding is about, and which answers it may affect.

use qscope_engine::cluster::{Diagnostic, Severity};

/// What a finding is about, in the order of `qscope check`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum FindingCategory {
    /// Something was not read.
    Unread,
    /// The form was repaired.
    Repair,
    Value,
    /// Something was assumed.
    Assumed,
    /// Files do not agree with each other.
    Across,
    /// Other findings worth knowing.
    Note,
}

impl FindingCategory {
    /// All groups, in order.
    pub const ALL: [Self; 6] =
        [Self::Unread, Self::Repair, Self::Value, Self::Assumed, Self::Across, Self::Note];

    /// Returns its name in JSON.
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// Returns its heading on the page of `qscope check`.
    pub fn heading(self) -> &'static str {
        match self {
            Self::Unread => "not read",
            Self::Repair => "repaired",
            Self::Value => "odd values",
            Self::Assumed => "assumed",
            Self::Across => "across the files",
            Self::Note => "worth knowing",
        }
    }
}

/// Codes of findings about what only the cycle of PBS depends on.
const OF_THE_CYCLE: [&str; 5] =
    ["sched-assumed", "sched-config-assumed", "policy-as-shipped", "resource-undefined", "resource-type"];

/// Returns whether an assumption matters only to the cycle of PBS: over Torque's dumps, none is run unless requested.
pub(super) fn is_of_the_cycle(code: &str) -> bool {
    OF_THE_CYCLE.contains(&code)
}

/// Returns whether a finding states that the files are not of one cluster; all of them may still have been read.
pub fn is_mixed(code: &str) -> bool {
    Diagnostic::MIXED.contains(&code)
}

/// Returns what a finding of this kind is about.
pub(super) fn group(code: &str, severity: Severity) -> FindingCategory {
    if meaning_for_several_files(code).is_some() {
        FindingCategory::Across
    } else if severity == Severity::Error {
        FindingCategory::Unread
    } else if assumed(code).is_some() {
        FindingCategory::Assumed
    } else if code.starts_with("json-") || code.starts_with("text-") || code == "record-repeated" {
        FindingCategory::Repair
    } else if severity == Severity::Warning {
        FindingCategory::Value
    } else {
        FindingCategory::Note
    }
}

/// Returns what the answers may lack or have wrong because of a finding.
pub(super) fn may_change(code: &str) -> Option<&'static str> {
    meaning_for_several_files(code)
        .or_else(|| assumed(code))
        .or_else(|| other(code))
        .filter(|change| !change.is_empty())
}

/// Returns the effect of kinds that are reported about several files together.
fn meaning_for_several_files(code: &str) -> Option<&'static str> {
    Some(match code {
        "skew" => "jobs that started or ended in between stand on one side only",
        "two-clusters" => "dumps of one cluster count beside those of another",
        "two-servers" => "jobs wait for vnodes that are not theirs",
        "job-not-on-node" => "its vnodes may appear free, or the job may have ended",
        "job-unlisted" => "its vnodes stay taken; when it ends and whose limits it counts for is unknown",
        "reservation-nodes" => "the reservation takes nothing there",
        "subjob-unlisted" => "when it ends is unknown",
        "estimate-stale" => "nothing: starts are calculated again",
        "negative-sum" => "nothing: amounts in use are counted from the jobs",
        "negative-amount" => "where it is requested or available, verdicts may be off",
        "start-to-come" => "its end is taken from that start",
        _ => return None,
    })
}

/// Returns the effect of kinds that state what was assumed.
fn assumed(code: &str) -> Option<&'static str> {
    Some(match code {
        "sched-config-assumed" | "policy-as-shipped" => {
            "the order of jobs and vnodes, paths, backfill, fair share, preemption: all that options decide"
        }
        "server-assumed" => "limits, placement sets, default chunks, formula and backfill depth are not seen",
        "queues-assumed" | "queue-assumed" => {
            "stopped queues, priorities, limits and default chunks are not seen"
        }
        "server-counted" | "queues-counted" => "what jobs use that the dump does not show",
        "nodes-counted" => "vnodes that are down count as usable",
        "sched-assumed" => "do_not_span_psets, preemption order, formula and partitions are not seen",
        "hold-assumed" => "whether the end of another job releases it, or only its user",
        "no-resource-list" => "which vnodes the job gets, and when it ends",
        "no-jobs" => "nothing waits and nothing runs here",
        "no-nodes" => "which jobs can start, and where and when",
        "zone-guessed" => "dates may be off by whole hours: ends of jobs, waiting times, windows",
        "now-by-mtime" | "now-unknown" | "now-missing" => {
            "ends of jobs, estimates, and what is prime or dedicated time"
        }
        "resource-undefined" | "resource-type" => {
            "whether amounts of it are counted, and how its values compare"
        }
        "ordinary-user" => "the order of jobs queued in one second, groups' limits, chunks' defaults",
        "group-unknown" => "jobs may run here that their group's limit holds",
        "several-schedulers" => "jobs and vnodes of other partitions are not considered",
        "version" => "rules of another version may differ",
        "node-no-state" => UNUSABLE,
        "prefix-missing" | "smp-cluster-dist" => "",
        _ => return None,
    })
}

/// The effect of a vnode's state that is missing or unknown.
const UNUSABLE: &str = "such a vnode is taken for unusable";

fn other(code: &str) -> Option<&'static str> {
    Some(match code {
        "resource-value" => "the vnode or job counts as without a value of it",
        "node-state" => UNUSABLE,
        "record-damaged" | "record-cut" | "json-damaged" | "json-cut" | "dump-incomplete"
        | "limit-record-size" | "limit-nesting" | "job-state" => {
            "what is left out neither waits nor takes anything"
        }
        "json-quote" | "text-faked" => "that record's values from there on",
        "text-cut" => "what is left out neither waits nor takes anything; else that record's last value",
        "record-repeated" => "the earlier record is ignored",
        "jobs-gone" => "nothing: they neither wait nor take anything",
        "select" | "place" => "the job cannot be placed",
        "limit" => "that limit is not applied",
        "preempt-word" => "which jobs are preempted, and how",
        "timestamp" => "as if the dump stated no time",
        "file-unreadable" => "as if the file were not there",
        "torque" => "everything: its scheduler decides otherwise",
        "wrong-command" => "vnodes are lost in sums, and jobs have no request: every placement",
        "hosts" => "jobs are placed on hosts as if each were one vnode",
        "torque-stale" => "the node may be down, or run other jobs",
        "torque-left-over" => "the job takes its slots there still",
        _ => return None,
    })
}
