//! Live or frozen: what the session says, and which generation is shown.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use super::{Collection, Overlay, Shell, Shown, prefix};
use qscope_engine::cluster::Epoch;
use qscope_session::history::{History, MAX_BYTES, MAX_GENERATIONS};
use qscope_session::{CollectEvent, Generation, SessionEvent};

/// Reading failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What is wrong, with file and place.
    pub message: String,
    /// When.
    pub at: Epoch,
}

/// Why the screen stands still.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Freeze {
    /// Somebody steps.
    Stepping,
    /// Somebody asked for it.
    Asked,
    /// Somebody walks back through the generations.
    Back,
}

/// How the screen keeps up with the files.
#[derive(Debug, Default)]
pub struct Following {
    /// Whether it stands still, and why.
    pub(crate) freeze: Option<Freeze>,
    /// The generations that are kept, those that came while the screen stood still among them.
    pub(crate) history: History,
    /// The live generation, while a what-if is shown.
    pub(crate) live: Option<Arc<Generation>>,
    /// What is being waited for: a file in the middle of being written.
    pub(crate) waiting: Option<String>,
    /// The last reading, if it failed.
    pub(crate) failure: Option<Failure>,
    /// How changes are noticed.
    pub(crate) watching: Option<String>,
    /// Whether files are being read.
    pub(crate) reading: bool,
    /// The collector behind the screen, if there is one.
    pub(crate) collection: Option<Collection>,
}

impl Shell {
    /// Takes in what the session says; whether something on the screen changed.
    pub(super) fn hear(&mut self, event: SessionEvent) -> bool {
        if let SessionEvent::Collecting(event) = event {
            return self.hear_collector(event);
        }
        let waited = self.following.waiting.take().is_some();
        let was_reading =
            std::mem::replace(&mut self.following.reading, matches!(event, SessionEvent::Reading));
        match event {
            SessionEvent::Reading => return waited || (!was_reading && self.shown.is_none()),
            SessionEvent::Loaded(generation) => self.loaded(generation),
            SessionEvent::Failed { message, at } => {
                // Since when the last good reading stands, however often it is tried again.
                let since = self.following.failure.take().map_or(epoch(at), |failure| failure.at);
                self.following.failure = Some(Failure { message, at: since });
            }
            SessionEvent::Unchanged { .. } => {
                if self.message != READING_AGAIN {
                    return waited;
                }
                self.say("the files are what they were");
            }
            // A write in flight is no trouble: the last good generation stands until it is whole, and the header
            // says what is waited for.
            SessionEvent::Waiting { why, .. } => self.following.waiting = Some(why),
            SessionEvent::Collecting(_) => {}
            SessionEvent::Watching(how) => {
                let how = Some(how);
                return std::mem::replace(&mut self.following.watching, how.clone()) != how;
            }
        }
        true
    }

    /// Takes in what the collector does; the screen changes where it shows that.
    fn hear_collector(&mut self, event: CollectEvent) -> bool {
        let now = (self.clock)();
        let collection = self.following.collection.get_or_insert_default();
        let troubles = collection.failures().count();
        let rounds = collection.rounds;
        collection.hear(event, now);
        let turned = collection.failures().count() != troubles || (rounds == 0 && collection.rounds == 1);
        turned || self.shown.is_none() || matches!(self.overlays.top(), Some(Overlay::Files(_)))
    }

    fn loaded(&mut self, generation: Arc<Generation>) {
        self.following.failure = None;
        if self.message == READING_AGAIN {
            self.say("read again");
        }
        self.following.history.add(generation.clone());
        if self.following.freeze.is_none() || self.shown.is_none() {
            self.show(generation);
        }
    }

