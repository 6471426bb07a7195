//! Keeps objects unique by name while they are read.

use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use super::log::DiagnosticLog;
use qscope_engine::cluster::{Column, FilePosition, Id, Name};

/// Positions of the objects read so far, by name.
#[derive(Default)]
pub(crate) struct RowsByName(FxHashMap<Name, usize>);

impl RowsByName {
    /// Appends an object, or replaces an earlier one of the same name and reports that. Returns whether it was
    /// appended.
    pub(crate) fn put<I: Id, T>(
        &mut self,
        all: &mut Column<I, T>,
        name: Name,
        thing: T,
        position: FilePosition,
        log: &mut DiagnosticLog,
    ) -> bool {
        match self.0.entry(name) {
            Entry::Vacant(free) => {
                free.insert(all.len());
                all.push(thing);
                true
            }
            Entry::Occupied(taken) => {
                log.warn("record-repeated", position, || {
                    "stands in the file twice; the later one counts".to_owned()
                });
                if let Some(slot) = all.iter_mut().nth(*taken.get()) {
                    *slot = thing;
                }
                false
            }
        }
    }
}
