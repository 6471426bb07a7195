//! The file of a theme that is not built in: read by a thread of its own, again whenever it changes.

use std::io;
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};

use super::shell::ShellMessage;
use super::worker::WorkerSender;
use qscope_source::watch::Fingerprint;
use qscope_system::input::{self, SizeLimit};

/// Interval between two checks of the file.
const EVERY: Duration = Duration::from_millis(700);

/// Maximum size of a theme's file.
pub(crate) const LARGEST: SizeLimit = SizeLimit { limit: "theme-size", bytes: 1 << 20 };

/// The content of a theme's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThemeText {
    pub(crate) path: String,
    /// Its text, or why it cannot be read.
    pub(crate) text: Result<String, String>,
}

/// Sends the file to read from now on; `None` for a built-in theme.
pub(crate) type ThemeFileSender = Sender<Option<String>>;

/// A theme's file, and the fingerprint of the version on the screen.
#[derive(Debug)]
pub(crate) struct FollowedTheme {
    pub(crate) path: String,
    seen: Option<Fingerprint>,
}

impl FollowedTheme {
    /// The file as it is now; to be called before it is read.
    pub(crate) fn now(path: &str) -> Self {
        Self { path: path.to_owned(), seen: print(path) }
    }
}

/// Starts the thread. It reads nothing before a file is named; that is read at once unless it is the `known` one.
pub(crate) fn start(
    post: WorkerSender<ShellMessage>,
    known: Option<FollowedTheme>,
) -> io::Result<ThemeFileSender> {
    let (wanted, names) = unbounded();
    thread::Builder::new().name("theme".to_owned()).spawn(move || follow(&names, &post, known))?;
    Ok(wanted)
}

fn print(path: &str) -> Option<Fingerprint> {
    std::fs::metadata(path).ok().map(|facts| Fingerprint::of(&facts))
}

fn follow(
    names: &Receiver<Option<String>>,
    sender: &WorkerSender<ShellMessage>,
    known: Option<FollowedTheme>,
) {
    let (mut path, seen) = known.map(|file| (file.path, file.seen)).unzip();
    let mut seen = seen.flatten();
    loop {
        let next = match &path {
            Some(_) => names.recv_timeout(EVERY),
            None => names.recv().map_err(RecvTimeoutError::from),
        };
        // A file that was just named is read in any case.
        let is_new = next.is_ok();
        match next {
            Ok(named) => path = named,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        let Some(file) = &path else { continue };
        let now = print(file);
        if now == seen && !is_new {
            continue;
        }
        seen = now;
        let text = input::read_text(file.as_ref(), LARGEST).map_err(|error| error.to_string());
        if !sender.send(ShellMessage::Theme(ThemeText { path: file.clone(), text })) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incoming::IncomingEvent;

    #[test]
    fn a_file_is_read_when_it_is_named_and_whenever_it_changes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.toml");
        std::fs::write(&path, "a").unwrap();
        let (sender, receiver) = unbounded::<IncomingEvent<ShellMessage>>();
        let wanted = start(WorkerSender::new(sender), None).unwrap();
        wanted.send(Some(path.to_str().unwrap().to_owned())).unwrap();
        let text = || match receiver.recv_timeout(Duration::from_secs(20)).unwrap() {
            IncomingEvent::Message(ShellMessage::Theme(theme)) => theme.text,
            other => panic!("{other:?}"),
        };
        assert_eq!(text().as_deref(), Ok("a"));
        std::fs::write(&path, "longer").unwrap();
        assert_eq!(text().as_deref(), Ok("longer"));
        std::fs::remove_file(&path).unwrap();
        assert!(text().is_err());
        assert!(receiver.recv_timeout(EVERY * 3).is_err());
    }
}
