//! Of the occupants that end before a job starts, those that its limits count, and whether only these block it.

use std::sync::Arc;

use qscope_engine::cluster::{Epoch, JobId};
use qscope_engine::universe::{Allocation, Occupant, Plan, State};
use rustc_hash::FxHashSet;

use crate::cause::{Cause, counted};
use crate::schedule::occupant_id;
use crate::tier::Tier;
use crate::turn::{JobTurn, fits_in};

/// An end: its time, the occupant, and its allocation.
pub(super) type OccupantEnd = (Epoch, Occupant, Arc<Allocation>);

/// The jobs counted by the limits that stop a job: by id, and by the names in its causes.
pub(super) struct LimitCountedJobs<'a> {
    jobs: FxHashSet<JobId>,
    named: Vec<&'a String>,
}

impl<'a> LimitCountedJobs<'a> {
    pub(super) fn of(turn: &JobTurn, causes: &'a [Cause]) -> Self {
        let limits = causes.iter().filter(|cause| cause.tier == Tier::Limit);
        let named: Vec<&String> = limits.flat_map(|cause| &cause.objects).collect();
        let jobs = if named.is_empty() { FxHashSet::default() } else { counted(turn) };
        Self { jobs, named }
    }

    pub(super) fn has(&self, plan: &Plan, occupant: Occupant) -> bool {
        let who = occupant_id(plan, occupant);
        let is_counted = matches!(occupant, Occupant::Job(job, _) if self.jobs.contains(&job));
        is_counted || self.named.iter().any(|name| **name == who)
    }
}

/// Whether the job finds nodes once the jobs counted by its limits have ended, so that no other job blocks it.
pub(super) fn is_only_limited(turn: &JobTurn, from: &State, counted: &[&OccupantEnd]) -> bool {
    let mut state = from.without_journal();
    for (_, occupant, allocation) in counted {
        state.finish(*occupant, allocation);
    }
    !counted.is_empty() && fits_in(&mut state, turn.job, &turn.request, turn.choice.path)
}
