//! Reaching a folder name by name, so that every link on the way is looked at before it is followed.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, mkdirat, openat, readlinkat};
use rustix::io::Errno;

use super::Refusal;
use crate::input::distrust;

/// So many links are followed in all, as by the kernel.
const MAX_LINKS: usize = 40;

/// Opens a folder; what is missing of its path is made, for its owner only.
pub(super) fn reach(path: &Path) -> Result<OwnedFd, Refusal> {
    let mut here = start(path)?;
    let mut seen = PathBuf::new();
    let mut links = 0;
    // The names still to go, the next one last.
    let mut ahead: Vec<OsString> = names(path);
    while let Some(name) = ahead.pop() {
        seen.push(&name);
        match step(&here, &name)? {
            Step::Into(folder) => here = folder,
            Step::Link(link) => {
                links += 1;
                if links > MAX_LINKS {
                    return Err(io::Error::from(Errno::LOOP).into());
                }
                let (facts, holder) =
                    (fstat(&link).map_err(io::Error::from)?, fstat(&here).map_err(io::Error::from)?);
                if let Some(why) = distrust(&facts, &holder) {
                    return Err(Refusal::Link { link: seen, why });
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
    // Listing and making files need more than the descriptor of a path.
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(openat(&here, ".", flags, Mode::empty()).map_err(io::Error::from)?)
}

/// What stands at a name.
enum Step {
    Into(OwnedFd),
    Link(OwnedFd),
}

fn step(here: &OwnedFd, name: &OsStr) -> io::Result<Step> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let found = match openat(here, name, flags, Mode::empty()) {
        Err(Errno::NOENT) => {
            match mkdirat(here, name, Mode::RWXU) {
                // Made by another meanwhile: looked at like any other.
                Ok(()) | Err(Errno::EXIST) => {}
                Err(why) => return Err(why.into()),
            }
            openat(here, name, flags, Mode::empty())?
        }
        found => found?,
    };
    match FileType::from_raw_mode(fstat(&found)?.st_mode) {
        FileType::Symlink => Ok(Step::Link(found)),
        FileType::Directory => Ok(Step::Into(found)),
        _ => Err(Errno::NOTDIR.into()),
    }
}

fn start(path: &Path) -> io::Result<OwnedFd> {
    let start = if path.is_absolute() { "/" } else { "." };
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(openat(CWD, start, flags, Mode::empty())?)
}

/// The names of a path, the first one last.
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
