//! What the records of one job state.

use qscope_engine::cluster::Epoch;
use qscope_source::TorqueRequests;
use qscope_source::accounting::AccountingRecord;
use serde_json::{Map, Value};

use crate::arrivals::history::{ArrivalHistory, HistoryContext};
use crate::arrivals::json::LAST;
use crate::arrivals::{ArrivalRow, StartRow};

/// Kinds of records, by which of them has the request that counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) enum RecordRank {
    /// Deleted, aborted, or moved to another server.
    #[default]
    Withdrawn,
    Queued,
    Started,
    Ended,
}

impl RecordRank {
    /// Returns the rank of a type of records, if it counts here.
    pub(super) fn of(kind: &str) -> Option<Self> {
        match kind {
            "D" | "A" | "M" => Some(Self::Withdrawn),
            "Q" => Some(Self::Queued),
            "S" | "s" => Some(Self::Started),
            "E" => Some(Self::Ended),
            _ => None,
        }
    }
}

/// Contents of the records of one job.
#[derive(Clone, Debug, Default)]
pub(super) struct AccountingJob {
    pub(super) id: String,
    /// When it was created, which distinguishes it from another job of its id.
    pub(super) created: Option<i64>,
    /// Rank of the record that the request was taken from.
    rank: RecordRank,
    /// Attributes as in a dump.
    pub(super) job: Map<String, Value>,
    /// Whether the request is in Torque's words.
    is_of_torque: bool,
    /// Options for Maui and Moab.
    options: Option<String>,
    pub(super) queued: Option<i64>,
    eligible: Option<i64>,
    pub(super) start: Option<i64>,
    pub(super) end: Option<i64>,
    pub(super) exit: i32,
    /// When it left the queue without a run, unless it has started.
    pub(super) deleted: Option<i64>,
    /// Indices of an array, as written.
    pub(super) indices: Option<String>,
    /// Whether a record has a time that is no time.
    has_bad_time: bool,
}

/// Why a job without a request does not arrive.
pub(super) const NO_REQUEST: &str = "jobs whose request is not in the log";

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
fn any_seconds(record: &AccountingRecord<'_>, key: &str) -> Option<i64> {
    record.seconds(key).filter(|at| (1..=LAST).contains(at))
}

/// Returns a time that a record written at a time can contain; 0 counts as absent.
pub(super) fn seconds(record: &AccountingRecord<'_>, key: &str, written: Option<i64>) -> Option<i64> {
    any_seconds(record, key).filter(|at| is_plausible(*at, written))
}

/// Whether a record has a time that it cannot have.
pub(super) fn is_misdated(record: &AccountingRecord<'_>, written: Option<i64>) -> bool {
    MOMENTS.iter().any(|key| any_seconds(record, key).is_some_and(|at| !is_plausible(at, written)))
}

/// Whether a record has a time that is no number of seconds since 1970; another time would be used in its place.
fn has_bad_time(record: &AccountingRecord<'_>) -> bool {
    let is_bad = |text: &str| !text.is_empty() && !text.parse().is_ok_and(|at: i64| at <= LAST);
    MOMENTS.iter().any(|key| record.field(key).is_some_and(is_bad))
}

/// Whether the request of a record is in Torque's words: there is no select, and the placement is that of hosts.
fn is_of_torque(record: &AccountingRecord<'_>) -> bool {
    let has = |key: &str| record.field(key).is_some();
    !has("Resource_List.select")
        && (["nodes", "neednodes", "procs"].iter().any(|name| has(&format!("Resource_List.{name}")))
            || (has("exec_host") && !has("exec_vnode")))
}

impl AccountingJob {
    pub(super) fn new(id: &str) -> Self {
        Self { id: id.to_owned(), ..Self::default() }
    }

    /// Whether a record with this time of creation can be about this job.
    pub(super) fn can_be_of(&self, created: Option<i64>) -> bool {
        self.created.zip(created).is_none_or(|(have, other)| have == other)
    }

    /// Reads a record written at a time; the request is taken from the record of the highest rank.
    pub(super) fn merge_record(
        &mut self,
        record: &AccountingRecord<'_>,
        rank: RecordRank,
        written: Option<i64>,
    ) {
        self.has_bad_time |= has_bad_time(record);
        let seconds = |key| seconds(record, key, written);
        self.queued = seconds("qtime").or(seconds("ctime")).or(self.queued);
        self.eligible = seconds("etime").or(self.eligible);
        self.start = seconds("start").or(self.start);
        self.end = seconds("end").or(self.end);
        if rank == RecordRank::Started && self.end.is_some_and(|end| self.start > Some(end)) {
            // It runs again.
            self.end = None;
        }
        if rank == RecordRank::Ended && self.start.is_none() && record.seconds("start") == Some(0) {
            // Torque writes the end of a job that was deleted before it ran.
            self.deleted = self.deleted.or(self.end).or(written);
        }
        self.exit = record.field("Exit_status").and_then(|exit| exit.parse().ok()).unwrap_or(self.exit);
        self.indices = record.field("array_indices").map(str::to_owned).or(self.indices.take());
        // The end comes after the request: without it the record was cut, and what is left may be part of a request.
        let is_cut = rank == RecordRank::Ended && record.field("end").is_none();
        let rank = if is_cut { RecordRank::Withdrawn } else { rank };
        if rank < self.rank || record.all("Resource_List.").next().is_none() {
            return;
        }
        self.rank = rank;
        self.is_of_torque = is_of_torque(record);
        self.options = record.field("x").map(str::to_owned);
        self.job = attributes(record);
    }

