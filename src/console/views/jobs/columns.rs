//! The columns of the table of jobs.

use std::rc::Rc;

use super::cells::{amounts_bar, asked, measured, reason, role, start, start_key, verdict};
use super::{JobListLine, JobListModel};
use crate::theme::Theme;
use crate::views::ViewContext;
use crate::views::list::ListModel;
use crate::views::reason_values::{reason_parts, unsigned};
use crate::views::records::{key, on_request, show};
use crate::widgets::table::{Cell, SortKey, TableColumn, Width};
use qscope_session::query::QueryRecord;

/// Minimum width for a column with a bar for the two numbers compared; below it they follow the reason.
const HAVE_OF: u16 = 100;

/// Minimum width for the select column to have room for two chunks.
const VERY_ROOMY: u16 = 180;

/// The title of the column of words about nodes.
pub(super) const REASON: &str = "reason, or where";

/// The default columns; every other field has a column on request.
const USUAL: [&str; 10] =
    ["job", "user", "queue", "state", "ncpus", "walltime", "verdict", "start", "reason", "select"];

/// All of them in a table so wide.
pub(super) fn columns<'a>(
    jobs: &'a JobListModel,
    cx: ViewContext<'a>,
    theme: &'a Theme,
    width: u16,
) -> Vec<TableColumn<'a, Rc<JobListLine>>> {
    let run = &**cx.run();
    let record = move |line: &'a Rc<JobListLine>| line.record(cx);
    let text = move |field: &'static str| {
        move |line: &'a Rc<JobListLine>| match record(line).fact(field) {
            Some(fact) => Cell::of(role(line), show(&fact, &run.plan.snap)),
            None => Cell::new(""),
        }
    };
    let by = move |field: &'static str| move |line: &'a Rc<JobListLine>| key(record(line).fact(field));
    let mut columns = vec![
        TableColumn::words("job", Width::Between(5, 14), 98, |line: &Rc<JobListLine>| {
            Cell::of(role(line), line.id_text(run))
        }),
        TableColumn::words("user", Width::Between(4, 10), 90, text("user")),
    ];
    // Optional in a narrow table.
    let roomy = width >= 120;
    columns.push(on_request_unless(
        roomy,
        TableColumn::words("queue", Width::Between(7, 10), 40, text("queue")),
    ));
    columns.push(TableColumn::words("S", Width::Fixed(2), 88, text("state")));
    let asks = move |line: &'a Rc<JobListLine>| asked(line.job_record(run), theme);
    let most = if width >= VERY_ROOMY { 48 } else { 28 };
    columns.push(on_request_unless(roomy, TableColumn::words("asks", Width::Between(16, most), 45, asks)));
    columns.extend([
        TableColumn::numbers("ncpus", 6, 70, text("ncpus")).valued_by(by("ncpus")),
        TableColumn::numbers("walltime", 8, 60, text("walltime")).valued_by(by("walltime")),
        TableColumn::words("verdict", Width::Fixed(8), 95, move |line: &'a Rc<JobListLine>| {
            verdict(line, cx, theme)
        })
        .valued(move |line| unsigned(&verdict(line, cx, theme)).into()),
        TableColumn::words("start", Width::Between(6, 12), 85, move |line: &'a Rc<JobListLine>| {
            start(cx, line, theme)
        })
        .valued_by(move |line: &'a Rc<JobListLine>| start_key(cx, line)),
        TableColumn::words(REASON, Width::Fill(18), 80, move |line: &'a Rc<JobListLine>| {
            reason(cx, line, &jobs.places, width < HAVE_OF, theme)
        })
        .in_parts(reason_parts(REASON, cx, |line: &Rc<JobListLine>| line.row())),
        amounts_column(cx, theme, width),
    ]);
    columns.extend(on_request(&JobListModel::fields(cx), &USUAL, record));
    columns
}

/// The column of the two numbers compared, with a bar; on request where they follow the reason.
fn amounts_column<'a>(cx: ViewContext<'a>, theme: &'a Theme, width: u16) -> TableColumn<'a, Rc<JobListLine>> {
    let bar: u16 = if width >= 160 { 14 } else { 7 };
    let cell = move |line: &'a Rc<JobListLine>| amounts_bar(cx, line, theme, usize::from(bar));
    let column = TableColumn::words("have of", Width::Between(bar + 13, bar + 26), 50, cell);
    let share = move |line: &'a Rc<JobListLine>| {
        SortKey::number(measured(cx, line).map(|found| found.available / found.requested))
    };
    let text = move |line: &'a Rc<JobListLine>| measured(cx, line).map(|found| found.text).into();
    on_request_unless(width >= HAVE_OF, column.sorted_by(share).valued(text))
}

/// A column that is shown by default if `roomy`, else only on request.
fn on_request_unless<T>(roomy: bool, column: TableColumn<'_, T>) -> TableColumn<'_, T> {
    if roomy { column } else { column.on_request() }
}
