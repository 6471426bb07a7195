//! The right to write to a folder: one process at a time.

use std::fs::File;
use std::io::{self, Read, Write};
use std::time::Duration;

use rustix::fs::{FlockOperation, Mode, OFlags, flock, ftruncate, openat};
use rustix::io::Errno;

use super::{Folder, FolderError, FolderRefusal};

/// Name of the file that is locked while a process writes to the folder. The lock ends with the process.
const LOCK: &str = ".qscope.lock";

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
        let fail = |why: FolderRefusal| FolderError { folder: self.path.clone(), why };
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = openat(&*self.descriptor, LOCK, flags, Mode::RUSR | Mode::WUSR);
        let mut file = File::from(opened.map_err(|why| fail(io::Error::from(why).into()))?);
        match lock_exclusively(&file) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => {
                let mut text = String::new();
                let read = file.take(20).read_to_string(&mut text);
                return Err(fail(FolderRefusal::InUse {
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
}

/// Locks a file. A program that is being started holds a copy of the descriptor for a moment, so it is tried for a while.
fn lock_exclusively(file: &File) -> rustix::io::Result<()> {
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
    use super::*;

    #[test]
    fn one_process_writes_at_a_time() {
        let home = tempfile::tempdir().unwrap();
        let folder = Folder::private(home.path()).unwrap();
        let lock = folder.lock().unwrap();
        let why = Folder::private(home.path()).unwrap().lock().unwrap_err().why;
        assert!(
            matches!(why, FolderRefusal::InUse { process: Some(id) } if id == std::process::id()),
            "{why}"
        );
        drop(lock);
        // The file of a process that has ended stays, and does not count as a lock.
        assert!(home.path().join(LOCK).exists());
        folder.lock().unwrap();
        assert_eq!(folder.names().unwrap(), [""; 0]);
    }
}
