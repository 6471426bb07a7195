//! Jobs with too many chunks to be packed one by one: they are left out, and the nodes each would need alone
//! are estimated from its volume.

use crate::capacity::demand::{Demand, Demands, short_name};
use crate::capacity::fit::lacks;
use crate::capacity::{TypeSupply, volume};
use qscope_engine::cluster::{Snapshot, count};

/// Maximum number of chunks of one job.
const MAX_TOGETHER: u64 = 200_000;
/// Maximum number of chunks of all jobs: each chunk is packed on its own, and every node it takes is stored.
const MAX_CHUNKS: u64 = 2_000_000;
/// Maximum number of left-out jobs that are named.
pub(super) const MAX_NOTES: usize = 20;

/// A job that is left out.
pub(super) struct ExcludedDemand {
    demand: Demand,
    /// The limit that it exceeds, in chunks.
    limit_chunks: u64,
}

/// Removes the jobs that have too many chunks or no longer fit within the limit for all jobs.
pub(super) fn leave_out(demands: &mut Demands) -> Vec<ExcludedDemand> {
    let mut left_out = Vec::new();
    let mut left = MAX_CHUNKS;
    demands.all.retain(|demand| {
        let together = demand.chunks.iter().map(|(_, count)| u64::from(*count)).sum::<u64>();
        let all = together.saturating_mul(demand.copies);
        let bound = if together > MAX_TOGETHER { MAX_TOGETHER } else { MAX_CHUNKS };
        let stays = together <= MAX_TOGETHER && all <= left;
        if stays {
            left -= all;
        } else {
            left_out.push(ExcludedDemand { demand: demand.clone(), limit_chunks: bound });
        }
        stays
    });
    left_out
}

impl ExcludedDemand {
    /// Returns the message about the job: its number of chunks, and a lower bound on the nodes it would need
    /// alone.
    pub(super) fn note(&self, snap: &Snapshot, stocks: &[TypeSupply], target: f64) -> String {
        let Self { demand, limit_chunks } = self;
        let jobs: Vec<_> = demand
            .chunks
            .iter()
            .map(|(shape, count)| (*shape, u64::from(*count).saturating_mul(demand.copies)))
            .collect();
        let chunks = jobs.iter().fold(0u64, |sum, (_, count)| sum.saturating_add(*count));
        let fits = |stock: &&TypeSupply| {
            jobs.iter().all(|(chunk, _)| lacks(chunk, &stock.node_type.shape).is_empty())
        };
        let alone = match stocks.iter().find(fits) {
            Some(stock) => {
                let nodes = volume::lower_bound(&jobs, &stock.node_type.shape, target);
                format!("alone it needs {} of {} or more", count(nodes, "node"), stock.node_type.name)
            }
            None => "no type holds it".to_owned(),
        };
        let name = short_name(snap, demand.job);
        format!("job {name} is left out: {chunks} chunks, and at most {limit_chunks} are packed; {alone}")
    }
}
