//! Computes the figures of a run while it goes on.

use super::{ClassSummary, FarmSummary, FarmWindow};
use crate::farm::farm_state::Occupation;
use crate::farm::{ClassNo, FarmJob, FarmObserver, FarmSample, JobNo, NodeNo, SufficientNodes, Workload};
use qscope_engine::cluster::Column;

/// The values of a class from a second on.
#[derive(Clone, Copy, Debug, Default)]
struct ClassLevels {
    since: i64,
    occupies: Occupation,
    sufficient: u32,
}

/// A job of several parts, which waits until the last of them starts.
#[derive(Clone, Copy, Debug, Default)]
struct MultipartJob {
    /// Parts that have not started yet.
    left: u32,
    submit: i64,
    /// Whether a part fits on no node.
    is_too_large: bool,
}

/// The jobs whose parts are the rows of a simulation.
#[derive(Clone, Debug, Default)]
struct MultipartJobs {
    /// The job of each part; empty where every part is a job.
    of: Vec<u32>,
    jobs: Vec<MultipartJob>,
}

impl MultipartJobs {
    fn new(of: Vec<u32>, submits: impl Iterator<Item = i64>) -> Self {
        let count = of.iter().max().map_or(0, |last| *last as usize + 1);
        let mut jobs = vec![MultipartJob::default(); count];
        for (job, submit) in of.iter().zip(submits) {
            if let Some(whole) = jobs.get_mut(*job as usize) {
                whole.left += 1;
                whole.submit = submit;
            }
        }
        Self { of, jobs }
    }

    fn multipart_job(&mut self, part: JobNo) -> Option<&mut MultipartJob> {
        let job = *self.of.get(part.0 as usize)?;
        self.jobs.get_mut(job as usize)
    }
}

/// Observer that computes the figures while a simulation runs.
#[derive(Clone, Debug, Default)]
pub struct SummaryObserver {
    summary: FarmSummary,
    wholes: MultipartJobs,
    sufficient: SufficientNodes,
    levels: Column<ClassNo, ClassLevels>,
    since: i64,
    used: u64,
    held: u32,
    blocked: u64,
    busy: u32,
    pending: u64,
}

impl SummaryObserver {
    /// Creates the observer for a workload and a window.
    pub fn new(workload: &Workload, window: FarmWindow) -> Self {
        let classes = workload.classes.len();
        let summary = FarmSummary {
            window,
            total_slots: workload.total_slots(),
            classes: Column::filled(classes, ClassSummary::default()),
            ..FarmSummary::default()
        };
        let levels = Column::filled(classes, ClassLevels::default());
        let sufficient = SufficientNodes::of(&workload.nodes);
        let submits = workload.jobs.iter().map(|job| job.submit);
        let wholes = MultipartJobs::new(workload.whole.clone(), submits);
        Self { summary, wholes, sufficient, levels, ..Self::default() }
    }

    /// Creates the observer for a replay: `rows` has the job and the arrival of each row.
    pub fn of_rows(workload: &Workload, window: FarmWindow, rows: &[(u32, i64)]) -> Self {
        let mut summing = Self::new(workload, window);
        let jobs = rows.iter().map(|(job, _)| *job).collect();
        summing.wholes = MultipartJobs::new(jobs, rows.iter().map(|(_, submit)| *submit));
        summing
    }

    /// Returns the figures at the end of the simulation.
    pub fn finish(mut self, events: u64) -> FarmSummary {
        let end = self.summary.window.to;
        self.advance(end);
        for class in self.levels.ids() {
            self.add_class_seconds(class, end);
        }
        let window = self.summary.window;
        for whole in self.wholes.jobs.iter().filter(|whole| whole.left > 0) {
            self.summary.pending += u128::from(window.overlap(whole.submit, end));
        }
        self.summary.events = events;
        self.summary
    }

    fn advance(&mut self, t: i64) {
        let seconds = u128::from(self.summary.window.overlap(self.since, t));
        let summary = &mut self.summary;
        summary.used += u128::from(self.used) * seconds;
        summary.held += u128::from(self.held) * seconds;
        summary.blocked += u128::from(self.blocked) * seconds;
        summary.busy += u128::from(self.busy) * seconds;
        if self.wholes.of.is_empty() {
            summary.pending += u128::from(self.pending) * seconds;
        }
        self.since = t;
    }

    fn add_class_seconds(&mut self, class: ClassNo, t: i64) {
        let levels = &mut self.levels[class];
        let seconds = self.summary.window.overlap(levels.since, t);
        levels.since = t;
        let ClassLevels { occupies, sufficient, .. } = *levels;
        if seconds == 0 || occupies.nodes == 0 {
            return;
        }
        let (sum, time) = (&mut self.summary.classes[class], u128::from(seconds));
        sum.slots += u128::from(occupies.slots) * time;
        sum.nodes += u128::from(occupies.nodes) * time;
        sum.sufficient += u128::from(sufficient) * time;
        sum.mixed += u128::from(occupies.mixed) * time;
        sum.at_risk += u128::from(occupies.at_risk) * time;
        sum.index += f64::from(sufficient) / f64::from(occupies.nodes) * seconds as f64;
        sum.defined += seconds;
    }
}

impl FarmObserver for SummaryObserver {
    fn started(&mut self, job: JobNo, what: &FarmJob, _node: NodeNo, at: i64) {
        let class = &mut self.summary.classes[what.class];
        match self.wholes.multipart_job(job) {
            None => class.waits.add(at.saturating_sub(what.submit)),
            Some(whole) => {
                whole.left = whole.left.saturating_sub(1);
                if whole.left == 0 {
                    class.waits.add(at.saturating_sub(whole.submit));
                    let waited = self.summary.window.overlap(whole.submit, at);
                    self.summary.pending += u128::from(waited);
                }
            }
        }
        class.slot_seconds += u128::from(what.slots) * u128::from(what.run);
        let end = at.saturating_add(i64::from(what.run));
        self.summary.makespan = self.summary.makespan.max(Some(end));
    }

    fn never_fits(&mut self, job: JobNo, what: &FarmJob) {
        let is_counted = self
            .wholes
            .multipart_job(job)
            .is_some_and(|whole| std::mem::replace(&mut whole.is_too_large, true));
        self.summary.classes[what.class].never_fits += u64::from(!is_counted);
    }

    fn sample(&mut self, sample: &FarmSample<'_>) {
        self.advance(sample.t);
        self.used = sample.used();
        self.held = sample.held();
        self.blocked = sample.blocked();
        self.busy = sample.busy();
        self.pending = sample.pending();
        if self.summary.peak.is_none_or(|(_, used)| used < self.used) {
            self.summary.peak = Some((sample.t, self.used));
        }
        for class in sample.changed_classes() {
            self.add_class_seconds(*class, sample.t);
            let occupies = *sample.class(*class);
            let sufficient = self.sufficient.nodes(occupies.slots);
            self.levels[*class] = ClassLevels { since: sample.t, occupies, sufficient };
        }
    }
}
