//! Commands that go to a step of the cycle, or to a moment of the calendar.

use super::super::Shell;
use crate::action::Action;
use crate::palette::Verb;
use crate::views::{Object, ViewName};
use qscope_engine::cluster::{Id, Seconds, short_id};
use qscope_session::dump_times::moment_of;

impl Shell {
    /// Goes to a step by its number, to `next waiting`, or to the step of a job.
    pub(super) fn go_to_named_step(&mut self, verb: Verb, text: &str) -> Result<(), String> {
        let Some(screen) = &self.screen else { return Err("nothing was read yet".to_owned()) };
        if text == "next waiting" {
            self.run_to(Action::NextWaiting, 1);
            return Ok(());
        }
        let steps = screen.debugger.len();
        let place = |job: &str| {
            let step_of_job = |(at, step): (usize, &qscope_engine::cycle::Step)| {
                let name = step.outcome.name(&screen.generation.snapshot);
                (short_id(&name) == job || name == job).then_some(at + 1)
            };
            let step = screen.run().steps.iter().enumerate().find_map(step_of_job);
            // `67[2-5]` is what its array leaves: the last step of the array.
            let array = || screen.generation.snapshot.job_meant(job).filter(|_| job.contains('['));
            step.or_else(|| Some(screen.run().last_step_of(array()?)?.ix() + 1))
        };
        let number = || text.parse().ok().filter(|step| *step <= steps);
        let to = if verb == Verb::Step { number() } else { place(text).or_else(number) };
        match to {
            Some(to) => {
                self.go_to_object(&Object::View(ViewName::Cycle));
                self.go_to(to);
                Ok(())
            }
            None => Err(match place(text) {
                Some(at) => {
                    format!("no step {text}; the cycle has {steps}; job {text} is step {at}: go {text}")
                }
                None if screen.generation.snapshot.job_meant(text).is_some() => {
                    format!("no step {text}; the cycle has {steps}, and job {text} is not considered")
                }
                None => format!("no step {text}; the cycle has {steps}; {}", self.nothing_named(text)),
            }),
        }
    }

    /// Starts the calendar at a moment; a time of day that has passed means the next day.
    pub(super) fn go_to_time(&mut self, text: &str) -> Result<(), String> {
        const DAY: Seconds = Seconds(86_400);
        let Some(screen) = &self.screen else { return Err("nothing was read yet".to_owned()) };
        let snap = &screen.generation.snapshot;
        let at = moment_of(snap, text).ok_or("a time is 02:43, 02:43:31 or 11-21 02:43")?;
        let at = if at < snap.now && !text.contains('-') { at + DAY } else { at };
        self.go_to_object(&Object::View(ViewName::Calendar));
        match self.with_view(|view, cx| view.go_to_moment(at, cx)) {
            Some(true) => Ok(()),
            _ => Err(format!("{text} has passed; :at {text} shows a snapshot of that time")),
        }
    }
}
