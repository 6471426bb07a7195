//! Columns whose rows successive snapshots share.

mod page;
mod places;
mod rows;

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};
use std::sync::Arc;

use super::Id;
pub use page::ColumnPage;
use page::PAGE;
pub use rows::SharedRows;

/// A table with one `T` for every id of kind `I`, each row shared with every other table that holds it.
///
/// Rows are stored on pages, which tables share as a whole. A clone costs one pointer per page, and a row is copied
/// when it is first changed: twenty snapshots of a cluster store unchanged rows once. It reads like a
/// [`Column`](super::Column) of rows.
#[derive(PartialEq, Eq)]
pub struct SharedColumn<I, T> {
    pages: Vec<ColumnPage<T>>,
    /// Rows after the last full page.
    tail: Vec<Arc<T>>,
    ids: PhantomData<fn(I)>,
}

// Implemented by hand, like all that follow: derived ones would need bounds on rows and ids.
impl<I: Id, T: std::fmt::Debug> std::fmt::Debug for SharedColumn<I, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<I, T> Clone for SharedColumn<I, T> {
    fn clone(&self) -> Self {
        Self { pages: self.pages.clone(), tail: self.tail.clone(), ids: PhantomData }
    }
}

impl<I, T> Default for SharedColumn<I, T> {
    fn default() -> Self {
        Self { pages: Vec::new(), tail: Vec::new(), ids: PhantomData }
    }
}

impl<I: Id, T> SharedColumn<I, T> {
    /// Creates an empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a row, shared or not, and returns its id.
    pub fn push(&mut self, item: impl Into<Arc<T>>) -> I {
        let id = I::at(self.len());
        self.tail.push(item.into());
        if self.tail.len() == PAGE {
            match std::mem::take(&mut self.tail).try_into() {
                Ok(rows) => self.pages.push(ColumnPage(Arc::new(rows))),
                Err(rows) => self.tail = rows,
            }
        }
        id
    }

    /// Returns the full pages, for sharing with other tables.
    pub fn pages(&self) -> &[ColumnPage<T>] {
        &self.pages
    }

    /// Returns the rows after the full pages.
    pub fn after_full_pages(&self) -> impl Iterator<Item = &T> {
        self.tail.iter().map(|row| &**row)
    }

    /// Appends a page; returns false, without effect, if the rows before it do not fill their page.
    pub fn push_page(&mut self, page: &ColumnPage<T>) -> bool {
        let fits = self.tail.is_empty();
        if fits {
            self.pages.push(page.clone());
        }
        fits
    }

    /// Replaces a row.
    ///
    /// # Errors
    /// Returns the new row if the table has no row with this id.
    pub fn replace(&mut self, id: I, item: impl Into<Arc<T>>) -> Result<(), Arc<T>> {
        let item = item.into();
        match self.slot(id) {
            Some(slot) => *slot = item,
            None => return Err(item),
        }
        Ok(())
    }

    /// Replaces the row at position `earlier`, or appends the row if there is none there; returns its position.
    pub fn put(&mut self, item: impl Into<Arc<T>>, earlier: Option<usize>) -> usize {
        let item = item.into();
        let appended = match earlier {
            Some(place) => self.replace(I::at(place), item).err(),
            None => Some(item),
        };
        let end = self.len();
        match appended {
            Some(item) => {
                self.push(item);
                end
            }
            None => earlier.unwrap_or(end),
        }
    }

    /// Inserts a row at a position and moves later rows up; appends it if the position is past the end.
    pub fn insert_at(&mut self, place: usize, item: impl Into<Arc<T>>) {
        let behind = self.take_from(place);
        self.push(item);
        self.append(behind);
    }

    /// Removes the row at a position and moves later rows down; `None` if there is no such row.
    pub fn remove_at(&mut self, place: usize) -> Option<Arc<T>> {
        let mut behind = self.take_from(place).into_iter();
        let removed = behind.next();
        self.append(behind);
        removed
    }

    fn append(&mut self, rows: impl IntoIterator<Item = Arc<T>>) {
        for row in rows {
            self.push(row);
        }
    }

