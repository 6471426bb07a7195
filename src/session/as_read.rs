//! Reads records, and places of settings, from the files of a snapshot again on request.

mod named;

pub use named::{SettingPlaces, add_settings, settings_named};

use super::generation::Generation;
use super::opening::{OpeningOrigin, read_files};
use qscope_engine::cluster::{Epoch, FileRecord, short_id};
use qscope_source::Files;
pub use qscope_source::as_read::{RawAttribute, RawRecord};
use qscope_source::as_read::{RecordKind, SettingLocation, lines_around, options, record};

/// Reads the record of an object again, from the origin of the snapshot.
///
/// # Errors
/// If the files cannot be read again, were written again since the snapshot, or contain no such record; in words.
pub fn attributes(generation: &Generation, thing: RecordKind, name: &str) -> Result<RawRecord, String> {
    let files = files(generation)?;
    let found = record(&files, thing, name);
    let is_concerned = |file: &&FileRecord| found.as_ref().is_none_or(|found| *found.file == *file.name);
    let made = found.as_ref().and_then(|found| found.created_at);
    let read = generation.snapshot.files.iter().filter(|file| file.is_used());
    if let Some(file) = read.filter(is_concerned).find(|file| is_newer(&files, file, made)) {
        return Err(format!(
            "{} was written again since this snapshot, which keeps no copy of it",
            file.name
        ));
    }
    found.ok_or_else(|| format!("no dump has a record of {}", short_id(name)))
}

/// Whether a file was written again since it was read for a snapshot; `made` is when its current content was made, if
/// it states that.
fn is_newer(files: &Files, read: &FileRecord, made: Option<Epoch>) -> bool {
    let is_later = made.zip(read.timestamp).is_some_and(|(now, then)| now != then);
    let now = files.contents(read.input_name());
    is_later || now.is_some_and(|(_, bytes)| bytes.len() as u64 != read.bytes)
}

/// Returns where settings are made: the options of the scheduler, and the attributes of the server and of the
/// scheduler object. Returns nothing if the files cannot be read again.
pub fn places(generation: &Generation) -> Vec<SettingLocation> {
    files(generation).map_or_else(|_| Vec::new(), |files| places_in(&files, generation))
}

/// The same, for files that are already read.
fn places_in(files: &Files, generation: &Generation) -> Vec<SettingLocation> {
    let mut all = options(files);
    let snap = &generation.snapshot;
    for (thing, name) in
        [(RecordKind::Server, &snap.server.name), (RecordKind::Scheduler, &snap.scheduler.name)]
    {
        let Some(found) = record(files, thing, name) else { continue };
        let section = if thing == RecordKind::Server { "server" } else { "scheduler" };
        all.extend(
            found.places().map(|one| SettingLocation { name: format!("{section}.{}", one.name), ..one }),
        );
    }
    all
}

/// Number of lines shown before and after a setting.
const AROUND: usize = 12;

/// Returns the lines of a file around a given one, with their numbers.
///
/// # Errors
/// If the files cannot be read again, or the line no longer exists; in words.
pub fn excerpt(generation: &Generation, file: &str, line: usize) -> Result<Vec<(usize, String)>, String> {
    let found = lines_around(&files(generation)?, file, line, AROUND);
    if found.is_empty() { Err(format!("{file} has no line {line} any more")) } else { Ok(found) }
}

fn files(generation: &Generation) -> Result<Files, String> {
    match &generation.origin {
        None => Err("this snapshot has no files".to_owned()),
        Some(OpeningOrigin::Files(paths)) if paths.iter().any(|path| path.as_os_str() == "-") => {
            Err("standard input cannot be read again".to_owned())
        }
        Some(origin) => read_files(origin).map_err(|error| error.to_string()),
    }
}
