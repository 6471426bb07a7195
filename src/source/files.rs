//! The bytes of a cluster's files by name, from a folder or from memory.

pub(super) mod disk;
mod folder;
mod reading;

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

use super::bounds::ReadLimits;
use super::intake::IntakeOutcome;
use super::reader::ReaderKind;
use crate::log::DiagnosticLog;
use qscope_engine::cluster::{Diagnostic, DiagnosticCount, Epoch, FilePosition, Name, Snapshot};
pub(super) use reading::{epoch_of, read_whole, read_whole_from};
use rustc_hash::{FxHashSet, FxHasher};

/// Names of files that are read; other files of the folder are not opened.
pub(crate) const KNOWN: [&str; 30] = [
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
    "semantics",
    "server.json",
    "server.txt",
    "usage",
];

#[derive(Clone, Debug)]
pub(crate) struct FileBytes {
    /// Its content, or why it could not be read.
    pub(crate) bytes: Result<Vec<u8>, String>,
    /// Modification time.
    pub(crate) modified: Option<Epoch>,
    /// The name users know it by, if different.
    pub(crate) shown: Option<Name>,
    pub(crate) reader: ReaderKind,
}

impl FileBytes {
    fn plain(bytes: Result<Vec<u8>, String>, modified: Option<Epoch>) -> Self {
        Self { bytes, modified, shown: None, reader: ReaderKind::ByContent }
    }
}

/// All files of a cluster.
#[derive(Clone, Debug, Default)]
pub struct Files {
    title: Name,
    bounds: ReadLimits,
    entries: BTreeMap<String, FileBytes>,
    gathered: IntakeOutcome,
}

impl Files {
    /// Creates an empty set of files for a cluster called `title`.
    pub fn new(title: &str) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// Adds a file, or replaces the one of this name.
    pub fn insert(&mut self, name: &str, bytes: impl Into<Vec<u8>>, modified: Option<Epoch>) {
        self.entries.insert(name.to_owned(), FileBytes::plain(Ok(bytes.into()), modified));
    }

    /// Adds a file that exists but cannot be read, with the reason.
    pub fn insert_unreadable(&mut self, name: &str, why: &str) {
        self.entries.insert(name.to_owned(), FileBytes::plain(Err(why.to_owned()), None));
    }

    /// Returns the readable files: name, content, modification time.
    pub fn readable(&self) -> impl Iterator<Item = (&str, &[u8], Option<Epoch>)> {
        let all =
            self.entries.iter().filter_map(|(name, file)| Some((name, file.bytes.as_deref().ok()?, file)));
        all.map(|(name, bytes, file)| (name.as_str(), bytes, file.modified))
    }

    /// Sets other limits; files that were already refused while reading a folder stay out.
    #[must_use]
    pub fn within(self, limits: ReadLimits) -> Self {
        Self { bounds: limits, ..self }
    }

    /// Returns the limits on what is read.
    pub(crate) fn bounds(&self) -> ReadLimits {
        self.bounds
    }

    /// Puts a file under one of the loader's names, to be read by `reader`.
    pub(crate) fn place(
        &mut self,
        slot: &str,
        shown: &str,
        reader: ReaderKind,
        bytes: Result<Vec<u8>, String>,
        modified: Option<Epoch>,
    ) {
        let shown = (slot != shown).then(|| shown.into());
        self.entries.insert(slot.to_owned(), FileBytes { bytes, modified, shown, reader });
    }

    /// Returns the content of a readable file, to be changed.
    pub(crate) fn bytes_mut(&mut self, slot: &str) -> Option<&mut Vec<u8>> {
        self.entries.get_mut(slot)?.bytes.as_mut().ok()
    }

    /// Changes the content of every readable file.
    pub(crate) fn change_bytes(&mut self, change: impl Fn(Vec<u8>) -> Vec<u8>) {
        let contents = self.entries.values_mut().filter_map(|file| file.bytes.as_mut().ok());
        contents.for_each(|bytes| *bytes = change(std::mem::take(bytes)));
    }

    /// Removes a file.
    pub(crate) fn take(&mut self, slot: &str) -> Option<FileBytes> {
        self.entries.remove(slot)
    }

    /// Returns a hash of the contents; with `times`, also of the modification times, in seconds.
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

