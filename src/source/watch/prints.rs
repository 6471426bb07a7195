//! Fingerprints of a folder and its files.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::ErrorKind;
use std::path::Path;
use std::time::SystemTime;

use super::fingerprint::Fingerprint;
use crate::files::KNOWN;
use crate::intake;
use qscope_system::input;

/// Name of the folder itself among the fingerprints.
pub const FOLDER: &str = ".";
/// Name of all other files together, among the fingerprints.
const OTHERS: &str = "*";
/// Maximum number of other files included.
const MAX_OTHERS: usize = 500;
/// Subfolders of the batch system that contain inputs.
const BELOW: [&str; 3] = [LOGS, "sched_priv", "server_priv"];
/// Folder of the scheduler's logs, one for each day.
const LOGS: &str = "sched_logs";
/// The fingerprints of a folder and of its files with known names.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Fingerprints(BTreeMap<&'static str, Fingerprint>);

impl Fingerprints {
    /// Takes the current fingerprints. Missing files have none.
    pub fn take(folder: &Path) -> Self {
        let mut prints = Self::of_folder(folder);
        if !prints.0.is_empty() {
            let files = KNOWN.iter().filter_map(|name| Some((*name, print_of(&folder.join(name))?)));
            prints.0.extend(files);
            let others = if prints.is_whole() { prints.other_files_read(folder) } else { all_others(folder) };
            prints.0.extend(print_of_all(folder, others).map(|print| (OTHERS, print)));
        }
        prints
    }

    /// Whether nodes and jobs exist under the loader's names, so that only further dumps are searched.
    fn is_whole(&self) -> bool {
        let has_stem = |stem: &str| self.0.keys().any(|name| name.starts_with(stem));
        has_stem("nodes.") && has_stem("jobs")
    }

    /// Returns the other files in a folder that are read in addition to those with fingerprints.
    fn other_files_read(&self, folder: &Path) -> Vec<String> {
        let is_own = |name: &str| self.0.contains_key(name);
        intake::accompanying_files(folder, &is_own).files.into_iter().map(|(name, _)| name).collect()
    }

    /// Takes the fingerprint of the folder only.
    pub fn of_folder(folder: &Path) -> Self {
        let facts = fs::metadata(folder).ok().filter(Metadata::is_dir);
        Self(facts.map(|facts| (FOLDER, Fingerprint::of_folder(&facts))).into_iter().collect())
    }

    /// Returns the fingerprint of one file, or of [`FOLDER`].
    pub fn get(&self, name: &str) -> Option<Fingerprint> {
        self.0.get(name).copied()
    }

    /// Returns all fingerprints by name.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, Fingerprint)> + '_ {
        self.0.iter().map(|(name, print)| (*name, *print))
    }

    /// Inserts a fingerprint, for tests.
    #[cfg(test)]
    pub fn insert(&mut self, name: &'static str, print: Fingerprint) {
        self.0.insert(name, print);
    }

    /// Returns a name whose fingerprint differs between the two.
    pub fn difference(&self, other: &Self) -> Option<&'static str> {
        let one_way = |a: &Self, b: &Self| a.0.iter().find(|(n, p)| b.0.get(*n) != Some(*p)).map(|(n, _)| *n);
        one_way(self, other).or_else(|| one_way(other, self))
    }

    /// Whether any file could change again without changing its fingerprint.
    pub fn any_young(&self, now: SystemTime) -> bool {
        self.0.iter().any(|(name, print)| *name != FOLDER && print.is_young(now))
    }
}

impl FromIterator<(&'static str, Fingerprint)> for Fingerprints {
    fn from_iter<I: IntoIterator<Item = (&'static str, Fingerprint)>>(prints: I) -> Self {
        Self(prints.into_iter().collect())
    }
}

/// Returns all other files in a folder, and in its subfolders of the batch system.
fn all_others(folder: &Path) -> Vec<String> {
    let mut names = names_in(folder).unwrap_or_default();
    names.retain(|name| !KNOWN.contains(&name.as_str()));
    names.truncate(MAX_OTHERS);
    for below in BELOW {
        let mut inside = names_in(&folder.join(below)).unwrap_or_default();
        // Only the newest of the daily logs is written to.
        if below == LOGS {
            inside.drain(..inside.len().saturating_sub(1));
        }
        inside.truncate(MAX_OTHERS);
        names.extend(inside.into_iter().map(|name| format!("{below}/{name}")));
    }
    names
}

/// Returns a combined fingerprint of files in a folder; `None` if there are none.
fn print_of_all(folder: &Path, names: Vec<String>) -> Option<Fingerprint> {
    let mut hasher = DefaultHasher::new();
    let mut all: Option<Fingerprint> = None;
    for name in names {
        let Some(print) = fs::metadata(folder.join(&name)).ok().filter(Metadata::is_file) else { continue };
        let print = Fingerprint::of(&print);
        (&name, print.device, print.inode, print.size, print.modified, print.changed).hash(&mut hasher);
        let before = all.unwrap_or(print);
        all = Some(Fingerprint {
            device: 0,
            inode: hasher.finish(),
            size: before.size.max(print.size),
            modified: before.modified.max(print.modified),
            changed: before.changed.max(print.changed),
        });
    }
    all
}

