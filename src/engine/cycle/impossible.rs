//! Jobs that can never run in the cluster as it is: one definition for rows, counts, filters and reports.
//!
//! The scheduler reports "never" only where it compared with totals, but then also when nodes are merely down. Here a
//! job can never run if it does not start alone on the idle cluster with every vnode up, if its request is invalid,
//! or if its fair share entity has no shares.

use rustc_hash::FxHashMap;

use crate::cluster::{Catalogue, JobId};
use crate::universe::Rejection;

mod beside;
mod search;

/// The jobs that can never run, each with the reason.
#[derive(Clone, Debug, Default)]
pub struct ImpossibleJobs {
    reasons: FxHashMap<JobId, Impossibility>,
}

/// Why a job can never run.
#[derive(Clone, PartialEq, Debug)]
pub enum Impossibility {
    /// Its request cannot be read or is invalid; the scheduler's message.
    Invalid(&'static str),
    /// Its fair share entity has no shares (rule 6.3), or it does not fit on the idle cluster.
    Rejected(Rejection),
    /// It does not fit on the idle cluster, and no check gives a reason.
    Unplaced,
}

impl Impossibility {
    /// Returns the reason in the words of the scheduler's comment.
    pub fn text(&self, catalogue: &Catalogue) -> String {
        match self {
            Self::Invalid(words) => (*words).to_owned(),
            Self::Rejected(rejection) => rejection.reason.text(catalogue).trim_end().to_owned(),
            Self::Unplaced => "no way to place all chunks together, even on the idle cluster".to_owned(),
        }
    }
}

impl ImpossibleJobs {
    /// Returns why a job can never run; `None` if it can or is running.
    pub fn reason(&self, job: JobId) -> Option<&Impossibility> {
        self.reasons.get(&job)
    }

    /// Whether a job can never run.
    pub fn contains(&self, job: JobId) -> bool {
        self.reasons.contains_key(&job)
    }

    /// Number of jobs that can never run.
    pub fn len(&self) -> usize {
        self.reasons.len()
    }

    /// Whether every job can run.
    pub fn is_empty(&self) -> bool {
        self.reasons.is_empty()
    }
}
