//! Arrivals from history: accounting logs, and traces in the Standard Workload Format (days rule 1).

mod accounting;
mod health;
mod swf;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use qscope_engine::cluster::{Epoch, Name, Seconds, Snapshot, count};
use qscope_source::file_lines::{FileLine, FileLines};
use qscope_system::input::{self, InputError};

use super::{ArrivalRow, ArrivalsFile};
use crate::SimulateError;
use health::HistoryProblems;

/// How history is converted to arrivals of a cluster.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct HistoryOptions {
    /// Cores per node, for requests of a number of processors; by default the most frequent of the cluster's nodes.
    pub cores_per_node: Option<u32>,
    /// Queue for each queue number of a trace; other jobs go to the default queue.
    pub queues: BTreeMap<String, String>,
    /// Meaning of the memory field of a trace.
    pub memory: TraceMemory,
    /// Whether jobs that ended before the start are kept, to draw from.
    pub keeps_ended: bool,
}

/// Meaning of field 10 of a trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum TraceMemory {
    /// Kilobytes per processor, as the format defines it.
    #[default]
    KbPerProcessor,
    /// Bytes per node, as some traces have it.
    BytesPerNode,
    /// Not a request; ignored.
    Ignored,
}

/// Arrivals from history, and statistics of reading it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ArrivalHistory {
    pub rows: ArrivalsFile,
    /// Jobs that ended before the start, if they are kept.
    pub ended_jobs: Vec<ArrivalRow>,
    /// Number of lines read.
    pub lines: u64,
    /// Number of records left out, by cause.
    pub dropped: BTreeMap<&'static str, u64>,
    /// Other messages.
    pub notes: Vec<String>,
    pub files: Vec<PathBuf>,
    health: HistoryProblems,
}

/// Properties of the cluster that affect how a record becomes a job.
#[derive(Clone, Debug)]
struct HistoryContext<'a> {
    from: Epoch,
    server: Name,
    cores: u32,
    snapshot: &'a Snapshot,
    options: &'a HistoryOptions,
}

impl ArrivalHistory {
    /// Reads traces (`.swf`), accounting logs, compressed ones of both, and folders of them.
    ///
    /// # Errors
    /// A file cannot be read, or no line is a record or a job.
    pub fn read(
        paths: &[PathBuf],
        options: &HistoryOptions,
        snapshot: &Snapshot,
    ) -> Result<Self, SimulateError> {
        let place = HistoryContext::of(snapshot, options);
        let mut files = Vec::new();
        for path in paths {
            files.extend(input::listed(path).map_err(|cause| not_read(path, cause.into()))?);
        }
        let mut history = Self { files: files.clone(), ..Self::default() };
        history.rows.format = ArrivalsFile::FORMAT.to_owned();
        let zone = snapshot.time_zone();
        let mut log = accounting::AccountingLog::default();
        for path in &files {
            history.health.next_file();
            let mut trace = is_trace(path).then(swf::SwfTrace::default);
            let damage = FileLines::for_each_line(path, &mut |line| {
                let text = match line {
                    FileLine::Text(text) => text,
                    FileLine::TooLong => "",
                };
                match &mut trace {
                    Some(trace) => trace.line(text, &place, &mut history),
                    None => log.line(text, &zone, &mut history),
                }
            });
            let damage = damage.map_err(|cause| not_read(path, cause))?;
            history.notes.extend(damage.map(|damage| format!("{}: {damage}", path.display())));
            if let Some(trace) = trace {
                trace.finish(&place, &mut history);
            }
        }
        log.finish(&place, &mut history);
        if !history.has_records() {
            return Err(SimulateError::NoRecords(history.names()));
        }
        let larger = health::larger_than_cluster(&history.rows.jobs, snapshot);
        if larger > 0 {
            history.notes.push(format!(
                "{}: more cores requested than all vnodes that are up have, never started",
                count(larger, "job")
            ));
        }
        let withdrawn = history.rows.jobs.iter().filter(|row| row.cancel.is_some()).count();
        if withdrawn > 0 {
            history.notes.push(format!(
                "{} deleted or moved before a start: withdrawn then, but run for the walltime if they start earlier here",
                count(withdrawn, "job")
            ));
        }
        history.rows.jobs.sort_by_key(|row| row.at);
        history.ended_jobs.sort_by_key(|row| row.at);
        Ok(history)
    }

