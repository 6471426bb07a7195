//! Enough of everything by count, and yet no placement: fewer chunks are placed, or not all chunk specs together.

use qscope_engine::cluster::ResourceId;
use qscope_engine::universe::{Bit, JobRequest, Requirement, Spec};

use crate::fit_analysis::names;
use crate::{Cause, JobTurn, Tier, words};

/// Returns the cause of a job whose chunks fit by count: the first chunk spec of which the cycle does not place all
/// chunks even alone, or that all of them do not fit together.
pub(super) fn joint_misfit(turn: &JobTurn, request: &JobRequest) -> Cause {
    let placed = request.specs.iter().map(|spec| (spec, turn.placeable_chunks(spec)));
    if let Some((spec, held)) = placed.into_iter().find(|(spec, held)| *held < spec.count) {
        return too_few_placed(turn, spec, held);
    }
    let parts = request.specs.len();
    let sentence =
        format!("each of the {parts} chunks of the select finds its nodes, but not all of them together");
    Cause::new(Tier::Fragmented, "together", sentence).number("wanted", request.total_chunks())
}

/// Fewer chunks are placed than what is left in sum suggests: a chunk may not be broken over all vnodes of a host, or
/// its nodes run another operating environment.
fn too_few_placed(turn: &JobTurn, spec: &Spec, held: u32) -> Cause {
    let sentence = format!(
        "{} of {} requested, and nodes are found for {held} now",
        words::count(spec.count, "chunk"),
        spec.chunk_text()
    );
    Cause::new(Tier::Fragmented, "together", sentence)
        .number("wanted", spec.count)
        .number("available", held)
        .note(other_environment(turn, spec))
}

/// States which nodes have the requested operating environment but run another one.
fn other_environment(turn: &JobTurn, spec: &Spec) -> Option<String> {
    let plan = turn.plan();
    let Some(Requirement::Text(aoe)) = plan.shapes[spec.shape].requirement(ResourceId::aoe()) else {
        return None;
    };
    let runs_other = |bit: &Bit| plan.node(*bit).current_aoe.as_ref() != Some(aoe);
    let others: Vec<Bit> = turn.list.iter().filter(runs_other).collect();
    (!others.is_empty()).then(|| {
        let listed = words::first_names(&names(plan, &others), 4);
        format!("current_aoe is not {aoe} on {} ({listed})", words::count(others.len(), "node"))
    })
}
