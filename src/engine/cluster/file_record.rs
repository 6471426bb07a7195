//! The files that a snapshot was read from: their formats, contents and times.

use super::{Epoch, Name, Seconds};

/// Format of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum FileFormat {
    #[default]
    #[strum(serialize = "JSON")]
    Json,
    /// Text, as the clients print by default.
    Text,
    /// The hand-written format.
    #[strum(serialize = "TOML")]
    Toml,
    /// A configuration file of the scheduler, such as `sched_config`.
    #[strum(serialize = "own")]
    Native,
}

impl FileFormat {
    /// Returns the word for display.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// One file that was read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FileRecord {
    /// Name within the folder.
    pub name: Name,
    /// Usual name of this input, if the file has another one.
    pub usual_name: Option<Name>,
    pub form: FileFormat,
    /// Number of records.
    pub records: usize,
    /// Size in bytes.
    pub bytes: u64,
    /// Time of creation, according to its contents.
    pub timestamp: Option<Epoch>,
    /// Time of the last write, according to the file system.
    pub modified: Option<Epoch>,
    /// Name of the server in it.
    pub server: Option<Name>,
    /// Version in it.
    pub version: Option<Name>,
    /// Why it was not used, if so.
    pub unused: Option<String>,
}

impl FileRecord {
    /// Creates the record of a file without a time of its own.
    pub fn plain(name: &str, form: FileFormat, bytes: &[u8], records: usize) -> Self {
        Self { name: name.into(), form, records, bytes: bytes.len() as u64, ..Self::default() }
    }

    /// Returns the usual name of this input.
    pub fn input_name(&self) -> &str {
        self.usual_name.as_deref().unwrap_or(&self.name)
    }

    /// Whether it was used.
    pub fn is_used(&self) -> bool {
        self.unused.is_none()
    }

    /// Returns the time of creation: the one in its contents, else that of the last write.
    pub fn made(&self) -> Option<Epoch> {
        self.timestamp.or(self.modified)
    }
}

/// Returns the times of the dumps of nodes and of jobs that were used, both by the same clock: by their contents if both
/// state it, else by the file system. A copy of a file has a new time there, so one of each must not be compared.
pub fn made_of_nodes_and_jobs(files: &[FileRecord]) -> [Option<Epoch>; 2] {
    let newest = |prefix: &str| {
        let used = files.iter().filter(|file| file.is_used() && file.input_name().starts_with(prefix));
        used.max_by_key(|file| file.made())
    };
    let dumps = [newest("nodes."), newest("jobs")];
    let all_by = |time: fn(&FileRecord) -> Option<Epoch>| {
        let times = dumps.map(|dump| dump.and_then(time));
        times.iter().all(Option::is_some).then_some(times)
    };
    let both = all_by(|file| file.timestamp).or_else(|| all_by(|file| file.modified));
    both.unwrap_or_else(|| dumps.map(|dump| dump.and_then(FileRecord::made)))
}

/// Returns the oldest file used that has a time of its own, and how much older than the newest it is; `None` if fewer
/// than two have one.
pub fn skew(files: &[FileRecord]) -> Option<(&FileRecord, Seconds)> {
    let dated =
        || files.iter().filter(|file| file.is_used()).filter_map(|file| Some((file.timestamp?, file)));
    let (from, oldest) = dated().min_by_key(|(stamp, _)| *stamp)?;
    let (to, _) = dated().max_by_key(|(stamp, _)| *stamp)?;
    (dated().count() > 1).then(|| (oldest, to - from))
}
