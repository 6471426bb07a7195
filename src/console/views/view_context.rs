//! What every view reads: one snapshot, the position in its cycle, the selected job.

use qscope_engine::cluster::{Epoch, JobId, Snapshot};
use qscope_engine::cycle::{Outcome, Run, StepIx};
use qscope_engine::universe::{Bit, Plan, State};
use qscope_explain::WaitReason;
use qscope_session::history::History;
use qscope_session::problems::{Problem, about_node};
use qscope_session::{Generation, LogHistory, Opening};
use std::sync::Arc;

use crate::following::{FollowFailure, OldData, OldDataReason};
use crate::layout::SizeClass;
use crate::screen::{CycleMarks, CycleRow, KnownNames, Screen, Serial};

/// What is currently shown. Views may only keep names of it: the next snapshot has other ids.
#[derive(Debug, Clone, Copy)]
pub struct ViewContext<'a> {
    pub(crate) screen: &'a Screen,
    /// Marked places in the cycle, by letter.
    pub(crate) cycle_marks: &'a CycleMarks,
    /// The steps at which an enabled breakpoint stops, ascending, from 1.
    pub(crate) breakpoint_steps: &'a [usize],
    /// The size class of the terminal.
    pub(crate) size_class: SizeClass,
    /// Whether analyses run at their own pace, because further snapshots follow.
    pub(crate) keeps_pace: bool,
    /// The snapshots that are kept.
    pub history: &'a History,
    /// The live snapshot, while a what-if is shown.
    pub(crate) live: Option<&'a Arc<Generation>>,
    /// What is being read, if known.
    pub(crate) opening: Option<&'a Opening>,
    /// Whether the snapshots are recorded.
    pub(crate) is_recording: bool,
    /// The logs of the past, if given.
    pub(crate) past: Option<&'a Arc<LogHistory>>,
    /// The number of the snapshot chosen for the left side of a difference.
    pub(crate) left: Option<u64>,
    /// Why the last reading failed, if it did; an older snapshot is then shown.
    pub(crate) failure: Option<&'a FollowFailure>,
    /// Why the newest data are old, if they are.
    pub(crate) old: Option<OldData>,
    /// Configuration errors, each with its file and line.
    pub(crate) config_wrong: &'a [String],
}

