//! Accounting logs: the request, arrival and run time of each job (days rule 1).

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use qscope_engine::cluster::{Epoch, array_id};
use qscope_source::accounting::AccountingRecord;
use serde_json::{Map, Value};

use super::{ArrivalHistory, HistoryContext, NO_RECORD};
use crate::arrivals::json::LAST;
use crate::arrivals::{ArrivalRow, StartRow};

/// Contents of the records of one job.
#[derive(Clone, Debug, Default)]
struct AccountingJob {
    /// Rank of the record that the request was taken from: end (3), start (2), queued (1).
    weight: u8,
    /// Attributes as in a dump.
    job: Map<String, Value>,
    queued: Option<i64>,
    eligible: Option<i64>,
    start: Option<i64>,
    end: Option<i64>,
    exit: i32,
    deleted: Option<i64>,
    indices: Option<String>,
    is_id_reused: bool,
    /// Whether a record has a time that is no time.
    has_bad_time: bool,
}

/// All records so far, by job.
#[derive(Clone, Debug, Default)]
pub(super) struct AccountingLog {
    jobs: BTreeMap<String, AccountingJob>,
    order: Vec<String>,
}

impl AccountingLog {
    /// Reads a line.
    pub(super) fn line(&mut self, line: &str, zone: &TimeZone, history: &mut ArrivalHistory) {
        history.lines += 1;
        match AccountingRecord::parse(line) {
            Ok(record) => {
                if let Some(at) = record.moment() {
                    history.health.moment(at);
                }
                self.take(&record, zone, history);
            }
            Err(_) => history.drop_one(NO_RECORD),
        }
    }

    fn take(&mut self, record: &AccountingRecord<'_>, zone: &TimeZone, history: &mut ArrivalHistory) {
        let weight = match record.kind {
            "Q" => 1,
            "S" | "s" => 2,
            "E" => 3,
            "D" | "A" => 0,
            _ => return,
        };
        history.health.id(record.id);
        let past = self.jobs.entry(record.id.to_owned()).or_insert_with(|| {
            self.order.push(record.id.to_owned());
            AccountingJob::default()
        });
        if weight == 0 {
            past.deleted = past.deleted.or(record.moment_in(zone));
            return;
        }
        if past.end.is_some() {
            if !past.is_id_reused
                && seconds(record, "ctime").is_some_and(|created| past.end.is_some_and(|end| created >= end))
            {
                past.is_id_reused = true;
                history.drop_one("jobs whose id was used before");
            }
            return;
        }
        let written = record.moment_in(zone);
        let is_misdated =
            MOMENTS.iter().any(|key| seconds(record, key).is_some_and(|at| !is_plausible(at, written)));
        history.health.misdated += u64::from(is_misdated);
        past.merge_record(record, weight, written);
    }

    /// Converts all jobs to arrivals.
    pub(super) fn finish(mut self, place: &HistoryContext<'_>, history: &mut ArrivalHistory) {
        let mut arrays: BTreeMap<String, ArrivalRow> = BTreeMap::new();
        for id in std::mem::take(&mut self.order) {
            let Some(past) = self.jobs.remove(&id) else { continue };
            history.health.endless += u64::from(past.start.is_some() && past.end.is_none());
            history.health.reversed +=
                u64::from(past.start.zip(past.end).is_some_and(|(start, end)| end < start));
            match array_id(&id).map(|(array, index)| (array, index.parse().ok())) {
                Some((parent, Some(index))) => add_subjob(&mut arrays, &parent, index, past, place, history),
                // Records of an array as a whole repeat what its subjobs have.
                Some((_, None)) if past.start.is_some() => {}
                _ => add_job(&id, past, place, history),
            }
        }
        for (_, mut row) in arrays {
            let indices: Vec<String> = row.runtimes.keys().map(u32::to_string).collect();
            row.job.insert("array".to_owned(), "True".into());
            row.job.insert("array_indices_submitted".to_owned(), indices.join(",").into());
            history.rows.jobs.push(row);
        }
    }
}

/// Times in a record.
const MOMENTS: [&str; 5] = ["ctime", "qtime", "etime", "start", "end"];

/// Seconds by which a time in a record may be after the record's own date, whose zone may be another than assumed.
const AFTER: i64 = 86_400;

/// Seconds by which it may be before that: ten years.
const BEFORE: i64 = 10 * 365 * 86_400;

/// Whether a record written at a time can contain this time.
fn is_plausible(at: i64, written: Option<i64>) -> bool {
    written.is_none_or(|written| (written - BEFORE..=written + AFTER).contains(&at))
}

/// Returns a time in a record; 0 counts as absent.
fn seconds(record: &AccountingRecord<'_>, key: &str) -> Option<i64> {
    record.seconds(key).filter(|at| (1..=LAST).contains(at))
}

/// Whether a record has a time that is no number of seconds since 1970; another time would be used in its place.
fn has_bad_time(record: &AccountingRecord<'_>) -> bool {
    let is_bad = |text: &str| !text.is_empty() && !text.parse().is_ok_and(|at: i64| at <= LAST);
    MOMENTS.iter().any(|key| record.field(key).is_some_and(is_bad))
}

