//! Nodes that an allocation policy keeps a job out of: they have room but are reserved for other jobs.

use crate::room::{Room, names};
use crate::{Cause, Tier, Turn, words};
use qscope_engine::universe::{Against, Bit, NodeSet};

/// Returns the cause if a policy withholds nodes that could serve the job now; `None` if it withholds none of them.
pub(super) fn kept_out(turn: &mut Turn) -> Option<Cause> {
    let (request, list, job, run) = (turn.request.clone(), turn.list.clone(), turn.job, turn.run.clone());
    let ranking = run.plan.ranking_of(job)?;
    let (open, held) = turn.seen(|state| {
        let offered: Vec<Bit> = list.iter().filter(|bit| state.floor.open.contains(*bit)).collect();
        let left = ranking.rank(state, job, offered.clone());
        let left = NodeSet::of(list.capacity(), left);
        let room = Room::new(state, &request, &list, Against::Now);
        let serving = NodeSet::of(list.capacity(), room.could_serve().iter().copied());
        let open = offered.into_iter().filter(|bit| serving.contains(*bit));
        let (open, held): (Vec<Bit>, Vec<Bit>) = open.partition(|bit| left.contains(*bit));
        (open.len() + held.len(), held)
    });
    if held.is_empty() {
        return None;
    }
    let held = names(turn.plan(), &held);
    let sentence = format!(
        "the allocation policy ({}) keeps {} out of {} of {open} that could serve now: {}",
        ranking.name(),
        turn.plan().job(job).short_name(),
        words::count(held.len(), "node"),
        words::some(&held, 4)
    );
    let cause = Cause::new(Tier::Fragmented, "policy", sentence).number("held", held.len());
    Some(cause.number("free", open).about(held.into_iter().take(8)))
}