impl<'a> ViewContext<'a> {
    /// The snapshot with its cycle.
    pub fn generation(self) -> &'a Arc<Generation> {
        &self.screen.generation
    }

    /// The snapshot that is not a what-if: the one shown, or the one that the what-if shown is based on.
    pub fn live(self) -> &'a Arc<Generation> {
        self.live.unwrap_or(&self.screen.generation)
    }

    /// The data as read.
    pub fn snapshot(self) -> &'a Snapshot {
        &self.screen.generation.snapshot
    }

    /// The names of all objects that have a page.
    pub(crate) fn names(self) -> &'a KnownNames {
        self.screen.ready.names()
    }

    /// The job with a full id, looked up in an index.
    pub(crate) fn job_named(self, name: &str) -> Option<JobId> {
        self.names().job_named(name)
    }

    /// The job that an id stands for: for a waiting subjob that is not in the dump, its array.
    pub(crate) fn job_meant(self, name: &str) -> Option<JobId> {
        self.snapshot().job_meant_among(name, |name| self.job_named(name))
    }

    /// The problems of a node.
    pub(crate) fn problems_of_node(self, name: &str) -> Vec<Problem> {
        about_node(self.generation(), &|job| self.job_named(job).is_some(), name)
    }

    /// The nodes that the last step took; none if the server refuses the start.
    pub(crate) fn taken_by_last_step(self) -> Vec<Bit> {
        let last = self.screen.debugger.last_step().map(|step| &step.outcome);
        let last = last.filter(|outcome| !self.run().is_refused(outcome));
        let placed = last.and_then(|outcome| outcome.placed.as_ref());
        placed.map(|placed| placed.allocation.nodes()).unwrap_or_default()
    }

    /// The finished cycle.
    pub fn run(self) -> &'a Arc<Run> {
        &self.screen.generation.run
    }

    /// The plan: what was derived once for the cycle.
    pub fn plan(self) -> &'a Arc<Plan> {
        &self.run().plan
    }

    /// The state at the position.
    pub fn state(self) -> &'a State {
        self.screen.debugger.state()
    }

    /// The state at the position; at rest the state after the cycle, as the server has it.
    pub fn displayed_state(self) -> &'a State {
        if self.position() == 0 { self.run().end_at_server() } else { self.state() }
    }

    /// The state before the step of the selected job.
    pub fn found(self) -> &'a State {
        self.screen.subject_state.state()
    }

    /// Number of jobs considered at the position.
    pub fn position(self) -> usize {
        self.screen.debugger.position()
    }

    /// The outcome of the selected job.
    pub fn subject(self) -> Option<&'a Outcome> {
        self.screen.outcome()
    }

    /// States in words that the newest data are old; `None` if they are not.
    pub(crate) fn old_words(self) -> Option<String> {
        Some(self.old?.words(&self.history.newest()?.snapshot))
    }

    /// Why a job waits, in the same words on every screen.
    pub(crate) fn reason(self, outcome: &Outcome) -> Option<WaitReason> {
        self.screen.reason(outcome)
    }

    /// Whether facts that no file shows could change the verdict on a job, as far as that is known.
    pub(crate) fn is_likely(self, job: JobId) -> bool {
        self.screen.is_likely(job)
    }

    /// The next step whose job takes a node, going round from the position.
    pub fn next_taker(self, bit: Bit) -> Option<StepIx> {
        let steps = &self.run().steps;
        let takes = |step: &StepIx| {
            let placed = steps[*step].outcome.placed.as_ref();
            placed.is_some_and(|placed| placed.allocation.pieces.iter().any(|piece| piece.bit == bit))
        };
        steps.ids().skip(self.position()).chain(steps.ids().take(self.position())).find(takes)
    }

    /// Changes whenever the state at the position does.
    pub(crate) fn step_stamp(self) -> StepStamp {
        StepStamp { shown: self.screen.serial, position: self.position() }
    }

    /// Changes whenever the jobs of the cycle or the reasons they wait do.
    pub(crate) fn cycle_stamp(self) -> CycleStamp {
        let left = self.screen.row_marks.departed();
        let reasons = self.screen.analysis.survey.reasons();
        CycleStamp {
            shown: self.screen.serial,
            analysed: self.screen.analysis.serial,
            reasons: (Arc::as_ptr(&reasons) as usize, reasons.len()),
            left: (Arc::as_ptr(left).cast::<()>() as usize, left.len()),
        }
    }

    /// Changes whenever what a view shows may change.
    pub fn stamp(self) -> Stamp {
        Stamp {
            shown: self.screen.serial,
            position: self.position(),
            left: self.left,
            failed: self.failure.map(|failure| failure.at),
            old: self.old.map(|old| old.reason),
            subject: self.screen.subject,
            to_examine: self.screen.is_to_examine(),
            analysed: self.screen.analysis.serial,
            edition: self.screen.analysis.survey.edition(),
        }
    }
}

impl Stamp {
    /// Whether what was seen then is of the snapshot on the screen now.
    pub(crate) fn is_of_same_snapshot(self, cx: ViewContext<'_>) -> bool {
        self.shown == cx.screen.serial
    }
}

impl StepStamp {
    /// Whether both are of one cycle, so that only its state may differ.
    pub(crate) fn is_of_same_cycle(self, other: Self) -> bool {
        self.shown == other.shown
    }
}

/// Snapshot and position at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StepStamp {
    shown: Serial,
    position: usize,
}

/// Snapshot, analysis and jobs that left at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CycleStamp {
    shown: Serial,
    analysed: Serial,
    reasons: (usize, usize),
    left: (usize, usize),
}

/// Snapshot, position, subject and analysis at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    shown: Serial,
    position: usize,
    left: Option<u64>,
    failed: Option<Epoch>,
    old: Option<OldDataReason>,
    subject: Option<CycleRow>,
    to_examine: bool,
    analysed: Serial,
    edition: u64,
}
