//! Gathers files from their sources: a folder, single files, a pipe, an archive.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::encoding;
use super::entry::{InputEntry, name_of_compressed};
use super::folder::opened_entry;
use super::kind::IntakeKind;
use super::pool::FilePool;
use super::slot::{names_dump, names_script};
use crate::bounds::ReadLimits;
use crate::error::SourceError;
use crate::files::Files;
use qscope_engine::cluster::{Diagnostic, FilePosition, Severity, first_names};

/// The argument that denotes the pipe.
const PIPE: &str = "-";

/// Gathers the files named on a command line: one folder or archive, or files of any name, `-` for the pipe.
///
/// # Errors
/// If something cannot be opened, a limit is exceeded, or several clusters are found.
pub fn gather(paths: &[PathBuf], pipe: &mut dyn Read, limits: ReadLimits) -> Result<Files, SourceError> {
    if let [folder] = paths
        && folder.is_dir()
    {
        return Files::from_folder_within(folder, limits);
    }
    let mut pool = FilePool::new(limits);
    let mut whole = Vec::new();
    for path in paths {
        let before = pool.entries.len();
        if path.as_os_str() == PIPE {
            pool.pipe(pipe)?;
        } else if path.is_dir() {
            pool.folder(path)?;
        } else {
            pool.file(path)?;
        }
        whole.extend(pool.complete_cluster_from(before, path.display().to_string()));
    }
    pool.one_cluster(&whole)?;
    Ok(pool.files())
}

/// Adds files of a folder that do not have the loader's names, and arranges for files with unexpected content to be
/// read by their content. If nodes and jobs exist, only further dumps are searched.
pub(crate) fn complete(files: &mut Files, folder: &Path) -> Result<(), SourceError> {
    files.change_bytes(encoding::native);
    let has_stem = |stem: &str| files.names().any(|name| name.starts_with(stem));
    if has_stem("nodes.toml") && !has_stem("nodes.json") && !has_stem("nodes.txt") {
        return Ok(());
    }
    let is_whole = has_stem("nodes.") && has_stem("jobs");
    let mut pool = FilePool::new(files.bounds());
    let own: Vec<String> = files.names().map(str::to_owned).collect();
    pool.odd_slots(files);
    if is_whole {
        add_dumps_beside(&mut pool, folder, &own);
    } else {
        // Files taken out of their slots are already in the pool.
        let odd = std::mem::take(&mut pool.entries);
        pool.listed(files.title(), folder)?;
        pool.entries.retain(|entry| !own.contains(&entry.display_name));
        pool.entries.splice(0..0, odd);
    }
    pool.write_into(files);
    if !files.holds_cluster() {
        files.gathered_mut().reported.splice(0..0, dumps_below(folder));
    }
    Ok(())
}

/// Adds dumps of a folder that do not have the loader's names, next to nodes and jobs that do: of queues or the
/// server under a different name or compressed, or a second dump of an existing kind.
fn add_dumps_beside(pool: &mut FilePool, folder: &Path, own: &[String]) {
    let beside = accompanying_files(folder, &|name| own.iter().any(|own| own == name));
    pool.report_unexamined(beside.not_examined, beside.is_stopped);
    for (name, entry) in beside.files {
        match entry {
            Ok(entry) if is_dump_or_script(&entry) => pool.entries.push(entry),
            Ok(entry) => pool.unpack_beside(&entry),
            Err(why) => pool.report_unreadable(&name, &why),
        }
    }
}

/// Files to be read in addition to nodes and jobs under the loader's names.
#[derive(Default)]
pub(crate) struct AccompanyingFiles {
    /// Names and entries, ordered by name; an error is the reason why a file cannot be read.
    pub(crate) files: Vec<(String, Result<InputEntry, String>)>,
    /// Number of files not opened.
    pub(crate) not_examined: usize,
    /// Whether the folder has more entries than are examined.
    pub(crate) is_stopped: bool,
}

