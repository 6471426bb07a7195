//! What a job that requests whole nodes lacks, in nodes or in chunks.

use qscope_engine::cluster::Arrangement;
use qscope_engine::universe::Spec;

use crate::fit_analysis::FitAnalysis;

/// What a job with whole nodes lacks: nodes where each of its chunks needs one, chunks where several may share one.
pub(super) struct WholeNodeCount {
    pub(super) wanted: u64,
    pub(super) available: u64,
    /// Whether one node has to hold all chunks.
    pub(super) is_packed: bool,
    /// Whether nodes are counted, not chunks.
    are_nodes: bool,
}

impl WholeNodeCount {
    /// Counts on the nodes open to the job; `empty` are all its nodes without other jobs.
    pub(super) fn of(open: &FitAnalysis<'_>, empty: &FitAnalysis<'_>) -> Self {
        let (chunks, specs) = (open.request().total_chunks(), open.parts(None));
        let held = |of: &dyn Fn(&Spec) -> u64| -> u64 {
            specs.iter().map(|spec| of(spec).min(u64::from(spec.count))).sum()
        };
        let is_packed = open.request().place.arrangement == Arrangement::Pack && chunks > 1;
        let one_each = chunks == 1
            || open.request().is_spread()
            || specs.iter().all(|spec| empty.most_on_a_unit(spec) <= 1);
        let (wanted, available) = match (is_packed, one_each) {
            (true, _) => (1, open.units_for_all()),
            (false, true) => (chunks, held(&|spec| open.units_for(spec)).min(open.units_for_any())),
            (false, false) => (chunks, held(&|spec| open.chunks(spec, None, false))),
        };
        Self { wanted, available, is_packed, are_nodes: is_packed || one_each }
    }

    /// Returns the unit of the numbers, if it is not whole nodes.
    pub(super) fn unit(&self) -> Option<String> {
        (!self.are_nodes).then(|| "chunks on whole nodes".to_owned())
    }

    /// States what so many chunks need of a unit, behind their number.
    pub(super) fn need(&self, chunks: u64, unit: &str) -> String {
        match chunks {
            1 => "needs whole nodes".to_owned(),
            _ if self.is_packed => format!("need one whole {unit}"),
            _ => "need whole nodes".to_owned(),
        }
    }
}
