//! Explains the order of the queue: which key put each job before the next, with both values (rule 6.5).

mod comparison;
mod moves;
mod values;

use std::ops::ControlFlow;

use qscope_engine::cluster::JobId;
use qscope_engine::cycle::job_lists::PickingPolicy;
use qscope_engine::cycle::job_order::DecidingKey;
use qscope_engine::cycle::{Precedence, Run, Step, Verdict};
use qscope_explain::first_decided;
use serde::Serialize;

pub use comparison::{FormulaRow, KeyRow, OrderComparison, ShareRow, TermRow, between};
pub use moves::{OrderChange, moves_ahead};
use values::SortKeyValues;

/// The jobs of a cycle in the order considered.
#[derive(Clone, Debug, Serialize)]
pub struct QueueOrder {
    /// How the queues share the cycle: `one_list`, `by_queue` or `round_robin`.
    pub queues: &'static str,
    /// The keys in force that order a list, most significant first.
    pub keys: Vec<String>,
    /// The jobs, each with why it comes before the next.
    pub jobs: Vec<ConsideredJob>,
    /// Number of waiting jobs that the cycle does not consider; subjobs represented by their array are counted with
    /// it.
    pub not_considered: usize,
    /// Number of subjobs that are not considered themselves because their array represents them.
    pub subjobs_of_arrays: usize,
}

/// A job that the cycle considers.
#[derive(Clone, Debug, Serialize)]
pub struct ConsideredJob {
    /// Its place, from 1; subjobs of an array share one.
    pub order: Option<u32>,
    /// Its full id.
    pub job: String,
    pub user: String,
    pub queue: String,
    /// The scheduler's own verdict: `run`, `not_now`, `never` or `not_considered`, as in `cycle`.
    pub verdict: &'static str,
    /// Whether it can never run, whatever the scheduler's own verdict.
    pub never: bool,
    /// The verdict as every front end shows it.
    #[serde(skip)]
    pub shown: Verdict,
    /// Why it comes before the next one; null for the last.
    pub before_next: Option<OrderDecision>,
}

/// Why a job came before another.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct OrderDecision {
    /// Its name in machine-readable output, such as `formula` or `queue_rank`.
    pub by: &'static str,
    /// Its description, with the option's own text if it has one.
    pub key: String,
    /// The value of the job that came first; empty if the decision does not depend on values.
    pub first: String,
    /// The value of the other job.
    pub second: String,
    /// The decision itself.
    #[serde(skip)]
    pub precedence: Precedence,
}

/// Explains the order of a cycle. It takes as long as a whole cycle, which is repeated because keys change as jobs
/// start.
pub fn queue_order(run: &Run) -> QueueOrder {
    let jobs: Vec<JobId> = run.steps.iter().map(|step| step.outcome.job).collect();
    let mut decisions = Vec::with_capacity(jobs.len());
    run.picks(|at, job, agenda, state| {
        let next = jobs.get(at.0 as usize + 1);
        decisions.push(next.map(|next| {
            let why = agenda.precedence(state, job, *next);
            SortKeyValues { run, agenda, state }.decision(why, job, *next)
        }));
        ControlFlow::Continue(())
    });
    let snap = &run.plan.snap;
    let row = |(step, before_next): (&Step, Option<OrderDecision>)| {
        let job = &snap.jobs[step.outcome.job];
        // Of an array, the turn for what is left of it has the scheduler's verdict on the array.
        let decided = first_decided(run, step.outcome.job).filter(|_| step.outcome.subjob.is_none());
        ConsideredJob {
            order: step.outcome.order,
            job: step.outcome.name(snap),
            user: job.user.to_string(),
            queue: job.queue.to_string(),
            verdict: decided.unwrap_or(&step.outcome).verdict.word(),
            never: run.impossible_jobs().contains(step.outcome.job),
            shown: run.verdict(&step.outcome),
            before_next,
        }
    };
    QueueOrder {
        queues: match run.setup.picking {
            PickingPolicy::OneList => "one_list",
            PickingPolicy::ByQueue => "by_queue",
            PickingPolicy::RoundRobin => "round_robin",
        },
        keys: keys_in_force(run).into_iter().map(|key| values::key_words(run, key)).collect(),
        jobs: run.steps.iter().zip(decisions).map(row).collect(),
        not_considered: run.not_considered(),
        subjobs_of_arrays: run.represented_subjobs(),
    }
}

/// Returns the keys that can differ between two jobs of a list, in their order.
fn keys_in_force(run: &Run) -> Vec<DecidingKey> {
    let snap = &run.plan.snap;
    let sort_keys = snap.policy.job_sort_key.get(run.plan.period).len();
    let mut keys = vec![DecidingKey::PreemptPriority, DecidingKey::Preempted];
    keys.extend(run.setup.formula.is_some().then_some(DecidingKey::Formula));
    keys.extend(run.setup.order.fair_share.then_some(DecidingKey::FairShare));
    keys.extend((0..sort_keys).map(DecidingKey::SortKey));
    keys.extend([DecidingKey::QueueRank, DecidingKey::Queried]);
    keys
}
