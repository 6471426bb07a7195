//! Lets time pass for the session, and compares what it reports with the files on the disk.

use std::time::{Duration, Instant};

use qscope::cluster::{Severity, Snapshot};
use qscope::console::app::AppInput;
use qscope::record::Recording;
use qscope::session::SessionEvent;

use super::dumps::{FILES, Shown, Stand, versions};
use super::{World, clock, disk};

/// Maximum time until the last written version is shown, by the clock of the world; it includes the time to
/// the next retry after a failure that changes no file.
const BOUND: Duration = Duration::from_secs(24);
/// Time for which a truncated dump is assumed to be still in the making.
const STANDING: Duration = Duration::from_secs(3);
/// Maximum number of turns of a session in a second; more is busy waiting.
const TURNS: usize = 200;

impl World {
    /// Lets time pass: the session has a turn whenever one is due, or something is reported.
    pub(super) fn pass(&mut self, time: Duration) {
        let until = clock::now() + time;
        if time.is_zero() {
            return;
        }
        self.turn();
        let mut turns = 0;
        while self.session.due() <= until {
            clock::go_to(self.session.due());
            self.turn();
            turns += 1;
            let most = TURNS * (1 + time.as_secs() as usize);
            assert!(turns < most, "{turns} turns in {time:?}: a busy loop");
        }
        clock::go_to(until);
    }

    /// Gives the session one turn and processes the result.
    pub(super) fn turn(&mut self) {
        let news = std::mem::take(&mut self.news);
        self.before = self.stands;
        disk::was_hit();
        assert!(self.session.handle_events(&news), "the session has ended");
        let was_hit = disk::was_hit();
        if let Some((which, stand)) = self.replaced.filter(|_| was_hit) {
            self.stands[which] = stand;
        }
        let has_news = !self.events.is_empty();
        while let Ok(event) = self.events.try_recv() {
            self.on_event(&event, was_hit);
            if self.console.feed(AppInput::Message(event.into())) {
                self.session.reload();
            }
        }
        if has_news {
            self.look();
        }
    }

    /// Returns whether a snapshot of these versions may be made of the files as they were in this turn.
    fn allows(&self, (nodes, jobs): Shown) -> bool {
        let allows =
            |which: usize, version| self.before[which].allows(version) || self.stands[which].allows(version);
        allows(0, Some(nodes)) && allows(1, jobs)
    }

    /// Returns whether faulty content is shown properly: a truncated dump only after it has stayed so for a
    /// while and with an error that names it; a file that is not a dump only where there is nothing else to
    /// show: no picture yet, or one without jobs in which they stay unknown.
    fn is_named(&self, snapshot: &Snapshot) -> bool {
        let is_old = |since: Instant| clock::now() - since >= STANDING;
        let is_named = |which: usize| {
            let mut errors = snapshot.diagnostics.iter().filter(|found| found.severity == Severity::Error);
            errors.any(|found| &*found.file == FILES[which])
        };
        // The same bytes as before give the same content.
        let is_same = versions(snapshot) == self.shown;
        (0..2).any(|which| self.torn[which].is_some_and(|since| is_same || is_old(since)) && is_named(which))
            && (self.shown.is_none() || !self.is_no_dump || is_same || self.are_jobs_unknown(snapshot))
    }

    fn are_jobs_unknown(&self, snapshot: &Snapshot) -> bool {
        let has_none = |shown: Option<Shown>| shown.is_some_and(|(_, jobs)| jobs.is_none());
        self.torn[0].is_none() && has_none(self.shown) && has_none(versions(snapshot))
    }

    fn on_event(&mut self, event: &SessionEvent, was_hit: bool) {
        match event {
            SessionEvent::Loaded(generation) => {
                let found = versions(&generation.snapshot);
                self.note(format!("  loaded {found:?}"));
                let is_allowed = found.is_some_and(|found| self.allows(found));
                assert!(
                    is_allowed || self.is_named(&generation.snapshot),
                    "{found:?} is shown, {:?} stands there",
                    self.stands
                );
                self.shown = found;
                (self.failed, self.waits) = (None, false);
            }
            SessionEvent::Unchanged => {
                self.note("  unchanged");
                let is_allowed = self.shown.is_some_and(|shown| self.allows(shown));
                assert!(
                    is_allowed || self.torn.iter().any(Option::is_some),
                    "{:?} is named fresh, {:?} stands there",
                    self.shown,
                    self.stands
                );
                (self.failed, self.waits) = (None, false);
            }
            SessionEvent::Failed { message, .. } => {
                self.note(format!("  failed: {message}"));
                assert!(!message.is_empty());
                let is_whole = |stand: &Stand| matches!(stand, Stand::Whole(_));
                let is_well = self.stands.iter().chain(&self.before).all(is_whole) && !was_hit;
                assert!(!is_well, "a failure though all can be read: {message}");
                (self.failed, self.waits) = (Some(message.clone()), false);
            }
            SessionEvent::Preview { generation, why } => {
                self.note(format!("  preview: {why}"));
                assert!(self.shown.is_none() && generation.number == 0, "a preview after a generation");
                self.waits = true;
            }
            SessionEvent::Waiting { reason: why, .. } => {
                self.note(format!("  waits: {why}"));
                self.waits = true;
            }
            SessionEvent::Recorded(Ok(_)) => *self.recorded.as_mut().unwrap() += 1,
            SessionEvent::Recorded(Err(why)) => {
                self.note(format!("  not recorded: {why}"));
                assert!(why.contains("No space left"), "{why}");
            }
            _ => {}
        }
    }

    /// Checks what the screen states about itself.
    fn look(&mut self) {
        self.turns += 1;
        if !self.console.may_be_frozen && !self.waits && self.shown.is_some() {
            assert_eq!(self.console.shown(), self.shown, "the screen shows another snapshot");
        }
        if self.turns.is_multiple_of(8) || self.failed.is_some() {
            let head = self.console.head();
            assert!(self.failed.is_none() || !head.contains("LIVE"), "named live after a failure:\n{head}");
        }
    }

    /// Nothing fails anymore, and in half of the worlds nothing is written anymore either.
    pub(super) fn come_to_rest(&mut self) {
        self.note("everything comes to rest");
        disk::begin();
        if self.draw(2) == 0 {
            self.put(0);
            self.put(1);
        }
        self.pass(BOUND);
        let [Stand::Whole(nodes), Stand::Whole(jobs)] = self.stands else { panic!("{:?}", self.stands) };
        let last = Some((nodes, Some(jobs)));
        assert_eq!(self.shown, last, "the last content is not shown within {BOUND:?}");
        assert_eq!((&self.failed, self.waits), (&None, false), "the last word is not that all is well");
        // A failure in a worker of the screen is over once the files have been checked again.
        self.console.follow();
        self.session.reload();
        self.pass(Duration::from_secs(1));
        assert_eq!(self.console.shown(), last, "the screen does not show the last content");
        let head = self.console.head();
        assert!(!head.contains("ERROR"), "an error is shown, and all is well:\n{head}");
        self.check_recording();
    }

    /// Everything that was reported as recorded can be read again.
    fn check_recording(&mut self) {
        // Where the disk was full at every snapshot there is no recording to open.
        let Some(count) = self.recorded.filter(|count| *count > 0) else { return };
        let recording = Recording::open(&self.disk.path().join("recording")).unwrap();
        assert_eq!(recording.moments().len(), count, "not all that was recorded is there");
        assert_eq!(recording.damage().len(), 0);
    }
}
