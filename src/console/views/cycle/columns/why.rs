//! The last column of the queue: why a job waits, with the numbers compared, or where it starts; for a running job its
//! end and its nodes.

use super::super::draw_context::DrawContext;
use super::CycleCells;
use super::WIDE;
use crate::layout::cells;
use crate::screen::CycleRow;
use crate::theme::Role;
use crate::views::records::nodes;
use crate::widgets::table::{Cell, SortKey};
use crate::widgets::text::width;
use crate::wording::{self, reason};
use qscope_explain::ReasonTally;

/// Minimum columns of a reason before its numbers, with and without a bar.
const REASON: usize = 22;
const REASON_LEAST: usize = 20;
/// Columns of the bar before the numbers.
const BAR: usize = 11;
/// From this width on the numbers are aligned after the longest name of a reason.
const ALIGNED: u16 = 100;
/// Longer names do not widen the alignment; they push their own numbers to the right.
const LONGEST_REASON: usize = 32;

/// Columns before the numbers, and columns of their bar (0: none).
#[derive(Clone, Copy)]
pub(super) struct NumbersLayout {
    columns_before: usize,
    bar: usize,
}

impl NumbersLayout {
    pub(super) fn of(context: DrawContext<'_>, room: u16) -> Self {
        let bar = if room >= WIDE { BAR } else { 0 };
        let least = if bar > 0 { REASON } else { REASON_LEAST };
        let columns = |tally: &ReasonTally| width(&tally.name) + if tally.analysed { 1 } else { 3 };
        let longest = context.view.reasons.known().tally.iter().map(columns).max().unwrap_or(0);
        let before = if room >= ALIGNED { longest.clamp(least, LONGEST_REASON) } else { least };
        Self { columns_before: before, bar }
    }
}

impl<'a> CycleCells<'a> {
    /// The nodes where the job starts, or the reason and the numbers compared; for a running job its end and its nodes.
    pub(super) fn reason_cell(self, row: CycleRow, place: NumbersLayout) -> Cell<'a> {
        let Some(outcome) = self.outcome(row) else { return self.ends(row, place) };
        let NumbersLayout { columns_before: before, bar } = place;
        let run = self.run();
        let theme = self.0.theme;
        // The known reason applies to the whole array; a subjob refused by the server has its own.
        let of_subjob = outcome.subjob.is_some() && run.is_refused(outcome);
        let known = self.0.cx.reason(outcome).filter(|_| !self.starts(outcome) && !of_subjob);
        let Some(found) = known else {
            return Cell::new(reason(run, outcome) + &self.undone_text(row));
        };
        let guess = if found.analysed { "" } else { theme.by_set("≈ ", "~ ") };
        let sentence = &found.short_sentence;
        // If the verdict is the reason, the column of verdicts states it already.
        if found.measure.is_none() && found.is_the_verdict(run.verdict(outcome)) {
            return Cell::new(format!("{guess}{sentence}"));
        }
        let name = format!("{guess}{}", found.name);
        let numbers = match &found.measure {
            Some(measure) if bar > 0 => {
                let (have, rest) = crate::widgets::bar::bar(measure.available, measure.requested, bar, theme);
                format!("{have}{rest} {}", measure.text)
            }
            Some(measure) => measure.text.clone(),
            None => sentence.to_owned(),
        };
        // Keep a space also after a name that is longer than the column.
        let name = format!("{name:<before$} ", before = before - 1);
        let bar = if found.measure.is_some() { bar } else { 0 };
        Cell::new(format!("{name}{numbers}")).with_part(Role::Gauge, cells(width(&name)), cells(bar))
    }

    /// What it is sorted by: where a job runs or starts, in the words that the list of jobs has for it; else what stands there.
    pub(super) fn reason_sort_key(self, row: CycleRow, layout: NumbersLayout) -> SortKey {
        match self.0.view.places.of(self.run(), row) {
            Some(words) => SortKey::of_text(&(words.into_owned() + &self.undone_text(row))),
            None => SortKey::of_text(&self.reason_cell(row, layout).text),
        }
    }

    /// States that a later step preempted the job; its last outcome states whether it waits.
    fn undone_text(self, row: CycleRow) -> String {
        let CycleRow::Step(step) = row else { return String::new() };
        let undone = self.0.screen().summary().undone(step);
        undone.map_or_else(String::new, |qscope_explain::UndoneStart { end, method, .. }| {
            let by = self.run().steps[end].outcome.job;
            format!(", then {} for {}", method.word(), self.run().plan.job(by).short_name())
        })
    }

    fn ends(self, row: CycleRow, NumbersLayout { columns_before, bar }: NumbersLayout) -> Cell<'a> {
        let Some(record) = row.record(self.run()) else { return Cell::new("") };
        let snap = &self.0.screen().generation.snapshot;
        let ends = match record.ends() {
            Some(at) => format!("{} {}", wording::ends(snap, at), wording::time_of_day(snap, at)),
            None => "no end".to_owned(),
        };
        let share = match record.measure() {
            Some(measure) if bar > 0 => {
                let (have, rest) =
                    crate::widgets::bar::bar(measure.available, measure.requested, bar, self.0.theme);
                format!("{have}{rest} ")
            }
            _ => String::new(),
        };
        let nodes = nodes(&record).unwrap_or_default();
        let ends = format!("{ends:<columns_before$}");
        let bar = if share.is_empty() { 0 } else { bar };
        Cell::new(format!("{ends}{share}{nodes}")).with_part(Role::NodeBusy, cells(width(&ends)), cells(bar))
    }
}
