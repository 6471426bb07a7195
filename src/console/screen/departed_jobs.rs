//! The rows of jobs that left the queue: dim, in their old place, until the next snapshot (console.md 6, Live).

use rustc_hash::{FxHashMap, FxHashSet};

use super::CycleRow;
use super::queue_rows::rows_in_order;
use super::rows::{CycleLine, QueueSection};
use qscope_engine::cluster::{Job, Name, short_id};
use qscope_engine::cycle::Run;
use qscope_session::query::{FieldValue, QueryRecord};
use qscope_session::records::JobRecord;

/// A job that had a row in the previous snapshot and is finished, or not in the dump any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DepartedJob {
    pub(crate) name: Name,
    pub(crate) user: Name,
    pub(crate) queue: Name,
    section: QueueSection,
    /// The job above it there; `None` for the first.
    preceding_job: Option<Name>,
    /// Whether the dump still lists it, as finished.
    is_listed: bool,
}

impl DepartedJob {
    fn of(job: &Job, section: QueueSection, after: Option<&Name>, is_listed: bool) -> Self {
        let (name, user, queue) = (job.name.clone(), job.user.clone(), job.queue.clone());
        Self { name, user, queue, section, preceding_job: after.cloned(), is_listed }
    }

    /// Its id without the server part.
    pub(crate) fn short_name(&self) -> &str {
        short_id(&self.name)
    }

    /// What happened to it, according to the snapshot.
    pub(crate) fn words(&self) -> &'static str {
        if self.is_listed {
            "over since the snapshot last shown"
        } else {
            "gone since the snapshot last shown"
        }
    }

    /// If the job above it left too, moves it below the next one above.
    pub(super) fn reanchor(&mut self, left: &FxHashMap<&Name, &Self>) {
        let mut steps = left.len();
        while let Some(gone) =
            self.preceding_job.as_ref().and_then(|after| left.get(after)).filter(|_| steps > 0)
        {
            self.preceding_job.clone_from(&gone.preceding_job);
            steps -= 1;
        }
    }
}

/// The jobs of the old cycle's queue that are not in the new one, each once, in order.
pub(super) fn left_jobs(before: &Run, now: &Run) -> Vec<DepartedJob> {
    let is_over: FxHashMap<&str, bool> =
        now.plan.snap.jobs.iter().map(|job| (&*job.name, job.state.is_over())).collect();
    let left = |job: &Job| is_over.get(&*job.name).is_none_or(|over| *over);
    if !before.plan.snap.jobs.iter().any(|job| !job.state.is_over() && left(job)) {
        return Vec::new();
    }
    let place = |row: &CycleRow| Some((&*now.plan.job(row.job(now)?).name, row.section()));
    let here: FxHashSet<(&str, QueueSection)> = rows_in_order(now).iter().filter_map(place).collect();
    let (mut found, mut seen): (Vec<DepartedJob>, FxHashSet<&str>) = Default::default();
    let mut above: Option<(&Name, QueueSection)> = None;
    for row in rows_in_order(before) {
        let Some(job) = row.job(before).map(|job| before.plan.job(job)) else { continue };
        let section = row.section();
        if left(job) {
            if seen.insert(&job.name) {
                let after = above.filter(|(_, of)| *of == section).map(|(name, _)| name);
                found.push(DepartedJob::of(job, section, after, is_over.contains_key(&*job.name)));
            }
        } else if here.contains(&(&*job.name, section)) {
            above = Some((&job.name, section));
        }
    }
    found
}

/// Inserts the rows of jobs that left into the rows of a queue, in their old places; `name_of` names the job of a row.
pub(crate) fn with_left<'r>(
    all: &[CycleRow],
    left: &'r [DepartedJob],
    name_of: impl Fn(&CycleRow) -> Option<&'r Name>,
) -> Vec<CycleLine> {
    if left.is_empty() {
        return all.iter().copied().map(CycleLine::Job).collect();
    }
    let wanted: FxHashSet<&Name> = left.iter().filter_map(|job| job.preceding_job.as_ref()).collect();
    let mut present: FxHashSet<(&Name, QueueSection)> = FxHashSet::default();
    for row in all {
        present.extend(name_of(row).filter(|name| wanted.contains(name)).map(|name| (name, row.section())));
    }
    let mut places: FxHashMap<(Option<&Name>, QueueSection), Vec<CycleLine>> = FxHashMap::default();
    for (at, job) in left.iter().enumerate() {
        // If the job above has another section now, the row comes first in its section.
        let after = job.preceding_job.as_ref().filter(|name| present.contains(&(*name, job.section)));
        places.entry((after, job.section)).or_default().push(CycleLine::Departed(job.section, at));
    }
    let mut rows = Vec::with_capacity(all.len() + left.len());
    for section in QueueSection::ALL {
        rows.extend(places.remove(&(None, section)).unwrap_or_default());
        let from = all.partition_point(|row| row.section() < section);
        let to = all.partition_point(|row| row.section() <= section);
        let part = all.get(from..to).unwrap_or_default();
        for (at, row) in part.iter().enumerate() {
            rows.push(CycleLine::Job(*row));
            let name = name_of(row);
            // The subjobs of an array that start have adjacent rows.
            if part.get(at + 1).is_none_or(|next| name_of(next) != name) {
                rows.extend(places.remove(&(name, section)).unwrap_or_default());
            }
        }
    }
    rows
}