/// Returns the files to be read in addition to nodes and jobs under the loader's names, ordered by name; also those
/// that cannot be opened, or are named as compressed dumps but are not. A compressed dump counts if the plain one
/// does not exist.
pub(crate) fn accompanying_files(folder: &Path, is_own: &dyn Fn(&str) -> bool) -> AccompanyingFiles {
    let Ok(mut entries) = std::fs::read_dir(folder) else { return AccompanyingFiles::default() };
    let listed: Vec<_> = entries.by_ref().take(LISTED_BESIDE).flatten().collect();
    let is_stopped = entries.next().is_some();
    let named = listed.into_iter().filter_map(|entry| entry.file_name().into_string().ok());
    let is_input = |name: &str| names_dump(name) || names_script(name) || name_of_compressed(name).is_some();
    let is_wanted = |name: &String| !name.starts_with('.') && !is_own(name) && is_input(name);
    let mut names: Vec<String> = named.filter(is_wanted).filter(|name| !folder.join(name).is_dir()).collect();
    names.sort_unstable();
    let not_examined = names.len().saturating_sub(OPENED_BESIDE);
    names.truncate(OPENED_BESIDE);
    let counts = |entry: &InputEntry| match entry.kind {
        IntakeKind::Dump { .. } | IntakeKind::Script => true,
        _ => entry.compressed_dump().is_some_and(|plain| !is_own(plain)),
    };
    let opened = names.into_iter().map(|name| {
        let entry =
            opened_entry(&name, &folder.join(&name)).and_then(|entry| match entry.unlike_its_name() {
                Some(why) => Err(why.to_owned()),
                None => Ok(entry),
            });
        (name, entry)
    });
    let files = opened.filter(|(_, entry)| entry.as_ref().map_or(true, counts)).collect();
    AccompanyingFiles { files, not_examined, is_stopped }
}

fn is_dump_or_script(entry: &InputEntry) -> bool {
    matches!(entry.kind, IntakeKind::Dump { .. } | IntakeKind::Script)
}

/// Maximum number of entries of a folder whose names are examined for dumps beside nodes and jobs.
const LISTED_BESIDE: usize = 20_000;
/// Maximum number of files opened beside nodes and jobs.
const OPENED_BESIDE: usize = 200;
/// Maximum number of entries of a folder examined for folders with dumps; `NAMED` is that of folders named in a message.
const LOOKED_AT: usize = 200;
const NAMED: usize = 5;

/// Returns a note that subfolders contain dumps, for a folder without any.
fn dumps_below(folder: &Path) -> Option<Diagnostic> {
    let forms = ["nodes.json", "nodes.txt", "nodes.toml", "jobs.json", "jobs-t.json", "jobs.txt"];
    let holds = |path: &&PathBuf| forms.iter().any(|name| path.join(name).is_file());
    let holding = |folders: &[PathBuf]| -> Vec<String> {
        folders.iter().filter(holds).map(|path| path.display().to_string()).collect()
    };
    let below = folders_in(folder);
    let (mut all, mut depth) = (holding(&below), "one folder");
    if all.is_empty() {
        let further: Vec<PathBuf> =
            below.iter().flat_map(|folder| folders_in(folder)).take(LOOKED_AT).collect();
        (all, depth) = (holding(&further), "two folders");
    }
    let message =
        format!("dumps lie {depth} below, to be opened each by itself: {}", first_names(&all, NAMED));
    let note = Diagnostic::new(Severity::Note, "dumps-below", "", FilePosition::File, message);
    (!all.is_empty()).then_some(note)
}

/// Returns the folders in a folder, ordered by name; links are not followed.
fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().take(LOOKED_AT).flatten();
    let is_folder = |entry: &std::fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let mut folders: Vec<PathBuf> = entries.filter(is_folder).map(|entry| entry.path()).collect();
    folders.sort_unstable();
    folders
}

#[cfg(test)]
mod tests {
    use crate::{Files, LoadOptions, load};

    /// Returns the names of queues, and what is reported about files left out, of a folder with this many other files.
    fn read(others: std::ops::Range<usize>, name: &str) -> (Vec<String>, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        others.for_each(|number| put(&format!("{number}{name}"), ""));
        put("nodes.json", r#"{"timestamp":100,"nodes":{"n1":{"Mom":"n1","state":"free"}}}"#);
        put("jobs.json", r#"{"timestamp":100,"Jobs":{}}"#);
        put("a-site.qmgr", "create queue q\nset queue q queue_type = Execution\n");
        let snapshot = load(&Files::from_folder(folder.path()).unwrap(), &LoadOptions::default()).unwrap();
        let queues = snapshot.queues.iter().map(|queue| queue.name.to_string()).collect();
        (queues, snapshot.reported("files-left").map(ToString::to_string).collect())
    }

    #[test]
    fn a_script_counts_however_many_files_stand_beside_it() {
        assert_eq!(read(0..1000, "notes.md"), (vec!["q".to_owned()], vec![]));
    }

    #[test]
    fn files_named_as_dumps_that_are_not_opened_are_counted() {
        let (_, left) = read(0..300, "-qstat.out");
        assert_eq!(left, ["101 more files were not looked at; name those to read"]);
    }

    #[test]
    fn a_folder_with_too_many_entries_is_named() {
        let (_, left) = read(0..super::LISTED_BESIDE, ".x");
        assert_eq!(left.len(), 1);
        assert!(left[0].starts_with("not all files"), "{left:?}");
    }
}
