//! Turns accounting records, in the order of the log, into rows of slots held.

use std::hash::{DefaultHasher, Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet};

use super::accounting::AccountingRecord;
use super::history::{TraceHistory, TraceRow};
use crate::farm::criterion::{Criterion, JobProperties};
use qscope_engine::cluster::{Name, parse_duration};

/// Reader of records, one after the other.
pub(super) struct AccountingReader<'a> {
    criterion: &'a Criterion,
    keep_ids: bool,
    /// Jobs that started and have not ended yet.
    open: FxHashMap<Name, RunAttempt>,
    /// For each rerun job, when the attempt ended that was rerun.
    rerun: FxHashMap<Name, i64>,
    /// The latest time that any record is about.
    latest: i64,
    /// The first time that any record is about.
    first: i64,
    /// The time of the previous record, by the log's own clock, and as written.
    previous_record: Option<(i64, Name)>,
    /// Hashes of the lines that start or end a run; a line of an overlapping copy of the log counts once.
    lines: FxHashSet<u64>,
}

/// Seconds without any record above which there is a gap: a day.
const GAP: i64 = 86_400;

/// A job that started and has not ended yet.
struct RunAttempt {
    start: i64,
    /// Seconds by which the log's own clock is ahead of the epoch: the date of the start record minus the
    /// start time.
    clock: Option<i64>,
    /// The job's rows, one per vnode, with no run time yet.
    rows: Vec<TraceRow>,
    /// Its walltime in seconds.
    walltime: Option<f64>,
}

impl<'a> AccountingReader<'a> {
    pub(super) fn new(criterion: &'a Criterion, keep_ids: bool) -> Self {
        Self {
            criterion,
            keep_ids,
            open: FxHashMap::default(),
            rerun: FxHashMap::default(),
            latest: i64::MIN,
            first: i64::MAX,
            previous_record: None,
            lines: FxHashSet::default(),
        }
    }

    /// Returns whether a line about a run occurred before.
    fn is_repeated(&mut self, record: &AccountingRecord<'_>, line: &str) -> bool {
        if !matches!(record.kind, "S" | "s" | "E" | "R" | "z") {
            return false;
        }
        let mut hasher = DefaultHasher::new();
        line.hash(&mut hasher);
        !self.lines.insert(hasher.finish())
    }

    /// Adds a record, read from a line, to a history.
    ///
    /// # Errors
    /// What is wrong with a record that should hold slots.
    pub(super) fn take(
        &mut self,
        record: &AccountingRecord<'_>,
        line: &str,
        history: &mut TraceHistory,
    ) -> Result<(), String> {
        self.watch_for_gap(record, history);
        if self.is_repeated(record, line) {
            history.notes.repeated += 1;
            return Ok(());
        }
        match record.kind {
            "E" | "R" | "S" | "s" if record.is_array_parent() => history.notes.arrays += 1,
            "S" | "s" => self.started(record, history)?,
            "E" => self.read_end_record(record, history, false)?,
            "R" => self.read_end_record(record, history, true)?,
            "z" => history.notes.suspended += 1,
            _ => {}
        }
        Ok(())
    }

    /// Stores the time of a record, and reports a gap since the previous one.
    fn watch_for_gap(&mut self, record: &AccountingRecord<'_>, history: &mut TraceHistory) {
        let Some(moment) = record.moment() else { return };
        match &self.previous_record {
            Some((before, stamp)) if moment.saturating_sub(*before) > GAP => {
                history.gaps.push((stamp.clone(), record.stamp.into()));
            }
            // Files may overlap, and clocks may go back.
            Some((before, _)) if moment <= *before => return,
            _ => {}
        }
        self.previous_record = Some((moment, record.stamp.into()));
    }

    /// Notes a time that a record is about.
    fn is_about(&mut self, moment: i64) {
        self.latest = self.latest.max(moment);
        self.first = self.first.min(moment);
    }

    fn started(&mut self, record: &AccountingRecord<'_>, history: &mut TraceHistory) -> Result<(), String> {
        let start = record.seconds("start").ok_or("has no start")?;
        if start <= 0 {
            return Ok(());
        }
        self.is_about(start);
        let rows = self.rows(record, history, start, start)?;
        let clock = record.moment().map(|moment| moment.saturating_sub(start));
        let walltime = record.field("Resource_List.walltime").and_then(parse_duration);
        let attempt = RunAttempt { start, clock, rows, walltime };
        let before = self.open.insert(record.id.into(), attempt);
        history.notes.lost += u64::from(before.is_some_and(|before| before.start != start));
        Ok(())
    }

