//! An entry of the command line's list.

use super::PaletteCommand;
use crate::views::Object;

/// So many objects of one kind at most are offered.
pub(super) const MAX_OBJECTS: usize = 40;

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PaletteEntry {
    pub(super) name: String,
    pub(super) doc: String,
    /// Who asks for what, of a job.
    pub(super) asks: String,
    pub(super) keys: String,
    /// What Tab makes of the line.
    pub(super) line: String,
    pub(super) command: PaletteCommand,
    pub(super) object: Option<Object>,
    /// The name has nothing of the line as it is typed: it is offered, and no line means it.
    pub(super) is_loose: bool,
}

impl PaletteEntry {
    pub(super) fn new(name: impl Into<String>, doc: impl Into<String>, command: PaletteCommand) -> Self {
        let name = name.into();
        Self {
            line: name.clone(),
            name,
            doc: doc.into(),
            asks: String::new(),
            keys: String::new(),
            command,
            object: None,
            is_loose: false,
        }
    }
}
