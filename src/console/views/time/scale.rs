//! The time axis: the column of a moment.

use qscope_engine::cluster::Epoch;

/// The scale from the first to the last of some moments.
#[derive(Debug, Clone, Copy)]
pub(super) struct TimeScale {
    from: i64,
    /// In seconds.
    pub(super) length: i64,
    pub(super) columns: usize,
    moments: usize,
}

impl TimeScale {
    /// The scale of these moments in `columns` columns.
    pub(super) fn new(moments: &[Epoch], columns: usize) -> Self {
        let from = moments.first().map_or(0, |at| at.0);
        let to = moments.last().map_or(0, |at| at.0);
        Self { from, length: to - from, columns, moments: moments.len() }
    }

    /// Whether moments are spaced evenly, because there are more of them than seconds.
    pub(super) fn is_by_place(self) -> bool {
        i64::try_from(self.moments).is_ok_and(|moments| self.length < moments - 1)
    }

    /// The column of one of the moments.
    pub(super) fn column(self, moments: &[Epoch], nth: usize) -> usize {
        let last = i128::try_from(self.columns.saturating_sub(1)).unwrap_or(0);
        let (since, of) = match self.is_by_place() {
            true => (nth as i128, self.moments.saturating_sub(1) as i128),
            false => {
                let at = moments.get(nth).map_or(self.from, |at| at.0);
                (i128::from((at - self.from).clamp(0, self.length)), i128::from(self.length))
            }
        };
        usize::try_from(since.min(of) * last / of.max(1)).unwrap_or(0)
    }

    /// The index of the moment in a column, or of the one nearest to it.
    pub(super) fn nearest(self, moments: &[Epoch], column: usize) -> Option<usize> {
        (0..moments.len()).min_by_key(|nth| self.column(moments, *nth).abs_diff(column))
    }

    /// The time at which a column begins.
    pub(super) fn time(self, column: usize) -> Epoch {
        let last = i128::try_from(self.columns.saturating_sub(1).max(1)).unwrap_or(1);
        let since = i128::from(self.length) * i128::try_from(column).unwrap_or(0) / last;
        Epoch(self.from + i64::try_from(since).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(moments: &[i64]) -> Vec<usize> {
        let moments: Vec<Epoch> = moments.iter().map(|at| Epoch(*at)).collect();
        let scale = TimeScale::new(&moments, 101);
        (0..moments.len()).map(|nth| scale.column(&moments, nth)).collect()
    }

    #[test]
    fn moments_stand_by_their_time_and_by_their_place_where_there_are_more_than_seconds() {
        assert_eq!(columns(&[0, 10, 100]), [0, 10, 100]);
        assert_eq!(columns(&[7, 7, 7]), [0, 50, 100]);
        assert_eq!(columns(&[7, 7, 8]), [0, 50, 100]);
        assert_eq!(columns(&[7]), [0]);
        assert!(columns(&[]).is_empty());
        let same = [Epoch(7); 5];
        assert_eq!(TimeScale::new(&same, 101).nearest(&same, 60), Some(2));
    }
}
