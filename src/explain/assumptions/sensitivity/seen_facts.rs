//! What the files show: whether a fact was seen, and which settings of the scheduler could be different.

use super::Judge;
use crate::assumptions::contention::has_sets;
use qscope_engine::cluster::{Holidays, JobId, LimitEntry, SnapshotFact};

impl Judge {
    /// Whether the scheduler's comment on some job is evidence of a setting.
    pub(super) fn is_shown(&self, fact: SnapshotFact) -> bool {
        self.facts.evident_facts.contains(&fact)
    }

    /// Whether the files show prime or dedicated time, so that a queue may be restricted to it.
    pub(super) fn has_windows(&self) -> bool {
        let snap = self.snap();
        let has_prime = |file: &Holidays| !file.days.is_empty() || !file.holidays.is_empty();
        snap.holidays.as_ref().is_some_and(has_prime)
            || snap.dedicated_time.iter().any(|slot| slot.to > snap.now)
            || self.is_shown(SnapshotFact::TimeWindows)
    }

    /// Whether the files show that usage counts.
    pub(super) fn has_shares(&self) -> bool {
        let snap = self.snap();
        !snap.share_groups.is_empty() || !snap.usage.is_empty() || self.is_shown(SnapshotFact::FairShare)
    }

    /// Whether placement sets may be in force: what would enable them was not seen, or enables them.
    pub(super) fn may_have_sets(&self, job: JobId) -> bool {
        let groups = |request| has_sets(&self.run.plan, request);
        self.snap().server.assumed
            || self.run.plan.request(job, None).is_ok_and(groups)
            || self.is_shown(SnapshotFact::PlacementSets)
    }

    /// Whether unseen settings could let a job preempt others.
    pub(super) fn may_preempt(&self, id: JobId) -> bool {
        let snap = self.snap();
        if !self.facts.are_jobs_running
            || !self.is_unseen(SnapshotFact::Preemption) && !self.is_unseen(SnapshotFact::QueueAttributes)
        {
            return false;
        }
        let queue = self.run.plan.queue_of(id).map(|queue| &snap.queues[queue]);
        let levels = &snap.scheduler.preempt_prio;
        let soft = |entries: &[LimitEntry]| entries.iter().any(|entry| entry.soft);
        let softly = soft(&snap.server.limits.entries)
            || snap.queues.iter().any(|queue| soft(&queue.limits.entries))
            || self.is_unseen(SnapshotFact::ServerLimits)
            || self.is_unseen(SnapshotFact::QueueLimits);
        let shares = snap.policy.assumed || snap.policy.fair_share.prime || snap.policy.fair_share.non_prime;
        let is_level = |word: &str| snap.scheduler.assumed || levels.contains(word);
        let express = queue.is_none_or(|queue| queue.assumed || snap.scheduler.assumed && queue.priority > 0);
        express || softly && is_level("softlimits") || shares && is_level("fairshare")
    }

    /// Whether strict ordering, if set, would stop all jobs after one that does not start: nothing is backfilled, or
    /// nothing shows that backfilling is on.
    pub(super) fn may_stop_others(&self) -> bool {
        let snap = self.snap();
        let none = Some(0);
        snap.server.assumed
            || snap.server.backfill_depth == none
            || snap.queues.iter().any(|queue| queue.assumed || queue.backfill_depth == none)
    }

    /// Whether a waiting job could stop the jobs after it, which would then get another verdict.
    pub(super) fn may_be_strict(&self) -> bool {
        let policy = &self.snap().policy;
        let strict = [policy.strict_ordering, policy.strict_fifo];
        self.facts.considered > 1
            && self.may_stop_others()
            && (policy.assumed || strict.iter().any(|strict| strict.prime || strict.non_prime))
    }

    /// Whether preemption of other jobs could free nodes for a job in this cycle, or has already done so.
    pub(super) fn others_preempt(&self) -> bool {
        let snap = self.snap();
        let find = || {
            !self.run.actions.is_empty()
                || self.facts.are_jobs_suspended && (snap.server.assumed || snap.policy.assumed)
                || self.run.steps.iter().any(|step| self.may_preempt(step.outcome.job))
        };
        *self.facts.others_preempt.get_or_init(find)
    }

    pub(super) fn are_partitions_in_doubt(&self, id: JobId) -> bool {
        let snap = self.snap();
        let queue = self.run.plan.queue_of(id).map(|queue| &snap.queues[queue]);
        queue.is_none_or(|queue| queue.assumed || queue.partition.is_some())
            || self.facts.have_nodes_partitions
    }
}
