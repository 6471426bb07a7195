//! What the jobs of a cluster ask for: shapes from their chunks, wall times declared, from history or
//! guessed.

mod reader;

use qscope_engine::cluster::{JobId, Name, ResourceId, Snapshot, value_of};
use qscope_engine::universe::Enforced;

use super::supply::{Conditions, Dimensions};
use super::{CapacityShape, CapacitySite, Guess, RuntimeSource};
use crate::farm::Criterion;
use reader::{DemandReader, history};

/// One job, or all waiting subjobs of an array.
#[derive(Clone, Debug)]
pub struct Demand {
    pub job: JobId,
    /// How many of it: subjobs.
    pub copies: u64,
    /// Each distinct chunk with how many of it; one chunk or more.
    pub chunks: Vec<(CapacityShape, u32)>,
    /// Whether no two chunks may share a node.
    pub scatter: bool,
    /// Where its wall time was taken from.
    pub source: RuntimeSource,
    /// Whether it runs already.
    pub running: bool,
    /// Whether it is declared a service: it runs until no other job needs it.
    pub service: bool,
}

impl Demand {
    /// Whether several chunks must begin together.
    pub fn is_gang(&self) -> bool {
        self.chunks.iter().map(|(_, count)| u64::from(*count)).sum::<u64>() > 1
    }

    /// The same amounts, on whatever type has them.
    pub(super) fn without_conditions(&self) -> Self {
        let mut demand = self.clone();
        demand.chunks.iter_mut().for_each(|(shape, _)| shape.site = CapacitySite::default());
        demand
    }

    /// How long it is taken to run, in seconds.
    pub fn wall_time(&self) -> f64 {
        self.chunks.first().map_or(0.0, |(shape, _)| shape.wall_time)
    }
}

/// How wall times are found.
#[derive(Clone, PartialEq, Debug)]
pub struct Timing {
    /// What declares a job a service, besides itself.
    pub services: Vec<Criterion>,
    /// Seconds: the target time, for the guess and for what is a service.
    pub target: f64,
    /// Whether a declared wall time counts; the original knows none.
    pub declared: bool,
    /// Whether what a runner has used up counts; the original packs its whole length again.
    pub remaining: bool,
    /// What is taken when nothing is known.
    pub guess: Guess,
}

/// All demand of a cluster.
#[derive(Clone, Debug, Default)]
pub struct Demands {
    /// Running and queued jobs.
    pub all: Vec<Demand>,
    /// What each site stands for, from site 1 on.
    pub conditions: Vec<Conditions>,
    /// Resources besides the amounts that some chunk asks for.
    pub asked: Vec<ResourceId>,
    /// Jobs that may come: held, waiting for their time, or in a queue that is stopped.
    pub coming: u64,
    /// What could not be taken in, one sentence each.
    pub notes: Vec<String>,
}

/// Reads every job of a cluster.
pub fn from_jobs(snap: &Snapshot, dimensions: &Dimensions, timing: &Timing) -> Demands {
    let enforced = Enforced::new(&snap.policy, &snap.catalogue);
    let history = history(snap);
    let mut reader = DemandReader { snap, dimensions, timing, enforced, history, out: Demands::default() };
    for (id, job) in snap.jobs.enumerate() {
        reader.job(id, job);
    }
    reader.out.asked.sort_unstable();
    reader.out.asked.dedup();
    reader.out
}

/// A line for people about where wall times came from.
pub fn sources(demands: &[Demand]) -> Vec<(&'static str, u64)> {
    let mut counts: Vec<(&'static str, u64)> = Vec::new();
    for demand in demands {
        let word = demand.source.word();
        *value_of(&mut counts, word) += demand.copies;
    }
    counts
}

/// The name of a job without the server part.
pub fn short_name(snap: &Snapshot, id: JobId) -> Name {
    snap.jobs[id].short_name().into()
}
