//! Which rows of the queue are marked: those that changed and new ones, for two refreshes and five seconds at least;
//! those that left, for one refresh and as long at least (console.md 6, Live).

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::LeftJob;
use qscope_engine::cluster::{Epoch, JobId, Name};
use qscope_engine::cycle::Run;

/// So many snapshots show a mark, the one that it came with among them.
const REFRESHES: u32 = 2;

/// So many seconds a mark stays at least.
const SECONDS: i64 = 5;

/// Jobs that are not as they were in a snapshot before.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ChangedJobs {
    /// With another verdict, reason, path or nodes.
    pub(crate) changed: FxHashSet<JobId>,
    /// Not there before.
    pub(crate) new: FxHashSet<JobId>,
    /// There before, and not any more.
    pub(crate) left: Vec<LeftJob>,
}

/// A mark since when, and on how many snapshots so far.
#[derive(Debug, Clone, Copy)]
struct RowMark {
    is_new: bool,
    since: Epoch,
    refreshes: u32,
}

/// The marks of a snapshot's rows.
#[derive(Debug, Clone, Default)]
pub(crate) struct RowMarks {
    by_name: FxHashMap<Name, RowMark>,
    shown: ChangedJobs,
    left: Arc<[LeftJob]>,
    /// Since when each of them is marked.
    left_since: Vec<Epoch>,
}

impl RowMarks {
    /// Those that came with a snapshot and those that stay of the one before.
    pub(crate) fn after(before: &Self, run: &Run, came: &ChangedJobs, now: Epoch) -> Self {
        let stays = |mark: &RowMark| mark.refreshes < REFRESHES || now.0 - mark.since.0 < SECONDS;
        let kept = before.by_name.iter().filter(|(_, mark)| stays(mark));
        let mut by_name: FxHashMap<Name, RowMark> = kept
            .map(|(name, mark)| (name.clone(), RowMark { refreshes: mark.refreshes + 1, ..*mark }))
            .collect();
        for (jobs, is_new) in [(&came.changed, false), (&came.new, true)] {
            let mark = RowMark { is_new, since: now, refreshes: 1 };
            by_name.extend(jobs.iter().map(|job| (run.plan.job(*job).name.clone(), mark)));
        }
        let mut shown = ChangedJobs::default();
        if !by_name.is_empty() {
            for (id, job) in run.plan.snap.jobs.enumerate() {
                match by_name.get(&job.name) {
                    Some(mark) if mark.is_new => shown.new.insert(id),
                    Some(_) => shown.changed.insert(id),
                    None => false,
                };
            }
        }
        let (left, left_since) =
            Self::left_after(before, run, came, now).into_iter().unzip::<_, _, Vec<_>, _>();
        Self { by_name, shown, left: left.into(), left_since }
    }

    /// The jobs that left, with those of the snapshot before that left not long ago and did not come back.
    fn left_after(before: &Self, run: &Run, came: &ChangedJobs, now: Epoch) -> Vec<(LeftJob, Epoch)> {
        let kept = before.left.iter().zip(&before.left_since).filter(|(_, since)| now.0 - since.0 < SECONDS);
        let mut left: Vec<(LeftJob, Epoch)> = kept.map(|(job, since)| (job.clone(), *since)).collect();
        if !left.is_empty() {
            let jobs = run.plan.snap.jobs.iter().filter(|job| !job.state.is_over());
            let there: FxHashSet<&Name> = jobs.map(|job| &job.name).collect();
            left.retain(|(job, _)| !there.contains(&job.name));
        }
        let again: FxHashMap<&Name, &LeftJob> = came.left.iter().map(|job| (&job.name, job)).collect();
        left.retain(|(job, _)| !again.contains_key(&job.name));
        left.iter_mut().for_each(|(job, _)| job.reanchor(&again));
        left.extend(came.left.iter().map(|job| (job.clone(), now)));
        left
    }

    /// The jobs that left, whose rows stay for a while.
    pub(crate) fn left(&self) -> &Arc<[LeftJob]> {
        &self.left
    }

    /// The jobs whose rows are marked as changed.
    pub(crate) fn changed(&self) -> &FxHashSet<JobId> {
        &self.shown.changed
    }

    /// Whether the row of a job is marked as changed.
    pub(crate) fn is_changed(&self, job: JobId) -> bool {
        self.shown.changed.contains(&job)
    }

    /// Whether it is marked as new.
    pub(crate) fn is_new(&self, job: JobId) -> bool {
        self.shown.new.contains(&job)
    }
}
