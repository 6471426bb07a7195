//! Reads only the answers of a published file: its head and its first part.

use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::GzDecoder;
use serde::Deserialize;

use super::{ANSWERS, FORMAT, MAGIC, PublishedAnswer, PublishedHeader};
use qscope_system::input::{self, InputError};

/// Why a file gives no answers.
#[derive(Debug, thiserror::Error)]
pub enum PublishedError {
    /// It cannot be opened.
    #[error("{path}: {why}", path = .0.display(), why = .1)]
    Open(PathBuf, InputError),
    /// It is not a published file.
    #[error("{path}: no file that qscope published; `qscope publish` writes one", path = .0.display())]
    Foreign(PathBuf),
    /// It was written in another version of the format.
    #[error("{path}: written in format {found}; this qscope reads format {FORMAT}", path = .path.display())]
    Version { path: PathBuf, found: String },
    /// Its end is missing.
    #[error("{path}: cut off: {found} of {expected} bytes", path = .path.display())]
    Cut { path: PathBuf, found: u64, expected: u64 },
    /// Its content is not what was written.
    #[error("{path}: damaged: {why}", path = .path.display())]
    Damaged { path: PathBuf, why: String },
}

/// Maximum size of the answers, in bytes: those of a million jobs.
const MOST: u64 = 1 << 30;

/// An opened published file.
#[derive(Debug)]
pub struct PublishedFile {
    pub header: PublishedHeader,
    /// The answers, one line of JSON each.
    lines: String,
}

/// The job and user of a line: the only fields read of lines that are not wanted.
#[derive(Deserialize)]
struct AnswerOwner<'a> {
    #[serde(borrow)]
    job: std::borrow::Cow<'a, str>,
    #[serde(borrow)]
    user: std::borrow::Cow<'a, str>,
}

impl PublishedFile {
    /// Reads the answers of a file.
    ///
    /// # Errors
    /// If there are none; the error states why.
    pub fn open(path: &Path) -> Result<Self, PublishedError> {
        let damaged = |why: String| PublishedError::Damaged { path: path.to_owned(), why };
        let failed = |why: InputError| PublishedError::Open(path.to_owned(), why);
        let mut file = input::open(path).map_err(failed)?;
        let length = file.metadata().map_err(|why| failed(why.into()))?.len();
        let mut bytes = Vec::new();
        file.by_ref().take(512).read_to_end(&mut bytes).map_err(|why| failed(why.into()))?;
        check(path, &bytes, length)?;
        // The bytes read for the head are the beginning of the first part.
        let mut part = GzDecoder::new(BufReader::with_capacity(1 << 16, io::Cursor::new(bytes).chain(file)));
        let mut header = [0; 512];
        part.read_exact(&mut header).map_err(|why| damaged(why.to_string()))?;
        let header = tar::Header::from_byte_slice(&header);
        let is_ours = header.path_bytes().as_ref() == ANSWERS.as_bytes();
        let size = header.size().ok().filter(|size| is_ours && *size <= MOST);
        let size = size.ok_or_else(|| damaged("the answers do not come first".to_owned()))?;
        let mut lines = String::new();
        part.take(size).read_to_string(&mut lines).map_err(|why| damaged(why.to_string()))?;
        if (lines.len() as u64) < size {
            return Err(damaged("the answers end early".to_owned()));
        }
        let end = lines.find('\n').ok_or_else(|| damaged("no head".to_owned()))?;
        let head = lines.get(..end).unwrap_or_default();
        let head: PublishedHeader =
            serde_json::from_str(head).map_err(|why| damaged(format!("the head: {why}")))?;
        lines.drain(..=end);
        Ok(Self { header: head, lines })
    }

    /// Returns the answers about the wanted jobs; `wanted` is called with the id (with or without the server) and the
    /// user.
    ///
    /// # Errors
    /// If a line cannot be read.
    pub fn answers(&self, wanted: &dyn Fn(&str, &str) -> bool) -> Result<Vec<PublishedAnswer>, String> {
        let mut found = Vec::new();
        for line in self.lines.lines() {
            let whose: AnswerOwner<'_> = serde_json::from_str(line).map_err(|why| why.to_string())?;
            if wanted(&whose.job, &whose.user) {
                found.push(serde_json::from_str(line).map_err(|why| why.to_string())?);
            }
        }
        Ok(found)
    }
}

/// Checks that the head of the file has the format read here, and that the file has the length that the head states.
fn check(path: &Path, bytes: &[u8], length: u64) -> Result<(), PublishedError> {
    let foreign = || PublishedError::Foreign(path.to_owned());
    let decoder = GzDecoder::new(bytes);
    let comment = decoder.header().and_then(|header| header.comment()).ok_or_else(foreign)?;
    let comment = std::str::from_utf8(comment).map_err(|_| foreign())?;
    let mut words = comment.split(' ');
    if words.next() != Some(MAGIC) {
        return Err(foreign());
    }
    let found = words.next().unwrap_or_default();
    if found != FORMAT.to_string() {
        return Err(PublishedError::Version { path: path.to_owned(), found: found.to_owned() });
    }
    let expected = words.next().and_then(|word| word.parse().ok()).ok_or_else(foreign)?;
    if length != expected {
        return Err(PublishedError::Cut { path: path.to_owned(), found: length, expected });
    }
    Ok(())
}
