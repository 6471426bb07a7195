//! The farm at one second, reconstructed from the starts and ends of the jobs.

use std::collections::BTreeMap;

use qscope_engine::cluster::{Column, Id};

use super::record::StartTable;
use super::{ClassNo, FarmPolicy, HoldAnchor, NodeNo, Workload};

/// One node at one second.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NodeView {
    /// Slots in use by each class that runs there, in class order.
    pub slots: Vec<(ClassNo, u32)>,
    pub holders: Vec<ClassNo>,
}

impl NodeView {
    /// Returns the slots in use.
    pub fn used(&self) -> u32 {
        self.slots.iter().map(|(_, slots)| slots).sum()
    }
}

/// Start and end of a job on a node, and its slots.
type JobSpan = (i64, i64, u32);

/// The current stay of a class on a node.
#[derive(Clone, Copy, Debug)]
struct ClassStay {
    slots: u32,
    /// The latest start, and the start with which the stay began.
    latest: i64,
    first: i64,
}

/// Reconstructs the whole farm at second `t`, after its last pass.
pub fn grid_at(
    workload: &Workload,
    policies: &Column<ClassNo, FarmPolicy>,
    anchor: HoldAnchor,
    assignment: &StartTable,
    t: i64,
) -> Column<NodeNo, NodeView> {
    let mut stays: Column<NodeNo, BTreeMap<ClassNo, Vec<JobSpan>>> =
        Column::filled(workload.nodes.len(), BTreeMap::new());
    let mut note = |node: NodeNo, class: ClassNo, span: JobSpan| {
        if span.0 <= t && node.ix() < workload.nodes.len() && is_relevant(policies[class], anchor, span, t) {
            stays[node].entry(class).or_default().push(span);
        }
    };
    for resident in &workload.residents {
        note(resident.node, resident.class, (resident.start, resident.end, resident.slots));
    }
    for (number, job) in workload.jobs.enumerate() {
        if let Some(Some(start)) = assignment.starts.checked(number) {
            let end = start.at.saturating_add(i64::from(job.run));
            note(start.node, job.class, (start.at, end, job.slots));
        }
    }
    let view = |classes: &BTreeMap<ClassNo, Vec<JobSpan>>| {
        let mut view = NodeView::default();
        for (class, spans) in classes {
            let Some(stay) = class_stay(spans, t) else { continue };
            view.slots.push((*class, stay.slots));
            let since = match anchor {
                HoldAnchor::Last => stay.latest,
                HoldAnchor::First => stay.first,
            };
            if policies[*class].held_until(since).is_some_and(|until| t < until) {
                view.holders.push(*class);
            }
        }
        view
    };
    stays.iter().map(view).collect()
}

/// Returns whether a job matters for the farm at `t`: it runs, or its start may count for a hold.
fn is_relevant(policy: FarmPolicy, anchor: HoldAnchor, (start, end, _): JobSpan, t: i64) -> bool {
    end > t
        || match (policy, anchor) {
            (FarmPolicy::Ttl(ttl), HoldAnchor::Last) => start.saturating_add(ttl) > t,
            (FarmPolicy::Ttl(_), HoldAnchor::First) => true,
            _ => false,
        }
}

/// Returns the stay of a class on a node at `t`, from the jobs that started there until then; none without a
/// running job.
fn class_stay(spans: &[JobSpan], t: i64) -> Option<ClassStay> {
    let running = spans.iter().filter(|(_, end, _)| *end > t);
    let slots = running.clone().map(|(_, _, slots)| slots).sum();
    // From the running jobs backwards over all that overlap: the stay began where there was no earlier job.
    let mut first = running.map(|(start, ..)| *start).min()?;
    let mut earlier: Vec<_> = spans.iter().map(|(start, end, _)| (*end, *start)).collect();
    earlier.sort_unstable_by(|a, b| b.cmp(a));
    for (end, start) in earlier {
        if end < first {
            break;
        }
        // A job that ended in the second of the first start had ended before it (rule R2).
        if end > first {
            first = first.min(start);
        }
    }
    let latest = spans.iter().map(|(start, ..)| *start).max()?;
    Some(ClassStay { slots, latest, first })
}
