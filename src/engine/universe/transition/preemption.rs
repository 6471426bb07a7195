//! Preempting running jobs, and restoring them (rule 6.10).

use std::sync::Arc;

use crate::cluster::{Epoch, JobId, JobState};

use crate::universe::{
    Allocation, AllocationPiece, EventKey, EventKind, JobStatus, LedgerChange, Occupant, PieceResources,
    PreemptMethod, State, StateChange, read_allocation,
};

/// A running job.
#[derive(Clone, Debug)]
pub struct RunningJob {
    pub job: JobId,
    /// Key of its expected end.
    pub end: EventKey,
    pub allocation: Arc<Allocation>,
}

impl State {
    /// Whether a job must return to nodes it had: it was preempted in this cycle, or suspended or checkpointed
    /// before.
    pub fn must_return(&self, job: JobId) -> bool {
        self.ledger.returns(job) || self.plan.previous.contains_key(&job)
    }

    /// Returns the running jobs that pass the filter, in the order of the dump. Subjobs that started in this cycle
    /// have no record of their own and are left out.
    pub fn running_jobs(&self, filter: impl Fn(JobId) -> bool) -> Vec<RunningJob> {
        let filter = self.running().filter(|(_, job, _)| filter(*job));
        let job = |(end, job, allocation): (EventKey, JobId, &Arc<Allocation>)| RunningJob {
            job,
            end,
            allocation: allocation.clone(),
        };
        let mut jobs: Vec<RunningJob> = filter.map(job).collect();
        jobs.sort_by_key(|running| running.job);
        jobs
    }

    /// Returns running jobs with their ends and their nodes, in the order in which they end.
    pub fn running(&self) -> impl Iterator<Item = (EventKey, JobId, &Arc<Allocation>)> {
        let running = |job: JobId| {
            matches!(self.ledger.jobs[job], JobStatus::Running(_))
                && self.plan.job(job).state != JobState::Exiting
        };
        let ends = self.timeline.iter().filter(|(key, _)| key.kind == EventKind::End);
        ends.filter_map(move |(key, event)| match event.occupant {
            Occupant::Job(job, None) if running(job) => Some((*key, job, &event.allocation)),
            _ => None,
        })
    }

    /// Returns when a running job started.
    pub fn started(&self, job: JobId) -> Epoch {
        let of = self.plan.job(job);
        let before =
            of.started.filter(|_| of.state == JobState::Running && self.ledger.preempted[job].is_none());
        before.unwrap_or(self.now)
    }

    /// Preempts a running job; a deleted one is excluded from the cycle, others wait again.
    pub fn preempt(&mut self, victim: &RunningJob, method: PreemptMethod) {
        self.take_event(victim.end);
        let given_back = self.released_allocation(&victim.allocation, method);
        self.finish(Occupant::Job(victim.job, None), &given_back);
        self.keep_amounts(victim.job, method, 1.0);
        let status = if method == PreemptMethod::Delete { JobStatus::Excluded } else { JobStatus::Waiting };
        self.change(StateChange::Ledger(LedgerChange::Job(victim.job, status)));
        // A job that was requeued in this cycle runs where it was started again.
        let started_now = self.ledger.preempted[victim.job] == Some(PreemptMethod::Requeue)
            || self.plan.job(victim.job).state != JobState::Running;
        self.change(StateChange::Ledger(LedgerChange::Preempted(victim.job, Some(method))));
        if started_now {
            let left = Some(victim.allocation.clone());
            self.change(StateChange::Ledger(LedgerChange::FormerAllocation(victim.job, left)));
        }
        self.count_levels(Occupant::Job(victim.job, None));
    }

    /// Records how a job was preempted, which decides whether it must return to its own nodes.
    pub fn mark_preempted(&mut self, job: JobId, method: PreemptMethod) {
        self.change(StateChange::Ledger(LedgerChange::Preempted(job, Some(method))));
    }

