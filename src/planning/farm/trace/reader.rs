//! Reads files into a history, line by line.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::accounting::AccountingRecord;
use super::kind::{TraceKind, file_error, first_moment, is_log, kind_of, row_words};
use super::logs::AccountingReader;
use super::swf::{self, SwfJob, SwfLine};
use super::{TraceHistory, TraceRow, lsf};
use crate::farm::criterion::{Criterion, JobProperties};
use crate::farm::{FarmError, LATEST};
use qscope_source::file_lines::{FileLine, FileLines, rest_unread};

/// Number of lines between two reports of progress.
const BREATH: u64 = 20_000;

/// Receives the number of bytes read and the total, and returns whether to continue.
pub type ByteProgress<'a> = &'a mut dyn FnMut(u64, u64) -> bool;

/// Reads files of one kind, or folders of rotated accounting logs, into one history.
///
/// # Errors
/// A file cannot be opened; [`FarmError::Stopped`] when the caller ends it. Broken lines are counted in the
/// history's notes.
pub fn read_history(
    paths: &[PathBuf],
    criterion: &Criterion,
    keep_ids: bool,
    progress: ByteProgress<'_>,
) -> Result<TraceHistory, FarmError> {
    let files = all_files(paths)?;
    let size = |file: &PathBuf| std::fs::metadata(file).map_or(0, |about| about.len());
    let total = files.iter().map(size).sum();
    let read = Arc::new(AtomicU64::new(0));
    let mut history = TraceHistory::default();
    let mut taking = TraceParser {
        log: AccountingReader::new(criterion, keep_ids),
        criterion,
        keep_ids,
        labels: SwfLabels::default(),
        whole: None,
    };
    for file in &files {
        let kind = kind_of(file);
        let kind = match kind {
            Ok(kind) => kind,
            Err(FarmError::File { .. }) if files.len() > 1 => continue,
            Err(error) => return Err(error),
        };
        let mut lines =
            FileLines::open(file, read.clone()).map_err(|error| file_error(file, &error.into()))?;
        let name = file.display().to_string();
        loop {
            let at = lines.number + 1;
            let line = match lines.next_line() {
                Ok(Some(line)) => line,
                Ok(None) => break,
                Err(error) => {
                    history.notes.broken(&name, at, &rest_unread(&error));
                    break;
                }
            };
            let taken = match line {
                FileLine::Text(text) => taking.line(kind, &text, &mut history),
                FileLine::TooLong => Err("is longer than 16 MB".to_owned()),
            };
            if let Err(what) = taken {
                history.notes.broken(&name, at, &what);
            }
            if at.is_multiple_of(BREATH) && !progress(read.load(Ordering::Relaxed), total) {
                return Err(FarmError::Stopped);
            }
        }
    }
    taking.log.finish(&mut history);
    progress(total, total);
    Ok(history)
}

/// Returns the files, for a folder its accounting logs; several files are sorted by the time of their first
/// record.
fn all_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, FarmError> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let entries = std::fs::read_dir(path).map_err(|error| file_error(path, &error))?;
        let mut logs: Vec<PathBuf> =
            entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| is_log(path)).collect();
        logs.sort();
        if logs.is_empty() {
            let what = "holds no accounting logs, which are named by date, as 20260302 or 20260302.gz";
            return Err(FarmError::File { file: path.display().to_string(), what: what.to_owned() });
        }
        files.extend(logs);
    }
    if files.len() > 1 {
        files.sort_by_cached_key(|file| first_moment(file));
    }
    Ok(files)
}

/// Names that an SWF header gives to numbers, and the size of the machine.
#[derive(Default)]
struct SwfLabels {
    named: std::collections::BTreeMap<(String, i64), String>,
    nodes: Option<u32>,
    processors: Option<u32>,
}

struct TraceParser<'a> {
    log: AccountingReader<'a>,
    criterion: &'a Criterion,
    keep_ids: bool,
    labels: SwfLabels,
    /// The last job of a trace that had a line for the whole job.
    whole: Option<i64>,
}

