//! The universe as the jobs of a running reservation see it.

use crate::cluster::ResvId;

use super::{Cells, State};

impl State {
    /// Reads the universe as the jobs of a running reservation see it.
    pub fn within<T>(&mut self, reservation: ResvId, read: impl FnOnce(&mut Self) -> T) -> T {
        self.cells.swap_floor(reservation);
        let hosts = std::mem::take(&mut self.cells.host_sets);
        let result = read(self);
        self.cells.host_sets = hosts;
        self.cells.swap_floor(reservation);
        result
    }
}

impl Cells {
    /// Exchanges the floor with that of a reservation's inside; twice is nothing.
    pub(super) fn swap_floor(&mut self, reservation: ResvId) {
        self.sets.mark_all();
        if let Some(inside) = &mut self.insides[reservation] {
            std::mem::swap(&mut inside.floor, &mut self.floor);
        }
    }
}
