//! What a node has instead of what a condition requires: its state, resources, jobs and planned events.

use qscope_engine::cluster::short_id;
use qscope_engine::placement::all_lacking;
use qscope_engine::universe::{Bit, Reason, ShortageDetail, Spec};

use super::{Condition, FailedCondition, NodeCheck};
use crate::fit_analysis::requested;
use crate::words;

impl NodeCheck<'_> {
    /// Returns what is wrong with the state of a node, ignoring the jobs on it.
    pub(super) fn state_of(&self, bit: Bit) -> Option<String> {
        let states = self.state.occupancy.states[bit];
        let rest = states.without_occupancy();
        if !rest.is_free() {
            return Some(rest.to_string());
        }
        (!self.plan().masks.licensed.contains(bit)).then(|| "no licence".to_owned())
    }

    /// Returns each resource of a chunk spec that is lacking, once.
    pub(super) fn resources(&self, spec: &Spec, bit: Bit) -> Vec<FailedCondition> {
        let plan = self.plan();
        let requests = &plan.shapes[spec.shape].requests;
        let lacking = all_lacking(self.state, spec.shape, bit);
        let failure = |reason: Reason| {
            let Reason::Resource(shortage) = reason else { return None };
            let at = requests.iter().position(|(resource, _)| *resource == shortage.resource)?;
            let kind = plan.snap.catalogue.kind(shortage.resource);
            let (mut close, mut left) = (0, None);
            let has = match &shortage.detail {
                // The resource is not set on the node, so there is no total.
                ShortageDetail::Amounts { total, .. } if total.0 == 0.0 || total.0.is_nan() => {
                    "none".to_owned()
                }
                ShortageDetail::Amounts { requested, available, total } => {
                    close = thousandths(available.0, requested.0);
                    let available = left.insert(available.show(kind));
                    format!("{available} left of {}", total.show(kind))
                }
                ShortageDetail::Differs { found: have, .. } if have.is_empty() => "none".to_owned(),
                ShortageDetail::Differs { found: have, .. } => have.to_string(),
                ShortageDetail::Erased => String::new(),
            };
            let name = plan.snap.catalogue.name(shortage.resource);
            let wanted = requested(plan, spec, shortage.resource);
            let condition = Condition::resource(at, name, wanted, kind.is_consumable());
            Some(FailedCondition { left, close, ..FailedCondition::new(condition, has) })
        };
        let mut found: Vec<FailedCondition> = lacking.into_iter().filter_map(failure).collect();
        found.dedup_by(|a, b| a.condition == b.condition);
        found
    }

    /// Returns the jobs on a node that the job requests exclusively, or why the node takes no further job.
    pub(super) fn sharing(&self, bit: Bit) -> Option<FailedCondition> {
        let fail = |has| FailedCondition::new(self.sharing_condition(), has);
        if !self.state.occupancy.open_nodes.contains(bit) {
            return Some(fail(self.closed(bit)));
        }
        let load = self.state.occupancy.load[bit];
        self.conflicting_nodes.contains(bit).then(|| match load.is_busy() {
            true => {
                FailedCondition { in_use: true, ..fail(format!("{} on it", words::count(load.jobs, "job"))) }
            }
            false => fail("others on its host".to_owned()),
        })
    }

    /// Returns why a node takes no further job: its state, or the ended job that keeps it.
    fn closed(&self, bit: Bit) -> String {
        if !self.state.is_kept(bit) {
            return self.state.occupancy.states[bit].to_string();
        }
        let jobs: Vec<&str> = self.plan().node(bit).jobs.iter().map(|job| short_id(job)).collect();
        let word = if jobs.len() == 1 { "job" } else { "jobs" };
        format!("kept by {word} {}, not in the dump", words::first_names(&jobs, 4))
    }

    /// Returns what is planned on a node before the job would end.
    pub(super) fn time_of(&self, spec: &Spec, bit: Bit) -> Option<String> {
        let plan = self.plan();
        let end = self.state.now + self.request.duration;
        let first = self.state.first_event(bit).filter(|event| event.at < end);
        let needs = &plan.needs[spec.shape];
        let exclusive = plan.exclusive_nodes(self.request.place.sharedness).contains(bit);
        let left = |ix| self.state.occupancy.left(plan, ix, bit);
        let allowed =
            if self.bucket { first.is_none() } else { self.time.allows(bit, exclusive, needs, &left) };
        if allowed {
            return None;
        }
        let Some(event) = first else { return Some("planned for another job".to_owned()) };
        let who = short_id(plan.occupant_name(event.occupant));
        Some(format!("planned for {who} from {}", words::moment(&plan.snap, event.at)))
    }
}

/// Returns a share in thousandths; 0 if nothing is requested.
fn thousandths(part: f64, whole: f64) -> u32 {
    // Clamped before the conversion to an integer.
    if whole > 0.0 { (part / whole * 1000.0).clamp(0.0, 1000.0) as u32 } else { 0 }
}