/// Returns the names in a folder that are not hidden, in order.
fn names_in(folder: &Path) -> Option<Vec<String>> {
    let named = fs::read_dir(folder).ok()?.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = named.filter(|name| !name.starts_with('.')).collect();
    names.sort_unstable();
    Some(names)
}

/// Queries the opened file, since opening makes a network file system refresh. A file that cannot be opened still has
/// a fingerprint.
fn print_of(path: &Path) -> Option<Fingerprint> {
    let facts = match input::open(path).and_then(|file| Ok(file.metadata()?)) {
        Ok(facts) => Some(facts),
        Err(error) if error.io_kind() == ErrorKind::NotFound => None,
        Err(_) => fs::metadata(path).or_else(|_| fs::symlink_metadata(path)).ok(),
    };
    facts.as_ref().map(Fingerprint::of)
}

#[cfg(test)]
mod tests {
    use super::super::fingerprint::SECOND;
    use super::*;

    #[test]
    fn every_field_counts() {
        let print = Fingerprint::synthetic(
            3,
            std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_millis(4_001),
        );
        for other in [
            Fingerprint { device: 9, ..print },
            Fingerprint { inode: 9, ..print },
            Fingerprint { size: 9, ..print },
            Fingerprint { modified: 4 * SECOND + 4, ..print },
            Fingerprint { changed: 4 * SECOND + 7, ..print },
        ] {
            let mut one = Fingerprints::default();
            one.insert("nodes.json", print);
            let mut two = Fingerprints::default();
            two.insert("nodes.json", other);
            assert_eq!(one.difference(&two), Some("nodes.json"));
            assert_eq!(one.difference(&one.clone()), None);
        }
    }

    #[test]
    fn coming_and_going_are_differences() {
        let mut one = Fingerprints::default();
        one.insert(
            "jobs.txt",
            Fingerprint::synthetic(
                3,
                std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_millis(4_001),
            ),
        );
        assert_eq!(one.difference(&Fingerprints::default()), Some("jobs.txt"));
        assert_eq!(Fingerprints::default().difference(&one), Some("jobs.txt"));
    }

    #[test]
    fn files_of_other_names_count_in_folders_of_the_batch_system_too() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        fs::create_dir_all(folder.path().join("sched_logs")).unwrap();
        fs::create_dir_all(folder.path().join("own")).unwrap();
        write("qstat-f.txt", "x");
        write("sched_logs/20260116", "x");
        write("sched_logs/20260117", "x");
        let before = Fingerprints::take(folder.path());
        write("own/letter.txt", "x");
        write("sched_logs/20260116", "older");
        assert_eq!(before.difference(&Fingerprints::take(folder.path())), None);
        write("sched_logs/20260117", "newer");
        assert_eq!(before.difference(&Fingerprints::take(folder.path())), Some(OTHERS));
        let before = Fingerprints::take(folder.path());
        write("sched_logs/20260118", "a new day");
        assert_eq!(before.difference(&Fingerprints::take(folder.path())), Some(OTHERS));
    }

    #[test]
    fn dumps_beside_nodes_and_jobs_count_and_nothing_else_does() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &[u8]| fs::write(folder.path().join(name), text).unwrap();
        write("nodes.json", b"{}");
        write("jobs.json", b"{}");
        let before = Fingerprints::take(folder.path());
        write("notes.md", b"x");
        write("server_log.old", b"x");
        assert_eq!(before.difference(&Fingerprints::take(folder.path())), None);
        write("queues.json.gz", &[0x1f, 0x8b, 8, 0, 0]);
        let with = Fingerprints::take(folder.path());
        assert_eq!(before.difference(&with), Some(OTHERS));
        write("queues.json.gz", &[0x1f, 0x8b, 8, 0, 0, 1]);
        assert_eq!(with.difference(&Fingerprints::take(folder.path())), Some(OTHERS));
        write("queues.json", b"{}");
        let plain = Fingerprints::take(folder.path());
        write("qstat-Qf.txt", b"Queue: q\n    queue_type = Execution\n\n");
        assert_eq!(plain.difference(&Fingerprints::take(folder.path())), Some(OTHERS));
    }

    #[test]
    fn a_rewrite_of_the_same_size_within_a_second_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("now");
        fs::write(&file, "111\n").unwrap();
        let before = Fingerprints::take(folder.path());
        assert_eq!(before.get("now").unwrap().size, 4);
        let other = folder.path().join("other");
        fs::write(&other, "222\n").unwrap();
        fs::rename(&other, &file).unwrap();
        assert_eq!(before.difference(&Fingerprints::take(folder.path())), Some("now"));
    }

    #[test]
    fn a_link_to_nowhere_is_not_there_and_a_loop_is() {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("nowhere", folder.path().join("now")).unwrap();
        std::os::unix::fs::symlink("usage", folder.path().join("usage")).unwrap();
        let prints = Fingerprints::take(folder.path());
        assert_eq!(prints.get("now"), None);
        assert!(prints.get("usage").is_some());
        assert!(prints.get(FOLDER).is_some());
    }
}
