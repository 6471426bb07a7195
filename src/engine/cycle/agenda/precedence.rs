//! Why one job was picked before another, according to the lists and keys used (rule 6.5).

use crate::cluster::{Evaluation, JobId, QueueId};
use crate::universe::State;

use super::Agenda;
use crate::cycle::fairshare::FairshareTree;
use crate::cycle::formula_values::formula_terms;
use crate::cycle::job_lists::PickingPolicy;
use crate::cycle::job_order::{DecidingKey, JobKeys};
use crate::cycle::picker::Readiness;

/// Why a job was picked before another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Precedence {
    /// It is the same job: an array is considered once for every subjob.
    SameJob,
    /// The other job could not be considered yet at that moment.
    NotReady,
    /// It is a job of a running reservation; those come first, reservation by reservation.
    Reservation,
    /// Under `by_queue` it goes ahead of all queues: an express job or a preempted one.
    BeforeQueues,
    /// Its queue has a higher `Priority`, and queues are served in that order.
    QueuePriority,
    /// Its queue comes first in the server's list among queues of equal `Priority`.
    QueueListed,
    /// Under `round_robin` it was its queue's turn.
    QueueTurn,
    /// A key of the sorted list decided.
    Key(DecidingKey),
    /// Its position in a list that the keys alone do not order: fair share does not give a consistent order of more
    /// than two jobs, and the lists of reservations are not sorted when all jobs form one list.
    ListPosition,
}

impl Agenda {
    /// The current sort keys of a job.
    pub fn keys(&self, job: JobId) -> &JobKeys {
        &self.keys[job]
    }

    /// The fair share tree including everything charged so far.
    pub fn shares(&self) -> &FairshareTree {
        &self.tree
    }

    /// Returns the formula of a job with the value of each of its names as the scheduler passes them, and the result
    /// in single precision; `None` without a formula. Exact at the start of a cycle only, because formulas are not
    /// evaluated again.
    pub fn formula_terms(&self, job: JobId) -> Option<Evaluation> {
        let formula = self.settings.formula.as_ref()?;
        let entity = self.keys[job].entity;
        Some(formula_terms(formula, &self.plan, job, &|name| self.share_value(entity, name)))
    }

    /// Returns why the job that was picked last came before another one. The agenda must be in its state right after
    /// that pick.
    pub fn precedence(&self, state: &State, first: JobId, second: JobId) -> Precedence {
        if first == second {
            return Precedence::SameJob;
        }
        let ready = self.readiness(&state.ledger);
        if !ready.is_ready(second) {
            return Precedence::NotReady;
        }
        if self.picker.is_at_reservations() {
            let same = self.plan.queue_of(first) == self.plan.queue_of(second);
            return if same { self.by_key(first, second) } else { Precedence::Reservation };
        }
        match self.settings.picking {
            PickingPolicy::OneList => self.by_key(first, second),
            PickingPolicy::ByQueue if self.picker.is_at_jobs_ahead() => match ready.is_ahead(second) {
                true => self.by_key(first, second),
                false => Precedence::BeforeQueues,
            },
            PickingPolicy::ByQueue => self.by_queue(first, second, Precedence::QueueListed),
            PickingPolicy::RoundRobin => self.by_queue(first, second, Precedence::QueueTurn),
        }
    }

    fn by_queue(&self, first: JobId, second: JobId, of_equals: Precedence) -> Precedence {
        let queues = (self.plan.queue_of(first), self.plan.queue_of(second));
        let priority = |queue: Option<QueueId>| queue.map(|id| self.plan.snap.queues[id].priority);
        if queues.0 == queues.1 {
            self.by_key(first, second)
        } else if priority(queues.0) == priority(queues.1) {
            of_equals
        } else {
            Precedence::QueuePriority
        }
    }

    fn by_key(&self, first: JobId, second: JobId) -> Precedence {
        match self.deciding_key(first, second) {
            Some(key) => Precedence::Key(key),
            None => Precedence::ListPosition,
        }
    }
}
