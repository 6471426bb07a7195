//! What was read so far, so that a name stands for one thing only.

use std::collections::hash_map::Entry;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::log::Log;
use qscope_engine::cluster::{Column, Id, Name, SharedColumn, Spot};

/// A table that grows by rows and has one of them replaced.
pub(crate) trait Rows<T> {
    /// How many there are.
    fn count(&self) -> usize;
    /// Appends one.
    fn append(&mut self, row: T);
    /// Puts one in the place of another that is there.
    fn put_at(&mut self, place: usize, row: T);
}

impl<I: Id, T> Rows<T> for Column<I, T> {
    fn count(&self) -> usize {
        self.len()
    }

    fn append(&mut self, row: T) {
        self.push(row);
    }

    fn put_at(&mut self, place: usize, row: T) {
        if let Some(slot) = self.iter_mut().nth(place) {
            *slot = row;
        }
    }
}

impl<I: Id, T> Rows<Arc<T>> for SharedColumn<I, T> {
    fn count(&self) -> usize {
        self.len()
    }

    fn append(&mut self, row: Arc<T>) {
        self.push(row);
    }

    fn put_at(&mut self, place: usize, row: Arc<T>) {
        let replaced = self.replace(I::at(place), row);
        debug_assert!(replaced.is_ok(), "a row that was counted is there");
    }
}

/// Where the things read so far stand, by name.
#[derive(Default)]
pub(crate) struct ByName(FxHashMap<Name, usize>);

impl ByName {
    /// Appends a thing, or puts it in the place of an earlier one of the same name, and states so. Whether it
    /// was appended.
    pub(crate) fn put<T>(
        &mut self,
        all: &mut impl Rows<T>,
        name: Name,
        thing: T,
        spot: Spot,
        log: &mut Log,
    ) -> bool {
        match self.0.entry(name) {
            Entry::Vacant(free) => {
                free.insert(all.count());
                all.append(thing);
                true
            }
            Entry::Occupied(taken) => {
                log.warn("record-repeated", spot, || {
                    "stands in the file twice; the later one counts".to_owned()
                });
                all.put_at(*taken.get(), thing);
                false
            }
        }
    }
}
