//! What differs between two cycles: two generations of one cluster, two folders, or one cluster under other
//! settings.
//!
//! Everything is matched by name, since ids are of one snapshot only. Only what differs is kept.

mod jobs;
mod nodes;
mod settings;

use super::moments::Moments;
use crate::cluster::Epoch;
use crate::cycle::Run;

pub use jobs::{JobChange, JobChangeKind, Stand};
pub use nodes::{AmountChange, NodeChange, NodeChangeKind};
pub use settings::SettingChange;

/// A value of one name that is not what it was; none where it is not set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FieldChange {
    /// The attribute, under its own name.
    pub name: String,
    /// What it was.
    pub before: Option<String>,
    /// What it is.
    pub after: Option<String>,
}

/// What differs between a cycle and a later or another one.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Comparison {
    /// The moment of the first one.
    pub from: Epoch,
    /// The moment of the second one.
    pub to: Epoch,
    /// Jobs, by kind of change, then in the order considered.
    pub jobs: Vec<JobChange>,
    /// Jobs that the model judges otherwise while only one of the two dumps is another one: the time between the dumps
    /// may be all there is to it. They do not count as differences.
    pub unsure: Vec<JobChange>,
    /// Why they are not sure: which dump is newer, and by how much.
    pub skew: Option<String>,
    /// Vnodes in the order of the dump, gone ones last.
    pub nodes: Vec<NodeChange>,
    /// Settings of the server, the scheduler, the queues and the reservations.
    pub settings: Vec<SettingChange>,
}

impl Comparison {
    /// Holds a second cycle against a first one. A few milliseconds for ten thousand jobs and vnodes.
    #[must_use]
    pub fn of(before: &Run, after: &Run) -> Self {
        let (then, now) = (Moments::of(&before.plan.snap), Moments::of(&after.plan.snap));
        let all = jobs::changes(before, after);
        let apart = now.one_is_new(then);
        let (unsure, jobs) = all.into_iter().partition(|change| apart && change.is_by_the_model());
        Self {
            from: before.plan.snap.now,
            to: after.plan.snap.now,
            jobs,
            unsure,
            skew: if now.apart() > then.apart() { now.skew() } else { then.skew() }.filter(|_| apart),
            nodes: nodes::changes(&before.plan.snap, &after.plan.snap),
            settings: settings::changes(&before.plan, &after.plan),
        }
    }

    /// Whether anything differs at all.
    #[must_use]
    pub fn differs(&self) -> bool {
        !(self.jobs.is_empty() && self.nodes.is_empty() && self.settings.is_empty())
    }

    /// The jobs that changed in this way.
    pub fn jobs_that(&self, kind: JobChangeKind) -> impl Iterator<Item = &JobChange> {
        self.jobs.iter().filter(move |change| change.kind == kind)
    }
}

#[cfg(test)]
mod tests;
