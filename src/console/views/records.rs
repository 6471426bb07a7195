//! Tables of records: titles, widths, order and values of their columns come from `qscope_session::records`.

use rustc_hash::FxHashMap;
use serde_json::Value;

use super::ViewContext;
use crate::screen::{CycleRow, RowSign};
use crate::theme::{Role, Theme};
use crate::widgets::table::{Cell, SortKey, TableColumn, Width, as_value};
use crate::wording::{self, compact};
use qscope_engine::cluster::{Seconds, Snapshot};
use qscope_engine::cycle::Outcome;
use qscope_engine::universe::State;
use qscope_explain::words::{duration, time_of_day};
use qscope_session::query::{FieldKind, FieldValue, QueryField, QueryFields, QueryRecord};
use qscope_session::records::{JobRecord, NodeRecord, job_fields};

/// Columns with this priority number or a higher one are shown on request only.
const ON_REQUEST: u8 = 9;

/// The default columns of records in the order of the model; `record` finds the record of a row.
pub(crate) fn columns<'a, T, R: QueryRecord + 'a>(
    fields: &QueryFields,
    record: impl Fn(&'a T) -> R + Copy + 'a,
) -> Vec<TableColumn<'a, T>> {
    let shown = fields.all().iter().filter(|field| field.priority < ON_REQUEST);
    shown.map(|field| column(field.clone(), record)).collect()
}

/// Columns on request for all fields but those in `but`.
pub(crate) fn on_request<'a, T, R: QueryRecord + 'a>(
    fields: &QueryFields,
    but: &[&str],
    record: impl Fn(&'a T) -> R + Copy + 'a,
) -> Vec<TableColumn<'a, T>> {
    let others = fields.all().iter().filter(|field| !but.contains(&&*field.name));
    others.map(|field| column(field.clone(), record).on_request()).collect()
}

/// The verdict on a job, or that it runs.
pub(crate) fn verdict_cell(row: CycleRow, cx: ViewContext<'_>, theme: &Theme) -> Cell<'static> {
    let Some(outcome) = row.outcome(cx.run()) else {
        let runs = Cell::of(Role::TextDim, theme.by_set("■ runs", "# runs"));
        return runs.with_leading_role(Role::NodeBusy, 1);
    };
    let verdict = cx.run().verdict(outcome);
    let text = wording::verdict_or_likely(verdict, cx.is_likely(outcome.job));
    Cell::signed(wording::verdict_role(verdict), text)
}

/// Formats a fact for a table; moments are in the time zone of the snapshot.
pub(crate) fn show(fact: &FieldValue<'_>, snap: &Snapshot) -> String {
    match fact {
        FieldValue::Moment(at, _) => time_of_day(snap, *at),
        FieldValue::Span(length) if *length >= Seconds::UNLIMITED => "none".to_owned(),
        FieldValue::Span(length) => duration(*length),
        other => other.to_string(),
    }
}

/// The sort key of a fact.
pub(crate) fn key(fact: Option<FieldValue<'_>>) -> SortKey {
    match fact {
        Some(FieldValue::Number(number) | FieldValue::Size(number)) => SortKey::Number(number),
        Some(FieldValue::Span(length)) => SortKey::Number(length.0 as f64),
        Some(FieldValue::Moment(at, _)) => SortKey::Number(at.0 as f64),
        Some(other) => SortKey::of_text(&other.to_string()),
        None => SortKey::Nothing,
    }
}

/// The nodes of a record, folded; `None` if it has none.
pub(crate) fn nodes(record: &impl QueryRecord) -> Option<String> {
    match record.fact("node")? {
        FieldValue::Texts(names) => Some(compact(names.iter().map(|name| &**name))),
        _ => None,
    }
}

fn column<'a, T, R: QueryRecord + 'a>(
    field: QueryField,
    record: impl Fn(&'a T) -> R + Copy + 'a,
) -> TableColumn<'a, T> {
    let width = match (field.kind, field.priority) {
        (FieldKind::Text, 1) => Width::Fill(field.width / 2),
        (FieldKind::Text, _) => Width::Between(field.width / 2, field.width),
        _ => Width::Fixed(field.width),
    };
    let keep = 100 - 10 * field.priority;
    let (title, sorted) = (field.name.clone(), field.name.clone());
    let valued = field.name.clone();
    let cell = move |row: &'a T| match record(row).fact(&field.name) {
        Some(FieldValue::Texts(names)) if field.name == "node" => {
            Cell::new(compact(names.iter().map(|name| &**name)))
        }
        Some(fact) => Cell::of(role(&field.name, &fact), fact.to_string()),
        None => Cell::of(Role::TextDim, "-"),
    };
    let is_text = field.kind == FieldKind::Text;
    let column =
        TableColumn::words(title, width, keep, cell).sorted_by(move |row| key(record(row).fact(&sorted)));
    let column = column.valued(move |row| {
        let record = record(row);
        record.fact(&valued).map_or(Value::Null, |fact| as_value(&fact))
    });
    if is_text { column } else { column.at_right() }
}