    /// Starts a preempted job again where it ran, in the same simulation; `end` is its new end.
    pub fn restart_preempted(&mut self, victim: &RunningJob, method: PreemptMethod, end: Epoch) {
        let occupant = Occupant::Job(victim.job, None);
        let given_back = self.released_allocation(&victim.allocation, method);
        self.begin(occupant, self.plan.sharedness(occupant), &given_back);
        self.keep_amounts(victim.job, method, -1.0);
        self.plan_event(end, EventKind::End, occupant, &victim.allocation);
        self.change(StateChange::Ledger(LedgerChange::Job(
            victim.job,
            JobStatus::Running(victim.allocation.clone()),
        )));
        self.change(StateChange::Ledger(LedgerChange::Preempted(victim.job, None)));
        self.count_levels(occupant);
    }

    /// Counts what a suspended job keeps of server and queue resources, or with `sign` -1 subtracts it.
    pub(in crate::universe) fn keep_amounts(&mut self, job: JobId, method: PreemptMethod, sign: f64) {
        let plan = self.plan.clone();
        let named = &plan.snap.server.release_on_suspend;
        if method != PreemptMethod::Suspend || named.is_empty() {
            return;
        }
        for (meter, amount) in plan.meters.charges_of(job).iter() {
            let Some(resource) = plan.meters.assigned_resource(*meter) else { continue };
            if !named.contains(plan.snap.catalogue.name(resource)) {
                let value = (self.ledger.meters[*meter] + sign * amount).max(0.0);
                self.change(StateChange::Ledger(LedgerChange::Meter(*meter, value)));
            }
        }
    }

    /// Subtracts what an occupant's start counted although the job, suspended before the cycle, already held it.
    pub(in crate::universe) fn charge_no_kept(&mut self, occupant: Occupant) {
        let Occupant::Job(job, None) = occupant else { return };
        if self.was_suspended(job) {
            self.keep_amounts(job, PreemptMethod::Suspend, -1.0);
        }
    }

    /// Counts again what a job keeps whose start is withdrawn: one that was suspended before the cycle or preempted
    /// in it.
    pub(in crate::universe) fn recount_kept(&mut self, job: JobId) {
        let before = self.was_suspended(job).then_some(PreemptMethod::Suspend);
        if let Some(method) = before.or(self.ledger.preempted[job]) {
            self.keep_amounts(job, method, 1.0);
        }
    }

    /// Whether a job was suspended before the cycle and not preempted in it.
    fn was_suspended(&self, job: JobId) -> bool {
        self.plan.job(job).released_part().is_some() && self.ledger.preempted[job].is_none()
    }

    /// Returns what an occupant holds once started on an allocation, and releases at its end: for a job that was
    /// suspended before the cycle this includes what it kept.
    pub(in crate::universe) fn held_by(
        &self,
        occupant: Occupant,
        allocation: &Arc<Allocation>,
    ) -> Arc<Allocation> {
        let plan = &self.plan;
        let whole = |job: JobId| {
            let job = plan.job(job);
            job.exec_vnode.as_ref().filter(|_| job.released_part().is_some())
        };
        match occupant {
            Occupant::Job(job, None) => {
                whole(job).map_or_else(|| allocation.clone(), |had| Arc::new(read_allocation(plan, had)))
            }
            _ => allocation.clone(),
        }
    }

    /// Returns what a preempted job releases: everything, or when suspended the resources that
    /// `restrict_res_to_release_on_suspend` names.
    fn released_allocation(&self, allocation: &Arc<Allocation>, method: PreemptMethod) -> Arc<Allocation> {
        let named = &self.plan.snap.server.release_on_suspend;
        if method != PreemptMethod::Suspend || named.is_empty() {
            return allocation.clone();
        }
        let plan = &self.plan;
        let is_named = |ix| named.contains(plan.snap.catalogue.name(plan.consumables.resource(ix)));
        let kept = |piece: &AllocationPiece| {
            let amounts = Allocation::amounts(plan, piece).iter().filter(|(ix, _)| is_named(*ix)).copied();
            AllocationPiece { gives: PieceResources::Amounts(amounts.collect()), ..piece.clone() }
        };
        Arc::new(Allocation { pieces: allocation.pieces.iter().map(kept).collect() })
    }
}
