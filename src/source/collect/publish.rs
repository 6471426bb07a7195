//! Putting whole files in the place of others in one step, for their owner only.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// What the names of our temporary files begin with.
const DRAFT: &str = ".qscope-";

/// A folder that is written to.
#[derive(Debug)]
pub(super) struct Publisher {
    folder: PathBuf,
}

/// A file in the making; it goes when it is dropped without being published.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) file: File,
    path: PathBuf,
    target: PathBuf,
    published: bool,
}

impl Publisher {
    /// Makes the folder if need be, and clears away what a killed round left.
    pub(super) fn new(folder: &Path) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let ours =
                path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(DRAFT.as_bytes()));
            if ours
                && let Err(why) = fs::remove_file(&path)
                && why.kind() != io::ErrorKind::NotFound
            {
                return Err(why);
            }
        }
        Ok(Self { folder: folder.to_owned() })
    }

    /// Whether there is a file of this name.
    pub(super) fn stands(&self, name: &str) -> bool {
        self.folder.join(name).exists()
    }

    /// A new draft of a file, next to it.
    pub(super) fn draft(&self, name: &str) -> io::Result<Draft> {
        let path = self.folder.join(format!("{DRAFT}{}-{name}", std::process::id()));
        let file =
            OpenOptions::new().read(true).write(true).create(true).truncate(true).mode(0o600).open(&path)?;
        Ok(Draft { file, path, target: self.folder.join(name), published: false })
    }
}

impl Draft {
    /// All that was written into it.
    pub(super) fn read(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(&self.path)?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Makes these bytes, safe on the disk, all there is in it.
    pub(super) fn fill(mut self, bytes: &[u8]) -> io::Result<Ready> {
        self.file.seek(SeekFrom::Start(0))?;
        self.file.set_len(0)?;
        self.file.write_all(bytes)?;
        self.file.sync_all()?;
        Ok(Ready { draft: self, bytes: bytes.len() as u64 })
    }

    /// Puts these bytes in the place of the target and says how many they are.
    pub(super) fn publish(self, bytes: &[u8]) -> io::Result<u64> {
        self.fill(bytes)?.place()
    }
}

/// A whole file that is not in its place yet; it goes when it is dropped.
#[derive(Debug)]
pub(super) struct Ready {
    draft: Draft,
    /// How many bytes it has.
    pub(super) bytes: u64,
}

impl Ready {
    /// Puts it in the place of the target and says how many bytes it has.
    pub(super) fn place(mut self) -> io::Result<u64> {
        let draft = &mut self.draft;
        fs::rename(&draft.path, &draft.target)?;
        draft.published = true;
        if let Some(folder) = draft.target.parent() {
            // Not every file system can; the file itself is safe already.
            let _synced = File::open(folder).and_then(|folder| folder.sync_all());
        }
        Ok(self.bytes)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.published {
            let _gone = fs::remove_file(&self.path);
        }
    }
}