impl AccountingJob {
    /// Reads a record written at a time; the request is taken from the record of the highest rank.
    fn merge_record(&mut self, record: &AccountingRecord<'_>, weight: u8, written: Option<i64>) {
        self.has_bad_time |= has_bad_time(record);
        let seconds = |key| seconds(record, key).filter(|at| is_plausible(*at, written));
        self.queued = seconds("qtime").or(seconds("ctime")).or(self.queued);
        self.eligible = seconds("etime").or(self.eligible);
        self.start = seconds("start").or(self.start);
        self.end = seconds("end").or(self.end);
        self.exit = record.field("Exit_status").and_then(|exit| exit.parse().ok()).unwrap_or(self.exit);
        self.indices = record.field("array_indices").map(str::to_owned).or(self.indices.take());
        if weight < self.weight || record.all("Resource_List.").next().is_none() {
            return;
        }
        self.weight = weight;
        let mut job: Map<String, Value> = Map::new();
        let user = record.field("user").or(record.field("owner")).unwrap_or("unknown");
        job.insert("Job_Owner".to_owned(), format!("{user}@log").into());
        let named = [
            ("group", "egroup"),
            ("account", "Account_Name"),
            ("project", "project"),
            ("queue", "queue"),
            ("jobname", "Job_Name"),
            ("depend", "depend"),
        ];
        for (key, attribute) in named {
            if let Some(value) = record.field(key) {
                job.insert(attribute.to_owned(), value.into());
            }
        }
        let list: Map<String, Value> =
            record.all("Resource_List.").map(|(name, value)| (name.to_owned(), value.into())).collect();
        job.insert("Resource_List".to_owned(), Value::Object(list));
        self.job = job;
    }

    fn is_over(&self, place: &HistoryContext<'_>) -> bool {
        self.end.is_some_and(|end| Epoch(end) <= place.from)
    }

    fn was_running_at_start(&self, place: &HistoryContext<'_>) -> bool {
        !self.is_over(place) && self.start.is_some_and(|start| Epoch(start) < place.from)
    }

    /// Returns the row of an arrival, or why there is none.
    fn row(self, id: String, place: &HistoryContext<'_>) -> Result<ArrivalRow, &'static str> {
        if self.job.is_empty() {
            return Err("jobs whose request is not in the log");
        }
        if self.has_bad_time {
            return Err("jobs with a time that is no number of seconds since 1970");
        }
        let at = self.queued.ok_or("jobs without a time of arrival")?;
        if self.was_running_at_start(place) {
            return Err("jobs that ran at the start and are not in the dump");
        }
        let cancel = self.deleted.filter(|_| self.start.is_none()).map(|deleted| deleted.max(at));
        if cancel.is_some_and(|cancel| Epoch(cancel) <= place.from) {
            return Err("jobs that were deleted before the start");
        }
        let mut job = self.job;
        let release = self.eligible.filter(|eligible| *eligible > at);
        if release.is_some() {
            job.insert("job_state".to_owned(), "H".into());
            job.insert("Hold_Types".to_owned(), "u".into());
        }
        let runtime = self.start.zip(self.end).map(|(start, end)| (end - start).max(0));
        let exit = (self.exit != 0).then_some(self.exit);
        Ok(ArrivalRow {
            id,
            at,
            runtime,
            exit,
            release,
            cancel,
            was: self.start,
            job,
            ..ArrivalRow::default()
        })
    }
}

fn add_job(id: &str, past: AccountingJob, place: &HistoryContext<'_>, history: &mut ArrivalHistory) {
    let id = place.id(id);
    if place.snapshot.job_named(&id).is_some() {
        let runtime = past.start.zip(past.end).map(|(start, end)| (end - start).max(0));
        let exit = (past.exit != 0).then_some(past.exit);
        history.rows.start.insert(id, StartRow { runtime, exit, ..StartRow::default() });
        return;
    }
    let is_over = past.is_over(place);
    match past.row(id, place) {
        Ok(row) if is_over => history.pass(row, place),
        Ok(row) => history.rows.jobs.push(row),
        Err(cause) => history.drop_one(cause),
    }
}

/// Subjobs of one parent become one array.
fn add_subjob(
    arrays: &mut BTreeMap<String, ArrivalRow>,
    parent: &str,
    index: u32,
    past: AccountingJob,
    place: &HistoryContext<'_>,
    history: &mut ArrivalHistory,
) {
    let id = place.id(parent);
    if place.snapshot.job_named(&id).is_some() {
        let runtime = past.start.zip(past.end).map(|(start, end)| (end - start).max(0));
        let row = history.rows.start.entry(id).or_default();
        row.runtimes.extend(runtime.map(|runtime| (index, runtime)));
        return;
    }
    let is_over = past.is_over(place);
    match past.row(id.clone(), place) {
        // To draw from, it counts as a job of its own.
        Ok(row) if is_over => history.pass(ArrivalRow { id: subjob_of(parent, index, place), ..row }, place),
        Ok(row) => {
            let array =
                arrays.entry(id).or_insert_with(|| ArrivalRow { runtime: None, was: None, ..row.clone() });
            array.at = array.at.min(row.at);
            array.runtimes.insert(index, row.runtime.unwrap_or(0));
        }
        Err(cause) => history.drop_one(cause),
    }
}

/// Returns the id of a past subjob as a job of its own, `12_3.srv`, because the array itself is not kept.
fn subjob_of(parent: &str, index: u32, context: &HistoryContext<'_>) -> String {
    context.id(parent).replace("[]", &format!("_{index}"))
}
