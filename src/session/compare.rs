//! Compares two cycles: of two generations of one cluster, of two folders, or of one cluster with other settings.
//!
//! Everything is matched by name, since ids are specific to a snapshot. Only differences are kept.

mod causes_between;
pub mod changes;
pub mod in_cycle;
mod jobs;
mod nodes;
mod settings;

use std::sync::Arc;

use serde::Serialize;

use super::dump_times::DumpTimes;
use qscope_engine::cluster::{Epoch, Snapshot};
use qscope_engine::cycle::Run;

use causes_between::ChangeIndex;
use jobs::BothReasons;
pub use jobs::{JobChange, JobChangeKind, JobSituation};
pub use nodes::{AmountChange, NodeChange, NodeChangeKind, changed_nodes};
pub use settings::SettingChange;

/// A changed value; `None` on a side where it is not set.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FieldChange {
    /// Name of the attribute.
    pub name: String,
    pub before: Option<String>,
    /// Value after.
    pub after: Option<String>,
}

/// Differences between a cycle and a later or different one.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Comparison {
    /// The time of the first side.
    pub from: Epoch,
    /// The time of the second side.
    pub to: Epoch,
    /// Changed jobs, by kind of change, then in the order considered.
    pub jobs: Vec<JobChange>,
    /// Jobs whose verdict may differ only because the two sides are not made from the same dumps. They do not count
    /// as differences.
    pub uncertain: Vec<JobChange>,
    /// Why they are uncertain: only one of two dumps is new, with the time between the two, or a dump that one side
    /// lacks.
    pub doubt: Option<String>,
    /// Changed vnodes in the order of the dump, removed ones last.
    pub nodes: Vec<NodeChange>,
    /// Changed settings of the server, the scheduler, the queues and the reservations.
    pub settings: Vec<SettingChange>,
}

impl Comparison {
    /// Compares a second cycle with a first one. Takes a few milliseconds for ten thousand jobs and vnodes.
    pub fn of(before: &Run, after: &Run) -> Self {
        let (was, is) = (&before.plan.snap, &after.plan.snap);
        let found = Self {
            from: was.now,
            to: is.now,
            doubt: doubt(was, is),
            nodes: nodes::changes(was, is),
            settings: settings::changes(&before.plan, &after.plan),
            ..Self::default()
        };
        found.with_jobs(before, after, &BothReasons::default())
    }

    /// The same with the jobs that wait for another cause under the same comment, and without those that wait for the same
    /// one under another comment: they are analysed on both sides, so that a difference has what the queue shows. For a
    /// worker.
    pub fn explained(before: &Arc<Run>, after: &Arc<Run>) -> Self {
        let found = Self::of(before, after);
        let reasons = if found.differs() { BothReasons::of(before, after) } else { None };
        match reasons {
            Some(reasons) => found.with_jobs(before, after, &reasons),
            None => found,
        }
    }

    /// Compares the jobs; nodes and settings, which are compared already, are what they may differ by.
    fn with_jobs(self, before: &Run, after: &Run, reasons: &BothReasons) -> Self {
        let mut all = jobs::changes(before, after, reasons);
        let since = ChangeIndex::of(&all, &self.nodes, &self.settings);
        for change in &mut all {
            change.since = since.words(change);
        }
        let has_doubt = self.doubt.is_some();
        let (uncertain, jobs) = all.into_iter().partition(|change| has_doubt && change.is_by_the_model());
        Self { jobs, uncertain, ..self }
    }

    /// Whether anything differs.
    pub fn differs(&self) -> bool {
        !(self.jobs.is_empty() && self.nodes.is_empty() && self.settings.is_empty())
    }

    /// Returns the jobs with this kind of change.
    pub fn jobs_that(&self, kind: JobChangeKind) -> impl Iterator<Item = &JobChange> {
        self.jobs.iter().filter(move |change| change.kind == kind)
    }
}

/// Returns why verdicts may differ although nothing happened.
fn doubt(before: &Snapshot, after: &Snapshot) -> Option<String> {
    let (then, now) = (DumpTimes::of(before), DumpTimes::of(after));
    let skew = if now.gap_seconds() > then.gap_seconds() { now.skew() } else { then.skew() };
    let skew =
        skew.filter(|_| now.one_is_new(then)).map(|skew| format!("only one of two dumps is new: {skew}"));
    let silent = settings::read_once(before, after);
    let lacks = (!silent.is_empty()).then(|| format!("read on one side only: {}", silent.join(", ")));
    let reasons: Vec<String> = skew.into_iter().chain(lacks).collect();
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

#[cfg(test)]
mod tests;
