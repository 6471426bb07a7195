//! Other moments than the one on the screen: of the snapshots that are kept, or of a recording.

use std::sync::Arc;

use super::Shell;
use crate::palette::Verb;
use crate::task::{News, Task, TaskNews, Ticket};
use crate::views::ViewName;
use crate::views::effect::{Effect, Update};
use crate::views::object::Object;
use crate::wording;
use qscope_engine::cluster::Epoch;
use qscope_session::moments::moment_of;
use qscope_session::{Generation, load_generation};

/// Another moment of a recording, on its way.
pub(super) struct Moving {
    ticket: Ticket,
    verb: Verb,
}

type Loaded = Result<Arc<Generation>, String>;

impl Shell {
    /// The snapshot that was current at a time, of those that are kept, or of the recording that is shown.
    pub(super) fn show_snapshot(&mut self, verb: Verb, text: &str) -> Result<Update, String> {
        let Some(screen) = &self.screen else { return Err("nothing was read yet".to_owned()) };
        let moment = moment_of(&screen.generation.snapshot, text);
        let moment = moment.ok_or("a time is 02:03, 02:03:31, 11-21 02:03 or 2026-11-21 02:03")?;
        if let Some(update) = self.read_moment(verb, moment) {
            return Ok(update);
        }
        let Some(found) = self.kept_at(moment) else { return Err(self.none_kept(text)) };
        self.show_older(found);
        self.after_moment(verb);
        Ok(Update::changed())
    }

    /// The snapshot of a second, or else the last one of that minute.
    fn kept_at(&self, moment: Epoch) -> Option<Arc<Generation>> {
        let now = |generation: &&Arc<Generation>| generation.snapshot.now;
        let kept = || self.following.history.iter();
        let exact = kept().rev().find(|one| now(one) == moment);
        let minute = |one: &&Arc<Generation>| (0..60).contains(&(now(one) - moment).0) && moment.0 % 60 == 0;
        exact.or_else(|| kept().rev().find(minute)).cloned()
    }

    /// What is kept, since the time that was asked for is not.
    fn none_kept(&self, text: &str) -> String {
        let kept: Vec<_> = self.following.history.iter().collect();
        let time = |one: &&Arc<Generation>| wording::clock(&one.snapshot, one.snapshot.now);
        match (kept.as_slice(), kept.first(), kept.last()) {
            ([_], Some(only), _) => {
                format!("no snapshot of {text}; the only one so far is of {}", time(only))
            }
            (all, Some(first), Some(last)) => {
                let (all, first, last) = (all.len(), time(first), time(last));
                format!("no snapshot of {text}; {all} are kept, {first} to {last}: < and > walk them")
            }
            _ => format!("no snapshot of {text}; none is kept yet"),
        }
    }

    /// Has a worker read another moment of the recording on the screen; none where it is no recording.
    fn read_moment(&mut self, verb: Verb, moment: Epoch) -> Option<Update> {
        let opening = self.opening.as_ref()?.at_moment(moment)?;
        let number = self.following.history.newest().map_or(1, |newest| newest.number + 1);
        let (task, ticket) = Task::new("reading the recording", move |_| {
            let loaded = load_generation(&opening, number).map(Arc::new);
            Some(loaded.map_err(|error| error.to_string()))
        });
        self.moment = Some(Moving { ticket, verb });
        self.set_status("reading the recording");
        Some(Update::changed().with(Effect::Compute(task)))
    }

    /// Takes in another moment; whether the news were about that.
    pub(super) fn on_moment(&mut self, news: &TaskNews) -> bool {
        let News::Answer(answer) = &news.news else { return false };
        let Some(moving) = self.moment.take_if(|moving| Ticket::is_of(Some(&moving.ticket), news.ticket))
        else {
            return false;
        };
        match answer.downcast_ref::<Loaded>() {
            Some(Ok(generation)) => {
                self.following.history.add(generation.clone());
                self.following.freeze = None;
                self.show(generation.clone());
                self.set_status(wording::clock(&generation.snapshot, generation.snapshot.now));
                self.after_moment(moving.verb);
            }
            Some(Err(why)) => self.set_failure(why.clone()),
            None => {}
        }
        true
    }

    fn after_moment(&mut self, verb: Verb) {
        if verb == Verb::LeftSide {
            self.go_to_object(&Object::View(ViewName::Compare));
        }
    }
}
