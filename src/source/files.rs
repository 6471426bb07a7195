//! The bytes of a cluster by file name, from a folder or from memory.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::time::UNIX_EPOCH;

use super::SourceError;
use crate::cluster::{Epoch, Name};

/// Larger files are refused: nobody's clients print that much.
pub(super) const LARGEST: u64 = 2 << 30;

/// Names that mean something; other files of the folder are not opened.
pub(crate) const KNOWN: [&str; 27] = [
    "dedicated_time",
    "extra.toml",
    "fairshare.txt",
    "holidays",
    "jobs-t.json",
    "jobs-t.txt",
    "jobs.json",
    "jobs.txt",
    "nodes.json",
    "nodes.toml",
    "nodes.txt",
    "now",
    "policy.toml",
    "queue.toml",
    "queues.json",
    "queues.txt",
    "resource_group",
    "resources.json",
    "resources.txt",
    "resvs.json",
    "resvs.txt",
    "sched.json",
    "sched.txt",
    "sched_config",
    "server.json",
    "server.txt",
    "usage",
];

/// One file.
#[derive(Clone, Debug)]
pub(crate) struct FileBytes {
    /// What it holds, or why it could not be read.
    pub(crate) bytes: Result<Vec<u8>, String>,
    /// When it was written.
    pub(crate) modified: Option<Epoch>,
}

/// All files of a cluster.
#[derive(Clone, Debug)]
pub struct Files {
    title: Name,
    entries: BTreeMap<String, FileBytes>,
}

impl Files {
    /// No files yet, of a cluster called `title`.
    #[must_use]
    pub fn new(title: &str) -> Self {
        Self { title: title.into(), entries: BTreeMap::new() }
    }

    /// No files yet, of the cluster in this folder.
    pub(crate) fn titled_after(folder: &Path) -> Self {
        let absolute = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
        let title = absolute
            .file_name()
            .map_or_else(|| absolute.display().to_string(), |n| n.to_string_lossy().into_owned());
        Self::new(&title)
    }

    /// Adds a file, or replaces the one of this name.
    pub fn insert(&mut self, name: &str, bytes: impl Into<Vec<u8>>, modified: Option<Epoch>) {
        self.entries.insert(name.to_owned(), FileBytes { bytes: Ok(bytes.into()), modified });
    }

    /// Adds a file that is there but cannot be read, and why.
    pub fn insert_unreadable(&mut self, name: &str, why: &str) {
        self.entries.insert(name.to_owned(), FileBytes { bytes: Err(why.to_owned()), modified: None });
    }

    /// Reads every file of a folder whose name means something.
    ///
    /// # Errors
    /// The folder cannot be listed. A file that cannot be read is remembered as such.
    pub fn from_folder(folder: &Path) -> Result<Self, SourceError> {
        let fail = |cause| SourceError::Folder { folder: folder.display().to_string(), cause };
        let listed = fs::read_dir(folder).map_err(fail)?;
        let mut files = Self::titled_after(folder);
        for entry in listed {
            let entry = entry.map_err(fail)?;
            if let Some(name) = entry.file_name().to_str().filter(|name| KNOWN.contains(name)) {
                files.entries.insert(name.to_owned(), read_file(&entry.path()));
            }
        }
        Ok(files)
    }

    /// What the cluster is called: its folder's name.
    #[must_use]
    pub fn title(&self) -> &Name {
        &self.title
    }

    /// The built-in sample, for when no folder is given.
    #[must_use]
    pub fn built_in() -> Self {
        let mut files = Self::new("campus");
        for (name, bytes) in super::sample::built_in() {
            files.insert(name, bytes, None);
        }
        files
    }

    /// The file of this name.
    pub(crate) fn get(&self, name: &str) -> Option<&FileBytes> {
        self.entries.get(name)
    }
}

/// Reads one file whole, through `read`: a mapped file that shrinks would end the program.
fn read_file(path: &Path) -> FileBytes {
    let mut modified = None;
    let bytes = File::open(path).and_then(|mut file| {
        let facts = file.metadata()?;
        modified = facts.modified().ok().and_then(epoch_of);
        if facts.len() > LARGEST {
            return Err(std::io::Error::other(format!("{} bytes, more than {LARGEST}", facts.len())));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(facts.len()).unwrap_or(0));
        (&mut file).take(LARGEST).read_to_end(&mut bytes)?;
        Ok(bytes)
    });
    FileBytes { bytes: bytes.map_err(|e| e.to_string()), modified }
}

/// The file system's time as the batch system counts.
pub(super) fn epoch_of(time: std::time::SystemTime) -> Option<Epoch> {
    let span = time.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(span.as_secs()).ok().map(Epoch)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_names_are_opened() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("nodes.txt"), "n1\n").unwrap();
        std::fs::write(folder.path().join("notes.md"), "x").unwrap();
        let files = Files::from_folder(folder.path()).unwrap();

        assert!(files.get("notes.md").is_none());
        assert!(files.get("nodes.txt").unwrap().modified.is_some());
    }

    #[test]
    fn a_missing_folder_is_named() {
        let error = Files::from_folder(Path::new("/no/such/folder")).unwrap_err();
        assert!(error.to_string().contains("/no/such/folder"));
    }
}
