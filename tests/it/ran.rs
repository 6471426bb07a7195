//! Runs the program.

use std::ffi::OsStr;
use std::process::{Command, Output};

/// Runs the program in the repository, with UTC as the zone of dates without one.
pub(crate) fn ran<S: AsRef<OsStr>>(words: impl IntoIterator<Item = S>) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_qscope"));
    program.current_dir(env!("CARGO_MANIFEST_DIR")).env("TZ", "UTC").args(words).output().unwrap()
}
