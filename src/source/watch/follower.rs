//! The watcher's thread: takes events and polls, and sends requests to look again.

use std::convert::Infallible;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, TrySendError, bounded, select};

use super::arm::{WatchGuard, arm};
use super::debounce::Debounce;
use super::filter::FolderEvent;
use super::network::network;
use super::prints::Fingerprints;
use super::{WatchClock, WatchMode, WatchOptions};

/// Maximum number of news kept between two looks; more would not add anything.
const BACKLOG: usize = 256;
/// Maximum time between two searches for a missing folder.
const SEARCH: Duration = Duration::from_millis(500);
/// Minimum time between polls; shorter would be busy waiting.
const FASTEST: Duration = Duration::from_millis(10);

/// Follows a folder: where to send changes, and when to stop.
pub(super) struct Follower {
    folder: PathBuf,
    options: WatchOptions,
    clock: WatchClock,
    events: (Sender<FolderEvent>, Receiver<FolderEvent>),
    dirty: Sender<()>,
    mode: Sender<WatchMode>,
    alive: Receiver<Infallible>,
    armed: Option<WatchGuard>,
    /// Fingerprint of the folder that is armed, if there is one.
    armed_folder: Fingerprints,
    prints: Fingerprints,
    /// Whether a file could have changed since without changing its fingerprint.
    may_have_changed: bool,
    debounce: Debounce,
    interval: Duration,
    next_poll: Instant,
    reported: Option<WatchMode>,
}

impl Follower {
    pub(super) fn new(
        folder: PathBuf,
        options: WatchOptions,
        clock: WatchClock,
        dirty: Sender<()>,
        mode: Sender<WatchMode>,
        alive: Receiver<Infallible>,
    ) -> Self {
        Self {
            folder,
            options,
            clock,
            events: bounded(BACKLOG),
            dirty,
            mode,
            alive,
            armed: None,
            armed_folder: Fingerprints::default(),
            prints: Fingerprints::default(),
            may_have_changed: false,
            debounce: Debounce::default(),
            interval: options.poll,
            next_poll: (clock.now)(),
            reported: None,
        }
    }

    /// Follows the folder until the receiver is gone.
    pub(super) fn run(mut self) {
        self.begin();
        loop {
            let pause = self.deadline().saturating_duration_since((self.clock.now)());
            let Some(news) = self.wait(pause) else { return };
            if !self.handle_events(&news) {
                return;
            }
        }
    }

    /// Records the first state of the folder.
    pub(super) fn begin(&mut self) {
        let mode = self.rearm();
        self.take_fingerprints();
        // Only now: a reader that waits for this message misses no later change.
        self.set_mode(mode);
        self.next_poll = (self.clock.now)() + self.interval;
    }

    /// Returns when there is something to do if no news arrives.
    pub(super) fn deadline(&self) -> Instant {
        self.debounce.deadline().map_or(self.next_poll, |at| at.min(self.next_poll))
    }

    /// Handles news and everything that is due; returns false when the receiver is gone.
    pub(super) fn handle_events(&mut self, news: &[FolderEvent]) -> bool {
        for news in news {
            self.on_event(*news);
        }
        let now = (self.clock.now)();
        if now >= self.next_poll {
            self.poll();
            self.next_poll = (self.clock.now)() + self.interval;
        }
        !self.debounce.is_due(now) || self.fire()
    }

    /// Waits for news; returns an empty list on timeout, and `None` when it is time to stop.
    fn wait(&self, pause: Duration) -> Option<Vec<FolderEvent>> {
        let (_, news) = &self.events;
        let first = select! {
            recv(self.alive) -> _ => return None,
            recv(news) -> first => first.ok(),
            default(pause) => None,
        };
        Some(first.into_iter().chain(news.try_iter().take(BACKLOG)).collect())
    }

    fn on_event(&mut self, news: FolderEvent) {
        if news == FolderEvent::Folder {
            let mode = self.rearm();
            self.set_mode(mode);
        }
        self.debounce.on_event(news, (self.clock.now)());
    }

    /// Checks whether anything changed.
    fn poll(&mut self) {
        if Fingerprints::of_folder(&self.folder) != self.armed_folder {
            self.on_event(FolderEvent::Folder);
        }
        let before = std::mem::take(&mut self.prints);
        let unsure = std::mem::take(&mut self.may_have_changed);
        self.take_fingerprints();
        if unsure || before != self.prints {
            self.debounce.on_event(FolderEvent::Writing, (self.clock.now)());
        }
    }

