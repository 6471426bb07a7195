//! A farm ready to be simulated, opened from a scenario, logs, a trace, rows, settings or a snapshot.

mod opening;

use std::path::PathBuf;

use qscope_engine::cluster::{Column, Name, Snapshot, first_names};

use super::snapshot_workload::from_now;
use super::trace::{ByteProgress, TraceHistory, TraceKind, kind_of};
use super::{ClassNo, Criterion, FarmError, FarmOptions, FarmPolicy, FarmWindow, JobNo, Workload, window};
use opening::title;

/// Maximum size in bytes of a scenario or settings file; logs and traces may be of any size.
const LARGEST: u64 = 1 << 30;

/// Input files and options from which a case is opened.
#[derive(Clone, Debug, Default)]
pub struct CaseInput {
    /// Files of one kind, or folders of accounting logs.
    pub files: Vec<PathBuf>,
    /// The criterion by which jobs fall into classes.
    pub criterion: Criterion,
    /// The classes that pack; if empty, the largest one with less than half of the work.
    pub pack: Vec<String>,
    /// Whether the criterion was given; if not, another one is used where a class to pack belongs to it.
    pub is_criterion_named: bool,
    /// The nodes, as `800x8`; if none, they are taken from the file.
    pub nodes: Option<String>,
    /// Name of the scenario, where a file has several.
    pub scenario: Option<String>,
    /// Whether the ids of jobs are kept.
    pub ids: bool,
    /// Seed that replaces that of the settings.
    pub seed: Option<u64>,
    /// Load that replaces that of the settings.
    pub load: Option<f64>,
    /// The window of all means, as `1d..3d` or `50%..100%`; if none, the case chooses.
    pub window: Option<String>,
    /// Deviations from the rules.
    pub options: FarmOptions,
}

/// A farm ready to be simulated.
#[derive(Clone, Debug, Default)]
pub struct FarmCase {
    /// Title for display.
    pub title: String,
    /// What the case demonstrates, if the file states it.
    pub why: String,
    /// Nodes and jobs.
    pub workload: Workload,
    /// The jobs in order of arrival.
    pub arrivals: Vec<JobNo>,
    /// The classes to which a policy applies.
    pub packing: Vec<ClassNo>,
    /// Policies by class, where they differ.
    pub mixed: Vec<(ClassNo, FarmPolicy)>,
    /// The recorded history of the jobs, if the files have it.
    pub history: Option<TraceHistory>,
    /// What was assumed.
    pub notes: Vec<String>,
    /// What could not be read, with file and line.
    pub problems: Vec<String>,
    /// Number of records that could not be read; `problems` may hold fewer.
    pub broken: u64,
    /// The seed, where random numbers were used.
    pub seed: Option<u64>,
    /// The window of all means, where it is not from the first to the last arrival.
    pub window: Option<FarmWindow>,
    /// The criterion that made the classes; empty where the file names them itself.
    pub criterion: String,
}

/// Maximum number of gaps of a log that are named; the others are counted.
const GAPS_NAMED: usize = 5;

/// Maximum length in seconds of the window of means of a snapshot: a day.
const DAY: i64 = 86_400;

impl FarmCase {
    /// Opens the files.
    ///
    /// # Errors
    /// A file cannot be read at all, a farm has no nodes, or a class to pack has no jobs.
    pub fn open(wanted: &CaseInput, progress: ByteProgress<'_>) -> Result<Self, FarmError> {
        let first = wanted.files.first().ok_or_else(|| FarmError::File {
            file: "nothing".to_owned(),
            what: "no file was named".to_owned(),
        })?;
        let kind = if first.is_dir() { TraceKind::Accounting } else { kind_of(first)? };
        let mut case = match kind {
            TraceKind::Scenario => Self::of_scenario(first, wanted)?,
            TraceKind::Settings => Self::of_settings(first, wanted)?,
            TraceKind::LsfTables => Self::of_lsf_tables(wanted)?,
            _ => Self::of_history(wanted, progress)?,
        };
        case.title = title(&wanted.files);
        case.finish(wanted)?;
        Ok(case)
    }

