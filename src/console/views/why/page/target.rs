//! What a page explains.

use std::sync::Arc;

use crate::views::{Object, ViewContext};
use crate::wording;
use qscope_engine::cluster::{JobId, Snapshot, short_id};
use qscope_engine::cycle::Verdict;
use qscope_session::Generation;

/// What a page explains, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::views::why) enum WhyTarget {
    /// Why a job waits, or a subjob that is not in the dump.
    Job(String),
    /// Why a node takes nothing, or not this job.
    Node { node: String, job: Option<String> },
}

impl WhyTarget {
    /// The job with an id. Subjobs that are not in the dump keep their own name, although their array represents them.
    pub(in crate::views::why) fn of_job(id: &str, snap: &Snapshot) -> Self {
        let subjob = Object::of_subjobs(id, snap);
        let job = subjob.or_else(|| Some(Object::of_job(snap.job_meant(id)?, snap)));
        Self::Job(job.map_or_else(|| id.to_owned(), |job| job.name().to_owned()))
    }

    /// The target for an object of the back stack.
    pub(in crate::views::why) fn of_object(object: &Object, cx: ViewContext<'_>) -> Option<Self> {
        match object {
            Object::Job(name) => Some(Self::of_job(name, cx.snapshot())),
            Object::Node(name) => Some(Self::Node { node: name.clone(), job: None }),
            _ => None,
        }
    }

    /// States that the snapshot does not have it, and the moment of the last one that had it.
    pub(in crate::views::why) fn absence_words(&self, cx: ViewContext<'_>) -> String {
        let name = match self {
            Self::Job(job) => short_id(job),
            Self::Node { node, .. } => node,
        };
        let last = self.last_seen(cx);
        let last =
            last.map(|kept| format!("; last seen {}", wording::clock(&kept.snapshot, kept.snapshot.now)));
        format!("{name} is not in this snapshot{}", last.unwrap_or_default())
    }

    /// The last snapshot before the one shown that has it.
    pub(in crate::views::why) fn last_seen<'a>(&self, cx: ViewContext<'a>) -> Option<&'a Arc<Generation>> {
        let has = |snap: &Snapshot| match self {
            Self::Job(job) => snap.job_meant(job).is_some(),
            Self::Node { node, .. } => snap.node_named(node).is_some(),
        };
        let before = |kept: &&Arc<Generation>| kept.number < cx.generation().number;
        cx.following.history.iter().rev().filter(before).find(|kept| has(&kept.snapshot))
    }

    /// Whether it is about a job, or about a subjob of it that is not in the dump.
    pub(in crate::views::why) fn is_about(&self, job: JobId, cx: ViewContext<'_>) -> bool {
        self.is_job() && self.job().and_then(|name| cx.job_meant(name)) == Some(job)
    }

    /// The object for the back stack.
    pub(in crate::views::why) fn object(&self) -> Object {
        match self {
            Self::Job(job) => Object::Job(job.clone()),
            Self::Node { node, .. } => Object::Node(node.clone()),
        }
    }

    /// The job it is about.
    pub(in crate::views::why) fn job(&self) -> Option<&String> {
        match self {
            Self::Job(job) => Some(job),
            Self::Node { job, .. } => job.as_ref(),
        }
    }

    /// Whether it is about a job only.
    pub(in crate::views::why) fn is_job(&self) -> bool {
        matches!(self, Self::Job(_))
    }

    /// The next or previous waiting job in the order considered, or node of the snapshot.
    pub(in crate::views::why) fn sibling(&self, forward: bool, cx: ViewContext<'_>) -> Option<Self> {
        let (snap, run) = (cx.snapshot(), cx.run());
        match self {
            Self::Job(job) => {
                let here = snap.job_meant(job)?;
                let mut jobs: Vec<JobId> = run
                    .outcomes()
                    .filter(|outcome| outcome.job == here || run.verdict(outcome) != Verdict::Run)
                    .map(|outcome| outcome.job)
                    .filter(|job| *job == here || !snap.jobs[*job].is_all_started())
                    .collect();
                // An array is considered once for each of its subjobs.
                jobs.dedup();
                let next = *neighbour(&jobs, |job| *job == here, forward)?;
                Some(Self::Job(snap.jobs[next].name.to_string()))
            }
            Self::Node { node, job } => {
                let nodes: Vec<&str> = snap.nodes.iter().map(|node| &*node.name).collect();
                let next = neighbour(&nodes, |name| *name == node.as_str(), forward)?;
                Some(Self::Node { node: (*next).to_owned(), job: job.clone() })
            }
        }
    }

    /// Whether the snapshot has it.
    pub(in crate::views::why) fn exists(&self, cx: ViewContext<'_>) -> bool {
        match self {
            Self::Job(job) => cx.job_meant(job).is_some(),
            Self::Node { node, .. } => cx.plan().node_named(node).is_some(),
        }
    }
}

/// The element after or before the first one that `meant` accepts.
fn neighbour<T>(all: &[T], meant: impl Fn(&T) -> bool, forward: bool) -> Option<&T> {
    let here = all.iter().position(meant)?;
    all.get(if forward { here + 1 } else { here.checked_sub(1)? })
}
