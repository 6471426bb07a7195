//! Decides when to look after a change: once the writer seems to be done.

use std::time::{Duration, Instant};

use super::filter::FolderEvent;

/// Time without changes after which the writer may be done.
const QUIET: Duration = Duration::from_millis(150);
/// The same after a writer closed its file, or put a finished one in place.
const QUIET_AFTER_CLOSE: Duration = Duration::from_millis(30);
/// Maximum delay for continuous writers.
const LONGEST: Duration = Duration::from_secs(2);

/// Collects news until it is time to look. The caller provides the time.
#[derive(Default, Debug)]
pub(super) struct Debounce {
    /// Time of the first collected news, and time to look.
    gathering: Option<(Instant, Instant)>,
}

impl Debounce {
    /// Adds a piece of news.
    pub(super) fn on_event(&mut self, news: FolderEvent, now: Instant) {
        let pause = if news == FolderEvent::Settled { QUIET_AFTER_CLOSE } else { QUIET };
        let first = self.gathering.map_or(now, |(first, _)| first);
        self.gathering = Some((first, (now + pause).min(first + LONGEST)));
    }

    /// Returns when to look, if there was any news.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.gathering.map(|(_, deadline)| deadline)
    }

    /// Whether it is time to look; returns true once.
    pub(super) fn is_due(&mut self, now: Instant) -> bool {
        let due = self.deadline().is_some_and(|deadline| deadline <= now);
        if due {
            self.gathering = None;
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(count: u64) -> Duration {
        Duration::from_millis(count)
    }

    #[test]
    fn a_writer_is_left_alone_until_it_is_quiet() {
        let (mut debounce, start) = (Debounce::default(), Instant::now());
        assert_eq!(debounce.deadline(), None);
        debounce.on_event(FolderEvent::Writing, start);
        debounce.on_event(FolderEvent::Writing, start + ms(100));
        assert!(!debounce.is_due(start + ms(249)));
        assert!(debounce.is_due(start + ms(250)));
        assert!(!debounce.is_due(start + ms(400)), "once");
    }

    #[test]
    fn a_closed_file_is_looked_at_soon() {
        let (mut debounce, start) = (Debounce::default(), Instant::now());
        debounce.on_event(FolderEvent::Writing, start);
        debounce.on_event(FolderEvent::Settled, start + ms(10));
        assert_eq!(debounce.deadline(), Some(start + ms(40)));
        debounce.on_event(FolderEvent::Writing, start + ms(20));
        assert_eq!(debounce.deadline(), Some(start + ms(170)), "the next file is being written");
    }

    #[test]
    fn a_chatty_writer_cannot_put_us_off_for_ever() {
        let (mut debounce, start) = (Debounce::default(), Instant::now());
        let mut looks = 0;
        for at in (0..10_000).step_by(10) {
            debounce.on_event(FolderEvent::Writing, start + ms(at));
            looks += usize::from(debounce.is_due(start + ms(at)));
        }
        assert_eq!(looks, 4);
    }
}
