//! The input of a simulation: a start state, `arrivals.json`, `options.json`.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use qscope_engine::cluster::{Column, SharedColumn, Snapshot, count};
use qscope_engine::universe::NodeRanking;
use qscope_source::{Files, LoadOptions, ReadLimits, check_memory, load};
use qscope_system::input;

use crate::arrivals::history::{ArrivalHistory, HistoryOptions};
use crate::arrivals::{Arrival, ArrivalsFile};
use crate::{Arrivals, Scaling, SimulateError, SimulationOptions};

/// The complete input of a simulation.
#[derive(Clone, Debug)]
pub struct SimulationInput {
    /// The server at the start of the simulation.
    pub start: Snapshot,
    /// External input.
    pub arrivals: Arrivals,
    /// When to run cycles, and for how long.
    pub options: SimulationOptions,
    /// Allocation policies that replace the scheduler's node order, for the snapshot of each cycle.
    pub ranking: Option<Arc<dyn NodeRanking>>,
    /// Vnodes that are ordered when jobs need them, and returned later.
    pub scaling: Option<Scaling>,
}

/// Bytes that a simulation needs for each subjob; measured with three million, which took 470 bytes each.
const SUBJOB: u64 = 600;

/// Name of the file of arrivals.
pub const ARRIVALS: &str = "arrivals.json";
/// Name of the file of options.
pub const OPTIONS: &str = "options.json";

/// The start of a simulation before it is parsed: the files of a cluster, and the two that only a simulation has.
#[derive(Clone, Debug)]
pub struct SimulationFiles {
    files: Files,
    arrivals: Option<Vec<u8>>,
    options: Option<Vec<u8>>,
}

impl SimulationFiles {
    /// Reads a folder of dumps, with `arrivals.json` and `options.json` if it has them.
    ///
    /// # Errors
    /// The folder cannot be listed, or one of these two files cannot be read.
    pub fn folder(folder: &Path) -> Result<Self, SimulateError> {
        Ok(Self {
            files: Files::from_folder(folder)?,
            arrivals: read_file(&folder.join(ARRIVALS))?,
            options: read_file(&folder.join(OPTIONS))?,
        })
    }

    /// Takes the files of a cluster alone, as from an archive or a recording.
    pub fn of(files: Files) -> Self {
        Self { files, arrivals: None, options: None }
    }

    /// Returns the files of the cluster.
    pub fn files(&self) -> &Files {
        &self.files
    }
}

impl SimulationInput {
    /// Parses the start; without `arrivals.json` nothing arrives.
    ///
    /// # Errors
    /// The files are not a cluster, or one of the other two does not have its format.
    pub fn read(start: &SimulationFiles, how: &LoadOptions) -> Result<Self, SimulateError> {
        Self::of_files(&start.files, how, start.arrivals.as_deref(), start.options.as_deref())
    }

    /// The same from files in memory.
    pub fn of_files(
        files: &Files,
        how: &LoadOptions,
        arrivals: Option<&[u8]>,
        options: Option<&[u8]>,
    ) -> Result<Self, SimulateError> {
        let mut start = load(files, how)?;
        let options = options
            .map_or(Ok(SimulationOptions::default()), |text| SimulationOptions::read(text, OPTIONS))?;
        let arrivals = match arrivals {
            Some(text) => Arrivals::read(text, ARRIVALS, files, how, &mut start)?,
            None => Arrivals::default(),
        };
        Ok(Self { start, arrivals, options, ranking: None, scaling: None })
    }
}

impl SimulationInput {
    /// The same with arrivals from elsewhere: a file in the format of `arrivals.json`, or accounting logs and traces.
    ///
    /// # Errors
    /// As [`SimulationInput::read`]; also, a log cannot be read.
    pub fn with_other_arrivals(
        begin: &SimulationFiles,
        options: &LoadOptions,
        from: &[PathBuf],
        past: &HistoryOptions,
    ) -> Result<Self, SimulateError> {
        let files = &begin.files;
        let mut input = Self::of_files(files, options, None, begin.options.as_deref())?;
        let start = &mut input.start;
        if let [file] = from
            && file.extension().is_some_and(|extension| extension == "json")
        {
            let text = read_file(file)?.unwrap_or_default();
            input.arrivals = Arrivals::read(&text, &file.display().to_string(), files, options, start)?;
            return Ok(input);
        }
        let history = ArrivalHistory::read(from, past, start)?;
        let summary = history.summary();
        input.arrivals = Arrivals::of_rows(history.rows, files, options, start)?;
        input.arrivals.notes.splice(0..0, summary);
        Ok(input)
    }

