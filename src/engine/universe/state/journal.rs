//! The journal: everything that changed, so that it can be undone and redone.

use crate::cluster::{Epoch, number_of};
use crate::universe::sets::dirty::DirtySets;
use crate::universe::{Cells, Change, EventKey, EventKind, SetIx, State};

/// A position in a journal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Mark(pub u32);

/// Changes in the order made. Those before the cursor are done; those after it are undone and can be
/// redone. The same entry serves both ways.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    entries: Vec<Change>,
    cursor: usize,
}

impl Journal {
    /// Where the journal stands.
    pub fn mark(&self) -> Mark {
        Mark(number_of(self.cursor))
    }

    /// How many changes are recorded.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many bytes it takes.
    pub fn weight(&self) -> usize {
        self.entries.iter().map(Change::weight).sum()
    }

    /// Whether nothing changed since then but who runs and what failed.
    pub(crate) fn is_of_jobs_since(&self, since: Mark) -> bool {
        let mut changes = self.entries.iter().take(self.cursor).skip(since.0 as usize);
        changes.all(|change| matches!(change, Change::Ledger(_)))
    }

    /// Records a change that was just made; changes that had been undone are forgotten.
    pub(in crate::universe) fn record(&mut self, change: Change) {
        self.entries.truncate(self.cursor);
        self.entries.push(change);
        self.cursor += 1;
    }
}

/// Where something that is only tried out began.
#[derive(Clone, Debug)]
pub struct Trial {
    mark: Mark,
    dirty_sets: DirtySets,
}

impl State {
    /// Makes room in the journal for so many more changes.
    pub(crate) fn reserve_changes(&mut self, count: usize) {
        self.journal.entries.reserve(count);
    }

    /// Something is to be tried out.
    pub fn begin_trial(&self) -> Trial {
        Trial { mark: self.mark(), dirty_sets: self.sets.dirty().clone() }
    }

    /// Undoes all that was tried out: the same as a rollback, but sets that were summed up before stand so again and
    /// need not be summed up once more.
    pub fn end_trial(&mut self, trial: Trial) {
        self.rollback(trial.mark);
        self.cells.sets.set_dirty(trial.dirty_sets);
    }

    /// The same, but for the host at which round robin goes on: the only thing that a simulation leaves behind (rule 11
    /// item 7).
    pub fn end_simulation(&mut self, trial: Trial) {
        let last_host = self.last_host;
        self.end_trial(trial);
        self.set_last_host(last_host);
    }

    /// Makes a change and records it.
    pub(in crate::universe) fn change(&mut self, mut change: Change) {
        change.swap(&mut self.cells);
        self.journal.record(change);
    }

    /// Where the state stands in its journal.
    pub fn mark(&self) -> Mark {
        self.journal.mark()
    }

    /// Undoes everything since `to` and forgets it.
    pub fn rollback(&mut self, to: Mark) {
        self.seek(to);
        let keep = self.journal.cursor;
        self.journal.entries.truncate(keep);
    }

    /// Undoes or redoes until the state stands at `to`, or at the end of its journal.
    pub fn seek(&mut self, to: Mark) {
        let to = to.0 as usize;
        let Self { journal: Journal { entries, cursor, .. }, cells } = self;
        let to = to.min(entries.len());
        entries.iter_mut().take(*cursor).skip(to).rev().for_each(|entry| entry.swap(cells));
        entries.iter_mut().take(to).skip(*cursor).for_each(|entry| entry.swap(cells));
        *cursor = to;
        self.settle_order();
    }

    /// Does something to the state and undoes it. The journal so far is kept out of it, so that what it holds beyond the
    /// position is not lost.
    pub fn aside<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let journal = std::mem::take(&mut self.journal);
        let result = work(self);
        self.rollback(Mark::default());
        self.journal = journal;
        result
    }

    /// Puts the sets whose sums changed where they belong in the designed order (rule 5.6 N4). That order follows
    /// from the sums, so it is no entry of the journal.
    pub(in crate::universe) fn settle_order(&mut self) {
        let Cells { plan, pools, sets, .. } = &mut self.cells;
        if let Some(by) = &plan.group_order {
            for pool in pools.iter_mut().filter(|pool| pool.refreshed) {
                let Some(ranks) = &mut pool.ranks else { continue };
                if let Some(order) = ranks.follow(by, &pool.order, sets, sets.disordered()) {
                    pool.order = order;
                }
            }
        }
        sets.set_ordered();
    }

    /// A key for an event that is not planned yet; its number is not given again when the plan is undone.
    pub(in crate::universe) fn fresh_event_key(&mut self, at: Epoch, kind: EventKind) -> EventKey {
        self.cells.timeline.fresh_key(at, kind)
    }

    /// Forgets how to undo what was done so far.
    pub fn forget_journal(&mut self) {
        self.journal = Journal::default();
    }

    /// Sets were counted anew, all but these.
    pub(in crate::universe) fn mark_counted(&mut self, but: &[SetIx]) {
        self.cells.sets.mark_counted(but);
    }
}
