//! Pages of shared rows.

use std::sync::Arc;

/// So many rows are shared as one.
pub(super) const PAGE: usize = 64;

/// Rows of a [`super::SharedColumn`], shared with every other one that has the same at the same place.
#[derive(PartialEq, Eq, Debug)]
pub struct Page<T>(pub(super) Arc<[Arc<T>; PAGE]>);

// By hand: a derived one would want rows that can be cloned.
impl<T> Clone for Page<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Page<T> {
    /// So many rows has each.
    pub const ROWS: usize = PAGE;

    /// Whether its rows are these very ones.
    pub fn is_of<'r>(&self, rows: impl Iterator<Item = &'r Arc<T>>) -> bool
    where
        T: 'r,
    {
        self.0.iter().map(Arc::as_ptr).eq(rows.map(Arc::as_ptr))
    }

    /// Its rows in order.
    pub fn rows(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|row| &**row)
    }

    /// Whether it is the very page that another table has.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