    /// Returns a summary, in lines.
    pub fn summary(&self) -> Vec<String> {
        let (jobs, lines) = (self.rows.jobs.len(), self.lines);
        let mut all =
            vec![format!("{} from {} of {}", count(jobs, "arrival"), count(lines, "line"), self.names())];
        if !self.ended_jobs.is_empty() {
            all.push(format!("{} over before the start, to draw from", count(self.ended_jobs.len(), "job")));
        }
        all.extend(
            self.dropped
                .iter()
                .map(|(cause, count)| format!("left out: {count} {}", of_count(*count, cause))),
        );
        all.extend(self.health.sentences());
        all.extend(self.notes.iter().cloned());
        all
    }

    /// Returns the names of the files.
    fn names(&self) -> String {
        self.files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ")
    }

    /// Whether a line was a record of a log, or a job of a trace.
    fn has_records(&self) -> bool {
        let strange = [NO_RECORD, NO_NUMBER].iter().filter_map(|cause| self.dropped.get(cause));
        self.lines > strange.sum::<u64>()
    }

    /// Adds a job that ended before the start.
    fn pass(&mut self, row: ArrivalRow, context: &HistoryContext<'_>) {
        if context.options.keeps_ended {
            self.ended_jobs.push(row);
        } else {
            self.drop_one(OVER);
        }
    }

    fn drop_one(&mut self, cause: &'static str) {
        *self.dropped.entry(cause).or_default() += 1;
    }
}

/// Words a cause for a count; causes are written in the plural.
fn of_count(count: u64, cause: &str) -> String {
    if count != 1 {
        return cause.to_owned();
    }
    let one = |word: &str| match word {
        "jobs" => "job",
        "arrays" => "array",
        "subjobs" => "subjob",
        "lines" => "line",
        "records" => "record",
        "are" => "is",
        "were" => "was",
        _ => "",
    };
    // Later words of the cause may refer to something else, so only the first ones change.
    let words = cause.split(' ').enumerate();
    let singular = words.map(|(at, word)| match one(word) {
        "" => word,
        one if at == 0 || matches!(word, "are" | "were") || (at == 4 && word == "records") => one,
        _ => word,
    });
    singular.collect::<Vec<_>>().join(" ")
}

/// Why a line of a log is left out.
const NO_RECORD: &str = "lines that are no records";

/// Why a line of a trace is left out.
const NO_NUMBER: &str = "lines without a job number";

/// Why a job that ended before the start does not arrive.
const OVER: &str = "jobs that were over before the start";

impl<'a> HistoryContext<'a> {
    fn of(snapshot: &'a Snapshot, options: &'a HistoryOptions) -> Self {
        let cores = options.cores_per_node.unwrap_or_else(|| usual_cores(snapshot)).max(1);
        Self { from: snapshot.now, server: snapshot.server.name.clone(), cores, snapshot, options }
    }

    /// Returns the full id of a job of which only the number is known.
    fn id(&self, number: &str) -> String {
        let server = if self.server.is_empty() { "server" } else { &self.server };
        if number.contains('.') { number.to_owned() } else { format!("{number}.{server}") }
    }
}

/// Returns the most frequent number of cores per node; of equally frequent ones the largest.
fn usual_cores(snapshot: &Snapshot) -> u32 {
    let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
    for node in &snapshot.nodes {
        // Clamped to the range of the type.
        let cores = node.available.cpus().clamp(0.0, 1e6) as u32;
        *counts.entry(cores).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(cores, count)| (*count, *cores)).map_or(1, |(cores, _)| cores)
}

fn not_read(path: &Path, cause: InputError) -> SimulateError {
    SimulateError::File { file: path.display().to_string(), cause }
}

/// Whether a file is a trace in the Standard Workload Format, judged by its name.
pub fn is_trace(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    name.ends_with(".swf") || name.ends_with(".swf.gz")
}

/// Formats seconds as dumps write durations.
fn duration(seconds: i64) -> String {
    Seconds(seconds).to_string()
}
