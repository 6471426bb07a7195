//! The files that a snapshot was read from: what each one is, and when it was made.

use super::{Epoch, Name, Seconds};

/// In which form a file was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum FileForm {
    #[default]
    #[strum(serialize = "JSON")]
    Json,
    /// Text, as the clients print by default.
    Text,
    /// The hand-written form.
    #[strum(serialize = "TOML")]
    Toml,
    /// A file of the scheduler's own.
    #[strum(serialize = "own")]
    Native,
}

impl FileForm {
    /// The word for people.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// One file that was read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FileRecord {
    /// Its name within the folder.
    pub name: Name,
    /// The name under which its input is usually found, where its own is another.
    pub stands_for: Option<Name>,
    pub form: FileForm,
    /// How many records it holds.
    pub records: usize,
    /// Its size in bytes.
    pub bytes: u64,
    /// When it was made, by its own account.
    pub timestamp: Option<Epoch>,
    /// When it was written, by the file system.
    pub modified: Option<Epoch>,
    /// The server it names.
    pub server: Option<Name>,
    /// The version it names.
    pub version: Option<Name>,
    /// Why it was left aside, if it was.
    pub unused: Option<String>,
}

impl FileRecord {
    /// A file of so many bytes and records, without a time of its own.
    pub fn plain(name: &str, form: FileForm, bytes: &[u8], records: usize) -> Self {
        Self { name: name.into(), form, records, bytes: bytes.len() as u64, ..Self::default() }
    }

    /// The name under which its input is usually found.
    pub fn input_name(&self) -> &str {
        self.stands_for.as_deref().unwrap_or(&self.name)
    }

    /// Whether it was used, not left aside.
    pub fn is_used(&self) -> bool {
        self.unused.is_none()
    }

    /// When it was made: by its own account, else when it was written.
    pub fn made(&self) -> Option<Epoch> {
        self.timestamp.or(self.modified)
    }
}

/// The oldest of the files used with a time of their own, and how much older than the newest it is; none where
/// fewer than two have one.
pub fn skew(files: &[FileRecord]) -> Option<(&FileRecord, Seconds)> {
    let dated =
        || files.iter().filter(|file| file.is_used()).filter_map(|file| Some((file.timestamp?, file)));
    let (from, oldest) = dated().min_by_key(|(stamp, _)| *stamp)?;
    let (to, _) = dated().max_by_key(|(stamp, _)| *stamp)?;
    (dated().count() > 1).then(|| (oldest, to - from))
}
