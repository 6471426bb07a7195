//! `qscope cycle --policy`: the cycle with nodes ordered by an allocation policy, beside the live one.

use std::sync::Arc;

use serde::{Serialize, Serializer};

use qscope_engine::cluster::ResourceId;
use qscope_engine::cycle::{CycleStart, Run, Verdict};
use qscope_planning::policies::{LocalHook, PolicyName, PolicyRanking};
use qscope_session::Generation;

use super::cli::CycleArgs;

/// A cycle in numbers.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
struct Figures {
    /// Jobs that start.
    starts: usize,
    /// Jobs that do not.
    waits: usize,
    /// Free nodes without jobs at the end.
    empty_nodes: usize,
    /// Free nodes with jobs at the end.
    shared_nodes: usize,
    /// The most cpus left on one free node at the end.
    #[serde(rename = "largest_rest_ncpus")]
    largest_rest: f64,
}

/// The same cluster's cycle twice.
#[derive(Clone, Debug, Serialize)]
pub(super) struct UnderPolicy {
    #[serde(rename = "name", serialize_with = "word")]
    policy: PolicyName,
    /// The cycle under the policy.
    under: Figures,
    /// The scheduler's own.
    live: Figures,
}

fn word<S: Serializer>(policy: &PolicyName, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(policy.word())
}

impl UnderPolicy {
    /// Puts the cycle under the policy that the arguments name, if any, in the place of the live one.
    pub(super) fn replace(generation: &mut Generation, args: &CycleArgs) -> Option<Self> {
        let policy = args.policy?;
        let hook = generation.local.clone().map(|hook| Box::new(hook) as Box<dyn LocalHook>);
        let ranking = Arc::new(PolicyRanking::new(policy, &generation.snapshot, hook));
        let quirks = generation.run.plan.quirks;
        let run = CycleStart::ranked(generation.snapshot.clone(), quirks, Some(ranking)).run();
        let compared = Self { policy, live: Figures::of(&generation.run), under: Figures::of(&run) };
        generation.run = Arc::new(run);
        Some(compared)
    }

    /// Two lines for people.
    pub(super) fn to_text(&self) -> [String; 2] {
        let under = format!("under {}: {}", self.policy, self.under.to_text());
        [under, format!("live: {}", self.live.to_text())]
    }
}

impl Figures {
    fn of(run: &Run) -> Self {
        let (plan, floor) = (&run.plan, &run.end.floor);
        let starts = run.outcomes().filter(|outcome| outcome.verdict == Verdict::Run).count();
        let mut shared = floor.open.clone();
        shared.intersect(&floor.occupied);
        let rest = |ix| floor.open.iter().map(|bit| floor.left(plan, ix, bit)).fold(0.0, f64::max);
        Self {
            starts,
            waits: run.outcomes().count() - starts,
            empty_nodes: floor.open.count() - shared.count(),
            shared_nodes: shared.count(),
            largest_rest: plan.consumables.ix(ResourceId::ncpus()).map_or(0.0, rest),
        }
    }

    fn to_text(self) -> String {
        format!(
            "{} start, {} wait; {} nodes stay empty, {} are shared, at most {} cpus left on one",
            self.starts, self.waits, self.empty_nodes, self.shared_nodes, self.largest_rest
        )
    }
}
