//! Why a job waits, or where and until when it runs, as separate values for export: the words, the numbers compared and
//! the end, which share one cell on the screen.

use serde_json::Value;

use super::ViewContext;
use super::records::nodes;
use crate::screen::CycleRow;
use crate::theme::Role;
use crate::widgets::table::{Cell, ColumnPart, as_value, number};
use crate::wording;
use qscope_engine::cycle::Verdict;
use qscope_explain::{AmountComparison, Tier, WaitReason};
use qscope_session::query::FieldValue;

/// The role of the bar of jobs that wait for a reason of that tier; `None` for several reasons together.
pub(crate) fn bar_role(tier: Option<Tier>) -> Role {
    if tier == Some(Tier::Never) { Role::VerdictNever } else { Role::VerdictWait }
}

/// The values of the column `title`; `row_of` finds the row of the cycle for a line.
pub(crate) fn reason_parts<'a, T>(
    title: &'static str,
    cx: ViewContext<'a>,
    row_of: impl Fn(&T) -> Option<CycleRow> + Copy + 'a,
) -> Vec<ColumnPart<'a, T>> {
    let compared_number = move |line: &T, of: fn(&AmountComparison) -> f64| {
        let measure = row_of(line).and_then(|row| measure(cx, row));
        number(measure.as_ref().map(of))
    };
    let compared = move |line: &T| {
        row_of(line).and_then(|row| measure(cx, row)).map_or(Value::Null, |measure| measure.text.into())
    };
    vec![
        (title, Box::new(move |line| row_of(line).map_or(Value::Null, |row| words(cx, row)))),
        ("have of", Box::new(compared)),
        ("have", Box::new(move |line| compared_number(line, |measure| measure.available))),
        ("want", Box::new(move |line| compared_number(line, |measure| measure.requested))),
        ("ends", Box::new(move |line| row_of(line).map_or(Value::Null, |row| ends(cx, row)))),
    ]
}

/// The text of a verdict without the sign of a running job.
pub(crate) fn unsigned(cell: &Cell<'_>) -> String {
    cell.text.trim_start_matches(['■', '#', ' ']).to_owned()
}

/// The numbers compared: for a waiting job those of its reason, for a running job its progress.
pub(crate) fn measure(cx: ViewContext<'_>, row: CycleRow) -> Option<AmountComparison> {
    let run = cx.run();
    match row.outcome(run) {
        Some(outcome) if run.verdict(outcome) == Verdict::Run => None,
        Some(outcome) => cx.reason(outcome)?.measure,
        None => row.record(run)?.measure(),
    }
}

/// The reason without its numbers, or the nodes.
fn words(cx: ViewContext<'_>, row: CycleRow) -> Value {
    let run = cx.run();
    let Some(outcome) = row.outcome(run) else {
        return row.record(run).and_then(|record| nodes(&record)).into();
    };
    // The known reason applies to the whole array; a subjob refused by the server has its own.
    let is_of_another = outcome.subjob.is_some() && run.is_refused(outcome);
    let known = cx.reason(outcome).filter(|_| run.verdict(outcome) != Verdict::Run && !is_of_another);
    let Some(found) = known else { return wording::reason(run, outcome).into() };
    reason_words(&found, run.verdict(outcome), false).into()
}

/// The words of a reason, on request with the numbers compared.
pub(crate) fn reason_words(found: &WaitReason, verdict: Verdict, with_numbers: bool) -> String {
    let words = match &found.measure {
        Some(measure) if with_numbers => format!("{} {}", found.name, measure.text),
        Some(_) => found.name.to_string(),
        // If the verdict is the reason, the column of verdicts states it already.
        None if found.is_the_verdict(verdict) => wording::found_first(found),
        None => format!("{}: {}", found.name, wording::found_first(found)),
    };
    format!("{}{words}", wording::guess(found))
}

fn ends(cx: ViewContext<'_>, row: CycleRow) -> Value {
    let record = row.record(cx.run()).filter(|_| row.outcome(cx.run()).is_none());
    record
        .and_then(|record| record.ends())
        .map_or(Value::Null, |at| as_value(&FieldValue::Number(at.0 as f64)))
}
