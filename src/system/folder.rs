//! A folder that is written to. It is held open, so that every operation acts on this very folder.

mod draft;
mod lock;
mod named_file;
mod replace_files;
mod walk;

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, fstat, openat, statat, unlinkat};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::input::{self, InputError, LinkRefusal, SizeLimit};
use super::kernel::others_can_write;

pub use draft::{CompleteFile, DraftFile};
pub use lock::FolderLock;

/// The prefix of the names of files that are not in their place yet.
const DRAFT: &str = ".qscope-";

/// Prefix of the names of files that hold no data of the folder; readers of folders leave out names with a dot.
const PREFIX: &str = ".qscope";

/// A folder, held by its descriptor: it does not matter if others rename, link or replace its path meanwhile.
#[derive(Clone, Debug)]
pub struct Folder {
    descriptor: Arc<OwnedFd>,
    path: PathBuf,
}

impl Folder {
    /// Opens the folder of this path for files that others must neither read nor replace. A missing folder is created
    /// for its owner only.
    ///
    /// # Errors
    /// If it cannot be created or opened, others own it or can write to it, or a link leads to it that others could
    /// have made.
    pub fn private(path: &Path) -> Result<Self, FolderError> {
        let fail = |why| FolderError { folder: path.to_owned(), why };
        let descriptor = walk::open_or_create(path).map_err(fail)?;
        if let Some(refusal) = refusal(&descriptor).map_err(|why| fail(why.into()))? {
            return Err(fail(refusal));
        }
        Ok(Self { descriptor: Arc::new(descriptor), path: path.to_owned() })
    }

    /// Opens the folder of this path for files that may be in a folder where a group works together. A missing folder
    /// is created for its owner only. Files written through it still never end up elsewhere.
    ///
    /// # Errors
    /// If it cannot be created or opened.
    pub fn shared(path: &Path) -> Result<Self, FolderError> {
        use std::os::unix::fs::DirBuilderExt;
        let fail = |why: io::Error| FolderError { folder: path.to_owned(), why: why.into() };
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(fail)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let opened = openat(rustix::fs::CWD, path, flags, Mode::empty());
        let descriptor = opened.map_err(|why| fail(why.into()))?;
        Ok(Self { descriptor: Arc::new(descriptor), path: path.to_owned() })
    }

    /// Returns the path as it was named.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns whether it holds a regular file of this name.
    pub fn holds(&self, name: &str) -> bool {
        let facts = statat(&*self.descriptor, name, AtFlags::SYMLINK_NOFOLLOW);
        facts.is_ok_and(|facts| FileType::from_raw_mode(facts.st_mode) == FileType::RegularFile)
    }

    /// Reads a regular file of this folder; a link of this name is not followed.
    pub fn read(&self, name: &str, most: SizeLimit) -> Result<Vec<u8>, InputError> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = openat(&*self.descriptor, name, flags, Mode::empty()).map_err(io::Error::from)?;
        let mut file = File::from(file);
        if !file.metadata()?.is_file() {
            return Err(io::Error::other("found no regular file").into());
        }
        input::read_from(&mut file, most)
    }

    /// Starts a new file that will have this name and replace the existing one.
    ///
    /// # Errors
    /// If the folder cannot be written, the system has no random bytes, or the name leads to a device: a file in its
    /// place would remove the device for the whole system.
    pub fn draft(&self, name: &str) -> io::Result<DraftFile> {
        let facts = statat(&*self.descriptor, name, AtFlags::empty());
        match facts.map(|facts| FileType::from_raw_mode(facts.st_mode)) {
            Ok(FileType::CharacterDevice | FileType::BlockDevice) => {
                Err(io::Error::other("is a device, which is not replaced by a file"))
            }
            _ => DraftFile::new(self.descriptor.clone(), name),
        }
    }

    /// Creates a new file of this name that is appended to; the name must not exist yet.
    ///
    /// # Errors
    /// If the folder cannot be written, or the name exists.
    pub fn append(&self, name: &str) -> io::Result<AppendOnlyFile> {
        AppendOnlyFile::new(&self.descriptor, name)
    }

    /// Removes a file of this folder, if it exists.
    ///
    /// # Errors
    /// If the file system refuses.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        match unlinkat(&*self.descriptor, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(why) => Err(why.into()),
        }
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

    /// Removes the drafts that a killed run left in it.
    ///
    /// # Errors
    /// If it cannot be listed, or a draft cannot be removed.
    pub fn clear(&self) -> io::Result<()> {
        for entry in Dir::read_from(&*self.descriptor)? {
            let entry = entry?;
            if !entry.file_name().to_bytes().starts_with(DRAFT.as_bytes()) {
                continue;
            }
            match unlinkat(&*self.descriptor, entry.file_name(), AtFlags::empty()) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(why) => return Err(why.into()),
            }
        }
        Ok(())
    }
}

