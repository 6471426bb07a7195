//! Lists the files of a folder that do not have the loader's names.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::entry::InputEntry;
use super::kind::HEAD;
use crate::archive::{DiagnosticTree, is_never_read};
use crate::files::epoch_of;
use qscope_system::input;

/// Maximum depth of folders: three above a tree's root, and one below it.
const DEEPEST: usize = 4;
/// Maximum number of files listed.
const MOST: usize = 20_000;
/// Subfolders whose files belong to the folder. Any other may be another cluster.
const BELOW: [&str; 5] = ["sched_logs", "server_logs", "accounting", "sched_priv", "server_priv"];
/// Maximum number of files whose beginning is read.
const MAX_OPENED: usize = 500;

/// Content of a folder.
#[derive(Default)]
pub(crate) struct FolderListing {
    /// Files that may be inputs.
    pub(crate) entries: Vec<InputEntry>,
    /// The tree that they make up.
    pub(crate) tree: Option<DiagnosticTree>,
    /// Paths that cannot be read, with the reason.
    pub(crate) unreadable: Vec<(String, String)>,
    /// Archives of further hosts.
    pub(crate) host_archives: Vec<String>,
    /// Number of files not examined.
    pub(crate) not_examined: usize,
    /// Whether there are more files below the folder than are listed.
    pub(crate) is_stopped: bool,
}

/// Lists a folder. Links to folders are not followed.
///
/// # Errors
/// If several trees are equally deep: their paths.
pub(crate) fn listing(folder: &Path) -> Result<FolderListing, Vec<String>> {
    let FilesBelow { paths, is_stopped } = FilesBelow::of(folder);
    let names: Vec<&str> = paths.iter().map(|(name, _)| name.as_str()).collect();
    let tree = DiagnosticTree::of(&names)?;
    let mut listing = FolderListing { tree, is_stopped, ..FolderListing::default() };
    let mut opened = 0;
    for (name, path) in &paths {
        let is_wanted = match &listing.tree {
            Some(tree) => {
                if tree.is_of_further_host(name) {
                    listing.host_archives.push(name.clone());
                }
                !tree.places(name).is_empty()
            }
            None => is_near(name) && !is_never_read(name),
        };
        if !is_wanted {
            continue;
        }
        opened += 1;
        if opened > MAX_OPENED {
            listing.not_examined += 1;
            continue;
        }
        match opened_entry(name, path) {
            Ok(entry) => listing.entries.push(entry),
            Err(why) => listing.unreadable.push((name.clone(), why)),
        }
    }
    Ok(listing)
}

/// Whether a file is in the folder itself, or in one of the batch system's own subfolders.
fn is_near(name: &str) -> bool {
    let folders = name.rsplit_once('/').map_or("", |(folders, _)| folders);
    folders.is_empty() || folders.split('/').all(|folder| BELOW.contains(&folder))
}

/// Reads the beginning of a file.
pub(crate) fn opened_entry(name: &str, path: &Path) -> Result<InputEntry, String> {
    let file = input::open(path).map_err(|why| why.to_string())?;
    let modified = file.metadata().ok().and_then(|facts| facts.modified().ok()).and_then(epoch_of);
    let mut head = Vec::new();
    file.take(HEAD as u64).read_to_end(&mut head).map_err(|why| why.to_string())?;
    Ok(InputEntry::at(name, head, path.to_owned(), modified))
}

/// Files below a folder, those of the folder itself first, then folder by folder and level by level: a large folder beside
/// the inputs does not displace them.
#[derive(Default)]
struct FilesBelow {
    /// Names relative to the folder, and paths; ordered by name within a folder.
    paths: Vec<(String, PathBuf)>,
    /// Whether there are more.
    is_stopped: bool,
}

impl FilesBelow {
    fn of(folder: &Path) -> Self {
        let mut found = Self::default();
        let mut level = vec![(String::new(), folder.to_owned())];
        for _ in 0..=DEEPEST {
            let mut below = Vec::new();
            for (under, folder) in level {
                found.list(&under, &folder, &mut below);
            }
            level = below;
        }
        found.paths.sort_unstable();
        found
    }

    /// Adds the files of one folder, and its folders to `below`.
    fn list(&mut self, under: &str, folder: &Path, below: &mut Vec<(String, PathBuf)>) {
        let Ok(listed) = fs::read_dir(folder) else { return };
        let mut files = Vec::new();
        for entry in listed.flatten() {
            let (Ok(name), Ok(kind)) = (entry.file_name().into_string(), entry.file_type()) else { continue };
            if name.starts_with('.') {
                continue;
            }
            let shown = format!("{under}{name}");
            match kind.is_dir() {
                true if below.len() < MOST => below.push((format!("{shown}/"), entry.path())),
                true => self.is_stopped = true,
                false => files.push((shown, entry.path())),
            }
        }
        files.sort_unstable();
        below.sort_unstable();
        let room = MOST.saturating_sub(self.paths.len());
        self.is_stopped |= files.len() > room;
        self.paths.extend(files.into_iter().take(room));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_other_clusters_stay_apart() {
        for near in ["qstat.txt", "sched_logs/20260302", "server_priv/accounting/20260302"] {
            assert!(is_near(near), "{near}");
        }
        assert!(!is_near("before/nodes.json") && !is_near("old/sched_logs/20260302"));
    }

    #[test]
    fn a_large_folder_does_not_displace_the_files_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let large = folder.path().join("archive");
        fs::create_dir(&large).unwrap();
        for number in 0..=MOST {
            fs::write(large.join(number.to_string()), "").unwrap();
        }
        fs::write(folder.path().join("vnodes"), "n1\n     state = free\n").unwrap();
        let listing = listing(folder.path()).unwrap();
        assert_eq!((listing.entries.len(), listing.is_stopped), (1, true));
    }

    #[test]
    fn nothing_but_regular_files_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let path_of = |name: &str| folder.path().join(name);
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, path_of("qstat.out"), rustix::fs::FileType::Fifo, mode, 0)
            .unwrap();
        std::os::unix::fs::symlink("/proc/self/environ", path_of("qstat-f.txt")).unwrap();
        std::fs::write(path_of("vnodes"), "n1\n     state = free\n").unwrap();
        let listing = listing(folder.path()).unwrap();
        let names: Vec<&str> = listing.entries.iter().map(|entry| entry.display_name.as_str()).collect();
        assert_eq!((names, listing.unreadable.len()), (vec!["vnodes"], 2));
    }
}
