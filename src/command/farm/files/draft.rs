//! A file that is there whole or not at all.

use std::io::{BufWriter, Write};

use color_eyre::eyre::{Result, WrapErr};

use qscope_system::folder::Folder;

/// Writes a file where others cannot reach it first and gives it its name when it is complete.
pub(super) fn whole(
    folder: &Folder,
    name: &str,
    fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<()> {
    write(folder, name, fill)
        .wrap_err_with(|| format!("{}: cannot be written", folder.path().join(name).display()))
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
        let broken = whole(&folder, "a.csv", |out| {
            out.write_all(b"half")?;
            Err(std::io::Error::other("killed"))
        });
        assert!(broken.is_err());
        assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
        std::fs::write(&path, "old").unwrap();
        whole(&folder, "a.csv", |out| out.write_all(b"new")).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 1);
    }
}
