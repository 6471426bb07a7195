//! Rows of numbers, all of one width, one after the other in memory: what lists are sorted by.

/// The rows of the items of a list, in its order.
#[derive(Clone, Debug)]
pub(in crate::universe) struct Rows<T> {
    width: usize,
    numbers: Vec<T>,
}

#[expect(clippy::indexing_slicing, reason = "there is a row for each place of the list")]
impl<T: Copy> Rows<T> {
    /// These rows, so many numbers each.
    pub(in crate::universe) fn new(width: usize, numbers: Vec<T>) -> Self {
        debug_assert!(numbers.len().is_multiple_of(width), "whole rows");
        Self { width, numbers }
    }

    /// All rows in order.
    pub(in crate::universe) fn iter(&self) -> impl Iterator<Item = &[T]> {
        self.numbers.chunks(self.width)
    }

    /// The row of a place.
    #[inline]
    pub(in crate::universe) fn row(&self, at: usize) -> &[T] {
        &self.numbers[at * self.width..][..self.width]
    }

    /// The same, to change.
    pub(in crate::universe) fn row_mut(&mut self, at: usize) -> &mut [T] {
        &mut self.numbers[at * self.width..][..self.width]
    }

    /// Moves a row to another place; those between move up by one.
    pub(in crate::universe) fn shift(&mut self, from: usize, to: usize) {
        shift(&mut self.numbers, from, to, self.width);
    }

    /// The rows of these places, in this order.
    pub(in crate::universe) fn arranged(&self, order: &[usize]) -> Self {
        let numbers = order.iter().flat_map(|at| self.row(*at)).copied().collect();
        Self { width: self.width, numbers }
    }
}

/// Moves an item of a list, which is so many elements, to another place; those between move up by one.
#[expect(clippy::indexing_slicing, reason = "both are places of the list")]
pub(in crate::universe) fn shift<T>(list: &mut [T], from: usize, to: usize, width: usize) {
    let between = &mut list[from.min(to) * width..(from.max(to) + 1) * width];
    if to < from {
        between.rotate_right(width);
    } else {
        between.rotate_left(width);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_is_moved_and_those_between_close_up() {
        let moved = |from, to| {
            let mut rows = Rows::new(2, vec![1, 1, 2, 2, 3, 3, 4, 4]);
            rows.shift(from, to);
            rows.iter().filter_map(|row| row.first().copied()).collect::<Vec<i32>>()
        };
        assert_eq!([moved(0, 2), moved(3, 1), moved(1, 1)], [[2, 3, 1, 4], [1, 4, 2, 3], [1, 2, 3, 4]]);
    }
}
