//! The log of one cycle, job by job.

use qscope_engine::cluster::{Epoch, Name};

use super::line::LogLine;
use crate::zone::Zone;

/// Maximum number of lines kept for one turn of a job.
pub(super) const MAX_LINES: usize = 20_000;

/// The log of one cycle.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LoggedCycle {
    /// Start of the cycle; `None` if the log has no readable dates.
    pub started: Option<Epoch>,
    /// Every job considered, in order; an array each time it was considered.
    pub logged_turns: Vec<LoggedTurn>,
    /// Event bits of all its lines.
    pub events: u32,
    /// Number of lines that are not the scheduler's, or exceed the limit of a turn.
    pub skipped: u64,
}

/// The log of a job's turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoggedTurn {
    /// Id of the job, as logged.
    pub job: Name,
    /// The lines about it, in order.
    pub lines: Vec<LoggedLine>,
}

/// A line about a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoggedLine {
    /// The event bits.
    pub event: u32,
    pub text: String,
}

impl LoggedCycle {
    /// Adds a line.
    pub(super) fn take(&mut self, line: &LogLine<'_>, zone: Option<&Zone>) {
        self.events |= line.event;
        if line.text == "Starting Scheduling Cycle" {
            self.started = line.date.zip(zone).and_then(|(date, zone)| zone.epoch(date));
        }
        if line.text == "Considering job to run" {
            self.logged_turns.push(LoggedTurn { job: line.object.into(), lines: Vec::new() });
            return;
        }
        let Some(turn) = self.logged_turns.last_mut().filter(|turn| turn.is_about(line.object)) else {
            return;
        };
        if turn.lines.len() < MAX_LINES {
            turn.lines.push(LoggedLine { event: line.event, text: line.text.to_owned() });
        } else {
            self.skipped += 1;
        }
    }
}

impl LoggedTurn {
    /// Whether an object in the log is this job, or a subjob of this array.
    fn is_about(&self, object: &str) -> bool {
        let head = |name: &str| name.split_once('[').map(|(head, _)| head.to_owned());
        *self.job == *object || self.job.contains("[]") && head(&self.job) == head(object)
    }
}
