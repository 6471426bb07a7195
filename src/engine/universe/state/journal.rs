//! The journal of all changes, by which they can be undone and redone.

use crate::cluster::{Epoch, number_of};
use crate::universe::sets::dirty::DirtySets;
use crate::universe::{EventKey, EventKind, SetIx, State, StateCells, StateChange};

/// A position in a journal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct JournalPosition(pub u32);

/// Changes in the order made. Those before the cursor are done, those after it are undone and can be redone. One
/// entry serves both directions.
#[derive(Clone, Debug, Default)]
pub struct Journal {
    entries: Vec<StateChange>,
    cursor: usize,
}

impl Journal {
    /// Returns the current position.
    pub fn mark(&self) -> JournalPosition {
        JournalPosition(number_of(self.cursor))
    }

    /// Returns the number of recorded changes.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing is recorded.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the size in bytes.
    pub fn weight(&self) -> usize {
        self.entries.iter().map(StateChange::weight).sum()
    }

    /// Whether all changes since `since` are changes of the ledger.
    pub(crate) fn is_of_jobs_since(&self, since: JournalPosition) -> bool {
        let mut changes = self.entries.iter().take(self.cursor).skip(since.0 as usize);
        changes.all(|change| matches!(change, StateChange::Ledger(_)))
    }

    /// Records a change that was just made; undone changes are dropped.
    pub(in crate::universe) fn record(&mut self, change: StateChange) {
        self.entries.truncate(self.cursor);
        self.entries.push(change);
        self.cursor += 1;
    }
}

/// The starting point of a trial, which is undone afterwards.
#[derive(Clone, Debug)]
pub struct TrialStart {
    mark: JournalPosition,
    dirty_sets: DirtySets,
}

impl State {
    /// Reserves room in the journal for this many more changes.
    pub(crate) fn reserve_changes(&mut self, count: usize) {
        self.journal.entries.reserve(count);
    }

    /// Begins a trial.
    pub fn begin_trial(&self) -> TrialStart {
        TrialStart { mark: self.mark(), dirty_sets: self.sets.dirty().clone() }
    }

    /// Undoes the trial. Unlike a rollback, this also restores which sets are dirty, so that sets summed before the
    /// trial need not be summed again.
    pub fn end_trial(&mut self, trial: TrialStart) {
        self.rollback(trial.mark);
        self.cells.sets.set_dirty(trial.dirty_sets);
    }

    /// Undoes a simulation, but keeps the host at which round robin continues: the only effect that a simulation has
    /// (rule 11 item 7).
    pub fn end_simulation(&mut self, trial: TrialStart) {
        let last_host = self.last_host;
        self.end_trial(trial);
        self.set_last_host(last_host);
    }

    /// Makes a change and records it.
    pub(in crate::universe) fn change(&mut self, mut change: StateChange) {
        change.swap(&mut self.cells);
        self.journal.record(change);
    }

    /// Returns the current position in the journal.
    pub fn mark(&self) -> JournalPosition {
        self.journal.mark()
    }

    /// Undoes and drops all changes after `to`.
    pub fn rollback(&mut self, to: JournalPosition) {
        self.seek(to);
        let keep = self.journal.cursor;
        self.journal.entries.truncate(keep);
    }

    /// Undoes or redoes changes until the position is `to`, or the end of the journal.
    pub fn seek(&mut self, to: JournalPosition) {
        let to = to.0 as usize;
        let Self { journal: Journal { entries, cursor, .. }, cells } = self;
        let to = to.min(entries.len());
        entries.iter_mut().take(*cursor).skip(to).rev().for_each(|entry| entry.swap(cells));
        entries.iter_mut().take(to).skip(*cursor).for_each(|entry| entry.swap(cells));
        *cursor = to;
        self.settle_order();
    }

    /// Runs `work` on the state and undoes it. The journal is set aside meanwhile, so that entries after the current
    /// position are kept.
    pub fn with_rollback<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let journal = std::mem::take(&mut self.journal);
        let result = work(self);
        self.rollback(JournalPosition::default());
        self.journal = journal;
        result
    }

    /// Updates the designed order of pools with sets whose sums changed (rule 5.6 N4). That order follows from the
    /// sums, so it has no journal entries.
    pub(in crate::universe) fn settle_order(&mut self) {
        let StateCells { plan, pools, sets, .. } = &mut self.cells;
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

    /// Returns a key for a new event; its serial number is not reused when the plan is undone.
    pub(in crate::universe) fn fresh_event_key(&mut self, at: Epoch, kind: EventKind) -> EventKey {
        self.cells.timeline.fresh_key(at, kind)
    }

    /// Drops the journal, so that changes so far can no longer be undone.
    pub fn forget_journal(&mut self) {
        self.journal = Journal::default();
    }

    /// Records that all sets except these were counted again.
    pub(in crate::universe) fn mark_counted(&mut self, but: &[SetIx]) {
        self.cells.sets.mark_counted(but);
    }
}
