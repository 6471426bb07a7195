//! Names, ids that are only valid for one snapshot, and the columns they index.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};
use std::sync::Arc;

/// A name of anything, shared rather than copied.
pub type Name = Arc<str>;

/// A small integer that names one thing within one snapshot.
pub trait Id: Copy + Eq {
    /// The id of a position. No table in memory has more of them than there are ids.
    fn at(position: usize) -> Self;
    /// The position this id names.
    fn ix(self) -> usize;
}

/// A count or a position as the small number that tables keep of it. Nothing in memory has more than fit into it.
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
    /// One vnode, by its place in the node dump.
    NodeId
);
id!(
    /// One job, array parent or subjob, by its place in the job dump.
    JobId
);
id!(
    /// One queue, by its place in the queue dump.
    QueueId
);
id!(
    /// One reservation, by its place in the reservation dump.
    ResvId
);
id!(
    /// One resource, by its place in the catalogue.
    ResourceId
);

/// A table with one `T` for every id of kind `I`.
///
/// An id comes from the table that it indexes, so indexing cannot fail; this is the one place of the
/// crate where plain indexing is allowed outside tests.
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
    /// An empty table.
    pub fn new() -> Self {
        Self::default()
    }

    /// A table of `len` copies of `item`.
    pub fn filled(len: usize, item: T) -> Self
    where
        T: Clone,
    {
        Self::from(vec![item; len])
    }

    /// An empty column with room for so many items.
    pub fn with_room(len: usize) -> Self {
        Self::from(Vec::with_capacity(len))
    }

    /// Appends an item and returns its id.
    pub fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::at(self.items.len() - 1)
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The item of `id`, if the table has it.
    pub fn checked(&self, id: I) -> Option<&T> {
        self.items.get(id.ix())
    }

    /// The item of `id`, to change, if the table has it.
    pub fn checked_mut(&mut self, id: I) -> Option<&mut T> {
        self.items.get_mut(id.ix())
    }

    /// All ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + use<I, T> {
        (0..self.items.len()).map(I::at)
    }

    /// All items in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// All items in order, to change.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    /// All items with their ids.
    pub fn enumerate(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.items.iter().enumerate().map(|(ix, item)| (I::at(ix), item))
    }

    /// The items as a slice.
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
