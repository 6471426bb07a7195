//! What stands below a set, folded away or shown, and the set that the cursor goes to after a step.

use super::Pools;
use super::meeting::Meeting;
use super::tree::{PoolLine, SetLine};
use crate::action::Action;
use crate::views::{Update, World};

impl Pools {
    /// After a step the cursor goes to the set that the job took.
    pub(super) fn follow_decision(&mut self, world: World<'_>) {
        let position = world.position();
        if std::mem::replace(&mut self.position, position) == position {
            return;
        }
        // On the head of a pool it stays: the whole pool is what is looked at.
        if self.set().is_none() {
            return;
        }
        if let Some((pool, name)) = Meeting::of(world).and_then(|job| job.taken_set()) {
            let is_it =
                |line: &PoolLine| matches!(line, PoolLine::Set(set) if set.pool == pool && set.name == name);
            self.list.put_on(is_it);
        }
    }

    /// Folds what stands below a set away, or shows it; from a set with nothing below, left leads to the one above.
    pub(super) fn fold(&mut self, action: Action, world: World<'_>) -> Update {
        let Some(line) = self.set().cloned() else { return Update::nothing() };
        let changed = match (action, line.below > 0, line.folded) {
            (Action::Left, true, false) => self.folded.insert(line.name),
            (Action::Right, true, true) => self.folded.remove(&line.name),
            (Action::Left, ..) => return self.go_above(&line),
            _ => false,
        };
        if changed {
            self.make_lines(world);
        }
        Update::changed_if(changed)
    }

    pub(super) fn go_above(&mut self, line: &SetLine) -> Update {
        let mut name = &*line.name;
        while let Some((above, _)) = name.rsplit_once(',') {
            let meant = |other: &PoolLine| matches!(other, PoolLine::Set(set) if &*set.name == above && set.pool == line.pool);
            if self.list.put_on(meant) {
                return Update::changed();
            }
            name = above;
        }
        Update::nothing()
    }
}