impl TraceParser<'_> {
    fn line(&mut self, kind: TraceKind, text: &str, history: &mut TraceHistory) -> Result<(), String> {
        if text.trim().is_empty() {
            return Ok(());
        }
        match kind {
            TraceKind::Accounting => {
                history.notes.records += 1;
                let record = AccountingRecord::parse(text).map_err(|error| error.to_string())?;
                self.log.take(&record, text, history)
            }
            TraceKind::Swf => match swf::parse(text).map_err(|error| error.to_string())? {
                SwfLine::Job(job) => {
                    history.notes.records += 1;
                    self.job(&job, history)
                }
                SwfLine::Header(label, value) => {
                    self.header(label, value, history);
                    Ok(())
                }
                _ => Ok(()),
            },
            TraceKind::Rows => self.row(text, history),
            TraceKind::Lsf => lsf::rows::take(text, self.criterion, self.keep_ids, history),
            TraceKind::Scenario | TraceKind::Settings | TraceKind::LsfTables => {
                Err("is not of the kind of the file before".to_owned())
            }
        }
    }

    fn header(&mut self, label: &str, value: &str, history: &mut TraceHistory) {
        let digits = value.trim_start().split(|c: char| !c.is_ascii_digit()).next();
        let first = digits.and_then(|word| word.parse::<u32>().ok());
        match label {
            _ if label.eq_ignore_ascii_case("MaxNodes") => self.labels.nodes = first,
            _ if label.eq_ignore_ascii_case("MaxProcs") => self.labels.processors = first,
            "Queue" | "Partition" | "Group" | "User" => {
                if let Some((number, name)) = value.split_once(char::is_whitespace)
                    && let Ok(number) = number.parse()
                    && let Some(name) = name.split_whitespace().next()
                {
                    self.labels.named.insert((label.to_lowercase(), number), name.to_owned());
                }
            }
            _ => {}
        }
        let SwfLabels { nodes, processors, .. } = self.labels;
        if let Some(nodes) = nodes.filter(|nodes| *nodes > 0) {
            history.stated = Some((nodes, processors.unwrap_or(nodes).max(nodes)));
        }
    }

    fn job(&mut self, job: &SwfJob<'_>, history: &mut TraceHistory) -> Result<(), String> {
        // The line of a whole job comes before the lines of its parts (status 2 to 4).
        if matches!(job.status, 2..=4) && self.whole == Some(job.job) {
            history.notes.parts += 1;
            return Ok(());
        }
        self.whole = (!matches!(job.status, 2..=4)).then_some(job.job);
        let Some(run) = job.run.filter(|_| job.slots > 0) else {
            history.notes.unplaced += 1;
            return Ok(());
        };
        history.notes.without_arrival += u64::from(job.start.is_none());
        let named = LabelledSwfJob { job, labels: &self.labels };
        let class = history.classes.number(&self.criterion.class_of(&named));
        let submit = second(job.submit)?;
        let start = job.start.map_or(Ok(submit), second)?;
        let past = TraceRow {
            submit,
            start,
            run: u32::try_from(second(run)?).map_err(|_| "runs for longer than 136 years")?,
            class,
            slots: crate::farm::slots_of(job.slots, "processors")?,
            node: u32::MAX,
            job: 0,
        };
        let id = self.keep_ids.then(|| job.job.to_string());
        history.add_job([past], id.as_deref());
        Ok(())
    }

    fn row(&self, text: &str, history: &mut TraceHistory) -> Result<(), String> {
        let words = row_words(text);
        let [start, end, class, ..] = words.as_slice() else {
            return Err("expected start, end and class".to_owned());
        };
        let (Ok(start), Ok(end)) = (start.parse::<f64>(), end.parse::<f64>()) else {
            let title =
                text.starts_with('#') || start.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
            return if title { Ok(()) } else { Err(format!("`{start}` and `{end}` are not both numbers")) };
        };
        history.notes.records += 1;
        let (start, end) = (second(start)?, second(end)?);
        let run = end.checked_sub(start).filter(|run| *run >= 0).ok_or("ends before it starts")?;
        let run = u32::try_from(run).map_err(|_| "runs for longer than 136 years")?;
        history.notes.without_arrival += 1;
        let class = history.classes.number(class);
        let id = self.keep_ids.then(|| (history.rows.len() + 1).to_string());
        let past = TraceRow { submit: start, start, run, class, slots: 1, node: u32::MAX, job: 0 };
        history.add_job([past], id.as_deref());
        Ok(())
    }
}

/// Rounds down to a whole second.
fn second(number: f64) -> Result<i64, String> {
    let whole = number.floor();
    if whole.abs() <= LATEST as f64 { Ok(whole as i64) } else { Err(format!("{number} is no time")) }
}

/// A job together with the names in its trace.
struct LabelledSwfJob<'a> {
    job: &'a SwfJob<'a>,
    labels: &'a SwfLabels,
}

impl JobProperties for LabelledSwfJob<'_> {
    fn attribute(&self, criterion: &Criterion) -> Option<String> {
        let (label, letter, number) = match criterion {
            Criterion::Queue => ("queue", 'q', self.job.queue),
            Criterion::Group | Criterion::Project => ("group", 'g', self.job.group),
            Criterion::User => ("user", 'u', self.job.user),
            Criterion::Partition => ("partition", 'p', self.job.partition),
            _ => return None,
        };
        let named = self.labels.named.get(&(label.to_owned(), number)).cloned();
        Some(named.unwrap_or_else(|| format!("{letter}{number}")))
    }

    fn name(&self) -> Option<String> {
        Some(self.job.executable.to_string())
    }
}
