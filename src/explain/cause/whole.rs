//! Shortages as the scheduler reports them: over all nodes together, before it examines any node, so that no single
//! node shows them; or, without amounts, on the node examined last.

use crate::{Cause, JobTurn, Tier};
use qscope_engine::universe::{Shortage, ShortageDetail};

/// Returns the cause for a shortage as the scheduler found it.
pub(super) fn shortage(turn: &JobTurn, tier: Tier, shortage: &Shortage) -> Cause {
    let catalogue = &turn.plan().snap.catalogue;
    let name = catalogue.name(shortage.resource);
    let kind = catalogue.kind(shortage.resource);
    let job = turn.plan().job(turn.job).short_name();
    let end = if tier == Tier::Never { "can never run" } else { "waits" };
    let cause = |why: String| {
        let whole = Cause::new(tier, "whole-cluster", format!("{why}: {job} {end}"));
        // Beside the job and its verdict neither is repeated.
        Cause { beside: Some(why), ..whole }.with_objects([name.to_string()])
    };
    match &shortage.detail {
        ShortageDetail::Amounts { requested, available, total } => {
            let [requested, available, total] = [requested, available, total]
                .map(|amount| if amount.0.is_nan() { "none".to_owned() } else { amount.show(kind) });
            let why = match &*total {
                "none" => format!("{requested} {name} requested, and no node has a value for it"),
                _ => {
                    format!("{requested} {name} requested, {available} left of {total} on all nodes together")
                }
            };
            let note = "a node without a value of it counts nothing here, even where it would take the job";
            let cause = cause(why).number("wanted", requested).number("available", available);
            cause.number("total", total).note(note.to_owned())
        }
        ShortageDetail::Differs { requested, found } => {
            let have = if found.is_empty() { "none".to_owned() } else { found.to_string() };
            let why = format!("{name}={requested} requested, and the nodes together have {have}");
            cause(why).number("wanted", requested).number("have", have)
        }
        ShortageDetail::Erased => cause(format!("the node examined last lacks {name}")),
    }
}
