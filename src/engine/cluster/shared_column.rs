//! Columns whose rows successive snapshots share.

use std::iter::Map;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};
use std::slice;
use std::sync::Arc;

use super::Id;

/// A table with one `T` for every id of kind `I`, each row shared with every other table that holds it.
///
/// A copy costs a pointer per row, and a row is copied when it is first changed: twenty snapshots of a cluster hold what
/// never changed once. It reads like a [`Column`](super::Column).
#[derive(PartialEq, Eq)]
pub struct SharedColumn<I, T> {
    items: Vec<Arc<T>>,
    ids: PhantomData<fn(I)>,
}

/// All rows of a [`SharedColumn`] in order.
pub type SharedRows<'a, T> = Map<slice::Iter<'a, Arc<T>>, fn(&'a Arc<T>) -> &'a T>;

impl<I: Id, T: std::fmt::Debug> std::fmt::Debug for SharedColumn<I, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(&self.items).finish()
    }
}

impl<I, T> Clone for SharedColumn<I, T> {
    fn clone(&self) -> Self {
        Self { items: self.items.clone(), ids: PhantomData }
    }
}

impl<I, T> Default for SharedColumn<I, T> {
    fn default() -> Self {
        Self { items: Vec::new(), ids: PhantomData }
    }
}

impl<I: Id, T> SharedColumn<I, T> {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a row, shared or not, and returns its id.
    pub fn push(&mut self, item: impl Into<Arc<T>>) -> I {
        self.items.push(item.into());
        I::at(self.items.len() - 1)
    }

    /// Puts a row in the place of another; the row itself where the table has no such place.
    ///
    /// # Errors
    /// There is no such place.
    pub fn replace(&mut self, id: I, item: impl Into<Arc<T>>) -> Result<(), Arc<T>> {
        let item = item.into();
        match self.items.get_mut(id.ix()) {
            Some(slot) => *slot = item,
            None => return Err(item),
        }
        Ok(())
    }

    /// Inserts a row at a place, and moves those from there on up; at the end where there is no such place.
    pub fn insert_at(&mut self, place: usize, item: impl Into<Arc<T>>) {
        self.items.insert(place.min(self.items.len()), item.into());
    }

    /// Takes the row of a place out, and moves those behind it down; none where there is no such place.
    pub fn remove_at(&mut self, place: usize) -> Option<Arc<T>> {
        (place < self.items.len()).then(|| self.items.remove(place))
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The row of `id`, if the table has it.
    pub fn checked(&self, id: I) -> Option<&T> {
        self.items.get(id.ix()).map(|item| &**item)
    }

    /// The row of `id`, to be held by another table too; none where the table has none.
    pub fn shared(&self, id: I) -> Option<&Arc<T>> {
        self.items.get(id.ix())
    }

    /// All ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::at)
    }

    /// All rows in order.
    pub fn iter(&self) -> SharedRows<'_, T> {
        self.items.iter().map(|item| &**item)
    }

    /// All rows with their ids.
    pub fn enumerate(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(ix, item)| (I::at(ix), &**item))
    }
}

impl<I: Id, T: Clone> SharedColumn<I, T> {
    /// Changes the rows that fit; only they are copied where they are held elsewhere.
    pub fn change_where(&mut self, fits: impl Fn(I, &T) -> bool, mut change: impl FnMut(I, &mut T)) {
        for (ix, item) in self.items.iter_mut().enumerate() {
            let id = I::at(ix);
            if fits(id, item) {
                change(id, Arc::make_mut(item));
            }
        }
    }

    /// Changes every row.
    pub fn change_all(&mut self, mut change: impl FnMut(&mut T)) {
        self.change_where(|_, _| true, |_, item| change(item));
    }

    /// The row of `id`, to change, if the table has it; copied if it is held elsewhere.
    pub fn checked_mut(&mut self, id: I) -> Option<&mut T> {
        self.items.get_mut(id.ix()).map(Arc::make_mut)
    }
}

impl<I, T> From<Vec<T>> for SharedColumn<I, T> {
    fn from(items: Vec<T>) -> Self {
        items.into_iter().collect()
    }
}

impl<I, T> FromIterator<T> for SharedColumn<I, T> {
    fn from_iter<S: IntoIterator<Item = T>>(items: S) -> Self {
        items.into_iter().map(Arc::new).collect()
    }
}

impl<I, T> FromIterator<Arc<T>> for SharedColumn<I, T> {
    fn from_iter<S: IntoIterator<Item = Arc<T>>>(items: S) -> Self {
        Self { items: items.into_iter().collect(), ids: PhantomData }
    }
}

impl<I, T> IntoIterator for SharedColumn<I, T> {
    type Item = Arc<T>;
    type IntoIter = std::vec::IntoIter<Arc<T>>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
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
        &self.items[id.ix()]
    }
}

#[expect(clippy::indexing_slicing, reason = "ids come from the table they index")]
impl<I: Id, T: Clone> IndexMut<I> for SharedColumn<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        Arc::make_mut(&mut self.items[id.ix()])
    }
}

#[cfg(test)]
mod tests {
    use super::super::NodeId;
    use super::*;

    #[test]
    fn a_copy_shares_its_rows_until_one_is_changed() {
        let first: SharedColumn<NodeId, String> = ["a", "b"].map(str::to_owned).into_iter().collect();
        let mut second = first.clone();
        second[NodeId(1)].push('!');

        let both = |id| (first.shared(id).unwrap(), second.shared(id).unwrap());
        let is_one = |(one, other): (&Arc<String>, &Arc<String>)| Arc::ptr_eq(one, other);
        assert!(is_one(both(NodeId(0))) && !is_one(both(NodeId(1))));
        assert_eq!((&*first[NodeId(1)], &*second[NodeId(1)]), ("b", "b!"));
    }

    #[test]
    fn a_row_is_replaced_where_there_is_one() {
        let mut column: SharedColumn<NodeId, u8> = [1, 2].into_iter().collect();
        column.replace(NodeId(0), 9).unwrap();
        assert_eq!(column.iter().copied().collect::<Vec<_>>(), [9, 2]);
        assert_eq!(*column.replace(NodeId(2), 7).unwrap_err(), 7);
    }
}
