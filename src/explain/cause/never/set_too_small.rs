//! Placement sets of which none is large enough for a job, even when empty.

use qscope_engine::universe::AmountBasis;

use super::search::{self, NearestSet, SetLack};
use super::{IdleTrial, one_sided_match};
use crate::sets::{best_set, set_keys};
use crate::{Cause, JobTurn, words};

/// No placement set is large enough, and the job may not span sets.
pub(super) fn set_too_small(turn: &JobTurn, idle: &mut IdleTrial<'_>) -> Option<Cause> {
    let best = best_set(idle.state, turn.job, &idle.request, &idle.list, AmountBasis::Total)?;
    let requested = idle.request.total_chunks();
    let (chunks, sets) = (words::count(requested, "chunk"), words::count(best.sets, "placement set"));
    let cause = |why: String| {
        let why = format!("{why}, and it may not span sets");
        Cause::of_job_that_never_runs("set-too-small", turn.plan().job(turn.job).short_name(), why)
            .set_by(["do_not_span_psets", "node_group_key"].map(str::to_owned))
    };
    let keys = set_keys(&idle.state.plan, turn.job, &idle.request);
    if best.chunks < requested {
        let nodes = words::count(best.nodes, "node");
        let (name, holds) = (&best.name, best.chunks);
        let why = format!(
            "{chunks}, and the largest of {sets}, {name} with {nodes}, holds {holds} even when empty"
        );
        let cause = cause(why).with_objects(keys).with_objects([best.name.to_string()]);
        let cause = cause.with_objects(best.narrow).number("wanted", requested);
        return Some(cause.number("best", best.chunks).number("nodes", best.nodes));
    }
    let fitting = best.name.to_string();
    if let Some(note) = one_sided_match::note(turn, idle) {
        let why = format!(
            "{chunks}, and the buckets of none of {sets} hold them even when empty, though the nodes of {fitting} \
             would (quirk one-sided-match)"
        );
        return Some(cause(why).with_objects(keys).with_objects([fitting]).note(note));
    }
    // Each chunk spec finds its nodes in that set, counted alone.
    let together = |set: &str, what: &str| {
        format!(
            "{chunks}, and none of {sets} holds them together even when empty, not even {set}, which {what}"
        )
    };
    let (set, resource, why) = match search::nearest_set(idle, turn.job) {
        Some(NearestSet { name, lack: Some(SetLack { requested, has, resource, .. }) }) => {
            let why = format!("{requested}, and the nearest of {sets}, {name}, has {has} even when empty");
            (name, Some(resource), why)
        }
        Some(NearestSet { name, lack: None }) => {
            let why = together(&name, "has enough in sum");
            (name, None, why)
        }
        None => {
            let why = together(&fitting, "holds each of them alone");
            (fitting, None, why)
        }
    };
    Some(cause(why).with_objects(keys).with_objects([set]).with_objects(resource))
}