    /// Removes all rows from a position on and returns them.
    fn take_from(&mut self, place: usize) -> Vec<Arc<T>> {
        let place = place.min(self.len());
        let whole = (place / PAGE).min(self.pages.len());
        let pages = self.pages.split_off(whole);
        let mut rows: Vec<Arc<T>> = pages.iter().flat_map(|page| page.0.iter().cloned()).collect();
        rows.append(&mut self.tail);
        let behind = rows.split_off(place - whole * PAGE);
        self.tail = rows;
        behind
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.pages.len() * PAGE + self.tail.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the row of `id`, if the table has it.
    #[inline]
    pub fn checked(&self, id: I) -> Option<&T> {
        self.shared(id).map(|item| &**item)
    }

    /// Returns the shared row of `id`, if the table has it, for storing in another table.
    #[inline]
    pub fn shared(&self, id: I) -> Option<&Arc<T>> {
        let at = id.ix();
        match self.pages.get(at / PAGE) {
            Some(page) => page.0.get(at % PAGE),
            None => self.tail.get(at - self.pages.len() * PAGE),
        }
    }

    /// Returns the slot of a row, on a page that only this table uses.
    fn slot(&mut self, id: I) -> Option<&mut Arc<T>> {
        let (at, pages) = (id.ix(), self.pages.len());
        match self.pages.get_mut(at / PAGE) {
            Some(page) => Arc::make_mut(&mut page.0).get_mut(at % PAGE),
            None => self.tail.get_mut(at - pages * PAGE),
        }
    }

    /// Returns all ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.len()).map(I::at)
    }

    /// Returns all rows in order.
    pub fn iter(&self) -> SharedRows<'_, T> {
        SharedRows::of(&self.pages, &self.tail)
    }

    /// Returns all shared rows in order.
    fn shared_rows(&self) -> impl Iterator<Item = &Arc<T>> {
        self.pages.iter().flat_map(|page| page.0.iter()).chain(&self.tail)
    }

    /// Returns all rows with their ids.
    pub fn enumerate(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.iter().enumerate().map(|(at, item)| (I::at(at), item))
    }
}

impl<I: Id, T: Clone> SharedColumn<I, T> {
    /// Changes the rows for which `fits` holds; only these are copied if they are shared.
    pub fn change_where(&mut self, fits: impl Fn(I, &T) -> bool, mut change: impl FnMut(I, &mut T)) {
        for id in self.ids() {
            if self.checked(id).is_some_and(|item| fits(id, item))
                && let Some(item) = self.checked_mut(id)
            {
                change(id, item);
            }
        }
    }

    /// Changes every row.
    pub fn change_all(&mut self, mut change: impl FnMut(&mut T)) {
        self.change_where(|_, _| true, |_, item| change(item));
    }

    /// Returns the row of `id` mutably, if the table has it, copying it first if it is shared.
    pub fn checked_mut(&mut self, id: I) -> Option<&mut T> {
        self.slot(id).map(Arc::make_mut)
    }
}

impl<I: Id, T> From<Vec<T>> for SharedColumn<I, T> {
    fn from(items: Vec<T>) -> Self {
        items.into_iter().collect()
    }
}

impl<I: Id, T> FromIterator<T> for SharedColumn<I, T> {
    fn from_iter<S: IntoIterator<Item = T>>(items: S) -> Self {
        items.into_iter().map(Arc::new).collect()
    }
}

impl<I: Id, T> FromIterator<Arc<T>> for SharedColumn<I, T> {
    fn from_iter<S: IntoIterator<Item = Arc<T>>>(items: S) -> Self {
        let mut all = Self::new();
        all.append(items);
        all
    }
}

impl<I, T> IntoIterator for SharedColumn<I, T> {
    type Item = Arc<T>;
    type IntoIter = std::vec::IntoIter<Arc<T>>;
    fn into_iter(self) -> Self::IntoIter {
        let pages = self.pages.iter().flat_map(|page| page.0.iter().cloned());
        pages.chain(self.tail.iter().cloned()).collect::<Vec<_>>().into_iter()
    }
}

impl<'a, I: Id, T> IntoIterator for &'a SharedColumn<I, T> {
    type Item = &'a T;
    type IntoIter = SharedRows<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[expect(clippy::indexing_slicing, reason = "ids come from the table they index")]
impl<I: Id, T> Index<I> for SharedColumn<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        let at = id.ix();
        match self.pages.get(at / PAGE) {
            Some(page) => &page.0[at % PAGE],
            None => &self.tail[at - self.pages.len() * PAGE],
        }
    }
}

#[expect(clippy::indexing_slicing, reason = "ids come from the table they index")]
impl<I: Id, T: Clone> IndexMut<I> for SharedColumn<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        let (at, pages) = (id.ix(), self.pages.len());
        match self.pages.get_mut(at / PAGE) {
            Some(page) => Arc::make_mut(&mut Arc::make_mut(&mut page.0)[at % PAGE]),
            None => Arc::make_mut(&mut self.tail[at - pages * PAGE]),
        }
    }
}

#[cfg(test)]
mod tests;
