//! The full record of a run: the start of each job, and the series of samples.

use qscope_engine::cluster::{Column, Id};

use super::{ClassNo, FarmJob, FarmObserver, FarmSample, FarmWindow, JobNo, NodeNo};

/// Where and when a job started.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FarmStart {
    /// Start time in seconds.
    pub at: i64,
    pub node: NodeNo,
}

/// The start of each job, and the order of starts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StartTable {
    /// The start of each job; none if it has not started.
    pub starts: Column<JobNo, Option<FarmStart>>,
    /// The jobs in the order of their starts.
    pub order: Vec<JobNo>,
}

/// The values of one class at a sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FarmCell {
    pub slots: u32,
    /// Nodes used.
    pub nodes: u32,
    /// Those of the nodes that are shared with other classes.
    pub mixed: u32,
}

/// One sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FarmRow {
    /// The second from which the row holds.
    pub t: i64,
    /// Slots in use.
    pub used: u64,
    /// Waiting jobs.
    pub pending: u64,
    /// Nodes with a job.
    pub busy: u32,
    /// Nodes held by a class.
    pub held: u32,
}

/// The samples of a run: a step function of time.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FarmSeries {
    /// The samples in time order.
    pub rows: Vec<FarmRow>,
    pub classes: Vec<ClassNo>,
    /// For each row, one cell per class that is kept.
    cells: Vec<FarmCell>,
    /// For each row, the slot-seconds in use before it.
    sums: Vec<i128>,
}

impl FarmSeries {
    /// Creates a series without rows, with these classes.
    pub fn of(classes: Vec<ClassNo>) -> Self {
        Self { classes, ..Self::default() }
    }

    /// Appends a row, which must be later than all others, and the cells of its classes.
    pub fn push(&mut self, row: FarmRow, cells: impl IntoIterator<Item = FarmCell>) {
        let before = match (self.rows.last(), self.sums.last()) {
            (Some(last), Some(sum)) => sum + i128::from(last.used) * i128::from(row.t.saturating_sub(last.t)),
            _ => 0,
        };
        self.rows.push(row);
        self.sums.push(before);
        self.cells.extend(cells);
    }

    /// Returns the cells of a row, in the order of [`FarmSeries::classes`].
    pub fn cells(&self, row: usize) -> &[FarmCell] {
        let width = self.classes.len();
        self.cells.get(row * width..(row + 1) * width).unwrap_or_default()
    }

    /// Returns the row that holds at `t`; none before the first.
    pub fn at(&self, t: i64) -> Option<usize> {
        self.rows.partition_point(|row| row.t <= t).checked_sub(1)
    }

    /// Returns the slot-seconds in use from the first row to `t`. The last row holds without end.
    pub fn slot_seconds(&self, t: i64) -> i128 {
        let Some(at) = self.at(t) else { return 0 };
        match (self.rows.get(at), self.sums.get(at)) {
            (Some(row), Some(sum)) => sum + i128::from(row.used) * i128::from(t.saturating_sub(row.t)),
            _ => 0,
        }
    }

    /// Returns the mean of the slots in use over a window; none if it is empty.
    pub fn mean_used(&self, window: FarmWindow) -> Option<f64> {
        let seconds = window.seconds();
        let slots = self.slot_seconds(window.to) - self.slot_seconds(window.from);
        (seconds > 0).then(|| slots as f64 / seconds as f64)
    }
}

/// Observer that records everything while a simulation runs.
#[derive(Clone, Debug)]
pub struct FarmRecording {
    /// The start of each job.
    pub assignment: StartTable,
    /// The samples.
    pub series: FarmSeries,
}

impl FarmRecording {
    /// Creates a recording for `jobs` jobs, with a series of these classes.
    pub fn new(jobs: usize, classes: Vec<ClassNo>) -> Self {
        let assignment = StartTable { starts: Column::filled(jobs, None), order: Vec::with_capacity(jobs) };
        Self { assignment, series: FarmSeries::of(classes) }
    }
}

impl FarmObserver for FarmRecording {
    fn started(&mut self, job: JobNo, _what: &FarmJob, node: NodeNo, at: i64) {
        if job.ix() < self.assignment.starts.len() {
            self.assignment.starts[job] = Some(FarmStart { at, node });
        }
        self.assignment.order.push(job);
    }

    fn sample(&mut self, sample: &FarmSample<'_>) {
        let row = FarmRow {
            t: sample.t,
            used: sample.used(),
            pending: sample.pending(),
            busy: sample.busy(),
            held: sample.held(),
        };
        let narrow = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
        let classes = std::mem::take(&mut self.series.classes);
        self.series.push(
            row,
            classes.iter().map(|class| {
                let is = sample.class(*class);
                FarmCell { slots: narrow(is.slots), nodes: is.nodes, mixed: is.mixed }
            }),
        );
        self.series.classes = classes;
    }
}
