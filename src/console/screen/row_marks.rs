//! Marks of rows of jobs and nodes: changed and new rows are marked for at least two refreshes and five seconds, rows
//! of jobs that left for at least one refresh and as long (console.md 6, Live).

use std::hash::Hash;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{CycleRow, DepartedJob, Screen};
use qscope_engine::cluster::{Epoch, Id, JobId, Name, NodeId};
use qscope_engine::cycle::Run;
use qscope_engine::universe::Bit;

/// Minimum number of snapshots that show a mark, including the one it came with.
const REFRESHES: u32 = 2;

/// Minimum number of seconds that a mark stays.
const SECONDS: i64 = 5;

/// Objects of one kind that changed since an earlier snapshot.
#[derive(Debug, Clone)]
pub(crate) struct ChangedIds<I> {
    /// Jobs with another verdict, reason, path or nodes, or nodes that changed.
    pub(crate) changed: FxHashSet<I>,
    /// Objects that did not exist before.
    pub(crate) new: FxHashSet<I>,
}

impl<I> Default for ChangedIds<I> {
    fn default() -> Self {
        Self { changed: FxHashSet::default(), new: FxHashSet::default() }
    }
}

/// What changed since an earlier snapshot.
#[derive(Debug, Clone, Default)]
pub(crate) struct ChangedRows {
    pub(crate) jobs: ChangedIds<JobId>,
    pub(crate) nodes: ChangedIds<NodeId>,
    /// Jobs that do not exist any more.
    pub(crate) left: Vec<DepartedJob>,
}

/// A mark: since when, and on how many snapshots so far.
#[derive(Debug, Clone, Copy)]
struct RowMark {
    is_new: bool,
    since: Epoch,
    refreshes: u32,
}

impl RowMark {
    /// The mark on the next snapshot, if it stays.
    fn on_next(self, now: Epoch) -> Option<Self> {
        let stays = self.refreshes < REFRESHES || now.0 - self.since.0 < SECONDS;
        stays.then_some(Self { refreshes: self.refreshes + 1, ..self })
    }
}

#[derive(Debug, Clone)]
struct KindMarks<I> {
    by_name: FxHashMap<Name, RowMark>,
    shown: ChangedIds<I>,
}

impl<I> Default for KindMarks<I> {
    fn default() -> Self {
        Self { by_name: FxHashMap::default(), shown: ChangedIds::default() }
    }
}

impl<I: Copy + Eq + Hash> KindMarks<I> {
    /// The marks that came with a snapshot, whose objects are `all`, and those that stay from the one before.
    fn after<'n>(
        before: &Self,
        came: &ChangedIds<I>,
        all: impl Iterator<Item = (I, &'n Name)>,
        now: Epoch,
    ) -> Self {
        let mut marks = Self::default();
        if before.by_name.is_empty() && came.changed.is_empty() && came.new.is_empty() {
            return marks;
        }
        for (id, name) in all {
            let is_new = came.new.contains(&id);
            let fresh = || RowMark { is_new, since: now, refreshes: 1 };
            let came = (is_new || came.changed.contains(&id)).then(fresh);
            let kept = || before.by_name.get(name).and_then(|mark| mark.on_next(now));
            let Some(mark) = came.or_else(kept) else { continue };
            marks.by_name.insert(name.clone(), mark);
            let shown = if mark.is_new { &mut marks.shown.new } else { &mut marks.shown.changed };
            shown.insert(id);
        }
        marks
    }
}

/// The mark of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowSign {
    /// Its job was considered last.
    StepHere,
    /// The job considered last starts on this node.
    JustTaken,
    Changed,
    New,
    /// Its job was considered earlier.
    StepDone,
    Departed,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct RowMarks {
    jobs: KindMarks<JobId>,
    nodes: KindMarks<NodeId>,
    left: Arc<[DepartedJob]>,
    /// Since when each job that left is marked.
    left_since: Vec<Epoch>,
}

