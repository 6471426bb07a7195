//! The other path on request: what the node path would have chosen for a bucket job, and the reverse.

use super::node_map::Marks;
use super::{Row, Shell, Shown};
use crate::layout::Pane;
use crate::story::{Shares, Story, tell_paths};
use qscope_engine::cluster::Id;

/// Both paths of the job that is looked at.
#[derive(Debug)]
pub struct TwoPaths {
    /// Told side by side.
    pub story: Story,
    shares: Shares,
}

impl TwoPaths {
    /// On the map: 1 for nodes of the job's own path, 2 for those of the other, 3 for those of both.
    pub(super) fn marks(&self) -> Marks {
        let numbered = |nodes: &[qscope_engine::universe::Bit], number| {
            nodes.iter().map(move |bit| (*bit, number)).collect::<Vec<_>>()
        };
        let shares = &self.shares;
        let all = [numbered(&shares.own, 0), numbered(&shares.other, 1), numbered(&shares.both, 2)].concat();
        Marks::owned(all, Vec::new())
    }
}

impl Shown {
    /// Considers the job by both paths; false when no path applies to it.
    fn compare_paths(&mut self) -> bool {
        let Some(Row::Step(step)) = self.subject else { return false };
        let run = self.generation.run.clone();
        self.subject_state.seek(step.ix());
        let Some([(own, _), (other, _)]) = self.subject_state.both_paths() else { return false };
        let shares = Shares::of(&own, &other);
        let story = Story::new(tell_paths(&run, &own, &other, &shares));
        self.paths = Some(TwoPaths { story, shares });
        self.scroll = 0;
        self.forget_map();
        true
    }
}

impl Shell {
    /// Shows both paths in place of the decision, or the decision again.
    pub(super) fn toggle_paths(&mut self) {
        let Some(shown) = &mut self.shown else { return };
        if shown.close_paths() {
            return;
        }
        self.following.freeze.get_or_insert(super::Freeze::Stepping);
        if shown.compare_paths() {
            self.focus = Pane::Detail;
        } else {
            self.say("this job was not considered, so neither path was taken");
        }
    }
}

impl Shown {
    /// Back to the decision; whether both paths were shown.
    pub(super) fn close_paths(&mut self) -> bool {
        let shown = self.paths.take().is_some();
        if shown {
            self.scroll = 0;
            self.forget_map();
        }
        shown
    }
}
