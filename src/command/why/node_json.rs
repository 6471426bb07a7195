//! Nodes in the answers of `qscope why --node` and `qscope why-node`, for programs.

use serde::Serialize;

use qscope_explain::{NodeStory, PartOnNode};

/// Why a node does not take a job.
#[derive(Serialize)]
pub(super) struct NodePartsJson<'a> {
    name: &'a str,
    /// The chunks of the select.
    parts: Vec<PartJson<'a>>,
}

/// One chunk of the select on the node.
#[derive(Serialize)]
struct PartJson<'a> {
    part: &'a str,
    /// The conditions that fail.
    fails: Vec<FailureJson<'a>>,
}

/// A condition that fails.
#[derive(Serialize)]
struct FailureJson<'a> {
    condition: String,
    /// What the node has.
    has: &'a str,
}

/// Which waiting jobs a node refuses, and why.
#[derive(Serialize)]
pub(super) struct NodeJson<'a> {
    node: &'a str,
    state: &'a str,
    comment: &'a Option<String>,
    /// The jobs on it.
    jobs: &'a [String],
    /// The jobs that this cycle starts on it.
    starting: &'a [String],
    left: Vec<LeftJson<'a>>,
    /// What is planned on it: `JOB from TIME`.
    planned: Vec<String>,
    turned_away: Vec<RefusedJson<'a>>,
    /// The jobs that it could take.
    could_take: &'a [String],
}

/// What is left of a resource.
#[derive(Serialize)]
struct LeftJson<'a> {
    resource: &'a str,
    left: &'a str,
    total: &'a str,
}

/// The waiting jobs that are refused for one reason.
#[derive(Serialize)]
struct RefusedJson<'a> {
    reason: &'a str,
    /// How many.
    jobs: u64,
    /// A few of them.
    sample: &'a [String],
}

impl<'a> NodePartsJson<'a> {
    pub(super) fn of(name: &'a str, parts: &'a [PartOnNode]) -> Self {
        let part = |part: &'a PartOnNode| {
            let fails = part.failures.iter();
            let fails =
                fails.map(|one| FailureJson { condition: one.condition.words().to_string(), has: &one.have });
            PartJson { part: &part.part, fails: fails.collect() }
        };
        Self { name, parts: parts.iter().map(part).collect() }
    }
}

impl<'a> NodeJson<'a> {
    pub(super) fn of(story: &'a NodeStory) -> Self {
        let left = story.left.iter().map(|(resource, left, total)| LeftJson { resource, left, total });
        let refused = story.refusals.iter().map(|one| RefusedJson {
            reason: &one.reason,
            jobs: one.jobs,
            sample: &one.sample,
        });
        Self {
            node: &story.node,
            state: &story.state,
            comment: &story.comment,
            jobs: &story.jobs,
            starting: &story.starting,
            left: left.collect(),
            planned: story.planned.iter().map(|(who, at)| format!("{who} from {at}")).collect(),
            turned_away: refused.collect(),
            could_take: &story.could,
        }
    }
}
