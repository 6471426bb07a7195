//! The bytes of a cluster by file name, from a folder or from memory.

pub(super) mod disk;
mod of_folder;
mod reading;
pub(super) mod unreadable;

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

use super::bounds::Bounds;
use super::intake::Gathered;
use super::reader::Reader;
use qscope_engine::cluster::{Epoch, Name, Snapshot};
pub(super) use reading::{epoch_of, read_whole, read_whole_from};
use rustc_hash::FxHasher;

/// Names that mean something; other files of the folder are not opened.
pub(crate) const KNOWN: [&str; 29] = [
    "dedicated_time",
    "elim.txt",
    "extra.toml",
    "fairshare.txt",
    "holidays",
    "jobs-t.json",
    "jobs-t.txt",
    "jobs.json",
    "jobs.txt",
    "maui.cfg",
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

#[derive(Clone, Debug)]
pub(crate) struct FileBytes {
    /// What it holds, or why it could not be read.
    pub(crate) bytes: Result<Vec<u8>, String>,
    /// When it was written.
    pub(crate) modified: Option<Epoch>,
    /// What people call it, where that is another name.
    pub(crate) shown: Option<Name>,
    pub(crate) reader: Reader,
}

impl FileBytes {
    fn plain(bytes: Result<Vec<u8>, String>, modified: Option<Epoch>) -> Self {
        Self { bytes, modified, shown: None, reader: Reader::ByContent }
    }
}

/// All files of a cluster.
#[derive(Clone, Debug, Default)]
pub struct Files {
    title: Name,
    bounds: Bounds,
    entries: BTreeMap<String, FileBytes>,
    gathered: Gathered,
}

impl Files {
    /// No files yet, of a cluster called `title`.
    pub fn new(title: &str) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// Adds a file, or replaces the one of this name.
    pub fn insert(&mut self, name: &str, bytes: impl Into<Vec<u8>>, modified: Option<Epoch>) {
        self.entries.insert(name.to_owned(), FileBytes::plain(Ok(bytes.into()), modified));
    }

    /// Adds a file that is there but cannot be read, and why.
    pub fn insert_unreadable(&mut self, name: &str, why: &str) {
        self.entries.insert(name.to_owned(), FileBytes::plain(Err(why.to_owned()), None));
    }

    /// The files that could be read: name, contents, when they were written.
    pub fn readable(&self) -> impl Iterator<Item = (&str, &[u8], Option<Epoch>)> {
        let all =
            self.entries.iter().filter_map(|(name, file)| Some((name, file.bytes.as_deref().ok()?, file)));
        all.map(|(name, bytes, file)| (name.as_str(), bytes, file.modified))
    }

    /// The same files under other limits; those that a folder's reading has refused already stay out.
    #[must_use]
    pub fn within(self, bounds: Bounds) -> Self {
        Self { bounds, ..self }
    }

    /// How much is read at most.
    pub(crate) fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Puts a file in the place of one of the loader's names, to be read in its own way.
    pub(crate) fn place(
        &mut self,
        slot: &str,
        shown: &str,
        reader: Reader,
        bytes: Result<Vec<u8>, String>,
        modified: Option<Epoch>,
    ) {
        let shown = (slot != shown).then(|| shown.into());
        self.entries.insert(slot.to_owned(), FileBytes { bytes, modified, shown, reader });
    }

    /// Takes a file out.
    pub(crate) fn take(&mut self, slot: &str) -> Option<FileBytes> {
        self.entries.remove(slot)
    }

    /// Reports contents apart; with `times`, also when they were written, to the second.
    pub fn hash(&self, times: bool) -> u64 {
        let mut hasher = FxHasher::default();
        for (name, file) in &self.entries {
            let modified = file.modified.filter(|_| times).map(|at| at.0);
            (name, &file.shown, &file.bytes, modified).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// Whether nodes or jobs are among them.
    pub fn holds_cluster(&self) -> bool {
        self.names().any(|name| name.starts_with("nodes.") || name.starts_with("jobs"))
    }

    /// The names under which files stand.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// What was found out while the files were gathered.
    pub fn gathered(&self) -> &Gathered {
        &self.gathered
    }

    pub(crate) fn gathered_mut(&mut self) -> &mut Gathered {
        &mut self.gathered
    }

    /// What people call the file that stands under a name.
    pub(crate) fn shown<'s>(&'s self, slot: &'s str) -> &'s str {
        self.entries.get(slot).and_then(|file| file.shown.as_deref()).unwrap_or(slot)
    }

    /// Gives every file of a snapshot the name by which people know it.
    pub(crate) fn rename(&self, snapshot: &mut Snapshot) {
        let renamed = |name: &mut Name| {
            if let Some(shown) = self.entries.get(&**name).and_then(|file| file.shown.clone()) {
                *name = shown;
            }
        };
        if self.entries.values().all(|file| file.shown.is_none()) {
            return;
        }
        for file in &mut snapshot.files {
            let slot = file.name.clone();
            renamed(&mut file.name);
            if file.name != slot {
                file.stands_for = Some(slot);
            }
        }
        snapshot.diagnostics.iter_mut().for_each(|reported| renamed(&mut reported.file));
        snapshot.tallies.iter_mut().for_each(|tally| renamed(&mut tally.file));
        let words: Vec<&str> = snapshot.now_source.split(' ').map(|word| self.shown(word)).collect();
        snapshot.now_source = words.join(" ");
    }

    /// The bytes of the file that stands under one of the loader's names, after what people call it; none where it is not
    /// there or cannot be read.
    pub fn contents<'s>(&'s self, slot: &'s str) -> Option<(&'s str, &'s [u8])> {
        let bytes = self.entries.get(slot)?.bytes.as_deref().ok()?;
        Some((self.shown(slot), bytes))
    }

    /// What the cluster is called: its folder's name.
    pub fn title(&self) -> &Name {
        &self.title
    }

    /// The built-in sample, for when no folder is given.
    pub fn built_in() -> Self {
        let mut files = Self::new("built-in sample");
        for (name, bytes) in super::sample::built_in() {
            files.insert(name, bytes, None);
        }
        files
    }

    /// The files that are there but cannot be read, and why.
    pub(crate) fn unreadable(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().filter_map(|(name, file)| Some((&**name, file.bytes.as_ref().err()?.as_str())))
    }

    /// The first of these that is there but cannot be read, and why.
    pub(crate) fn unreadable_of(&self, names: &[&'static str]) -> Option<(&'static str, &str)> {
        names.iter().find_map(|name| Some((*name, self.get(name)?.bytes.as_ref().err()?.as_str())))
    }

    pub(crate) fn get(&self, name: &str) -> Option<&FileBytes> {
        self.entries.get(name)
    }
}
