//! Writes the published file, replacing the previous one in one step.

use std::io::{self, Write};
use std::path::Path;

use flate2::{Compression, GzBuilder};

use super::{ANSWERS, FORMAT, MAGIC, PublishedAnswer, PublishedHeader};
use crate::dump::DumpFile;
use qscope_exits::Exit;
use qscope_exits::json::compact;
use qscope_system::folder::{Folder, FolderError, FolderRefusal};

/// Returns the bytes of a published file.
///
/// # Errors
/// Only if memory runs out: nothing else is written to.
pub fn write(head: &PublishedHeader, answers: &[PublishedAnswer], dumps: &[DumpFile]) -> io::Result<Vec<u8>> {
    let mut lines = compact(head)?;
    lines.push('\n');
    for answer in answers {
        lines.push_str(&compact(answer)?);
        lines.push('\n');
    }
    let first = tar_file(ANSWERS, lines.as_bytes(), head.now)?;
    let mut rest = Vec::new();
    for (name, bytes) in dumps {
        rest.extend(tar_file(&format!("published/{name}"), bytes, head.now)?);
    }
    // Two empty blocks end an archive.
    rest.resize(rest.len() + 1024, 0);
    let rest = compressed(GzBuilder::new(), &rest)?;
    // The length is stated in the header, which is part of that length: the field has a fixed width.
    let part = |whole: usize| {
        let comment = format!("{MAGIC} {FORMAT} {whole:012}");
        compressed(GzBuilder::new().comment(comment), &first)
    };
    let whole = part(0)?.len() + rest.len();
    let mut bytes = part(whole)?;
    bytes.extend(rest);
    Ok(bytes)
}

fn compressed(builder: GzBuilder, bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut out = builder.mtime(0).write(Vec::new(), Compression::fast());
    out.write_all(bytes)?;
    out.finish()
}

/// Returns one file of an archive, with its header, without the archive's end.
pub(crate) fn tar_file(name: &str, bytes: &[u8], modified: i64) -> io::Result<Vec<u8>> {
    let mut header = tar::Header::new_ustar();
    header.set_path(name)?;
    header.set_size(bytes.len() as u64);
    header.set_mode(0o644);
    header.set_mtime(u64::try_from(modified).unwrap_or(0));
    header.set_entry_type(tar::EntryType::Regular);
    header.set_cksum();
    let mut out = Vec::with_capacity(bytes.len() + 1024);
    out.extend_from_slice(header.as_bytes());
    out.extend_from_slice(bytes);
    out.resize(out.len().next_multiple_of(512), 0);
    Ok(out)
}

/// Writes a file at a path, replacing the previous one in one step; if `for_all`, any user may read it. Its folder
/// must exist. Of a link, the file that it leads to is replaced.
///
/// # Errors
/// If there is no such folder, it cannot be written, or the path leads to something other than a file.
pub fn place(path: &Path, page: &impl Exit, for_all: bool) -> Result<(), FolderError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let fail = |why: io::Error| FolderError { folder: folder.to_owned(), why: FolderRefusal::from(why) };
    if !folder.is_dir() {
        return Err(fail(io::Error::new(io::ErrorKind::NotFound, "there is no such folder")));
    }
    let (folder, name) = Folder::of_file(path)?;
    let placed = || {
        let mut draft = folder.draft(&name)?;
        draft.write_all(page.bytes())?;
        if for_all {
            draft.make_readable()?;
        }
        draft.finish()?.place()
    };
    placed().map(|_| ()).map_err(fail)
}
