//! Allocation policies that replace the scheduler's node order, as requested by a what-if.

use std::collections::BTreeMap;

use super::{JobId, Name, QueueId};

/// The names of the policies that choose the nodes of jobs. No dump contains one: PBS orders nodes by
/// `node_sort_key`.
///
/// A job's own policy takes precedence over its queue's, and that over the cluster's. An empty name means the
/// scheduler's own order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AllocationChoices {
    /// Policy of every job.
    pub cluster: Option<Name>,
    pub queues: BTreeMap<QueueId, Name>,
    /// Policies of jobs.
    pub jobs: BTreeMap<JobId, Name>,
}

impl AllocationChoices {
    /// Whether every job keeps the scheduler's order.
    pub fn is_empty(&self) -> bool {
        self.words().next().is_none()
    }

    /// Returns the policy for a job of a queue; `None` for the scheduler's own order.
    pub fn of(&self, job: JobId, queue: Option<QueueId>) -> Option<&Name> {
        let by_queue = || queue.and_then(|queue| self.queues.get(&queue));
        let word = self.jobs.get(&job).or_else(by_queue).or(self.cluster.as_ref());
        word.filter(|word| !word.is_empty())
    }

    /// Returns all names that are not empty.
    pub fn words(&self) -> impl Iterator<Item = &Name> {
        let all = self.cluster.iter().chain(self.queues.values()).chain(self.jobs.values());
        all.filter(|word| !word.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_counts() {
        let mut choices = AllocationChoices { cluster: Some("FASTEST".into()), ..Default::default() };
        choices.queues.insert(QueueId(0), "".into());
        choices.jobs.insert(JobId(7), "CPULOAD".into());
        let word = |job, queue| choices.of(JobId(job), queue).map(|word| &**word);
        assert_eq!(word(1, None), Some("FASTEST"));
        assert_eq!(word(1, Some(QueueId(0))), None);
        assert_eq!(word(7, Some(QueueId(0))), Some("CPULOAD"));
        assert!(!choices.is_empty() && AllocationChoices::default().is_empty());
    }
}
