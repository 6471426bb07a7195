//! Columns whose rows successive snapshots share.

use std::iter::Map;
use std::ops::{Index, IndexMut};
use std::slice;
use std::sync::Arc;

use super::{Column, Id};

/// A table with one `T` for every id of kind `I`, each row shared with every other table that holds it.
///
/// A copy costs a pointer per row, and a row is copied when it is first changed: twenty snapshots of a cluster hold what
/// never changed once. It reads like the [`Column`] of rows that it is.
#[derive(PartialEq, Eq)]
pub struct SharedColumn<I, T>(Column<I, Arc<T>>);

/// All rows of a [`SharedColumn`] in order.
pub type SharedRows<'a, T> = Map<slice::Iter<'a, Arc<T>>, fn(&'a Arc<T>) -> &'a T>;

impl<I: Id, T: std::fmt::Debug> std::fmt::Debug for SharedColumn<I, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

// By hand: a derived one would want rows and ids that can be cloned or have a default.
impl<I: Id, T> Clone for SharedColumn<I, T> {
    fn clone(&self) -> Self {
        Self(self.0.iter().map(Arc::clone).collect())
    }
}

impl<I, T> Default for SharedColumn<I, T> {
    fn default() -> Self {
        Self(Column::default())
    }
}

impl<I: Id, T> SharedColumn<I, T> {
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a row, shared or not, and returns its id.
    pub fn push(&mut self, item: impl Into<Arc<T>>) -> I {
        self.0.push(item.into())
    }

    /// Puts a row in the place of another; the row itself where the table has no such place.
    ///
    /// # Errors
    /// There is no such place.
    pub fn replace(&mut self, id: I, item: impl Into<Arc<T>>) -> Result<(), Arc<T>> {
        let item = item.into();
        match self.0.checked_mut(id) {
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
        self.0.insert_at(place, item.into());
    }

    /// Takes the row of a place out, and moves those behind it down; none where there is no such place.
    pub fn remove_at(&mut self, place: usize) -> Option<Arc<T>> {
        self.0.remove_at(place)
    }

    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The row of `id`, if the table has it.
    pub fn checked(&self, id: I) -> Option<&T> {
        self.shared(id).map(|item| &**item)
    }

    /// The row of `id`, to be held by another table too; none where the table has none.
    pub fn shared(&self, id: I) -> Option<&Arc<T>> {
        self.0.checked(id)
    }

    /// Whether a row is the very one that another table has in its place.
    pub fn shares_row(&self, other: &Self, id: I) -> bool {
        self.shared(id).zip(other.shared(id)).is_some_and(|(one, other)| Arc::ptr_eq(one, other))
    }

    /// Where another table has each row of this one, or an earlier form of it by `is_form`; none for rows that it does not
    /// have, or that are far from where they were. Rows that went or came in between cost no more than themselves.
    pub fn places_in(&self, other: &Self, is_form: impl Fn(&T, &T) -> bool) -> Column<I, Option<I>> {
        /// So many rows that went or came at once are looked over for the next one that both have.
        const GAP: usize = 64;
        let is_same = |one: &Arc<T>, other: &Arc<T>| Arc::ptr_eq(one, other) || is_form(one, other);
        let (here, there) = (self.0.as_slice(), other.0.as_slice());
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

    /// All ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        self.0.ids()
    }

    /// All rows in order.
    pub fn iter(&self) -> SharedRows<'_, T> {
        self.0.iter().map(|item| &**item)
    }

    /// All rows with their ids.
    pub fn enumerate(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.0.enumerate().map(|(id, item)| (id, &**item))
    }
}

impl<I: Id, T: Clone> SharedColumn<I, T> {
    /// Changes the rows that fit; only they are copied where they are held elsewhere.
    pub fn change_where(&mut self, fits: impl Fn(I, &T) -> bool, mut change: impl FnMut(I, &mut T)) {
        for (id, item) in self.0.ids().zip(self.0.iter_mut()) {
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
        self.0.checked_mut(id).map(Arc::make_mut)
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
        Self(items.into_iter().collect())
    }
}

impl<I, T> IntoIterator for SharedColumn<I, T> {
    type Item = Arc<T>;
    type IntoIter = std::vec::IntoIter<Arc<T>>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, I: Id, T> IntoIterator for &'a SharedColumn<I, T> {
    type Item = &'a T;
    type IntoIter = SharedRows<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<I: Id, T> Index<I> for SharedColumn<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        &self.0[id]
    }
}

impl<I: Id, T: Clone> IndexMut<I> for SharedColumn<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        Arc::make_mut(&mut self.0[id])
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
    fn rows_are_found_where_they_were_before() {
        let before: SharedColumn<NodeId, &str> = ["a", "b", "c", "d", "e"].into_iter().collect();
        let mut after = before.clone();
        after.remove_at(1);
        after.insert_at(1, "new");
        after.insert_at(2, "newer");
        after.replace(NodeId(3), "c").unwrap();
        after.push("last");
        let places = |is_form: fn(&&str, &&str) -> bool| {
            let places = after.places_in(&before, is_form);
            places.iter().map(|place| place.map(|id| id.0)).collect::<Vec<_>>()
        };
        assert_eq!(places(|_, _| false), [Some(0), None, None, None, Some(3), Some(4), None]);
        assert_eq!(places(|one, other| one == other), [Some(0), None, None, Some(2), Some(3), Some(4), None]);
        assert_eq!(before.places_in(&SharedColumn::new(), |_, _| true)[NodeId(0)], None);
    }

    #[test]
    fn a_row_is_replaced_where_there_is_one() {
        let mut column: SharedColumn<NodeId, u8> = [1, 2].into_iter().collect();
        column.replace(NodeId(0), 9).unwrap();
        assert_eq!(column.iter().copied().collect::<Vec<_>>(), [9, 2]);
        assert_eq!(*column.replace(NodeId(2), 7).unwrap_err(), 7);
    }
}