/// The role of a fact: counts of nodes have the colour of these nodes in a map; zeros are dim.
fn role(name: &str, fact: &FieldValue<'_>) -> Role {
    match (fact, name) {
        (FieldValue::Number(number), _) if *number == 0.0 => Role::TextDim,
        (_, "free") => Role::NodeFree,
        (_, "later") => Role::NodeLater,
        (_, "busy") => Role::NodeBusy,
        (_, "priority" | "order") => Role::TextDim,
        _ => Role::Text,
    }
}

/// The cell of a row's mark.
pub(crate) fn sign_cell(sign: RowSign, theme: &Theme) -> Cell<'static> {
    match sign {
        RowSign::StepHere => Cell::signed(Role::StepHere, ""),
        RowSign::StepDone => Cell::signed(Role::StepDone, ""),
        RowSign::JustTaken => Cell::signed(Role::NodeTaken, ""),
        RowSign::Changed => Cell::signed(Role::Changed, ""),
        RowSign::New => Cell::of(Role::Changed, "+"),
        RowSign::Departed => Cell::of(Role::TextDim, theme.by_set("−", "-")),
    }
}

/// A value of a field, and how many rows have it.
pub(crate) type ValueCount = (String, usize);

/// Maximum number of rows counted: the values of a field are needed while the user types.
const MAX_COUNTED: usize = 20_000;
/// Maximum number of different values offered.
const MAX_VALUES: usize = 200;

/// The values that rows have in a field, most frequent first.
pub(crate) fn values<R: QueryRecord>(
    records: impl Iterator<Item = R>,
    field: &str,
    snap: &Snapshot,
) -> Vec<ValueCount> {
    let mut counts: FxHashMap<String, usize> = FxHashMap::default();
    // Many rows share few numbers: each number is formatted once.
    let mut numbers: FxHashMap<u64, (FieldValue<'static>, usize)> = FxHashMap::default();
    for record in records.take(MAX_COUNTED) {
        match record.fact(field) {
            Some(FieldValue::Number(number)) => {
                numbers.entry(number.to_bits()).or_insert((FieldValue::Number(number), 0)).1 += 1;
            }
            Some(FieldValue::Size(size)) => {
                numbers.entry(size.to_bits()).or_insert((FieldValue::Size(size), 0)).1 += 1;
            }
            // A row has no text twice.
            Some(FieldValue::Texts(texts)) => texts.iter().for_each(|text| add(&mut counts, text, 1)),
            Some(FieldValue::Joined(text)) => text.split(',').for_each(|word| add(&mut counts, word, 1)),
            Some(FieldValue::Text(text)) => add(&mut counts, &text, 1),
            Some(fact @ FieldValue::Span(_)) => add(&mut counts, &show(&fact, snap), 1),
            Some(FieldValue::Moment(..)) | None => {}
            Some(fact @ FieldValue::Flag(_)) => add(&mut counts, &fact.to_string(), 1),
        }
    }
    for (fact, rows) in numbers.into_values() {
        add(&mut counts, &fact.to_string(), rows);
    }
    let mut found: Vec<ValueCount> = counts.into_iter().filter(|(value, _)| !value.is_empty()).collect();
    found.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    found.truncate(MAX_VALUES);
    found
}

/// Adds to the number of rows that have a value, copying the value only if it is new.
fn add(counts: &mut FxHashMap<String, usize>, value: &str, rows: usize) {
    match counts.get_mut(value) {
        Some(count) => *count += rows,
        None => drop(counts.insert(value.to_owned(), rows)),
    }
}

/// The values of a field among all jobs of a cycle, with as many jobs as there are rows: a waiting subjob counts with
/// its array. As in a filter, they include the analysed reasons.
pub(crate) fn job_values(cx: ViewContext<'_>, field: &str) -> Vec<ValueCount> {
    let (run, reasons) = (&**cx.run(), cx.screen.known_reasons());
    let rows = run.outcomes().filter(|outcome| !run.plan.job(outcome.job).is_represented_by_array());
    let known = |outcome: &Outcome| reasons.get(&outcome.job).map(|reason| &**reason);
    let considered = rows.map(|outcome| JobRecord::of(run, outcome).with_reason(known(outcome)));
    let ids = run.plan.snap.jobs.enumerate().map(|(job, _)| job);
    let running = ids.filter(|job| run.runs_before(*job)).map(|job| JobRecord::running(run, job));
    let mut found = values(considered.chain(running), field, &run.plan.snap);
    // Displayed with the words of the table.
    if let Some(of) = job_fields(&run.plan.snap.catalogue).named(field).filter(|of| !of.also.is_empty()) {
        found.iter_mut().for_each(|(value, _)| *value = of.display_value(value).to_owned());
    }
    found
}

/// The values of a field among all nodes.
pub(crate) fn node_values(state: &State, field: &str) -> Vec<ValueCount> {
    let bits = state.plan.nodes.enumerate().map(|(bit, _)| bit);
    values(bits.map(|bit| NodeRecord::of(state, bit)), field, &state.plan.snap)
}
