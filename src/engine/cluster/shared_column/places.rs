//! Comparison of two tables that share rows: which rows differ, and where each row is in the other table.

use std::sync::Arc;

use super::page::PAGE;
use crate::cluster::{Column, Id, SharedColumn};

impl<I: Id, T: PartialEq> SharedColumn<I, T> {
    /// Shares each row that equals the row of the same id in another table, and each page of such rows.
    pub fn share_equal(&mut self, other: &Self) {
        for (page, there) in self.pages.iter_mut().zip(&other.pages) {
            if page == there {
                *page = there.clone();
            } else {
                share_rows(Arc::make_mut(&mut page.0).as_mut_slice(), there.0.as_slice());
            }
        }
        share_rows(&mut self.tail, &other.tail);
    }
}

fn share_rows<T: PartialEq>(rows: &mut [Arc<T>], there: &[Arc<T>]) {
    for (row, there) in rows.iter_mut().zip(there).filter(|(row, there)| row == there) {
        *row = there.clone();
    }
}

impl<I: Id, T> SharedColumn<I, T> {
    /// Returns the ids whose rows are not the same shared rows in `other`.
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

    /// Returns the position in `other` of each row of this table, either the shared row itself or one for which
    /// `is_form` holds; `None` for rows that `other` lacks or that moved far. The cost is linear if few rows were
    /// inserted or removed.
    pub fn places_in(&self, other: &Self, is_form: impl Fn(&T, &T) -> bool) -> Column<I, Option<I>> {
        /// Maximum number of consecutive inserted or removed rows that are searched.
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
                // The row replaced the other one, unless that one still comes later.
                of_other += usize::from(!to_come.any(|row| is_same(row, next)));
            }
        }
        places
    }
}
