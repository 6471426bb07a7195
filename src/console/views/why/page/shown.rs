//! The sections of a page, as far as they are known.

use std::sync::{Mutex, PoisonError};

use qscope_explain::{Section, Topic, running_forward, what_would_help, when};

use super::{Page, Part};

/// The value of a lock; a worker that panicked has left nothing half-done in it.
fn value<T: Clone>(lock: &Mutex<T>) -> T {
    lock.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

impl Page {
    /// All sections as far as they are known, in the order of reading.
    pub(in crate::views::why) fn sections(&self) -> Vec<Section> {
        let now = self.first.done().map(Vec::as_slice).unwrap_or_default();
        let leads = |section: &&Section| {
            !matches!(section.topic, Topic::Comment | Topic::Decision | Topic::Buckets | Topic::StopMap)
        };
        let mut all: Vec<Section> = now.iter().filter(leads).cloned().collect();
        all.extend(self.later());
        all.extend(now.iter().filter(|section| !leads(section)).cloned());
        all
    }

    /// The sections about what lies ahead.
    fn later(&self) -> Vec<Section> {
        let snap = &self.run.plan.snap;
        let mut found = Vec::new();
        let note = |topic, title: &str, text: &str| {
            let mut section = Section::new(topic, title);
            section.line(text);
            section
        };
        match &self.way {
            Part::Done(way) => found.extend(way.clone()),
            Part::Running(_) => found.push(note(Topic::InTheWay, "Blocked by", "computing ...")),
            Part::Off | Part::Paused => {}
        }
        let ahead = || {
            value(&self.ahead).map_or("no cycle run forward yet".to_owned(), |at| running_forward(snap, at))
        };
        match &self.start {
            Part::Done(start) => found.push(when(snap, start)),
            Part::Running(_) => {
                found.push(note(Topic::When, "When", &format!("{} · Esc stops", ahead())));
            }
            Part::Paused if self.is_answered() => {
                found.push(note(Topic::When, "When", &format!("{}; stopped · r continues", ahead())));
            }
            Part::Off | Part::Paused => {}
        }
        let (tried, works) = value(&self.found);
        let state = match &self.help {
            Part::Off => return found,
            Part::Done(help) => {
                found.push(what_would_help(help));
                return found;
            }
            Part::Running(_) => "Esc stops",
            Part::Paused => "stopped · r continues",
        };
        let mut section = what_would_help(&works);
        if works.is_empty() {
            section.lines.clear();
        }
        section.line(format!("{tried} changes tried so far; {state}"));
        found.push(section);
        found
    }
}
