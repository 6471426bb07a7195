//! Recognises the kind of a file by its first lines.

use std::io;
use std::path::Path;
use std::sync::Arc;

use super::accounting::AccountingRecord;
use crate::farm::FarmError;
use qscope_source::file_lines::{FileLine, FileLines};

/// Number of lines that are read to recognise a file, so that a broken one at the top does not decide.
const DECISIVE_LINES: u64 = 100;

/// The kind of a file's contents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TraceKind {
    Accounting,
    /// Finished jobs of LSF: `lsb.acct`.
    Lsf,
    /// Tables of LSF: `bhosts -w`, `bjobs`.
    LsfTables,
    /// A trace in the Standard Workload Format.
    Swf,
    /// Rows of start, end and class.
    Rows,
    /// A scenario in JSON.
    Scenario,
    /// Settings of synthetic work, in TOML.
    Settings,
}

/// Recognises the kind of a file by its first lines.
///
/// # Errors
/// The file cannot be read or is of no known kind.
pub fn kind_of(path: &Path) -> Result<TraceKind, FarmError> {
    let fail = |error: io::Error| file_error(path, &error);
    if path.extension().is_some_and(|extension| extension == "toml") {
        return Ok(TraceKind::Settings);
    }
    let mut lines = FileLines::open(path, Arc::default()).map_err(|error| fail(error.into()))?;
    let mut first = None;
    while let Some(line) = lines.next_line().map_err(fail)? {
        if let FileLine::Text(text) = line {
            let text = text.trim();
            if text.is_empty() {
                continue;
            }
            if let Some(kind) = kind_of_line(text) {
                let text = text.to_owned();
                let is_table = kind == TraceKind::Scenario && is_printed(text, &mut lines).map_err(fail)?;
                return Ok(if is_table { TraceKind::LsfTables } else { kind });
            }
        }
        let line = *first.get_or_insert(lines.number);
        if lines.number >= line.saturating_add(DECISIVE_LINES) {
            break;
        }
    }
    if let Some(line) = first {
        let what = "neither an accounting record, nor of LSF, nor SWF, nor `start end class`, nor JSON, nor settings";
        return Err(FarmError::Line { file: path.display().to_string(), line, what: what.to_owned() });
    }
    Err(FarmError::File { file: path.display().to_string(), what: "is empty".to_owned() })
}

/// Returns whether JSON text is the output of `bhosts` or `bjobs`: its first key names the command.
fn is_printed(mut text: String, lines: &mut FileLines) -> io::Result<bool> {
    for _ in 0..2 {
        match lines.next_line()? {
            Some(FileLine::Text(line)) => text.push_str(&line),
            Some(_) => {}
            None => break,
        }
    }
    let packed: String = text.split_whitespace().collect();
    Ok(["bhosts", "bjobs"].iter().any(|name| packed.starts_with(&format!("{{\"COMMAND\":\"{name}\""))))
}

fn kind_of_line(text: &str) -> Option<TraceKind> {
    let first = text.chars().next()?;
    if first == '{' {
        return Some(TraceKind::Scenario);
    }
    if ["\"JOB_", "\"EVENT_"].iter().any(|head| text.starts_with(head)) {
        return Some(TraceKind::Lsf);
    }
    if text.starts_with("HOST_NAME") || text.starts_with("JOBID") {
        return Some(TraceKind::LsfTables);
    }
    if first == ';' {
        return Some(TraceKind::Swf);
    }
    if text.matches(';').count() >= 3 && first.is_ascii_digit() {
        return Some(TraceKind::Accounting);
    }
    let words = row_words(text);
    let numbers = words.iter().take_while(|word| word.parse::<f64>().is_ok()).count();
    if numbers >= 5 {
        return Some(TraceKind::Swf);
    }
    let titles = ["tstart", "start", "t_start", "begin"];
    if (words.len() >= 3 && numbers >= 2) || words.first().is_some_and(|word| titles.contains(word)) {
        return Some(TraceKind::Rows);
    }
    (first == '#' && text.contains("tstart")).then_some(TraceKind::Rows)
}

/// Returns whether a folder holds accounting logs.
pub fn holds_logs(folder: &Path) -> bool {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path())).any(|path| is_log(&path))
}

/// Returns whether a file is named by a date, as accounting logs are, also rotated and compressed:
/// `20260302.1.gz`.
pub(super) fn is_log(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let mut parts = name.strip_suffix(".gz").unwrap_or(name).split('.');
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    path.is_file() && parts.next().is_some_and(|date| date.len() == 8 && digits(date)) && parts.all(digits)
}

/// Returns when the first record of a log was written, in a form that sorts; logs are read in this order,
/// whatever their names.
pub(super) fn first_moment(path: &Path) -> Option<i64> {
    let mut lines = FileLines::open(path, Arc::default()).ok()?;
    while lines.number < DECISIVE_LINES {
        if let FileLine::Text(text) = lines.next_line().ok()??
            && let Some(moment) = AccountingRecord::parse(&text).ok().and_then(|record| record.moment())
        {
            return Some(moment);
        }
    }
    None
}

pub(super) fn file_error(path: &Path, error: &io::Error) -> FarmError {
    FarmError::File { file: path.display().to_string(), what: error.to_string() }
}

/// Splits a row into words at white space, commas or semicolons.
pub(super) fn row_words(text: &str) -> Vec<&str> {
    text.split([' ', '\t', ',', ';']).filter(|word| !word.is_empty()).collect()
}
