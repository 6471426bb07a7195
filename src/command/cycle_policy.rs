//! `qscope cycle --policy`: the cycle with nodes ordered by an allocation policy, compared with the live one.

use std::sync::Arc;

use serde::Serialize;

use qscope_engine::cluster::{AllocationChoices, ResourceId, count};
use qscope_engine::cycle::{Run, run_cycle};
use qscope_planning::policies::NodeChoice;
use qscope_session::Generation;

/// The figures of one cycle.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
struct Figures {
    /// Jobs that start.
    starts: usize,
    /// Jobs that do not start.
    waits: usize,
    /// Free nodes without jobs at the end.
    empty_nodes: usize,
    /// Free nodes with jobs at the end.
    shared_nodes: usize,
    /// The most cpus left on one free node at the end.
    #[serde(rename = "largest_rest_ncpus")]
    largest_rest: f64,
}

/// The same cluster's cycle under a policy and in the scheduler's own order.
#[derive(Clone, Debug, Serialize)]
pub(super) struct CyclePolicyComparison {
    #[serde(rename = "name")]
    policy: String,
    /// The cycle under the policy.
    under: Figures,
    /// The cycle in the scheduler's own order.
    live: Figures,
}

impl CyclePolicyComparison {
    /// Compares the cycle under a policy for the whole cluster with the same cycle in the scheduler's own order.
    /// Returns `None` if no such policy is set.
    pub(super) fn of(generation: &Generation) -> Option<Self> {
        let word = generation.snapshot.allocation.cluster.as_ref().filter(|word| !word.is_empty())?;
        let policy = NodeChoice::parse(word).ok()?.to_string();
        let mut own = (*generation.snapshot).clone();
        own.allocation = AllocationChoices::default();
        let live = run_cycle(Arc::new(own), generation.run.plan.quirks);
        Some(Self { policy, live: Figures::of(&live), under: Figures::of(&generation.run) })
    }

    /// Returns two lines of text.
    pub(super) fn to_text(&self) -> [String; 2] {
        let under = format!("under {}: {}", self.policy, self.under.to_text());
        [under, format!("live: {}", self.live.to_text())]
    }
}

impl Figures {
    fn of(run: &Run) -> Self {
        let (plan, floor) = (&run.plan, &run.end_at_server().occupancy);
        let starts = run.starts().count();
        let mut shared = floor.open_nodes.clone();
        shared.intersect(&floor.occupied);
        let rest = |ix| floor.open_nodes.iter().map(|bit| floor.left(plan, ix, bit)).fold(0.0, f64::max);
        Self {
            starts,
            waits: run.outcomes().count() - starts,
            empty_nodes: floor.open_nodes.count() - shared.count(),
            shared_nodes: shared.count(),
            largest_rest: plan.consumables.ix(ResourceId::ncpus()).map_or(0.0, rest),
        }
    }

    fn to_text(self) -> String {
        format!(
            "{} started, {} waiting; {} empty, {} shared, at most {} left on one",
            self.starts,
            self.waits,
            count(self.empty_nodes, "node"),
            self.shared_nodes,
            count(self.largest_rest, "cpu")
        )
    }
}
