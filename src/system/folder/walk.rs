//! Reaches a folder name by name, so that every link on the way is checked before it is followed.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, mkdirat, openat, readlinkat};
use rustix::io::Errno;

use super::FolderRefusal;
use crate::input::link_refusal;

/// Maximum number of links that are followed in all, the same as the kernel's.
const MAX_LINKS: usize = 40;

/// Opens a folder; missing parts of its path are created, for their owner only.
pub(super) fn open_or_create(path: &Path) -> Result<OwnedFd, FolderRefusal> {
    let mut here = start(path)?;
    let mut seen = PathBuf::new();
    let mut links = 0;
    // The names that remain, the next one last.
    let mut ahead: Vec<OsString> = names(path);
    while let Some(name) = ahead.pop() {
        seen.push(&name);
        match step(&here, &name)? {
            PathStep::Directory(folder) => here = folder,
            PathStep::Link(link) => {
                links += 1;
                if links > MAX_LINKS {
                    return Err(io::Error::from(Errno::LOOP).into());
                }
                let (facts, holder) =
                    (fstat(&link).map_err(io::Error::from)?, fstat(&here).map_err(io::Error::from)?);
                if let Some(why) = link_refusal(&facts, &holder) {
                    return Err(FolderRefusal::Link { link: seen, why });
                }
                let target = readlinkat(&link, "", Vec::new()).map_err(io::Error::from)?;
                let target = PathBuf::from(OsString::from_vec(target.into_bytes()));
                if target.is_absolute() {
                    here = start(&target)?;
                }
                ahead.extend(names(&target));
            }
        }
    }
    // Listing and creating files need more than a path descriptor.
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(openat(&here, ".", flags, Mode::empty()).map_err(io::Error::from)?)
}

/// What a name refers to.
enum PathStep {
    Directory(OwnedFd),
    Link(OwnedFd),
}

fn step(here: &OwnedFd, name: &OsStr) -> io::Result<PathStep> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let found = match openat(here, name, flags, Mode::empty()) {
        Err(Errno::NOENT) => {
            match mkdirat(here, name, Mode::RWXU) {
                // If another process created it meanwhile, it is checked like any other.
                Ok(()) | Err(Errno::EXIST) => {}
                Err(why) => return Err(why.into()),
            }
            openat(here, name, flags, Mode::empty())?
        }
        found => found?,
    };
    match FileType::from_raw_mode(fstat(&found)?.st_mode) {
        FileType::Symlink => Ok(PathStep::Link(found)),
        FileType::Directory => Ok(PathStep::Directory(found)),
        _ => Err(Errno::NOTDIR.into()),
    }
}

fn start(path: &Path) -> io::Result<OwnedFd> {
    let start = if path.is_absolute() { "/" } else { "." };
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(openat(CWD, start, flags, Mode::empty())?)
}

/// Returns the names of a path, the first one last.
fn names(path: &Path) -> Vec<OsString> {
    let names = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        Component::RootDir | Component::CurDir | Component::Prefix(_) => None,
    });
    let mut names: Vec<OsString> = names.collect();
    names.reverse();
    names
}
