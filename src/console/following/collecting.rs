//! What the screen knows of the collector: what each client took and wrote, and its last error.

use std::time::Duration;

use qscope_engine::cluster::Epoch;
use qscope_session::CollectEvent;
use qscope_source::collect::CollectedFile;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ClientState {
    /// The file it writes.
    pub file: String,
    /// The size in bytes of its last good file, how long the client took, and when.
    pub last: Option<(u64, Duration, Epoch)>,
    /// Why the last run produced no file, and when; cleared by the next success.
    pub error: Option<(String, Epoch)>,
    /// Whether an older file was kept because the last run produced none.
    pub stands: bool,
    /// Whether that is worth an alert.
    pub is_amiss: bool,
    /// Whether the client is running.
    pub runs: bool,
}

/// The state of the collector: its clients in the order of their runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct CollectorState {
    pub clients: Vec<ClientState>,
    /// Number of completed rounds.
    pub rounds: u64,
    /// How long the last round took, and when the next one begins.
    pub rests: Option<(Duration, Epoch)>,
}

impl CollectorState {
    pub(crate) fn on_event(&mut self, event: CollectEvent, now: Epoch) {
        match event {
            CollectEvent::ClientStarted(file) => {
                self.rests = None;
                self.client(&file, |client| client.runs = true);
            }
            CollectEvent::FileCollected(ended) => {
                let is_amiss = ended.failure().is_some();
                let CollectedFile { file, result, took, exists: stands, unparsed_pieces: _ } = ended;
                self.client(&file, |client| {
                    (client.runs, client.stands, client.is_amiss) = (false, stands, is_amiss);
                    match result {
                        Ok(bytes) => (client.last, client.error) = (Some((bytes, took, now)), None),
                        Err(why) => client.error = Some((why, now)),
                    }
                });
            }
            CollectEvent::RoundComplete { took, rest } => {
                self.rounds += 1;
                let rest = i64::try_from(rest.as_secs()).unwrap_or(i64::MAX);
                self.rests = Some((took, Epoch(now.0.saturating_add(rest))));
            }
        }
    }

    /// Changes the state of a client, which may be new.
    fn client(&mut self, file: &str, change: impl FnOnce(&mut ClientState)) {
        if let Some(known) = self.clients.iter_mut().find(|client| client.file == file) {
            change(known);
            return;
        }
        let mut fresh = ClientState { file: file.to_owned(), ..ClientState::default() };
        change(&mut fresh);
        self.clients.push(fresh);
    }

    /// The clients whose last run produced no file, with the reason.
    pub(crate) fn failures(&self) -> impl Iterator<Item = (&str, &str)> {
        let amiss = self.clients.iter().filter(|client| client.is_amiss);
        amiss.filter_map(|client| Some((&*client.file, &*client.error.as_ref()?.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_good_file_is_remembered_beside_the_last_error() {
        let mut all = CollectorState::default();
        let ended = |result: Result<u64, String>| {
            CollectEvent::FileCollected(CollectedFile {
                file: "nodes.json".to_owned(),
                result,
                took: Duration::from_secs(2),
                exists: true,
                unparsed_pieces: 0,
            })
        };
        all.on_event(CollectEvent::ClientStarted("nodes.json".to_owned()), Epoch(9));
        assert!(all.clients[0].runs);
        all.on_event(ended(Ok(5)), Epoch(10));
        all.on_event(
            CollectEvent::RoundComplete { took: Duration::from_secs(2), rest: Duration::from_secs(58) },
            Epoch(10),
        );
        assert_eq!((all.rounds, all.rests), (1, Some((Duration::from_secs(2), Epoch(68)))));
        all.on_event(ended(Err("pbsnodes hangs".to_owned())), Epoch(70));
        let client = &all.clients[0];
        assert_eq!(client.last, Some((5, Duration::from_secs(2), Epoch(10))));
        assert_eq!(all.failures().collect::<Vec<_>>(), [("nodes.json", "pbsnodes hangs")]);
        all.on_event(ended(Ok(6)), Epoch(130));
        assert_eq!(all.failures().count(), 0);
        let refused = |exists| {
            let (file, took) = ("fairshare.txt".to_owned(), Duration::ZERO);
            CollectEvent::FileCollected(CollectedFile {
                file,
                result: Err("only root".to_owned()),
                took,
                exists,
                unparsed_pieces: 0,
            })
        };
        all.on_event(refused(false), Epoch(131));
        assert_eq!(all.failures().count(), 0, "not every user has the permission");
        all.on_event(refused(true), Epoch(132));
        assert_eq!(all.failures().count(), 1, "what was there grows old");
    }
}
