//! Following or frozen: events of the session, and which snapshot is shown.

use std::sync::Arc;

use super::{Overlay, Screen, Shell};
use crate::following::{FollowFailure, FreezeReason};
use crate::screen::{PreparedSnapshot, take_over};
use crate::views::{MomentPurpose, Update};
use qscope_session::history::{History, MAX_BYTES, MAX_GENERATIONS, drop_aside};
use qscope_session::{CollectEvent, Generation, SessionEvent, TapeTarget};

impl Shell {
    /// Handles an event of the session; returns whether anything on the screen changed.
    pub(super) fn on_event(&mut self, event: SessionEvent) -> bool {
        if let SessionEvent::Collecting(event) = event {
            return self.on_collector_event(event);
        }
        if let SessionEvent::ReadingAt(at) = event {
            self.following.record_progress(at);
            return self.screen.is_none();
        }
        let (waited, was_reading) = self.end_reading(matches!(event, SessionEvent::Reading));
        match event {
            SessionEvent::Reading => return waited || (!was_reading && self.screen.is_none()),
            SessionEvent::Loaded(generation) => self.loaded(PreparedSnapshot::of(generation)),
            // A preview is not in the history, and is replaced by the first snapshot.
            SessionEvent::Preview { generation, why } => {
                self.following.waiting = Some(why);
                self.following.read_at = Some((self.clock)());
                match self.screen.is_some() && self.following.freeze.is_some() {
                    true => self.following.preview = Some(generation),
                    false => self.show(generation),
                }
            }
            SessionEvent::Failed { message, missing_file, at } => {
                // The time of the first failure is kept, however often reading is retried.
                let since = self.following.failure.take().map_or(at.into(), |failure| failure.at);
                self.following.failure = Some(FollowFailure { message, missing_file, at: since });
            }
            SessionEvent::Unchanged => {
                // The files are as they were when last read successfully, so the failure was one of a worker.
                let had_failed = self.following.failure.take().is_some();
                if !std::mem::take(&mut self.following.requested) {
                    return waited || had_failed;
                }
                self.set_status("files unchanged");
            }
            // A write in progress is not a failure: the last good snapshot stays until the file is complete, and the
            // header names what is being waited for.
            SessionEvent::Waiting { reason, .. } => self.following.waiting = Some(reason),
            SessionEvent::Collecting(_) | SessionEvent::ReadingAt(_) => {}
            SessionEvent::Recorded(how) => {
                self.following.reading = was_reading;
                self.following.recorded = Some(how);
            }
            SessionEvent::Watching(how) => {
                // What is as usual needs no room in the header.
                let how = (!how.is_usual()).then(|| how.to_string());
                return std::mem::replace(&mut self.following.watching, how.clone()) != how;
            }
        }
        true
    }

    /// Takes a snapshot that was prepared for the screen.
    pub(super) fn on_loaded(&mut self, ready: PreparedSnapshot) -> bool {
        self.end_reading(false);
        self.loaded(ready);
        true
    }

    /// Ends the last reading; the next one may have begun. Returns whether a file was being waited for, and whether one
    /// was being read.
    fn end_reading(&mut self, next: bool) -> (bool, bool) {
        self.following.reading_at.clear();
        let waited = self.following.waiting.take().is_some();
        (waited, std::mem::replace(&mut self.following.reading, next))
    }

    /// Takes an event of the collector; returns whether the screen shows that.
    fn on_collector_event(&mut self, event: CollectEvent) -> bool {
        let now = (self.clock)();
        let collection = self.following.collection.get_or_insert_default();
        let troubles = collection.failures().count();
        let rounds = collection.rounds;
        collection.on_event(event, now);
        let turned = collection.failures().count() != troubles || (rounds == 0 && collection.rounds == 1);
        turned || self.screen.is_none() || matches!(self.overlays.last(), Some(Overlay::Files(_)))
    }

    /// Keeps a snapshot without showing it, because a newer one is there.
    pub(super) fn keep(&mut self, generation: Arc<Generation>) {
        self.following.failure = None;
        self.following.preview = None;
        self.following.read_at = Some((self.clock)());
        if std::mem::take(&mut self.following.requested) {
            self.set_status("read again");
        }
        self.following.history.add(generation);
    }

    fn loaded(&mut self, ready: PreparedSnapshot) {
        self.count_snapshot();
        self.keep(ready.generation.clone());
        if self.following.freeze.is_none() || self.screen.is_none() {
            let analysis = self.unfinished();
            self.show_ready(ready);
            if let Some((analysis, screen)) = analysis.zip(self.screen.as_mut()) {
                screen.keep(analysis);
            }
        }
    }

    pub(super) fn show(&mut self, generation: Arc<Generation>) {
        self.show_ready(PreparedSnapshot::of(generation));
    }

