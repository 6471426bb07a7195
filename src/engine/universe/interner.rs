//! Interning: equal values are stored once and named by an id.

use std::hash::Hash;
use std::ops::Index;

use rustc_hash::FxHashMap;

use crate::cluster::{Column, Id};

/// All distinct values, in the order in which they were first interned.
#[derive(Clone, Debug)]
pub struct Interner<I: Id, T> {
    all: Column<I, T>,
    ids: FxHashMap<T, I>,
}

impl<I: Id, T> Default for Interner<I, T> {
    fn default() -> Self {
        Self { all: Column::new(), ids: FxHashMap::default() }
    }
}

impl<I: Id, T: Clone + Eq + Hash> Interner<I, T> {
    /// Returns the id of a value, adding the value if it is new.
    pub fn intern(&mut self, one: T) -> I {
        if let Some(&id) = self.ids.get(&one) {
            return id;
        }
        let id = self.all.push(one.clone());
        self.ids.insert(one, id);
        id
    }

    /// The same by reference; clones the value only if it is new.
    pub fn intern_as(&mut self, one: &T) -> I {
        match self.ids.get(one) {
            Some(&id) => id,
            None => self.intern(one.clone()),
        }
    }
}

impl<I: Id, T> Interner<I, T> {
    /// Returns the number of distinct values.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns all ids.
    pub fn ids(&self) -> impl Iterator<Item = I> + use<I, T> {
        self.all.ids()
    }

    /// Returns all values with their ids.
    pub fn iter(&self) -> impl Iterator<Item = (I, &T)> {
        self.all.enumerate()
    }
}

impl<I: Id, T> Index<I> for Interner<I, T> {
    type Output = T;

    fn index(&self, id: I) -> &T {
        &self.all[id]
    }
}
