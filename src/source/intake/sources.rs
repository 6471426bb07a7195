//! Where files come from: a folder, single files, a pipe, an archive.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::pool::FilePool;
use crate::bounds::Bounds;
use crate::error::SourceError;
use crate::files::Files;
use qscope_engine::cluster::{Diagnostic, Severity, Spot, some};

/// What stands for the pipe on a command line.
const PIPE: &str = "-";

/// Files from what a command line names: one folder or archive, or files of any names, `-` for the pipe.
///
/// # Errors
/// Something cannot be opened, a limit was met, or several clusters lie side by side.
pub fn gather(paths: &[PathBuf], pipe: &mut dyn Read, bounds: Bounds) -> Result<Files, SourceError> {
    if let [folder] = paths
        && folder.is_dir()
    {
        return Files::from_folder_within(folder, bounds);
    }
    let mut pool = FilePool::new(bounds);
    for path in paths {
        if path.as_os_str() == PIPE {
            pool.pipe(pipe)?;
        } else if path.is_dir() {
            pool.folder(path)?;
        } else {
            pool.file(path)?;
        }
    }
    Ok(pool.files())
}

/// Adds what a folder holds under other names than the loader's, where nodes or jobs are missing, and has files that
/// hold something else than their names state read as what they are.
pub(crate) fn complete(files: &mut Files, folder: &Path) -> Result<(), SourceError> {
    let has_stem = |stem: &str| files.names().any(|name| name.starts_with(stem));
    if has_stem("nodes.toml") && !has_stem("nodes.json") && !has_stem("nodes.txt") {
        return Ok(());
    }
    let is_whole = has_stem("nodes.") && has_stem("jobs");
    let mut pool = FilePool::new(files.bounds());
    pool.odd_slots(files);
    if !is_whole {
        pool.listed(files.title(), folder)?;
        let own: Vec<String> = files.names().map(str::to_owned).collect();
        pool.entries.retain(|entry| !own.contains(&entry.shown));
    }
    pool.into(files);
    if !files.holds_cluster() {
        files.gathered_mut().reported.splice(0..0, dumps_below(folder));
    }
    Ok(())
}

/// So many entries of a folder are looked at for dumps below it, and so many folders are named.
const LOOKED_AT: usize = 200;
const NAMED: usize = 5;

/// That folders within this one hold dumps, where it holds none itself.
fn dumps_below(folder: &Path) -> Option<Diagnostic> {
    let forms = ["nodes.json", "nodes.txt", "nodes.toml", "jobs.json", "jobs-t.json", "jobs.txt"];
    let holds = |path: &Path| forms.iter().any(|name| path.join(name).is_file());
    let entries = std::fs::read_dir(folder).ok()?.take(LOOKED_AT).flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| holds(&entry.path()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    names.sort_unstable();
    let all: Vec<String> = names.iter().map(|name| format!("{}/{name}", folder.display())).collect();
    let message = format!("dumps lie one folder below, to be opened each by itself: {}", some(&all, NAMED));
    let note = Diagnostic::new(Severity::Note, "dumps-below", "", Spot::File, message);
    (!all.is_empty()).then_some(note)
}
