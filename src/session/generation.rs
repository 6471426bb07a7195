//! One generation of a cluster: what was read, and the cycle that was run over it.

pub(super) mod weight;

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use super::agreement::Agreement;
use super::as_read::SettingPlaces;
use super::kept_run::KeptRun;
use super::local_hook::CommandHook;
use super::log_alerts;
use super::opening::{Opening, OpeningOrigin, SchedLogAt};
use super::what_if::apply::cycle_start;
use qscope_engine::cluster::{Flavour, Snapshot, are_many, both};
use qscope_engine::cycle::CycleStart;
use qscope_explain::{Alert, alerts};
use qscope_source::{Files, SourceError, load};
use weight::Weighed;

/// What was read and run once.
#[derive(Clone, Debug)]
pub struct Generation {
    /// Counted from 1 since the session was opened.
    pub number: u64,
    /// What was read.
    pub snapshot: Arc<Snapshot>,
    /// The cycle over it, or how to run it again.
    pub run: KeptRun,
    /// What an operator must see without asking, the gravest first.
    pub alerts: Arc<[Alert]>,
    /// How long reading took.
    pub read_took: Duration,
    /// How long deriving the universe took.
    pub build_took: Duration,
    /// How long the cycle over it took.
    pub cycle_took: Duration,
    /// How it agrees with the live scheduler, in a session that is followed.
    pub agreement: Option<Arc<Agreement>>,
    /// That one of its dumps is new and the other one did not come in time, and how far they are apart: what differs
    /// from the generation before may be the time between the two dumps.
    pub half: Option<String>,
    /// The user's own program for the allocation policy LOCAL.
    pub local: Option<CommandHook>,
    /// Whether it is of Torque, and the cycle of PBS was run over it.
    pub as_pbs: bool,
    /// Where the log of the live scheduler is looked for.
    pub sched_log: SchedLogAt,
    /// What it was read from; none of a snapshot that was not read.
    pub origin: Option<OpeningOrigin>,
    /// What was set in it that is not so, in a what-if.
    pub what_if: Option<Arc<WhatIf>>,
    /// Where its settings stand in its files, once an answer named one.
    pub set_at: Arc<OnceLock<SettingPlaces>>,
    /// What it weighs, as far as it was weighed.
    pub weighed: Arc<Weighed>,
}

/// What makes a generation a what-if.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WhatIf {
    /// What was set, each under its full key.
    pub settings: Vec<String>,
    /// Notes on that.
    pub notes: Vec<String>,
}

/// The same of files that were read already.
pub fn generation_of(opening: &Opening, files: &Files, number: u64) -> Result<Generation, SourceError> {
    let started = Instant::now();
    let snapshot = Arc::new(opening.entitled(load(files, &opening.load)?));
    let mut generation = generation_of_snapshot(opening, snapshot, number, started.elapsed());
    generation.take_log(SchedLogAt::of(&opening.origin, files));
    Ok(generation)
}

/// The cycle over a snapshot that an opening led to.
pub(super) fn generation_of_snapshot(
    opening: &Opening,
    snapshot: Arc<Snapshot>,
    number: u64,
    read_took: Duration,
) -> Generation {
    let build = |snapshot| match opening.origin {
        // What a simulation is run with is part of its snapshots.
        OpeningOrigin::Simulation { .. } => cycle_start(snapshot, opening.quirks, opening.local().as_ref()),
        _ => CycleStart::new(snapshot, opening.quirks),
    };
    let mut generation = Generation::run(number, snapshot, read_took, build);
    generation.opened_as(opening);
    generation
}

impl Generation {
    /// Takes the scheduler's log, whose complaints are alerts.
    pub(super) fn take_log(&mut self, log: SchedLogAt) {
        if let Some(alert) = log_alerts::of_log(&log, &self.snapshot) {
            self.alerts = self.alerts.iter().cloned().chain([alert]).collect();
        }
        self.sched_log = log;
    }

    /// The same without its cycle and what was compared with it job by job: both are made again when they are looked at.
    pub(super) fn without_cycle(&self) -> Self {
        let agreement = self.agreement.as_deref().map(|agreement| Arc::new(agreement.without_jobs()));
        Self { run: self.run.given_up(), agreement, ..self.clone() }
    }

    /// Compares the jobs with the live scheduler's comments once more where that was given up: not on the thread of a screen.
    pub fn compare_jobs(&self) {
        if let Some(agreement) = &self.agreement {
            agreement.jobs(&self.run);
        }
    }

    /// Takes over what the opening states beyond the files.
    pub(super) fn opened_as(&mut self, opening: &Opening) {
        self.local = opening.local();
        self.as_pbs = opening.as_pbs && self.snapshot.flavour == Flavour::Torque;
        self.origin = Some(opening.origin.clone());
    }

    /// Runs the cycle over what was read just now.
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
        let is_large = are_many(snapshot.nodes.len());
        let run = Arc::new(if is_large { start.run_with_impossible() } else { start.run() });
        let cycle_took = started.elapsed();
        // Also which jobs can never run, whether or not an answer here needs it: every verdict on a screen does, and the
        // thread of a screen has no time to derive the idle cluster.
        let (alerts, _) = both(snapshot.nodes.len(), || alerts(&run), || run.impossible().len());
        Self {
            number,
            snapshot,
            alerts: alerts.into(),
            run: run.into(),
            read_took,
            build_took,
            cycle_took,
            agreement: None,
            half: None,
            local: None,
            as_pbs: false,
            sched_log: SchedLogAt::Gathered(None),
            origin: None,
            what_if: None,
            weighed: Arc::default(),
            set_at: Arc::default(),
        }
    }
}
