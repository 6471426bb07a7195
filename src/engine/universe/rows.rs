//! Rows of numbers, all of one width and contiguous in memory, by which lists are sorted.

/// The rows of a list's items, in the order of the list.
#[derive(Clone, Debug)]
pub(in crate::universe) struct Rows<T> {
    width: usize,
    numbers: Vec<T>,
}

#[expect(clippy::indexing_slicing, reason = "there is a row for each place of the list")]
impl<T: Copy> Rows<T> {
    /// Creates rows of `width` numbers each.
    pub(in crate::universe) fn new(width: usize, numbers: Vec<T>) -> Self {
        debug_assert!(numbers.len().is_multiple_of(width), "whole rows");
        Self { width, numbers }
    }

    /// Returns all rows in order.
    pub(in crate::universe) fn iter(&self) -> impl Iterator<Item = &[T]> {
        self.numbers.chunks(self.width)
    }

    /// Returns the row at a position.
    #[inline]
    pub(in crate::universe) fn row(&self, at: usize) -> &[T] {
        &self.numbers[at * self.width..][..self.width]
    }

    /// Returns the row at a position, mutably.
    pub(in crate::universe) fn row_mut(&mut self, at: usize) -> &mut [T] {
        &mut self.numbers[at * self.width..][..self.width]
    }

    /// Moves a row to another position; the rows between close up.
    pub(in crate::universe) fn shift(&mut self, from: usize, to: usize) {
        shift(&mut self.numbers, from, to, self.width);
    }

    /// Returns the rows at these positions, in this order.
    pub(in crate::universe) fn arranged(&self, order: &[usize]) -> Self {
        let numbers = order.iter().flat_map(|at| self.row(*at)).copied().collect();
        Self { width: self.width, numbers }
    }
}

/// Moves an item of `width` elements to another position; the items between close up.
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
