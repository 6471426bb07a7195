//! The files of a recording, such as `00000012.qrec`, ordered by number.

use std::path::{Path, PathBuf};

use crate::error::RecordError;

/// File name extension of segments.
const ENDING: &str = ".qrec";

/// Minimum number of digits in the name of a segment.
const DIGITS: usize = 8;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Segment {
    pub(crate) number: u64,
    /// File name.
    pub(crate) name: String,
    /// Size in bytes.
    pub(crate) bytes: u64,
}

pub(crate) fn name_of(number: u64) -> String {
    format!("{number:0DIGITS$}{ENDING}")
}

/// Returns the segments of a folder in order; empty if the folder does not exist.
///
/// # Errors
/// The folder cannot be listed.
pub(crate) fn segments(folder: &Path) -> Result<Vec<Segment>, RecordError> {
    let fail = |cause| RecordError::File { file: folder.to_owned(), cause };
    let entries = match std::fs::read_dir(folder) {
        Err(why) if why.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        listed => listed.map_err(fail)?,
    };
    let mut all = Vec::new();
    for entry in entries {
        let entry = entry.map_err(fail)?;
        let Some(number) = entry.file_name().to_str().and_then(number_of) else { continue };
        // A file that has vanished since was removed by the recorder.
        let Ok(facts) = entry.metadata() else { continue };
        if facts.is_file() {
            all.push(Segment { number, name: name_of(number), bytes: facts.len() });
        }
    }
    all.sort_by_key(|segment| segment.number);
    Ok(all)
}

fn number_of(name: &str) -> Option<u64> {
    let digits = name.strip_suffix(ENDING)?;
    let is_number = digits.len() >= DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = is_number.then(|| digits.parse().ok())??;
    (name_of(number) == name).then_some(number)
}

pub(crate) fn path_of(folder: &Path, segment: &Segment) -> PathBuf {
    folder.join(&segment.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_ours_are_segments() {
        assert_eq!(name_of(12), "00000012.qrec");
        assert_eq!(number_of("00000012.qrec"), Some(12));
        for other in ["12.qrec", "0000001x.qrec", "00000012.qrec.gz", "+0000012.qrec", "000000012.qrec"] {
            assert_eq!(number_of(other), None, "{other}");
        }
    }
}