    fn read_end_record(
        &mut self,
        record: &AccountingRecord<'_>,
        history: &mut TraceHistory,
        again: bool,
    ) -> Result<(), String> {
        let open = self.open.remove(record.id);
        if again && (record.seconds("start").is_none() || record.seconds("end").is_none()) {
            return self.end_incomplete_rerun(record, open, history);
        }
        let end = record.seconds("end").ok_or("has no end")?;
        let Some(start) = record.seconds("start").filter(|start| *start > 0) else {
            history.notes.unplaced += u64::from(!again);
            return Ok(());
        };
        if end < start {
            return Err(format!("ends at {end}, before its start {start}"));
        }
        let rows = self.rows(record, history, start, end)?;
        self.end_attempt(record.id, rows, end, again, history);
        Ok(())
    }

    /// Ends an attempt by a rerun record that has no start or end, as some servers write it: the start comes
    /// from the start record, the end from the date of the line.
    fn end_incomplete_rerun(
        &mut self,
        record: &AccountingRecord<'_>,
        open: Option<RunAttempt>,
        history: &mut TraceHistory,
    ) -> Result<(), String> {
        let mut attempt = open.ok_or("is a rerun of a start that is not in the log")?;
        let ended = record.moment().zip(attempt.clock).map(|(moment, clock)| moment.saturating_sub(clock));
        let end = ended.ok_or("is a rerun without a date")?.max(attempt.start);
        for row in &mut attempt.rows {
            row.run = u32::try_from(end.saturating_sub(attempt.start)).unwrap_or(u32::MAX);
        }
        self.end_attempt(record.id, attempt.rows, end, true, history);
        Ok(())
    }

    /// Ends an attempt: its rows are final.
    fn end_attempt(
        &mut self,
        id: &str,
        rows: Vec<TraceRow>,
        end: i64,
        again: bool,
        history: &mut TraceHistory,
    ) {
        self.is_about(end);
        history.notes.over_vnodes += u64::from(rows.len() > 1);
        history.notes.unplaced += u64::from(rows.is_empty());
        self.add_rows(id, rows, history);
        if again {
            history.notes.reruns += 1;
            self.rerun.insert(id.into(), end);
        } else {
            self.rerun.remove(id);
        }
    }

    fn add_rows(&self, id: &str, rows: Vec<TraceRow>, history: &mut TraceHistory) {
        history.add_job(rows, self.keep_ids.then_some(id));
    }

    /// Returns one row per vnode with slots.
    fn rows(
        &self,
        record: &AccountingRecord<'_>,
        history: &mut TraceHistory,
        start: i64,
        end: i64,
    ) -> Result<Vec<TraceRow>, String> {
        let slots = record.slots()?;
        for (vnode, slots) in &slots {
            crate::farm::slots_of(i64::from(*slots), &format!("slots on {vnode}"))?;
        }
        let mut submit = record.submit(start).unwrap_or(start).min(start);
        if let Some(before) = self.rerun.get(record.id) {
            submit = submit.max(*before).min(start);
        }
        let run = u32::try_from(end.saturating_sub(start)).map_err(|_| "runs for longer than 136 years")?;
        let class = history.classes.number(&self.criterion.class_of(record));
        let row = |(vnode, slots): &(&str, u32)| {
            let node = history.nodes.number(vnode);
            TraceRow { submit, start, run, class, slots: *slots, node, job: 0 }
        };
        Ok(slots.iter().filter(|(_, slots)| *slots > 0).map(row).collect())
    }

    /// Ends the log: a job without an end runs until the latest time in the log, but not longer than its
    /// walltime.
    pub(super) fn finish(mut self, history: &mut TraceHistory) {
        let mut open: Vec<(Name, RunAttempt)> = std::mem::take(&mut self.open).into_iter().collect();
        open.sort_by(|a, b| a.0.cmp(&b.0));
        history.notes.unfinished += open.len() as u64;
        for (id, RunAttempt { mut rows, walltime, .. }) in open {
            for row in &mut rows {
                let left = u32::try_from(self.latest.saturating_sub(row.start)).unwrap_or(0);
                // The cast saturates.
                row.run = walltime.map_or(left, |most| left.min(most.ceil() as u32));
            }
            self.add_rows(&id, rows, history);
        }
        history.span = (self.first < self.latest).then_some((self.first, self.latest));
    }
}

impl JobProperties for AccountingRecord<'_> {
    fn attribute(&self, criterion: &Criterion) -> Option<String> {
        let key = match criterion {
            Criterion::Queue => "queue",
            Criterion::Group => "group",
            Criterion::User => "user",
            Criterion::Project => "project",
            _ => return None,
        };
        self.field(key).map(str::to_owned)
    }

    fn name(&self) -> Option<String> {
        self.field("jobname").map(str::to_owned)
    }

    fn resource(&self, name: &str) -> Option<String> {
        self.field(&format!("Resource_List.{name}")).map(str::to_owned)
    }
}
