//! A whole cycle under allocation policies: each orders the nodes of its jobs on the node path, job by job.

mod packing;

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{
    FeasibleParts, JobPolicyInput, LocalHook, MauiOptions, NodeChoice, NodeChoiceError, PolicyInput,
    PolicyName, PolicyQuery, PolicyTier, SiteTraits, TaskRequest, policy_of,
};
use packing::PackingClasses;
use qscope_engine::cluster::{AllocationChoices, Column, Job, JobId, Name, QueueId, Snapshot};
use qscope_engine::universe::{Bit, NodeRanking, NodeSet, State};

/// Allocation and packing policies instead of the scheduler's node order.
#[derive(Debug)]
pub struct PolicyRanking {
    /// The words in use, as they were given.
    name: String,
    options: MauiOptions,
    traits: Arc<SiteTraits>,
    hook: Option<Arc<dyn LocalHook>>,
    /// The policy of each job; none is the scheduler's order.
    choices: Column<JobId, Option<Arc<NodeChoice>>>,
    packers: PackingClasses,
}

impl PolicyRanking {
    /// Creates the policies under which a cluster is to be run; none if every job keeps the scheduler's
    /// order. `hook` is the program that LOCAL calls.
    ///
    /// # Errors
    /// A word is not a policy.
    pub fn of(snap: &Snapshot, hook: Option<Arc<dyn LocalHook>>) -> Result<Option<Self>, NodeChoiceError> {
        if snap.allocation.is_empty() {
            return Ok(None);
        }
        let known = parse_choices(&snap.allocation)?;
        let queues: BTreeMap<&Name, QueueId> =
            snap.queues.enumerate().map(|(id, queue)| (&queue.name, id)).collect();
        let choice = |(id, job): (JobId, &Job)| {
            let word = snap.allocation.of(id, queues.get(&job.queue).copied())?;
            known.get(word).cloned()
        };
        let choices: Column<JobId, Option<Arc<NodeChoice>>> = snap.jobs.enumerate().map(choice).collect();
        let options = MauiOptions::read(snap);
        let mut words: Vec<String> = known.values().map(ToString::to_string).collect();
        words.dedup();
        Ok(Some(Self {
            name: words.join(", "),
            packers: PackingClasses::of(snap, &choices),
            traits: Arc::new(SiteTraits::of(snap, &options)),
            options,
            hook,
            choices,
        }))
    }

    fn choice(&self, job: JobId) -> Option<&NodeChoice> {
        self.choices.checked(job).and_then(Option::as_deref)
    }

    /// Orders the nodes: those feasible for the first part of the select in the policy's order, then the
    /// others unchanged.
    fn by_policy(&self, policy: PolicyName, state: &State, job: JobId, nodes: Vec<Bit>) -> Vec<Bit> {
        let Ok(request) = TaskRequest::of(&state.plan, &self.options, job) else { return nodes };
        let Some(part) = request.requirements.first() else { return nodes };
        let site = PolicyInput::with_traits(state, &self.options, self.traits.clone());
        let site_request = JobPolicyInput::new(&site, &request);
        let allowed = NodeSet::of(state.plan.nodes.len(), nodes.iter().copied());
        let offer = FeasibleParts::at(&site_request, state.now);
        let Some(feasible) = offer.parts.first() else { return nodes };
        let all: Vec<_> = feasible.candidates.iter().filter(|c| allowed.contains(c.bit)).copied().collect();
        let question = PolicyQuery::new(&site_request, part, state.now, &all);
        let policy = policy_of(policy, &self.options, self.hook.as_deref());
        let mut ranked = Vec::with_capacity(nodes.len());
        let mut placed = NodeSet::new(state.plan.nodes.len());
        for tier in PolicyTier::ALL {
            let tier: Vec<_> = all.iter().filter(|candidate| candidate.tier == tier).copied().collect();
            // The nodes of a tier in which a policy finds nothing stay in their order.
            for candidate in policy.order(&question, &tier).unwrap_or_default() {
                if !placed.contains(candidate.bit) {
                    placed.insert(candidate.bit);
                    ranked.push(candidate.bit);
                }
            }
        }
        ranked.extend(nodes.into_iter().filter(|bit| !placed.contains(*bit)));
        ranked
    }
}

/// Parses every word.
fn parse_choices(choices: &AllocationChoices) -> Result<BTreeMap<Name, Arc<NodeChoice>>, NodeChoiceError> {
    choices.words().map(|word| Ok((word.clone(), Arc::new(NodeChoice::parse(word)?)))).collect()
}

impl NodeRanking for PolicyRanking {
    fn name(&self) -> &str {
        &self.name
    }

    /// A job without a policy of its own is also kept off nodes that a class holds.
    fn ranks(&self, job: JobId) -> bool {
        self.packers.holds_nodes() || self.choice(job).is_some()
    }

    fn over(&self, snap: &Snapshot) -> Option<Arc<dyn NodeRanking>> {
        let again = Self::of(snap, self.hook.clone()).ok()??;
        Some(Arc::new(again))
    }

    fn rank(&self, state: &State, job: JobId, nodes: Vec<Bit>) -> Vec<Bit> {
        let mut ranked = match self.choice(job) {
            Some(NodeChoice::Maui(policy)) => self.by_policy(*policy, state, job, nodes),
            Some(NodeChoice::Packing(policy, _)) => self.packers.prefer(*policy, state, job, nodes),
            None => nodes,
        };
        if self.packers.holds_nodes() {
            let held = self.packers.held_by_other_classes(state, job);
            ranked.retain(|bit| !held.contains(*bit));
        }
        ranked
    }
}
