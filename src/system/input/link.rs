//! Follows links one at a time, each checked before it is followed.

use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, Stat, fstat, fstatfs, openat, readlinkat};
use rustix::process::geteuid;

use super::{InputError, InputKind, is_made_up};
use crate::kernel::others_can_write;

/// The reason why a link is not followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkRefusal {
    /// It belongs to another user.
    Owner { user: u32 },
    /// The folder that holds it belongs to another user.
    FolderOwner { user: u32 },
    /// Others can write to the folder that holds it.
    FolderWritable {
        /// The permissions of that folder.
        mode: u32,
    },
}

impl fmt::Display for LinkRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Owner { user } => write!(f, "it belongs to another user ({user})"),
            Self::FolderOwner { user } => write!(f, "its folder belongs to another user ({user})"),
            Self::FolderWritable { mode } => write!(f, "others can write its folder (mode {mode:04o})"),
        }
    }
}

/// A name in a folder that is held open, so that what was checked is what is opened.
pub(crate) struct LinkPlace {
    folder: OwnedFd,
    name: OsString,
}

impl LinkPlace {
    /// Maximum number of links in a row that are followed, the same as the kernel's.
    pub(crate) const MAX_LINKS: usize = 40;

    /// Returns the place that a path leads to, without following its last name.
    pub(crate) fn of(path: &Path) -> Result<Self, InputError> {
        Self::from(CWD, path)
    }

    fn from(start: impl std::os::fd::AsFd, path: &Path) -> Result<Self, InputError> {
        let name = path.file_name().ok_or(InputError::Kind(InputKind::Folder))?.to_owned();
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = openat(start, parent, flags, Mode::empty()).map_err(io::Error::from)?;
        Ok(Self { folder, name })
    }

    /// Returns the target of a link at this place; `None` if it is a regular file.
    pub(crate) fn next(&self) -> Result<Option<Self>, InputError> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        // Checked with a path descriptor, which does not open the object: opening a device can have effects.
        let found = openat(&self.folder, &self.name, flags, Mode::empty()).map_err(io::Error::from)?;
        let facts = fstat(&found).map_err(io::Error::from)?;
        if let Some(kind) = InputKind::of(facts.st_mode) {
            return Err(InputError::Kind(kind));
        }
        if FileType::from_raw_mode(facts.st_mode) != FileType::Symlink {
            return Ok(None);
        }
        let holder = fstat(&self.folder).map_err(io::Error::from)?;
        if let Some(why) = link_refusal(&facts, &holder) {
            return Err(InputError::Link(why));
        }
        let target = readlinkat(&found, "", Vec::new()).map_err(io::Error::from)?;
        let target = PathBuf::from(OsString::from_vec(target.into_bytes()));
        Self::from(&self.folder, &target).map(Some)
    }

    /// Opens the folder of this place for writing to it, and returns it with the name.
    pub(crate) fn folder_and_name(self) -> io::Result<(OwnedFd, String)> {
        let name = self.name.into_string().map_err(|_| io::Error::other("the name is not UTF-8"))?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok((openat(&self.folder, ".", flags, Mode::empty())?, name))
    }

    /// Opens the regular file at this place. A pipe that replaced it meanwhile does not block.
    pub(super) fn open(&self) -> Result<File, InputError> {
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = openat(&self.folder, &self.name, flags, Mode::empty()).map_err(io::Error::from)?;
        let facts = fstat(&file).map_err(io::Error::from)?;
        if let Some(kind) = InputKind::of(facts.st_mode) {
            return Err(InputError::Kind(kind));
        }
        let system = fstatfs(&file).map_err(io::Error::from)?;
        if is_made_up(system.f_type as u64) {
            return Err(InputError::Kind(InputKind::Kernel));
        }
        Ok(file.into())
    }
}

/// Returns why a link in this folder is not followed, or `None` if it may be.
pub(crate) fn link_refusal(link: &Stat, folder: &Stat) -> Option<LinkRefusal> {
    let is_trusted = |user: u32| user == 0 || user == geteuid().as_raw();
    if !is_trusted(link.st_uid) {
        return Some(LinkRefusal::Owner { user: link.st_uid });
    }
    if !is_trusted(folder.st_uid) {
        return Some(LinkRefusal::FolderOwner { user: folder.st_uid });
    }
    let mode = folder.st_mode & 0o7777;
    others_can_write(mode).then_some(LinkRefusal::FolderWritable { mode })
}
