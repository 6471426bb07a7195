//! An entry of the command line's list.

use super::PaletteCommand;
use crate::views::Object;

/// Maximum number of suggested objects of one kind.
pub(super) const MAX_OBJECTS: usize = 40;

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PaletteEntry {
    pub(super) name: String,
    pub(super) doc: String,
    /// Of a job: its user and what it requests.
    pub(super) job_summary: String,
    pub(super) keys: String,
    /// The line after Tab.
    pub(super) line: String,
    pub(super) command: PaletteCommand,
    pub(super) object: Option<Object>,
    /// Whether the match is only loose: the entry is suggested, but Enter on the typed line does not run it.
    pub(super) is_loose: bool,
}

impl PaletteEntry {
    pub(super) fn new(name: impl Into<String>, doc: impl Into<String>, command: PaletteCommand) -> Self {
        let name = name.into();
        Self {
            line: name.clone(),
            name,
            doc: doc.into(),
            job_summary: String::new(),
            keys: String::new(),
            command,
            object: None,
            is_loose: false,
        }
    }
}
