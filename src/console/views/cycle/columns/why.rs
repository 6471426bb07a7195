//! The last column of the queue: why a job waits with the numbers compared, or where it starts; of a job that runs until
//! when, and where.

use super::super::draw::Drawing;
use super::CycleCells;
use super::WIDE;
use crate::layout::cells;
use crate::screen::CycleRow;
use crate::theme::Role;
use crate::widgets::table::{Cell, SortKey};
use crate::widgets::text::width;
use crate::wording::{self, reason};
use qscope_explain::ReasonTally;
use qscope_session::query::{Fact, Record};

/// A reason takes so many columns before its numbers; fewer where the numbers have no bar, and little room.
const REASON: usize = 22;
const REASON_LEAST: usize = 20;
/// A bar before the numbers takes so many.
const BAR: usize = 11;
/// From this width on numbers stand below each other, behind the longest name of a reason.
const ALIGNED: u16 = 100;
/// Names that are longer still push their numbers to the right.
const LONGEST_REASON: usize = 32;

/// Where numbers stand behind a reason: the columns before them, and those of their bar, or none.
#[derive(Clone, Copy)]
pub(super) struct Numbers {
    before: usize,
    bar: usize,
}

impl Numbers {
    pub(super) fn of(drawing: Drawing<'_>, room: u16) -> Self {
        let bar = if room >= WIDE { BAR } else { 0 };
        let least = if bar > 0 { REASON } else { REASON_LEAST };
        let columns = |one: &ReasonTally| width(&one.name) + if one.analysed { 1 } else { 3 };
        let longest = drawing.view.reasons.known().tally.iter().map(columns).max().unwrap_or(0);
        let before = if room >= ALIGNED { longest.clamp(least, LONGEST_REASON) } else { least };
        Self { before, bar }
    }
}

impl<'a> CycleCells<'a> {
    /// The nodes it starts on, or the reason and the numbers compared; of a job that runs, its end and its nodes.
    pub(super) fn why(self, row: CycleRow, place: Numbers) -> Cell<'a> {
        if let Some(left) = self.left(row) {
            return Cell::of(Role::TextDim, left.words());
        }
        let Some(outcome) = self.outcome(row) else { return self.ends(row, place) };
        let Numbers { before, bar } = place;
        let run = self.run();
        let theme = self.0.theme;
        // What is known is of the whole array; a subjob that the server refuses has a reason of its own.
        let of_subjob = outcome.subjob.is_some() && run.is_refused(outcome);
        let known = self.0.world.reason(outcome).filter(|_| !self.starts(outcome) && !of_subjob);
        let Some(found) = known else {
            return Cell::new(reason(run, outcome) + &self.undone(row));
        };
        let guess = if found.analysed { "" } else { theme.by_set("≈ ", "~ ") };
        let sentence = &found.beside;
        // Where the verdict is the reason, its column has the word already.
        if found.measure.is_none() && found.is_the_verdict(run.verdict(outcome)) {
            return Cell::new(format!("{guess}{sentence}"));
        }
        let name = format!("{guess}{}", found.name);
        let numbers = match &found.measure {
            Some(measure) if bar > 0 => {
                let (have, rest) = crate::widgets::bar::bar(measure.have, measure.want, bar, theme);
                format!("{have}{rest} {}", measure.text)
            }
            Some(measure) => measure.text.clone(),
            None => sentence.to_owned(),
        };
        // A blank also behind a name that is longer than its column.
        let name = format!("{name:<before$} ", before = before - 1);
        let bar = if found.measure.is_some() { bar } else { 0 };
        Cell::new(format!("{name}{numbers}")).with_part(Role::Gauge, cells(width(&name)), cells(bar))
    }

    /// What it is sorted by: where a job runs or starts, in the words that the list of jobs has for it; else what stands there.
    pub(super) fn why_key(self, row: CycleRow, place: Numbers) -> SortKey {
        match self.0.view.places.of(self.run(), row) {
            Some(words) => SortKey::of_text(&(words.into_owned() + &self.undone(row))),
            None => SortKey::of_text(&self.why(row, place).text),
        }
    }

    /// That a later step of the cycle preempted the job: its last turn states whether it waits.
    fn undone(self, row: CycleRow) -> String {
        let CycleRow::Step(step) = row else { return String::new() };
        let undone = self.0.screen().summary().undone(step);
        undone.map_or_else(String::new, |qscope_explain::Undone { end, method, .. }| {
            let by = self.run().steps[end].outcome.job;
            format!(", then {} for {}", method.word(), self.run().plan.job(by).short_name())
        })
    }

    fn ends(self, row: CycleRow, Numbers { before, bar }: Numbers) -> Cell<'a> {
        let Some(record) = row.record(self.run()) else { return Cell::new("") };
        let snap = &self.0.screen().generation.snapshot;
        let ends = match record.ends() {
            Some(at) => format!("{} {}", wording::ends(snap, at), wording::time_of_day(snap, at)),
            None => "no end".to_owned(),
        };
        let share = match record.measure() {
            Some(measure) if bar > 0 => {
                let (have, rest) = crate::widgets::bar::bar(measure.have, measure.want, bar, self.0.theme);
                format!("{have}{rest} ")
            }
            _ => String::new(),
        };
        let nodes = match record.fact("node") {
            Some(Fact::Texts(names)) => wording::compact(names.iter().map(|name| &**name)),
            _ => String::new(),
        };
        let ends = format!("{ends:<before$}");
        let bar = if share.is_empty() { 0 } else { bar };
        Cell::new(format!("{ends}{share}{nodes}")).with_part(Role::NodeBusy, cells(width(&ends)), cells(bar))
    }
}