    /// Returns the names under which files are stored.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.keys().map(String::as_str)
    }

    /// Returns what was found while the files were gathered.
    pub fn gathered(&self) -> &IntakeOutcome {
        &self.gathered
    }

    pub(crate) fn gathered_mut(&mut self) -> &mut IntakeOutcome {
        &mut self.gathered
    }

    /// Returns the name users know for the file stored under a name.
    pub(crate) fn display_name<'s>(&'s self, slot: &'s str) -> &'s str {
        self.entries.get(slot).and_then(|file| file.shown.as_deref()).unwrap_or(slot)
    }

    /// Replaces every file name in a snapshot by the one users know.
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
                file.usual_name = Some(slot);
            }
        }
        snapshot.diagnostics.iter_mut().for_each(|reported| renamed(&mut reported.file));
        snapshot.tallies.iter_mut().for_each(|tally| renamed(&mut tally.file));
        let repeated = self.remove_repeated(&mut snapshot.diagnostics);
        snapshot.tallies = summed(std::mem::take(&mut snapshot.tallies), &repeated);
        let words: Vec<&str> = snapshot.now_source.split(' ').map(|word| self.display_name(word)).collect();
        snapshot.now_source = words.join(" ");
    }

    /// Removes and returns what was found again in a file that is read for several dumps.
    fn remove_repeated(&self, diagnostics: &mut Vec<Diagnostic>) -> Vec<Diagnostic> {
        let is_of = |name: &Name, file: &FileBytes| file.shown.as_ref() == Some(name);
        let is_shared = |name: &Name| self.entries.values().filter(|file| is_of(name, file)).count() > 1;
        let shared: FxHashSet<Name> =
            self.entries.values().filter_map(|file| file.shown.clone()).filter(is_shared).collect();
        let (mut kept, mut repeated): (Vec<Diagnostic>, Vec<Diagnostic>) = Default::default();
        for found in diagnostics.drain(..) {
            let is_repeated = shared.contains(&found.file) && kept.contains(&found);
            if is_repeated { repeated.push(found) } else { kept.push(found) }
        }
        *diagnostics = kept;
        repeated
    }

    /// Returns the users' name and the bytes of the file stored under one of the loader's names; `None` if it does
    /// not exist or cannot be read.
    pub fn contents<'s>(&'s self, slot: &'s str) -> Option<(&'s str, &'s [u8])> {
        let bytes = self.entries.get(slot)?.bytes.as_deref().ok()?;
        Some((self.display_name(slot), bytes))
    }

    /// Returns the title of the cluster: its folder's name.
    pub fn title(&self) -> &Name {
        &self.title
    }

    /// Returns the built-in sample, for when no folder is given.
    pub fn built_in() -> Self {
        let mut files = Self::new("built-in sample");
        for (name, bytes) in super::sample::built_in() {
            files.insert(name, bytes, None);
        }
        files
    }

    /// Returns the files that exist but cannot be read, with the reason.
    pub(crate) fn unreadable(&self) -> impl Iterator<Item = (&str, &str)> {
        self.entries.iter().filter_map(|(name, file)| Some((&**name, file.bytes.as_ref().err()?.as_str())))
    }

    /// Returns the first of these files that exists but cannot be read, with the reason.
    pub(crate) fn unreadable_of(&self, names: &[&'static str]) -> Option<(&'static str, &str)> {
        names.iter().find_map(|name| Some((*name, self.get(name)?.bytes.as_ref().err()?.as_str())))
    }

    pub(crate) fn get(&self, name: &str) -> Option<&FileBytes> {
        self.entries.get(name)
    }
}

/// Returns one tally for each file and code, without these findings: a script that is read for several dumps has several of
/// them.
fn summed(tallies: Vec<DiagnosticCount>, repeated: &[Diagnostic]) -> Vec<DiagnosticCount> {
    let mut sums: Vec<DiagnosticCount> = Vec::with_capacity(tallies.len());
    for tally in tallies {
        match sums.iter_mut().find(|sum| sum.code == tally.code && sum.file == tally.file) {
            Some(sum) => sum.count += tally.count,
            None => sums.push(tally),
        }
    }
    for sum in &mut sums {
        let is_of_it = |one: &&Diagnostic| one.code == sum.code && one.file == sum.file;
        sum.count = sum.count.saturating_sub(repeated.iter().filter(is_of_it).count());
    }
    sums
}

/// Reports which files exist but cannot be read.
pub(crate) fn unreadable(files: &Files, log: &mut DiagnosticLog) {
    for (name, why) in files.unreadable() {
        log.in_file(name);
        log.error(Diagnostic::UNREADABLE, FilePosition::File, || cannot_be_read(why));
    }
}

/// Returns the message about a file that exists but cannot be read.
pub(crate) fn cannot_be_read(why: &str) -> String {
    format!("cannot be read: {why}")
}
