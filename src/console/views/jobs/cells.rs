//! The cells of a job's row: verdict, start, reason, and the two numbers compared.

use super::super::reason_values::{measure, reason_words};
use super::super::records::{show, verdict_cell};
use super::JobListLine;
use crate::theme::{Role, Theme};
use crate::views::ViewContext;
use crate::views::place_words::PlaceWords;
use crate::widgets::bar::bar;
use crate::widgets::table::{Cell, SortKey};
use crate::widgets::text::in_set;
use crate::wording;
use qscope_engine::cycle::{Outcome, Run, Verdict};
use qscope_explain::AmountComparison;
use qscope_explain::words::time_of_day;
use qscope_session::query::QueryRecord;
use qscope_session::records::JobRecord;

/// The role of a line's text: dim if its job left.
pub(super) fn role(line: &JobListLine) -> Role {
    if matches!(line, JobListLine::Departed(_)) { Role::TextDim } else { Role::Text }
}

pub(super) fn verdict(line: &JobListLine, cx: ViewContext<'_>, theme: &Theme) -> Cell<'static> {
    line.row().map_or(Cell::of(Role::TextDim, "left"), |row| verdict_cell(row, cx, theme))
}

/// When the job starts or started: planned for a top job, forecast by running the cycle forward for others.
pub(super) fn start(cx: ViewContext<'_>, line: &JobListLine, theme: &Theme) -> Cell<'static> {
    let run = &**cx.run();
    let snap = &run.plan.snap;
    let Some(outcome) = line.outcome(run) else {
        let started = line.job_record(run).and_then(|record| record.job().started);
        return Cell::new(started.map_or_else(String::new, |at| time_of_day(snap, at)));
    };
    match (&outcome.estimate, cx.screen.start_of(outcome.job)) {
        _ if run.verdict(outcome) == Verdict::Run => Cell::of(Role::VerdictRun, "now"),
        (Some(top), _) => {
            let mark = theme.by_set("◆", "@");
            Cell::of(Role::VerdictWait, wording::start(mark, snap, top.start))
        }
        (None, Some(at)) => Cell::of(Role::TextDim, wording::start("~", snap, at)),
        (None, None) => Cell::of(Role::TextDim, theme.by_set("—", "-")),
    }
}

/// The moment in the column of starts; of a job that runs, when it started.
pub(super) fn start_key(cx: ViewContext<'_>, line: &JobListLine) -> SortKey {
    let run = &**cx.run();
    let at = match line.outcome(run) {
        None => line.job_record(run).and_then(|record| record.job().started),
        Some(outcome) => match run.verdict(outcome) {
            Verdict::Run => Some(run.plan.snap.now),
            Verdict::Never => None,
            Verdict::NotNow | Verdict::NotConsidered => {
                let planned = outcome.estimate.as_ref().map(|top| top.start);
                planned.or_else(|| cx.screen.start_of(outcome.job))
            }
        },
    };
    SortKey::number(at.map(|at| at.0 as f64))
}

/// The name of the job's group: by its reason, or by the value of another field.
pub(super) fn group_name(cx: ViewContext<'_>, line: &JobListLine, by: &str) -> String {
    let run = &**cx.run();
    if by != "reason" {
        let record = line.record(cx);
        let value = record.fact(by).map(|fact| show(&fact, &run.plan.snap)).unwrap_or_default();
        return format!("{by} {value}");
    }
    match line.outcome(run) {
        None => "running".to_owned(),
        Some(outcome) if !waits(run, outcome) => "starts now".to_owned(),
        Some(outcome) => cx.reason(outcome).map_or_else(|| "not considered".to_owned(), |reason| reason.name),
    }
}

/// Why the job waits, with the numbers compared where these have no column; or where it runs, and until when.
pub(super) fn reason<'a>(
    cx: ViewContext<'_>,
    line: &JobListLine,
    places: &'a PlaceWords,
    with_numbers: bool,
    theme: &Theme,
) -> Cell<'a> {
    let run = &**cx.run();
    let row = match line {
        JobListLine::Departed(left) => return Cell::of(Role::TextDim, left.words()),
        JobListLine::Heading(_) => return Cell::new(""),
        JobListLine::Job(_, row) => *row,
    };
    // A subjob that starts does not share the reason for which others of its array wait.
    if let Some(place) = places.of(run, row) {
        return Cell::new(place);
    }
    let Some(outcome) = row.outcome(run) else { return Cell::new("") };
    let Some(found) = cx.reason(outcome) else { return Cell::new(wording::reason(run, outcome)) };
    let words = reason_words(&found, run.verdict(outcome), with_numbers);
    Cell::new(in_set(&words, theme.theme_options().glyphs).into_owned())
}

pub(super) fn waits(run: &Run, outcome: &Outcome) -> bool {
    run.verdict(outcome) != Verdict::Run
}

/// The two numbers that decide: for a waiting job those of its reason, for others their progress.
pub(super) fn measured(cx: ViewContext<'_>, line: &JobListLine) -> Option<AmountComparison> {
    measure(cx, line.row()?)
}

/// A bar of the two numbers, and both in words.
pub(super) fn amounts_bar(
    cx: ViewContext<'_>,
    line: &JobListLine,
    theme: &Theme,
    wide: usize,
) -> Cell<'static> {
    let Some(measure) = measured(cx, line) else { return Cell::new("") };
    // The progress of a running job is not an amount that is free.
    let role = if line.outcome(cx.run()).is_none() { Role::NodeBusy } else { Role::Gauge };
    let (filled, rest) = bar(measure.available, measure.requested, wide, theme);
    let columns = u16::try_from(wide).unwrap_or(0);
    Cell::new(format!("{filled}{rest} {}", measure.text)).with_leading_role(role, columns)
}

/// The select of a job, chunk by chunk.
pub(super) fn asked(record: Option<JobRecord<'_>>, theme: &Theme) -> Cell<'static> {
    let select = record.and_then(|record| record.job().select.as_ref());
    Cell::new(select.map_or_else(String::new, |select| wording::select_words(select, theme.by_set("×", "x"))))
}