/// Returns why users other than this one can write to a folder, if they can. A sticky bit does not make it safe:
/// others could still create files with names that will be used later.
fn refusal(folder: &OwnedFd) -> io::Result<Option<FolderRefusal>> {
    let facts = fstat(folder)?;
    if facts.st_uid != 0 && facts.st_uid != geteuid().as_raw() {
        return Ok(Some(FolderRefusal::Owner { user: facts.st_uid }));
    }
    let mode = facts.st_mode & 0o7777;
    Ok(others_can_write(mode).then_some(FolderRefusal::Writable { mode }))
}

impl Folder {
    /// Writes a file of this name, readable by its owner only; an existing one is replaced.
    ///
    /// # Errors
    /// If the folder cannot be written, or the disk is full.
    pub fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut draft = self.draft(name)?;
        draft.write_all(bytes)?;
        draft.finish()?.place().map(drop)
    }
}

/// A new file of a folder that is only appended to.
#[derive(Debug)]
pub struct AppendOnlyFile(File);

impl AppendOnlyFile {
    /// Creates the file: an existing one of that name is neither opened nor followed.
    fn new(folder: &OwnedFd, name: &str) -> io::Result<Self> {
        let flags = OFlags::WRONLY
            | OFlags::APPEND
            | OFlags::CREATE
            | OFlags::EXCL
            | OFlags::NOFOLLOW
            | OFlags::CLOEXEC;
        Ok(Self(openat(folder, name, flags, Mode::RUSR | Mode::WUSR)?.into()))
    }

    /// Whether no folder has the file any more, so that what is written to it is lost.
    pub fn is_deleted(&self) -> bool {
        fstat(&self.0).is_ok_and(|facts| facts.st_nlink == 0)
    }

    /// Flushes what was written to the disk.
    ///
    /// # Errors
    /// If the disk is full or broken.
    pub fn sync(&self) -> io::Result<()> {
        self.0.sync_data()
    }
}

impl Write for AppendOnlyFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A folder that is not written to, and the reason.
#[derive(Debug, thiserror::Error)]
#[error("{}: {why}", .folder.display())]
pub struct FolderError {
    /// The folder as named.
    pub folder: PathBuf,
    pub why: FolderRefusal,
}

/// The reason why a folder is refused.
#[derive(Debug, thiserror::Error)]
pub enum FolderRefusal {
    /// It cannot be created, opened or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Another user owns it, who could take what is put in it and replace it.
    #[error("refused: it belongs to another user ({user}); expected a folder of your own")]
    Owner { user: u32 },
    /// Others can write to it.
    #[error(
        "refused: others can write it (mode {mode:04o}); expected a folder that only you can write (chmod go-w)"
    )]
    Writable {
        /// Its permissions.
        mode: u32,
    },
    /// Another process writes to it.
    #[error("refused: {} writes to it", writer(*process))]
    InUse {
        /// The id of the process, if known.
        process: Option<u32>,
    },
    /// It holds files that are not to be overwritten, or mixed with others.
    #[error(
        "refused: it holds `{name}`, which this command did not write; expected a new or an empty folder: remove its files, or name another"
    )]
    Filled {
        /// The first of them.
        name: String,
    },
    /// A link that others could have made leads to it.
    #[error("refused: `{}` is a link that is not followed: {why}", .link.display())]
    Link {
        link: PathBuf,
        /// Why it is not followed.
        why: LinkRefusal,
    },
}

fn writer(process: Option<u32>) -> String {
    process.map_or_else(|| "another process".to_owned(), |id| format!("process {id}"))
}

#[cfg(test)]
mod tests;
