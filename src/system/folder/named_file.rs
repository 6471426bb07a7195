//! The place of a file that a user names to be written.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use super::{Folder, FolderError, FolderRefusal};
use crate::input::{InputError, InputKind, LinkPlace};

impl Folder {
    /// Returns the folder and the name under which a file of this path is written: of a link to a file, those of the
    /// file that it leads to. The file itself need not exist.
    ///
    /// # Errors
    /// If its folder does not exist; if the path leads to a pipe, a device or a folder, in whose place a file would
    /// remove it for everyone who uses it; or if others could have made a link on the way.
    pub fn of_file(path: &Path) -> Result<(Self, String), FolderError> {
        let refuse = |why: FolderRefusal| FolderError { folder: path.to_owned(), why };
        let no_file = |kind: InputKind| {
            refuse(io::Error::other(format!("is {kind}; expected the file to write")).into())
        };
        // Also for links that only the kernel can follow, such as those in /proc.
        if let Some(kind) = fs::metadata(path).ok().and_then(|facts| InputKind::of(facts.mode())) {
            return Err(no_file(kind));
        }
        let failed = |why: InputError| match why {
            InputError::Io(why) => refuse(why.into()),
            InputError::Kind(kind) => no_file(kind),
            InputError::Link(why) => refuse(FolderRefusal::Link { link: path.to_owned(), why }),
            other => refuse(io::Error::other(other.to_string()).into()),
        };
        let mut place = LinkPlace::of(path).map_err(failed)?;
        for _ in 0..LinkPlace::MAX_LINKS {
            match place.next() {
                Ok(Some(next)) => place = next,
                Err(InputError::Io(why)) if why.kind() != io::ErrorKind::NotFound => {
                    return Err(refuse(why.into()));
                }
                Ok(None) | Err(InputError::Io(_)) => {
                    let (descriptor, name) = place.folder_and_name().map_err(|why| refuse(why.into()))?;
                    let folder = path.parent().unwrap_or(path).to_owned();
                    return Ok((Self { descriptor: Arc::new(descriptor), path: folder }, name));
                }
                Err(why) => return Err(failed(why)),
            }
        }
        Err(refuse(io::Error::from(rustix::io::Errno::LOOP).into()))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::fs::symlink;

    use super::*;

    fn write(path: &Path) -> Result<(), String> {
        let (folder, name) = Folder::of_file(path).map_err(|why| why.to_string())?;
        let mut draft = folder.draft(&name).unwrap();
        draft.write_all(b"new").unwrap();
        draft.finish().unwrap().place().unwrap();
        Ok(())
    }

    #[test]
    fn a_link_stays_and_its_file_is_written() {
        let home = tempfile::tempdir().unwrap();
        let path_of = |name: &str| home.path().join(name);
        fs::create_dir(path_of("other")).unwrap();
        fs::write(path_of("other/page"), "old").unwrap();
        symlink("other/page", path_of("one")).unwrap();
        symlink("one", path_of("two")).unwrap();
        symlink("other/new", path_of("three")).unwrap();
        for (name, file) in [("two", "other/page"), ("three", "other/new"), ("plain", "plain")] {
            write(&path_of(name)).unwrap();
            assert_eq!(fs::read(path_of(file)).unwrap(), b"new", "{name}");
        }
        for name in ["one", "two", "three"] {
            assert!(path_of(name).is_symlink(), "{name}");
        }
        assert!(write(&path_of("none/x")).unwrap_err().contains("No such file"));
    }

    #[test]
    fn pipes_and_devices_stay_and_are_named() {
        let home = tempfile::tempdir().unwrap();
        let path_of = |name: &str| home.path().join(name);
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        let fifo = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, path_of("pipe"), fifo, mode, 0).unwrap();
        symlink("pipe", path_of("to-pipe")).unwrap();
        symlink("/dev/null", path_of("to-device")).unwrap();
        for (name, kind) in [("pipe", "a named pipe"), ("to-pipe", "a named pipe"), ("to-device", "a device")]
        {
            let expected = format!("{}: is {kind}; expected the file to write", path_of(name).display());
            assert_eq!(write(&path_of(name)).unwrap_err(), expected);
        }
        assert!(path_of("to-pipe").is_symlink());
        assert_eq!(InputKind::of(fs::metadata(path_of("pipe")).unwrap().mode()), Some(InputKind::Pipe));
    }
}
