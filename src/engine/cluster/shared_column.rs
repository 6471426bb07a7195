//! Columns whose rows successive snapshots share.

mod page;
mod places;
mod rows;

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};
use std::sync::Arc;

use super::Id;
use page::PAGE;
pub use page::Page;
pub use rows::SharedRows;

/// A table with one `T` for every id of kind `I`, each row shared with every other table that holds it.
///
/// Rows stand on pages, which tables share as a whole. A copy costs a pointer per page, and a row is copied when it is
/// first changed: twenty snapshots of a cluster hold what never changed once. It reads like the
/// [`Column`](super::Column) of rows that it is.
#[derive(PartialEq, Eq)]
pub struct SharedColumn<I, T> {
    pages: Vec<Page<T>>,
    /// The rows behind the last page: fewer than a page.
    tail: Vec<Arc<T>>,
    ids: PhantomData<fn(I)>,
}

// By hand, as all that follow: derived ones would want rows and ids that can be cloned or have a default.
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
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a row, shared or not, and returns its id.
    pub fn push(&mut self, item: impl Into<Arc<T>>) -> I {
        let id = I::at(self.len());
        self.tail.push(item.into());
        if self.tail.len() == PAGE {
            match std::mem::take(&mut self.tail).try_into() {
                Ok(rows) => self.pages.push(Page(Arc::new(rows))),
                Err(rows) => self.tail = rows,
            }
        }
        id
    }

    /// The pages that are filled, to be held by other tables too.
    pub fn pages(&self) -> &[Page<T>] {
        &self.pages
    }

    /// The rows behind these pages.
    pub fn behind_pages(&self) -> impl Iterator<Item = &T> {
        self.tail.iter().map(|row| &**row)
    }

    /// Appends a page; whether the rows before it fill theirs, without which it cannot be.
    pub fn push_page(&mut self, page: &Page<T>) -> bool {
        let fits = self.tail.is_empty();
        if fits {
            self.pages.push(page.clone());
        }
        fits
    }

    /// Puts a row in the place of another; the row itself where the table has no such place.
    ///
    /// # Errors
    /// There is no such place.
    pub fn replace(&mut self, id: I, item: impl Into<Arc<T>>) -> Result<(), Arc<T>> {
        let item = item.into();
        match self.slot(id) {
            Some(slot) => *slot = item,
            None => return Err(item),
        }
        Ok(())
    }

    /// Puts a row in an earlier place, or at the end where there is no such place; where it stands.
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

    /// Inserts a row at a place, and moves those from there on up; at the end where there is no such place.
    pub fn insert_at(&mut self, place: usize, item: impl Into<Arc<T>>) {
        let behind = self.take_from(place);
        self.push(item);
        self.append(behind);
    }

    /// Takes the row of a place out, and moves those behind it down; none where there is no such place.
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

    /// Takes all rows out from a place on.
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

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.pages.len() * PAGE + self.tail.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The row of `id`, if the table has it.
    #[inline]
    pub fn checked(&self, id: I) -> Option<&T> {
        self.shared(id).map(|item| &**item)
    }

    /// The row of `id`, to be held by another table too; none where the table has none.
    #[inline]
    pub fn shared(&self, id: I) -> Option<&Arc<T>> {
        let at = id.ix();
        match self.pages.get(at / PAGE) {
            Some(page) => page.0.get(at % PAGE),
            None => self.tail.get(at - self.pages.len() * PAGE),
        }
    }

    /// The place of a row, on a page of this table alone.
    fn slot(&mut self, id: I) -> Option<&mut Arc<T>> {
        let (at, pages) = (id.ix(), self.pages.len());
        match self.pages.get_mut(at / PAGE) {
            Some(page) => Arc::make_mut(&mut page.0).get_mut(at % PAGE),
            None => self.tail.get_mut(at - pages * PAGE),
        }
    }

    /// All ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.len()).map(I::at)
    }

    /// All rows in order.
    pub fn iter(&self) -> SharedRows<'_, T> {
        SharedRows::of(&self.pages, &self.tail)
    }

    /// The same, to be held by other tables too.
    fn shared_rows(&self) -> impl Iterator<Item = &Arc<T>> {
        self.pages.iter().flat_map(|page| page.0.iter()).chain(&self.tail)
    }

    /// All rows with their ids.
    pub fn enumerate(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.iter().enumerate().map(|(at, item)| (I::at(at), item))
    }
}

impl<I: Id, T: Clone> SharedColumn<I, T> {
    /// Changes the rows that fit; only they are copied where they are held elsewhere.
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

    /// The row of `id`, to change, if the table has it; copied if it is held elsewhere.
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
