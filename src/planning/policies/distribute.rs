//! Picks nodes in a policy's order, and distributes the tasks over them (rules 0.8, 0.9).

use super::{Candidate, TaskRequirement};
use qscope_engine::cluster::number_of;

/// The tasks that one node gets.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TaskShare {
    /// The node.
    pub candidate: Candidate,
    /// Number of tasks it could have taken.
    pub offered: u32,
    /// Number of tasks it takes.
    pub tasks: u32,
}

/// The nodes picked so far.
#[derive(Clone, Default, Debug)]
pub(super) struct NodePicker {
    picked: Vec<Candidate>,
    tasks: u64,
}

impl NodePicker {
    /// Returns whether tasks and nodes suffice.
    pub(super) fn is_done(&self, part: &TaskRequirement) -> bool {
        self.tasks >= u64::from(part.tasks) && (part.nodes == 0 || self.picked.len() >= part.nodes as usize)
    }

    /// Returns the number of tasks that the picked nodes hold.
    pub(super) fn tasks(&self) -> u64 {
        self.tasks
    }

    /// Picks candidates in order until tasks and nodes suffice.
    pub(super) fn pick_in_order(&mut self, part: &TaskRequirement, ordered: &[Candidate]) {
        for candidate in ordered {
            if self.is_done(part) {
                return;
            }
            if candidate.tasks >= part.per_node.max(1) {
                self.picked.push(*candidate);
                self.tasks += u64::from(candidate.tasks.min(part.tasks));
            }
        }
    }

    /// Distributes the tasks over the picked nodes.
    pub(super) fn shares(self, part: &TaskRequirement) -> Vec<TaskShare> {
        let offers: Vec<u32> = self.picked.iter().map(|candidate| candidate.tasks.min(part.tasks)).collect();
        let dealt = distribute_tasks(part, &offers);
        let pairs = self.picked.into_iter().zip(offers).zip(dealt);
        pairs
            .filter(|(_, tasks)| *tasks > 0)
            .map(|((candidate, offered), tasks)| TaskShare { candidate, offered, tasks })
            .collect()
    }
}

/// Returns the number of tasks that each of the offers takes.
fn distribute_tasks(part: &TaskRequirement, offers: &[u32]) -> Vec<u32> {
    if part.nodes == 0 || part.per_node > 0 {
        return fill_in_order(part.tasks, offers);
    }
    if offers.len() == part.nodes as usize
        && let Some(balanced) = balance(part, offers)
    {
        return balanced;
    }
    fill_keeping_one(part.tasks, offers)
}

/// Fills each offer in order until all tasks are placed.
fn fill_in_order(tasks: u32, offers: &[u32]) -> Vec<u32> {
    let mut left = tasks;
    let take = |offer: &u32| {
        let taken = (*offer).min(left);
        left -= taken;
        taken
    };
    offers.iter().map(take).collect()
}

/// Gives each node the same number, and one more to the first ones that can take it; none if one cannot take
/// its share.
fn balance(requirement: &TaskRequirement, offers: &[u32]) -> Option<Vec<u32>> {
    let (each, mut extra) = (requirement.tasks / requirement.nodes, requirement.tasks % requirement.nodes);
    let able = offers.iter().filter(|offer| **offer > each).count();
    if offers.iter().any(|offer| *offer < each) || able < extra as usize {
        return None;
    }
    let take = |offer: &u32| {
        let more = u32::from(extra > 0 && *offer > each);
        extra -= more;
        each + more
    };
    Some(offers.iter().map(take).collect())
}

/// Fills each offer in order, but keeps one task for each following node.
fn fill_keeping_one(tasks: u32, offers: &[u32]) -> Vec<u32> {
    let mut left = tasks;
    let mut nodes = number_of(offers.len());
    let take = |offer: &u32| {
        let taken = (*offer).min((1 + left).saturating_sub(nodes)).min(left);
        left -= taken;
        nodes -= 1;
        taken
    };
    offers.iter().map(take).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use qscope_engine::universe::ShapeId;

    fn part(tasks: u32, nodes: u32, per_node: u32) -> TaskRequirement {
        TaskRequirement { shape: ShapeId(0), tasks, nodes, per_node }
    }

    // The examples of rule 0.9.
    #[test]
    fn tasks_are_balanced_over_a_number_of_nodes_where_that_is_possible() {
        assert_eq!(distribute_tasks(&part(10, 2, 0), &[4, 8]), [4, 6]);
        assert_eq!(distribute_tasks(&part(10, 2, 0), &[8, 6]), [5, 5]);
        assert_eq!(distribute_tasks(&part(10, 3, 0), &[4, 8, 4]), [4, 3, 3]);
    }

    #[test]
    fn without_a_number_of_nodes_each_is_filled() {
        assert_eq!(distribute_tasks(&part(10, 0, 0), &[4, 8]), [4, 6]);
        assert_eq!(distribute_tasks(&part(8, 0, 4), &[4, 4, 4]), [4, 4, 0]);
    }

    #[test]
    fn more_nodes_than_wanted_are_dealt_greedily() {
        assert_eq!(distribute_tasks(&part(10, 2, 0), &[3, 3, 8]), [3, 3, 4]);
    }
}
