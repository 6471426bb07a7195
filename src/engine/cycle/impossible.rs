//! Jobs that can never run as the cluster is: one answer for rows, counts, filters and reports.
//!
//! The scheduler reports "never" only where it compared with totals, and also where nodes are merely down. Here a job
//! can never run if it does not start alone on the idle cluster, every vnode up; if its request is not valid; or if its
//! entity has no shares.

use rustc_hash::FxHashMap;

use crate::cluster::{Catalogue, JobId};
use crate::universe::Rejection;

mod beside;
mod search;

/// The jobs that can never run, each with the reason.
#[derive(Clone, Debug, Default)]
pub struct Impossible {
    reasons: FxHashMap<JobId, Impossibility>,
}

/// Why a job can never run.
#[derive(Clone, PartialEq, Debug)]
pub enum Impossibility {
    /// Its request cannot be read or is not valid: the scheduler's words.
    Invalid(&'static str),
    /// Its entity has no shares (rule 6.3), or the idle cluster does not hold it.
    Rejected(Rejection),
    /// The idle cluster does not hold it, and no check names a reason.
    Unplaced,
}

impl Impossibility {
    /// In the words of the scheduler's comment.
    pub fn text(&self, catalogue: &Catalogue) -> String {
        match self {
            Self::Invalid(words) => (*words).to_owned(),
            Self::Rejected(rejection) => rejection.reason.text(catalogue).trim_end().to_owned(),
            Self::Unplaced => "no way to place all chunks together, even on the idle cluster".to_owned(),
        }
    }
}

impl Impossible {
    /// Why a job can never run; none if it can, or runs.
    pub fn reason(&self, job: JobId) -> Option<&Impossibility> {
        self.reasons.get(&job)
    }

    /// Whether a job can never run.
    pub fn contains(&self, job: JobId) -> bool {
        self.reasons.contains_key(&job)
    }

    /// How many jobs can never run.
    pub fn len(&self) -> usize {
        self.reasons.len()
    }

    /// Whether every job can run.
    pub fn is_empty(&self) -> bool {
        self.reasons.is_empty()
    }
}
