//! What differs between two cycles: two generations of one cluster, two folders, or one cluster under other
//! settings.
//!
//! Everything is matched by name, since ids are of one snapshot only. Only what differs is kept.

pub mod changes;
pub mod in_cycle;
mod jobs;
mod nodes;
mod settings;
mod since;

use std::sync::Arc;

use serde::Serialize;

use super::moments::Moments;
use qscope_engine::cluster::{Epoch, Snapshot};
use qscope_engine::cycle::Run;

use jobs::BothReasons;
pub use jobs::{JobChange, JobChangeKind, Stand};
pub use nodes::{AmountChange, NodeChange, NodeChangeKind, changed_nodes};
pub use settings::SettingChange;
use since::Since;

/// A value of one name that is not what it was; none where it is not set.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
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
    /// Jobs with another verdict, maybe only since the two sides are not made of the same dumps. They do not count as
    /// differences.
    pub unsure: Vec<JobChange>,
    /// Why they are not sure: one of two dumps is another one, and how far the two are apart, or which dump one side
    /// lacks.
    pub doubt: Option<String>,
    /// Vnodes in the order of the dump, gone ones last.
    pub nodes: Vec<NodeChange>,
    /// Settings of the server, the scheduler, the queues and the reservations.
    pub settings: Vec<SettingChange>,
}

impl Comparison {
    /// Compares a second cycle with a first one. A few milliseconds for ten thousand jobs and vnodes.
    pub fn of(before: &Run, after: &Run) -> Self {
        Self::with_reasons(before, after, &BothReasons::default())
    }

    /// The same with the jobs that wait for another cause under the same comment, and without those that wait for the same
    /// one under another comment: they are analysed on both sides, so that a difference has what the queue shows. For a
    /// worker.
    pub fn explained(before: &Arc<Run>, after: &Arc<Run>) -> Self {
        let found = Self::of(before, after);
        let reasons = if found.differs() { BothReasons::of(before, after) } else { None };
        reasons.map_or(found, |reasons| Self::with_reasons(before, after, &reasons))
    }

    fn with_reasons(before: &Run, after: &Run, reasons: &BothReasons) -> Self {
        let doubt = doubt(&before.plan.snap, &after.plan.snap);
        let nodes = nodes::changes(&before.plan.snap, &after.plan.snap);
        let settings = settings::changes(&before.plan, &after.plan);
        let mut all = jobs::changes(before, after, reasons);
        let since = Since::of(&all, &nodes, &settings);
        for change in &mut all {
            change.since = since.words(change);
        }
        let (unsure, jobs) = all.into_iter().partition(|change| doubt.is_some() && change.is_by_the_model());
        Self { from: before.plan.snap.now, to: after.plan.snap.now, jobs, unsure, doubt, nodes, settings }
    }

    /// Whether anything differs at all.
    pub fn differs(&self) -> bool {
        !(self.jobs.is_empty() && self.nodes.is_empty() && self.settings.is_empty())
    }

    /// The jobs that changed in this way.
    pub fn jobs_that(&self, kind: JobChangeKind) -> impl Iterator<Item = &JobChange> {
        self.jobs.iter().filter(move |change| change.kind == kind)
    }
}

/// Why verdicts may differ without anything having happened.
fn doubt(before: &Snapshot, after: &Snapshot) -> Option<String> {
    let (then, now) = (Moments::of(before), Moments::of(after));
    let skew = if now.apart() > then.apart() { now.skew() } else { then.skew() };
    let skew =
        skew.filter(|_| now.one_is_new(then)).map(|skew| format!("only one of two dumps is new: {skew}"));
    let silent = settings::read_once(before, after);
    let lacks = (!silent.is_empty()).then(|| format!("read on one side only: {}", silent.join(", ")));
    let reasons: Vec<String> = skew.into_iter().chain(lacks).collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

#[cfg(test)]
mod tests;
