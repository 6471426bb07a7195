//! The quirk by which buckets hold less than their nodes.

use crate::JobTurn;
use qscope_engine::cycle::IdleCluster;
use qscope_engine::placement::PlacementPath;
use qscope_engine::universe::Quirk;

use super::IdleTrial;

/// States what the quirk one-sided-match does, if a job that takes the bucket path would fit the idle cluster without it.
pub(super) fn note(turn: &JobTurn, idle: &IdleTrial<'_>) -> Option<String> {
    let quirk = Quirk::OneSidedMatch;
    let plan = turn.plan();
    if idle.outcome.path != Some(PlacementPath::Bucket) || !plan.has(quirk) {
        return None;
    }
    let mut quirks = plan.quirks;
    quirks.set(quirk, false);
    let without = IdleCluster::of_one_under(plan, turn.job, quirks).consider(turn.job);
    let name = quirk.name();
    without.placed.is_some().then(|| format!("without quirk {name} it would fit: {}", quirk.sentence()))
}
