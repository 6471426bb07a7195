//! A file that is there whole or not at all.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use color_eyre::eyre::{Result, WrapErr};

/// Writes a file under another name first and gives it its own when it is complete.
pub(super) fn whole(path: &Path, fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<()> {
    let draft = Draft::new(path).wrap_err_with(|| format!("{}: cannot be written", path.display()))?;
    draft.write(path, fill).wrap_err_with(|| format!("{}: cannot be written", path.display()))
}

/// A file that has no name yet: a run that is killed leaves nothing. Where the file system cannot do that, a
/// hidden name that is removed on the way out.
struct Draft {
    file: File,
    hidden: Option<PathBuf>,
}

impl Draft {
    fn new(path: &Path) -> std::io::Result<Self> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let nameless = rustix::fs::OFlags::TMPFILE | rustix::fs::OFlags::WRONLY | rustix::fs::OFlags::CLOEXEC;
        if let Ok(file) = rustix::fs::open(folder, nameless, rustix::fs::Mode::from_raw_mode(0o600)) {
            return Ok(Self { file: file.into(), hidden: None });
        }
        let hidden = hidden_name(path);
        let file = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&hidden)?;
        Ok(Self { file, hidden: Some(hidden) })
    }

    fn write(
        mut self,
        path: &Path,
        fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> std::io::Result<()> {
        let mut out = BufWriter::new(&self.file);
        fill(&mut out)?;
        out.flush()?;
        drop(out);
        self.file.sync_all()?;
        let hidden = match &self.hidden {
            Some(hidden) => hidden.clone(),
            None => self.give_name(path)?,
        };
        std::fs::rename(&hidden, path)?;
        self.hidden = None;
        Ok(())
    }

    /// A complete file gets a hidden name, for a moment, since only renaming replaces an older file.
    fn give_name(&mut self, path: &Path) -> std::io::Result<PathBuf> {
        use std::os::fd::AsRawFd;
        let hidden = hidden_name(path);
        let _older = std::fs::remove_file(&hidden);
        let at = format!("/proc/self/fd/{}", self.file.as_raw_fd());
        let here = rustix::fs::CWD;
        rustix::fs::linkat(here, &at, here, &hidden, rustix::fs::AtFlags::SYMLINK_FOLLOW)?;
        self.hidden = Some(hidden.clone());
        Ok(hidden)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if let Some(hidden) = &self.hidden {
            // Nothing can be done about a draft that cannot be removed.
            let _removed = std::fs::remove_file(hidden);
        }
    }
}

fn hidden_name(path: &Path) -> PathBuf {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    path.with_file_name(format!(".{name}.{}", std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_that_is_not_finished_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let broken = whole(&path, |out| {
            out.write_all(b"half")?;
            Err(std::io::Error::other("killed"))
        });
        assert!(broken.is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        std::fs::write(&path, "old").unwrap();
        whole(&path, |out| out.write_all(b"new")).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
