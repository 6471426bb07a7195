//! Allocation policies in the place of the scheduler's node order: what a what-if asks for, as words.

use std::collections::BTreeMap;

use super::{JobId, Name, QueueId};

/// Which policy chooses the nodes of which jobs. No dump states one: PBS orders nodes by `node_sort_key`.
///
/// A job's own word comes before its queue's, and that before the cluster's. An empty word is the scheduler's own order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AllocationChoices {
    /// The word for every job.
    pub cluster: Option<Name>,
    /// The words of queues.
    pub queues: BTreeMap<QueueId, Name>,
    /// The words of jobs.
    pub jobs: BTreeMap<JobId, Name>,
}

impl AllocationChoices {
    /// Whether every job keeps the scheduler's order.
    pub fn is_empty(&self) -> bool {
        self.words().next().is_none()
    }

    /// The word for a job of a queue; none where the scheduler's own order counts.
    pub fn of(&self, job: JobId, queue: Option<QueueId>) -> Option<&Name> {
        let by_queue = || queue.and_then(|queue| self.queues.get(&queue));
        let word = self.jobs.get(&job).or_else(by_queue).or(self.cluster.as_ref());
        word.filter(|word| !word.is_empty())
    }

    /// Every word that is a policy.
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
