//! Why one job was picked before another, by the lists and keys that picked it (rule 6.5).

use crate::cluster::{Evaluation, JobId, QueueId};
use crate::universe::State;

use super::{Agenda, Ready};
use crate::cycle::fairshare::FairshareTree;
use crate::cycle::formula_values::formula_terms;
use crate::cycle::job_lists::Picking;
use crate::cycle::job_order::{DecidedBy, JobKeys};
use crate::cycle::picker::Readiness;

/// Why a job was picked before another one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Precedence {
    /// It is the same job: an array is considered once for every subjob.
    SameJob,
    /// The other one could not be considered yet at that moment.
    NotReady,
    /// It is a job of a running reservation, and those come first, reservation after reservation.
    Reservation,
    /// Under `by_queue` it goes ahead of all queues: an express job, or one that was preempted.
    Ahead,
    /// Its queue has the higher `Priority`, and queues are served one after the other.
    QueuePriority,
    /// Its queue stands first in the server's list among queues of equal `Priority`.
    QueueListed,
    /// Under `round_robin` it was the turn of its queue.
    Turn,
    /// A key of the sorted list.
    Key(DecidedBy),
    /// Its place in a list that the keys do not order by themselves: fair share orders no longer chain of jobs, and the
    /// lists of reservations are not sorted where all jobs make one list.
    Listed,
}

impl Agenda {
    /// The keys of a job, as they stand.
    pub fn keys(&self, job: JobId) -> &JobKeys {
        &self.keys[job]
    }

    /// The fair share tree with what was charged so far.
    pub fn shares(&self) -> &FairshareTree {
        &self.tree
    }

    /// The formula of a job with the value of each of its names, as the scheduler hands them over, and the result in
    /// single precision; none without a formula. Right at the start of a cycle: formulas are not evaluated again.
    pub fn formula_terms(&self, job: JobId) -> Option<Evaluation> {
        let formula = self.setup.formula.as_ref()?;
        let entity = self.keys[job].entity;
        Some(formula_terms(formula, &self.plan, job, &|name| self.share_value(entity, name)))
    }

    /// Why the job that was picked last came before another one. The agenda has to stand right after that pick.
    pub fn precedence(&self, state: &State, first: JobId, second: JobId) -> Precedence {
        if first == second {
            return Precedence::SameJob;
        }
        let ready = Ready { agenda: self, state };
        if !ready.is_ready(second) {
            return Precedence::NotReady;
        }
        if self.picker.is_at_reservations() {
            let same = self.plan.queue_of(first) == self.plan.queue_of(second);
            return if same { self.by_key(first, second) } else { Precedence::Reservation };
        }
        match self.setup.picking {
            Picking::OneList => self.by_key(first, second),
            Picking::ByQueue if self.picker.is_at_jobs_ahead() => match ready.is_ahead(second) {
                true => self.by_key(first, second),
                false => Precedence::Ahead,
            },
            Picking::ByQueue => self.by_queue(first, second, Precedence::QueueListed),
            Picking::RoundRobin => self.by_queue(first, second, Precedence::Turn),
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
        match self.decided_by(first, second) {
            Some(key) => Precedence::Key(key),
            None => Precedence::Listed,
        }
    }
}