impl RowMarks {
    /// The marks that came with a snapshot, and those that stay from the one before.
    pub(crate) fn after(before: &Self, run: &Run, came: &ChangedRows, now: Epoch) -> Self {
        let snap = &run.plan.snap;
        let jobs = snap.jobs.enumerate().map(|(id, job)| (id, &job.name));
        let nodes = snap.nodes.enumerate().map(|(id, node)| (id, &node.name));
        let (left, left_since) =
            Self::departed_after(before, run, came, now).into_iter().unzip::<_, _, Vec<_>, _>();
        Self {
            jobs: KindMarks::after(&before.jobs, &came.jobs, jobs, now),
            nodes: KindMarks::after(&before.nodes, &came.nodes, nodes, now),
            left: left.into(),
            left_since,
        }
    }

    /// The jobs that left, including those that left recently before and did not come back.
    fn departed_after(
        before: &Self,
        run: &Run,
        changed: &ChangedRows,
        now: Epoch,
    ) -> Vec<(DepartedJob, Epoch)> {
        let kept = before.left.iter().zip(&before.left_since).filter(|(_, since)| now.0 - since.0 < SECONDS);
        let mut left: Vec<(DepartedJob, Epoch)> = kept.map(|(job, since)| (job.clone(), *since)).collect();
        if !left.is_empty() {
            let jobs = run.plan.snap.jobs.iter().filter(|job| !job.state.is_over());
            let there: FxHashSet<&Name> = jobs.map(|job| &job.name).collect();
            left.retain(|(job, _)| !there.contains(&job.name));
        }
        let again: FxHashMap<&Name, &DepartedJob> = changed.left.iter().map(|job| (&job.name, job)).collect();
        left.retain(|(job, _)| !again.contains_key(&job.name));
        left.iter_mut().for_each(|(job, _)| job.reanchor(&again));
        left.extend(changed.left.iter().map(|job| (job.clone(), now)));
        left
    }

    /// The jobs that left, whose rows stay for a while.
    pub(crate) fn departed(&self) -> &Arc<[DepartedJob]> {
        &self.left
    }

    /// Marks the row of a job whose change is found later than its snapshot.
    pub(super) fn mark_changed(&mut self, job: JobId, name: &Name, now: Epoch) {
        if !self.jobs.shown.new.contains(&job) && self.jobs.shown.changed.insert(job) {
            self.jobs.by_name.insert(name.clone(), RowMark { is_new: false, since: now, refreshes: 1 });
        }
    }

    /// The jobs whose rows are marked as changed.
    pub(crate) fn changed(&self) -> &FxHashSet<JobId> {
        &self.jobs.shown.changed
    }
}

impl Screen {
    /// The mark of a job's row.
    pub(crate) fn sign_of(&self, row: CycleRow) -> Option<RowSign> {
        let (job, done, marks) = (row.job(self.run()), self.debugger.position(), &self.row_marks.jobs.shown);
        match row {
            CycleRow::Step(step) if step.ix() + 1 == done => Some(RowSign::StepHere),
            _ if job.is_some_and(|job| marks.changed.contains(&job)) => Some(RowSign::Changed),
            _ if job.is_some_and(|job| marks.new.contains(&job)) => Some(RowSign::New),
            CycleRow::Step(step) if step.ix() < done => Some(RowSign::StepDone),
            _ => None,
        }
    }

    /// The mark of a node's row; `taken` are the nodes of the job considered last.
    pub(crate) fn sign_of_node(&self, bit: Bit, taken: &[Bit]) -> Option<RowSign> {
        let (id, marks) = (self.run().plan.nodes[bit].id, &self.row_marks.nodes.shown);
        match () {
            () if taken.contains(&bit) => Some(RowSign::JustTaken),
            () if marks.changed.contains(&id) => Some(RowSign::Changed),
            () if marks.new.contains(&id) => Some(RowSign::New),
            () => None,
        }
    }
}
