//! One generation of a cluster: what was read, and the cycle that was run over it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use super::agreement::Agreement;
use super::collecting::CollectEvent;
use super::local_hook::CommandHook;
use super::what_if::WhatIf;
use qscope_engine::cluster::Snapshot;
use qscope_engine::cycle::{CycleStart, Run};
use qscope_engine::universe::Quirks;
use qscope_explain::{Alert, Tier, alerts, at_a_glance};
use qscope_source::{Files, LoadOptions, SourceError, load};

/// Where a cluster comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Origin {
    /// A folder, followed live.
    Folder(PathBuf),
    /// The sample inside the program.
    BuiltIn,
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
}

impl Opening {
    /// The program for LOCAL, ready to be asked.
    pub(super) fn local(&self) -> Option<CommandHook> {
        self.local_policy.clone().map(CommandHook::new)
    }
}

/// One generation.
#[derive(Clone, Debug)]
pub struct Generation {
    /// Counted from 1 since the session was opened.
    pub number: u64,
    /// What was read.
    pub snapshot: Arc<Snapshot>,
    /// The cycle over it.
    pub run: Arc<Run>,
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
    /// What was set in it that is not so, in a what-if.
    pub what_if: Option<Arc<WhatIf>>,
}

/// What a session tells whoever opened it.
#[derive(Clone, Debug)]
pub enum SessionEvent {
    /// Files are being read; one of the next four follows.
    Reading,
    /// A new generation is there, or, after a failure, the last good one counts again.
    Loaded(Arc<Generation>),
    /// A file is being written; the last good generation stands, and it is looked at again soon.
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
    /// The files were looked at and are what they were.
    Unchanged {
        /// When.
        at: SystemTime,
    },
    /// How changes are noticed, in words for the header.
    Watching(String),
    /// What the collector does, if one fills the folder.
    Collecting(CollectEvent),
}

/// Reads the files of an opening.
///
/// # Errors
/// No folder, or no vnodes in it that can be read.
pub fn read_files(origin: &Origin) -> Result<Files, SourceError> {
    match origin {
        Origin::Folder(folder) => Files::from_folder(folder),
        Origin::BuiltIn => Ok(Files::built_in()),
    }
}

/// Reads and runs once, without following anything.
///
/// # Errors
/// As [`load`].
pub fn load_generation(opening: &Opening, number: u64) -> Result<Generation, SourceError> {
    let started = Instant::now();
    let snapshot = Arc::new(load(&read_files(&opening.origin)?, &opening.load)?);
    let read_took = started.elapsed();
    let build = |snapshot| CycleStart::new(snapshot, opening.quirks);
    let mut generation = Generation::run(number, snapshot, read_took, build);
    generation.local = opening.local();
    Ok(generation)
}

impl Generation {
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
        Self {
            number,
            snapshot,
            alerts: alerts(&run).into(),
            waits: at_a_glance(&run).into(),
            run,
            loaded,
            read_took,
            build_took,
            cycle_took,
            agreement: None,
            half: None,
            local: None,
            what_if: None,
        }
    }

    /// About how many bytes it takes, snapshot, universe and journal together; measured on large clusters.
    #[must_use]
    pub fn weight(&self) -> usize {
        const NODE: usize = 4096;
        const JOB: usize = 3072;
        const PART: usize = 192;
        const SET: usize = 1100;
        const CHANGE: usize = 40;
        let snap = &self.snapshot;
        let placed = snap.jobs.iter().filter_map(|job| job.exec_vnode.as_ref());
        let parts: usize = placed.map(|nodes| nodes.parts().count()).sum();
        let end = &self.run.end;
        let derived = end.sets.len() * SET + end.journal().len() * CHANGE;
        snap.nodes.len() * NODE + snap.jobs.len() * JOB + parts * PART + derived
    }
}
