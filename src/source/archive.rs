//! Archives, read entry by entry in memory: nothing is written to disk, and untrusted content stays within named
//! limits (sites 1.8).

mod compressed;
mod limits;
mod member;
mod tree;
mod zero_tail;

use std::io::Read;

use rustc_hash::FxHashMap;

pub(crate) use self::compressed::{first_bytes, unpack as gunzip};
pub use self::limits::ArchiveLimits;
pub(crate) use self::tree::{DiagnosticTree, HOSTS, SUBJOBS, TreeFileRole, is_never_read};

use self::limits::{ExceededLimit, LimitedReader};
use self::member::{SkippedEntry, TarEntryKind, header};
use self::zero_tail::ZeroTail;
use crate::intake::kind::{ContainerFormat, HEAD};
use qscope_engine::cluster::{Epoch, Severity};

/// A file of an archive that was kept.
#[derive(Clone, Debug)]
pub(crate) struct ArchiveMember {
    pub(crate) path: String,
    /// Its content.
    pub(crate) bytes: Vec<u8>,
    /// Modification time according to the archive.
    pub(crate) modified: Option<Epoch>,
    /// Whether the archive ends within the file.
    pub(crate) is_cut: bool,
}

/// Content of an archive.
#[derive(Clone, Debug, Default)]
pub(crate) struct ArchiveContents {
    /// The wanted files, in order; of several with the same path the last.
    pub(crate) members: Vec<ArchiveMember>,
    /// Index in `members` by path.
    member_index: FxHashMap<String, usize>,
    /// Every other regular file: its path and why it was skipped.
    pub(crate) skipped: Vec<(String, &'static str)>,
    /// Day and path of the scheduler's newest log.
    newest_log: Option<(String, String)>,
    /// Number of folders, which are not reported.
    folders: usize,
    /// Number of links; `devices` counts other entries that are not files.
    pub(crate) links: usize,
    pub(crate) devices: usize,
    /// Refused names, shortened and escaped.
    pub(crate) refused_names: Vec<String>,
    /// Paths that occur more than once.
    pub(crate) repeated: Vec<String>,
    /// Why reading ended before the end of the archive.
    pub(crate) early_end: Option<String>,
}

/// Decides by path and first bytes whether a file is wanted; the error is the reason if not.
pub(crate) type MemberFilter<'w> = &'w dyn Fn(&str, &[u8]) -> Result<(), &'static str>;

/// Reads an archive, compressed or not.
///
/// # Errors
/// If a limit is exceeded or the container cannot be read.
pub(crate) fn read(
    file: impl Read,
    container: ContainerFormat,
    limits: ArchiveLimits,
    wanted: MemberFilter<'_>,
) -> Result<ArchiveContents, String> {
    let mut contents = ArchiveContents::default();
    let outcome = match container {
        ContainerFormat::Tar => {
            let mut stream = ZeroTail::new(LimitedReader::plain(file, limits));
            let read = entries(&mut stream, limits, wanted, &mut contents);
            // Cut between two files, it ends without the block of zeros that ends an archive.
            read.and_then(|()| match stream.ends_archive() {
                false => Err(ArchiveEnd::Broken("cut short".to_owned())),
                true => Ok(()),
            })
        }
        ContainerFormat::Gzip => {
            let mut stream = compressed::stream(file, limits);
            let read = entries(&mut stream, limits, wanted, &mut contents);
            // The end of the compressed stream, with its checksum, is behind that of the archive.
            let rest = read.map(|()| std::io::copy(&mut stream, &mut std::io::sink()));
            rest.and_then(|rest| match rest {
                Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Err(error.into()),
                _ => Ok(()),
            })
        }
        other => return Err(not_read(other)),
    };
    match outcome {
        Ok(()) => Ok(contents),
        Err(ArchiveEnd::Refused(why)) => Err(why.to_string()),
        // Cut short or damaged: the complete files count.
        Err(ArchiveEnd::Broken(why)) => {
            contents.early_end = Some(why);
            Ok(contents)
        }
    }
}

/// Returns the message for a container that is not read.
pub(crate) fn not_read(container: ContainerFormat) -> String {
    let (word, how) = match container {
        ContainerFormat::Gzip => {
            return "found gzip under a name of no dump or file of the scheduler: name the file itself, or unpack it \
                    with `gunzip -k`"
                .to_owned();
        }
        ContainerFormat::Bzip2 => ("bzip2", "bunzip2 -k"),
        ContainerFormat::Xz => ("xz", "xz -dk"),
        ContainerFormat::Zstd => ("zstd", "zstd -d"),
        ContainerFormat::Zip => ("zip", "unzip"),
        ContainerFormat::Tar => ("tar", "tar -x"),
    };
    format!("found {word}; expected tar, gzip or a folder: `{how}` makes one")
}

/// Why reading the entries ended.
enum ArchiveEnd {
    /// A limit was exceeded.
    Refused(ExceededLimit),
    /// The stream cannot be read, with the reason.
    Broken(String),
}

impl From<std::io::Error> for ArchiveEnd {
    fn from(error: std::io::Error) -> Self {
        match ExceededLimit::of(&error) {
            Some(refused) => Self::Refused(refused),
            None if error.kind() == std::io::ErrorKind::UnexpectedEof => Self::Broken("cut short".to_owned()),
            None => Self::Broken(error.to_string()),
        }
    }
}

fn entries(
    stream: impl Read,
    limits: ArchiveLimits,
    wanted: MemberFilter<'_>,
    contents: &mut ArchiveContents,
) -> Result<(), ArchiveEnd> {
    let mut archive = tar::Archive::new(stream);
    let mut long_name = None;
    let mut count = 0_u64;
    for entry in archive.entries()?.raw(true) {
        let mut entry = entry?;
        count += 1;
        limits.members(count).map_err(ArchiveEnd::Refused)?;
        match header(&mut entry, &mut long_name)? {
            TarEntryKind::NextEntryHeader => {}
            TarEntryKind::Skipped(what) => contents.skip(what),
            TarEntryKind::File { path, modified, size } => {
                limits.member(&path, size).or_else(|refused| {
                    // A large file that no input needs is skipped like any other.
                    let mut head = vec![0; HEAD];
                    let read = read_up_to(&mut entry, &mut head)?;
                    let is_wanted = wanted(&path, head.get(..read).unwrap_or_default()).is_ok();
                    if is_wanted { Err(ArchiveEnd::Refused(refused)) } else { Ok(()) }
                })?;
                if size <= limits.member {
                    file(&mut entry, path, modified, size, wanted, contents)?;
                } else {
                    contents.skipped.push((path, "not needed"));
                }
            }
        }
    }
    Ok(())
}

/// Keeps or skips one file.
fn file(
    entry: &mut impl Read,
    path: String,
    modified: Option<Epoch>,
    size: u64,
    wanted: MemberFilter<'_>,
    contents: &mut ArchiveContents,
) -> Result<(), ArchiveEnd> {
    let length = usize::try_from(size).unwrap_or(usize::MAX).min(HEAD);
    let mut bytes = vec![0; length];
    let (read, mut broken) = match read_up_to(entry, &mut bytes) {
        Ok(read) => (read, None),
        Err(error) => (0, Some(error)),
    };
    bytes.truncate(read);
    if let Err(why) = wanted(&path, &bytes) {
        contents.skipped.push((path, why));
        return broken.map_or(Ok(()), |error| Err(error.into()));
    }
    if broken.is_none()
        && let Err(error) = entry.read_to_end(&mut bytes)
    {
        broken = Some(error);
    }
    let is_cut = broken.is_some() || (bytes.len() as u64) < size;
    contents.add_member(ArchiveMember { path, bytes, modified, is_cut });
    match broken {
        Some(error) => Err(error.into()),
        None if is_cut => Err(ArchiveEnd::Broken("cut short".to_owned())),
        None => Ok(()),
    }
}

/// Fills a buffer as far as the reader has data.
fn read_up_to(from: &mut impl Read, into: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = into.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match from.read(rest)? {
            0 => break,
            read => filled += read,
        }
    }
    Ok(filled)
}

