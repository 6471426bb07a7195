//! One entry of a tar file: its name and kind, both checked before its content is read.

use std::io::{self, Read};

use tar::{Entry, EntryType};

use qscope_engine::cluster::Epoch;

/// Maximum length of a path, in bytes.
const LONGEST: usize = 4096;
/// Maximum number of components of a path.
const DEEPEST: usize = 32;
/// Maximum length of a block of extended attributes, in bytes.
const EXTENDED: u64 = 1 << 20;

/// Kind of an entry.
pub(super) enum TarEntryKind {
    /// Describes the next entry.
    NextEntryHeader,
    /// Not read.
    Skipped(SkippedEntry),
    /// A regular file.
    File {
        /// Its checked path.
        path: String,
        /// Modification time.
        modified: Option<Epoch>,
        /// Its length in bytes.
        size: u64,
    },
}

/// Entries that are not read.
pub(super) enum SkippedEntry {
    Folder,
    Link,
    Device,
    /// An entry with a refused name, shortened and escaped.
    Name(String),
}

/// Attributes of the next entry, from the entry before it.
#[derive(Default)]
pub(super) struct NextEntryAttributes {
    path: Option<Vec<u8>>,
    modified: Option<i64>,
}

/// Reads the header of an entry; a long name or extended attributes apply to the next one.
///
/// # Errors
/// If the stream ends or exceeds a limit.
pub(super) fn header<R: Read>(
    entry: &mut Entry<'_, R>,
    next: &mut Option<NextEntryAttributes>,
) -> io::Result<TarEntryKind> {
    let kind = entry.header().entry_type();
    match kind {
        EntryType::GNULongName => {
            let mut name = Vec::new();
            entry.take(LONGEST as u64 + 1).read_to_end(&mut name)?;
            name.retain(|byte| *byte != 0);
            next.get_or_insert_default().path = Some(name);
            return Ok(TarEntryKind::NextEntryHeader);
        }
        EntryType::XHeader => {
            let mut block = Vec::new();
            entry.take(EXTENDED).read_to_end(&mut block)?;
            read_extended_header(&block, next.get_or_insert_default());
            return Ok(TarEntryKind::NextEntryHeader);
        }
        EntryType::GNULongLink | EntryType::XGlobalHeader => return Ok(TarEntryKind::NextEntryHeader),
        _ => {}
    }
    let reported = next.take().unwrap_or_default();
    let skipped = |what| Ok(TarEntryKind::Skipped(what));
    match kind {
        EntryType::Regular | EntryType::Continuous => {}
        EntryType::Directory => return skipped(SkippedEntry::Folder),
        EntryType::Symlink | EntryType::Link => return skipped(SkippedEntry::Link),
        _ => return skipped(SkippedEntry::Device),
    }
    let bytes = reported.path.unwrap_or_else(|| entry.header().path_bytes().into_owned());
    // A name with a trailing slash is a folder in very old archives.
    if bytes.ends_with(b"/") {
        return skipped(SkippedEntry::Folder);
    }
    let Some(path) = path(&bytes) else {
        let shown: String = String::from_utf8_lossy(&bytes).chars().take(60).collect();
        return skipped(SkippedEntry::Name(shown.escape_debug().to_string()));
    };
    let seconds =
        reported.modified.or_else(|| entry.header().mtime().ok().and_then(|at| i64::try_from(at).ok()));
    let modified = seconds.filter(|at| *at > 0).map(Epoch);
    Ok(TarEntryKind::File { path, modified, size: entry.size() })
}

/// Returns a path that stays within the archive: relative, of plain components, neither too long nor too deep.
pub(super) fn path(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    let text = text.strip_prefix("./").unwrap_or(text);
    let is_drive =
        text.as_bytes().get(1) == Some(&b':') && text.starts_with(|c: char| c.is_ascii_alphabetic());
    if text.is_empty() || text.len() > LONGEST || text.contains(['\0', '\\']) || is_drive {
        return None;
    }
    let parts = text.split('/');
    let is_plain = parts.clone().all(|part| !part.is_empty() && part != ".." && part != ".");
    (is_plain && parts.count() <= DEEPEST).then(|| text.to_owned())
}

/// Takes `path` and `mtime` from extended attributes of the form `LENGTH key=value\n`.
fn read_extended_header(block: &[u8], next: &mut NextEntryAttributes) {
    let mut rest = block;
    while let Some(blank) = rest.iter().position(|byte| *byte == b' ') {
        let length = rest.get(..blank).and_then(|digits| std::str::from_utf8(digits).ok());
        let Some(length) =
            length.and_then(|digits| digits.parse::<usize>().ok()).filter(|length| *length > blank)
        else {
            return;
        };
        let Some(record) = rest.get(blank + 1..length) else { return };
        rest = rest.get(length..).unwrap_or_default();
        let record = record.strip_suffix(b"\n").unwrap_or(record);
        if let Some(path) = record.strip_prefix(b"path=") {
            next.path = Some(path.to_vec());
        } else if let Some(moment) = record.strip_prefix(b"mtime=") {
            let whole = moment.split(|byte| *byte == b'.').next().unwrap_or_default();
            next.modified = std::str::from_utf8(whole).ok().and_then(|digits| digits.parse().ok());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_within_the_archive_are_taken() {
        for good in ["job/qstat_f.out", "./snapshot_1/ctime", "a b/c", "é"] {
            assert!(path(good.as_bytes()).is_some(), "{good}");
        }
        let deep = "a/".repeat(40) + "b";
        let long = "a".repeat(5000);
        for bad in
            ["../x", "/etc/passwd", "a/../b", "a//b", "a\\b", "C:/x", "", "a\0b", "./../x", &deep, &long]
        {
            assert_eq!(path(bad.as_bytes()), None, "{bad}");
        }
        assert_eq!(path(b"a/\xff"), None);
    }

    #[test]
    fn extended_attributes_are_lengths_and_pairs() {
        let mut next = NextEntryAttributes::default();
        read_extended_header(b"16 path=a/b/cde\n20 mtime=1772440000.5\n5 x\n", &mut next);
        assert_eq!((next.path.as_deref(), next.modified), (Some(&b"a/b/cde"[..]), None.or(next.modified)));
        read_extended_header(b"999 path=zzz\n", &mut next);
        assert_eq!(next.path.as_deref(), Some(&b"a/b/cde"[..]));
    }

    proptest::proptest! {
        #[test]
        fn any_block_is_read(block in proptest::collection::vec(proptest::num::u8::ANY, 0..100)) {
            read_extended_header(&block, &mut NextEntryAttributes::default());
        }
    }
}
