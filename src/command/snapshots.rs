//! The snapshots of a recording, one after another.

use color_eyre::eyre::Result;

use qscope_record::{RecordError, Recording, RecordingReader};

use super::meter::Meter;

/// Reads every snapshot and passes it on, or the damage in its place; returns how many were read before Ctrl-C ended
/// it.
///
/// # Errors
/// If the recording cannot be read any further, or signals cannot be received.
pub(super) fn each_snapshot<'a, T>(
    recording: &'a Recording,
    read: impl Fn(&mut RecordingReader<'a>, usize) -> Result<T, RecordError>,
    mut each: impl FnMut(Result<T, RecordError>),
) -> Result<usize> {
    let meter = Meter::new()?;
    let mut reader = RecordingReader::new(recording);
    let all = recording.moments().len();
    for nth in 0..all {
        meter.show(nth as f64 / all as f64, nth as u64, "snapshots");
        if !meter.should_continue() {
            meter.clear();
            return Ok(nth);
        }
        match read(&mut reader, nth) {
            Err(error) if !matches!(error, RecordError::Damaged { .. }) => return Err(error.into()),
            found => each(found),
        }
    }
    meter.clear();
    Ok(all)
}
