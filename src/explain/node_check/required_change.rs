//! What would have to be different for a node to pass.

use std::collections::BTreeMap;

use qscope_engine::cluster::{Arrangement, NodeId, deduplicated};
use qscope_engine::universe::{Bit, HostIx, Occupant, Spec};

use super::{Condition, FailedCondition, NodeCheck};
use crate::schedule::{Occupancy, occupant_name, occupants_of_node};
use crate::words;

impl NodeCheck<'_> {
    /// Returns what would have to be different for a node that fails these conditions to pass; `None` if neither the
    /// job nor time could change that.
    pub(crate) fn would_pass(&self, spec: &Spec, id: NodeId, failures: &[FailedCondition]) -> Option<String> {
        let bit = self.plan().bit_of[id]?;
        let must_be_free =
            failures.iter().any(|one| matches!(one.condition, Condition::Sharing | Condition::NotExclusive));
        // Once it is free, a node lacks only what it does not have in total.
        let is_met_then =
            |one: &&FailedCondition| must_be_free && one.left.is_some() && self.has_in_total(spec, bit, one);
        let lasting = failures.iter().filter(|one| !is_met_then(one));
        let all: Option<Vec<String>> = lasting.map(|one| self.required_change(spec, bit, one)).collect();
        let all = deduplicated(all?);
        (!all.is_empty()).then(|| all.join(" and "))
    }

    /// Returns what would meet one condition.
    fn required_change(&self, spec: &Spec, bit: Bit, failure: &FailedCondition) -> Option<String> {
        match &failure.condition {
            Condition::Queue => {
                let queue = self.plan().snap.nodes[self.plan().nodes[bit].id].queue.as_ref()?;
                Some(format!("queue={queue}"))
            }
            Condition::Resource { name, is_amount, .. } => match &failure.left {
                Some(left) if failure.close > 0 => Some(match self.on_its_host(spec, bit, name) {
                    Some(together) => format!("{name} ≤ {together}"),
                    None => format!("{name} ≤ {left}"),
                }),
                Some(_) => self.freed(bit),
                None if failure.has.is_empty() || failure.has == "none" || *is_amount => None,
                None => Some(format!("{name}={}", failure.has)),
            },
            Condition::Sharing | Condition::NotExclusive => self.freed(bit),
            Condition::Time => {
                let event = self.state.first_event(bit)?;
                let left = event.at - self.state.now;
                let who = occupant_name(self.plan(), event.occupant);
                let fits = format!("walltime ≤ {} (ends before {who})", words::duration(left));
                (left.0 > 0).then_some(fits)
            }
            Condition::State
            | Condition::Reservation { .. }
            | Condition::OwnNodes
            | Condition::Partition
            | Condition::NodeLimit
            | Condition::Set => None,
        }
    }

    /// Whether a node has in total what it lacks now.
    fn has_in_total(&self, spec: &Spec, bit: Bit, failure: &FailedCondition) -> bool {
        let Condition::Resource { name, is_amount: true, .. } = &failure.condition else { return false };
        let plan = self.plan();
        let ix = plan.snap.catalogue.id(name).and_then(|id| plan.consumables.ix(id));
        let needs = &plan.needs[spec.shape];
        let need = ix.and_then(|ix| needs.iter().find(|(have, _)| *have == ix));
        need.is_some_and(|(ix, need)| plan.capacity.available(*ix, bit) >= *need)
    }

    /// Whether a chunk may be spread over several vnodes of a host.
    fn breaks_chunks(&self) -> bool {
        self.plan().multi_vnode.exists && self.request.place.arrangement != Arrangement::Vscatter
    }

    /// Of nodes that fail by amounts only, returns the first one on the host with most left of what a node lacks;
    /// `None` if chunks are not spread over vnodes.
    pub(crate) fn on_best_host(&self, spec: &Spec, id: NodeId, nodes: &[Bit]) -> Option<NodeId> {
        let plan = self.plan();
        let failures = self.failures(spec, id);
        let [failure] = failures.as_slice() else { return None };
        let Condition::Resource { name, is_amount: true, .. } = &failure.condition else { return None };
        let ix = plan.consumables.ix(plan.snap.catalogue.id(name)?)?;
        let mut hosts: BTreeMap<HostIx, (f64, Bit)> = BTreeMap::new();
        for bit in nodes.iter().copied().filter(|_| self.breaks_chunks()) {
            hosts.entry(plan.nodes[bit].host).or_insert((0.0, bit)).0 +=
                self.state.occupancy.left(plan, ix, bit);
        }
        let best = hosts.into_values().max_by(|(a, x), (b, y)| a.total_cmp(b).then(y.cmp(x)));
        best.map(|(_, bit)| plan.nodes[bit].id)
    }

    /// Returns what the vnodes of a node's host have left together, if a chunk may be spread over them.
    fn on_its_host(&self, spec: &Spec, bit: Bit, name: &str) -> Option<String> {
        let plan = self.plan();
        if !self.breaks_chunks() {
            return None;
        }
        let resource = plan.snap.catalogue.id(name)?;
        let ix = plan.consumables.ix(resource)?;
        let host = plan.nodes[bit].host;
        let serves = |bit: &Bit| {
            let failures = self.failures(spec, plan.nodes[*bit].id);
            failures.iter().all(|failure| failure.condition.is_amount())
        };
        let on_host = self.list.iter().filter(|bit| plan.nodes[*bit].host == host);
        let vnodes: Vec<Bit> = on_host.filter(serves).collect();
        let left: f64 = vnodes.iter().map(|bit| self.state.occupancy.left(plan, ix, *bit)).sum();
        let amount = words::amount(&plan.snap.catalogue, resource, left);
        (vnodes.len() > 1).then(|| format!("{amount} (the {} vnodes of its host together)", vnodes.len()))
    }

    /// Returns that the occupants of a node have ended, and when the last one does; `None` if that is not known.
    fn freed(&self, bit: Bit) -> Option<String> {
        let schedule = occupants_of_node(self.state, bit);
        // Its own reservation keeps the node for the job, and ends with it.
        let own = self.reservation.map(Occupant::Reservation);
        let is_other = |held: &&Occupancy| held.start <= self.state.now && Some(held.occupant) != own;
        let now: Vec<&Occupancy> = schedule.iter().filter(is_other).collect();
        let last = now.iter().map(|held| held.end).try_fold(None, |last, to| Some(last.max(Some(to?))))??;
        let in_time = |held: &Occupancy| Some(held.occupant) != own || held.end.is_none_or(|end| last < end);
        if !schedule.iter().all(in_time) {
            return None;
        }
        let who: Vec<String> = now.iter().map(|held| occupant_name(self.plan(), held.occupant)).collect();
        let when = words::time_of_day(&self.plan().snap, last);
        let what = if who.len() == 1 { "ended" } else { "all ended" };
        Some(format!("{} {what} ({when})", words::first_names(&who, 4)))
    }
}
