//! What the jobs of a cluster request: shapes from their chunks; wall times as declared, from history or
//! guessed.

mod reader;

use qscope_engine::cluster::{JobId, Name, ResourceId, Snapshot, value_of};
use qscope_engine::universe::EnforcedResources;

use super::supply::{Dimensions, NodeConditions};
use super::{CapacityShape, RuntimeSource, TypeSetIx, WallTimeGuess};
use crate::farm::Criterion;
use reader::{DemandReader, history};

/// One job, or all waiting subjobs of an array.
#[derive(Clone, Debug)]
pub struct Demand {
    pub job: JobId,
    /// Number of copies: the waiting subjobs of an array, otherwise 1.
    pub copies: u64,
    /// Each chunk of the select with its count; at least one.
    pub chunks: Vec<(CapacityShape, u32)>,
    /// Whether no two chunks may share a node.
    pub scatter: bool,
    /// Source of the wall time.
    pub source: RuntimeSource,
    pub running: bool,
    /// Whether it is declared a service, which runs until no other job needs it.
    pub service: bool,
}

impl Demand {
    /// Returns whether several chunks must begin together.
    pub fn is_gang(&self) -> bool {
        self.chunks.iter().map(|(_, count)| u64::from(*count)).sum::<u64>() > 1
    }

    /// Returns the same amounts without the conditions on nodes, for any type that has them.
    pub(super) fn without_conditions(&self) -> Self {
        let mut demand = self.clone();
        demand.chunks.iter_mut().for_each(|(shape, _)| shape.site = TypeSetIx::default());
        demand
    }

    /// Assumed run time in seconds.
    pub fn wall_time(&self) -> f64 {
        self.chunks.first().map_or(0.0, |(shape, _)| shape.wall_time)
    }
}

/// How wall times are found.
#[derive(Clone, PartialEq, Debug)]
pub struct WallTimeOptions {
    /// Criteria that make a job a service, in addition to its own declaration.
    pub services: Vec<Criterion>,
    /// Target time in seconds, used for guesses and for services.
    pub target: f64,
    /// Whether a declared wall time counts; the original does not know any.
    pub declared: bool,
    /// Whether the time a running job has used is subtracted; the original packs its whole length again.
    pub remaining: bool,
    /// Wall time assumed when nothing is known.
    pub guess: WallTimeGuess,
}

/// The demand of a whole cluster.
#[derive(Clone, Debug, Default)]
pub struct Demands {
    /// Running and queued jobs.
    pub all: Vec<Demand>,
    /// The conditions of each site, from site 1 on.
    pub conditions: Vec<NodeConditions>,
    /// Resources, other than the amounts, that some chunk requests.
    pub asked: Vec<ResourceId>,
    /// Jobs that may come later: held, waiting for their time, or in a stopped queue.
    pub coming: u64,
    /// What was left out, one sentence each.
    pub notes: Vec<String>,
}

/// Reads the demand of every job of a cluster.
pub fn from_jobs(snap: &Snapshot, dimensions: &Dimensions, timing: &WallTimeOptions) -> Demands {
    let enforced = EnforcedResources::new(&snap.policy, &snap.catalogue);
    let history = history(snap);
    let mut reader = DemandReader { snap, dimensions, timing, enforced, history, out: Demands::default() };
    for (id, job) in snap.jobs.enumerate() {
        reader.job(id, job);
    }
    reader.out.asked.sort_unstable();
    reader.out.asked.dedup();
    reader.out
}

/// Counts the jobs by the source of their wall time.
pub fn sources(demands: &[Demand]) -> Vec<(&'static str, u64)> {
    let mut counts: Vec<(&'static str, u64)> = Vec::new();
    for demand in demands {
        let word = demand.source.word();
        *value_of(&mut counts, word) += demand.copies;
    }
    counts
}

/// Returns the name of a job without the server part.
pub fn short_name(snap: &Snapshot, id: JobId) -> Name {
    snap.jobs[id].short_name().into()
}
