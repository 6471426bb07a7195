//! Folders that one command fills: one process writes at a time, and files of others are not overwritten.

use std::fs::File;
use std::io::{self, Read, Write};
use std::time::Duration;

use rustix::fs::{Dir, FlockOperation, Mode, OFlags, flock, ftruncate, openat};
use rustix::io::Errno;

use super::{Folder, FolderError, Most, Refusal};

/// Prefix of the names of files that hold no data of the folder; readers of folders leave out names with a dot.
const PREFIX: &str = ".qscope";

/// Name of the file that is locked while a process writes to the folder. The lock ends with the process.
const LOCK: &str = ".qscope.lock";

/// Name of the file that lists the files that a command wrote, one name per line.
const LIST: &str = ".qscope.files";

/// Maximum size of that list.
const LIST_BYTES: Most = Most { limit: "file-size", bytes: 1 << 20 };

/// Number of tries to take a lock, and the pause between two.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(10);

/// The right to write to a folder, held until it is dropped.
#[derive(Debug)]
pub struct FolderLock {
    _file: Option<File>,
}

impl Folder {
    /// Takes the right to write to this folder. On file systems without locks nothing is checked.
    ///
    /// # Errors
    /// If another process holds it, or the lock file cannot be written.
    pub fn lock(&self) -> Result<FolderLock, FolderError> {
        let fail = |why: Refusal| FolderError { folder: self.path.clone(), why };
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = openat(&*self.descriptor, LOCK, flags, Mode::RUSR | Mode::WUSR);
        let mut file = File::from(opened.map_err(|why| fail(io::Error::from(why).into()))?);
        match taken(&file) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => {
                let mut text = String::new();
                let read = file.take(20).read_to_string(&mut text);
                return Err(fail(Refusal::InUse {
                    process: text.trim().parse().ok().filter(|_| read.is_ok()),
                }));
            }
            Err(Errno::NOSYS | Errno::OPNOTSUPP | Errno::NOLCK | Errno::INVAL) => {
                return Ok(FolderLock { _file: None });
            }
            Err(why) => return Err(fail(io::Error::from(why).into())),
        }
        let written = ftruncate(&file, 0).map_err(io::Error::from);
        let written = written.and_then(|()| writeln!(file, "{}", std::process::id()));
        written.map_err(|why| fail(why.into()))?;
        Ok(FolderLock { _file: Some(file) })
    }

    /// Returns the names of its files and folders in order, without those that hold no data of the folder.
    ///
    /// # Errors
    /// If it cannot be listed.
    pub fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&*self.descriptor)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if name != "." && name != ".." && !name.starts_with(PREFIX) {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    /// Fills the folder with these files; those that a former call wrote, and that are not among them, are removed.
    ///
    /// # Errors
    /// If the folder holds another file, or cannot be written.
    pub fn fill(&self, files: &[(&str, &[u8])]) -> Result<(), FolderError> {
        let fail = |name: &str, why: io::Error| FolderError { folder: self.path.join(name), why: why.into() };
        let former = self.read(LIST, LIST_BYTES).unwrap_or_default();
        let former = String::from_utf8_lossy(&former);
        let former: Vec<&str> = former.lines().filter(|name| !name.contains('/')).collect();
        let names = self.names().map_err(|why| fail("", why))?;
        if let Some(other) = names.into_iter().find(|name| !former.contains(&name.as_str())) {
            return Err(FolderError { folder: self.path.clone(), why: Refusal::Filled { name: other } });
        }
        let list = |names: &[&str]| {
            let text: String = names.iter().flat_map(|name| [*name, "\n"]).collect();
            self.put(LIST, text.as_bytes()).map_err(|why| fail(LIST, why))
        };
        let written: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
        // Complete even if this call is interrupted.
        list(&[&former[..], &written[..]].concat())?;
        for stale in former.iter().filter(|name| !written.contains(name)) {
            self.remove(stale).map_err(|why| fail(stale, why))?;
        }
        for (name, bytes) in files {
            self.put(name, bytes).map_err(|why| fail(name, why))?;
        }
        list(&written)
    }
}

/// Locks a file. A program that is being started holds a copy of the descriptor for a moment, so it is tried for a while.
fn taken(file: &File) -> rustix::io::Result<()> {
    for _ in 0..TRIES {
        match flock(file, FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) => std::thread::sleep(PAUSE),
            found => return found,
        }
    }
    Err(Errno::WOULDBLOCK)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn one_process_writes_at_a_time() {
        let home = tempfile::tempdir().unwrap();
        let folder = Folder::private(home.path()).unwrap();
        let lock = folder.lock().unwrap();
        let why = Folder::private(home.path()).unwrap().lock().unwrap_err().why;
        assert!(matches!(why, Refusal::InUse { process: Some(id) } if id == std::process::id()), "{why}");
        drop(lock);
        // The file of a process that has ended stays, and does not count as a lock.
        assert!(home.path().join(LOCK).exists());
        folder.lock().unwrap();
        assert_eq!(folder.names().unwrap(), [""; 0]);
    }

    #[test]
    fn only_files_of_a_former_call_are_replaced_and_removed() {
        let home = tempfile::tempdir().unwrap();
        let at = home.path().join("new");
        let folder = Folder::private(&at).unwrap();
        folder.fill(&[("a", b"1"), ("b", b"1")]).unwrap();
        folder.fill(&[("b", b"2"), ("c", b"2")]).unwrap();
        assert_eq!(folder.names().unwrap(), ["b", "c"]);
        assert_eq!(fs::read(at.join("b")).unwrap(), b"2");
        fs::write(at.join("nodes.json"), "{}").unwrap();
        let why = folder.fill(&[("d", b"3")]).unwrap_err().why;
        assert!(matches!(&why, Refusal::Filled { name } if name == "nodes.json"), "{why}");
        assert_eq!(folder.names().unwrap(), ["b", "c", "nodes.json"]);
    }
}