    fn show(&mut self, generation: Arc<Generation>) {
        prefix::take_over(&mut self.marks, &generation.run);
        let live = self.following.live.take().filter(|_| generation.what_if.is_some());
        self.following.live.clone_from(&live);
        self.shown = Some(match &self.shown {
            Some(before) => {
                // A what-if is marked against the live cycle, not against the generation before.
                let base = live.as_ref().or_else(|| self.following.history.whole_before(generation.number));
                Shown::after(generation.clone(), before, base.map(|base| &*base.run))
            }
            None => Shown::new(generation),
        });
    }

    /// How many generations came after the one on the screen.
    #[must_use]
    pub fn newer(&self) -> u64 {
        let newest = self.following.history.newest().map_or(0, |newest| newest.number);
        self.shown.as_ref().map_or(0, |shown| newest.saturating_sub(shown.generation.number))
    }

    /// To the generation before the one on the screen, or after it; the cursor stays on its job.
    pub(super) fn walk(&mut self, older: bool) {
        let Some(number) = self.shown.as_ref().map(|shown| shown.generation.number) else { return };
        let history = &self.following.history;
        let to = if older { history.before(number) } else { history.after(number) };
        let Some(to) = to.cloned() else {
            return self.say(if older {
                nothing_older(history)
            } else {
                "this is the newest; F follows".to_owned()
            });
        };
        self.following.freeze = Some(Freeze::Back);
        self.show(to);
    }

    /// Shows a what-if in the place of the live generation, which is kept to go back to.
    pub(super) fn look_into(&mut self, what_if: Arc<Generation>) {
        let Some(shown) = &self.shown else { return };
        let live = self.following.live.take().unwrap_or_else(|| shown.generation.clone());
        self.following.freeze.get_or_insert(Freeze::Asked);
        self.following.live = Some(live);
        self.show(what_if);
        self.say("a what-if is shown; F goes back to the live cycle");
    }

    /// Back from a what-if to what was shown before it, or to what came meanwhile.
    fn leave_what_if(&mut self) -> bool {
        let Some(live) = self.following.live.take() else { return false };
        let newer = self.following.history.newest().filter(|newest| newest.number > live.number).cloned();
        self.show(newer.unwrap_or(live));
        self.say("the live cycle again");
        true
    }

    pub(super) fn fail(&mut self, message: String) {
        self.following.failure = Some(Failure { message, at: (self.clock)() });
    }

    /// Stands still from now on.
    pub(super) fn freeze(&mut self) {
        if self.following.freeze.is_some() {
            self.say("frozen already; F follows again");
        } else {
            self.following.freeze = Some(Freeze::Asked);
        }
    }

    /// Stepping freezes: memory does not change under a debugger.
    pub(super) fn freeze_for_stepping(&mut self) {
        self.following.freeze = Some(Freeze::Stepping);
    }

    /// Shows the newest generation, and every one that comes.
    pub(super) fn follow(&mut self) {
        if self.following.freeze.take().is_none() {
            self.say("following already");
            return;
        }
        if self.leave_what_if() {
            return;
        }
        let newer = self.newer();
        if let Some(newest) = self.following.history.newest().filter(|_| newer > 0).cloned() {
            self.show(newest);
            self.say(if newer == 1 {
                "1 newer, shown now".to_owned()
            } else {
                format!("{newer} newer, the last shown now")
            });
        } else if let Some(shown) = &mut self.shown {
            shown.debugger.seek(0);
            shown.follow_position();
        }
    }
}

/// Why one cannot walk further back.
fn nothing_older(history: &History) -> String {
    match history.dropped() {
        0 => "nothing was read before this one".to_owned(),
        dropped if history.is_bound_by_bytes() => {
            format!("{dropped} older ones were dropped: they would take more than {} MB", MAX_BYTES >> 20)
        }
        dropped => format!("{dropped} older ones were dropped: the last {MAX_GENERATIONS} are kept"),
    }
}

/// What is said while the files are read on request.
pub(super) const READING_AGAIN: &str = "reading again";

fn epoch(at: SystemTime) -> Epoch {
    let since = at.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    Epoch(i64::try_from(since).unwrap_or(i64::MAX))
}