/// The record of a row for filter and table; for a job that left, only what was kept of it.
pub(crate) enum RowRecord<'a> {
    Job(JobRecord<'a>),
    Departed(&'a DepartedJob),
}

impl QueryRecord for RowRecord<'_> {
    fn fact(&self, field: &str) -> Option<FieldValue<'_>> {
        match self {
            Self::Job(record) => record.fact(field),
            Self::Departed(job) => match field {
                "job" => Some(FieldValue::text(job.short_name())),
                "user" => Some(FieldValue::text(&*job.user)),
                "queue" => Some(FieldValue::text(&*job.queue)),
                _ => None,
            },
        }
    }

    fn any_text(&self, holds: &dyn Fn(&str) -> bool) -> bool {
        match self {
            Self::Job(record) => record.any_text(holds),
            Self::Departed(job) => [&job.name, &job.user, &job.queue].into_iter().any(|text| holds(text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use qscope_engine::cluster::{Id, JobId};
    use qscope_engine::cycle::StepIx;

    fn left(name: &str, section: QueueSection, after: Option<&str>) -> DepartedJob {
        let [name, user, queue] = [name, "ann", "workq"].map(Name::from);
        DepartedJob { name, user, queue, section, preceding_job: after.map(Name::from), is_listed: false }
    }

    /// Names in the order of rows; the jobs 1 and 3 were considered, and two subjobs of 3 start.
    fn arranged(left: &[DepartedJob]) -> Vec<String> {
        let names = ["1", "3", "3", "4", "9"].map(Name::from);
        let all = [
            CycleRow::Step(StepIx::at(0)),
            CycleRow::Step(StepIx::at(1)),
            CycleRow::Step(StepIx::at(2)),
            CycleRow::NotConsidered(0),
            CycleRow::Running(JobId(4)),
        ];
        let place = |row: &CycleRow| all.iter().position(|other| other == row);
        let rows = with_left(&all, left, |row| place(row).and_then(|at| names.get(at)));
        let name = |line: &CycleLine| match line {
            CycleLine::Departed(_, at) => format!("-{}", left[*at].name),
            _ => names[place(&line.row().unwrap()).unwrap()].to_string(),
        };
        rows.iter().map(name).collect()
    }

    #[test]
    fn rows_that_left_stay_where_they_were() {
        use QueueSection::{Considered, NotConsidered, Running};
        let gone = [
            left("0", Considered, None),
            left("2", Considered, Some("1")),
            left("5", Considered, Some("3")),
            left("6", Considered, Some("3")),
            left("8", Running, None),
            left("10", Running, Some("9")),
        ];
        let order = ["-0", "1", "-2", "3", "3", "-5", "-6", "4", "-8", "9", "-10"];
        assert_eq!(arranged(&gone), order);
        // The job above is not considered any more: the row below it comes first.
        assert_eq!(arranged(&[left("7", NotConsidered, Some("1"))]), ["1", "3", "3", "-7", "4", "9"]);
        assert_eq!(arranged(&[]), ["1", "3", "3", "4", "9"]);
    }

    #[test]
    fn a_row_below_one_that_left_too_goes_below_the_next_one_above() {
        let section = QueueSection::Considered;
        let now = [left("2", section, Some("1")), left("3", section, Some("2"))];
        let mut row = left("4", section, Some("3"));
        row.reanchor(&now.iter().map(|job| (&job.name, job)).collect());
        assert_eq!(row.preceding_job.as_deref(), Some("1"));
        let first = left("1", section, None);
        row.reanchor(&[(&first.name, &first)].into_iter().collect());
        assert_eq!(row.preceding_job, None);
    }
}
