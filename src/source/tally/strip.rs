//! The vnodes decoded so far, in the order of their file; several share a cell if there are many.

use super::RecordState;

/// Maximum number of cells, so that copying a report stays cheap however large the cluster is.
const MOST: usize = 8192;

/// Consecutive vnodes in the file, counted by state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StripCell {
    /// Number in service without jobs.
    pub free: u32,
    /// Number with jobs and room.
    pub part: u32,
    pub full: u32,
    /// Number out of service.
    pub out_of_service: u32,
}

impl StripCell {
    /// Returns the number of vnodes in the cell.
    pub fn vnodes(self) -> u32 {
        self.free + self.part + self.full + self.out_of_service
    }

    fn add(&mut self, state: RecordState) {
        match state {
            RecordState::Free => self.free += 1,
            RecordState::PartUsed => self.part += 1,
            RecordState::Full => self.full += 1,
            RecordState::Out => self.out_of_service += 1,
            RecordState::Running | RecordState::Queued | RecordState::Held | RecordState::Other => {}
        }
    }
}

impl std::ops::Add for StripCell {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            free: self.free + other.free,
            part: self.part + other.part,
            full: self.full + other.full,
            out_of_service: self.out_of_service + other.out_of_service,
        }
    }
}

/// Vnodes in the order of their file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Strip {
    /// Number of vnodes per cell; the last cell may have fewer.
    per_cell: u32,
    cells: Vec<StripCell>,
}

impl Default for Strip {
    fn default() -> Self {
        Self { per_cell: 1, cells: Vec::new() }
    }
}

impl Strip {
    /// Adds the next vnode of the file; jobs are ignored.
    pub(crate) fn push(&mut self, state: RecordState) {
        if !state.is_of_node() {
            return;
        }
        match self.cells.last_mut().filter(|cell| cell.vnodes() < self.per_cell) {
            Some(cell) => cell.add(state),
            None => {
                if self.cells.len() == MOST {
                    self.widen();
                }
                let mut cell = StripCell::default();
                cell.add(state);
                self.cells.push(cell);
            }
        }
    }

    /// Merges pairs of cells.
    fn widen(&mut self) {
        let pairs = self.cells.chunks(2);
        self.cells =
            pairs.map(|pair| pair.iter().copied().fold(StripCell::default(), |a, b| a + b)).collect();
        self.per_cell *= 2;
    }

    /// Returns cells with at least `per_cell` vnodes each, and the number of vnodes per cell.
    pub fn cells(&self, per_cell: usize) -> (Vec<StripCell>, usize) {
        let own = usize::try_from(self.per_cell).unwrap_or(usize::MAX);
        let each = per_cell.div_ceil(own).max(1);
        let sum = |cells: &[StripCell]| cells.iter().copied().fold(StripCell::default(), |a, b| a + b);
        (self.cells.chunks(each).map(sum).collect(), own.saturating_mul(each))
    }

    /// Whether no vnode was decoded.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vnodes_stand_in_the_order_of_the_file_and_jobs_beside_it() {
        let mut strip = Strip::default();
        let states = [RecordState::Free, RecordState::Running, RecordState::Out, RecordState::Full];
        states.into_iter().for_each(|state| strip.push(state));
        let (cells, each) = strip.cells(2);
        let out_and_free = StripCell { free: 1, out_of_service: 1, ..StripCell::default() };
        assert_eq!((each, cells), (2, vec![out_and_free, StripCell { full: 1, ..StripCell::default() }]));
    }

    #[test]
    fn many_vnodes_share_cells_and_none_is_lost() {
        let mut strip = Strip::default();
        for nth in 0..5 * MOST {
            strip.push(if nth < MOST { RecordState::Free } else { RecordState::Full });
        }
        let (cells, each) = strip.cells(1);
        assert!(cells.len() <= MOST && each == 8);
        assert_eq!(cells.iter().map(|cell| cell.free).sum::<u32>(), 8192);
        assert_eq!(cells.iter().map(|cell| cell.vnodes()).sum::<u32>(), 5 * 8192);
        assert!(cells.iter().take(1024).all(|cell| cell.free == 8), "the free ones are the first");
    }
}
