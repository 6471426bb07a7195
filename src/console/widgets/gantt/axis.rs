//! The time axis: the column of a moment, and the labels.

use qscope_engine::cluster::{Epoch, Seconds};

/// The spans to zoom to, in seconds: ten minutes to a year.
pub(crate) const SPANS: [i64; 16] = [
    600, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400, 172_800, 345_600, 604_800, 1_209_600, 2_592_000,
    7_776_000, 15_552_000, 31_536_000,
];

/// Possible distances of two labels, in seconds.
const STEPS: [i64; 18] = [
    60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 14_400, 21_600, 43_200, 86_400, 172_800, 604_800,
    1_209_600, 2_592_000, 7_776_000,
];

/// Columns of a label: a time of day, its tick and a gap.
const LABEL: i64 = 7;

/// A span of time on `width` columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Axis {
    from: Epoch,
    span: i64,
    width: u16,
    ticks: Vec<(Epoch, String)>,
}

impl Axis {
    /// An axis whose labels are round times in a zone that is `offset` ahead of UTC; `name` formats a time.
    pub(crate) fn new(
        from: Epoch,
        span: Seconds,
        width: u16,
        offset: Seconds,
        name: impl Fn(Epoch) -> String,
    ) -> Self {
        let span = span.0.max(1);
        let mut axis = Self { from, span, width, ticks: Vec::new() };
        let fits = |step: &&i64| **step * i64::from(width) >= span * LABEL;
        let step = STEPS.iter().find(fits).copied().unwrap_or(span);
        let first = (from.0 + offset.0).div_euclid(step) + 1;
        let even = (first..).map(|at| Epoch(at * step - offset.0)).take_while(|at| *at < axis.end());
        // The first moment is labelled too; drawing drops labels that would touch.
        let even: Vec<Epoch> = even.take(usize::from(width)).collect();
        axis.ticks = std::iter::once(from).chain(even).map(|at| (at, name(at))).collect();
        axis
    }

    pub(crate) fn width(&self) -> u16 {
        self.width
    }

    /// The first moment past the axis.
    pub(crate) fn end(&self) -> Epoch {
        Epoch(self.from.0.saturating_add(self.span))
    }

    /// The column of a moment, which may be before or past the axis.
    pub(crate) fn position(&self, at: Epoch) -> i64 {
        let since = i128::from(at.0) - i128::from(self.from.0);
        let column = (since * i128::from(self.width)).div_euclid(i128::from(self.span));
        i64::try_from(column).unwrap_or(if column < 0 { i64::MIN } else { i64::MAX })
    }

    /// The column of a moment on the axis.
    pub(crate) fn column(&self, at: Epoch) -> Option<usize> {
        usize::try_from(self.position(at)).ok().filter(|column| *column < usize::from(self.width))
    }

    /// Whether a bar is visible: it begins before the end of the axis, and ends after its start or begins on it.
    pub(crate) fn shows(&self, from: Epoch, to: Option<Epoch>) -> bool {
        let behind = |to| self.position(to).max(self.position(from).saturating_add(1));
        from < self.end() && to.is_none_or(|to| behind(to) > 0)
    }

    /// The moment at which a column begins.
    pub(crate) fn moment(&self, column: u16) -> Epoch {
        let since = i128::from(self.span) * i128::from(column) / i128::from(self.width.max(1));
        Epoch(self.from.0.saturating_add(i64::try_from(since).unwrap_or(0)))
    }

    /// The labelled moments.
    pub(crate) fn ticks(&self) -> &[(Epoch, String)] {
        &self.ticks
    }
}
