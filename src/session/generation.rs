//! One generation of a cluster: what was read, and the cycle that was run over it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant, SystemTime};

use super::agreement::Agreement;
use super::as_read::SettingPlaces;
use super::collecting::CollectEvent;
use super::kept_run::KeptRun;
use super::local_hook::CommandHook;
use super::log_alerts;
use super::no_verdicts::NoVerdicts;
use super::pipe::Pipe;
use super::plain_facts::plain_facts;
use super::tape::{Simulated, Tape, read_point, recorded};
use super::what_if::WhatIf;
use super::what_if::apply::cycle_start;
use qscope_engine::cluster::{Flavour, Snapshot, both};
use qscope_engine::cycle::CycleStart;
use qscope_engine::universe::Quirks;
use qscope_explain::{Alert, Tier, alerts, at_a_glance};
use qscope_planning::policies::mistakes;
use qscope_record::Point;
use qscope_source::{Bounds, Files, LoadOptions, SchedLog, SoFar, SourceError, gather, load};

/// Where a cluster comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// A folder, followed live.
    Folder(PathBuf),
    /// Files of any names, archives and folders together, `-` for standard input; read when asked for.
    Files(Vec<PathBuf>),
    /// A moment of a recording.
    Recording {
        /// The folder of the recording.
        folder: PathBuf,
        /// Which snapshot of it.
        at: Point,
    },
    /// A cycle of a simulation.
    Simulation {
        /// The simulation.
        simulated: Arc<Simulated>,
        /// Which of its cycles, counted from 0.
        nth: usize,
    },
    /// The sample inside the program.
    BuiltIn,
}

impl Origin {
    /// What a command line names: one folder, which may still come; a recording, or `DIR@TIME` of one;
    /// anything else is gathered; the sample without
    /// names.
    pub fn of(paths: &[PathBuf]) -> Self {
        if let [path] = paths
            && let Some((folder, at)) = qscope_record::named(path)
        {
            return Self::Recording { folder, at };
        }
        match paths {
            [] => Self::BuiltIn,
            [path] if !path.is_file() && path.as_os_str() != "-" => Self::Folder(path.clone()),
            _ => Self::Files(paths.to_vec()),
        }
    }
}

/// Where the log of the live scheduler is looked for.
#[derive(Clone, Debug)]
pub enum SchedLogAt {
    /// The sample has none.
    BuiltIn,
    /// In a folder under its own name.
    Folder(PathBuf),
    /// Among the files that were gathered, if one is there.
    Gathered(Option<SchedLog>),
}

impl SchedLogAt {
    /// Of an opening whose files these are.
    pub(super) fn of(origin: &Origin, files: &Files) -> Self {
        match (files.gathered().sched_log.clone(), origin) {
            (None, Origin::BuiltIn) => Self::BuiltIn,
            (None, Origin::Folder(folder)) => Self::Folder(folder.clone()),
            (found, _) => Self::Gathered(found),
        }
    }
}

/// What to open, and how to read it.
#[derive(Clone, Debug)]
pub struct Opening {
    /// Where from.
    pub origin: Origin,
    /// How to read it.
    pub load: LoadOptions,
    /// Which quirks to follow.
    pub quirks: Quirks,
    /// The user's own program for the allocation policy LOCAL.
    pub local_policy: Option<OsString>,
    /// Whether the scheduler's cycle is run over dumps of Torque, too.
    pub as_pbs: bool,
}

impl Opening {
    /// Why no cycle is run over a snapshot, if none is; the plain facts are the lines below.
    pub(super) fn no_verdicts(&self, snapshot: &Snapshot) -> Option<String> {
        let why = NoVerdicts::of(snapshot, self.as_pbs)?;
        let facts = plain_facts(snapshot).join("\n");
        Some(format!("{}: {why}\n{facts}", snapshot.title))
    }

    /// The same snapshot, named for what is done with it: verdicts of PBS over dumps of Torque state so everywhere. What is
    /// wrong with the options of the allocation policies is reported too.
    pub(super) fn entitled(&self, mut snapshot: Snapshot) -> Snapshot {
        if self.as_pbs && snapshot.flavour == Flavour::Torque {
            snapshot.title = format!("{} (Torque, as PBS)", snapshot.title).into();
        }
        snapshot.diagnostics.extend(mistakes(&snapshot));
        snapshot
    }

