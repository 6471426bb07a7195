//! A line of the table of jobs, and the record that filter and columns read.

use crate::screen::{CycleRow, DepartedJob};
use crate::views::ViewContext;
use crate::views::line_record::LineRecord;
use qscope_engine::cluster::{Name, short_id};
use qscope_engine::cycle::{Outcome, Run};
use qscope_session::records::JobRecord;

/// A line of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum JobListLine {
    /// A job: its full id, and its row, which gives access to everything else.
    Job(Name, CycleRow),
    /// A job that left since the previous snapshot.
    Departed(DepartedJob),
    /// The heading of a group.
    Heading(String),
}

impl JobListLine {
    /// The short id; for an array that waits, with the subjobs that are left.
    pub(super) fn id_text(&self, run: &Run) -> String {
        let of_row = self.row().and_then(|row| row.short_name(run));
        of_row.unwrap_or_else(|| short_id(self.name()).to_owned())
    }

    /// The full id of its job; empty for a heading.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Job(name, _) => name,
            Self::Departed(left) => &left.name,
            Self::Heading(_) => "",
        }
    }

    /// Its row of the cycle, if the job is in the snapshot.
    pub(super) fn row(&self) -> Option<CycleRow> {
        match self {
            Self::Job(_, row) => Some(*row),
            Self::Departed(_) | Self::Heading(_) => None,
        }
    }

    pub(super) fn outcome<'a>(&self, run: &'a Run) -> Option<&'a Outcome> {
        match self {
            Self::Job(_, row) => row.outcome(run),
            Self::Departed(_) | Self::Heading(_) => None,
        }
    }

    /// Whether it is a subjob, which starts or runs.
    pub(super) fn is_subjob(&self, run: &Run) -> bool {
        let starts = self.outcome(run).is_some_and(|outcome| outcome.subjob.is_some());
        starts || self.job_record(run).is_some_and(|record| record.job().is_subjob())
    }

    /// The fields of its job, if it is in the snapshot.
    pub(super) fn job_record<'a>(&self, run: &'a Run) -> Option<JobRecord<'a>> {
        match self {
            Self::Job(_, row) => row.record(run),
            Self::Departed(_) | Self::Heading(_) => None,
        }
    }

    /// The record that the columns read.
    pub(super) fn record<'a>(&'a self, cx: ViewContext<'a>) -> LineRecord<'a> {
        match self {
            Self::Departed(left) => LineRecord::of_departed(left, cx),
            Self::Job(..) | Self::Heading(_) => LineRecord::of(self.row(), cx),
        }
    }
}
