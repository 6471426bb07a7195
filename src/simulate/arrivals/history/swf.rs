//! The Standard Workload Format: one job per line, fields by number (days rule 1).

use rustc_hash::FxHashSet;
use serde_json::{Map, Value};

use super::{ArrivalHistory, HistoryContext, NO_NUMBER, TraceMemory, duration};
use crate::arrivals::ArrivalRow;

/// The fields of one line, numbered from 1.
struct SwfFields(Vec<f64>);

impl SwfFields {
    /// Parses a line; fields that are not numbers are unknown.
    fn of(line: &str) -> Self {
        Self(line.split_whitespace().map(|word| word.parse().unwrap_or(-1.0)).collect())
    }

    /// Returns a field, if it is known.
    fn get(&self, number: usize) -> Option<i64> {
        let value = *self.0.get(number.checked_sub(1)?)?;
        (0.0..1e15).contains(&value).then_some(value as i64)
    }
}

/// A trace so far. Times that are not dates count from the start of the simulation.
#[derive(Default)]
pub(super) struct SwfTrace {
    /// Start time given in its header.
    origin: i64,
    rows: Vec<(i64, ArrivalRow)>,
}

impl SwfTrace {
    /// Reads a line.
    pub(super) fn line(&mut self, line: &str, place: &HistoryContext<'_>, history: &mut ArrivalHistory) {
        let line = line.trim();
        if let Some(comment) = line.strip_prefix(';') {
            if let Some((_, value)) = comment.split_once(':').filter(|(key, _)| key.trim() == "UnixStartTime")
            {
                self.origin = value.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(0);
            }
            return;
        }
        history.lines += 1;
        let fields = SwfFields::of(line);
        if let Some(at) = fields.get(2) {
            history.health.moment(at);
        }
        match row(&fields, place) {
            Ok(arrival) => self.rows.push(arrival),
            Err(cause) => history.drop_one(cause),
        }
    }

    pub(super) fn finish(self, place: &HistoryContext<'_>, history: &mut ArrivalHistory) {
        let Self { origin, rows } = self;
        arrive(rows, origin, place, history);
    }
}

/// Converts jobs with their times in the trace to arrivals.
fn arrive(
    rows: Vec<(i64, ArrivalRow)>,
    origin: i64,
    place: &HistoryContext<'_>,
    history: &mut ArrivalHistory,
) {
    let first = rows.iter().map(|(at, _)| *at).min().unwrap_or(0);
    // A trace of another year would be entirely before the start or after the end, so its first job is moved to the
    // start.
    let is_past = rows.iter().all(|(at, _)| origin + at < place.from.0);
    let moves = if place.options.keeps_ended { !is_dated(origin, first) } else { origin == 0 || is_past };
    let shift = if moves { place.from.0 - first } else { origin };
    if shift != origin && !rows.is_empty() {
        history
            .notes
            .push(format!("times of the trace shifted by {shift} s: its first job arrives at the start"));
    }
    // Numbers of a trace of another time are not ids of this cluster, whose jobs may have the same numbers.
    let taken: FxHashSet<&str> = match shift == origin || place.options.keeps_ended {
        true => FxHashSet::default(),
        false => place.snapshot.jobs.iter().map(|job| &*job.name).collect(),
    };
    for (at, mut row) in rows {
        if taken.contains(&*row.id) {
            row.id = of_trace(&row.id);
        }
        row.at = at + shift;
        row.was = row.was.map(|was| was + shift);
        row.cancel = row.cancel.map(|cancel| cancel + shift);
        let started = row.was.unwrap_or(row.at);
        let end = started + row.runtime.unwrap_or(0);
        let keeps_ended = place.options.keeps_ended && row.cancel.is_none();
        if row.cancel.is_some_and(|cancel| cancel <= place.from.0) {
            history.drop_one(WITHDRAWN);
        } else if keeps_ended && end <= place.from.0 {
            history.pass(row, place);
        } else if keeps_ended && started < place.from.0 {
            history.drop_one("jobs that ran at the start and are not in the dump");
        } else {
            history.rows.jobs.push(row);
        }
    }
}

/// Returns the id of a trace's job where the cluster has a job of the same number: `12-t.srv` for `12.srv`.
fn of_trace(id: &str) -> String {
    match id.split_once('.') {
        Some((number, server)) => format!("{number}-t.{server}"),
        None => format!("{id}-t"),
    }
}

/// Whether times of a trace are dates: they count from a given date, or are seconds since 1970.
fn is_dated(origin: i64, first: i64) -> bool {
    const YEAR: i64 = 365 * 86_400;
    origin > 0 || first > YEAR
}

/// Status of a job that was cancelled (field 11); with a run time of 0 it never ran.
const CANCELLED: i64 = 5;