    /// The program for LOCAL, ready to run.
    pub(super) fn local(&self) -> Option<CommandHook> {
        self.local_policy.clone().map(CommandHook::new)
    }
}

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
    /// How many jobs wait by the kind of cause that the scheduler hit first, the most frequent first.
    pub waits: Arc<[(Tier, usize)]>,
    /// When reading was finished.
    pub loaded: SystemTime,
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
    pub origin: Option<Origin>,
    /// What was set in it that is not so, in a what-if.
    pub what_if: Option<Arc<WhatIf>>,
    /// Where its settings stand in its files, once an answer named one.
    pub set_at: Arc<OnceLock<SettingPlaces>>,
}

/// How far a reading has come.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReadingAt {
    /// Within a file.
    File {
        /// Its name.
        name: String,
        /// How much of it was read.
        percent: u8,
        /// What the records show that were decoded.
        so_far: SoFar,
    },
    /// All was read, and the cycle is run over it.
    Cycle {
        /// How many nodes were read.
        nodes: usize,
        /// How many jobs.
        jobs: usize,
    },
}

/// What a session reports.
#[derive(Clone, Debug)]
pub enum SessionEvent {
    /// Files are being read; one of the next four follows.
    Reading,
    /// How far the reading has come, where that takes its time.
    ReadingAt(ReadingAt),
    /// A new generation is there, or, after a failure, the last good one counts again.
    Loaded(Arc<Generation>),
    /// What can be read so far, before there is a generation and while a file is being written: number 0, and shown
    /// only until there is one.
    Preview {
        /// What can be read.
        generation: Arc<Generation>,
        /// Which file is waited for, and why.
        why: String,
    },
    /// A file is being written; the last good generation stands, and it is checked again soon.
    Waiting {
        /// Which file, and why it is not taken as it is.
        why: String,
        /// Since when.
        at: SystemTime,
    },
    /// Reading failed; the last good generation stands.
    Failed {
        /// What is wrong, with file and place.
        message: String,
        /// When.
        at: SystemTime,
    },
    /// The files were checked and have not changed.
    Unchanged {
        /// When.
        at: SystemTime,
    },
    /// How changes are noticed, in words for the header.
    Watching(String),
    /// What the collector does, if one fills the folder.
    Collecting(CollectEvent),
    /// A snapshot was appended to the recording, as which number; or why it was not.
    Recorded(Result<u64, String>),
}

/// Reads the files of an opening.
///
/// # Errors
/// No folder, or no vnodes in it that can be read.
pub fn read_files(origin: &Origin) -> Result<Files, SourceError> {
    match origin {
        Origin::Folder(folder) => Files::from_folder(folder),
        Origin::Files(paths) => {
            let bounds = Bounds::default();
            gather(paths, &mut Pipe::new(bounds.file), bounds)
        }
        Origin::Recording { folder, at } => Ok(recorded(folder, *at)?.1),
        Origin::Simulation { simulated, .. } => Err(SourceError::CannotRead {
            file: simulated.title().into(),
            why: "a simulated moment has no files".to_owned(),
        }),
        Origin::BuiltIn => Ok(Files::built_in()),
    }
}

/// Reads and runs once, without following anything. A moment of a recording or simulation has its number there.
///
/// # Errors
/// As [`load`].
pub fn load_generation(opening: &Opening, number: u64) -> Result<Generation, SourceError> {
    if let Origin::Simulation { simulated, nth } = &opening.origin {
        return Tape::Simulation(simulated.clone()).load(opening, *nth);
    }
    if let Origin::Recording { folder, at } = &opening.origin {
        return read_point(opening, folder, *at);
    }
    generation_of(opening, &read_files(&opening.origin)?, number)
}

/// The same of files that were read already.
///
/// # Errors
/// As [`load`].
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
        Origin::Simulation { .. } => cycle_start(snapshot, opening.quirks, opening.local().as_ref()),
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

    /// The same without its cycle, which is run again when it is looked at.
    pub(super) fn without_cycle(&self) -> Self {
        Self { run: self.run.given_up(), ..self.clone() }
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
        let (started, loaded) = (Instant::now(), SystemTime::now());
        let start = build(snapshot.clone());
        let build_took = started.elapsed();
        let started = Instant::now();
        let run = Arc::new(start.run());
        let cycle_took = started.elapsed();
        let (alerts, waits) = both(snapshot.nodes.len(), || alerts(&run), || at_a_glance(&run));
        Self {
            number,
            snapshot,
            alerts: alerts.into(),
            waits: waits.into(),
            run: run.into(),
            loaded,
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
            set_at: Arc::default(),
        }
    }
}
