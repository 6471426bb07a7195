//! What is opened: where a cluster comes from, and how it is read.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

use super::local_hook::CommandHook;
use super::no_verdicts::NoVerdicts;
use super::pipe::Pipe;
use super::plain_facts::plain_facts;
use super::recorded::recorded;
use super::simulated::Simulated;
use qscope_engine::cluster::{Flavour, Snapshot};
use qscope_engine::universe::Quirks;
use qscope_planning::policies::mistakes;
use qscope_record::Point;
use qscope_source::{Bounds, Files, LoadOptions, SchedLog, SourceError, gather};

/// Where a cluster comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OpeningOrigin {
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
        simulated: Arc<Simulated>,
        /// Which of its cycles, counted from 0.
        nth: usize,
    },
    /// The sample inside the program.
    BuiltIn,
}

impl OpeningOrigin {
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
    pub(super) fn of(origin: &OpeningOrigin, files: &Files) -> Self {
        match (files.gathered().sched_log.clone(), origin) {
            (None, OpeningOrigin::BuiltIn) => Self::BuiltIn,
            (None, OpeningOrigin::Folder(folder)) => Self::Folder(folder.clone()),
            (found, _) => Self::Gathered(found),
        }
    }
}

/// What to open, and how to read it.
#[derive(Clone, Debug)]
pub struct Opening {
    /// Where from.
    pub origin: OpeningOrigin,
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
    /// An origin, read as without any option.
    pub fn of(origin: OpeningOrigin) -> Self {
        Self {
            origin,
            load: LoadOptions::default(),
            quirks: Quirks::default(),
            local_policy: None,
            as_pbs: false,
        }
    }

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

/// Reads the files of an opening.
///
/// # Errors
/// No folder, or no vnodes in it that can be read.
pub fn read_files(origin: &OpeningOrigin) -> Result<Files, SourceError> {
    match origin {
        OpeningOrigin::Folder(folder) => Files::from_folder(folder),
        OpeningOrigin::Files(paths) => {
            let bounds = Bounds::default();
            gather(paths, &mut Pipe::new(bounds.file), bounds)
        }
        OpeningOrigin::Recording { folder, at } => Ok(recorded(folder, *at)?.1),
        OpeningOrigin::Simulation { simulated, .. } => Err(SourceError::CannotRead {
            file: simulated.title().into(),
            why: "a simulated moment has no files".to_owned(),
        }),
        OpeningOrigin::BuiltIn => Ok(Files::built_in()),
    }
}
