//! Names, ids that are valid for one snapshot only, and the columns that they index.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};
use std::sync::Arc;

/// A shared name of any object.
pub type Name = Arc<str>;

/// A small integer that identifies an object within one snapshot.
pub trait Id: Copy + Eq {
    /// Returns the id of a position. Tables in memory never have more items than there are ids.
    fn at(position: usize) -> Self;
    /// Returns the position of this id.
    fn ix(self) -> usize;
}

/// Converts a count or position to `u32`, as tables store it. Nothing in memory has more items than that.
#[inline]
pub fn number_of(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Declares an id type over `u32`.
#[macro_export]
#[doc(hidden)]
macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);
        impl $crate::cluster::Id for $name {
            #[inline]
            fn at(position: usize) -> Self {
                Self($crate::cluster::number_of(position))
            }
            #[inline]
            fn ix(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// Index of a vnode in the node dump.
    NodeId
);
id!(
    /// Index of a job, array parent or subjob in the job dump.
    JobId
);
id!(
    /// Index of a queue in the queue dump.
    QueueId
);
id!(
    /// Index of a reservation in the reservation dump.
    ResvId
);
id!(
    /// Index of a resource in the catalogue.
    ResourceId
);

/// A table with one `T` for every id of kind `I`.
///
/// Ids come from the table that they index, so indexing cannot fail; this is the one type of the crate for which
/// plain indexing is allowed outside tests.
#[derive(Clone, PartialEq, Eq)]
pub struct Column<I, T> {
    items: Vec<T>,
    ids: PhantomData<fn(I)>,
}

impl<I: Id, T: std::fmt::Debug> std::fmt::Debug for Column<I, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(&self.items).finish()
    }
}

impl<I, T> Default for Column<I, T> {
    fn default() -> Self {
        Self { items: Vec::new(), ids: PhantomData }
    }
}

impl<I: Id, T> Column<I, T> {
    /// Creates an empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a table of `len` copies of `item`.
    pub fn filled(len: usize, item: T) -> Self
    where
        T: Clone,
    {
        Self::from(vec![item; len])
    }

    /// Creates an empty table with capacity for `len` items.
    pub fn with_room(len: usize) -> Self {
        Self::from(Vec::with_capacity(len))
    }

    /// Appends an item and returns its id.
    pub fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::at(self.items.len() - 1)
    }

    /// Returns the number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns the item of `id`, if the table has it.
    pub fn checked(&self, id: I) -> Option<&T> {
        self.items.get(id.ix())
    }

    /// Returns the item of `id` mutably, if the table has it.
    pub fn checked_mut(&mut self, id: I) -> Option<&mut T> {
        self.items.get_mut(id.ix())
    }

    /// Returns all ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::at)
    }

    /// Returns all items in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// Returns all items in order, mutably.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    /// Returns all items with their ids.
    pub fn enumerate(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(ix, item)| (I::at(ix), item))
    }

    /// Returns the items as a slice.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }
}

impl<I, T> From<Vec<T>> for Column<I, T> {
    fn from(items: Vec<T>) -> Self {
        Self { items, ids: PhantomData }
    }
}

impl<I, T> FromIterator<T> for Column<I, T> {
    fn from_iter<S: IntoIterator<Item = T>>(items: S) -> Self {
        Self::from(items.into_iter().collect::<Vec<_>>())
    }
}

impl<I, T> IntoIterator for Column<I, T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<'a, I, T> IntoIterator for &'a Column<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

#[expect(clippy::indexing_slicing, reason = "ids come from the table they index")]
impl<I: Id, T> Index<I> for Column<I, T> {
    type Output = T;
    #[inline]
    fn index(&self, id: I) -> &T {
        &self.items[id.ix()]
    }
}

#[expect(clippy::indexing_slicing, reason = "ids come from the table they index")]
impl<I: Id, T> IndexMut<I> for Column<I, T> {
    #[inline]
    fn index_mut(&mut self, id: I) -> &mut T {
        &mut self.items[id.ix()]
    }
}