    /// Takes what records of this job under another spelling of its id state.
    pub(super) fn absorb(&mut self, other: Self) {
        let is_ended = other.end.is_some();
        let prefer =
            |own: Option<i64>, other: Option<i64>| if is_ended { other.or(own) } else { own.or(other) };
        self.created = self.created.or(other.created);
        self.queued = prefer(self.queued, other.queued);
        self.eligible = prefer(self.eligible, other.eligible);
        self.start = prefer(self.start, other.start);
        self.end = prefer(self.end, other.end);
        self.deleted = self.deleted.or(other.deleted);
        self.exit = if is_ended { other.exit } else { self.exit };
        self.indices = self.indices.take().or(other.indices);
        self.has_bad_time |= other.has_bad_time;
        if other.rank > self.rank {
            (self.rank, self.job) = (other.rank, other.job);
            (self.is_of_torque, self.options) = (other.is_of_torque, other.options);
        }
    }

    /// Translates a request of Torque into one of PBS; if that is not possible, the job has no request.
    pub(super) fn translate(&mut self, requests: &mut TorqueRequests) {
        let Some(Value::Object(list)) = self.job.get("Resource_List").filter(|_| self.is_of_torque) else {
            return;
        };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let asked: Vec<(String, String)> =
            list.iter().map(|(name, value)| (name.clone(), text(value))).collect();
        match requests.resource_list(&asked, self.options.as_deref()) {
            Some(made) => {
                let made = made.into_iter().map(|(name, value)| (name, value.into())).collect();
                self.job.insert("Resource_List".to_owned(), Value::Object(made));
            }
            None => self.job = Map::new(),
        }
    }

    /// Counts a missing end, and an end before the start.
    pub(super) fn count_problems(&self, history: &mut ArrivalHistory) {
        history.health.endless += u64::from(self.start.is_some() && self.end.is_none());
        let is_reversed = self.start.zip(self.end).is_some_and(|(start, end)| end < start);
        history.health.reversed += u64::from(is_reversed);
    }

    pub(super) fn is_over(&self, place: &HistoryContext<'_>) -> bool {
        self.end.is_some_and(|end| Epoch(end) <= place.from)
    }

    fn was_running_at_start(&self, place: &HistoryContext<'_>) -> bool {
        !self.is_over(place) && self.start.is_some_and(|start| Epoch(start) < place.from)
    }

    /// Returns the seconds that it ran, if its start and its end are known.
    pub(super) fn runtime(&self) -> Option<i64> {
        self.start.zip(self.end).map(|(start, end)| (end - start).max(0))
    }

    /// Returns its exit status, unless that is 0.
    fn exit_status(&self) -> Option<i32> {
        (self.exit != 0).then_some(self.exit)
    }

    /// Returns when it left the queue without a run, not before it arrived.
    fn cancel(&self) -> Option<i64> {
        let deleted = self.deleted.filter(|_| self.start.is_none());
        deleted.map(|deleted| self.queued.map_or(deleted, |queued| deleted.max(queued)))
    }

    /// Returns what happens to it if the dump has it.
    pub(super) fn start_row(&self) -> StartRow {
        let (runtime, exit, cancel) = (self.runtime(), self.exit_status(), self.cancel());
        StartRow { runtime, exit, cancel, ..StartRow::default() }
    }

    /// Returns the row of an arrival, or why there is none.
    pub(super) fn row(self, id: String, place: &HistoryContext<'_>) -> Result<ArrivalRow, &'static str> {
        if self.job.is_empty() {
            return Err(NO_REQUEST);
        }
        if self.has_bad_time {
            return Err("jobs with a time that is no number of seconds since 1970");
        }
        let at = self.queued.ok_or("jobs without a time of arrival")?;
        if self.was_running_at_start(place) {
            return Err("jobs that ran at the start and are not in the dump");
        }
        let cancel = self.cancel();
        if cancel.is_some_and(|cancel| Epoch(cancel) <= place.from) {
            return Err("jobs that were deleted before the start");
        }
        let (runtime, exit, was) = (self.runtime(), self.exit_status(), self.start);
        let mut job = self.job;
        let release = self.eligible.filter(|eligible| *eligible > at);
        if release.is_some() {
            job.insert("job_state".to_owned(), "H".into());
            job.insert("Hold_Types".to_owned(), "u".into());
        }
        Ok(ArrivalRow { id, at, runtime, exit, release, cancel, was, job, ..ArrivalRow::default() })
    }
}

/// Returns the attributes of a record as a dump has them.
fn attributes(record: &AccountingRecord<'_>) -> Map<String, Value> {
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
    let list = record.all("Resource_List.").map(|(name, value)| (name.to_owned(), value.into())).collect();
    job.insert("Resource_List".to_owned(), Value::Object(list));
    job
}