/// Why a job that was withdrawn does not arrive: it is not known when, or that was before the start.
const WITHDRAWN: &str = "jobs that were withdrawn before the start, or at an unknown time";

/// Converts one line to a row and its time relative to the start of the trace.
fn row(fields: &SwfFields, context: &HistoryContext<'_>) -> Result<(i64, ArrivalRow), &'static str> {
    let number = fields.get(1).ok_or(NO_NUMBER)?;
    let at = fields.get(2).ok_or("jobs without a time of arrival")?;
    let runtime = fields.get(4).ok_or("jobs without a run time")?;
    let wait = fields.get(3);
    let is_withdrawn = fields.get(11) == Some(CANCELLED) && runtime == 0;
    let cancel = if is_withdrawn { Some(at + wait.ok_or(WITHDRAWN)?) } else { None };
    let processors = fields.get(8).filter(|count| *count > 0).or(fields.get(5)).unwrap_or(0);
    if processors == 0 {
        return Err("jobs without processors");
    }
    let mut job: Map<String, Value> = Map::new();
    let named = |word: &str, field: usize| {
        fields.get(field).map_or(word.to_owned(), |number| format!("{word}{number}"))
    };
    job.insert("Job_Owner".to_owned(), format!("{}@swf", named("user", 12)).into());
    job.insert("egroup".to_owned(), named("group", 13).into());
    let queue = fields.get(15).and_then(|queue| context.options.queues.get(&queue.to_string()));
    let queue = queue.map(String::as_str).or(context.snapshot.server.default_queue.as_deref());
    job.insert("queue".to_owned(), queue.unwrap_or("workq").into());
    job.insert("Resource_List".to_owned(), Value::Object(request(fields, processors, context)));
    let was = wait.filter(|_| !is_withdrawn).map(|wait| at + wait);
    let runtime = (!is_withdrawn).then_some(runtime);
    let id = context.id(&number.to_string());
    Ok((at, ArrivalRow { id, at, runtime, cancel, was, job, ..ArrivalRow::default() }))
}

/// Returns the request of a job: one chunk, or whole nodes if it needs more than one.
fn request(fields: &SwfFields, processors: i64, at: &HistoryContext<'_>) -> Map<String, Value> {
    let cores = i64::from(at.cores);
    let (chunks, each, place) = if processors <= cores {
        (1, processors, "free")
    } else {
        ((processors + cores - 1) / cores, cores, "scatter:excl")
    };
    let mut list: Map<String, Value> = Map::new();
    let mut select = format!("{chunks}:ncpus={each}");
    list.insert("ncpus".to_owned(), (chunks * each).into());
    list.insert("nodect".to_owned(), chunks.into());
    let memory = fields.get(10).filter(|memory| *memory > 0);
    let of_chunk = memory.and_then(|memory| match at.options.memory {
        TraceMemory::KbPerProcessor => memory.checked_mul(each),
        TraceMemory::BytesPerNode => Some(memory / 1024),
        TraceMemory::Ignored => None,
    });
    if let Some((of_chunk, whole)) = of_chunk.and_then(|kb| Some((kb, kb.checked_mul(chunks)?))) {
        select += &format!(":mem={of_chunk}kb");
        list.insert("mem".to_owned(), format!("{whole}kb").into());
    }
    list.insert("select".to_owned(), select.into());
    list.insert("place".to_owned(), place.into());
    if let Some(walltime) = fields.get(9).filter(|seconds| *seconds > 0) {
        list.insert("walltime".to_owned(), duration(walltime).into());
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arrivals::history::HistoryOptions;
    use qscope_engine::cluster::{Epoch, Snapshot};

    #[test]
    fn a_job_cancelled_without_a_run_is_withdrawn_when_its_wait_ended() {
        let snapshot = Snapshot::empty("srv", Epoch(1000));
        let options = HistoryOptions::default();
        let place = HistoryContext::of(&snapshot, &options);
        let (mut trace, mut history) = (SwfTrace::default(), ArrivalHistory::default());
        for line in [
            "; UnixStartTime: 2000",
            "5 40 5 0 4 -1 -1 4 200 -1 5 3 1 -1 1 -1 -1 -1",
            "6 40 -1 0 4 -1 -1 4 200 -1 5 3 1 -1 1 -1 -1 -1",
            "7 40 5 0 4 -1 -1 4 200 -1 1 3 1 -1 1 -1 -1 -1",
        ] {
            trace.line(line, &place, &mut history);
        }
        trace.finish(&place, &mut history);
        let found: Vec<_> = history.rows.jobs.iter().map(|row| (row.cancel, row.runtime, row.was)).collect();
        assert_eq!(found, [(Some(2045), None, None), (None, Some(0), Some(2045))]);
        assert_eq!(history.dropped, [(WITHDRAWN, 1)].into());
    }
}
