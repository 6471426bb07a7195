//! The stages of a reservation's confirmation: dedicated time, the server's resources, nodes by the node path (rule
//! 6.9). Queues and limits do not apply.

use crate::words::{self, count};
use qscope_engine::cycle::{ConfirmCheck, ConfirmationTrace};

use super::stages::{comment, has_sets};
use super::{DecisionPoint, DecisionRow, DecisionTraceRef, StageName};

/// Returns the stages passed, and the one at which it was denied.
pub(super) fn stages(scene: DecisionTraceRef<'_>, examined: &ConfirmationTrace) -> Vec<DecisionRow> {
    let plan = &scene.run.plan;
    let moment = |at| words::moment(&plan.snap, at);
    let mut frames = Vec::new();
    let mut push = |name, passed, label: &str, text: String| {
        frames.push(DecisionRow::new(DecisionPoint::Stage(name), passed, label, text));
    };
    if let Some(request) = scene.request() {
        let (from, to) = (examined.start, examined.start + request.duration);
        let text = format!("unconfirmed; requests nodes from {} to {}", moment(from), moment(to));
        push(StageName::Eligible, Some(true), "eligible", text);
    }
    push(StageName::Path, None, "path", "node path, as always for a reservation".to_owned());
    let checks = [
        (ConfirmCheck::Time, StageName::Time, "time", "no dedicated time in the way"),
        (ConfirmCheck::Resources, StageName::Resources, "resources", "the server has enough left then"),
    ];
    for (check, name, label, passed) in checks {
        if examined.denied_at == Some(check) {
            push(name, Some(false), label, denial(scene, examined));
            return frames;
        }
        push(name, Some(true), label, passed.to_owned());
    }
    let (name, label) = match has_sets(scene) {
        true => (StageName::Sets, "sets"),
        false => (StageName::Placement, "placement"),
    };
    match &examined.result {
        Ok(placed) => {
            let set = placed.set.as_ref().map_or_else(String::new, |set| format!(" in {set}"));
            let nodes = count(placed.allocation.nodes().len(), "node");
            push(
                name,
                Some(true),
                label,
                format!("found room on {nodes}{set} at {}", moment(examined.start)),
            );
        }
        Err(_) => push(name, Some(false), label, denial(scene, examined)),
    }
    frames
}

fn denial(trace: DecisionTraceRef<'_>, examined: &ConfirmationTrace) -> String {
    examined.result.as_ref().err().map_or_else(String::new, |why| comment(trace, why))
}
