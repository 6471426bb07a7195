//! What is opened: the origin of a cluster, and how it is read.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use super::local_hook::CommandHook;
use super::no_verdict_reason::NoVerdictReason;
use super::pipe::StdinReader;
use super::plain_facts::plain_facts;
use super::recorded::{not_opened, recorded};
use super::simulated::SimulationHistory;
use qscope_engine::cluster::{Flavour, Snapshot};
use qscope_engine::universe::Quirks;
use qscope_planning::policies::mistakes;
use qscope_record::SnapshotSelector;
use qscope_source::{Files, LoadOptions, ReadLimits, SchedLogSource, SourceError, gather};

/// Origin of a cluster.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OpeningOrigin {
    /// A folder, followed live.
    Folder(PathBuf),
    /// Files of any names, archives and folders together, `-` for standard input; read on request.
    Files(Vec<PathBuf>),
    /// A snapshot of a recording.
    Recording {
        /// The folder of the recording.
        folder: PathBuf,
        /// The snapshot in it.
        at: SnapshotSelector,
    },
    /// A cycle of a simulation.
    Simulation {
        simulated: Arc<SimulationHistory>,
        /// Number of the cycle, counted from 0.
        nth: usize,
    },
    /// The built-in sample.
    BuiltIn,
}

impl OpeningOrigin {
    /// Returns the origin named on a command line: one folder, which may not exist yet; a recording, or `DIR@TIME`
    /// for a time in it (a date is one of the zone of this name, else of that of the recording); anything else is
    /// gathered; the sample without arguments.
    ///
    /// # Errors
    /// If a recording is named, but no time in it.
    pub fn of(paths: &[PathBuf], zone: Option<&str>) -> Result<Self, SourceError> {
        if let [path] = paths
            && let Some((folder, at)) =
                qscope_record::parse_recording_path(path, zone).map_err(|error| not_opened(&error))?
        {
            return Ok(Self::Recording { folder, at });
        }
        Ok(match paths {
            [] => Self::BuiltIn,
            [path] if path.as_os_str() != "-" && (path.is_dir() || !path.exists()) => {
                Self::Folder(path.clone())
            }
            _ => Self::Files(paths.to_vec()),
        })
    }
}

/// Location of the log of the live scheduler.
#[derive(Clone, Debug)]
pub enum SchedLogLocation {
    /// The sample has none.
    BuiltIn,
    /// In a folder, under its own name.
    Folder(PathBuf),
    /// Among the gathered files, if present.
    Input(Option<SchedLogSource>),
}

impl SchedLogLocation {
    /// Returns the location for an opening with these files.
    pub(super) fn of(origin: &OpeningOrigin, files: &Files) -> Self {
        match (files.gathered().sched_log.clone(), origin) {
            (None, OpeningOrigin::BuiltIn) => Self::BuiltIn,
            (None, OpeningOrigin::Folder(folder)) => Self::Folder(folder.clone()),
            (found, _) => Self::Input(found),
        }
    }
}

/// What to open, and how to read it.
#[derive(Clone, Debug)]
pub struct Opening {
    /// Origin of the cluster.
    pub origin: OpeningOrigin,
    /// Options for reading.
    pub load: LoadOptions,
    /// Quirks of the scheduler to follow.
    pub quirks: Quirks,
    /// The user's program for the allocation policy LOCAL.
    pub local_policy: Option<OsString>,
    /// Whether the scheduler's cycle is also run on dumps of Torque.
    pub as_pbs: bool,
}

impl Opening {
    /// Creates an opening of an origin with default options.
    pub fn of(origin: OpeningOrigin) -> Self {
        Self {
            origin,
            load: LoadOptions::default(),
            quirks: Quirks::default(),
            local_policy: None,
            as_pbs: false,
        }
    }

    /// Returns why no cycle is run on a snapshot, followed by lines with the plain facts; `None` if one is run.
    pub(super) fn no_verdicts(&self, snapshot: &Snapshot) -> Option<String> {
        let why = NoVerdictReason::of(snapshot, self.as_pbs)?;
        let facts = plain_facts(snapshot).join("\n");
        Some(format!("{}: {why}\n{facts}", snapshot.title))
    }

    /// Adapts the title of a snapshot: verdicts of PBS on dumps of Torque are marked as such everywhere. Also reports
    /// errors in the options of the allocation policies.
    pub(super) fn with_adapted_title(&self, mut snapshot: Snapshot) -> Snapshot {
        if self.as_pbs && snapshot.flavour == Flavour::Torque {
            snapshot.title = format!("{} (Torque, as PBS)", snapshot.title).into();
        }
        snapshot.diagnostics.extend(mistakes(&snapshot));
        snapshot
    }

    /// Returns the program for LOCAL, ready to run.
    pub(super) fn local(&self) -> Option<CommandHook> {
        self.local_policy.clone().map(CommandHook::new)
    }
}

/// Reads the files of an opening.
///
/// # Errors
/// If there is no folder, or it has no readable vnodes.
pub fn read_files(origin: &OpeningOrigin) -> Result<Files, SourceError> {
    match origin {
        OpeningOrigin::Folder(folder) => Files::from_folder(folder),
        OpeningOrigin::Files(paths) => {
            let bounds = ReadLimits::default();
            gather(paths, &mut StdinReader::new(bounds.file), bounds)
        }
        OpeningOrigin::Recording { folder, at } => Ok(recorded(folder, *at)?.files),
        OpeningOrigin::Simulation { simulated, .. } => Err(SourceError::CannotRead {
            file: simulated.title().into(),
            why: "a simulated moment has no files".to_owned(),
        }),
        OpeningOrigin::BuiltIn => Ok(Files::built_in()),
    }
}