impl ArchiveContents {
    fn skip(&mut self, what: SkippedEntry) {
        match what {
            SkippedEntry::Folder => self.folders += 1,
            SkippedEntry::Link => self.links += 1,
            SkippedEntry::Device => self.devices += 1,
            SkippedEntry::Name(name) => self.refused_names.push(name),
        }
    }

    /// Keeps a file, replacing an earlier one with its path. Of the scheduler's logs only the newest keeps its bytes.
    fn add_member(&mut self, mut member: ArchiveMember) {
        if let Some((folder, day)) = member.path.rsplit_once('/')
            && folder.rsplit('/').next() == Some("sched_logs")
        {
            let day = day.to_owned();
            match &mut self.newest_log {
                Some((newest, _)) if *newest > day => member.bytes = Vec::new(),
                newest => {
                    if let Some((_, before)) = newest.replace((day, member.path.clone()))
                        && let Some(older) =
                            self.member_index.get(&before).and_then(|at| self.members.get_mut(*at))
                    {
                        older.bytes = Vec::new();
                    }
                }
            }
        }
        let place = *self.member_index.entry(member.path.clone()).or_insert(self.members.len());
        if let Some(have) = self.members.get_mut(place) {
            self.repeated.push(member.path.clone());
            *have = member;
        } else {
            self.members.push(member);
        }
    }

    /// Returns what to report about the archive, one sentence each; if it was cut short, something was not read.
    pub(crate) fn sentences(&self) -> Vec<(Severity, &'static str, String)> {
        let mut reported = Vec::new();
        let things = |count: usize, one: &str, many: &str| {
            if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
        };
        if self.links + self.devices > 0 {
            let (links, devices) =
                (things(self.links, "link", "links"), things(self.devices, "other entry", "other entries"));
            reported.push((
                Severity::Warning,
                "archive-links",
                format!("skipped {links} and {devices} that are no regular files"),
            ));
        }
        if let Some(first) = self.refused_names.first() {
            let names = things(self.refused_names.len(), "entry", "entries");
            reported.push((
                Severity::Warning,
                "archive-names",
                format!(
                    "refused {names} by their names, such as `{first}`; expected a path within the archive"
                ),
            ));
        }
        for path in &self.repeated {
            reported.push((
                Severity::Warning,
                "archive-repeated",
                format!("{path} stands in it twice; the last one counts"),
            ));
        }
        if let Some(why) = &self.early_end {
            let kept = things(self.members.len(), "file", "files");
            reported.push((Severity::Error, "archive-cut", format!("{why}; kept the {kept} before that")));
        }
        reported
    }
}

#[cfg(test)]
mod tests;
