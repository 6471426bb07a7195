//! The other path: what the node path would have chosen for a bucket job, and vice versa.

use crate::node_map::NodeMarks;
use crate::screen::{CycleRow, Screen};
use crate::story::{PathNodes, PathOutcomes, Story};
use qscope_engine::cluster::Id;
use qscope_engine::universe::Bit;

/// Both paths of the selected job.
#[derive(Debug)]
pub(super) struct PathComparison {
    /// The comparison, side by side.
    pub(super) story: Story,
    shares: PathNodes,
}

impl PathComparison {
    /// Considers the job on both paths; `None` if no path applies to it.
    pub(super) fn compare(screen: &Screen) -> Option<Self> {
        let Some(CycleRow::Step(step)) = screen.subject else { return None };
        let mut debugger = screen.subject_state.clone();
        debugger.seek(step.ix());
        let [own, other] = debugger.both_paths()?;
        let shares = PathNodes::of(&own, &other);
        let run = screen.run();
        let both =
            PathOutcomes { run, decided: &run.steps[step].outcome, own_outcome: &own, other_outcome: &other };
        Some(Self { story: Story::new(both.paragraphs(&shares)), shares })
    }

    /// Marks on the map: 1 for nodes of the job's own path, 2 for those of the other, 3 for those of both.
    pub(super) fn marks(&self) -> NodeMarks {
        let numbered =
            |nodes: &[Bit], number| nodes.iter().map(|bit| (*bit, number)).collect::<Vec<(Bit, usize)>>();
        let shares = &self.shares;
        let all =
            [numbered(&shares.only_own, 0), numbered(&shares.only_other, 1), numbered(&shares.common, 2)]
                .concat();
        NodeMarks::owned(all, Vec::new())
    }
}
