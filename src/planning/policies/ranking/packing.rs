//! Packing policies in a cycle: the nodes that have running jobs of a class, and those held for it (packing
//! rules 1 and 6).

use rustc_hash::FxHashMap;
use std::sync::Arc;

use super::NodeChoice;
use crate::farm::FarmPolicy;
use crate::farm::snapshot_workload::class_of;
use qscope_engine::cluster::{Column, Epoch, ExecVnode, JobId, Snapshot};
use qscope_engine::universe::{Bit, JobStatus, NodeSet, State};

/// A class of jobs with a packing policy.
#[derive(Debug)]
struct PackingClass {
    policy: FarmPolicy,
    members: Vec<JobId>,
}

/// The classes of a cluster that have a packing policy.
#[derive(Debug, Default)]
pub(super) struct PackingClasses {
    classes: Vec<PackingClass>,
    class_of: FxHashMap<JobId, usize>,
}

impl PackingClasses {
    pub(super) fn of(snap: &Snapshot, choices: &Column<JobId, Option<Arc<NodeChoice>>>) -> Self {
        let mut found = Self::default();
        let mut known: FxHashMap<(String, String), usize> = FxHashMap::default();
        for (id, choice) in choices.enumerate() {
            let Some(NodeChoice::Packing(policy, criterion)) = choice.as_deref() else { continue };
            let class = class_of(snap, &snap.jobs[id], criterion);
            let at = *known.entry((criterion.to_string(), class)).or_insert_with(|| {
                found.classes.push(PackingClass { policy: *policy, members: Vec::new() });
                found.classes.len() - 1
            });
            if let Some(class) = found.classes.get_mut(at) {
                class.members.push(id);
            }
            found.class_of.insert(id, at);
        }
        found
    }

    /// Returns whether any class keeps others off its nodes.
    pub(super) fn holds_nodes(&self) -> bool {
        self.classes.iter().any(|class| matches!(class.policy, FarmPolicy::Exclusive | FarmPolicy::Ttl(1..)))
    }

    /// Moves the nodes that the policy prefers to the front; otherwise they stay in the scheduler's order.
    pub(super) fn prefer(&self, policy: FarmPolicy, state: &State, job: JobId, nodes: Vec<Bit>) -> Vec<Bit> {
        let own = self.class_of.get(&job).and_then(|at| self.classes.get(*at));
        let Some(own) = own.filter(|_| !policy.is_plain()) else { return nodes };
        let mut has_own = NodeSet::new(state.plan.nodes.len());
        for (nodes, _) in own.runs(state) {
            nodes.into_iter().for_each(|bit| has_own.insert(bit));
        }
        let (with, without): (Vec<Bit>, Vec<Bit>) = nodes.into_iter().partition(|bit| has_own.contains(*bit));
        let (first, last) = if policy.prefers_own_nodes() { (with, without) } else { (without, with) };
        first.into_iter().chain(last).collect()
    }

    /// Returns the nodes held at this moment by other classes than the job's.
    pub(super) fn held_by_other_classes(&self, state: &State, job: JobId) -> NodeSet {
        let mut held = NodeSet::new(state.plan.nodes.len());
        let own = self.class_of.get(&job).copied();
        for (_, class) in self.classes.iter().enumerate().filter(|(at, _)| Some(*at) != own) {
            for (nodes, started) in class.runs(state) {
                if class.policy.held_until(started.0).is_some_and(|until| until > state.now.0) {
                    nodes.into_iter().for_each(|bit| held.insert(bit));
                }
            }
        }
        held
    }
}

impl PackingClass {
    /// Returns the nodes and the start time of its running jobs; a job started in this cycle counts from now.
    fn runs<'s>(&'s self, state: &'s State) -> impl Iterator<Item = (Vec<Bit>, Epoch)> + 's {
        self.members.iter().filter_map(|job| match state.ledger.jobs.checked(*job)? {
            JobStatus::Running(allocation) => {
                let plan = &state.plan;
                let started = plan.job(*job).started.unwrap_or(plan.snap.now);
                // The nodes of jobs that ran before the cycle are only in the dump.
                let dumped = plan.job(*job).exec_vnode.iter().filter(|_| allocation.pieces.is_empty());
                let dumped =
                    dumped.flat_map(ExecVnode::parts).filter_map(|part| plan.bit_named.get(&part.vnode));
                Some((allocation.nodes().into_iter().chain(dumped.copied()).collect(), started))
            }
            _ => None,
        })
    }
}
