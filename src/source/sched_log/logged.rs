//! What the scheduler logged of one cycle, job by job.

use qscope_engine::cluster::{Epoch, Name};

use super::line::LogLine;
use crate::zone::Zone;

/// So many lines are kept of one job's turn.
pub(super) const MAX_LINES: usize = 20_000;

/// What the scheduler logged of one cycle.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LoggedCycle {
    /// When it began; none if the log has no dates, or none that can be read.
    pub started: Option<Epoch>,
    /// Every job considered, in order; an array once for each time.
    pub turns: Vec<LoggedTurn>,
    /// The event bits of all its lines.
    pub events: u32,
    /// Lines that are not the scheduler's, or too many of one turn.
    pub skipped: u64,
}

/// What was logged about a job at its turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoggedTurn {
    /// The job's id as logged.
    pub job: Name,
    /// What was reported about it, in order.
    pub lines: Vec<LoggedLine>,
}

/// One line about a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoggedLine {
    /// The event bits.
    pub event: u32,
    pub text: String,
}

impl LoggedCycle {
    /// Adds what a line reports.
    pub(super) fn take(&mut self, line: &LogLine<'_>, zone: Option<&Zone>) {
        self.events |= line.event;
        if line.text == "Starting Scheduling Cycle" {
            self.started = line.date.zip(zone).and_then(|(date, zone)| zone.epoch(date));
        }
        if line.text == "Considering job to run" {
            self.turns.push(LoggedTurn { job: line.object.into(), lines: Vec::new() });
            return;
        }
        let Some(turn) = self.turns.last_mut().filter(|turn| turn.is_about(line.object)) else { return };
        if turn.lines.len() < MAX_LINES {
            turn.lines.push(LoggedLine { event: line.event, text: line.text.to_owned() });
        } else {
            self.skipped += 1;
        }
    }
}

impl LoggedTurn {
    /// Whether an object of the log is this job, or a subjob of this array.
    fn is_about(&self, object: &str) -> bool {
        let head = |name: &str| name.split_once('[').map(|(head, _)| head.to_owned());
        *self.job == *object || self.job.contains("[]") && head(&self.job) == head(object)
    }
}
