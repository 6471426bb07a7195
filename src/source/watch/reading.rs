//! Reads a whole folder, and detects whether it changed meanwhile.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::thread;
use std::time::Duration;

use rustix::io::Errno;

use super::fingerprint::Fingerprint;
use super::prints::{FOLDER, Fingerprints};
use crate::ReadLimits;
use crate::files::disk::{Disk, RealDisk};
use crate::files::{Files, KNOWN, epoch_of, read_whole_from};

/// Number of looks during a tenth of a second, so frequent that a writer that truncates, waits for the disk and
/// writes is caught.
const LOOKS: usize = 1000;
const BETWEEN_LOOKS: Duration = Duration::from_micros(100);

#[derive(Debug, Default)]
pub struct FolderContents {
    pub files: Files,
    /// Fingerprints after the files were read.
    pub prints: Fingerprints,
    /// A file that changed during the reading.
    pub changed_file: Option<&'static str>,
    /// Files that could not be read for a temporary reason.
    pub unreadable_files: Vec<&'static str>,
}

/// Reads every file with a known name or, if nodes or jobs are missing, with recognized content. The files are read,
/// not mapped: a mapped file that shrinks would end the program.
///
/// # Errors
/// If the folder does not exist, or is not a folder.
pub fn read(folder: &Path) -> io::Result<FolderContents> {
    read_from(folder, &mut RealDisk)
}

/// The same, through a disk that may fail.
pub fn read_from(folder: &Path, disk: &mut dyn Disk) -> io::Result<FolderContents> {
    if !folder.metadata()?.is_dir() {
        return Err(ErrorKind::NotADirectory.into());
    }
    let before = Fingerprints::take(folder);
    let mut reading = FolderContents { files: Files::titled_after(folder), ..FolderContents::default() };
    for name in KNOWN {
        match read_file(&folder.join(name), disk) {
            Ok((bytes, facts)) => {
                reading.files.insert(name, bytes, facts.modified().ok().and_then(epoch_of));
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                // A link whose target is missing exists itself, so the file is not merely absent.
                if folder.join(name).symlink_metadata().is_ok() {
                    reading.files.insert_unreadable(name, "a link to a file that is not there");
                }
            }
            Err(error) => {
                reading.files.insert_unreadable(name, &error.to_string());
                reading.unreadable_files.extend(passes(&error).then_some(name));
            }
        }
    }
    crate::intake::complete(&mut reading.files, folder).map_err(io::Error::other)?;
    reading.prints = Fingerprints::take(folder);
    reading.changed_file = before.difference(&reading.prints);
    if reading.prints.get(FOLDER).is_none() {
        return Err(ErrorKind::NotFound.into());
    }
    Ok(reading)
}

/// Whether a file is empty at every look during a tenth of a second: while it is being written, it is empty only for
/// a moment.
pub fn is_lastingly_empty(folder: &Path, name: &str) -> bool {
    let path = folder.join(name);
    (0..LOOKS).all(|_| {
        thread::sleep(BETWEEN_LOOKS);
        path.metadata().is_ok_and(|facts| facts.len() == 0)
    })
}

impl FolderContents {
    /// Returns a hash of the contents; with `times`, also of the modification times, in seconds.
    pub fn hash(&self, times: bool) -> u64 {
        self.files.hash(times)
    }

    /// Returns the content of a file, if it could be read.
    pub fn bytes(&self, name: &str) -> Option<&[u8]> {
        self.files.get(name)?.bytes.as_deref().ok()
    }
}

/// Whether an error is temporary: a file server's stale handle, a lock, an interruption.
fn passes(error: &io::Error) -> bool {
    let passing = [Errno::STALE, Errno::AGAIN, Errno::INTR, Errno::NOENT];
    Errno::from_io_error(error).is_some_and(|errno| passing.contains(&errno))
}

fn read_file(path: &Path, disk: &mut dyn Disk) -> io::Result<(Vec<u8>, std::fs::Metadata)> {
    let (bytes, file, facts) = read_whole_from(path, ReadLimits::default(), disk)?;
    // A file server may return fewer bytes than the file's size.
    let is_cut = (bytes.len() as u64) < facts.len();
    if is_cut || Fingerprint::of(&facts) != Fingerprint::of(&file.metadata()?) {
        return Err(io::Error::from(Errno::AGAIN));
    }
    Ok((bytes, facts))
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use super::*;

    #[test]
    fn content_counts_and_the_time_only_if_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("nodes.txt");
        fs::write(&file, "n1\n").unwrap();
        let one = read(folder.path()).unwrap();
        assert_eq!(one.changed_file, None);
        assert_eq!(one.bytes("nodes.txt"), Some(&b"n1\n"[..]));

        let earlier = std::time::SystemTime::now() - std::time::Duration::from_secs(100);
        File::options().write(true).open(&file).unwrap().set_modified(earlier).unwrap();
        let two = read(folder.path()).unwrap();
        assert_eq!(one.hash(false), two.hash(false));
        assert_ne!(one.hash(true), two.hash(true));
        assert!(one.prints.difference(&two.prints).is_some());

        fs::write(&file, "n2\n").unwrap();
        assert_ne!(one.hash(false), read(folder.path()).unwrap().hash(false));
    }

    #[test]
    fn what_is_no_file_is_unreadable_and_reported() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("nodes.txt")).unwrap();
        std::os::unix::fs::symlink("now", folder.path().join("now")).unwrap();
        let reading = read(folder.path()).unwrap();
        assert!(reading.files.get("nodes.txt").unwrap().bytes.is_err());
        assert!(reading.files.get("now").unwrap().bytes.is_err());
        assert!(reading.unreadable_files.is_empty());
        assert!(read(&folder.path().join("no")).is_err());
    }

    #[test]
    fn stale_handles_pass_and_permissions_do_not() {
        assert!(passes(&Errno::STALE.into()));
        assert!(!passes(&Errno::ACCESS.into()));
    }
}