    /// Opens a snapshot's running and queued jobs, from its current time on.
    ///
    /// # Errors
    /// A class to pack has no jobs.
    pub fn of_snapshot(snapshot: &Snapshot, wanted: &CaseInput) -> Result<Self, FarmError> {
        opening::refuse_others(wanted, "a cluster, whose nodes and jobs are read", &["--class"])?;
        let (workload, notes) = from_now(snapshot, &wanted.criterion);
        let criterion = wanted.criterion.to_string();
        let mut case = Self { title: snapshot.title.to_string(), workload, criterion, ..Self::default() };
        case.why = format!("from now, {}, on: what runs and what waits", snapshot.now.0);
        case.note(notes.in_parts, "jobs of several chunks or vnodes, taken as one part each");
        case.note(notes.endless, "jobs without a walltime, which count as endless");
        case.note(notes.overdue, "running jobs that should have ended, and end now");
        case.note(notes.unavailable_nodes, "nodes down or offline, which take no jobs");
        case.note(notes.without_slots, "waiting jobs left out that ask for no cpu");
        let many =
            "waiting jobs left out that have more than 50000 parts, or that make more than 1000000 in all";
        case.note(notes.too_many_parts, many);
        let from = case.workload.from;
        case.window =
            Some(FarmWindow { from, to: from.saturating_add(case.estimated_duration().clamp(600, DAY)) });
        case.finish(wanted)?;
        Ok(case)
    }

    /// Notes the gaps of a log, the first ones by name.
    fn note_gaps(&mut self, gaps: &[(Name, Name)]) {
        for (before, after) in gaps.iter().take(GAPS_NAMED) {
            self.notes.push(format!("no record of the log from {before} to {after}"));
        }
        self.note(gaps.len().saturating_sub(GAPS_NAMED) as u64, "more gaps of over a day in the log");
    }

    fn note(&mut self, count: u64, what: &str) {
        if count > 0 {
            self.notes.push(format!("{what}: {count}"));
        }
    }

    fn finish(&mut self, input: &CaseInput) -> Result<(), FarmError> {
        self.workload.check()?;
        self.arrivals = self.workload.arrivals();
        if let Some(text) = &input.window {
            let arrivals = || self.workload.arrival_window().unwrap_or_default();
            let whole = self.window.unwrap_or_else(|| {
                let (from, to) = arrivals();
                FarmWindow { from, to }
            });
            self.window = Some(window::parse(text, whole)?);
        }
        if !input.pack.is_empty() {
            self.packing.clear();
        }
        for name in &input.pack {
            let class = self.workload.class_named(name).ok_or_else(|| FarmError::Scenario {
                place: format!("--pack {name}"),
                what: format!("no such class; there are {}", self.class_list()),
            })?;
            self.packing.push(class);
        }
        if self.packing.is_empty()
            && let Some(class) = self.largest_minority()
        {
            self.packing.push(class);
            let name = &self.workload.classes[class];
            self.notes
                .push(format!("{name} packs, the largest class below half of the work; --pack names others"));
        }
        self.packing.sort_unstable();
        self.packing.dedup();
        Ok(())
    }

    fn class_list(&self) -> String {
        let work = self.work_by_class();
        let mut by_work: Vec<(&Name, &u128)> = self.workload.classes.iter().zip(work.iter()).collect();
        by_work.sort_by_key(|(_, work)| std::cmp::Reverse(*work));
        let names: Vec<&Name> = by_work.iter().map(|(name, _)| *name).collect();
        first_names(&names, 12)
    }

    /// Returns the slot-seconds by class.
    pub fn work_by_class(&self) -> Column<ClassNo, u128> {
        let mut work = Column::filled(self.workload.classes.len(), 0);
        for job in &self.workload.jobs {
            work[job.class] += u128::from(job.slots) * u128::from(job.run);
        }
        work
    }

    /// Estimates the seconds from now until all jobs are done: the longest job, plus the total work spread
    /// over all slots.
    fn estimated_duration(&self) -> i64 {
        let ends = self.workload.residents.iter().map(|job| job.end.saturating_sub(self.workload.from));
        let runs = self.workload.jobs.iter().map(|job| i64::from(job.run));
        let work: u128 = self.work_by_class().iter().sum();
        let queued = work / u128::from(self.workload.total_slots().max(1));
        ends.chain(runs).max().unwrap_or(0).saturating_add(i64::try_from(queued).unwrap_or(i64::MAX))
    }

    /// Returns the class with the most work among those with less than half of all work.
    fn largest_minority(&self) -> Option<ClassNo> {
        let work = self.work_by_class();
        let all: u128 = work.iter().sum();
        let small = work.enumerate().filter(|(_, work)| **work > 0 && **work * 2 < all);
        small.max_by_key(|(class, work)| (**work, std::cmp::Reverse(*class))).map(|(class, _)| class)
    }
}
