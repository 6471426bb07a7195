//! What one table has in common with another: which rows are the very same, and where each stands.

use std::sync::Arc;

use super::page::PAGE;
use crate::cluster::{Column, Id, SharedColumn};

impl<I: Id, T> SharedColumn<I, T> {
    /// The rows that are not the very ones that another table has in their places.
    pub fn not_shared_with<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = I> + 'a {
        let is_same = |nth: usize| {
            let pages = self.pages.get(nth).zip(other.pages.get(nth));
            pages.is_some_and(|(one, other)| one.is_same(other))
        };
        let pages = (0..self.len().div_ceil(PAGE)).filter(move |nth| !is_same(*nth));
        let ids = pages.flat_map(|nth| (nth * PAGE..self.len().min(nth * PAGE + PAGE)).map(I::at));
        ids.filter(|id| {
            !self.shared(*id).zip(other.shared(*id)).is_some_and(|(one, other)| Arc::ptr_eq(one, other))
        })
    }

    /// Where another table has each row of this one, or an earlier form of it by `is_form`; none for rows that it does not
    /// have, or that are far from where they were. Rows that went or came in between cost no more than themselves.
    pub fn places_in(&self, other: &Self, is_form: impl Fn(&T, &T) -> bool) -> Column<I, Option<I>> {
        /// So many rows that went or came at once are looked over for the next one that both have.
        const GAP: usize = 64;
        let is_same = |one: &Arc<T>, other: &Arc<T>| Arc::ptr_eq(one, other) || is_form(one, other);
        let [here, there] = [self, other].map(|table| table.shared_rows().collect::<Vec<_>>());
        let mut places = Column::filled(here.len(), None);
        let mut of_other = 0;
        for (at, row) in here.iter().enumerate() {
            let rest = there.get(of_other..).unwrap_or_default();
            if let Some(gone) = rest.iter().take(GAP).position(|other| is_same(row, other)) {
                places[I::at(at)] = Some(I::at(of_other + gone));
                of_other += gone + 1;
            } else if let Some(next) = rest.first() {
                let mut to_come = here.get(at + 1..).unwrap_or_default().iter().take(GAP);
                // One that took the place of another, unless the other one is still to come.
                of_other += usize::from(!to_come.any(|row| is_same(row, next)));
            }
        }
        places
    }
}
