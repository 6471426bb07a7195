//! How it is reported that files are there and cannot be read.

use qscope_engine::cluster::{Diagnostic, Spot};

use super::Files;
use crate::log::Log;

/// States which files are there but cannot be read.
pub(crate) fn unreadable(files: &Files, log: &mut Log) {
    for (name, why) in files.unreadable() {
        log.in_file(name);
        log.error(Diagnostic::UNREADABLE, Spot::File, || cannot_be_read(why));
    }
}

/// How it is reported that a file is there and cannot be read.
pub(crate) fn cannot_be_read(why: &str) -> String {
    format!("cannot be read: {why}")
}
