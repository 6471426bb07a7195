//! Runs the program.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs the program in the repository, with UTC as the zone of dates without one.
pub(crate) fn ran<S: AsRef<OsStr>>(words: impl IntoIterator<Item = S>) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_qscope"));
    program.current_dir(env!("CARGO_MANIFEST_DIR")).env("TZ", "UTC").args(words).output().unwrap()
}

/// Returns the path of a sample.
pub(crate) fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name)
}

/// Writes files into a new folder.
pub(crate) fn folder_of<T: AsRef<str>>(files: &[(&str, T)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text.as_ref()).unwrap();
    }
    folder
}
