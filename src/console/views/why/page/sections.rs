//! The sections of a page, as far as they are known.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use qscope_explain::{
    AnswerSection, AnswerTopic, LineKind, LineStatement, blocked_jobs_title, remedies_section,
    running_forward, without_effect,
};

use super::tasks::TriedSoFar;
use super::{WhyPage, WhyPart};
use qscope_session::as_read::add_settings;
use qscope_session::{distribution, distribution_section};

/// The value in a lock; workers leave it consistent even if they panic.
fn value<T: Clone>(lock: &Mutex<T>) -> T {
    lock.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

impl WhyPage {
    /// All sections as far as they are known, in reading order.
    pub(in crate::views::why) fn sections(&self) -> Vec<AnswerSection> {
        let now = self.first.done().map(|first| &*first.sections).unwrap_or_default();
        let leads = |section: &&AnswerSection| {
            !matches!(
                section.topic,
                AnswerTopic::Comment | AnswerTopic::Decision | AnswerTopic::Buckets | AnswerTopic::StopMap
            )
        };
        let mut all: Vec<AnswerSection> = now.iter().filter(leads).cloned().collect();
        add_settings(&mut all, self.settings.done().map_or(&[], Vec::as_slice));
        all.extend(self.future_sections());
        all.extend(now.iter().filter(|section| !leads(section)).cloned());
        all
    }

    /// The same for a text, where titles are whole: without the line that repeats one, whose notes are notes on the title then.
    pub(in crate::views::why) fn sections_once(&self) -> Vec<AnswerSection> {
        let mut all = self.sections();
        for section in &mut all {
            let lines = section.lines.len();
            section.lines.retain(|line| line.statement != LineStatement::InTitle);
            if section.lines.len() < lines {
                let notes = section.lines.iter_mut().filter(|line| line.statement == LineStatement::Cause(0));
                notes.for_each(|note| note.kind = LineKind::Sentence);
            }
        }
        all
    }

    /// The distribution of the start, as far as it is known.
    fn start_section(&self) -> Option<AnswerSection> {
        let mut section = distribution_section();
        match &self.spread {
            WhyPart::Done(Ok((spread, held))) => {
                return Some(distribution(&self.run.plan.snap, spread, held.as_ref()));
            }
            WhyPart::Done(Err(why)) => section.line(format!("none: {why}")),
            WhyPart::Running(_) => section.line(format!("{} · Esc stops", self.runs_done())),
            WhyPart::Paused if self.is_answered() => {
                section.line(format!("{}; stopped · r continues", self.runs_done()));
            }
            WhyPart::NotApplicable | WhyPart::Paused => return None,
        }
        Some(section)
    }

    fn runs_done(&self) -> String {
        let count = |number: &AtomicU64| number.load(Ordering::Relaxed);
        let of =
            if self.runs.is_back_test.load(Ordering::Relaxed) { "runs of the back-test" } else { "runs" };
        match count(&self.runs.all) {
            0 => "reading the past".to_owned(),
            all => format!("{} of {all} {of}", count(&self.runs.done)),
        }
    }

    /// The sections about the future.
    fn future_sections(&self) -> Vec<AnswerSection> {
        let snap = &self.run.plan.snap;
        let mut found = Vec::new();
        let note = |topic, title: &str, text: &str| {
            let mut section = AnswerSection::new(topic, title);
            section.line(text);
            section
        };
        match &self.obstacles {
            WhyPart::Done(way) => found.extend(way.clone()),
            WhyPart::Running(_) => found.push(note(AnswerTopic::Blockers, "Blocked by", "computing ...")),
            WhyPart::NotApplicable | WhyPart::Paused => {}
        }
        let ahead = || {
            value(&self.ahead).map_or("no cycle run forward yet".to_owned(), |at| running_forward(snap, at))
        };
        match &self.start {
            WhyPart::Done((_, start)) => found.push(start.clone()),
            WhyPart::Running(_) => {
                found.push(note(AnswerTopic::Estimate, "When", &format!("{} · Esc stops", ahead())));
            }
            WhyPart::Paused if self.is_answered() => {
                found.push(note(
                    AnswerTopic::Estimate,
                    "When",
                    &format!("{}; stopped · r continues", ahead()),
                ));
            }
            WhyPart::NotApplicable | WhyPart::Paused => {}
        }
        found.extend(self.start_section());
        found.extend(self.help());
        match &self.blocked_jobs {
            WhyPart::Done(behind) => found.extend(behind.clone()),
            WhyPart::Running(_) => found.extend(self.job.map(|job| {
                note(AnswerTopic::BlockedJobs, &blocked_jobs_title(&self.run, job), "computing ...")
            })),
            WhyPart::NotApplicable | WhyPart::Paused => {}
        }
        found
    }

    /// What would let the job start, as far as it was tried.
    fn help(&self) -> Vec<AnswerSection> {
        let state = match &self.help {
            WhyPart::NotApplicable => return Vec::new(),
            WhyPart::Done(help) => {
                let without = without_effect(&help.without_effect);
                return std::iter::once(remedies_section(&help.working, help.queues_not_tried))
                    .chain(without)
                    .collect();
            }
            WhyPart::Running(_) => "Esc stops",
            WhyPart::Paused => "stopped · r continues",
        };
        let TriedSoFar { tried, works } = value(&self.tried);
        let mut section = remedies_section(&works, 0);
        if works.is_empty() {
            section.lines.clear();
        }
        section.line(format!("{tried} changes tried so far; {state}"));
        vec![section]
    }
}
