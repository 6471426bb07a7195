//! Hiding and showing the sets below a set, and following the set that a step took.

use super::PoolsView;
use super::job_trial::JobSetTrial;
use super::tree::{PoolLine, SetLine};
use crate::action::Action;
use crate::views::{Update, ViewContext};

impl PoolsView {
    /// Moves the cursor to the set that the job took, after a step.
    pub(super) fn follow_decision(&mut self, cx: ViewContext<'_>) {
        let position = cx.position();
        if std::mem::replace(&mut self.position, position) == position {
            return;
        }
        // On the head of a pool the cursor stays: the user looks at the pool as a whole.
        if self.set().is_none() {
            return;
        }
        if let Some((pool, name)) = JobSetTrial::of(cx).and_then(|job| job.taken_set()) {
            let is_it =
                |line: &PoolLine| matches!(line, PoolLine::Set(set) if set.pool == pool && set.name == name);
            self.list.put_on(is_it);
        }
    }

    /// Hides or shows the sets below a set; left on a set without any moves to its parent.
    pub(super) fn fold(&mut self, action: Action, cx: ViewContext<'_>) -> Update {
        let Some(line) = self.set().cloned() else { return Update::unchanged() };
        let changed = match (action, line.descendants > 0, line.folded) {
            (Action::Left, true, false) => self.folded.insert(line.name),
            (Action::Right, true, true) => self.folded.remove(&line.name),
            (Action::Left, ..) => return self.go_to_parent(&line),
            _ => false,
        };
        if changed {
            self.make_lines(cx);
        }
        Update::changed_if(changed)
    }

    pub(super) fn go_to_parent(&mut self, line: &SetLine) -> Update {
        let mut name = &*line.name;
        while let Some((above, _)) = name.rsplit_once(',') {
            let meant = |other: &PoolLine| matches!(other, PoolLine::Set(set) if &*set.name == above && set.pool == line.pool);
            if self.list.put_on(meant) {
                return Update::changed();
            }
            name = above;
        }
        Update::unchanged()
    }
}
