//! One generation of a cluster: what was read, and the cycle that was run on it.

pub(super) mod weight;

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use super::agreement::Agreement;
use super::as_read::SettingPlaces;
use super::lazy_run::LazyRun;
use super::local_hook::CommandHook;
use super::log_alerts;
use super::opening::{Opening, OpeningOrigin, SchedLogLocation};
use super::what_if::apply::cycle_start;
use qscope_engine::cluster::{Flavour, Name, Snapshot, is_worth_a_thread, run_both};
use qscope_engine::cycle::CycleStart;
use qscope_explain::{Alert, alerts};
use qscope_source::{Files, SourceError, load};
use weight::MemoryEstimate;

/// A reading of the files, and its cycle.
#[derive(Clone, Debug)]
pub struct Generation {
    /// Number, counted from 1 since the session was opened.
    pub number: u64,
    /// The snapshot that was read.
    pub snapshot: Arc<Snapshot>,
    /// Its cycle, or how to run it again.
    pub run: LazyRun,
    /// What an operator must see without asking, the most severe first.
    pub alerts: Arc<[Alert]>,
    pub read_took: Duration,
    /// Duration of building the universe.
    pub build_took: Duration,
    pub cycle_took: Duration,
    /// Its agreement with the live scheduler, in a session that is followed.
    pub agreement: Option<Arc<Agreement>>,
    /// Set if one of its dumps is new and the other did not arrive in time, with the time between them: differences
    /// from the previous generation may come from that time.
    pub late_dump: Option<String>,
    /// Files of an earlier generation that do not exist any more, while another form of them is read.
    pub substitutes: Arc<[SubstituteFile]>,
    /// The user's program for the allocation policy LOCAL.
    pub local_hook: Option<CommandHook>,
    /// Whether it is of Torque, and the cycle of PBS was run on it.
    pub as_pbs: bool,
    /// Location of the log of the live scheduler.
    pub sched_log: SchedLogLocation,
    /// Its place among the snapshots of its recording or simulation, counted from 1, and their number.
    pub position: Option<(usize, usize)>,
    /// What it was read from; `None` for a snapshot that was not read.
    pub origin: Option<OpeningOrigin>,
    /// Hypothetical settings, in a what-if.
    pub what_if: Option<Arc<WhatIf>>,
    /// Where its settings are made in its files, once an answer named one.
    pub set_at: Arc<OnceLock<SettingPlaces>>,
    /// Its estimated memory, as far as computed.
    pub weighed: Arc<MemoryEstimate>,
}

/// A file that is read because another one with the same objects does not exist any more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SubstituteFile {
    /// Name of the file that was read before.
    pub previous_file: Name,
    /// Name of the file that is read instead.
    pub used: Name,
}

/// The settings of a what-if.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WhatIf {
    /// The settings, each with its full key.
    pub settings: Vec<String>,
    /// Notes on the settings.
    pub notes: Vec<String>,
}

/// Makes a generation from files that are already read.
pub fn generation_of(opening: &Opening, files: &Files, number: u64) -> Result<Generation, SourceError> {
    let started = Instant::now();
    let snapshot = Arc::new(opening.with_adapted_title(load(files, &opening.load)?));
    let mut generation = generation_of_snapshot(opening, snapshot, number, started.elapsed());
    generation.take_log(SchedLogLocation::of(&opening.origin, files));
    Ok(generation)
}

/// Runs the cycle on a snapshot read for an opening.
pub(super) fn generation_of_snapshot(
    opening: &Opening,
    snapshot: Arc<Snapshot>,
    number: u64,
    read_took: Duration,
) -> Generation {
    let build = |snapshot| match opening.origin {
        // The configuration of a simulation is part of its snapshots.
        OpeningOrigin::Simulation { .. } => cycle_start(snapshot, opening.quirks, opening.local().as_ref()),
        _ => CycleStart::new(snapshot, opening.quirks),
    };
    let mut generation = Generation::run(number, snapshot, read_took, build);
    generation.opened_as(opening);
    generation
}

impl Generation {
    /// Sets the scheduler's log, and adds its complaints to the alerts.
    pub(super) fn take_log(&mut self, log: SchedLogLocation) {
        if let Some(alert) = log_alerts::of_log(&log, &self.snapshot) {
            self.alerts = self.alerts.iter().cloned().chain([alert]).collect();
        }
        self.sched_log = log;
    }

    /// Returns it without its cycle and the comparison job by job: both are made again when needed.
    pub(super) fn without_cycle(&self) -> Self {
        let agreement = self.agreement.as_deref().map(|agreement| Arc::new(agreement.without_jobs()));
        Self { run: self.run.without_run(), agreement, ..self.clone() }
    }

    /// Compares the jobs with the live scheduler's comments again, if that was dropped. Too slow for the thread of a
    /// screen.
    pub fn compare_jobs(&self) {
        if let Some(agreement) = &self.agreement {
            agreement.jobs(&self.run);
        }
    }

    /// Applies what the opening states in addition to the files.
    pub(super) fn opened_as(&mut self, opening: &Opening) {
        self.local_hook = opening.local();
        self.as_pbs = opening.as_pbs && self.snapshot.flavour == Flavour::Torque;
        self.origin = Some(opening.origin.clone());
    }

    /// Runs the cycle on a snapshot that was just read.
    pub(super) fn run(
        number: u64,
        snapshot: Arc<Snapshot>,
        read_took: Duration,
        build: impl FnOnce(Arc<Snapshot>) -> CycleStart,
    ) -> Self {
        let started = Instant::now();
        let start = build(snapshot.clone());
        let build_took = started.elapsed();
        let started = Instant::now();
        let is_large = is_worth_a_thread(snapshot.nodes.len());
        let run = Arc::new(if is_large { start.run_with_impossible() } else { start.run() });
        let cycle_took = started.elapsed();
        // Also derives which jobs can never run, whether or not it is needed here: every verdict on a screen needs
        // it, and the thread of a screen has no time to derive the idle cluster.
        let (alerts, _) = run_both(snapshot.nodes.len(), || alerts(&run), || run.impossible_jobs().len());
        Self {
            number,
            snapshot,
            alerts: alerts.into(),
            run: run.into(),
            read_took,
            build_took,
            cycle_took,
            agreement: None,
            late_dump: None,
            substitutes: Arc::default(),
            local_hook: None,
            as_pbs: false,
            sched_log: SchedLogLocation::Input(None),
            origin: None,
            position: None,
            what_if: None,
            weighed: Arc::default(),
            set_at: Arc::default(),
        }
    }
}
