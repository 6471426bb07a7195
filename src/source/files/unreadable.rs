//! Reports on files that exist but cannot be read.

use qscope_engine::cluster::{Diagnostic, Spot};

use super::Files;
use crate::log::Log;

/// Reports which files exist but cannot be read.
pub(crate) fn unreadable(files: &Files, log: &mut Log) {
    for (name, why) in files.unreadable() {
        log.in_file(name);
        log.error(Diagnostic::UNREADABLE, Spot::File, || cannot_be_read(why));
    }
}

/// Returns the message about a file that exists but cannot be read.
pub(crate) fn cannot_be_read(why: &str) -> String {
    format!("cannot be read: {why}")
}