    fn take_fingerprints(&mut self) {
        self.prints = Fingerprints::take(&self.folder);
        self.may_have_changed = self.prints.any_young((self.clock.date)());
    }

    /// Sends that there is something to read; returns false when the receiver is gone.
    fn fire(&mut self) -> bool {
        // Before sending, so that later writes are noticed by the next poll at the latest.
        self.take_fingerprints();
        !matches!(self.dirty.try_send(()), Err(TrySendError::Disconnected(())))
    }

    /// Watches the folder that currently has the path.
    fn rearm(&mut self) -> WatchMode {
        self.armed = None;
        self.armed_folder = Fingerprints::of_folder(&self.folder);
        let is_there = self.armed_folder != Fingerprints::default();
        let network = if is_there { network(&self.folder) } else { None };
        let poll = if network.is_some() { self.options.network_poll } else { self.options.poll };
        self.interval = poll.max(FASTEST);
        let mut remark = None;
        if !is_there {
            self.interval = self.interval.min(SEARCH);
            remark = Some("the folder is not there".to_owned());
        } else if self.options.events {
            match arm(&self.folder, self.events.0.clone()) {
                Ok(armed) => self.armed = Some(armed),
                Err(why) => remark = Some(why),
            }
        }
        WatchMode { poll: self.interval, events: self.armed.is_some(), network, remark }
    }

    fn set_mode(&mut self, mode: WatchMode) {
        if self.reported.as_ref() != Some(&mode) {
            // If the receiver is gone, the next wait ends the thread.
            let _ = self.mode.send(mode.clone());
            self.reported = Some(mode);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::super::Watcher;
    use super::*;

    const ENOUGH: Duration = Duration::from_secs(10);
    const NEVER: Duration = Duration::from_secs(3600);

    fn watch(folder: &Path, events: bool, poll: Duration) -> Watcher {
        let options = WatchOptions { events, poll, network_poll: poll };
        let watcher = Watcher::start(folder.to_path_buf(), options).unwrap();
        watcher.mode().recv_timeout(ENOUGH).unwrap();
        watcher
    }

    #[test]
    fn events_report_a_change_without_the_poll_and_reading_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("nodes.txt");
        fs::write(&file, "n1\n").unwrap();
        let watcher = watch(folder.path(), true, NEVER);
        for _ in 0..20 {
            fs::read(&file).unwrap();
        }
        assert!(watcher.dirty().recv_timeout(Duration::from_millis(400)).is_err());
        fs::write(&file, "n2\n").unwrap();
        watcher.dirty().recv_timeout(ENOUGH).unwrap();
    }

    #[test]
    fn the_poll_reports_a_change_without_events() {
        let folder = tempfile::tempdir().unwrap();
        let watcher = watch(folder.path(), false, Duration::from_millis(50));
        fs::write(folder.path().join("nodes.txt"), "n2\n").unwrap();
        watcher.dirty().recv_timeout(ENOUGH).unwrap();
    }

    #[test]
    fn a_folder_that_comes_later_is_armed() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("dumps");
        let options = WatchOptions::default();
        let watcher = Watcher::start(folder.clone(), options).unwrap();
        let lost = watcher.mode().recv_timeout(ENOUGH).unwrap();
        assert!(!lost.events && lost.remark.is_some());
        fs::create_dir(&folder).unwrap();
        let found = watcher.mode().recv_timeout(ENOUGH).unwrap();
        assert!(found.events && found.remark.is_none());
    }

    #[test]
    fn the_thread_ends_with_the_watcher() {
        let folder = tempfile::tempdir().unwrap();
        let (dirty_tx, dirty) = bounded(1);
        let (mode_tx, mode) = crossbeam_channel::unbounded();
        let (keep_alive, alive) = bounded::<Infallible>(0);
        let options = WatchOptions { poll: NEVER, ..WatchOptions::default() };
        let follower = Follower::new(
            folder.path().to_path_buf(),
            options,
            WatchClock::default(),
            dirty_tx,
            mode_tx,
            alive,
        );
        let thread = std::thread::spawn(move || follower.run());
        mode.recv_timeout(ENOUGH).unwrap();
        drop(keep_alive);
        thread.join().unwrap();
        assert!(dirty.recv().is_err());
    }
}
