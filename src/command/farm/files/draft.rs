//! A file that is written completely or not at all.

use std::io::{BufWriter, Write};
use std::path::Path;

use color_eyre::eyre::{Result, WrapErr, eyre};

use qscope_system::folder::Folder;

/// Writes a file as a draft that others cannot reach, and gives it its name when it is complete.
pub(in crate::command) fn write_atomically(
    folder: &Folder,
    name: &str,
    fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<()> {
    write(folder, name, fill)
        .wrap_err_with(|| format!("{}: cannot be written", folder.path().join(name).display()))
}

/// Writes a text at a path in the same way, replacing an existing file.
pub(in crate::command) fn write_atomically_at(path: &Path, text: &str) -> Result<()> {
    let named = || path.display().to_string();
    let name =
        path.file_name().and_then(|name| name.to_str()).ok_or_else(|| eyre!("{}: is no file", named()))?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = Folder::shared(parent).wrap_err_with(named)?;
    write_atomically(&folder, name, |out| out.write_all(text.as_bytes()))
}

fn write(
    folder: &Folder,
    name: &str,
    fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut out = BufWriter::new(folder.draft(name)?);
    fill(&mut out)?;
    out.into_inner()?.finish()?.place().map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_that_is_not_finished_leaves_nothing() {
        let home = tempfile::tempdir().unwrap();
        let folder = Folder::shared(home.path()).unwrap();
        let path = home.path().join("a.csv");
        let broken = write_atomically(&folder, "a.csv", |out| {
            out.write_all(b"half")?;
            Err(std::io::Error::other("killed"))
        });
        assert!(broken.is_err());
        assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
        std::fs::write(&path, "old").unwrap();
        write_atomically(&folder, "a.csv", |out| out.write_all(b"new")).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 1);
    }
}