    /// Returns a cluster with its own arrivals, and past jobs from logs: those that ended before the time of the
    /// cluster. Later jobs of the logs are added to the arrivals, unless the cluster already has them.
    ///
    /// # Errors
    /// As [`SimulationInput::read`]; also, a log cannot be read.
    pub fn with_past(
        begin: &SimulationFiles,
        how: &LoadOptions,
        from: &[PathBuf],
        past: &HistoryOptions,
    ) -> Result<(Self, Vec<Arrival>), SimulateError> {
        let mut input = Self::read(begin, how)?;
        if from.is_empty() {
            return Ok((input, Vec::new()));
        }
        let files = &begin.files;
        let options = HistoryOptions { keeps_ended: true, ..past.clone() };
        let start = &mut input.start;
        let history = ArrivalHistory::read(from, &options, start)?;
        let mut notes = history.summary();
        let over = ArrivalsFile { jobs: history.ended_jobs, ..ArrivalsFile::default() };
        let over = Arrivals::of_rows(over, files, how, start)?;
        let later = Arrivals::of_rows(history.rows, files, how, start)?;
        notes.extend(over.notes.into_iter().chain(later.notes));
        input.arrivals.start.extend(later.start);
        input.arrivals.jobs.extend(later.jobs);
        input.arrivals.notes.splice(0..0, notes);
        Ok((input, over.jobs))
    }

    /// Checks that the results of all subjobs fit into the memory that is left, in so many simulations at once.
    ///
    /// # Errors
    /// They do not.
    pub fn check_memory(&self, at_once: usize) -> Result<(), SimulateError> {
        let arriving = self.arrivals.jobs.iter().filter_map(|arrival| arrival.job.as_deref());
        let arrays = self.start.jobs.iter().chain(arriving).filter_map(|job| job.array.as_deref());
        let subjobs: u64 = arrays.map(|array| array.remaining.len() as u64).sum();
        let need = subjobs.saturating_mul(SUBJOB).saturating_mul(at_once as u64);
        let what = match at_once {
            1 => count(subjobs, "subjob"),
            _ => format!("{}, simulated {at_once} times at once,", count(subjobs, "subjob")),
        };
        Ok(check_memory(need, &what)?)
    }

    /// Returns the same cluster without jobs at the beginning of a past, whose jobs all arrive.
    #[must_use]
    pub fn at_beginning_of(&self, past: &[Arrival]) -> Self {
        let mut start = self.start.clone();
        let first = past.iter().map(|one| one.at).min();
        start.now = first.unwrap_or(start.now);
        start.jobs = SharedColumn::new();
        start.reservations = Column::new();
        start.usage.clear();
        start
            .nodes
            .change_where(|_, node| !node.reservations.is_empty(), |_, node| node.reservations.clear());
        start.allocation.jobs.clear();
        let arrivals = Arrivals { jobs: past.to_vec(), ..Arrivals::default() };
        let (ranking, scaling) = (self.ranking.clone(), self.scaling.clone());
        Self { start, arrivals, options: self.options, ranking, scaling }
    }
}

/// Reads a file; `None` if it does not exist.
///
/// # Errors
/// The file exists but cannot be read.
pub(crate) fn read_file(path: &Path) -> Result<Option<Vec<u8>>, SimulateError> {
    match input::read(path, ReadLimits::default().of_file()) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.io_kind() == ErrorKind::NotFound => Ok(None),
        Err(cause) => Err(SimulateError::File { file: path.display().to_string(), cause }),
    }
}
