//! Iteration over the rows of a shared column.

use std::iter::FusedIterator;
use std::slice;
use std::sync::Arc;

use super::{ColumnPage, PAGE};

/// Iterator over all rows of a [`SharedColumn`](super::SharedColumn) in order.
pub struct SharedRows<'a, T> {
    /// Rest of the page that was begun at the front.
    front: slice::Iter<'a, Arc<T>>,
    pages: slice::Iter<'a, ColumnPage<T>>,
    /// Rest of the rows after the last page, or of a page that was begun at the back.
    back: slice::Iter<'a, Arc<T>>,
}

impl<'a, T> SharedRows<'a, T> {
    pub(super) fn of(pages: &'a [ColumnPage<T>], tail: &'a [Arc<T>]) -> Self {
        Self { front: slice::Iter::default(), pages: pages.iter(), back: tail.iter() }
    }
}

impl<T> Clone for SharedRows<'_, T> {
    fn clone(&self) -> Self {
        Self { front: self.front.clone(), pages: self.pages.clone(), back: self.back.clone() }
    }
}

impl<'a, T> Iterator for SharedRows<'a, T> {
    type Item = &'a T;

    #[inline]
    fn next(&mut self) -> Option<&'a T> {
        loop {
            if let Some(row) = self.front.next() {
                return Some(row);
            }
            match self.pages.next() {
                Some(page) => self.front = page.0.iter(),
                None => return self.back.next().map(|row| &**row),
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let rows = self.front.len() + self.pages.len() * PAGE + self.back.len();
        (rows, Some(rows))
    }

    fn fold<B, F: FnMut(B, &'a T) -> B>(self, first: B, mut with: F) -> B {
        let mut so_far = first;
        for rows in [self.front].into_iter().chain(self.pages.map(|page| page.0.iter())).chain([self.back]) {
            so_far = rows.fold(so_far, |so_far, row| with(so_far, row));
        }
        so_far
    }
}

impl<T> DoubleEndedIterator for SharedRows<'_, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(row) = self.back.next_back() {
                return Some(row);
            }
            match self.pages.next_back() {
                Some(page) => self.back = page.0.iter(),
                None => return self.front.next_back().map(|row| &**row),
            }
        }
    }
}

impl<T> ExactSizeIterator for SharedRows<'_, T> {}

impl<T> FusedIterator for SharedRows<'_, T> {}
