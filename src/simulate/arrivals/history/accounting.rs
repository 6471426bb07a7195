//! Accounting logs: the request, arrival and run time of each job (days rule 1).

mod array;
mod job;

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use qscope_engine::cluster::array_id;
use qscope_source::TorqueRequests;
use qscope_source::accounting::AccountingRecord;
use rustc_hash::FxHashMap;

use super::{ArrivalHistory, HistoryContext, NO_RECORD};
use array::AccountingArray;
use job::{AccountingJob, RecordRank, seconds};

/// All records so far, by job.
#[derive(Clone, Debug, Default)]
pub(super) struct AccountingLog {
    /// The jobs in the order of their first records.
    jobs: Vec<AccountingJob>,
    /// The newest job of each id, by its position; ids are used again when a server is set up anew.
    newest: FxHashMap<String, usize>,
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
        let Some(rank) = RecordRank::of(record.kind) else { return };
        history.health.id(record.id);
        let written = record.moment_in(zone);
        let Some(job) = self.job_of(record.id, seconds(record, "ctime", written)) else { return };
        if rank == RecordRank::Withdrawn {
            job.deleted = job.deleted.or(written);
        } else {
            history.health.misdated += u64::from(job::is_misdated(record, written));
            job.merge_record(record, rank, written);
        }
    }

    /// Returns the job of a record: the newest one of this id, unless that was created at another time.
    fn job_of(&mut self, id: &str, created: Option<i64>) -> Option<&mut AccountingJob> {
        let newest = self.newest.get(id).copied();
        let same = newest.filter(|at| self.jobs.get(*at).is_some_and(|job| job.can_be_of(created)));
        let at = same.unwrap_or(self.jobs.len());
        if same.is_none() {
            self.newest.insert(id.to_owned(), at);
            self.jobs.push(AccountingJob::new(id));
        }
        let job = self.jobs.get_mut(at)?;
        job.created = job.created.or(created);
        Some(job)
    }

    /// Converts all jobs to arrivals.
    pub(super) fn finish(self, place: &HistoryContext<'_>, history: &mut ArrivalHistory) {
        let mut requests = TorqueRequests::of(place.snapshot);
        let mut jobs = self.merged(place, history);
        for job in &mut jobs {
            job.translate(&mut requests);
        }
        history.notes.extend(requests.sentence());
        let mut indices_left = MAX_INDICES;
        for (id, item) in named(items(jobs), place, history) {
            match item {
                LogItem::Job(job) => add_job(id, job, place, history),
                LogItem::Array(array) => array.add(id, &mut indices_left, place, history),
            }
        }
    }

    /// Returns all jobs under full ids. In a log of one server, `40` and `40.srv` are the same job.
    fn merged(self, place: &HistoryContext<'_>, history: &ArrivalHistory) -> Vec<AccountingJob> {
        let server = history.health.only_server();
        let mut all: Vec<AccountingJob> = Vec::new();
        let mut known: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for mut job in self.jobs {
            job.id = match server {
                Some(server) if !job.id.contains('.') => format!("{}.{server}", job.id),
                _ => place.id(&job.id),
            };
            let of_id = known.entry(job.id.clone()).or_default();
            let is_same = |at: &&usize| all.get(**at).is_some_and(|have| have.can_be_of(job.created));
            match of_id.iter().rev().find(is_same).and_then(|at| all.get_mut(*at)) {
                Some(have) => have.absorb(job),
                None => {
                    of_id.push(all.len());
                    all.push(job);
                }
            }
        }
        all
    }
}

/// Maximum number of indices of all arrays that the log has no record of; the reader of jobs has the same.
const MAX_INDICES: usize = 10_000_000;

/// What arrives as a whole.
enum LogItem {
    Job(AccountingJob),
    Array(AccountingArray),
}

impl LogItem {
    fn created(&self) -> Option<i64> {
        match self {
            Self::Job(job) => job.created,
            Self::Array(array) => array.created(),
        }
    }
}

/// Groups the records of arrays and their subjobs; the others are jobs of their own. Each item has its full id.
fn items(jobs: Vec<AccountingJob>) -> Vec<(String, LogItem)> {
    let mut all: Vec<(String, LogItem)> = Vec::new();
    let mut arrays: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for job in jobs {
        let index = array_id(&job.id).map(|(array, index)| (array, index.parse::<u32>().ok()));
        let Some((id, index)) = index else {
            all.push((job.id.clone(), LogItem::Job(job)));
            continue;
        };
        let of_id = arrays.entry(id.clone()).or_default();
        let array = |at: &usize| match all.get(*at) {
            Some((_, LogItem::Array(array))) => Some(array),
            _ => None,
        };
        let is_same = |at: &&usize| array(at).is_some_and(|array| array.is_created_with(&job));
        let has_room = |at: &&usize| array(at).is_some_and(|array| array.can_take(index, &job));
        let found = of_id.iter().rev().find(is_same).or_else(|| of_id.iter().rev().find(has_room));
        let at = found.copied().unwrap_or(all.len());
        if at == all.len() {
            of_id.push(at);
            all.push((id, LogItem::Array(AccountingArray::default())));
        }
        if let Some((_, LogItem::Array(array))) = all.get_mut(at) {
            array.take(index, job);
        }
    }
    all
}

/// Gives each of several items of one id an id of its own, `40-2.srv` for the second. That of the cluster keeps its id,
/// else the first one.
fn named(
    items: Vec<(String, LogItem)>,
    place: &HistoryContext<'_>,
    history: &mut ArrivalHistory,
) -> Vec<(String, LogItem)> {
    let mut by_id: FxHashMap<String, Vec<Option<i64>>> = FxHashMap::default();
    for (id, item) in &items {
        by_id.entry(id.clone()).or_default().push(item.created());
    }
    let kept = |id: &str, all: &[Option<i64>]| match place.snapshot.job_named(id) {
        None => 0,
        Some(job) => {
            let created = place.snapshot.jobs[job].created.map(|at| at.0);
            let same = all.iter().position(|one| one.is_some() && *one == created);
            same.unwrap_or(all.len().saturating_sub(1))
        }
    };
    let kept: FxHashMap<String, usize> =
        by_id.into_iter().map(|(id, all)| (id.clone(), kept(&id, &all))).collect();
    let mut number: FxHashMap<String, usize> = FxHashMap::default();
    let rename = |(id, item): (String, LogItem)| {
        let nth = number.entry(id.clone()).or_default();
        *nth += 1;
        if kept.get(&id).is_none_or(|kept| *kept + 1 == *nth) {
            return (id, item);
        }
        history.health.reused += 1;
        let digits = id.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(id.len());
        let (head, rest) = id.split_at(digits);
        (format!("{head}-{nth}{rest}"), item)
    };
    items.into_iter().map(rename).collect()
}

fn add_job(id: String, past: AccountingJob, place: &HistoryContext<'_>, history: &mut ArrivalHistory) {
    past.count_problems(history);
    if place.snapshot.job_named(&id).is_some() {
        history.rows.start.insert(id, past.start_row());
        return;
    }
    let is_over = past.is_over(place);
    match past.row(id, place) {
        Ok(row) if is_over => history.pass(row, place),
        Ok(row) => history.rows.jobs.push(row),
        Err(cause) => history.drop_one(cause),
    }
}

#[cfg(test)]
mod tests;