    fn show_ready(&mut self, prepared: PreparedSnapshot) {
        let generation = prepared.generation.clone();
        take_over(&mut self.cycle_marks, &generation.run);
        let is_first = self.screen.is_none();
        let live = self.following.live.take().filter(|_| generation.what_if.is_some());
        self.following.live.clone_from(&live);
        let replaced = self.screen.take();
        self.screen = Some(match &replaced {
            Some(before) => {
                // A what-if is compared with the live cycle, not with the snapshot before.
                let base = live
                    .as_ref()
                    .or_else(|| self.following.history.last_consistent_before(generation.number));
                Screen::after(prepared, before, base.map(|base| &**base), (self.clock)())
            }
            None => Screen::new(prepared),
        });
        // The replaced screen may be the last owner of its cycle.
        drop_aside(replaced.map(Screen::into_deferred_drop).into_iter().collect());
        if is_first {
            self.restore_table();
            self.check_configured_tables();
            self.next_hint();
        }
        self.offer_again();
    }

    /// Number of snapshots newer than the one on the screen.
    pub fn newer(&self) -> u64 {
        self.screen.as_ref().map_or(0, |screen| self.following.newer_than(&screen.generation))
    }

    /// Reports that nothing can be shown yet.
    pub(super) fn set_still_reading(&mut self) {
        let source = &self.source;
        self.set_status(match self.following.failure {
            Some(_) => format!("{source} cannot be read; r reads it again"),
            None => format!("still reading {source}"),
        });
    }

    /// Goes to the next older or newer snapshot; the cursor stays on its job.
    pub(super) fn walk(&mut self, older: bool) -> Update {
        if self.following.has_tape() {
            return self.read_moment(
                if older { TapeTarget::Older } else { TapeTarget::Newer },
                MomentPurpose::ShowInView,
            );
        }
        self.walk_kept(older)
    }

    fn walk_kept(&mut self, older: bool) -> Update {
        let shown = self.screen.as_ref().map(|screen| screen.generation.number);
        // Key presses count even while a worker still runs the cycle of the previous one.
        let Some(number) = self.moving_to().or(shown) else { return Update::unchanged() };
        let history = &self.following.history;
        let to = if older { history.before(number) } else { history.after(number) };
        let Some(to) = to.cloned() else {
            self.set_status(if older {
                nothing_older(history)
            } else {
                "this is the newest; F follows".to_owned()
            });
            return Update::changed();
        };
        self.show_kept(to)
    }

    /// Shows a kept snapshot, frozen.
    pub(super) fn show_older(&mut self, generation: Arc<Generation>) {
        self.following.freeze = Some(FreezeReason::OlderSnapshot);
        self.show(generation);
    }

    /// Shows a what-if instead of the live snapshot, which is kept to go back to.
    pub(super) fn show_what_if(&mut self, what_if: Arc<Generation>) {
        let Some(screen) = &self.screen else { return };
        let live = self.following.live.take().unwrap_or_else(|| screen.generation.clone());
        self.following.freeze.get_or_insert(FreezeReason::OnRequest);
        self.following.live = Some(live);
        self.show(what_if);
        self.set_status("a what-if is shown; F goes back to the live cycle");
    }

    /// Returns from a what-if to the snapshot shown before, or to a newer one.
    fn leave_what_if(&mut self) -> bool {
        let Some(live) = self.following.live.take() else { return false };
        let newer = self.following.history.newest().filter(|newest| newest.number > live.number).cloned();
        self.show(newer.unwrap_or(live));
        self.set_status("the live cycle again");
        true
    }

    pub(super) fn on_worker_failed(&mut self, message: String) {
        // With files there is no last good reading that could have failed.
        if self.open_views.files.is_some() {
            return self.set_status(message);
        }
        self.following.failure = Some(FollowFailure { message, missing_file: None, at: (self.clock)() });
    }

    /// Freezes the snapshot.
    pub(super) fn freeze(&mut self) {
        if self.following.freeze.is_some() {
            self.set_status("frozen already; F follows again");
        } else {
            self.following.freeze = Some(FreezeReason::OnRequest);
        }
    }

    /// Freezes the snapshot for stepping: like memory under a debugger, it must not change.
    pub(super) fn freeze_for_stepping(&mut self) {
        self.following.freeze = Some(FreezeReason::Stepping);
    }

    /// Shows the newest snapshot, and every following one.
    pub(super) fn follow(&mut self) {
        let stopped = self.stop_moving();
        if self.following.freeze.take().is_none() {
            if stopped {
                return;
            }
            self.set_status("following already");
            return;
        }
        if self.leave_what_if() {
            return;
        }
        let newer = self.newer();
        let preview = self.following.preview.take();
        let newest = preview.or_else(|| self.following.history.newest().cloned());
        if let Some(newest) = newest.filter(|_| newer > 0) {
            self.show(newest);
            self.set_status(if newer == 1 {
                "1 newer, shown now".to_owned()
            } else {
                format!("{newer} newer, the last shown now")
            });
        } else if let Some(screen) = &mut self.screen {
            screen.debugger.seek(0);
            screen.follow_position();
        }
    }
}

/// Why there is no older snapshot.
fn nothing_older(history: &History) -> String {
    match history.dropped() {
        0 => "nothing was read before this one".to_owned(),
        dropped if history.is_bound_by_bytes() => {
            format!("{dropped} older ones were dropped: they would take more than {} MB", MAX_BYTES >> 20)
        }
        dropped => format!("{dropped} older ones were dropped: the last {MAX_GENERATIONS} are kept"),
    }
}

/// The message while the files are read on request.
pub(super) const READING_AGAIN: &str = "reading again";
