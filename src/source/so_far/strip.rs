//! The vnodes that were decoded so far, side by side in the order of their file: several to a cell where they are many.

use super::RecordState;

/// Never more cells than this: what a report copies stays small however large the cluster.
const MOST: usize = 8192;

/// Vnodes that follow each other in the file, by their state.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StripCell {
    /// How many are in service without jobs.
    pub free: u32,
    /// How many have jobs and room.
    pub part: u32,
    /// How many are full.
    pub full: u32,
    /// How many are out of service.
    pub out: u32,
}

impl StripCell {
    /// How many vnodes it stands for.
    pub fn vnodes(self) -> u32 {
        self.free + self.part + self.full + self.out
    }

    fn add(&mut self, state: RecordState) {
        match state {
            RecordState::Free => self.free += 1,
            RecordState::PartUsed => self.part += 1,
            RecordState::Full => self.full += 1,
            RecordState::Out => self.out += 1,
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
            out: self.out + other.out,
        }
    }
}

/// Vnodes in the order of their file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Strip {
    /// So many vnodes share a cell; the last cell may have fewer.
    per_cell: u32,
    cells: Vec<StripCell>,
}

impl Default for Strip {
    fn default() -> Self {
        Self { per_cell: 1, cells: Vec::new() }
    }
}

impl Strip {
    /// Adds the next vnode of the file; a job changes nothing.
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

    /// Puts each two cells into one.
    fn widen(&mut self) {
        let pairs = self.cells.chunks(2);
        self.cells =
            pairs.map(|pair| pair.iter().copied().fold(StripCell::default(), |a, b| a + b)).collect();
        self.per_cell *= 2;
    }

    /// The cells again with at least `per_cell` vnodes in each, and how many those are.
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
        let out_and_free = StripCell { free: 1, out: 1, ..StripCell::default() };
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
