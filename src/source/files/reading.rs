//! Reads one file completely, within limits, and never blocks on something that is not a regular file.

use super::FileBytes;
use super::disk::{Disk, DiskFile, RealDisk};
use crate::bounds::ReadLimits;
use qscope_engine::cluster::Epoch;
use qscope_system::input::{self, InputError};
use std::fs::{File, Metadata};
use std::path::Path;
use std::time::UNIX_EPOCH;

pub(super) fn read_file(path: &Path, bounds: ReadLimits) -> FileBytes {
    match read_whole(path, bounds) {
        Ok((bytes, _, facts)) => FileBytes::plain(Ok(bytes), facts.modified().ok().and_then(epoch_of)),
        Err(error) => FileBytes::plain(Err(error.to_string()), None),
    }
}

/// Reads a regular file completely, and returns its metadata at the time it was opened.
pub(crate) fn read_whole(path: &Path, bounds: ReadLimits) -> Result<(Vec<u8>, File, Metadata), InputError> {
    read_whole_from(path, bounds, &mut RealDisk)
}

/// The same, through a disk that may fail.
pub(crate) fn read_whole_from(
    path: &Path,
    limits: ReadLimits,
    disk: &mut dyn Disk,
) -> Result<(Vec<u8>, File, Metadata), InputError> {
    disk.before(path)?;
    let mut file = input::open(path)?;
    let facts = file.metadata()?;
    let (length, most) = (facts.len(), limits.of_file());
    let bytes = match disk.is_plain() {
        // The kernel fills the buffer directly; reading piece by piece would clear it first.
        true => input::read_all(&mut file, length, most)?,
        false => input::read_all(DiskFile { disk, file: &mut file }, length, most)?,
    };
    Ok((bytes, file, facts))
}

/// Converts a time of the file system to an epoch second.
pub(crate) fn epoch_of(time: std::time::SystemTime) -> Option<Epoch> {
    let span = time.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(span.as_secs()).ok().map(Epoch)
}
