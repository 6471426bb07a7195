//! Pages of shared rows.

use std::sync::Arc;

/// Number of rows that are shared as one page.
pub(super) const PAGE: usize = 64;

/// Rows of a [`super::SharedColumn`], shared with every other table that has them at the same position.
#[derive(PartialEq, Eq, Debug)]
pub struct ColumnPage<T>(pub(super) Arc<[Arc<T>; PAGE]>);

// By hand: a derived one would require `T: Clone`.
impl<T> Clone for ColumnPage<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> ColumnPage<T> {
    pub const ROWS: usize = PAGE;

    /// Whether its rows are these, compared by address.
    pub fn is_of<'r>(&self, rows: impl Iterator<Item = &'r Arc<T>>) -> bool
    where
        T: 'r,
    {
        self.0.iter().map(Arc::as_ptr).eq(rows.map(Arc::as_ptr))
    }

    /// Returns its rows in order.
    pub fn rows(&self) -> impl Iterator<Item = &T> {
        self.0.iter().map(|row| &**row)
    }

    /// Whether it is the same shared page as `other`.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
