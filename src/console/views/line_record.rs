//! The record of a line in a table of jobs: its own fields, and the tier of the reason in the same row.

use super::ViewContext;
use crate::screen::{CycleRow, DepartedJob, RowRecord};
use qscope_session::query::{FieldValue, QueryRecord};
use qscope_session::records::JobRecord;

/// The record that the columns of a line read; a heading has no fields.
pub(crate) struct LineRecord<'a> {
    record: Option<RowRecord<'a>>,
    row: Option<CycleRow>,
    cx: ViewContext<'a>,
}

impl<'a> LineRecord<'a> {
    /// Returns the record of a job's row, or of a heading, which has no row.
    pub(crate) fn of(row: Option<CycleRow>, cx: ViewContext<'a>) -> Self {
        let record = row.and_then(|row| row.record(cx.run())).map(RowRecord::Job);
        Self { record, row, cx }
    }

    /// Returns the record of a job that left.
    pub(crate) fn of_departed(left: &'a DepartedJob, cx: ViewContext<'a>) -> Self {
        Self { record: Some(RowRecord::Departed(left)), row: None, cx }
    }

    /// Returns the tier by which a filter finds the job.
    fn tier(&self) -> Option<&'static str> {
        let run = self.cx.run();
        let outcome = self.row?.outcome(run)?;
        let known = self.cx.screen.known_reason(outcome.job);
        Some(JobRecord::of(run, outcome).with_reason(known.as_deref()).tier()?.word())
    }
}

impl QueryRecord for LineRecord<'_> {
    fn fact(&self, field: &str) -> Option<FieldValue<'_>> {
        match field {
            "tier" => self.tier().map(FieldValue::text),
            _ => self.record.as_ref()?.fact(field),
        }
    }

    fn any_text(&self, holds: &dyn Fn(&str) -> bool) -> bool {
        self.record.as_ref().is_some_and(|record| record.any_text(holds))
    }
}
